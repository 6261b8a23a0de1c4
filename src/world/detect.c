// Step 2: places all colliders and finds those that touch or could touch within the step.
#include "world/world.h"

#include "contact/chain.h"
#include "core/error.h"

#include <math.h>

// Contacts with gaps up to this fraction of the smallest inner radius are kept even if nothing moves, so that resting
// objects keep their contacts despite rounding of their gaps.
static const double SKIN = 1e-3;

// Largest distance of a piece of an obstacle from its origin; `far` bounds the distance of objects that could touch it.
static double obstacle_radius(const CpsPiece* piece, double far) {
  return fmin(far, cps_vec3_norm(piece->pose.position) + piece->geom->outer_radius);
}

// Upper bound of the displacement of a piece of an obstacle in the step.
static double obstacle_reach(const CpsObstacle* o, const CpsPiece* piece, double far) {
  if (o->motion.kind == CPS_MOTION_REST) return 0.0;
  CpsQuat turn = cps_quat_multiply(o->next.rotation, cps_quat_conjugate(o->now.rotation));
  double angle = 2.0 * asin(fmin(1.0, cps_vec3_norm(cps_vec3(turn.x, turn.y, turn.z))));
  return cps_vec3_norm(cps_vec3_sub(o->next.position, o->now.position)) + angle * obstacle_radius(piece, far);
}

// Upper bound of the deviation of its points from the drift, less its reach: |V - V_o| at its origin and |w - w_o|
// about it, with V_o and w_o its own velocity and spin.
static double obstacle_sway(const CpsObstacle* o, const CpsPiece* piece, double far, const CpsDrift* drift, double h) {
  CpsQuat turn = cps_quat_multiply(o->next.rotation, cps_quat_conjugate(o->now.rotation));
  CpsVec3 way = cps_vec3_sub(o->next.position, o->now.position);
  CpsVec3 apart = cps_vec3_axpy(way, -h, cps_drift_at(drift, o->now.position));
  double angle = cps_vec3_norm(cps_vec3_axpy(cps_quat_log(turn), -h, drift->spin));
  double relative = cps_vec3_norm(apart) + angle * obstacle_radius(piece, far);
  return fmax(0.0, relative - obstacle_reach(o, piece, far));
}

static bool is_still(const CpsDrift* drift) {
  return cps_vec3_norm(drift->velocity) == 0.0 && cps_vec3_norm(drift->spin) == 0.0;
}

// Objects other than lines do not follow the drift of lines.
static void sway_others(CpsStep* step, const CpsDrift* drift) {
  if (is_still(drift)) return;
  for (int32_t i = 0; i < step->member_collider_count; ++i) {
    CpsCollider* c = &step->colliders[i];
    if (cps_is_line_piece(c)) continue;
    double speed = cps_vec3_norm(cps_drift_at(drift, c->pose.position));
    c->sway = step->model.h * (speed + cps_vec3_norm(drift->spin) * c->geom->outer_radius);
  }
}

// Largest distance from a point to any moving object.
static double farthest(const CpsWorld* world, CpsVec3 from) {
  double far = 0.0;
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    far = fmax(far, model->type->reach(model, from));
  }
  return far;
}

static int32_t obstacle_pieces(const CpsWorld* world) {
  int32_t count = 0;
  for (int32_t i = 0; i < world->obstacle_count; ++i) count += world->obstacles[i].pieces.count;
  return count;
}

static void add_obstacles(const CpsWorld* world, const CpsDrift* drift, double h, CpsCollider* out) {
  bool still = is_still(drift);
  for (int32_t i = 0; i < world->obstacle_count; ++i) {
    const CpsObstacle* o = &world->obstacles[i];
    CpsVec3 turn = cps_quat_log(cps_quat_multiply(o->next.rotation, cps_quat_conjugate(o->now.rotation)));
    double far = o->there && (!still || o->motion.kind != CPS_MOTION_REST) ? farthest(world, o->now.position) : 0.0;
    for (int32_t k = 0; k < o->pieces.count; ++k) {
      *out++ = (CpsCollider){.geom = o->pieces.piece[k].geom,
                             .pose = cps_pose_multiply(o->now, o->pieces.piece[k].pose),
                             .reach = obstacle_reach(o, &o->pieces.piece[k], far),
                             .sway = still ? 0.0 : obstacle_sway(o, &o->pieces.piece[k], far, drift, h),
                             .key = cps_key(CPS_THING_OBSTACLE, i, o->generation, k),
                             .owner = -1,
                             .centre = o->now.position,
                             .way = cps_vec3_sub(o->next.position, o->now.position),
                             .turn = turn};
    }
  }
}

// Marks colliders that need not be tested against each other: those of idle islands and of obstacles at rest.
static void mark_aside(CpsStep* step) {
  for (int32_t i = 0; i < step->collider_count; ++i) {
    CpsCollider* c = &step->colliders[i];
    c->idle = c->owner >= 0 ? cps_step_is_aside(step, c->owner)
                            : step->world->obstacles[cps_key_place(c->key)].motion.kind == CPS_MOTION_REST;
  }
}

CpsStatus cps_step_list_colliders(CpsStep* step, CpsDrift* drift) {
  const CpsWorld* world = step->world;
  step->member_collider_count = 0;
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    step->member_collider_count += model->type->collider_count(model);
  }
  step->collider_count = step->member_collider_count + obstacle_pieces(world);
  step->colliders = CPS_TAKE(step->scratch, CpsCollider, step->collider_count);
  if (!step->colliders) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to detect contacts");
  CpsCollider* out = step->colliders;
  int32_t owner = 0;
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    model->type->colliders(model, &step->model, owner, out);
    out += model->type->collider_count(model);
    owner += model->count;
  }
  *drift = cps_drift_fit(step->colliders, step->member_collider_count);
  sway_others(step, drift);
  add_obstacles(world, drift, step->model.h, step->colliders + step->member_collider_count);
  return CPS_OK;
}

CpsStatus cps_step_detect(CpsStep* step) {
  CpsWorld* world = step->world;
  cps_world_run(world, &step->model, CPS_CALL_PLACE);
  CpsStatus listed = cps_step_list_lines(step);
  CpsDrift drift;
  if (listed == CPS_OK) listed = cps_step_list_colliders(step, &drift);
  if (listed != CPS_OK) return listed;
  if (step->aside && world->aside.island_count > 0) mark_aside(step);
  for (int32_t i = 0; step->idle && i < step->collider_count; ++i) step->colliders[i].idle = step->idle[i];
  double skin = fmax(step->skin, isfinite(world->smallest) ? SKIN * world->smallest : 0.0);
  if (!cps_detect_moving(world->detector, step->colliders, step->collider_count, step->model.h, &drift, skin,
                         world->pool, &step->found, &step->found_count)) {
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to detect contacts");
  }
  CpsStatus status = world->lets ? cps_step_drop_held(step) : CPS_OK;
  return status == CPS_OK && world->tie_there > 0 ? cps_step_drop_tied(step) : status;
}
