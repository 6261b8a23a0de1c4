// Pulls: forces and springs on points of fibres, bodies and sheets.
//
//   F = curve(t) force + stiffness (target - x) - damping (x' - target')                                            (1)
//
// at theta of the step, as the models have it: rod.h, rigid_pull.c and nodal_pull.c. What springs store, stiffness |target - x|^2 / 2, is
// elastic energy; what targets, forces and the switching on and off of pulls give to it is the work of something outside.
#include "world/world.h"

#include "core/error.h"
#include "core/places.h"

#include <math.h>
#include <stdlib.h>

static const int PULL_COOKIE = 0x0c0517b5;
static const double MOST = 1e100;  // a stiffness above it overflows on the way

CpsPullDef cps_pull_def_default(void) {
  return (CpsPullDef){.until = INFINITY, .cookie = PULL_COOKIE};
}

static CpsPull* find(const CpsWorld* world, CpsPullId id) {
  if (!world || id.index < 0 || id.index >= world->pull_count) return NULL;
  CpsPull* p = &world->pulls[id.index];
  return p->there && p->generation == id.generation ? p : NULL;
}

static CpsThingKind kind_of(const CpsPull* p) {
  return p->def.at.thing.kind;
}

static const CpsFibre* fibre_of(const CpsWorld* world, const CpsPullDef* def) {
  return cps_world_find_fibre(world, (CpsFibreId){def->at.thing.index, def->at.thing.generation});
}

static CpsStatus check_sheet(const CpsWorld* world, const CpsAnchor* at, CpsError* error) {
  const CpsSheet* s = cps_world_find_sheet(world, (CpsSheetId){at->thing.index, at->thing.generation});
  if (!s) return cps_fail(error, CPS_BAD_ARGUMENT, "the sheet of a pull is not there, or was removed");
  const int32_t count = s->elastic->mesh.vertex_count;
  if (at->vertex >= 0 && at->vertex < count) return CPS_OK;
  return cps_fail(error, CPS_BAD_DATA, "a pull acts at vertex %d of a sheet of %d", (int)at->vertex, (int)count);
}

static CpsStatus check_place(const CpsWorld* world, const CpsPullDef* def, CpsError* error) {
  const CpsThing thing = def->at.thing;
  if (thing.kind == CPS_THING_BODY) {
    if (!cps_world_body_exists(world, (CpsBodyId){thing.index, thing.generation})) {
      return cps_fail(error, CPS_BAD_ARGUMENT, "the body of a pull is not there, or was removed");
    }
    if (!cps_vec3_is_finite(def->at.point)) return cps_fail(error, CPS_BAD_DATA, "the point of a pull is not finite");
    return CPS_OK;
  }
  if (thing.kind == CPS_THING_SHEET) return check_sheet(world, &def->at, error);
  if (thing.kind == CPS_THING_NONE) return cps_fail(error, CPS_BAD_ARGUMENT, "a pull does not say what it acts on");
  if (thing.kind != CPS_THING_FIBRE) {
    return cps_fail(error, CPS_UNSUPPORTED,
                    "a pull acts on a body, a fibre or a sheet, not on a thing of the kind `%s`",
                    cps_thing_kind_name(thing.kind));
  }
  const CpsFibre* f = fibre_of(world, def);
  if (!f) return cps_fail(error, CPS_BAD_ARGUMENT, "the fibre of a pull is not there, or was removed");
  // what was rounded to the length of the fibre is taken as its end
  if (!(def->at.s >= 0.0 && def->at.s <= f->rod.spec.length * (1.0 + 1e-9))) {
    return cps_fail(error, CPS_BAD_DATA, "a pull acts at %g m of a fibre of %g m", def->at.s, f->rod.spec.length);
  }
  return CPS_OK;
}

