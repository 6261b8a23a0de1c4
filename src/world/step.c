// One time step: place, predict, detect, contacts, islands, assemble, project, solve, advance, judge, accept. judge.c decides what
// happens to an attempt that violates a bound.
#include "world/doors.h"

#include "core/clock.h"
#include "core/error.h"
#include "friction/contacts.h"

#include <math.h>
#include <string.h>

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

// Catches velocities that overflowed between the models and the problem: the message names the object instead of a matrix.
static CpsStatus check_velocities(const CpsStep* step) {
  const CpsContacts* c = &step->contacts;
  double sum = 0.0;
  for (int64_t k = 0; k < cps_contact_row(c, c->count); ++k) sum += 0.0 * c->b[k];  // NaN if any entry is not finite
  if (sum == 0.0) return CPS_OK;
  for (int32_t i = 0; i < c->count; ++i) {
    const CpsStepContact* t = &c->contact[i];
    if (!isfinite(t->free[0] + t->free[1] + t->free[2])) return cps_step_unstable(step, t->a);
  }
  return CPS_OK;
}

// Members whose iterations failed count as unsolved, whatever their contacts.
static void note_stalled(CpsStep* step) {
  const CpsWorld* world = step->world;
  int32_t first = 0;
  for (int i = 0; i < world->population_count; first += world->population[i++]->count) {
    const CpsModel* model = world->population[i];
    const int32_t stalled = model->type->stalled ? model->type->stalled(model) : -1;
    if (stalled < 0) continue;
    step->info.unsolved++;
    step->info.status = CPS_NOT_CONVERGED;
    step->unsettled = true;
    step->unsettled_member = first + stalled;
  }
}

// Steps 1 to 4: free velocities, contacts, islands, the problem.
static CpsStatus prepare(CpsStep* step) {
  double start = cps_clock_wall();
  cps_world_run(step->world, &step->model, CPS_CALL_BEGIN);
  double begun = cps_clock_wall();
  CpsStatus status = cps_step_check(step);
  if (status == CPS_OK && !cps_step_recall(step)) status = cps_step_detect(step);
  if (status == CPS_OK) status = cps_step_join_renewed(step);
  if (status == CPS_OK) status = cps_step_find_woken(step);
  if (step->wakes) return status;
  if (status == CPS_OK) status = cps_step_find_surfaces(step);
  if (status == CPS_OK) status = cps_step_find_smooth(step);
  if (status == CPS_OK) status = cps_step_find_stops(step);
  if (status == CPS_OK) status = cps_step_find_immersed(step);
  double detected = cps_clock_wall();
  if (status == CPS_OK) status = cps_step_contacts(step);
  if (status == CPS_OK) status = cps_step_islands(step);
  if (status == CPS_OK) status = cps_step_order(step);
  if (status == CPS_OK) status = cps_step_assemble(step);
  if (status == CPS_OK) status = check_velocities(step);
  step->info.seconds_predict += begun - start;
  step->info.seconds_detect += detected - begun;
  step->info.seconds_assemble += cps_clock_wall() - detected;
  return status;
}

static void fill_info(CpsStep* step) {
  const CpsContacts* c = &step->contacts;
  int64_t dofs = c->z_start[c->island_member_start[c->island_count]];
  for (int32_t k = 0; k < c->island_count; ++k) {
    if (cps_island_is_large(c, k)) dofs += 3 * (int64_t)c->large.node_count[k];
  }
  const CpsAside* aside = &step->world->aside;
  dofs += 6 * (int64_t)aside->member_count;
  step->info.contacts = c->touch_count + aside->contact_count;
  step->info.islands = c->island_count + aside->island_count;
  step->info.step = step->model.h;
  step->info.penetration = fmax(fmax(step->penetration, step->smooth_penetration), step->on_the_way.depth);
  const CpsOverlap *d = &step->deepest, *way = &step->on_the_way;
  step->info.deepest = way->depth > 0.0 && !(d->depth * way->radius > way->depth * d->radius) ? *way : *d;
  if (step->info.islands == 0) step->info.tolerance = step->world->def.solver.tolerance;
  step->info.nu = dofs > 0 ? 3.0 * (c->count + aside->contact_count) / (double)dofs : 0.0;
}

