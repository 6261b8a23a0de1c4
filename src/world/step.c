// One time step: predict, detect, partition, assemble, solve, advance, observe. A step that breaks a bound of the
// adaptive scheme is taken back and tried at half the length.
#include "world/world.h"

#include "core/clock.h"
#include "core/error.h"

#include <math.h>
#include <string.h>

enum { CALM = 16 };      // steps without a halving after which an adaptive step doubles
enum { RENEWALS = 4 };   // attempts with contacts that the one before has broken
enum { IMPACTS = 8 };    // the same with features of surfaces that have met
enum { MENDINGS = 4 };   // rounds in which positions are set right before a step is given up
enum { WILD = 2 };       // what passes even in such a part of the step is slowed down
enum { SINKING = 16 };   // part of the step down to which it is halved where lines get deeper than their radius
enum { THINNEST = 16 };  // part of the smallest step down to which it is halved where lines go through something
enum { THINNEST_FIXED = 1024 };                // the same of a step that does not adapt
static const double MENDED = 0.25;             // part of the bound that is left where positions are set right
static const double TOO_DEEP = 0.9;            // what fibres may sink in before the step is halved, in radii
static const double MILD = 0.5;                // bound of steps that do not adapt, in parts of the smallest radius
static const double GAIN = 0.8;                // a round that leaves more of the penetration than this is the last
static const double PATIENCE = 0.25;           // part of the step down to which it is halved where it is not solved
static const double ADDED_PENETRATION = 1e-2;  // default bound, in parts of the smallest body's inner radius

typedef struct Run {
  CpsModel* model;
  const CpsModelStep* step;
  CpsModelCall call;
} Run;

static void run(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Run* r = data;
  const CpsModelType* type = r->model->type;
  if (r->call == CPS_CALL_BEGIN) type->begin(r->model, r->step, (int32_t)first, (int32_t)last);
  if (r->call == CPS_CALL_PLACE) type->place(r->model, r->step, (int32_t)first, (int32_t)last);
  if (r->call == CPS_CALL_ADVANCE) type->advance(r->model, r->step, (int32_t)first, (int32_t)last);
}

void cps_world_run(CpsWorld* world, const CpsModelStep* step, CpsModelCall call) {
  for (int i = 0; i < world->population_count; ++i) {
    Run r = {world->population[i], step, call};
    if (call == CPS_CALL_PLACE && !r.model->type->place) continue;
    if (cps_model_is_wide(r.model)) {
      CpsModelStep wide = *step;
      wide.pool = world->pool;
      r.step = &wide;
      run(&r, 0, r.model->count, 0);
    } else {
      cps_pool_run(world->pool, r.model->count, run, &r);
    }
  }
}

// A model that blew up says so in a sentence instead of handing on numbers that are none.
static CpsStatus check_models(CpsStep* step) {
  const CpsWorld* world = step->world;
  int32_t first = 0;
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    int32_t body = model->type->broken(model);
    if (body >= 0) return cps_step_unstable(step, first + body);
    first += model->count;
  }
  return CPS_OK;
}

// Velocities that overflowed between the models and the problem: the same sentence, with a name, and not one about a matrix.
static CpsStatus check_velocities(const CpsStep* step) {
  const CpsContacts* c = &step->contacts;
  for (int32_t i = 0; i < c->count; ++i) {
    const CpsTouching* t = &c->contact[i];
    if (!isfinite(t->free[0] + t->free[1] + t->free[2])) return cps_step_unstable(step, t->a);
  }
  return CPS_OK;
}

// Members whose rounds came to nothing are not solved, whatever their contacts.
static void note_stalled(CpsStep* step) {
  const CpsWorld* world = step->world;
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    if (!model->type->stalled || model->type->stalled(model) < 0) continue;
    step->info.unsolved++;
    step->info.status = CPS_NOT_CONVERGED;
    step->unsettled = true;
  }
}

// Steps 1 to 4: free velocities, contacts, islands, the problem.
static CpsStatus prepare(CpsStep* step) {
  double start = cps_clock_wall();
  cps_world_run(step->world, &step->model, CPS_CALL_BEGIN);
  double begun = cps_clock_wall();
  CpsStatus status = check_models(step);
  if (status == CPS_OK && !cps_step_recall(step)) status = cps_step_detect(step);
  if (status == CPS_OK) status = cps_step_join_renewed(step);
  if (status == CPS_OK) status = cps_step_find_surfaces(step);
  if (status == CPS_OK) status = cps_step_find_smooth(step);
  double detected = cps_clock_wall();
  if (status == CPS_OK) status = cps_step_contacts(step);
  if (status == CPS_OK) status = check_velocities(step);
  if (status == CPS_OK) status = cps_step_islands(step);
  if (status == CPS_OK) status = cps_step_order(step);
  if (status == CPS_OK) status = cps_step_assemble(step);
  step->info.seconds_predict += begun - start;
  step->info.seconds_detect += detected - begun;
  step->info.seconds_assemble += cps_clock_wall() - detected;
  return status;
}

