// Held vertices of sheets and solids: glued to an obstacle, moved by themselves, or held by the caller.
#include "things/nodal.h"

#include "core/error.h"

#include <stdlib.h>

bool cps_kind_is_nodal(CpsThingKind kind) {
  return kind == CPS_THING_SHEET || kind == CPS_THING_SOLID;
}

CpsNodal* cps_world_find_nodal(const CpsWorld* world, CpsThing thing) {
  CpsModel* all = world && cps_kind_is_nodal(thing.kind) ? cps_world_find_model(world, thing) : NULL;
  return all ? ((CpsNodals*)all)->member[thing.index] : NULL;
}

static CpsStatus pin(CpsWorld* world, const CpsNodal* s, const CpsPin* from, CpsHeldNodes* to, CpsError* error) {
  *to =
      (CpsHeldNodes){.count = from->vertex_count, .obstacle = from->obstacle, .from = from->from, .until = from->until};
  to->late = from->from > world->time;
  to->node = calloc((size_t)from->vertex_count, sizeof *to->node);
  to->place = calloc((size_t)from->vertex_count, sizeof *to->place);
  if (!to->node || !to->place) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a pin");
  const CpsObstacle* o = from->obstacle.generation != 0 ? cps_world_find_obstacle(world, from->obstacle) : NULL;
  for (int32_t i = 0; i < from->vertex_count; ++i) {
    to->node[i] = s->node[from->vertices[i]];
    CpsVec3 x = s->x[to->node[i]];
    to->place[i] = o ? cps_pose_apply_back(cps_motion_pose(&o->motion, &o->start, world->time), x) : x;
  }
  return o ? CPS_OK : cps_motion_copy(&from->motion, &to->motion, error);
}

CpsStatus cps_nodal_pin(CpsWorld* world, CpsNodal* s, const CpsPin* pins, int32_t count, CpsError* error) {
  if (count == 0) return CPS_OK;
  s->holds = calloc((size_t)count, sizeof *s->holds);
  if (!s->holds) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for the pins of a sheet or a solid");
  CpsStatus status = CPS_OK;
  for (int32_t i = 0; status == CPS_OK && i < count; ++i) {
    status = pin(world, s, &pins[i], &s->holds[s->hold_count++], error);
  }
  return status;
}

void cps_nodal_unpin(CpsNodal* s) {
  for (int32_t i = 0; i < s->hold_count; ++i) cps_motion_free(&s->holds[i].motion);
}

CpsStatus cps_pins_check(const CpsWorld* world, const CpsPin* pins, int32_t count, const char* what, CpsError* error) {
  for (int32_t i = 0; i < count; ++i) {
    if (pins[i].obstacle.generation != 0 && !cps_world_find_obstacle(world, pins[i].obstacle)) {
      return cps_fail(error, CPS_BAD_ARGUMENT, "pin %d of a %s refers to an obstacle that does not exist", (int)i,
                      what);
    }
  }
  return CPS_OK;
}

// Position of a held node at the end of the step. A motion is relative to its own beginning, keyframes to the first key.
static CpsVec3 target(const CpsWorld* world, const CpsHeldNodes* hold, int32_t i, double t) {
  if (hold->obstacle.generation != 0) {
    const CpsObstacle* o = cps_world_find_obstacle(world, hold->obstacle);
    return o ? cps_pose_apply(o->next, hold->place[i]) : hold->place[i];
  }
  const CpsPose none = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
  CpsPose pose = cps_motion_pose(&hold->motion, &none, t);
  if (hold->motion.kind == CPS_MOTION_KEYFRAMES) {
    CpsPose first = hold->motion.key_poses[0];
    return cps_pose_apply(pose, cps_pose_apply_back(first, hold->place[i]));
  }
  return cps_pose_apply(pose, hold->place[i]);
}

// A pin that begins late holds its nodes at their current positions: the inverse of target().
static void catch_nodes(const CpsWorld* world, const CpsNodal* s, CpsHeldNodes* hold, double t) {
  const CpsObstacle* o = hold->obstacle.generation != 0 ? cps_world_find_obstacle(world, hold->obstacle) : NULL;
  const CpsPose none = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
  const CpsPose pose = o ? o->now : cps_motion_pose(&hold->motion, &none, t);
  for (int32_t i = 0; i < hold->count; ++i) {
    const CpsVec3 x = cps_pose_apply_back(pose, s->x[hold->node[i]]);
    const bool keyed = !o && hold->motion.kind == CPS_MOTION_KEYFRAMES;
    hold->place[i] = keyed ? cps_pose_apply(hold->motion.key_poses[0], x) : x;
  }
  hold->caught = true;
}

static void place_holds(const CpsWorld* world, CpsNodal* s, double t, double h) {
  for (int32_t i = 0; i < s->nodes; ++i) s->held[i] = false;
  for (int32_t j = 0; j < s->hold_count; ++j) {
    CpsHeldNodes* hold = &s->holds[j];
    bool gone = hold->obstacle.generation != 0 && !cps_world_find_obstacle(world, hold->obstacle);
    if (t + 0.5 * h < hold->from || t + 0.5 * h >= hold->until || gone) continue;
    if (hold->late && !hold->caught) catch_nodes(world, s, hold, t);
    for (int32_t i = 0; i < hold->count; ++i) {
      int32_t node = hold->node[i];
      if (s->hand[node] != CPS_NODE_AS_PINNED) continue;
      s->held[node] = true;
      s->way[node] = cps_vec3_sub(target(world, hold, i, t + h), s->x[node]);
    }
  }
}

// Moves nodes held by the caller on a straight line, also if a step was halved.
static void place_hand(CpsNodal* s, double t, double h) {
  for (int32_t i = 0; s->handled && i < s->nodes; ++i) {
    if (s->hand[i] != CPS_NODE_HELD) continue;
    s->held[i] = true;
    double left = s->hand_time[i] - t;
    s->way[i] = cps_vec3_scale(left > h ? h / left : 1.0, cps_vec3_sub(s->hand_place[i], s->x[i]));
  }
}

void cps_nodal_pins_place(const CpsWorld* world, CpsModel* all, double t, double h) {
  for (int32_t k = 0; k < all->count; ++k) {
    CpsNodal* s = ((CpsNodals*)all)->member[k];
    if (!s->there) continue;
    place_holds(world, s, t, h);
    place_hand(s, t, h);
  }
}
