// Quadratic drag per triangle. With u the mean velocity relative to the air, u_n and u_t its components normal and tangential to
// the triangle, and a the current area,
//
//   f = -rho a/2 (c_n |u_n| u_n + c_t |u_t| u_t),    a third at each corner                                         (1)
//   -df/du = rho a/2 (2 c_n |u_n| n n^T + c_t (|u_t| (I - n n^T) + u_t u_t^T/|u_t|)),    a ninth for each pair       (2)
//
// (2) covers the dependence on velocities; the rotation of the force with the triangle is left to the next evaluation.
#include "model/sheet_drag.h"

#include <math.h>

typedef struct Work {
  CpsSheetElastic* s;
  const CpsSheetAir* air;
  const CpsVec3 *x, *v;
  CpsVec3* force;
  double scale;
  const int32_t* order;  // triangles of this colour
  double* value;
} Work;

// A triangle in the air flow.
typedef struct Stream {
  double pressure;  // rho a / 2
  CpsVec3 n, across, along;
} Stream;

static Stream look(const Work* w, int64_t t) {
  const int32_t* c = w->s->mesh.triangle + 3 * t;
  CpsVec3 N = cps_vec3_cross(cps_vec3_sub(w->x[c[1]], w->x[c[0]]), cps_vec3_sub(w->x[c[2]], w->x[c[0]]));
  CpsVec3 mean = cps_vec3_scale(1.0 / 3.0, cps_vec3_add(cps_vec3_add(w->v[c[0]], w->v[c[1]]), w->v[c[2]]));
  CpsVec3 u = cps_vec3_sub(mean, w->air->wind);
  Stream s = {.pressure = 0.25 * w->air->density * cps_vec3_norm(N), .n = cps_vec3_unit(N)};
  s.across = cps_vec3_scale(cps_vec3_dot(u, s.n), s.n);
  s.along = cps_vec3_sub(u, s.across);
  return s;
}

static void do_triangles(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* w = data;
  for (int64_t t = first; t < last; ++t) {
    Stream s = look(w, t);
    double third = -s.pressure / 3.0;
    CpsVec3 f = cps_vec3_scale(third * w->air->across * cps_vec3_norm(s.across), s.across);
    w->s->corner[3 * t] = cps_vec3_axpy(f, third * w->air->along * cps_vec3_norm(s.along), s.along);
  }
}

static void do_nodes(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* w = data;
  const CpsLists* corners = &w->s->node_corners;
  for (int64_t n = first; n < last; ++n) {
    for (int64_t k = corners->start[n]; k < corners->start[n + 1]; ++k) {
      int32_t corner = corners->item[k];
      w->force[n] = cps_vec3_add(w->force[n], w->s->corner[corner - corner % 3]);
    }
  }
}

void cps_sheet_drag(CpsSheetElastic* elastic, CpsPool* pool, const CpsSheetAir* air, const CpsVec3* x, const CpsVec3* v,
                    CpsVec3* force) {
  Work w = {.s = elastic, .air = air, .x = x, .v = v, .force = force};
  cps_pool_run(pool, elastic->mesh.triangle_count, do_triangles, &w);
  cps_pool_run(pool, elastic->mesh.node_count, do_nodes, &w);
}

static void do_blocks(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* w = data;
  for (int64_t i = first; i < last; ++i) {
    int64_t t = w->order[i];
    Stream s = look(w, t);
    double part = w->scale * s.pressure / 9.0, speed = cps_vec3_norm(s.along), along = part * w->air->along;
    CpsMat3 nn = cps_mat3_outer(s.n, s.n);
    CpsMat3 block = cps_mat3_scale(2.0 * part * w->air->across * cps_vec3_norm(s.across) - along * speed, nn);
    block = cps_mat3_axpy(block, along * speed, cps_mat3_identity());
    if (speed > 0.0) block = cps_mat3_axpy(block, along / speed, cps_mat3_outer(s.along, s.along));
    for (int k = 0; k < 6; ++k) {
      double* value = w->value + 9 * (int64_t)w->s->triangle_block[6 * t + k];
      for (int j = 0; j < 9; ++j) value[j] += block.m[j];
    }
  }
}

void cps_sheet_drag_matrix(CpsSheetElastic* elastic, CpsPool* pool, const CpsSheetAir* air, const CpsVec3* x,
                           const CpsVec3* v, double scale, double* value) {
  Work w = {.s = elastic, .air = air, .x = x, .v = v, .scale = scale, .value = value};
  const CpsColours* colours = &elastic->triangle_colours;
  for (int32_t c = 0; c < colours->count; ++c) {
    w.order = colours->order + colours->start[c];
    cps_pool_run(pool, colours->start[c + 1] - colours->start[c], do_blocks, &w);
  }
}