// Moves everything that acts from outside to its place in this step.
static CpsStatus place(CpsStep* step) {
  CpsWorld* world = step->world;
  cps_obstacles_place(world, world->time, step->model.h);
  cps_doors_place(world, world->time, step->model.h);
  cps_loads_apply(world, &step->model);
  cps_pulls_apply(world, &step->model);
  return cps_ties_begin(world, &step->model, step->error);
}

// Later attempts begin here: overlaps are pushed out, and the touches that remain are found, only once per step.
static bool keep_pushed_out(CpsStep* step) {
  // the state before the projection can be restored
  if (!cps_world_is_plain(step->world)) return true;
  step->pushed_out = cps_arena_take(&step->world->renewed, (int64_t)cps_populations_size(step->world), 1);
  step->pushed_loss = step->projection_loss;
  if (step->pushed_out) cps_populations_save(step->world, step->pushed_out);
  return step->pushed_out;
}

// Pushes out overlaps at the beginning, then detects contacts again.
static CpsStatus project(CpsStep* step, CpsArenaMark empty, CpsArenaMark before) {
  step->moved = false;
  if (!step->world->def.projection || step->unpushed || step->kept) return CPS_OK;
  const double stored = cps_ties_stored(step->world);  // energy of springs: their ends are pushed, too
  CpsStatus status = cps_step_project(step, &step->moved);
  if (status == CPS_OK && step->moved) status = cps_step_crossings(step, true);
  if (status == CPS_OK) status = cps_step_push_large(step, &step->moved);
  if (status != CPS_OK || !step->moved) return status;
  step->projection_loss += stored - cps_ties_stored(step->world);
  if (!keep_pushed_out(step)) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  cps_arena_release(step->arena, empty);
  cps_arena_release(step->scratch, before);
  step->runners = (CpsRunners){0};
  step->contacts = (CpsContacts){0};
  step->model.kept = true;
  return prepare(step);
}

static CpsStatus solve(CpsStep* step) {
  const double start = cps_clock_wall();
  CpsStatus status = cps_step_solve(step);
  step->info.seconds_solve += cps_clock_wall() - start;
  return status;
}

static CpsStatus advance(CpsStep* step) {
  const double start = cps_clock_wall();
  CpsStatus status = cps_step_advance(step);
  if (status != CPS_OK) return status;
  // from here on, positions and the energy of springs are those of the end of the step
  cps_pulls_settle(step->world, step->world->time + step->model.h);
  status = cps_step_check(step);
  if (status == CPS_OK) note_stalled(step);
  step->info.seconds_advance += cps_clock_wall() - start;
  return status;
}

// One attempt with a given step length: advances everything.
static CpsStatus attempt(CpsStep* step) {
  cps_arena_reset(step->arena);
  step->contacts = (CpsContacts){0};
  CpsStatus status = place(step);
  if (status != CPS_OK) return status;
  const CpsArenaMark empty = cps_arena_mark(step->arena), before = cps_arena_mark(step->scratch);
  status = prepare(step);
  if (status != CPS_OK || step->wakes) return status;
  if (!step->pushed_out) cps_step_deepest(step);
  status = project(step, empty, before);
  if (step->wakes || (status == CPS_OK && cps_step_is_doomed(step))) return status;
  if (status == CPS_OK && step->thin) status = cps_step_keep_places(step);
  if (status == CPS_OK) status = solve(step);
  return status == CPS_OK ? advance(step) : status;
}

// State to restore if the step is rejected.
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

// Cost so far of a step that is repeated.
static CpsStepInfo keep_times(const CpsStepInfo* info, int32_t halvings) {
  return (CpsStepInfo){.halvings = halvings,
                       .seconds_predict = info->seconds_predict,
                       .seconds_detect = info->seconds_detect,
                       .seconds_assemble = info->seconds_assemble,
                       .seconds_solve = info->seconds_solve,
                       .seconds_advance = info->seconds_advance};
}

