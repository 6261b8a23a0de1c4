// Held ends of fibres: glued to an obstacle, moved by themselves, or taken over by hand.
#include "things/fibres.h"

#include "core/error.h"

#include <math.h>

static CpsFibre* fibre_at(const CpsModel* all, int32_t i) {
  return &((const CpsFibres*)all)->fibres[i];
}

static bool is_on_obstacle(const CpsFibreEnd* end) {
  return end->obstacle.index != 0 || end->obstacle.generation != 0;
}

bool cps_fibre_end_is_carried(const CpsFibreEnd* end, const CpsEndMove* move) {
  return end->kind != CPS_END_FREE && is_on_obstacle(end) && move->taken == 0.0;
}

// Start pose of an end that is now at `pose`: in the frame of its obstacle, or in the world if it is held by itself.
static CpsStatus hold(CpsWorld* world, const CpsFibreEnd* from, CpsFibreEnd* to, CpsPose* start, CpsError* error) {
  *to = (CpsFibreEnd){.kind = from->kind, .obstacle = from->obstacle};
  if (from->kind == CPS_END_FREE) return CPS_OK;
  if (!is_on_obstacle(from)) return cps_motion_copy(&from->motion, &to->motion, error);
  const CpsObstacle* o = cps_world_find_obstacle(world, from->obstacle);
  CpsPose now = cps_motion_pose(&o->motion, &o->start, world->time);
  CpsQuat back = cps_quat_conjugate(now.rotation);
  *start = (CpsPose){cps_pose_apply_back(now, start->position), cps_quat_multiply(back, start->rotation)};
  return CPS_OK;
}

CpsStatus cps_fibre_hold_ends(CpsWorld* world, CpsFibre* f, const CpsFibreDef* def, CpsError* error) {
  CpsStatus status = hold(world, &def->root, &f->root, &f->root_start, error);
  if (status == CPS_OK) status = hold(world, &def->tip, &f->tip, &f->tip_start, error);
  if (status != CPS_OK) cps_fibre_release_ends(f);
  return status;
}

void cps_fibre_release_ends(CpsFibre* f) {
  cps_motion_free(&f->root.motion);
  cps_motion_free(&f->tip.motion);
  f->root = f->tip = (CpsFibreEnd){0};
}

static CpsPose move_pose(const CpsEndMove* m, double t) {
  const double times[2] = {m->from, m->until};
  const CpsPose poses[2] = {m->start, m->end};
  CpsMotion motion = {.kind = CPS_MOTION_KEYFRAMES, .key_count = 2, .key_times = times, .key_poses = poses};
  return cps_motion_pose(&motion, &m->start, t);
}

// Ends on an obstacle that was removed stay where they were.
static bool find_poses(const CpsWorld* world, const CpsFibreEnd* end, const CpsEndMove* move, const CpsPose* start,
                       double t, double h, CpsPose* now, CpsPose* next) {
  if (move->taken != 0.0) {
    *now = move_pose(move, t);
    *next = move_pose(move, t + h);
    return true;
  }
  if (is_on_obstacle(end)) {
    const CpsObstacle* o = cps_world_find_obstacle(world, end->obstacle);
    if (!o) return false;
    *now = cps_pose_multiply(o->now, *start);
    *next = cps_pose_multiply(o->next, *start);
    return true;
  }
  *now = cps_motion_pose(&end->motion, start, t);
  *next = cps_motion_pose(&end->motion, start, t + h);
  return true;
}

static void place(const CpsWorld* world, const CpsFibreEnd* end, const CpsEndMove* move, const CpsPose* start, double t,
                  double h, bool moved, CpsRodEnd* out) {
  if (end->kind == CPS_END_FREE) return;
  CpsPose now, next;
  if (find_poses(world, end, move, start, t, h, &now, &next)) {
    out->now = (CpsPose){now.position, cps_quat_unit(now.rotation)};
    out->next = (CpsPose){next.position, cps_quat_unit(next.rotation)};
  } else {
    out->next = out->now;
  }
  CpsQuat turn = cps_quat_multiply(out->next.rotation, cps_quat_conjugate(out->now.rotation));
  out->velocity = cps_vec3_scale(1.0 / h, cps_vec3_sub(out->next.position, out->now.position));
  out->spin = cps_vec3_scale(1.0 / h, cps_quat_log(turn));
  if (moved) return;
  // without a previous step, the end starts without a jolt
  out->velocity_before = out->velocity;
  out->spin_before = out->spin;
}

