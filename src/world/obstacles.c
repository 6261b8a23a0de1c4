// Obstacles: what is touched and never moved by it.
#include "world/world.h"

#include "core/error.h"
#include "core/places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int OBSTACLE_COOKIE = 0x0c0517b2;

CpsObstacleDef cps_obstacle_def_default(void) {
  return (CpsObstacleDef){.pose = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}},
                          .mu = NAN,
                          .restitution = NAN,
                          .contact = true,
                          .cookie = OBSTACLE_COOKIE};
}

void cps_obstacle_free(CpsObstacle* o) {
  cps_pieces_free(&o->pieces);
  cps_motion_free(&o->motion);
  free(o->name);
  uint32_t generation = o->generation;
  *o = (CpsObstacle){.generation = generation};
}

static CpsStatus check(const CpsWorld* world, const CpsObstacleDef* def, CpsError* error) {
  if (!world || !def) return cps_fail(error, CPS_BAD_ARGUMENT, "world or def is NULL");
  if (def->cookie != OBSTACLE_COOKIE) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the obstacle was not initialised by cps_obstacle_def_default()");
  }
  if (!cps_vec3_is_finite(def->pose.position) || !isfinite(cps_quat_norm(def->pose.rotation)) ||
      !cps_vec3_is_finite(def->surface_velocity)) {
    return cps_fail(error, CPS_BAD_DATA, "the pose or surface velocity of an obstacle is not finite");
  }
  if (def->material < 0 || def->material >= world->material_count) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "material %d does not exist", (int)def->material);
  }
  if (!cps_pair_is_valid((CpsPair){def->mu, def->restitution})) {
    return cps_fail(error, CPS_BAD_DATA,
                    "an obstacle has mu = %g and restitution = %g; they must be >= 0 and in [0, 1]", def->mu,
                    def->restitution);
  }
  return cps_shape_check(&def->shape, error);
}

static CpsStatus make(CpsObstacle* o, const CpsObstacleDef* def, CpsError* error) {
  CpsPose own = {{0.0, 0.0, 0.0}, cps_quat_identity()};
  // without contact, there are no pieces to be found
  CpsStatus status = def->contact ? cps_pieces_create(&def->shape, &own, &o->pieces, error) : CPS_OK;
  if (status == CPS_OK) status = cps_motion_copy(&def->motion, &o->motion, error);
  if (status == CPS_OK && !cps_text_copy(def->name, &o->name)) {
    status = cps_fail(error, CPS_NO_MEMORY, "not enough memory for an obstacle");
  }
  if (status != CPS_OK) return status;
  o->start = (CpsPose){def->pose.position, cps_quat_unit(def->pose.rotation)};
  o->surface_velocity = def->surface_velocity;
  o->material = def->material;
  o->mu = def->mu;
  o->restitution = def->restitution;
  o->user = def->user;
  o->there = true;
  return CPS_OK;
}

static int32_t find_place(CpsWorld* world) {
  const CpsPlaceArray all = {&world->obstacles, &world->obstacle_count, &world->obstacle_capacity, sizeof(CpsObstacle),
                             offsetof(CpsObstacle, there)};
  return cps_place_find(&all, world->obstacle_there == world->obstacle_count);
}

CpsStatus cps_world_add_obstacle(CpsWorld* world, const CpsObstacleDef* def, CpsObstacleId* id, CpsError* error) {
  CpsStatus status = check(world, def, error);
  if (status != CPS_OK) return status;
  CpsObstacle made = {0};
  status = make(&made, def, error);
  int32_t place = status == CPS_OK ? find_place(world) : -1;
  if (status == CPS_OK && place < 0) status = cps_fail(error, CPS_NO_MEMORY, "not enough memory for an obstacle");
  if (status != CPS_OK) {
    cps_obstacle_free(&made);
    return status;
  }
  made.generation = cps_generation_after(world->obstacles[place].generation);
  made.now = made.next = cps_motion_pose(&made.motion, &made.start, world->time);
  world->obstacles[place] = made;
  world->obstacle_there++;
  cps_world_disturb(world);
  if (id) *id = (CpsObstacleId){place, made.generation};
  return cps_succeed(error);
}

