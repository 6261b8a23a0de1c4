// The list of moving objects. The world asks a population only what model.h offers.
#include "world/world.h"

#include "core/error.h"

#include <math.h>

CpsStatus cps_world_add_population(CpsWorld* world, CpsModel* model, CpsError* error) {
  if (!model) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a world");
  if (world->population_count == CPS_POPULATIONS_MOST) {
    model->type->destroy(model);
    return cps_fail(error, CPS_UNSUPPORTED, "a world has at most %d kinds of objects", CPS_POPULATIONS_MOST);
  }
  // the model of soft contacts stays the last, since the number of its members changes from step to step
  int32_t at = world->population_count++;
  if (world->soft) world->population[at] = world->population[at - 1], --at;
  world->population[at] = model;
  world->changed = true;
  return CPS_OK;
}

void cps_populations_free(CpsWorld* world) {
  for (int i = 0; i < world->population_count; ++i) world->population[i]->type->destroy(world->population[i]);
  world->population_count = 0;
}

size_t cps_populations_size(const CpsWorld* world) {
  size_t size = 0;
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    size += model->type->state_size(model);
  }
  return size;
}

void cps_populations_save(const CpsWorld* world, void* bytes) {
  char* at = bytes;
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    model->type->save(model, at);
    at += model->type->state_size(model);
  }
}

CpsStatus cps_populations_check(const CpsWorld* world, const void* bytes, CpsError* error) {
  const char* at = bytes;
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    CpsStatus status = model->type->check(model, at, model->type->state_size(model), error);
    if (status != CPS_OK) return status;
    at += model->type->state_size(model);
  }
  return CPS_OK;
}

void cps_populations_load(CpsWorld* world, const void* bytes) {
  const char* at = bytes;
  for (int i = 0; i < world->population_count; ++i) {
    CpsModel* model = world->population[i];
    model->type->load(model, at);
    at += model->type->state_size(model);
  }
}

void cps_world_find_smallest(CpsWorld* world) {
  world->smallest = INFINITY;
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    for (int32_t k = 0; k < model->count; ++k) {
      double size = model->type->is_there(model, k) ? model->type->size(model, k) : 0.0;
      if (size > 0.0) world->smallest = fmin(world->smallest, size);
    }
  }
}

CpsModel* cps_world_population(const CpsWorld* world, CpsThingKind kind) {
  for (int i = 0; i < world->population_count; ++i) {
    if (world->population[i]->type->kind == kind) return world->population[i];
  }
  return NULL;
}

CpsModel* cps_world_find_model(const CpsWorld* world, CpsThing thing) {
  CpsModel* model = thing.kind == CPS_THING_NONE ? NULL : cps_world_population(world, thing.kind);
  bool there = model && thing.index >= 0 && thing.index < model->count && model->type->is_there(model, thing.index) &&
               model->type->generation(model, thing.index) == thing.generation;
  return there ? model : NULL;
}

int32_t cps_world_thing_count(const CpsWorld* world, CpsThingKind kind) {
  return world ? cps_world_population(world, kind)->there_count : 0;
}

CpsThing cps_world_thing(const CpsWorld* world, CpsThingKind kind, int32_t i) {
  if (i < 0 || i >= cps_world_thing_count(world, kind)) return (CpsThing){CPS_THING_NONE, 0, 0};
  const CpsModel* model = cps_world_population(world, kind);
  int32_t k = i;
  if (model->there_count < model->count) {  // some places are empty
    for (k = 0; !model->type->is_there(model, k) || i-- > 0; ++k) continue;
  }
  return (CpsThing){kind, k, model->type->generation(model, k)};
}

void cps_world_let_go(CpsWorld* world, CpsThing thing) {
  cps_pulls_forget(world, thing);
  cps_ties_forget(world, thing);
  cps_loads_forget(world, thing);
}

void cps_world_removed(CpsWorld* world) {
  cps_world_find_smallest(world);
  world->changed = true;
}

void cps_world_momentum(const CpsWorld* world, CpsVec3* linear, CpsVec3* angular) {
  CpsVec3 p = {0.0, 0.0, 0.0}, L = {0.0, 0.0, 0.0};
  for (int i = 0; world && i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    model->type->momentum(model, 0, model->count, &p, &L);
  }
  if (linear) *linear = p;
  if (angular) *angular = L;
}

CpsThing cps_member_thing(const CpsWorld* world, int32_t member) {
  if (member < 0) return (CpsThing){CPS_THING_NONE, 0, 0};
  CpsMember m = cps_world_member(world, member);
  return (CpsThing){m.model->type->kind, m.index, m.model->type->generation(m.model, m.index)};
}

uint64_t cps_member_key(const CpsWorld* world, int32_t member, int32_t piece) {
  CpsMember m = cps_world_member(world, member);
  return cps_key(m.model->type->kind, m.index, m.model->type->generation(m.model, m.index), piece);
}

static bool has_member(const CpsModel* model) {
  for (int32_t k = 0; k < model->count; ++k) {
    if (model->type->is_there(model, k)) return true;
  }
  return false;
}

bool cps_world_has_lines(const CpsWorld* world) {
  for (int i = 0; i < world->population_count; ++i) {
    if (world->population[i]->type->line && has_member(world->population[i])) return true;
  }
  return false;
}

bool cps_world_has_surfaces(const CpsWorld* world) {
  for (int i = 0; i < world->population_count; ++i) {
    if (world->population[i]->type->surface_mesh && has_member(world->population[i])) return true;
  }
  return false;
}

bool cps_world_is_plain(const CpsWorld* world) {
  return !cps_world_has_lines(world) && !cps_world_has_surfaces(world) && !cps_world_has_large(world) &&
         world->pull_there == 0 && world->tie_there == 0;
}

int64_t cps_world_line_pieces(const CpsWorld* world) {
  int64_t count = 0;
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    for (int32_t k = 0; model->type->line && k < model->count; ++k) count += model->type->line(model, k).count;
  }
  return count;
}

CpsStatus cps_step_list_lines(CpsStep* step) {
  const CpsWorld* world = step->world;
  step->lines = NULL;
  step->line_count = 0;
  step->line_pieces = cps_world_line_pieces(world);
  if (step->line_pieces == 0) return CPS_OK;
  step->lines = CPS_TAKE_ZERO(step->scratch, CpsMemberLine, cps_world_member_count(world));
  if (!step->lines) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  step->line_count = cps_world_member_count(world);
  CpsMemberLine* out = step->lines;
  for (int i = 0; i < world->population_count; out += world->population[i++]->count) {
    const CpsModel* model = world->population[i];
    for (int32_t k = 0; model->type->line && k < model->count; ++k) out[k] = model->type->line(model, k);
  }
  return CPS_OK;
}
