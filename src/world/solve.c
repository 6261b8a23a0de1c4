// Step 5: solves each island separately. Small islands are distributed over the threads; large ones use all threads, one after
// the other. The result is bit-identical either way.
#include "world/world.h"

#include "core/error.h"
#include "friction/contacts.h"
#include "friction/refill.h"

#include <math.h>

// Number of steps between attempts to find impulses that keep a solved island at rest, which may cost a hundred
// sweeps without success; and between longer attempts.
enum { SEEK_REST = 32, SEEK_LONG = 512 };
enum { TAMINGS = 6 };  // solves that search for the largest restitution without energy gain
enum { LARGE = 512 };  // contacts from which an island gets all threads, as with a large member of many nodes

// A jam: impulses exceed the load of the island by the first factor, and their error exceeds the second fraction of it.
static const double JAM_IMPULSE = 4e4, JAM_ERROR = 1e-2;

// An island is in motion if it has more contacts than LARGE_MOTION (smaller ones may not creep, and are cheap to
// solve) and at least the fraction MOVING of them is faster than FAST times the tolerance of motion times g h, and
// never needs to exceed g h, the speed gained in a step of free fall. Islands at rest are slower by far, even if
// solved to that tolerance, which leaves errors of 10 to 100 tolerances times g h (docs/theory/tolerance.md).
enum { LARGE_MOTION = 500 };
static const double MOVING = 0.01, FAST = 1000.0;
static const double NEARLY = 2.0;  // in tolerances: a solve that ended this close is continued once

typedef struct Outcome {
  CpsStatus status;
  bool moving;
  double tolerance;
  int32_t solves;
  CpsSolveInfo info;
  CpsError error;
} Outcome;

typedef struct Solving {
  CpsStep* step;
  CpsSolveOptions options;
  Outcome* outcomes;
} Solving;

CpsStatus cps_island_fill(const CpsIslandTask* task) {
  const CpsStep* step = task->step;
  CpsIslandSolver* solver = &step->world->solvers[task->worker];
  CpsContactsDef def = cps_island_contacts(&step->contacts, task->k);
  // with more than one thread, islands are solved one at a time, so that the pool is free
  CpsPool* pool = task->options->threads > 1 ? step->world->pool : NULL;
  CpsSparseForm sparse = cps_island_sparse_form(step, task->k);
  CpsCholesky* factor = cps_island_factor(step, task->k);
  if (factor) cps_cholesky_use(factor, pool);
  // the first island of a solver gets the factor too: the elimination order must not depend on which island comes first
  bool fresh = !solver->large;
  CpsStatus done = fresh ? cps_problem_from_sparse(&def, &sparse, &solver->large, task->error) : CPS_OK;
  if (done == CPS_OK && (!fresh || factor)) {
    done = cps_problem_refill_sparse_on(solver->large, &def, &sparse, factor, pool, task->error);
  }
  return done;
}

CpsStatus cps_island_solve(const CpsIslandTask* task, double* r) {
  const CpsContacts* c = &task->step->contacts;
  CpsIslandSolver* solver = &task->step->world->solvers[task->worker];
  double* own = r + cps_contact_row(c, c->island_start[task->k]);
  if (cps_island_is_large(c, task->k)) {
    CpsStatus done = cps_island_fill(task);
    if (done != CPS_OK) return done;
    return cps_workspace_solve(solver->workspace, solver->large, task->options, own, task->info, task->error);
  }
  CpsContactsDef def = cps_island_contacts(c, task->k);
  CpsFactoredForm form = cps_island_form(c, task->k);
  CpsPool* pool = task->options->threads > 1 ? task->step->world->pool : NULL;
  CpsStatus status = CPS_OK;
  if (!solver->problem) {
    // an empty problem: a filled one would keep memory for a copy of the rows
    const int64_t none = 0;
    CpsContactsDef no_contacts = cps_contacts_def_default();
    CpsFactoredForm no_rows = {.contact_start = &none};
    status = cps_problem_from_bodies(&no_contacts, &no_rows, &solver->problem, task->error);
  }
  if (status == CPS_OK) status = cps_problem_refill_borrowed(solver->problem, &def, &form, pool, task->error);
  if (status != CPS_OK) return status;
  cps_problem_set_connected(solver->problem);
  return cps_workspace_solve(solver->workspace, solver->problem, task->options, own, task->info, task->error);
}

CpsStatus cps_island_solve_again(const CpsIslandTask* task, double accept, bool same) {
  const CpsContacts* c = &task->step->contacts;
  CpsIslandSolver* solver = &task->step->world->solvers[task->worker];
  CpsContactsDef def = cps_island_contacts(c, task->k);
  CpsStatus status = cps_problem_refill_b(solver->large, &def, task->error);
  if (status != CPS_OK) return status;
  return cps_workspace_solve_near(solver->workspace, solver->large, task->options, accept, same,
                                  c->r + cps_contact_row(c, c->island_start[task->k]), task->info, task->error);
}

