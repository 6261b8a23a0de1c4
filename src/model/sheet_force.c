// Energy and forces of a sheet. Elements write what is theirs, then hinges gather from elements and nodes from triangles and
// hinges in a fixed order:
//
//   hinge:    theta, g = d theta/dx                element: M = K (theta - rest)
//   hinge:    m = sum of M                         node:    dE/dx = sum of corners of triangles + sum of m g           (1)
#include "model/sheet_elastic.h"

typedef struct Work {
  CpsSheetElastic* s;
  const CpsVec3* x;
  CpsVec3* gradient;  // NULL: only energies
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
      sum = cps_vec3_axpy(sum, s->moment[slot / 4], s->slot[slot]);
    }
    w->gradient[n] = sum;
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
  return evaluate(&(Work){elastic, x, NULL}, pool);
}

CpsSheetEnergy cps_sheet_gradient(CpsSheetElastic* elastic, CpsPool* pool, const CpsVec3* x, CpsVec3* gradient) {
  return evaluate(&(Work){elastic, x, gradient}, pool);
}