void cps_fibre_ends_place(CpsWorld* world, CpsModel* all, double t, double h) {
  for (int32_t i = 0; i < all->count; ++i) {
    CpsFibre* f = fibre_at(all, i);
    if (!f->there) continue;
    place(world, &f->root, &f->moves[0], &f->root_start, t, h, f->moved, &f->rod.root);
    place(world, &f->tip, &f->moves[1], &f->tip_start, t, h, f->moved, &f->rod.tip);
  }
}

static void stop(CpsRodEnd* end) {
  end->next = end->now;
  end->velocity = end->spin = end->velocity_before = end->spin_before = cps_vec3(0.0, 0.0, 0.0);
}

void cps_fibre_ends_stop(CpsModel* all) {
  for (int32_t i = 0; i < all->count; ++i) {
    stop(&fibre_at(all, i)->rod.root);
    stop(&fibre_at(all, i)->rod.tip);
  }
}

void* cps_fibre_ends_keep(const CpsModel* all, CpsArena* arena) {
  CpsRodEnd* ends = CPS_TAKE(arena, CpsRodEnd, 2 * (int64_t)all->count);
  for (int32_t i = 0; ends && i < all->count; ++i) {
    ends[2 * i] = fibre_at(all, i)->rod.root;
    ends[2 * i + 1] = fibre_at(all, i)->rod.tip;
  }
  return ends;
}

void cps_fibre_ends_restore(CpsModel* all, const void* kept) {
  const CpsRodEnd* ends = kept;
  for (int32_t i = 0; i < all->count; ++i) {
    CpsFibre* f = fibre_at(all, i);
    if (!f->there) continue;
    f->rod.root = ends[2 * i];
    f->rod.tip = ends[2 * i + 1];
    f->rod.begun = f->fresh = f->placed = false;
    f->given = 0.0;
    f->rod.type->refresh(&f->rod);
  }
}

CpsStatus cps_world_move_fibre_end(CpsWorld* world, CpsFibreId id, int end, CpsPose pose, CpsError* error) {
  CpsFibre* f = cps_world_find_fibre(world, id);
  if (!f) return cps_fail(error, CPS_BAD_ARGUMENT, "the fibre does not exist or was removed");
  if (end != 0 && end != 1) return cps_fail(error, CPS_BAD_ARGUMENT, "a fibre has the ends 0 and 1, not %d", end);
  if ((end == 0 ? f->root.kind : f->tip.kind) == CPS_END_FREE) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the %s of the fibre is free: only an end that is held can be moved",
                    end == 0 ? "root" : "tip");
  }
  if (!cps_vec3_is_finite(pose.position) || !isfinite(cps_quat_norm(pose.rotation))) {
    return cps_fail(error, CPS_BAD_DATA, "the pose of an end of a fibre is not finite");
  }
  CpsPose now = end == 0 ? f->rod.root.now : f->rod.tip.now;
  f->moves[end] = (CpsEndMove){.taken = 1.0,
                               .from = world->time,
                               .until = world->time + world->def.step,
                               .start = {now.position, cps_quat_unit(now.rotation)},
                               .end = {pose.position, cps_quat_unit(pose.rotation)}};
  return cps_succeed(error);
}

CpsStatus cps_world_fibre_end_pose(const CpsWorld* world, CpsFibreId id, int end, CpsPose* pose) {
  const CpsFibre* f = cps_world_find_fibre(world, id);
  if (!f || !pose || (end != 0 && end != 1)) return CPS_BAD_ARGUMENT;
  if ((end == 0 ? f->root.kind : f->tip.kind) != CPS_END_FREE) {
    *pose = end == 0 ? f->rod.root.now : f->rod.tip.now;
    return CPS_OK;
  }
  CpsFibrePoint point;
  CpsStatus status = cps_world_fibre_at(world, id, end == 0 ? 0.0 : f->rod.spec.branch[0].length, &point);
  *pose = (CpsPose){point.position, point.frame};
  return status;
}
