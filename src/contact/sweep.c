// Contacts that are only possible must not push.
//
// A touch with normal n and an open gap g bounds the step by a plane, g + n.d >= 0, with d the relative way of its two
// points. At the beginning of a long step n may be far from the normal of the place where the shapes meet, if they meet at
// all: a ball that flies past a box crosses the plane of the nearest corner and would be thrown aside. So the two are
// followed on the way that they take without impulses, x(t) for t in [0, 1] of the step, and the plane is taken from there.
//
// For convex shapes that move without turning the distance g(t) is a convex function with the slope n(t).d. Newton's method
//
//   t <- t - g(t) / (n(t).d)                                                                                        (1)
//
// climbs to the first contact from below and never jumps over it. If there is none it gets to the far side of the nearest
// approach, where the slope is positive; between the two sides there is a plane with
//
//   g(t) - t n.d >= 0   and   g(t) + (1 - t) n.d >= 0,                                                              (2)
//
// which separates them from the beginning to the end (where g > 0 it is differentiable, so n.d passes through zero), and
// halving finds it. It stays in the problem: what other contacts do may still drive the two together. Turning is followed,
// too; (1) may then jump too far, and the halving takes it back.
//
// A node of a surface that slides over a round shape leaves it a little in each step, since it moves along a plane:
//
//   k = g(x + d_T) - g,   d_T the part of d across the normal.                                                      (3)
//
// A gap that is no larger comes from sliding, and the plane of the beginning stays. It throws nothing aside, and the plane
// of (1) is a bad one there: where nothing presses the node onto the shape, its free motion grazes it, and the time of the first
// contact is nearly a double root. Rounding errors in the position of a row of cloth that leaves a cylinder then became
// ten times as large in every step.
//
// A mesh or a tube has many features, each with a normal cone (geometry/mesh_collide.c). Each touch that would push is
// followed by (1) alone, from its feature to the one that takes over where it is the nearest no more, and is dropped
// if the shape gets away from them.
//
// Closed touches stay, but shapes that turn touch elsewhere at the end of the step than at its beginning. Forces act over the
// whole step, so the arms are those of its middle, where the free motion has them; what sticks must do so at the end, where
// with the arms c + dc the relative way is
//
//   d + lead,   lead = turn_A x dc_A + later_A x c_A - turn_B x dc_B - later_B x c_B,                               (4)
//
// dc the change of an arm in half a step, and `later` what a free turn adds to the spin in that time.
//
// Without this a top that rolls rises or falls in proportion to the step, and an inversion comes from nothing. It is for round
// shapes, whose touches wander over them: a corner that is fixed to its shape slides in the direction that it has in the
// middle, not at the end. And it is for flat ground, where the normal stays: with the normal of the beginning and an arm of
// the middle the spin of a ball that rolls on a ball would push along the normal, and with both of the middle the plane would
// no longer bound the gap from below.
//
// A touch from the way keeps the arms that its points have about the centres when they meet; point_a - point_b then also
// has a part across the normal.
#include "contact/sweep.h"

#include "geometry/pairs.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 32 };                // of (1) and of halving
static const double ACROSS = 1e-3;   // least way across the normal that is followed, in smaller inner radii
static const double CLOSED = 1e-10;  // gap at which (1) has converged, relative to the smaller outer radius

static const double SLIDING = 2.0;       // gap of a sliding node, relative to (3)
static const double SMOOTH = 0.995;      // minimum cosine of the angle by which its normal turns along the path
static const double TURN = 1e-3;         // rad per step above which arms are taken at mid-step
static const double SAME = 1.0 - 1e-12;  // cosine of normals that are the same

typedef struct Sweep {
  const CpsCollider *a, *b;
  double margin, fine;
  CpsTouch found[CPS_TOUCH_MAX];  // at the time last evaluated
} Sweep;

static CpsPose pose_at(const CpsCollider* c, double t) {
  CpsQuat turn = cps_quat_exp(cps_vec3_scale(t, c->turn));
  CpsVec3 arm = cps_vec3_sub(c->pose.position, c->centre), centre = cps_vec3_axpy(c->centre, t, c->way);
  return (CpsPose){cps_vec3_add(centre, cps_quat_rotate(turn, arm)), cps_quat_multiply(turn, c->pose.rotation)};
}

// The displacement, over a whole step, of the material point at x at the time t.
static CpsVec3 way_of(const CpsCollider* c, double t, CpsVec3 x) {
  CpsVec3 arm = cps_vec3_sub(x, cps_vec3_axpy(c->centre, t, c->way));
  return cps_vec3_add(c->way, cps_vec3_cross(c->turn, arm));
}

// Rate of the gap, n.d, over a whole step.
static double slope_of(const Sweep* s, double t, const CpsTouch* touch) {
  CpsVec3 d = cps_vec3_sub(way_of(s->a, t, touch->point_a), way_of(s->b, t, touch->point_b));
  return cps_vec3_dot(touch->normal, d);
}

