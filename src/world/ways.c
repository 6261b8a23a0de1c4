// The overlap depth of rigidly moving shapes, with each other and with obstacles, during a step.
//
// Contacts bound displacements to first order, and overlaps are searched for at the beginning and the end of a step only. A shape
// that moves farther in a step than the thickness of both shapes may end up on the other side, without an overlap: two rings of
// thin wire come apart like this. This file therefore samples such pairs during the step. Both shapes rotate at constant rates
// about centres that move along straight lines,
//
//   c(s) = c + s (c+ - c),   Q(s) = exp(s log(Q+ Q^-1)) Q,   0 < s < 1.                                              (1)
//
// Between two samples the shapes approach by at most half of the smaller radius, with at most MOST samples. A shape that passes
// through another overlaps it by more than that radius on the way.
#include "world/world.h"

#include "contact/broad.h"
#include "contact/chain.h"
#include "core/error.h"
#include "geometry/bvh.h"
#include "geometry/collide.h"
#include "geometry/pairs.h"

#include <math.h>

enum { MOST = 128 };
static const double FARTHEST = 2.0;  // in radii of the smaller shape: shorter paths do not pass through
static const double PART = 0.5;      // sampling distance, likewise; deeper overlaps at the beginning are not new

// A piece during the step.
typedef struct Way {
  const CpsGeom* geom;
  CpsPose from;
  CpsVec3 centre, way, turn;  // rotation about the centre, which moves
  double far;                 // largest distance of its points from the centre
} Way;

static bool is_followed(const CpsStep* step, const CpsCollider* c) {
  const CpsGeom* geom = c->geom;
  if (cps_is_line_piece(c) || c->node || geom->kind == CPS_SHAPE_POINTS || !(geom->inner_radius > 0.0)) return false;
  return c->owner < 0 || cps_world_member(step->world, c->owner).model->type->collider_pose;
}

static Way way_of(const CpsStep* step, const CpsCollider* c) {
  const int32_t k = cps_key_piece(c->key);
  CpsPose to;
  if (c->owner >= 0) {
    const CpsMember m = cps_world_member(step->world, c->owner);
    to = m.model->type->collider_pose(m.model, m.index, k);
  } else {
    const CpsObstacle* o = &step->world->obstacles[cps_key_place(c->key)];
    to = cps_pose_multiply(o->next, o->pieces.piece[k].pose);
  }
  const CpsQuat turn = cps_quat_multiply(to.rotation, cps_quat_conjugate(c->pose.rotation));
  const CpsVec3 arm = cps_vec3_sub(c->pose.position, c->centre);
  const CpsVec3 end = cps_vec3_sub(to.position, cps_quat_rotate(turn, arm));
  return (Way){.geom = c->geom,
               .from = c->pose,
               .centre = c->centre,
               .way = cps_vec3_sub(end, c->centre),
               .turn = cps_quat_log(turn),
               .far = cps_vec3_norm(arm) + c->geom->outer_radius};
}

// The pose (1) at s.
static CpsPose pose_at(const Way* w, double s) {
  const CpsQuat turn = cps_quat_exp(cps_vec3_scale(s, w->turn));
  const CpsVec3 arm = cps_quat_rotate(turn, cps_vec3_sub(w->from.position, w->centre));
  return (CpsPose){cps_vec3_add(cps_vec3_axpy(w->centre, s, w->way), arm), cps_quat_multiply(turn, w->from.rotation)};
}

// The deepest touch at s; its gap is 0 if there is none.
static CpsTouch touch_at(const Way* a, const Way* b, double s) {
  const CpsPose pose_a = pose_at(a, s), pose_b = pose_at(b, s);
  CpsConvex one, other;
  CpsTouch touches[CPS_TOUCH_MAX], deepest = {0};
  cps_place(a->geom, &pose_a, &one);
  cps_place(b->geom, &pose_b, &other);
  const int count = cps_collide_placed(&one, &other, 0.0, touches);
  for (int i = 0; i < count; ++i) {
    if (touches[i].gap < deepest.gap) deepest = touches[i];
  }
  return deepest;
}

