// A convex body on a tube.
//
// A ball with centre x touches at each local minimum of its distance to the centre line c(t), that is where
//
//   g(t) = (c(t) - x).c'(t)   goes from negative to not negative.                                        (1)
//
// Each span is examined in four parts; Newton's method with a bracket finds the roots of (1). At a smooth joint g has
// the same sign on both sides, computed from the same numbers, so exactly one span has the root and a rolling ball
// touches in exactly one point. At corners and open ends the line ends in balls: g < 0 before the joint and g >= 0 after
// it makes the joint itself a minimum.
//
// Other bodies touch chords of the line, one per straight span and four per bent one, treated as capsules; a touch at
// the end of a chord is left to the next chord if that is nearer,  n.u > 0  with u its direction away from the joint.
#include "geometry/pairs.h"
#include "geometry/segment.h"
#include "geometry/touches.h"
#include "geometry/tube.h"

enum { PARTS = CPS_TUBE_CHORDS, AT_START = 4, AT_END = 5, SPAN_FEATURES = 8, NEWTON_MOST = 60 };

typedef struct Query {
  const CpsTubeTree* tube;
  double radius;  // of the tube
  CpsConvex a;    // in the frame of the tube
  CpsTouches touches;
} Query;

static double g_at(const CpsTubeSpan* s, CpsVec3 x, int part) {
  // uses the ends common to both spans of a joint
  if (part == 0) return cps_vec3_dot(cps_vec3_sub(s->start, x), s->tangent[0]);
  if (part == PARTS) return cps_vec3_dot(cps_vec3_sub(s->end, x), s->tangent[1]);
  const double t = (double)part / PARTS;
  return cps_vec3_dot(cps_vec3_sub(cps_tube_point(s, t), x), cps_tube_slope(s, t));
}

static double root(const CpsTubeSpan* s, CpsVec3 x, double low, double high) {
  double t = 0.5 * (low + high);
  for (int i = 0; i < NEWTON_MOST && high - low > 0.0; i++) {
    const CpsVec3 d = cps_vec3_sub(cps_tube_point(s, t), x), slope = cps_tube_slope(s, t);
    const double g = cps_vec3_dot(d, slope);
    const double derivative = cps_vec3_dot(slope, slope) + cps_vec3_dot(d, cps_tube_bend(s, t));
    if (g < 0.0) {
      low = t;
    } else {
      high = t;
    }
    const double newton = t - g / derivative;
    const double next = derivative > 0.0 && newton >= low && newton <= high ? newton : 0.5 * (low + high);
    if (fabs(next - t) <= 1e-16) break;
    t = next;
  }
  return t;
}

static void add_ball(Query* query, const CpsTubeSpan* s, CpsVec3 x, CpsVec3 point, uint32_t feature) {
  // if the centre lies on the line, any perpendicular direction leads out
  const CpsMat3 frame = cps_mat3_frame(s->tangent[0], cps_vec3(0.0, 0.0, 1.0));
  const CpsVec3 fallback = cps_vec3(frame.m[3], frame.m[4], frame.m[5]);
  const CpsTouch touch = cps_ball_touch(x, query->a.geom->radius, point, query->radius, fallback, feature);
  cps_touches_add(&query->touches, &touch);
}

static void ball_on_span(Query* query, int32_t index) {
  const CpsTubeSpan* s = &query->tube->span[index];
  const CpsVec3 x = query->a.pose.position;
  const uint32_t feature = SPAN_FEATURES * (uint32_t)index;
  double g = g_at(s, x, 0);
  const CpsTubeSpan* before = s->before >= 0 ? &query->tube->span[s->before] : NULL;
  if (g >= 0.0 && (before == NULL || g_at(before, x, PARTS) < 0.0)) {
    add_ball(query, s, x, s->start, feature + AT_START);
  }
  for (int part = 0; part < PARTS; part++) {
    const double next = g_at(s, x, part + 1);
    if (g < 0.0 && next >= 0.0) {
      const double t = root(s, x, (double)part / PARTS, (double)(part + 1) / PARTS);
      add_ball(query, s, x, cps_tube_point(s, t), feature + (uint32_t)part);
    }
    g = next;
  }
  if (g < 0.0 && s->after < 0) add_ball(query, s, x, s->end, feature + AT_END);
}

static CpsVec3 chord_direction(const CpsTubeSpan* s, int part) {
  return cps_vec3_unit(cps_vec3_sub(cps_tube_chord(s, part + 1), cps_tube_chord(s, part)));
}

