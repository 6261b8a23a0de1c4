// Energy and forces of a sheet. Elements write their own contributions; hinges then gather from elements, and nodes from triangles
// and hinges, in a fixed order:
//
//   hinge:    theta, g = d theta/dx                element: M = K (theta - rest)
//   hinge:    m = sum of M                         node:    dE/dx = sum of corners of triangles + sum of m g           (1)
//
// Damping is the rotated second derivatives times velocities. If only this product is needed, elements compute it in the same way from
// the rates of strain and of angles, at a few per cent of the cost of their matrix:
//
//   D u = b_m sum of B^T C B u + b_b sum of G^T K G u,   B, G: derivatives of strains and angles where D is             (2)
#include "model/sheet_elastic.h"

typedef struct Work {
  CpsSheetElastic* s;
  const CpsVec3* x;      // positions, or velocities of (2)
  CpsVec3* gradient;     // NULL: only energies
  const CpsVec3* slot;   // gradients of the angles
  bool added;            // adds to the present gradient
  double scale;          // (2): of the bending,
  double tangent[3][3];  // and of the membrane, with its factor
} Work;

static void do_hinges(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* w = data;
  CpsSheetElastic* s = w->s;
  for (int64_t e = first; e < last; ++e) {
    CpsVec3 x[4];
    for (int i = 0; i < 4; ++i) x[i] = w->x[s->mesh.hinge[e].node[i]];
    double theta = w->gradient ? cps_hinge_gradient(x, s->slot + 4 * e) : cps_hinge_angle(x);
    s->angle[e] = theta - s->mesh.rest_angle[e];
  }
}

static void do_triangles(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* w = data;
  CpsSheetElastic* s = w->s;
  for (int64_t t = first; t < last; ++t) {
    CpsVec3 x[3];
    for (int i = 0; i < 3; ++i) x[i] = w->x[s->mesh.triangle[3 * t + i]];
    s->triangle_energy[t] = cps_membrane_force(&s->membrane, &s->shape[t], x, w->gradient ? s->corner + 3 * t : NULL);
  }
}

static void do_elements(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* w = data;
  CpsSheetElastic* s = w->s;
  const CpsSheetBending* b = &s->bending;
  for (int64_t e = first; e < last; ++e) {
    int64_t from = b->start[e], n = b->start[e + 1] - from;
    const double* K = b->K + b->matrix_start[e];
    double energy = 0.0;
    for (int64_t i = 0; i < n; ++i) {
      double M = 0.0;
      for (int64_t j = 0; j < n; ++j) M += K[n * i + j] * s->angle[b->hinge[from + j]];
      s->entry_moment[from + i] = M;
      energy += 0.5 * M * s->angle[b->hinge[from + i]];
    }
    s->element_energy[e] = energy;
  }
}

static void do_moments(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  CpsSheetElastic* s = ((const Work*)data)->s;
  for (int64_t e = first; e < last; ++e) {
    double m = 0.0;
    for (int64_t k = s->hinge_entries.start[e]; k < s->hinge_entries.start[e + 1]; ++k) {
      m += s->entry_moment[s->hinge_entries.item[k]];
    }
    s->moment[e] = m;
  }
}

static void do_nodes(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* w = data;
  const CpsSheetElastic* s = w->s;
  for (int64_t n = first; n < last; ++n) {
    CpsVec3 sum = {0.0, 0.0, 0.0};
    for (int64_t k = s->node_corners.start[n]; k < s->node_corners.start[n + 1]; ++k) {
      sum = cps_vec3_add(sum, s->corner[s->node_corners.item[k]]);
    }
    for (int64_t k = s->node_slots.start[n]; k < s->node_slots.start[n + 1]; ++k) {
      int32_t slot = s->node_slots.item[k];
      sum = cps_vec3_axpy(sum, s->moment[slot / 4], w->slot[slot]);
    }
    w->gradient[n] = w->added ? cps_vec3_add(w->gradient[n], sum) : sum;
  }
}

