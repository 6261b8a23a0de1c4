// Pulls: forces and springs on points of things.
//
//   F = curve(t) force + stiffness (target - x) - damping (x' - target')                                            (1)
//
// at theta of the step, as the models have it. What springs store, stiffness |target - x|^2 / 2, is elastic energy; what targets,
// forces and the switching on and off of pulls give to it is the work of something outside.
#include "world/world.h"

#include "core/error.h"
#include "core/places.h"

#include <math.h>
#include <stdlib.h>

static const int PULL_COOKIE = 0x0c0517b5;
static const double MOST = 1e100;  // a larger stiffness overflows in intermediate results

CpsPullDef cps_pull_def_default(void) {
  return (CpsPullDef){.until = INFINITY, .cookie = PULL_COOKIE};
}

static CpsPull* find(const CpsWorld* world, CpsPullId id) {
  if (!world || id.index < 0 || id.index >= world->pull_count) return NULL;
  CpsPull* p = &world->pulls[id.index];
  return p->there && p->generation == id.generation ? p : NULL;
}

// The model on which a pull acts; NULL if there is none.
static CpsModel* model_of(const CpsWorld* world, const CpsPull* p) {
  return cps_world_population(world, p->def.at.thing.kind);
}

static CpsStatus check_place(const CpsWorld* world, const CpsPullDef* def, CpsAnchor* at, CpsError* error) {
  const CpsThingKind kind = def->at.thing.kind;
  if (kind == CPS_THING_NONE) return cps_fail(error, CPS_BAD_ARGUMENT, "a pull has no object to act on");
  const CpsModel* model = cps_world_population(world, kind);
  if (!model || !model->type->pull) {
    return cps_fail(error, CPS_UNSUPPORTED, "objects of kind `%s` cannot be pulled", cps_thing_kind_name(kind));
  }
  if (!cps_world_find_model(world, def->at.thing)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the %s of a pull does not exist or was removed", model->type->name);
  }
  *at = def->at;
  return model->type->check_pull(model, def->at.thing.index, at, error);
}

static CpsStatus check(const CpsWorld* world, const CpsPullDef* def, CpsAnchor* at, CpsError* error) {
  if (!world || !def) return cps_fail(error, CPS_BAD_ARGUMENT, "world or def is NULL");
  if (def->cookie != PULL_COOKIE) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the pull was not initialised by cps_pull_def_default()");
  }
  CpsStatus status = check_place(world, def, at, error);
  if (status != CPS_OK) return status;
  bool springs = def->stiffness >= 0.0 && def->stiffness < MOST && def->damping >= 0.0 && def->damping < MOST;
  if (!springs || !cps_vec3_is_finite(def->force) || !cps_vec3_is_finite(def->target) || isnan(def->from) ||
      isnan(def->until)) {
    return cps_fail(error, CPS_BAD_DATA,
                    "a pull has a value that is not finite, or its stiffness %g or damping %g is negative",
                    def->stiffness, def->damping);
  }
  return CPS_OK;
}

// Reserves memory for one more pull, in the order and in all models.
static bool reserve(CpsWorld* world) {
  if (world->pull_count < world->pull_capacity) return true;
  int32_t capacity = world->pull_capacity ? 2 * world->pull_capacity : 8;
  CpsPull* pulls = realloc(world->pulls, (size_t)capacity * sizeof *pulls);
  if (pulls) world->pulls = pulls;
  int32_t* order = pulls ? realloc(world->pull_order, (size_t)capacity * sizeof *order) : NULL;
  if (!order) return false;
  world->pull_order = order;
  for (int i = 0; i < world->population_count; ++i) {
    CpsModel* model = world->population[i];
    if (!model->type->pull) continue;
    model->type->let_go(model);  // members point to the pulls of the last step
    if (!model->type->reserve_pulls(model, capacity)) return false;
  }
  world->pull_capacity = capacity;
  return true;
}

