// Linear tetrahedra. With g_a the gradients of the corner weights in the load-free shape and V its volume:
//
//   F = sum of x_a g_a^T,   E = V W(F),   dE/dx_a = V P g_a                                                           (1)
//   d^2E / dx_a dx_b = V sum over modes of value (D g_a) (D g_b)^T                                                    (2)
//
// (2) is computed for four elements at a time (solid_four.c), and mode by mode for elements that are almost a line.
// Elements write their own contributions and nodes gather them in the order of the elements; matrices are assembled by colour.
#include "model/solid_elastic.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "model/solid_four.h"

static const double ALMOST = 0.9;  // of the step at which an element becomes flat
static const double ROUNDING = 1e-15;
enum { BISECTIONS = 60 };

static CpsStatus no_memory(CpsError* error) {
  return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a solid");
}

static CpsStatus make_matter(CpsSolidElastic* s, const CpsSolidDef* def, CpsError* error) {
  const CpsSolidMesh* mesh = &s->mesh;
  s->matter = CPS_TAKE(&s->arena, CpsSolidMatter, (int64_t)def->region_count + 1);
  s->region = CPS_TAKE_ZERO(&s->arena, int32_t, mesh->tetrahedron_count);
  s->mass = CPS_TAKE_ZERO(&s->arena, double, mesh->vertex_count);
  if (!s->matter || !s->region || !s->mass) return no_memory(error);
  s->matter[0] = cps_solid_matter(&def->matter);
  for (int32_t i = 0; i < def->region_count; ++i) s->matter[i + 1] = cps_solid_matter(&def->regions[i]);
  for (int32_t t = 0; t < mesh->tetrahedron_count; ++t) {
    if (def->region) s->region[t] = def->region[t];
    const CpsSolidMatter* m = &s->matter[s->region[t]];
    double quarter = 0.25 * m->density * mesh->volume[t];
    for (int i = 0; i < 4; ++i) s->mass[mesh->tetrahedron[4 * (int64_t)t + i]] += quarter;
    s->bounded = s->bounded || m->law == CPS_SOLID_NEO_HOOKEAN;
    s->framed = s->framed || m->law == CPS_SOLID_COROTATED;
  }
  for (int32_t n = 0; n < mesh->vertex_count; ++n) s->total_mass += s->mass[n];
  return CPS_OK;
}

static CpsStatus make_pattern(CpsSolidElastic* s, CpsError* error) {
  const CpsSolidMesh* mesh = &s->mesh;
  CpsArena scratch = {0};
  CpsLists corners = cps_lists_even(&scratch, mesh->tetrahedron_count, 4, mesh->tetrahedron);
  CpsStatus status = corners.start ? CPS_OK : no_memory(error);
  if (status == CPS_OK) {
    status = cps_block_pattern_build(mesh->vertex_count, &corners, &mesh->tetrahedron_count, 1, &s->arena, &s->pattern,
                                     error);
  }
  if (status == CPS_OK) {
    status = cps_colours_build(mesh->vertex_count, &corners, mesh->tetrahedron_count, &s->arena, &s->colours, error);
  }
  if (status == CPS_OK &&
      !cps_lists_invert(&corners, mesh->tetrahedron_count, mesh->vertex_count, &s->arena, &s->node_corners)) {
    status = no_memory(error);
  }
  cps_arena_free(&scratch);
  s->corner = CPS_TAKE(&s->arena, CpsVec3, 4 * (int64_t)mesh->tetrahedron_count);
  s->energy = CPS_TAKE(&s->arena, double, mesh->tetrahedron_count);
  s->block = CPS_TAKE(&s->arena, int32_t, 10 * (int64_t)mesh->tetrahedron_count);
  s->turned = CPS_TAKE_ZERO(&s->arena, uint16_t, mesh->tetrahedron_count);
  if (status == CPS_OK && (!s->block || !s->turned || !s->corner || !s->energy)) status = no_memory(error);
  for (int32_t t = 0; status == CPS_OK && t < mesh->tetrahedron_count; ++t) {
    const int32_t* n = mesh->tetrahedron + 4 * (int64_t)t;
    for (int a = 0, k = 0; a < 4; ++a) {
      for (int b = 0; b <= a; ++b, ++k) {
        bool turned = n[a] < n[b];
        s->block[10 * (int64_t)t + k] = cps_block_pattern_find(&s->pattern, turned ? n[b] : n[a], turned ? n[a] : n[b]);
        if (turned) s->turned[t] |= (uint16_t)(1 << k);
      }
    }
  }
  return status;
}

CpsStatus cps_solid_elastic_create(const CpsSolidDef* def, CpsSolidElastic** out, CpsError* error) {
  CpsSolidElastic* s = calloc(1, sizeof *s);
  if (!s) return no_memory(error);
  CpsStatus status = cps_solid_mesh_build(def, &s->arena, &s->mesh, error);
  if (status == CPS_OK) status = make_matter(s, def, error);
  if (status == CPS_OK) status = make_pattern(s, error);
  if (status != CPS_OK) {
    cps_solid_elastic_destroy(s);
    return status;
  }
  *out = s;
  return CPS_OK;
}