static void forget_renewed(CpsStep* step) {
  cps_arena_reset(&step->world->renewed);
  step->renewed = step->kept = NULL;
  step->pushed_out = NULL;
  step->met = NULL;
  step->met_count = step->smooth_met_count = 0;
  step->smooth_met = NULL;
  step->tracks = NULL;
  step->renewals = step->renewed_count = step->track_count = 0;
}

// Whether idle islands must take part, so that the step starts over. Islands that stay idle assume the step length at which they became
// idle.
static CpsStatus wake(CpsStep* step, const Before* before, bool all) {
  const CpsStatus status = cps_world_wake(step->world, all ? NULL : step->wakes, step->error);
  step->wakes = NULL;
  if (status != CPS_OK) return status;
  take_back(step->world, before);
  forget_renewed(step);
  step->attempts = 0;
  step->unpushed = false;
  return CPS_OK;
}

// Repeats attempts until one is accepted or the step has its minimum length.
static CpsStatus find_step(CpsStep* step, const Before* before) {
  CpsWorld* world = step->world;
  double h = fmin(world->h, world->def.step);
  forget_renewed(step);
  for (int32_t halvings = 0;;) {
    if (world->def.cancel && world->def.cancel(world->def.cancel_data)) {
      return cps_fail(step->error, CPS_INTERRUPTED, "the step was given up");
    }
    CpsArenaMark mark = cps_arena_mark(step->scratch);
    step->model =
        (CpsModelStep){.h = h, .whole = world->def.step, .theta = world->def.theta, .gravity = world->def.gravity};
    step->model.tolerance = world->def.solver.tolerance;
    step->model.is_stopped = cps_world_is_stopped;
    step->model.obstacles = world;
    step->model.is_covered = cps_step_is_covered;
    step->model.covers = step;
    step->model.t = &world->time;
    step->model.kept = step->model.again = step->renewals > 0;
    step->thin = cps_step_is_thinnest(world, h);
    step->projection_loss = step->pushed_out ? step->pushed_loss : 0.0;
    step->pushed = 0;
    step->runners = (CpsRunners){0};
    step->unsettled = step->missed = false;
    step->info = keep_times(&step->info, halvings);
    ++step->attempts;
    CpsVerdict verdict = CPS_VERDICT_GOOD;
    CpsStatus status = attempt(step);
    if (!step->wakes) status = cps_step_judge(step, status, &verdict);
    if (step->wakes || (verdict == CPS_VERDICT_HALVE && world->aside.island_count > 0)) {
      if (status == CPS_OK) status = wake(step, before, verdict == CPS_VERDICT_HALVE);
      cps_arena_release(step->scratch, mark);
      if (status != CPS_OK) return status;
      continue;
    }
    if (status != CPS_OK || verdict == CPS_VERDICT_GOOD) return status;
    take_back(world, before);
    cps_arena_release(step->scratch, mark);
    if (verdict == CPS_VERDICT_RENEW) {
      if (step->pushed_out) cps_populations_load(world, step->pushed_out);
      step->renewals++;
      continue;
    }
    forget_renewed(step);
    ++halvings;
    h = cps_step_halved(step);
  }
}

// Finds the member that lost most of its spin in free flight.
static void find_lost_spin(CpsStep* step) {
  CpsWorld* world = step->world;
  int32_t first = 0;
  for (int i = 0; i < world->population_count; first += world->population[i++]->count) {
    const CpsModel* model = world->population[i];
    double part = 0.0;
    const int32_t member = model->type->lost_spin ? model->type->lost_spin(model, &part) : -1;
    if (member < 0 || !(part > step->info.spin_lost)) continue;
    step->info.spin_lost = part;
    step->info.spinning = cps_member_thing(world, first + member);
  }
}