static void fill_info(CpsStep* step) {
  const CpsContacts* c = &step->contacts;
  int64_t dofs = c->z_start[c->island_body_start[c->island_count]];
  for (int32_t k = 0; k < c->island_count; ++k) {
    if (cps_island_is_large(c, k)) dofs += 3 * (int64_t)c->large.node_count[k];
  }
  step->info.contacts = c->touch_count;
  step->info.islands = c->island_count;
  step->info.step = step->model.h;
  step->info.penetration = step->penetration;
  step->info.deepest = step->deepest;
  if (c->island_count == 0) step->info.tolerance = step->world->def.solver.tolerance;
  step->info.nu = dofs > 0 ? 3.0 * c->count / (double)dofs : 0.0;
}

// Whether a step in which something went through something is tried again.
static bool is_mending(const CpsWorld* world) {
  return (world->def.adaptive || world->def.mend) && cps_world_line_pieces(world) > 0;
}

// The same of surfaces, whose positions are not set right.
static bool is_looking(const CpsWorld* world) {
  return (world->def.adaptive || world->def.mend) && cps_world_has_surfaces(world);
}

static double penetration_bound(const CpsWorld* world) {
  return world->def.penetration_max > 0.0 ? world->def.penetration_max : ADDED_PENETRATION * world->smallest;
}

static double smallest_step(const CpsWorldDef* def) {
  if (!def->adaptive) return def->step;
  return def->step_min > 0.0 ? def->step_min : def->step / 64.0;
}

// Lines sank into something in the step, or went through it: their positions are set right, if they can be.
static CpsStatus mend(CpsStep* step) {
  const CpsWorld* world = step->world;
  double bound = world->def.adaptive ? penetration_bound(world) : MILD * world->smallest, depth = INFINITY;
  CpsMending mending = {0};
  CpsStatus status = CPS_OK;
  for (int round = 0; status == CPS_OK && round < MENDINGS; ++round) {
    bool deep = step->world->def.adaptive && (step->depth > bound || step->sunk > 2.0 * MENDED * bound);
    if (step->info.crossings == 0 && step->sinking_count == 0 && (!deep || step->depth > GAIN * depth)) break;
    depth = step->depth;
    status = cps_step_mend(step, &mending, MENDED * bound);
  }
  const CpsWorldDef* def = &step->world->def;
  bool wild = step->model.h <= (def->adaptive ? smallest_step(def) : def->step / WILD);
  return status == CPS_OK && wild ? cps_step_calm(step, &mending) : status;
}

// One attempt with a given length.
static CpsStatus attempt(CpsStep* step) {
  CpsWorld* world = step->world;
  cps_arena_reset(step->arena);
  step->contacts = (CpsContacts){0};
  cps_obstacles_place(world, world->time, step->model.h);
  cps_fibre_ends_place(world, world->time, step->model.h);
  cps_nodal_pins_place(world, world->time, step->model.h);
  cps_loads_apply(world, &step->model);
  cps_pulls_apply(world, &step->model);
  CpsStatus status = cps_ties_begin(world, &step->model, step->error);
  if (status != CPS_OK) return status;
  CpsArenaMark empty = cps_arena_mark(step->arena), before = cps_arena_mark(step->scratch);
  status = prepare(step);
  if (status != CPS_OK) return status;
  cps_step_deepest(step);
  bool moved = false;
  if (world->def.projection && !step->unpushed && !step->kept) status = cps_step_project(step, &moved);
  if (status == CPS_OK && moved) status = cps_step_crossings(step, true);
  if (status == CPS_OK && world->def.projection && !step->unpushed && !step->kept)
    status = cps_step_push_sheets(step, &moved);
  if (status == CPS_OK && moved) {
    cps_arena_release(step->arena, empty);
    cps_arena_release(step->scratch, before);
    step->runners = (CpsRunners){0};
    step->contacts = (CpsContacts){0};
    status = prepare(step);
  }
  if (status != CPS_OK) return status;
  step->moved = moved;
  if (step->thin) status = cps_step_keep_places(step);
  double start = cps_clock_wall();
  if (status == CPS_OK) status = cps_step_solve(step);
  double solved = cps_clock_wall();
  step->info.seconds_solve += solved - start;
  if (status == CPS_OK) status = cps_step_advance(step);
  // from here on positions are those of the end, and so is what springs have in store
  if (status == CPS_OK) cps_pulls_settle(world, world->time + step->model.h);
  if (status == CPS_OK) status = check_models(step);
  if (status == CPS_OK) note_stalled(step);
  if (status == CPS_OK) status = cps_step_crossings(step, false);
  if (status == CPS_OK && is_mending(world) && world->def.projection) {
    status = mend(step);
    if (status == CPS_OK) status = check_models(step);
  }
  if (status == CPS_OK) status = cps_step_depths(step);
  if (status == CPS_OK) status = cps_step_impacts(step);
  step->info.seconds_advance += cps_clock_wall() - solved;
  if (status == CPS_OK) fill_info(step);
  return status;
}