static int collide_at(Sweep* s, double t) {
  CpsPose a = pose_at(s->a, t), b = pose_at(s->b, t);
  return cps_collide(s->a->geom, &a, s->b->geom, &b, s->margin, s->found);
}

// A touch of the time t, moved back to the beginning of the step; its arms are about the centres at t.
static CpsTouch take_back(const Sweep* s, double t, const CpsTouch* touch) {
  CpsTouch back = *touch;
  back.point_a = cps_vec3_axpy(touch->point_a, -t, s->a->way);
  back.point_b = cps_vec3_axpy(touch->point_b, -t, s->b->way);
  back.gap = touch->gap - t * slope_of(s, t, touch);
  return back;
}

// Whether the plane of an initial touch pushes against the free motion, which is not head-on.
static bool pushes(const Sweep* s, const CpsTouch* touch) {
  if (touch->gap <= s->fine || touch->gap + slope_of(s, 0.0, touch) >= 0.0) return false;
  CpsVec3 d = cps_vec3_sub(way_of(s->a, 0.0, touch->point_a), way_of(s->b, 0.0, touch->point_b));
  CpsVec3 of_centres = cps_vec3_sub(s->a->way, s->b->way);
  double across =
      fmax(cps_vec3_norm(cps_vec3_cross(touch->normal, d)), cps_vec3_norm(cps_vec3_cross(touch->normal, of_centres)));
  const double inner = s->b->geom->inner_radius;
  return across > ACROSS * fmin(s->a->geom->inner_radius, inner > 0.0 ? inner : INFINITY);
}

static double closed(const Sweep* s) {
  return CLOSED * fmin(s->a->geom->outer_radius, s->b->geom->outer_radius);
}

static const CpsTouch* nearest(const CpsTouch* touches, int count) {
  const CpsTouch* near = &touches[0];
  for (int i = 1; i < count; ++i) {
    if (touches[i].gap < near->gap) near = &touches[i];
  }
  return near;
}

// The touches of the time t that bound the motion from its beginning. Planes that the shapes approach from behind are dropped.
static int take_all_back(Sweep* s, double t, int found, CpsTouch* touches) {
  int kept = 0;
  for (int i = 0; i < found; ++i) {
    CpsTouch back = take_back(s, t, &s->found[i]);
    if (back.gap >= 0.0) touches[kept++] = back;
  }
  return kept;
}

// Whether the gap of a node results from sliding, (3). Only the relative motion matters, so one shape takes all of it.
static bool slides(Sweep* s, const CpsTouch* touch) {
  if (!s->a->node && !s->b->node) return false;
  const CpsVec3 n = touch->normal;
  const CpsVec3 d = cps_vec3_sub(way_of(s->a, 0.0, touch->point_a), way_of(s->b, 0.0, touch->point_b));
  CpsPose moved = s->a->pose;
  moved.position = cps_vec3_axpy(cps_vec3_add(moved.position, d), -cps_vec3_dot(n, d), n);
  const int count = cps_collide(s->a->geom, &moved, s->b->geom, &s->b->pose, s->margin, s->found);
  const CpsTouch* then = count > 0 ? nearest(s->found, count) : NULL;
  return then && cps_vec3_dot(then->normal, n) >= SMOOTH && touch->gap <= SLIDING * (then->gap - touch->gap);
}

// Two convex shapes: (1) and (2). If neither converges in all rounds, the last plane in front of the shapes is taken.
static int sweep_convex(Sweep* s, CpsTouch* touches, int count) {
  const CpsTouch* near = nearest(touches, count);
  double low = 0.0, high = INFINITY, g = near->gap, slope = slope_of(s, 0.0, near);
  for (int round = 0; round < ROUNDS && g > closed(s); ++round) {
    double t = isfinite(high) ? 0.5 * (low + high) : low - g / slope;
    if (!(t < 1.0)) break;
    int found = collide_at(s, t);
    near = found > 0 ? nearest(s->found, found) : NULL;
    double rise = near ? slope_of(s, t, near) : INFINITY;
    if (near && near->gap - t * rise >= 0.0 && near->gap + (1.0 - t) * rise >= 0.0) {  // (2)
      return take_all_back(s, t, found, touches);
    }
    // a turning shape may have gone too far, into the other or past it
    if (rise < 0.0 && near->gap >= -closed(s)) {
      low = t, g = near->gap, slope = rise;
    } else {
      high = t;
    }
  }
  return low > 0.0 ? take_all_back(s, low, collide_at(s, low), touches) : count;
}

static const CpsTouch* with_feature(const CpsTouch* touches, int count, uint32_t feature) {
  for (int i = 0; i < count; ++i) {
    if (touches[i].feature == feature) return &touches[i];
  }
  return NULL;
}

// The feature that takes over: the nearest one that was not found at the beginning.
static const CpsTouch* successor(const Sweep* s, int found, const CpsTouch* then, int count) {
  const CpsTouch* near = NULL;
  for (int i = 0; i < found; ++i) {
    if (with_feature(then, count, s->found[i].feature)) continue;
    if (!near || s->found[i].gap < near->gap) near = &s->found[i];
  }
  return near;
}