static int32_t find_place(CpsWorld* world) {
  for (int32_t i = 0; i < world->pull_count; ++i) {
    if (!world->pulls[i].there) return i;
  }
  if (!reserve(world)) return -1;
  world->pulls[world->pull_count] = (CpsPull){0};
  return world->pull_count++;
}

static bool comes_before(CpsThing a, CpsThing b) {
  return a.kind != b.kind ? a.kind > b.kind : a.index < b.index;
}

// Removes all references of members to the pulls of the last step.
static void let_go(CpsWorld* world) {
  for (int i = 0; i < world->population_count; ++i) {
    CpsModel* model = world->population[i];
    if (model->type->let_go) model->type->let_go(model);
  }
}

// Sorts pulls by kind and object, and those of one object by place.
static void sort(CpsWorld* world) {
  let_go(world);
  int32_t count = 0;
  for (int32_t i = 0; i < world->pull_count; ++i) {
    if (!world->pulls[i].there) continue;
    int32_t k = count++;
    for (; k > 0 && comes_before(world->pulls[i].def.at.thing, world->pulls[world->pull_order[k - 1]].def.at.thing);
         --k) {
      world->pull_order[k] = world->pull_order[k - 1];
    }
    world->pull_order[k] = i;
  }
  world->pull_there = count;
}

CpsStatus cps_world_add_pull(CpsWorld* world, const CpsPullDef* def, CpsPullId* id, CpsError* error) {
  CpsAnchor at;
  CpsStatus status = check(world, def, &at, error);
  if (status != CPS_OK) return status;
  CpsPull made = {.def = *def, .there = true};
  made.def.at = at;
  status = cps_curve_copy(&def->curve, &made.def.curve, error);
  if (status != CPS_OK) return status;
  status = cps_motion_copy(&def->motion, &made.def.motion, error);
  int32_t place = status == CPS_OK ? find_place(world) : -1;
  if (status == CPS_OK && place < 0) status = cps_fail(error, CPS_NO_MEMORY, "not enough memory for a pull");
  if (status != CPS_OK) {
    cps_curve_free(&made.def.curve);
    return status;
  }
  made.generation = cps_generation_after(world->pulls[place].generation);
  world->pulls[place] = made;
  sort(world);
  if (id) *id = (CpsPullId){place, made.generation};
  return cps_succeed(error);
}

static void drop(CpsPull* p) {
  cps_curve_free(&p->def.curve);
  cps_motion_free(&p->def.motion);
  *p = (CpsPull){.generation = p->generation};
}

CpsStatus cps_world_remove_pull(CpsWorld* world, CpsPullId id, CpsError* error) {
  CpsPull* p = find(world, id);
  if (!p) return cps_fail(error, CPS_BAD_ARGUMENT, "the pull does not exist or was removed");
  drop(p);
  sort(world);
  return cps_succeed(error);
}

void cps_pulls_forget(CpsWorld* world, CpsThing thing) {
  for (int32_t i = 0; i < world->pull_count; ++i) {
    CpsPull* p = &world->pulls[i];
    if (p->there && cps_thing_is(p->def.at.thing, thing)) drop(p);
  }
  sort(world);
}

void cps_pulls_free(CpsWorld* world) {
  for (int32_t i = 0; i < world->pull_count; ++i) drop(&world->pulls[i]);
  free(world->pulls);
  free(world->pull_order);
}

CpsStatus cps_world_move_pull(CpsWorld* world, CpsPullId id, CpsVec3 target, CpsError* error) {
  CpsPull* p = find(world, id);
  if (!p) return cps_fail(error, CPS_BAD_ARGUMENT, "the pull does not exist or was removed");
  if (!cps_vec3_is_finite(target)) return cps_fail(error, CPS_BAD_DATA, "the target of a pull is not finite");
  cps_motion_free(&p->def.motion);
  p->def.motion = (CpsMotion){0};
  p->def.target = target;
  return cps_succeed(error);
}

