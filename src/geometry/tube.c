// The centre line of a tube: a smooth line through the given points.
//
// A ball rolling on the inside of a bent polyline has an impact at every corner and loses the share sin^2(phi) of its energy
// each time, phi the angle of the corner. So if two pieces meet at less than 30 degrees, the line is smoothed: both get the
// same tangent there, and the piece from p to q with length L, direction u and tangents T_0, T_1 becomes the cubic with
// slopes
//
//   s T_0 and s T_1,   s = 2 L / (1 + c),   c = (T_0.u + T_1.u) / 2                                      (1)
//
// The common tangent is that of the parabola through three neighbouring points,
//
//   T ~ L_2 u_1 + L_1 u_2                                                                                (2)
//
// and at an open end the mirror image of the tangent at the other end of the piece. On points of a circle (1) and (2)
// give tangents of the circle and a cubic that deviates by less than 1e-9 of its radius for pieces of 10 degrees (the
// deviation grows with the sixth power of the angle). Corners sharper than 30 degrees remain corners, and straight pieces
// between straight ones remain straight.
#include "geometry/tube.h"

#include <stdlib.h>

static const double smooth_cosine = 0.86602540378443864676;  // of 30 degrees

static CpsVec3 direction(const CpsTubeSpan* s) {
  return cps_vec3_unit(cps_vec3_sub(s->end, s->start));
}

static double length(const CpsTubeSpan* s) {
  return cps_vec3_norm(cps_vec3_sub(s->end, s->start));
}

// The chain of pieces; repeated points are skipped.
static void link_spans(CpsTubeTree* tube, const CpsShape* shape) {
  CpsVec3 last = shape->points[0];
  const int32_t count = shape->point_count + (shape->closed ? 1 : 0);
  for (int32_t i = 1; i < count; i++) {
    const CpsVec3 p = shape->points[i % shape->point_count];
    if (!(cps_vec3_norm(cps_vec3_sub(p, last)) > 0.0)) continue;
    const int32_t k = tube->span_count++;
    tube->span[k] = (CpsTubeSpan){.start = last, .end = p, .before = k - 1, .after = k + 1};
    last = p;
  }
  if (tube->span_count == 0) return;
  tube->span[0].before = shape->closed ? tube->span_count - 1 : -1;
  tube->span[tube->span_count - 1].after = shape->closed ? 0 : -1;
}

// Tangents at the joint of a span and the next one.
static void join(CpsTubeSpan* a, CpsTubeSpan* b) {
  const CpsVec3 u = direction(a), v = direction(b);
  a->tangent[1] = u;
  b->tangent[0] = v;
  if (cps_vec3_dot(u, v) <= smooth_cosine) return;
  const CpsVec3 T = cps_vec3_unit(cps_vec3_axpy(cps_vec3_scale(length(b), u), length(a), v));
  a->tangent[1] = T;
  b->tangent[0] = T;
}

static CpsVec3 mirrored(CpsVec3 tangent, CpsVec3 u) {
  return cps_vec3_axpy(cps_vec3_scale(-1.0, tangent), 2.0 * cps_vec3_dot(tangent, u), u);
}

static void make_cubic(CpsTubeSpan* s) {
  const CpsVec3 d = cps_vec3_sub(s->end, s->start), u = cps_vec3_unit(d);
  const double L = cps_vec3_norm(d), c = 0.5 * cps_vec3_dot(cps_vec3_add(s->tangent[0], s->tangent[1]), u);
  const double size = 2.0 * L / (1.0 + c);  // (1)
  const CpsVec3 first = cps_vec3_scale(size, s->tangent[0]), last = cps_vec3_scale(size, s->tangent[1]);
  s->straight = 1.0 - c < 1e-12;
  s->slope = s->straight ? d : first;
  s->square = s->cube = cps_vec3(0.0, 0.0, 0.0);
  if (s->straight) return;
  s->square = cps_vec3_sub(cps_vec3_axpy(cps_vec3_scale(3.0, d), -2.0, first), last);
  s->cube = cps_vec3_axpy(cps_vec3_add(first, last), -2.0, d);
}

static void make_smooth(CpsTubeTree* tube) {
  for (int32_t i = 0; i < tube->span_count; i++) {
    CpsTubeSpan* s = &tube->span[i];
    if (s->after >= 0) join(s, &tube->span[s->after]);
  }
  CpsTubeSpan *first = &tube->span[0], *last = &tube->span[tube->span_count - 1];
  if (first == last && first->after < 0) {
    first->tangent[0] = first->tangent[1] = direction(first);
  } else {
    if (first->before < 0) first->tangent[0] = mirrored(first->tangent[1], direction(first));
    if (last->after < 0) last->tangent[1] = mirrored(last->tangent[0], direction(last));
  }
  for (int32_t i = 0; i < tube->span_count; i++) make_cubic(&tube->span[i]);
}

// The box of the four control points contains a cubic.
static CpsAabb span_box(const CpsTubeSpan* s) {
  const CpsVec3 a = cps_vec3_axpy(s->start, 1.0 / 3.0, s->slope);
  const CpsVec3 b = cps_vec3_axpy(s->end, -1.0 / 3.0, cps_tube_slope(s, 1.0));
  return cps_aabb_union(cps_aabb_union((CpsAabb){s->start, s->start}, (CpsAabb){s->end, s->end}),
                        cps_aabb_union((CpsAabb){a, a}, (CpsAabb){b, b}));
}

static bool build_tree(CpsTubeTree* tube) {
  if (tube->span_count == 0) return true;
  CpsAabb* boxes = calloc((size_t)tube->span_count, sizeof *boxes);
  if (boxes == NULL) return false;
  for (int32_t i = 0; i < tube->span_count; i++) boxes[i] = span_box(&tube->span[i]);
  const bool built = cps_bvh_build(&tube->tree, boxes, tube->span_count);
  free(boxes);
  return built;
}

CpsStatus cps_tube_create(const CpsShape* shape, CpsTubeTree** out) {
  CpsTubeTree* tube = calloc(1, sizeof *tube);
  if (tube == NULL) return CPS_NO_MEMORY;
  tube->span = calloc((size_t)shape->point_count, sizeof *tube->span);
  if (tube->span != NULL) {
    link_spans(tube, shape);
    if (tube->span_count > 0) make_smooth(tube);
  }
  if (tube->span == NULL || !build_tree(tube)) {
    cps_tube_destroy(tube);
    return CPS_NO_MEMORY;
  }
  *out = tube;
  return CPS_OK;
}

void cps_tube_destroy(CpsTubeTree* tube) {
  if (tube == NULL) return;
  free(tube->span);
  cps_bvh_free(&tube->tree);
  free(tube);
}