static CpsStatus check(const CpsWorld* world, const CpsPullDef* def, CpsError* error) {
  if (!world || !def) return cps_fail(error, CPS_BAD_ARGUMENT, "world or def is NULL");
  if (def->cookie != PULL_COOKIE) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the pull was not made by cps_pull_def_default()");
  }
  CpsStatus status = check_place(world, def, error);
  if (status != CPS_OK) return status;
  bool springs = def->stiffness >= 0.0 && def->stiffness < MOST && def->damping >= 0.0 && def->damping < MOST;
  if (!springs || !cps_vec3_is_finite(def->force) || !cps_vec3_is_finite(def->target) || isnan(def->from) ||
      isnan(def->until)) {
    return cps_fail(error, CPS_BAD_DATA, "a pull is not finite, or its stiffness %g or damping %g is negative",
                    def->stiffness, def->damping);
  }
  return CPS_OK;
}

// Memory for one more pull, its terms and their order.
static bool reserve(CpsWorld* world) {
  if (world->pull_count < world->pull_capacity) return true;
  int32_t capacity = world->pull_capacity ? 2 * world->pull_capacity : 8;
  CpsPull* pulls = realloc(world->pulls, (size_t)capacity * sizeof *pulls);
  if (pulls) world->pulls = pulls;
  CpsRodPull* terms = pulls ? realloc(world->pull_terms, (size_t)capacity * sizeof *terms) : NULL;
  if (terms) world->pull_terms = terms;
  CpsRigidPull* body_terms = terms ? realloc(world->body_terms, (size_t)capacity * sizeof *body_terms) : NULL;
  if (body_terms) world->body_terms = body_terms;
  CpsRigidHold* holds = body_terms ? realloc(world->holds, (size_t)capacity * sizeof *holds) : NULL;
  if (holds) world->holds = holds;
  CpsNodePull* node_terms = holds ? realloc(world->node_terms, (size_t)capacity * sizeof *node_terms) : NULL;
  if (node_terms) world->node_terms = node_terms;
  int32_t* order = node_terms ? realloc(world->pull_order, (size_t)capacity * sizeof *order) : NULL;
  if (!order) return false;
  world->pull_order = order;
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

static bool comes_before(const CpsPullDef* a, const CpsPullDef* b) {
  const CpsThing x = a->at.thing, y = b->at.thing;
  if (x.kind == y.kind) return x.index < y.index;
  return x.kind == CPS_THING_FIBRE || (y.kind != CPS_THING_FIBRE && x.kind < y.kind);
}

// Bodies, fibres and sheets point to the pulls of the last step: nothing may be left of them.
static void let_go(CpsWorld* world) {
  for (int32_t i = 0; i < world->rigid->model.count; ++i) world->rigid->bodies[i].hold = NULL;
  for (int32_t i = 0; i < world->fibres->model.count; ++i) world->fibres->fibres[i].rod.pull_count = 0;
  for (int32_t i = 0; i < world->sheets->model.count; ++i) world->sheets->member[i]->pull_count = 0;
}

// Pulls by fibre, then by body, then by sheet, those of one by place.
static void sort(CpsWorld* world) {
  let_go(world);
  int32_t count = 0;
  for (int32_t i = 0; i < world->pull_count; ++i) {
    if (!world->pulls[i].there) continue;
    int32_t k = count++;
    for (; k > 0 && comes_before(&world->pulls[i].def, &world->pulls[world->pull_order[k - 1]].def); --k) {
      world->pull_order[k] = world->pull_order[k - 1];
    }
    world->pull_order[k] = i;
  }
  world->pull_there = count;
}

CpsStatus cps_world_add_pull(CpsWorld* world, const CpsPullDef* def, CpsPullId* id, CpsError* error) {
  CpsStatus status = check(world, def, error);
  if (status != CPS_OK) return status;
  CpsPull made = {.def = *def, .there = true};
  if (kind_of(&made) == CPS_THING_FIBRE) made.def.at.s = fmin(def->at.s, fibre_of(world, def)->rod.spec.length);
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
  if (!p) return cps_fail(error, CPS_BAD_ARGUMENT, "there is no such pull, or it was removed");
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
  free(world->pull_terms);
  free(world->body_terms);
  free(world->holds);
  free(world->node_terms);
  free(world->pull_order);
}

CpsStatus cps_world_move_pull(CpsWorld* world, CpsPullId id, CpsVec3 target, CpsError* error) {
  CpsPull* p = find(world, id);
  if (!p) return cps_fail(error, CPS_BAD_ARGUMENT, "there is no such pull, or it was removed");
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

// Where the target is theta h after `now`, on the straight line that the spring sees.
static CpsVec3 target_of(const CpsModelStep* step, CpsVec3 now, CpsVec3 next) {
  return cps_vec3_axpy(now, step->theta, cps_vec3_sub(next, now));
}

static void apply_to_fibre(CpsWorld* world, CpsPull* p, const CpsModelStep* step, int32_t* count) {
  CpsRod* rod = &world->fibres->fibres[p->def.at.thing.index].rod;
  CpsVec3 now = target_at(p, world->time), next = target_at(p, world->time + step->h);
  CpsRodPull* term = &world->pull_terms[*count];
  *term = (CpsRodPull){
      .s = p->def.at.s,
      .force = cps_vec3_scale(cps_curve_mean(&p->def.curve, world->time, step), p->def.force),
      .stiffness = p->def.stiffness,
      .damping = p->def.damping,
      .target = target_of(step, now, next),
      .target_velocity = cps_vec3_scale(1.0 / step->h, cps_vec3_sub(next, now)),
      .rest = now,
  };
  if (rod->pull_count++ == 0) rod->pulls = term;
  p->term = (*count)++;
}

static void apply_to_body(CpsWorld* world, CpsPull* p, const CpsModelStep* step, int32_t* terms, int32_t* holds) {
  CpsRigidBody* b = &world->rigid->bodies[p->def.at.thing.index];
  CpsVec3 now = target_at(p, world->time), next = target_at(p, world->time + step->h);
  CpsRigidPull* term = &world->body_terms[*terms];
  *term = (CpsRigidPull){
      .point = cps_pose_apply(b->shape_pose, p->def.at.point),
      .force = cps_vec3_scale(cps_curve_mean(&p->def.curve, world->time, step), p->def.force),
      .stiffness = p->def.stiffness,
      .damping = p->def.damping,
      .target = target_of(step, now, next),
      .target_velocity = cps_vec3_scale(1.0 / step->h, cps_vec3_sub(next, now)),
      .rest = now,
  };
  term->soft = cps_rigid_pull_soft(b, term, step);
  if (!b->hold) {
    b->hold = &world->holds[(*holds)++];
    *b->hold = (CpsRigidHold){.pulls = term};
  }
  b->hold->count++;
  p->term = (*terms)++;
}

static void apply_to_sheet(CpsWorld* world, CpsPull* p, const CpsModelStep* step, int32_t* count) {
  CpsNodal* s = world->sheets->member[p->def.at.thing.index];
  CpsVec3 now = target_at(p, world->time), next = target_at(p, world->time + step->h);
  CpsNodePull* term = &world->node_terms[*count];
  *term = (CpsNodePull){
      .node = s->node[p->def.at.vertex],
      .force = cps_vec3_scale(cps_curve_mean(&p->def.curve, world->time, step), p->def.force),
      .stiffness = p->def.stiffness,
      .damping = p->def.damping,
      .target = target_of(step, now, next),
      .target_velocity = cps_vec3_scale(1.0 / step->h, cps_vec3_sub(next, now)),
      .rest = now,
  };
  if (s->pull_count++ == 0) s->pulls = term;
  p->term = (*count)++;
}

// The terms of a step that begins at world->time, and what their springs store now.
static double set_terms(CpsWorld* world, const CpsModelStep* step) {
  int32_t rod_terms = 0, body_terms = 0, holds = 0, node_terms = 0;
  double stored = 0.0;
  let_go(world);
  for (int32_t k = 0; k < world->pull_there; ++k) {
    CpsPull* p = &world->pulls[world->pull_order[k]];
    p->active = p->def.from <= world->time + 0.5 * step->h && world->time + 0.5 * step->h < p->def.until;
    if (!p->active) continue;
    const CpsThingKind kind = kind_of(p);
    if (kind == CPS_THING_SHEET) {
      apply_to_sheet(world, p, step, &node_terms);
      stored += cps_nodal_pull_stored(world->sheets->member[p->def.at.thing.index], &world->node_terms[p->term]);
    } else if (kind == CPS_THING_BODY) {
      apply_to_body(world, p, step, &body_terms, &holds);
      stored += cps_rigid_pull_stored(&world->rigid->bodies[p->def.at.thing.index], &world->body_terms[p->term]);
    } else {
      apply_to_fibre(world, p, step, &rod_terms);
      stored += cps_rod_pull_stored(&world->fibres->fibres[p->def.at.thing.index].rod, &world->pull_terms[p->term]);
    }
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

void cps_pulls_look(CpsWorld* world) {
  for (int32_t k = 0; k < world->pull_there; ++k) {
    CpsPull* p = &world->pulls[world->pull_order[k]];
    if (!p->active || kind_of(p) != CPS_THING_FIBRE) continue;
    const CpsRod* rod = &world->fibres->fibres[p->def.at.thing.index].rod;
    p->before = rod->type->at(rod, p->def.at.s).position;
  }
}

void cps_pulls_settle(CpsWorld* world, double time) {
  for (int32_t k = 0; k < world->pull_there; ++k) {
    const CpsPull* p = &world->pulls[world->pull_order[k]];
    if (!p->active) continue;
    const CpsThingKind kind = kind_of(p);
    CpsVec3* rest = kind == CPS_THING_BODY    ? &world->body_terms[p->term].rest
                    : kind == CPS_THING_SHEET ? &world->node_terms[p->term].rest
                                              : &world->pull_terms[p->term].rest;
    *rest = target_at(p, time);
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

// The works of pulls on bodies and sheets are in the books of those.
void cps_pulls_look_back(CpsWorld* world, const CpsModelStep* step) {
  for (int32_t k = 0; k < world->pull_there; ++k) {
    CpsPull* p = &world->pulls[world->pull_order[k]];
    p->last_force = cps_vec3(0.0, 0.0, 0.0);
    if (!p->active) continue;
    if (kind_of(p) == CPS_THING_SHEET) {
      p->last_force = cps_vec3_scale(1.0 / step->h, world->node_terms[p->term].impulse);
      continue;
    }
    if (kind_of(p) == CPS_THING_BODY) {
      const CpsRigidBody* b = &world->rigid->bodies[p->def.at.thing.index];
      CpsVec3 way, push = cps_rigid_pull_impulse(b, &world->body_terms[p->term], step, &way);
      p->last_force = cps_vec3_scale(1.0 / step->h, push);
      continue;
    }
    const CpsRod* rod = &world->fibres->fibres[p->def.at.thing.index].rod;
    const CpsRodPull* term = &world->pull_terms[p->term];
    CpsVec3 moved = cps_vec3_sub(rod->type->at(rod, p->def.at.s).position, p->before);
    CpsVec3 error = cps_vec3_sub(term->target, p->before);
    CpsVec3 F = cps_vec3_axpy(term->force, term->stiffness, cps_vec3_axpy(error, -step->theta, moved));
    CpsVec3 late = cps_vec3_sub(cps_vec3_scale(1.0 / step->h, moved), term->target_velocity);
    p->last_force = cps_vec3_axpy(F, -term->damping, late);
    CpsPullWork work =
        cps_pull_work(step, term->stiffness, term->damping, term->force, error, term->target_velocity, moved);
    world->energy.external += work.external;
    world->energy.linearisation += cps_vec3_dot(p->last_force, moved);  // less what the rod got
    world->energy.damping += work.damping;
    world->energy.scheme += work.scheme;
  }
}