CpsStatus cps_world_pull_force(const CpsWorld* world, CpsPullId id, CpsVec3* force) {
  const CpsPull* p = find(world, id);
  if (!p || !force) return CPS_BAD_ARGUMENT;
  *force = p->last_force;
  return CPS_OK;
}

static CpsVec3 target_at(const CpsPull* p, double t) {
  CpsPose start = {p->def.target, {1.0, 0.0, 0.0, 0.0}};
  return cps_motion_pose(&p->def.motion, &start, t).position;
}

// The target at theta h after `now`, on the straight line that the spring follows.
static CpsVec3 target_of(const CpsModelStep* step, CpsVec3 now, CpsVec3 next) {
  return cps_vec3_axpy(now, step->theta, cps_vec3_sub(next, now));
}

static CpsPullTerm term_of(const CpsWorld* world, const CpsPull* p, const CpsModelStep* step) {
  CpsVec3 now = target_at(p, world->time), next = target_at(p, world->time + step->h);
  return (CpsPullTerm){
      .at = p->def.at,
      .force = cps_vec3_scale(cps_curve_mean(&p->def.curve, world->time, step), p->def.force),
      .stiffness = p->def.stiffness,
      .damping = p->def.damping,
      .target = target_of(step, now, next),
      .target_velocity = cps_vec3_scale(1.0 / step->h, cps_vec3_sub(next, now)),
      .rest = now,
  };
}

// Sets the terms of a step that begins at world->time; returns the energy stored in springs.
static double set_terms(CpsWorld* world, const CpsModelStep* step) {
  double stored = 0.0;
  let_go(world);
  for (int32_t k = 0; k < world->pull_there; ++k) {
    CpsPull* p = &world->pulls[world->pull_order[k]];
    p->active = p->def.from <= world->time + 0.5 * step->h && world->time + 0.5 * step->h < p->def.until;
    if (!p->active) continue;
    CpsModel* model = model_of(world, p);
    const int32_t index = p->def.at.thing.index;
    const CpsPullTerm term = term_of(world, p, step);
    p->term = model->type->pull(model, step, index, &term);
    stored += model->type->pull_stored(model, index, p->term);
  }
  return stored;
}

void cps_pulls_apply(CpsWorld* world, const CpsModelStep* step) {
  double stored = set_terms(world, step);
  world->energy.external += stored - world->pull_energy;
}

void cps_pulls_expect(CpsWorld* world, const CpsModelStep* step) {
  (void)set_terms(world, step);
}

void cps_pulls_settle(CpsWorld* world, double time) {
  for (int32_t k = 0; k < world->pull_there; ++k) {
    const CpsPull* p = &world->pulls[world->pull_order[k]];
    if (!p->active) continue;
    CpsModel* model = model_of(world, p);
    model->type->pull_rest(model, p->term, target_at(p, time));
  }
}

void cps_pulls_restore(CpsWorld* world) {
  CpsModelStep last = {.h = world->last_h, .theta = world->def.theta, .gravity = world->def.gravity};
  double now = world->time;
  world->time = now - world->last_h;
  (void)set_terms(world, &last);
  world->time = now;
  cps_pulls_settle(world, now);
}

void cps_pulls_look_back(CpsWorld* world, const CpsModelStep* step) {
  for (int32_t k = 0; k < world->pull_there; ++k) {
    CpsPull* p = &world->pulls[world->pull_order[k]];
    p->last_force = cps_vec3(0.0, 0.0, 0.0);
    if (!p->active) continue;
    const CpsModel* model = model_of(world, p);
    CpsModelEnergy work = {0};
    p->last_force = model->type->pull_force(model, step, p->def.at.thing.index, p->term, &work);
    world->energy.external += work.external;
    world->energy.linearisation += work.linearisation;
    world->energy.damping += work.damping;
    world->energy.scheme += work.scheme;
  }
}