// The residual is relative to the largest impulse. In a jam (a strut driven into a corner: Painleve), impulses that
// grow without bound make it arbitrarily small although nothing is solved. Only the error relative to the driving
// velocities reveals this.
static bool is_jammed(const CpsStep* step, int32_t k, int worker, double residual) {
  const CpsContacts* c = &step->contacts;
  const CpsContactReport* report = cps_workspace_report(step->world->solvers[worker].workspace);
  const double largest = report->largest_r, driving = report->driving;
  if (!(largest > JAM_IMPULSE * driving && residual * (largest + driving) > JAM_ERROR * driving)) return false;
  // only contacts jam: the impulses between ties, compared with the load, mean nothing
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    if (c->order[i] < c->touch_count) return true;
  }
  return false;
}

typedef struct Reporting {
  const CpsContacts* contacts;
  const CpsContactReport* report;
  int32_t first;
} Reporting;

static void report_range(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Reporting* work = data;
  const CpsContacts* c = work->contacts;
  for (int64_t i = first; i < last; ++i) {
    CpsStepContact* t = &c->contact[c->order[work->first + i]];
    t->status = (uint8_t)work->report->status[i];
    t->residual = work->report->residual[i];
  }
}

// Copies the state and the error of each contact from the solve.
static void report_contacts(const CpsStep* step, int32_t k, int worker, CpsPool* pool) {
  const CpsContacts* c = &step->contacts;
  Reporting work = {c, cps_workspace_report(step->world->solvers[worker].workspace), c->island_start[k]};
  cps_pool_run(pool, c->island_start[k + 1] - c->island_start[k], report_range, &work);
}

// Speed above which a contact counts as moving.
static double slow(const CpsStep* step, double tolerance) {
  return fmin(1.0, FAST * tolerance) * step->model.h * cps_vec3_norm(step->model.gravity);
}

static bool is_moving(const CpsStep* step, int32_t k, double tolerance) {
  const CpsContacts* c = &step->contacts;
  const double speed = slow(step, tolerance);
  const int32_t first = c->island_start[k], last = c->island_start[k + 1];
  int32_t faster = 0;
  if (last - first <= LARGE_MOTION || !(speed > 0.0)) return false;
  for (int32_t i = first; i < last; ++i) {
    faster += c->ends[c->order[i]].speed2 > speed * speed;
  }
  return faster >= MOVING * (last - first);
}

// Whether an island was never solved: it has no impulses from the previous step. If it starts from rest, its initial
// velocities do not tell whether it stays at rest.
static bool is_cold(const CpsStep* step, int32_t k) {
  const CpsContacts* c = &step->contacts;
  const int32_t first = c->island_start[k], last = c->island_start[k + 1];
  if (last - first < LARGE || cps_island_is_large(c, k)) return false;
  for (int64_t i = cps_contact_row(c, first); i < cps_contact_row(c, last); ++i) {
    if (c->r[i] != 0.0) return false;
  }
  return true;
}

// Whether the computed impulses set the island in motion.
static bool sets_off(CpsStep* step, int32_t k, int worker, double tolerance) {
  const CpsContacts* c = &step->contacts;
  const double speed = slow(step, tolerance);
  const int32_t first = c->island_start[k], last = c->island_start[k + 1];
  double* u = CPS_TAKE(step->scratch, double, 3 * (int64_t)(last - first));
  if (!u || cps_problem_velocity(step->world->solvers[worker].problem, c->r + cps_contact_row(c, first), u) != CPS_OK)
    return false;
  int32_t faster = 0;
  for (int32_t i = 0; i < last - first; ++i) {
    const double* v = u + 3 * (int64_t)i;
    faster += v[0] * v[0] + v[1] * v[1] + v[2] * v[2] > speed * speed;
  }
  return faster >= MOVING * (last - first);
}

// Budget for seeking rest in this step, as a number of steps (friction/contacts.h); 0: none. An island that stood
// still since the last step is balanced again: its contacts then stay in place.
static int32_t seeks_rest(const CpsStep* step, int32_t k) {
  const CpsContacts* c = &step->contacts;
  if (step->world->index % SEEK_LONG == SEEK_LONG - 1) return SEEK_LONG;
  if (step->world->index % SEEK_REST == SEEK_REST - 1) return SEEK_REST;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    if (c->ends[c->order[i]].speed2 != 0.0) return 0;
  }
  return 1;
}