static CpsSheetEnergy evaluate(Work* w, CpsPool* pool) {
  CpsSheetElastic* s = w->s;
  cps_pool_run(pool, s->mesh.triangle_count, do_triangles, w);
  cps_pool_run(pool, s->mesh.hinge_count, do_hinges, w);
  cps_pool_run(pool, s->bending.element_count, do_elements, w);
  if (w->gradient) {
    cps_pool_run(pool, s->mesh.hinge_count, do_moments, w);
    cps_pool_run(pool, s->mesh.node_count, do_nodes, w);
  }
  CpsSheetEnergy energy = {0.0, 0.0};
  for (int32_t t = 0; t < s->mesh.triangle_count; ++t) energy.membrane += s->triangle_energy[t];
  for (int32_t e = 0; e < s->bending.element_count; ++e) energy.bending += s->element_energy[e];
  return energy;
}

CpsSheetEnergy cps_sheet_energy(CpsSheetElastic* elastic, CpsPool* pool, const CpsVec3* x) {
  return evaluate(&(Work){.s = elastic, .x = x}, pool);
}

CpsSheetEnergy cps_sheet_gradient(CpsSheetElastic* elastic, CpsPool* pool, const CpsVec3* x, CpsVec3* gradient) {
  return evaluate(&(Work){.s = elastic, .x = x, .gradient = gradient, .slot = elastic->slot}, pool);
}

static void lay_triangles(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* w = data;
  const CpsSheetElastic* s = w->s;
  for (int64_t t = first; t < last; ++t) {
    CpsVec3 x[3];
    for (int i = 0; i < 3; ++i) x[i] = w->x[s->mesh.triangle[3 * t + i]];
    cps_triangle_turned(&s->shape[t], x, s->laid_column + 2 * t);
  }
}

static void lay_hinges(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* w = data;
  const CpsSheetElastic* s = w->s;
  for (int64_t e = first; e < last; ++e) {
    CpsVec3 x[4];
    for (int i = 0; i < 4; ++i) x[i] = w->x[s->mesh.hinge[e].node[i]];
    cps_hinge_gradient(x, s->laid_slot + 4 * e);
  }
}

void cps_sheet_lay(CpsSheetElastic* elastic, CpsPool* pool, const CpsVec3* x) {
  Work w = {.s = elastic, .x = x};
  cps_pool_run(pool, elastic->mesh.triangle_count, lay_triangles, &w);
  cps_pool_run(pool, elastic->mesh.hinge_count, lay_hinges, &w);
}

static void resist_triangles(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* w = data;
  const CpsSheetElastic* s = w->s;
  for (int64_t t = first; t < last; ++t) {
    CpsVec3 u[3];
    for (int i = 0; i < 3; ++i) u[i] = w->x[s->mesh.triangle[3 * t + i]];
    cps_membrane_resist(w->tangent, &s->shape[t], s->laid_column + 2 * t, u, s->corner + 3 * t);
  }
}

static void find_rates(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* w = data;
  const CpsSheetElastic* s = w->s;
  for (int64_t e = first; e < last; ++e) {
    double rate = 0.0;
    for (int i = 0; i < 4; ++i) rate += cps_vec3_dot(w->slot[4 * e + i], w->x[s->mesh.hinge[e].node[i]]);
    s->angle[e] = w->scale * rate;
  }
}

void cps_sheet_resist(CpsSheetElastic* elastic, CpsPool* pool, const CpsVec3* u, double membrane_scale,
                      double bending_scale, CpsVec3* force) {
  CpsSheetElastic* s = elastic;
  Work w = {.s = s, .x = u, .gradient = force, .slot = s->laid_slot, .added = true, .scale = bending_scale};
  const CpsMembraneStress rest = cps_membrane_stress(&s->membrane, (double[3]){0.0, 0.0, 0.0});
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) w.tangent[i][j] = membrane_scale * rest.tangent[i][j];
  }
  cps_pool_run(pool, s->mesh.triangle_count, resist_triangles, &w);
  cps_pool_run(pool, s->mesh.hinge_count, find_rates, &w);
  cps_pool_run(pool, s->bending.element_count, do_elements, &w);
  cps_pool_run(pool, s->mesh.hinge_count, do_moments, &w);
  cps_pool_run(pool, s->mesh.node_count, do_nodes, &w);
}