// What is to become of an attempt.
typedef enum Verdict { GOOD, RENEW, HALVE } Verdict;

// Whether the residual is a reason for a shorter step. What a quarter of the step does not solve shorter ones rarely do.
static bool is_unsolved(const CpsStep* step) {
  const CpsWorldDef* def = &step->world->def;
  if (def->residual_max > 0.0) return step->info.residual > def->residual_max;
  return step->missed && step->model.h > PATIENCE * def->step;
}

// Whether the step may stay. Bodies that it brought into each other get contacts there, and only if that does not help a
// shorter step. Below the smallest step only lines that went through something are a reason to go on.
static CpsStatus judge(CpsStep* step, double least, double last, Verdict* verdict) {
  const CpsWorld* world = step->world;
  const bool shorter = step->model.h > least;
  double added, bound = penetration_bound(world);
  *verdict = GOOD;
  if (step->newly_met > 0 && step->renewals < IMPACTS) {
    *verdict = RENEW;
    return CPS_OK;
  }
  if (step->info.crossings > 0 && step->model.h > last) *verdict = HALVE;
  if (is_mending(world) && step->sinking_most > TOO_DEEP && step->model.h > fmax(last, world->def.step / SINKING)) {
    *verdict = HALVE;
  }
  if (step->unsettled && is_looking(world) && step->model.h > PATIENCE * world->def.step) *verdict = HALVE;
  if (shorter && (is_unsolved(step) || step->depth - step->penetration > bound)) *verdict = HALVE;
  if (*verdict == HALVE) return CPS_OK;
  CpsStatus status = step->pierced > 0 && step->thin ? cps_step_stop(step) : CPS_OK;
  if (status != CPS_OK) return status;
  status = cps_step_look_at_end(step, bound, &added);
  if (added > bound) *verdict = step->renewable && step->renewals < RENEWALS ? RENEW : shorter ? HALVE : GOOD;
  return status;
}

// What must be put back if the step is not to be.
typedef struct Before {
  void* state;
  CpsEnergy energy;
} Before;

static bool remember(CpsWorld* world, Before* before) {
  before->energy = world->energy;
  before->state = cps_arena_take(&world->scratch, (int64_t)cps_populations_size(world), 1);
  if (before->state) cps_populations_save(world, before->state);
  return before->state;
}

static void take_back(CpsWorld* world, const Before* before) {
  world->energy = before->energy;
  cps_populations_load(world, before->state);
}

// What a step that is tried again has cost so far.
static CpsStepInfo keep_times(const CpsStepInfo* info, int32_t halvings) {
  return (CpsStepInfo){.halvings = halvings,
                       .seconds_predict = info->seconds_predict,
                       .seconds_detect = info->seconds_detect,
                       .seconds_assemble = info->seconds_assemble,
                       .seconds_solve = info->seconds_solve,
                       .seconds_advance = info->seconds_advance};
}

// Down to here a step is halved where something would go through something.
static double thinnest_step(const CpsWorld* world) {
  if (!is_mending(world) && !is_looking(world)) return smallest_step(&world->def);
  return world->def.adaptive ? smallest_step(&world->def) / THINNEST : world->def.step / THINNEST_FIXED;
}

static void forget_renewed(CpsStep* step) {
  cps_arena_reset(&step->world->renewed);
  step->renewed = step->kept = NULL;
  step->met = NULL;
  step->met_count = 0;
  step->tracks = NULL;
  step->renewals = step->renewed_count = step->track_count = 0;
}

