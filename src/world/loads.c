// Loads: forces and torques on things as functions of time.
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
    return cps_fail(error, CPS_BAD_ARGUMENT, "the load was not initialised by cps_load_def_default()");
  }
  const CpsThing on = def->thing;
  const CpsModel* model = cps_world_population(world, on.kind);
  if (on.kind != CPS_THING_NONE && (!model || !model->type->add_load)) {
    return cps_fail(error, CPS_UNSUPPORTED, "objects of kind `%s` do not accept loads", cps_thing_kind_name(on.kind));
  }
  if (on.kind != CPS_THING_NONE && !cps_world_find_model(world, on)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the %s of a load does not exist or was removed", model->type->name);
  }
  if (!cps_vec3_is_finite(def->force) || !cps_vec3_is_finite(def->torque)) {
    return cps_fail(error, CPS_BAD_DATA, "a load has a value that is not finite");
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
  load->own_axes = def->body_axes;
  world->load_count++;
  return cps_succeed(error);
}

void cps_loads_forget(CpsWorld* world, CpsThing thing) {
  int32_t kept = 0;
  for (int32_t i = 0; i < world->load_count; ++i) {
    CpsLoad* load = &world->loads[i];
    if (cps_thing_is(load->thing, thing)) {
      cps_curve_free(&load->curve);
    } else {
      world->loads[kept++] = *load;
    }
  }
  world->load_count = kept;
}

static void apply(CpsModel* model, int32_t index, const CpsLoad* load, double value) {
  if (!model->type->is_there(model, index)) return;
  model->type->add_load(model, index, value, load->force, load->torque, load->own_axes);
}

void cps_loads_apply(CpsWorld* world, const CpsModelStep* step) {
  for (int i = 0; i < world->population_count; ++i) {
    CpsModel* model = world->population[i];
    if (!model->type->add_load) continue;
    model->type->clear_loads(model);
    for (int32_t k = 0; k < world->load_count; ++k) {
      const CpsLoad* load = &world->loads[k];
      const double value = cps_curve_mean(&load->curve, world->time, step);
      if (load->thing.kind == model->type->kind) apply(model, load->thing.index, load, value);
      for (int32_t n = 0; load->thing.kind == CPS_THING_NONE && n < model->count; ++n) apply(model, n, load, value);
    }
  }
}
