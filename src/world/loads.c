// Loads: forces and torques on bodies as functions of time.
#include "world/world.h"

#include "core/error.h"

#include <math.h>
#include <stdlib.h>

static const int LOAD_COOKIE = 0x0c0517b3;

CpsLoadDef cps_load_def_default(void) {
  return (CpsLoadDef){.cookie = LOAD_COOKIE};
}

CpsStatus cps_world_add_load(CpsWorld* world, const CpsLoadDef* def, CpsError* error) {
  if (!world || !def) return cps_fail(error, CPS_BAD_ARGUMENT, "world or def is NULL");
  if (def->cookie != LOAD_COOKIE) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the load was not made by cps_load_def_default()");
  }
  const CpsThing on = def->thing;
  if (on.kind != CPS_THING_NONE && on.kind != CPS_THING_BODY) {
    return cps_fail(error, CPS_UNSUPPORTED, "a load acts on a body, not on a thing of the kind `%s`",
                    cps_thing_kind_name(on.kind));
  }
  if (on.kind == CPS_THING_BODY && !cps_world_body_exists(world, (CpsBodyId){on.index, on.generation})) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the body of a load is not there, or was removed");
  }
  if (!cps_vec3_is_finite(def->force) || !cps_vec3_is_finite(def->torque)) {
    return cps_fail(error, CPS_BAD_DATA, "a load is not finite");
  }
  if (world->load_count == world->load_capacity) {
    int32_t capacity = world->load_capacity ? 2 * world->load_capacity : 8;
    CpsLoad* loads = realloc(world->loads, (size_t)capacity * sizeof *loads);
    if (!loads) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a load");
    world->loads = loads;
    world->load_capacity = capacity;
  }
  CpsLoad* load = &world->loads[world->load_count];
  CpsStatus status = cps_curve_copy(&def->curve, &load->curve, error);
  if (status != CPS_OK) return status;
  load->thing = on;
  load->force = def->force;
  load->torque = def->torque;
  load->body_axes = def->body_axes;
  world->load_count++;
  return cps_succeed(error);
}

static void add(CpsRigidBody* b, const CpsLoad* load, double value) {
  CpsVec3 force = load->force, torque = load->torque;
  if (load->body_axes) {
    CpsQuat q = cps_rigid_shape_pose(b).rotation;
    force = cps_quat_rotate(q, force);
    torque = cps_quat_rotate(q, torque);
  }
  b->force = cps_vec3_axpy(b->force, value, force);
  b->torque = cps_vec3_axpy(b->torque, value, torque);
}

// Body axes are those at the beginning of the step.
void cps_loads_apply(CpsWorld* world, const CpsModelStep* step) {
  CpsRigid* rigid = world->rigid;
  for (int32_t i = 0; i < rigid->model.count; ++i) {
    rigid->bodies[i].force = rigid->bodies[i].torque = cps_vec3(0.0, 0.0, 0.0);
  }
  for (int32_t k = 0; k < world->load_count; ++k) {
    const CpsLoad* load = &world->loads[k];
    double value = cps_curve_mean(&load->curve, world->time, step);
    bool all = load->thing.kind == CPS_THING_NONE;
    for (int32_t i = all ? 0 : load->thing.index; i < (all ? rigid->model.count : load->thing.index + 1); ++i) {
      if (rigid->bodies[i].there) add(&rigid->bodies[i], load, value);
    }
  }
}