// Follows a touch of a surface that pushes, (1), from feature to feature until one is reached; `then`: all touches of
// the beginning. False if none is reached.
static bool sweep_feature(Sweep* s, const CpsTouch* then, int count, CpsTouch* touch) {
  double t = 0.0;
  CpsTouch at = *touch;
  for (int round = 0; round < ROUNDS; ++round) {
    double slope = slope_of(s, t, &at);
    if (at.gap <= closed(s) && t > 0.0) break;
    if (slope >= 0.0) return false;
    if (t - at.gap / slope >= 1.0) break;
    t -= at.gap / slope;
    int found = collide_at(s, t);
    const CpsTouch* now = with_feature(s->found, found, at.feature);
    if (!now) now = successor(s, found, then, count);
    if (!now) return false;
    at = *now;
  }
  at = take_back(s, t, &at);
  if (at.gap >= 0.0) *touch = at;
  return true;
}

// Ascending features, as from cps_collide(); of duplicates, the first.
static int put(CpsTouch* touches, int count, const CpsTouch* touch) {
  if (with_feature(touches, count, touch->feature)) return count;
  int place = count;
  for (; place > 0 && touches[place - 1].feature > touch->feature; --place) touches[place] = touches[place - 1];
  touches[place] = *touch;
  return count + 1;
}

static int sweep_surface(Sweep* s, CpsTouch* touches, int count) {
  CpsTouch then[CPS_TOUCH_MAX];
  int kept = 0;
  memcpy(then, touches, (size_t)count * sizeof *touches);
  for (int i = 0; i < count; ++i) {
    if (!pushes(s, &then[i])) kept = put(touches, kept, &then[i]);
  }
  for (int i = 0; i < count; ++i) {
    CpsTouch touch = then[i];
    if (pushes(s, &touch) && sweep_feature(s, then, count, &touch)) kept = put(touches, kept, &touch);
  }
  return kept;
}

// Whether a ball or capsule rolls on an object that does not move by itself.
static bool rolls(const Sweep* s) {
  CpsShapeKind kind = s->a->geom->kind;
  bool round = kind == CPS_SHAPE_SPHERE || kind == CPS_SHAPE_CAPSULE;
  bool driven = s->b->owner < 0 && (cps_vec3_norm(s->b->way) > 0.0 || cps_vec3_norm(s->b->turn) > 0.0);
  return round && !driven && fmax(cps_vec3_norm(s->a->turn), cps_vec3_norm(s->b->turn)) >= TURN;
}

// Closed touches of rolling objects get their arms at mid-step, (4).
static void move_to_middle(Sweep* s, CpsTouch* touches, CpsVec3* lead, int count) {
  int found = -1;
  if (!rolls(s)) return;
  for (int i = 0; i < count; ++i) {
    CpsTouch* touch = &touches[i];
    if (fabs(touch->gap) > s->fine) continue;
    if (found < 0) found = collide_at(s, 0.5);
    const CpsTouch* then = with_feature(s->found, found, touch->feature);
    if (!then || cps_vec3_dot(then->normal, touch->normal) < SAME) continue;
    const CpsTouch middle = take_back(s, 0.5, then);
    CpsVec3 a = cps_vec3_sub(middle.point_a, touch->point_a), b = cps_vec3_sub(middle.point_b, touch->point_b);
    lead[i] = cps_vec3_sub(cps_vec3_cross(s->a->turn, a), cps_vec3_cross(s->b->turn, b));
    a = cps_vec3_cross(s->a->later, cps_vec3_sub(middle.point_a, s->a->centre));
    b = cps_vec3_cross(s->b->later, cps_vec3_sub(middle.point_b, s->b->centre));
    lead[i] = cps_vec3_add(lead[i], cps_vec3_sub(a, b));
    touch->point_a = middle.point_a;
    touch->point_b = middle.point_b;
  }
}

int cps_sweep(const CpsCollider* a, const CpsCollider* b, double margin, double fine, CpsTouch* touches, CpsVec3* lead,
              int count) {
  CpsShapeKind kind = b->geom->kind;
  Sweep s;  // the touches are filled in where needed: they are larger than the rest of the struct
  bool any = false, touching = false;
  s.a = a, s.b = b, s.margin = margin, s.fine = fine;
  for (int i = 0; i < count; ++i) {
    any = any || (kind != CPS_SHAPE_PLANE && pushes(&s, &touches[i]));
    touching = touching || touches[i].gap <= fine;
  }
  const bool cloud = kind == CPS_SHAPE_POINTS || a->geom->kind == CPS_SHAPE_POINTS;
  if (any && (kind == CPS_SHAPE_MESH || kind == CPS_SHAPE_TUBE || cloud)) {
    count = sweep_surface(&s, touches, count);
  } else if (any && !touching && !slides(&s, nearest(touches, count))) {
    count = sweep_convex(&s, touches, count);
  }
  for (int i = 0; i < count; ++i) lead[i] = (CpsVec3){0.0, 0.0, 0.0};
  if (!any) move_to_middle(&s, touches, lead, count);
  return count;
}