void cps_solid_elastic_destroy(CpsSolidElastic* s) {
  if (!s) return;
  cps_arena_free(&s->arena);
  free(s);
}

CpsMat3 cps_solid_deformation(const CpsSolidElastic* s, const CpsVec3* x, int64_t t) {
  const int32_t* n = s->mesh.tetrahedron + 4 * t;
  const CpsVec3* g = s->mesh.gradient + 4 * t;
  CpsMat3 F = cps_mat3_outer(cps_vec3_sub(x[n[1]], x[n[0]]), g[1]);
  for (int a = 2; a < 4; ++a) F = cps_mat3_axpy(F, 1.0, cps_mat3_outer(cps_vec3_sub(x[n[a]], x[n[0]]), g[a]));
  return F;
}

typedef struct Work {
  const CpsSolidElastic* s;
  const CpsVec3* x;
  CpsVec3* gradient;  // NULL: only energies
  // for the matrix
  CpsHessianKind kind;
  double scale;
  bool damping;
  const int32_t* order;  // elements of this colour
  double* value;
} Work;

static void do_elements(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* w = data;
  const CpsSolidElastic* s = w->s;
  for (int64_t t = first; t < last; ++t) {
    CpsMat3 F = cps_solid_deformation(s, w->x, t), P;
    const double V = s->mesh.volume[t];
    s->energy[t] = V * cps_solid_stress(&s->matter[s->region[t]], &F, w->gradient ? &P : NULL);
    for (int a = 0; w->gradient && a < 4; ++a) {
      s->corner[4 * t + a] = cps_vec3_scale(V, cps_mat3_apply(P, s->mesh.gradient[4 * t + a]));
    }
  }
}

static void do_nodes(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* w = data;
  const CpsLists* corners = &w->s->node_corners;
  for (int64_t n = first; n < last; ++n) {
    CpsVec3 sum = {0.0, 0.0, 0.0};
    for (int64_t k = corners->start[n]; k < corners->start[n + 1]; ++k) {
      sum = cps_vec3_add(sum, w->s->corner[corners->item[k]]);
    }
    w->gradient[n] = sum;
  }
}

double cps_solid_gradient(CpsSolidElastic* s, CpsPool* pool, const CpsVec3* x, CpsVec3* gradient) {
  Work w = {.s = s, .x = x, .gradient = gradient};
  cps_pool_run(pool, s->mesh.tetrahedron_count, do_elements, &w);
  if (gradient) cps_pool_run(pool, s->mesh.vertex_count, do_nodes, &w);
  double sum = 0.0;
  for (int32_t t = 0; t < s->mesh.tetrahedron_count; ++t) sum += s->energy[t];
  return sum;
}

double cps_solid_grain(const CpsSolidElastic* s) {
  double sum = 0.0;
  for (int32_t t = 0; t < s->mesh.tetrahedron_count; ++t) {
    const CpsSolidMatter* m = &s->matter[s->region[t]];
    sum += s->mesh.volume[t] * (m->mu + fabs(m->lambda));
  }
  return ROUNDING * sum;
}

// (2) of one element, by its modes.
static void add_modes(const Work* w, int64_t t, double factor) {
  const CpsSolidElastic* s = w->s;
  CpsMat3 F = cps_solid_deformation(s, w->x, t), block[10] = {0};
  CpsSolidModes modes;
  cps_solid_modes(&s->matter[s->region[t]], &F, w->kind, &modes);
  for (int i = 0; i < 9; ++i) {
    CpsVec3 d[4];
    for (int a = 0; a < 4; ++a) d[a] = cps_mat3_apply(modes.D[i], s->mesh.gradient[4 * t + a]);
    for (int a = 0, k = 0; a < 4; ++a) {
      for (int b = 0; b <= a; ++b, ++k) {
        block[k] = cps_mat3_axpy(block[k], modes.value[i], cps_mat3_outer(d[a], d[b]));
      }
    }
  }
  for (int k = 0; k < 10; ++k) {
    cps_block_add(w->value + 9 * (int64_t)s->block[10 * t + k], factor, &block[k], (s->turned[t] >> k & 1) != 0);
  }
}

static void fill_lane(const Work* w, int64_t t, CpsSolidFour* four, int lane) {
  const CpsSolidElastic* s = w->s;
  const int32_t* n = s->mesh.tetrahedron + 4 * t;
  for (int a = 0; a < 3; ++a) {
    const CpsVec3 e = cps_vec3_sub(w->x[n[a + 1]], w->x[n[0]]), g = s->mesh.gradient[4 * t + a + 1];
    four->edge[a][0][lane] = e.x, four->edge[a][1][lane] = e.y, four->edge[a][2][lane] = e.z;
    four->gradient[a][0][lane] = g.x, four->gradient[a][1][lane] = g.y, four->gradient[a][2][lane] = g.z;
  }
  four->matter[lane] = &s->matter[s->region[t]];
}