// Direction of the chord before (`side` 0) or after (1) the given one; false at an open end.
static bool next_direction(const CpsTubeTree* tube, const CpsTubeSpan* s, int part, int side, CpsVec3* u) {
  const CpsTubeSpan* other = s;
  int k = side == 0 ? part - 1 : part + 1;
  if (k < 0) {
    if (s->before < 0) return false;
    other = &tube->span[s->before];
    k = cps_tube_chords(other) - 1;
  } else if (k == cps_tube_chords(s)) {
    if (s->after < 0) return false;
    other = &tube->span[s->after];
    k = 0;
  }
  *u = chord_direction(other, k);
  return true;
}

// A touch at the end of a chord whose neighbour is nearer belongs to the neighbour.
static bool belongs_to_chord(const CpsTubeTree* tube, const CpsTubeSpan* s, int part, const CpsTouch* touch,
                             double radius) {
  const CpsVec3 start = cps_tube_chord(s, part), along = cps_vec3_sub(cps_tube_chord(s, part + 1), start);
  const CpsVec3 foot = cps_vec3_axpy(touch->point_b, -radius, touch->normal);
  const double t = cps_segment_closest(start, along, foot);
  if (t > 1e-9 && t < 1.0 - 1e-9) return true;
  const int side = t > 0.5 ? 1 : 0;
  CpsVec3 u;
  if (!next_direction(tube, s, part, side, &u)) return true;
  return cps_vec3_dot(touch->normal, u) * (side == 1 ? 1.0 : -1.0) <= 1e-6;
}

static void body_on_chord(Query* query, int32_t index, int part) {
  const CpsTubeSpan* s = &query->tube->span[index];
  const CpsVec3 p = cps_tube_chord(s, part), q = cps_tube_chord(s, part + 1), d = cps_vec3_sub(q, p);
  const double h = 0.5 * cps_vec3_norm(d), r = query->radius;
  const CpsGeom capsule = {.kind = CPS_SHAPE_CAPSULE,
                           .radius = r,
                           .half_length = h,
                           .bounds = {{-r, -r, -h - r}, {r, r, h + r}},
                           .inner_radius = r,
                           .outer_radius = h + r};
  const CpsPose pose = {cps_vec3_scale(0.5, cps_vec3_add(p, q)), cps_quat_z_to(cps_vec3_unit(d))};
  CpsConvex b;
  cps_place(&capsule, &pose, &b);
  CpsTouch touch[CPS_TOUCH_PAIR_MAX];
  const int count = cps_collide_placed(&query->a, &b, query->touches.margin, touch);
  for (int i = 0; i < count; i++) {
    if (!belongs_to_chord(query->tube, s, part, &touch[i], r)) continue;
    touch[i].feature = cps_touch_feature((uint32_t)part, touch[i].feature, (uint32_t)index);
    cps_touches_add(&query->touches, &touch[i]);
  }
}

static bool chord_near(const CpsTubeSpan* s, int part, const CpsAabb* box) {
  const CpsVec3 p = cps_tube_chord(s, part), q = cps_tube_chord(s, part + 1);
  const CpsAabb chord = cps_aabb_union((CpsAabb){p, p}, (CpsAabb){q, q});
  return cps_aabb_overlap(&chord, box);
}

int cps_tube_collide(const CpsConvex* a, const CpsConvex* b, double margin, CpsTouch* out) {
  const CpsTubeTree* tube = b->geom->tube;
  if (tube->span_count == 0) return 0;
  const CpsQuat back = cps_quat_conjugate(b->pose.rotation);
  const CpsPose pose = {cps_pose_apply_back(b->pose, a->pose.position), cps_quat_multiply(back, a->pose.rotation)};
  Query query = {.tube = tube, .radius = b->geom->radius, .touches = {.out = out, .margin = margin}};
  query.touches.same_place = 1e-6 * fmin(a->geom->outer_radius, query.radius);
  cps_place(a->geom, &pose, &query.a);
  const CpsAabb box = cps_aabb_grow(cps_geom_bounds(a->geom, &pose), margin + query.radius);
  CpsBvhWalk walk = cps_bvh_walk(&tube->tree, &box);
  for (const CpsBvhNode* leaf; (leaf = cps_bvh_next(&walk)) != NULL;) {
    for (int32_t i = 0; i < leaf->count; i++) {
      const int32_t index = tube->tree.order[leaf->first + i];
      if (a->geom->kind == CPS_SHAPE_SPHERE) {
        ball_on_span(&query, index);
        continue;
      }
      for (int part = 0; part < cps_tube_chords(&tube->span[index]); part++) {
        if (chord_near(&tube->span[index], part, &box)) body_on_chord(&query, index, part);
      }
    }
  }
  return cps_touches_finish(&query.touches, &b->pose);
}
