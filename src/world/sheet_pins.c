// What acts on sheets from outside in a step: held vertices, glued to an obstacle or moved by themselves, and the wind.
#include "world/world.h"

#include "core/error.h"

#include <stdlib.h>

static CpsStatus pin(CpsWorld* world, const CpsSheet* s, const CpsSheetPin* from, CpsHeldNodes* to, CpsError* error) {
  *to =
      (CpsHeldNodes){.count = from->vertex_count, .obstacle = from->obstacle, .from = from->from, .until = from->until};
  to->node = calloc((size_t)from->vertex_count, sizeof *to->node);
  to->place = calloc((size_t)from->vertex_count, sizeof *to->place);
  if (!to->node || !to->place) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a pin");
  const CpsObstacle* o = from->obstacle.generation != 0 ? cps_world_find_obstacle(world, from->obstacle) : NULL;
  for (int32_t i = 0; i < from->vertex_count; ++i) {
    to->node[i] = s->elastic->mesh.node[from->vertices[i]];
    CpsVec3 x = s->x[to->node[i]];
    to->place[i] = o ? cps_pose_apply_back(cps_motion_pose(&o->motion, &o->start, world->time), x) : x;
  }
  return o ? CPS_OK : cps_motion_copy(&from->motion, &to->motion, error);
}

CpsStatus cps_sheet_pin(CpsWorld* world, CpsSheet* s, const CpsSheetDef* def, CpsError* error) {
  CpsStatus copied = cps_curve_copy(&def->wind_curve, &s->wind_curve, error);
  if (copied != CPS_OK || def->pin_count == 0) return copied;
  s->holds = calloc((size_t)def->pin_count, sizeof *s->holds);
  if (!s->holds) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for the pins of a sheet");
  CpsStatus status = CPS_OK;
  for (int32_t i = 0; status == CPS_OK && i < def->pin_count; ++i) {
    status = pin(world, s, &def->pins[i], &s->holds[s->hold_count++], error);
  }
  return status;
}

void cps_sheet_unpin(CpsSheet* s) {
  for (int32_t i = 0; i < s->hold_count; ++i) cps_motion_free(&s->holds[i].motion);
  cps_curve_free(&s->wind_curve);
}

// Where a held node is at the end of the step. A motion is relative to its own beginning; keyframes to the first of them.
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

void cps_sheet_pins_place(CpsWorld* world, double t, double h) {
  for (int32_t k = 0; k < world->sheets->model.count; ++k) {
    CpsSheet* s = &world->sheets->sheets[k];
    if (s->there) s->air.wind = cps_vec3_scale(cps_curve_value(&s->wind_curve, t + 0.5 * h), s->wind);
    for (int32_t i = 0; s->there && i < s->nodes; ++i) s->held[i] = false;
    for (int32_t j = 0; s->there && j < s->hold_count; ++j) {
      const CpsHeldNodes* hold = &s->holds[j];
      bool gone = hold->obstacle.generation != 0 && !cps_world_find_obstacle(world, hold->obstacle);
      if (t + 0.5 * h < hold->from || t + 0.5 * h >= hold->until || gone) continue;
      for (int32_t i = 0; i < hold->count; ++i) {
        int32_t node = hold->node[i];
        if (s->hand[node] != CPS_NODE_AS_PINNED) continue;
        s->held[node] = true;
        s->way[node] = cps_vec3_sub(target(world, hold, i, t + h), s->x[node]);
      }
    }
    for (int32_t i = 0; s->there && s->handled && i < s->nodes; ++i) {
      if (s->hand[i] != CPS_NODE_HELD) continue;
      s->held[i] = true;
      // in a straight line, also where a step was halved
      double left = s->hand_time[i] - t;
      s->way[i] = cps_vec3_scale(left > h ? h / left : 1.0, cps_vec3_sub(s->hand_place[i], s->x[i]));
    }
  }
}