static void add_lane(const Work* w, int64_t t, double factor, double block[10][9][4], int lane) {
  const CpsSolidElastic* s = w->s;
  for (int k = 0; k < 10; ++k) {
    double* to = w->value + 9 * (int64_t)s->block[10 * t + k];
    if (s->turned[t] >> k & 1) {
      for (int i = 0; i < 9; ++i) to[i] += factor * block[k][i % 3 * 3 + i / 3][lane];
    } else {
      for (int i = 0; i < 9; ++i) to[i] += factor * block[k][i][lane];
    }
  }
}

static void do_matrices(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* w = data;
  const CpsSolidElastic* s = w->s;
  const bool framed = w->kind != CPS_HESSIAN_EXACT || s->framed;
  CpsSolidFour four;
  _Alignas(32) double block[10][9][4];
  for (int64_t q = first; q < last; q += 4) {
    bool good[4];
    // lanes without an element repeat the last one
    for (int l = 0; l < 4; ++l) fill_lane(w, w->order[q + l < last ? q + l : last - 1], &four, l);
    cps_solid_four(&four, w->kind, framed, good, block);
    for (int l = 0; l < 4 && q + l < last; ++l) {
      const int64_t t = w->order[q + l];
      const double factor = w->scale * s->mesh.volume[t] * (w->damping ? four.matter[l]->damping : 1.0);
      if (factor == 0.0) continue;
      if (good[l]) {
        add_lane(w, t, factor, block, l);
      } else {
        add_modes(w, t, factor);
      }
    }
  }
}

void cps_solid_hessian(const CpsSolidElastic* s, CpsPool* pool, const CpsVec3* x, CpsHessianKind kind, double scale,
                       bool damping, double* value) {
  Work w = {.s = s, .x = x, .kind = kind, .scale = scale, .damping = damping, .value = value};
  for (int32_t c = 0; c < s->colours.count; ++c) {
    w.order = s->colours.order + s->colours.start[c];
    cps_pool_run(pool, s->colours.start[c + 1] - s->colours.start[c], do_matrices, &w);
  }
}

// c[0] + c[1] t + c[2] t^2 + c[3] t^3
static double cubic(const double c[4], double t) {
  return c[0] + t * (c[1] + t * (c[2] + t * c[3]));
}

// The first root in [0, most] of a cubic with c[0] > 0; `most` if there is none. The cubic is monotone between its extrema.
static double first_root(const double c[4], double most) {
  double end[3] = {most, most, most};
  double disc = c[2] * c[2] - 3.0 * c[1] * c[3];
  if (disc >= 0.0) {
    double q = -(c[2] + copysign(sqrt(disc), c[2]));
    double r[2] = {c[3] != 0.0 ? q / (3.0 * c[3]) : INFINITY, q != 0.0 ? c[1] / q : INFINITY};
    double low = fmin(r[0], r[1]), high = fmax(r[0], r[1]);
    if (low > 0.0 && low < most) end[0] = low;
    if (high > 0.0 && high < most) end[1] = high;
  }
  double from = 0.0;
  for (int i = 0; i < 3; ++i) {
    if (end[i] <= from || cubic(c, end[i]) > 0.0) {
      from = fmax(from, end[i] < most ? end[i] : from);
      continue;
    }
    double to = end[i];
    for (int k = 0; k < BISECTIONS; ++k) {
      double middle = 0.5 * (from + to);
      *(cubic(c, middle) > 0.0 ? &from : &to) = middle;
    }
    return from;
  }
  return most;
}

double cps_solid_step_bound(const CpsSolidElastic* s, const CpsVec3* x, const CpsVec3* dx) {
  double bound = 1.0 / ALMOST;
  for (int64_t t = 0; s->bounded && t < s->mesh.tetrahedron_count; ++t) {
    if (s->matter[s->region[t]].law != CPS_SOLID_NEO_HOOKEAN) continue;
    const int32_t* n = s->mesh.tetrahedron + 4 * t;
    CpsVec3 e[3], d[3];
    double c[4] = {0};
    for (int i = 0; i < 3; ++i) e[i] = cps_vec3_sub(x[n[i + 1]], x[n[0]]), d[i] = cps_vec3_sub(dx[n[i + 1]], dx[n[0]]);
    c[0] = cps_vec3_dot(e[0], cps_vec3_cross(e[1], e[2]));
    c[3] = cps_vec3_dot(d[0], cps_vec3_cross(d[1], d[2]));
    for (int i = 0; i < 3; ++i) {
      int j = (i + 1) % 3, k = (i + 2) % 3;
      c[1] += cps_vec3_dot(d[i], cps_vec3_cross(e[j], e[k]));
      c[2] += cps_vec3_dot(e[i], cps_vec3_cross(d[j], d[k]));
    }
    if (c[0] > 0.0) bound = fmin(bound, first_root(c, bound));
  }
  return fmin(1.0, ALMOST * bound);
}