static void solve_to(Solving* s, int32_t k, int worker, const CpsSolveOptions* options, Outcome* out) {
  const CpsContacts* c = &s->step->contacts;
  const CpsIslandTask task = {s->step, k, worker, options, &out->info, &out->error};
  out->tolerance = options->tolerance;
  if (cps_island_is_large(c, k)) {
    const bool full = s->step->world->def.coupling == CPS_COUPLING_FULL;
    out->status = full ? cps_island_newton(&task) : cps_island_split(&task);
    return;
  }
  CpsWorkspace* workspace = s->step->world->solvers[worker].workspace;
  cps_workspace_seek_rest(workspace, seeks_rest(s->step, k));
  out->status = cps_island_solve(&task, c->r);
  cps_workspace_seek_rest(workspace, 0);
  CpsRest rest = out->status == CPS_OK ? cps_workspace_rest(workspace) : CPS_REST_NONE;
  // impulses kept by a later solve are not those with which the step began
  if (out->solves++ > 0 && rest == CPS_REST_KEPT) rest = CPS_REST_FOUND;
  c->rest[k] = (uint8_t)rest;
  if (out->status != CPS_NOT_CONVERGED || !(out->info.residual < NEARLY * options->tolerance)) return;
  // a large island that starts to move may need a few more iterations than allowed
  const int64_t iterations = out->info.iterations;
  out->status = cps_island_solve(&task, c->r);
  out->info.iterations += iterations;
}

static bool went_well(const Outcome* out) {
  return out->status >= 0 && out->status != CPS_INTERRUPTED;
}

// Solves again with smaller restitution if it created energy (rebound.c).
static void tame(Solving* s, int32_t k, int worker, const CpsSolveOptions* options, Outcome* out) {
  const CpsContacts* c = &s->step->contacts;
  const CpsIslandTask task = {s->step, k, worker, options, &out->info, &out->error};
  // the split of friction and elasticity is only for comparison, and its last problem is incomplete
  if (cps_island_is_large(c, k) && s->step->world->def.coupling != CPS_COUPLING_FULL) return;
  if (!went_well(out) || !cps_island_bounces(c, k) || !cps_island_gains(&task)) return;
  double least = 0.0, most = 1.0, part = 0.0;
  bool local = cps_island_blame(s->step, k);
  if (local) {
    cps_island_rebound(s->step, k, 0.0, true);
    solve_to(s, k, worker, options, out);
    local = went_well(out) && !cps_island_gains(&task);
  }
  for (int i = 0; i < TAMINGS && went_well(out); ++i) {
    part = 0.5 * (least + most);
    cps_island_rebound(s->step, k, part, local);
    solve_to(s, k, worker, options, out);
    *(went_well(out) && cps_island_gains(&task) ? &most : &least) = part;
  }
  if (!went_well(out) || part == least) return;
  cps_island_rebound(s->step, k, least, local);
  solve_to(s, k, worker, options, out);
}

static void solve_one(Solving* s, int32_t k, int worker, int32_t threads) {
  const CpsContacts* c = &s->step->contacts;
  Outcome* out = &s->outcomes[k];
  CpsSolveOptions options = s->options;
  options.threads = threads;
  const double motion = cps_world_def_motion_tolerance(&s->step->world->def), rest = options.tolerance;
  out->moving = is_moving(s->step, k, motion);
  const bool cold = !out->moving && motion > rest && is_cold(s->step, k);
  if (out->moving || cold) options.tolerance = motion;
  // solving for velocities transmits pressure through a whole heap at once; sweeps move it by one cell each
  const bool own = options.method == CPS_METHOD_AUTO && cps_island_has_own(&s->step->contacts, k);
  if (own) options.method = CPS_METHOD_SPLITTING;
  solve_to(s, k, worker, &options, out);
  if (cold && out->status >= 0 && out->status != CPS_INTERRUPTED) {
    out->moving = sets_off(s->step, k, worker, motion);
    options.tolerance = rest;
    if (!out->moving) solve_to(s, k, worker, &options, out);
  }
  if (own && out->status == CPS_NOT_CONVERGED) {
    options.method = CPS_METHOD_AUTO;
    solve_to(s, k, worker, &options, out);
  }
  if (c->u) tame(s, k, worker, &options, out);
  if (out->status >= 0) report_contacts(s->step, k, worker, threads > 1 ? s->step->world->pool : NULL);
  if (out->status == CPS_OK && is_jammed(s->step, k, worker, out->info.residual)) out->status = CPS_NOT_CONVERGED;
}

static bool is_large(const CpsContacts* c, int32_t k) {
  return c->island_start[k + 1] - c->island_start[k] >= LARGE || cps_island_is_wide(c, k);
}

static void solve_small(void* data, int64_t first, int64_t last, int worker) {
  Solving* s = data;
  for (int64_t k = first; k < last; ++k) {
    if (!is_large(&s->step->contacts, (int32_t)k)) solve_one(s, (int32_t)k, worker, 1);
  }
}