CpsObstacle* cps_world_find_obstacle(const CpsWorld* world, CpsObstacleId id) {
  if (!world || id.index < 0 || id.index >= world->obstacle_count) return NULL;
  CpsObstacle* o = &world->obstacles[id.index];
  return o->there && o->generation == id.generation ? o : NULL;
}

CpsStatus cps_world_remove_obstacle(CpsWorld* world, CpsObstacleId id, CpsError* error) {
  CpsObstacle* o = cps_world_find_obstacle(world, id);
  if (!o) return cps_fail(error, CPS_BAD_ARGUMENT, "the obstacle does not exist or was removed");
  cps_obstacle_free(o);
  world->obstacle_there--;
  cps_world_disturb(world);
  return cps_succeed(error);
}

int32_t cps_world_obstacle_count(const CpsWorld* world) {
  return world ? world->obstacle_there : 0;
}

CpsObstacleId cps_world_obstacle(const CpsWorld* world, int32_t i) {
  for (int32_t k = 0; world && i >= 0 && k < world->obstacle_count; ++k) {
    if (world->obstacles[k].there && i-- == 0) return (CpsObstacleId){k, world->obstacles[k].generation};
  }
  return (CpsObstacleId){0, 0};
}

CpsStatus cps_world_obstacle_pose(const CpsWorld* world, CpsObstacleId id, CpsPose* pose) {
  const CpsObstacle* o = cps_world_find_obstacle(world, id);
  if (!o || !pose) return CPS_BAD_ARGUMENT;
  *pose = cps_motion_pose(&o->motion, &o->start, world->time);
  return CPS_OK;
}

void cps_obstacles_place(CpsWorld* world, double t, double h) {
  for (int32_t i = 0; i < world->obstacle_count; ++i) {
    CpsObstacle* o = &world->obstacles[i];
    if (!o->there) continue;
    o->now = cps_motion_pose(&o->motion, &o->start, t);
    o->next = o->motion.kind == CPS_MOTION_REST ? o->now : cps_motion_pose(&o->motion, &o->start, t + h);
  }
}

CpsVec3 cps_obstacle_velocity(const CpsObstacle* o, CpsVec3 point, CpsVec3 normal, double h) {
  CpsVec3 v = cps_quat_rotate(o->now.rotation, o->surface_velocity);
  if (o->motion.kind == CPS_MOTION_REST) return v;
  // end position of the material point, so that objects that stick to it are carried along exactly
  CpsVec3 end = cps_pose_apply(o->next, cps_pose_apply_back(o->now, point)), way = cps_vec3_sub(end, point);
  // a point that turns by the vector w moves by w x r and, to second order, towards the axis. Sliding objects must
  // not follow the second-order part: they would sink in by that much in every step
  CpsVec3 w = cps_quat_log(cps_quat_multiply(o->next.rotation, cps_quat_conjugate(o->now.rotation)));
  CpsVec3 carried = cps_vec3_sub(o->next.position, o->now.position);
  CpsVec3 first = cps_vec3_add(carried, cps_vec3_cross(w, cps_vec3_sub(point, o->now.position)));
  double inwards = fmin(0.0, cps_vec3_dot(normal, cps_vec3_sub(way, first)));
  return cps_vec3_axpy(v, 1.0 / h, cps_vec3_axpy(way, -inwards, normal));
}

CpsThing cps_thing_obstacle(CpsObstacleId obstacle) {
  return (CpsThing){CPS_THING_OBSTACLE, obstacle.index, obstacle.generation};
}

CpsAnchor cps_anchor_obstacle(CpsObstacleId obstacle, CpsVec3 point) {
  return (CpsAnchor){.thing = cps_thing_obstacle(obstacle), .point = point};
}