// Accepts the step.
static void accept(CpsStep* step) {
  CpsWorld* world = step->world;
  const double begun = world->time;
  world->current = 1 - world->current;
  world->contacts = step->contacts;
  world->tracks = step->contacts.track;
  world->track_count = step->contacts.touch_count + step->contacts.tie_count;
  cps_step_tell_passes(step);
  if (step->model.h != world->last_h) {
    world->mark_time = world->time;
    world->mark_index = world->index;
  }
  world->last_h = step->model.h;
  world->index++;
  world->time = world->mark_time + (double)(world->index - world->mark_index) * world->last_h;
  cps_ties_end(step, begun);
  cps_step_find_torn(step);
  if (step->pierced > 0) world->entangled = true;
  cps_step_set_next(step);
  world->energy.projection += step->projection_loss;
  cps_pulls_settle(world, world->time);
  world->last_energy = cps_world_total_energy(world, &step->model, &world->energy);
  fill_info(step);
  find_lost_spin(step);
  step->info.time = world->time;
  step->info.index = world->index;
  step->info.made = cps_step_energy_made(step);
  if (!(step->info.made > 0.0)) return;
  step->info.unsolved++;
  if (step->info.status == CPS_OK) step->info.status = CPS_NOT_CONVERGED;
}

enum { AGE = 64 };  // steps

// Releases memory that an impact or a hard solve needed, once steps no longer need it.
static void age(CpsWorld* world) {
  CpsArena* arenas[] = {&world->arenas[0], &world->arenas[1], &world->touches, &world->scratch, &world->renewed};
  for (size_t i = 0; i < sizeof arenas / sizeof *arenas; ++i) cps_arena_age(arenas[i]);
  for (int32_t i = 0; i < world->pool_threads; ++i) cps_workspace_age(world->solvers[i].workspace);
}

CpsStatus cps_world_step(CpsWorld* world, CpsStepInfo* info, CpsError* error) {
  if (!world) return cps_fail(error, CPS_BAD_ARGUMENT, "world is NULL");
  if (cps_world_repeats(world)) return cps_world_repeat(world, info, error);
  double start = cps_clock_wall();
  CpsStatus status = cps_world_set_aside(world, error);
  if (status != CPS_OK) return status;
  cps_world_close_books(world);
  if (world->index % AGE == AGE - 1) age(world);
  cps_arena_reset(&world->scratch);
  Before before;
  if (!remember(world, &before)) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a step");
  CpsStep step = {.world = world,
                  .arena = &world->arenas[1 - world->current],
                  .scratch = &world->scratch,
                  .aside = true,
                  .surplus = cps_world_surplus(world),
                  .booked = &before.energy,
                  .error = error};
  status = find_step(&step, &before);
  if (status == CPS_OK) status = cps_step_show_aside(&step);
  if (status != CPS_OK) {
    take_back(world, &before);
    world->contacts.G = NULL;  // the problem of the previous step no longer exists
    return status;
  }
  accept(&step);
  cps_step_find_still(&step);
  step.info.seconds = cps_clock_wall() - start;
  if (info) *info = step.info;
  if (world->observer) world->observer(world, &step.info, world->observer_data);
  if (step.info.status == CPS_OK) return cps_succeed(error);
  if (step.info.made > 0.0) return cps_step_runaway(&step);
  if (step.unsettled) {
    char name[CPS_MEMBER_TEXT];
    return cps_fail(error, step.info.status,
                    "the velocities of %s did not converge at t = %.6g ms: a step shorter than %.3g ms may help",
                    cps_member_text(world, step.unsettled_member, name), 1e3 * world->time, 1e3 * step.info.step);
  }
  if (step.torn >= 0) {
    char name[CPS_MEMBER_TEXT];
    return cps_fail(
        error, step.info.status,
        "%s cannot be kept at t = %.6g ms and is %.3g m out of place: ties or motions contradict each other",
        cps_tie_text(world, step.torn, name), 1e3 * world->time, cps_tie_apart(world, &world->ties[step.torn]));
  }
  if (step.info.status == CPS_NOT_CONVERGED && !step.missed) {
    return cps_fail(error, step.info.status, "%d of %d islands jammed: their impulses grow without bound",
                    (int)step.info.unsolved, (int)step.info.islands);
  }
  return cps_fail(error, step.info.status, "%d of %d islands %s: residual %.1e (tolerance %.0e)",
                  (int)step.info.unsolved, (int)step.info.islands,
                  step.info.status == CPS_NO_SOLUTION ? "have no solution" : "not solved", step.info.residual,
                  step.asked);
}