// Records the deepest overlap of a pair on its path, if it exceeds that in `step`.
static void follow(CpsStep* step, int32_t first, int32_t second) {
  const CpsCollider *one = &step->colliders[first], *other = &step->colliders[second];
  const Way a = way_of(step, one), b = way_of(step, other);
  const double together =
      cps_vec3_norm(cps_vec3_sub(a.way, b.way)) + cps_vec3_norm(a.turn) * a.far + cps_vec3_norm(b.turn) * b.far;
  const double radius = fmin(a.geom->inner_radius, b.geom->inner_radius);
  if (!(together > FARTHEST * radius) || (step->world->tie_there > 0 && cps_colliders_are_tied(step, one, other)))
    return;
  if (-touch_at(&a, &b, 0.0).gap > PART * radius) return;
  const int parts = (int)fmin(MOST, ceil(together / (PART * radius)));
  for (int k = 1; k < parts; ++k) {
    const CpsTouch touch = touch_at(&a, &b, (double)k / parts);
    const CpsOverlap* worst = &step->on_the_way;
    if (!(-touch.gap > radius) || !(-touch.gap * worst->radius > worst->depth * radius || worst->depth == 0.0))
      continue;
    const CpsColliderTouch found = {.a = first, .b = second, .touch = touch};
    step->on_the_way = cps_found_overlap(step, &found);
  }
}

// Upper bound of the displacement of its points.
static double went(const CpsStep* step, const CpsCollider* c) {
  if (c->owner < 0) return c->reach;
  const CpsMember m = cps_world_member(step->world, c->owner);
  return m.model->type->went ? m.model->type->went(m.model, &step->model, m.index) : 0.0;
}

// A bounding box of a collider on its path, with a margin for the arc.
static CpsAabb box_of(const CpsStep* step, const CpsCollider* c) {
  const Way w = way_of(step, c);
  const CpsPose to = pose_at(&w, 1.0);
  const CpsAabb both = cps_aabb_union(cps_geom_bounds(w.geom, &w.from), cps_geom_bounds(w.geom, &to));
  return cps_aabb_grow(both, 0.5 * cps_vec3_norm(w.turn) * w.far);
}

// The bounding box of all colliders that move far enough to pass through something; false if there are none.
static bool find_fast(const CpsStep* step, CpsAabb* around) {
  bool any = false;
  for (int32_t i = 0; i < step->collider_count; ++i) {
    const CpsCollider* c = &step->colliders[i];
    if (!is_followed(step, c) || !(2.0 * went(step, c) > FARTHEST * step->world->smallest)) continue;
    const CpsAabb box = box_of(step, c);
    *around = any ? cps_aabb_union(*around, box) : box;
    any = true;
  }
  return any;
}

bool cps_world_has_ways(const CpsWorld* world) {
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    if (model->there_count > 0 && model->type->collider_pose && model->type->went) return true;
  }
  return false;
}

CpsStatus cps_step_ways(CpsStep* step) {
  step->on_the_way = (CpsOverlap){0};
  CpsAabb around = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  if (!cps_world_has_ways(step->world) || !find_fast(step, &around)) return CPS_OK;
  CpsBroadBox* boxes = CPS_TAKE(step->scratch, CpsBroadBox, step->collider_count);
  int32_t* collider = CPS_TAKE(step->scratch, int32_t, step->collider_count);
  if (!boxes || !collider) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  int32_t n = 0;
  for (int32_t i = 0; i < step->collider_count; ++i) {
    const CpsCollider* c = &step->colliders[i];
    if (!is_followed(step, c)) continue;
    const CpsAabb near = cps_aabb_grow(cps_geom_bounds(c->geom, &c->pose), went(step, c));
    if (!cps_aabb_overlap(&near, &around)) continue;
    collider[n] = i;
    boxes[n++] = (CpsBroadBox){.box = box_of(step, c), .owner = c->owner, .group = c->group, .idle = c->idle};
  }
  int64_t count;
  const CpsBroadPair* pairs = cps_broad_pairs(boxes, n, step->world->pool, step->scratch, &count);
  if (!pairs) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  for (int64_t i = 0; i < count; ++i) follow(step, collider[pairs[i].a], collider[pairs[i].b]);
  return CPS_OK;
}