// The member that blew up in an island without a factor: the one with the largest entry of M~.
static int32_t find_largest(const CpsStep* step, int32_t k) {
  const CpsLargeRows* l = &step->contacts.large;
  int32_t worst = l->member[l->island_start[k]];
  double most = 0.0;
  for (int32_t i = l->island_start[k]; i < l->island_start[k + 1]; ++i) {
    const CpsMember m = cps_world_member(step->world, l->member[i]);
    const CpsLargeMass mass = m.model->type->mass(m.model, m.index);
    for (int32_t n = 0; n < mass.nodes; ++n) {
      const double* D = mass.value + 9 * (mass.start[n + 1] - 1);
      const double size = fmax(D[0], fmax(D[4], D[8]));
      if (size <= most) continue;
      most = size;
      worst = l->member[i];
    }
  }
  return worst;
}

// Sums up the islands; an error of an island becomes the error of the step.
static CpsStatus report(CpsStep* step, const Outcome* outcomes) {
  CpsStepInfo* info = &step->info;
  for (int32_t k = 0; k < step->contacts.island_count; ++k) {
    const Outcome* out = &outcomes[k];
    if (out->status == CPS_BAD_DATA && cps_island_is_large(&step->contacts, k))
      return cps_step_unstable(step, find_largest(step, k));
    if (out->status < 0) return cps_fail(step->error, out->status, "%s", out->error.text);
    CpsIslandTold* told = &step->contacts.told[k];
    told->residual = out->info.residual;
    told->tolerance = out->tolerance;
    told->iterations = out->info.iterations;
    told->moving = out->moving;
    info->residual = fmax(info->residual, out->info.residual);
    if (out->info.iterations > info->iterations) info->iterations = out->info.iterations;
    info->moving += out->moving;
    info->tolerance = fmax(info->tolerance, out->tolerance);
    if (out->info.residual > out->tolerance) {
      if (out->info.residual == info->residual) step->asked = out->tolerance;
      step->missed = true;
    }
    if (out->status == CPS_OK) continue;
    info->unsolved++;
    if (out->status == CPS_NOT_CONVERGED && cps_island_is_large(&step->contacts, k) &&
        out->info.residual <= out->tolerance) {
      step->unsettled = true;
      step->unsettled_member = step->contacts.large.member[step->contacts.large.island_start[k]];
    }
    // the more serious status wins: interrupted, no solution, then not converged
    if (out->status == CPS_INTERRUPTED) return cps_fail(step->error, CPS_INTERRUPTED, "the step was given up");
    if (info->status == CPS_OK || out->status == CPS_NO_SOLUTION) info->status = out->status;
  }
  const CpsAside* aside = &step->world->aside;
  for (int32_t k = 0; step->aside && k < aside->island_count; ++k) {
    const CpsIslandTold* told = &aside->island[k].told;
    info->residual = fmax(info->residual, told->residual);
    if (told->iterations > info->iterations) info->iterations = told->iterations;
    info->moving += told->moving;
    info->tolerance = fmax(info->tolerance, told->tolerance);
  }
  return CPS_OK;
}

// Reserves memory for velocities if any contact has restitution.
static bool take_velocities(CpsStep* step) {
  CpsContacts* c = &step->contacts;
  bool bounces = false;
  for (int32_t k = 0; k < c->island_count && !bounces; ++k) bounces = cps_island_bounces(c, k);
  c->u = bounces ? CPS_TAKE(step->scratch, double, cps_contact_row(c, c->count)) : NULL;
  c->blamed = bounces ? CPS_TAKE_ZERO(step->scratch, bool, cps_world_member_count(step->world)) : NULL;
  return (c->u && c->blamed) || !bounces;
}

CpsStatus cps_step_solve(CpsStep* step) {
  CpsContacts* c = &step->contacts;
  CpsWorld* world = step->world;
  c->rest = CPS_TAKE_ZERO(step->scratch, uint8_t, c->island_count);
  Solving s = {step, world->def.solver, CPS_TAKE_ZERO(step->scratch, Outcome, c->island_count)};
  c->told = CPS_TAKE_ZERO(&world->touches, CpsIslandTold, c->island_count + 1);
  const CpsArenaMark mark = cps_arena_mark(step->scratch);
  if (!s.outcomes || !c->rest || !c->told || !take_velocities(step))
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for %d islands", (int)c->island_count);
  s.options.polish = world->def.polish;
  s.options.progress = NULL;
  s.options.cancel = world->def.cancel;
  s.options.cancel_data = world->def.cancel_data;
  cps_pool_run(world->pool, c->island_count, solve_small, &s);
  for (int32_t k = 0; k < c->island_count; ++k) {
    if (is_large(c, k)) solve_one(&s, k, 0, world->pool_threads);
  }
  cps_arena_release(step->scratch, mark);
  c->u = NULL;
  c->blamed = NULL;
  return report(step, s.outcomes);
}
