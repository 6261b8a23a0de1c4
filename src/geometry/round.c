// Spheres and capsules with each other: thick points and thick segments.
//
// The nearest points of the two axes, p_a and p_b, give
//
//   n = (p_a - p_b) / ||p_a - p_b||,   gap = ||p_a - p_b|| - r_a - r_b                                   (1)
//
// Two capsules side by side touch along a line. They get a touch at each end of the common part, each with its own
// exact gap (1), and a third one at the nearest points of the axes if these are closer than both ends by more than a
// millionth of the radii. Each touch is a valid bound on the motion, so their number may change between steps without a
// jolt: a touch that appears or vanishes has a positive gap.
//
// Features: 0 and 1 the ends of a, 2 and 3 the ends of b, 4 the nearest points.
#include "geometry/pairs.h"
#include "geometry/segment.h"

enum { END_OF_A = 0, END_OF_B = 2, NEAREST = 4 };

// Axes within 30 degrees count as side by side: sin^2. A rod can tip over about a single touch within a step, so the
// ends count long before the axes are parallel; those beyond the margin cost nothing.
static const double parallel = 0.25;
static const double same_gap = 1e-6;
// Centres closer than this share of the radii have no direction between them.
static const double coincident = 1e-12;

CpsTouch cps_ball_touch(CpsVec3 centre_a, double radius_a, CpsVec3 centre_b, double radius_b, CpsVec3 fallback,
                        uint32_t feature) {
  const CpsVec3 d = cps_vec3_sub(centre_a, centre_b);
  const double distance = cps_vec3_norm(d);
  const CpsVec3 n = distance > coincident * (radius_a + radius_b) ? cps_vec3_scale(1.0 / distance, d) : fallback;
  return (CpsTouch){.point_a = cps_vec3_axpy(centre_a, -radius_a, n),
                    .point_b = cps_vec3_axpy(centre_b, radius_b, n),
                    .normal = n,
                    .gap = distance - radius_a - radius_b,
                    .feature = feature};
}

CpsLine cps_line_of(const CpsConvex* a) {
  const double h = a->geom->kind == CPS_SHAPE_CAPSULE ? a->geom->half_length : 0.0;
  const CpsVec3 axis = cps_place_axis(a);
  return (CpsLine){cps_vec3_axpy(a->pose.position, -h, axis), cps_vec3_scale(2.0 * h, axis), a->geom->radius};
}

static CpsVec3 at(const CpsLine* line, double t) {
  return cps_vec3_axpy(line->start, t, line->along);
}

static CpsTouch touch_at(const CpsLine* a, const CpsLine* b, double s, double t, uint32_t feature) {
  // If the axes cross, any common perpendicular separates them; crossed axes have exactly one.
  CpsVec3 fallback = cps_vec3_unit(cps_vec3_cross(a->along, b->along));
  if (!(cps_vec3_norm(fallback) > 0.5)) {
    const CpsVec3 longest = cps_vec3_norm(a->along) > 0.0 ? a->along : b->along;
    const CpsMat3 frame = cps_mat3_frame(cps_vec3(0.0, 0.0, 1.0), longest);
    fallback = cps_vec3_norm(longest) > 0.0 ? cps_vec3(frame.m[6], frame.m[7], frame.m[8]) : cps_vec3(0.0, 0.0, 1.0);
  }
  return cps_ball_touch(at(a, s), a->radius, at(b, t), b->radius, fallback, feature);
}

// The part of a beside b, as parameters of a; if an end of b bounds it, the feature says so.
static bool common_part(const CpsLine* a, const CpsLine* b, double s[2], uint32_t feature[2]) {
  const double dd = cps_vec3_dot(a->along, a->along);
  const double first = cps_vec3_dot(a->along, cps_vec3_sub(b->start, a->start)) / dd;
  const double last = first + cps_vec3_dot(a->along, b->along) / dd;
  const bool same = last > first;
  const double low = same ? first : last, high = same ? last : first;
  s[0] = low > 0.0 ? low : 0.0;
  s[1] = high < 1.0 ? high : 1.0;
  feature[0] = low > 0.0 ? (same ? END_OF_B : END_OF_B + 1) : END_OF_A;
  feature[1] = high < 1.0 ? (same ? END_OF_B + 1 : END_OF_B) : END_OF_A + 1;
  return s[1] > s[0];
}

static CpsTouch end_touch(const CpsLine* a, const CpsLine* b, double s, uint32_t feature) {
  if (feature < END_OF_B) return touch_at(a, b, s, cps_segment_closest(b->start, b->along, at(a, s)), feature);
  const double t = feature == END_OF_B ? 0.0 : 1.0;
  return touch_at(a, b, cps_segment_closest(a->start, a->along, at(b, t)), t, feature);
}

int cps_lines_collide(const CpsLine* a, const CpsLine* b, double margin, CpsTouch* out) {
  double s, t;
  cps_segment_segment(a->start, a->along, b->start, b->along, &s, &t);
  const CpsTouch nearest = touch_at(a, b, s, t, NEAREST);
  if (!(nearest.gap <= margin)) return 0;
  const CpsVec3 cross = cps_vec3_cross(a->along, b->along);
  const double dd = cps_vec3_dot(a->along, a->along), ee = cps_vec3_dot(b->along, b->along);
  double ends[2];
  uint32_t feature[2];
  int count = 0;
  bool as_near = false;
  if (dd > 0.0 && ee > 0.0 && cps_vec3_dot(cross, cross) <= parallel * dd * ee && common_part(a, b, ends, feature)) {
    CpsTouch touch[2] = {end_touch(a, b, ends[0], feature[0]), end_touch(a, b, ends[1], feature[1])};
    const int first = feature[0] < feature[1] ? 0 : 1;
    for (int k = 0; k < 2; k++) {
      const CpsTouch* end = &touch[k == 0 ? first : 1 - first];
      if (!(end->gap <= margin)) continue;
      out[count++] = *end;
      as_near = as_near || end->gap <= nearest.gap + same_gap * (a->radius + b->radius);
    }
  }
  if (!as_near) out[count++] = nearest;
  return count;
}

int cps_round_collide(const CpsConvex* a, const CpsConvex* b, double margin, CpsTouch* out) {
  if (a->geom->kind == CPS_SHAPE_SPHERE && b->geom->kind == CPS_SHAPE_SPHERE) {
    const CpsVec3 d = cps_vec3_sub(a->pose.position, b->pose.position);
    const double reach = a->geom->radius + b->geom->radius + margin;
    if (!(cps_vec3_dot(d, d) <= reach * reach)) return 0;
    *out = cps_ball_touch(a->pose.position, a->geom->radius, b->pose.position, b->geom->radius, cps_vec3(0.0, 0.0, 1.0),
                          NEAREST);
    return 1;
  }
  const CpsLine line_a = cps_line_of(a), line_b = cps_line_of(b);
  return cps_lines_collide(&line_a, &line_b, margin, out);
}