// Attempts until one is good or the step can not be shorter.
static CpsStatus find_step(CpsStep* step, const Before* before) {
  CpsWorld* world = step->world;
  double least = smallest_step(&world->def), last = thinnest_step(world);
  double h = fmin(world->h, world->def.step);
  forget_renewed(step);
  for (int32_t halvings = 0;;) {
    if (world->def.cancel && world->def.cancel(world->def.cancel_data)) {
      return cps_fail(step->error, CPS_INTERRUPTED, "the step was given up");
    }
    CpsArenaMark mark = cps_arena_mark(step->scratch);
    step->model = (CpsModelStep){.h = h, .theta = world->def.theta, .gravity = world->def.gravity};
    step->thin = is_looking(world) && !(h > last);
    step->projection_loss = 0.0;
    step->pushed = 0;
    step->missed = false;
    step->runners = (CpsRunners){0};
    step->unsettled = step->missed = false;
    step->info = keep_times(&step->info, halvings);
    CpsStatus status = attempt(step);
    Verdict verdict = GOOD;
    if (status == CPS_OK) status = judge(step, least, last, &verdict);
    // what blew up may not in a shorter step
    if (status == CPS_BAD_DATA && h > (is_mending(world) ? last : least)) verdict = HALVE, status = CPS_OK;
    if (status != CPS_OK || verdict == GOOD) return status;
    take_back(world, before);
    cps_arena_release(step->scratch, mark);
    if (verdict == RENEW) {
      step->renewals++;
      continue;
    }
    forget_renewed(step);
    ++halvings;
    // what was pushed through each other is not pushed again; shorter steps are for what moves
    if (step->pushed == 0) h = h > least ? fmax(0.5 * h, least) : fmax(0.5 * h, last);
    step->unpushed = step->unpushed || step->pushed > 0;
  }
}

// Whether a time is an even multiple of h, or none at all: steps that do not adapt are halved in place and come back to the
// times that they would have had.
static bool is_even(double time, double h) {
  double count = time / h, whole = nearbyint(count);
  return fabs(count - whole) > 1e-3 || fmod(whole, 2.0) == 0.0;
}

// The step becomes the world's.
static void accept(CpsStep* step) {
  CpsWorld* world = step->world;
  const CpsWorldDef* def = &world->def;
  const double begun = world->time;
  world->current = 1 - world->current;
  world->contacts = step->contacts;
  world->tracks = step->contacts.track;
  world->track_count = step->contacts.count;
  cps_step_tell_passes(step);
  if (step->model.h != world->last_h) {
    world->mark_time = world->time;
    world->mark_index = world->index;
  }
  world->last_h = step->model.h;
  world->index++;
  world->time = world->mark_time + (double)(world->index - world->mark_index) * world->last_h;
  cps_ties_end(step, begun);
  world->h = step->model.h;
  if (step->pierced > 0) world->entangled = true;
  world->calm = step->info.halvings > 0 ? 0 : world->calm < CALM ? world->calm + 1 : CALM;
  // what is below the smallest step was so for one moment
  int32_t calm = world->h < smallest_step(def) ? 1 : CALM;
  if (world->calm >= calm && world->h < def->step && (def->adaptive || is_even(world->time, world->h))) {
    world->h = fmin(2.0 * world->h, def->step);
    world->calm = 0;
  }
  world->energy.projection += step->projection_loss;
  cps_pulls_settle(world, world->time);
  world->last_energy = cps_world_total_energy(world, &step->model, &world->energy);
  step->info.time = world->time;
  step->info.index = world->index;
}

CpsStatus cps_world_step(CpsWorld* world, CpsStepInfo* info, CpsError* error) {
  if (!world) return cps_fail(error, CPS_BAD_ARGUMENT, "world is NULL");
  double start = cps_clock_wall();
  cps_world_close_books(world);
  cps_arena_reset(&world->scratch);
  Before before;
  if (!remember(world, &before)) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a step");
  CpsStep step = {
      .world = world, .arena = &world->arenas[1 - world->current], .scratch = &world->scratch, .error = error};
  CpsStatus status = find_step(&step, &before);
  if (status != CPS_OK) {
    take_back(world, &before);
    world->contacts.G = NULL;  // the problem of the step before is gone
    return status;
  }
  accept(&step);
  step.info.seconds = cps_clock_wall() - start;
  if (info) *info = step.info;
  if (world->observer) world->observer(world, &step.info, world->observer_data);
  if (step.info.status == CPS_OK) return cps_succeed(error);
  if (step.unsettled) {
    return cps_fail(
        error, step.info.status,
        "the velocities of a sheet or a solid did not settle at t = %.6g ms: a step shorter than %.3g ms may help",
        1e3 * world->time, 1e3 * step.info.step);
  }
  if (step.info.status == CPS_NOT_CONVERGED && !step.missed) {
    return cps_fail(error, step.info.status, "%d of %d islands jammed: their impulses grow without bound",
                    (int)step.info.unsolved, (int)step.info.islands);
  }
  return cps_fail(error, step.info.status, "%d of %d islands %s: residual %.1e (asked %.0e)", (int)step.info.unsolved,
                  (int)step.info.islands, step.info.status == CPS_NO_SOLUTION ? "have no solution" : "not solved",
                  step.info.residual, step.asked);
}
