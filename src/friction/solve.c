// The table of methods, the options, and the common entry to every method.
//
// A method improves r and passes it to cps_solve_check(). The report is measured here, outside the method: the best r
// is measured again by the common residual, and "converged" means that residual <= tolerance.
#include "capstan/solve.h"

#include "core/clock.h"
#include "core/error.h"
#include "friction/balance.h"
#include "friction/build.h"
#include "friction/contacts.h"
#include "friction/global/auto_cluster.h"
#include "friction/global/method.h"
#include "friction/polish.h"
#include "friction/refine.h"
#include "friction/residual.h"
#include "friction/rest_factor.h"
#include "friction/rheology.h"
#include "friction/rigid.h"
#include "friction/runaway.h"
#include "friction/sparse_part.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int OPTIONS_COOKIE = 0x0c0517a5;

// Contacts up to which a solve is timed by the wall clock: reading the CPU time is a system call, which takes longer than
// solving one contact.
enum { FEW = 16 };

// Residual of a guess from which Newton's method reaches the accuracy of rest.
static const double NEAR_GUESS = 1e-2;

// Operations per contact and step allowed for a search for rest by factorisations: a quarter of the cost of a step.
static const double SEEK_OPERATIONS = 8000.0;

struct CpsWorkspace {
  CpsArena arena;
  CpsPool* pool;
  int32_t pool_threads;
  CpsContactReport report;      // of the last solve, in the arena
  CpsMassFactor* factor;        // of the primal methods' system; NULL before the first
  CpsRestFactor rest;           // of the standstill
  CpsClusterWorkers* clusters;  // memory of clusters
  double rho;                   // final value of the splitting; 0: it restarts
  CpsRheology rheology;         // of problems with dashpots or cohesion
  int32_t seeks_rest;           // of the next solve: for this many steps
  CpsRest rests;                // of the last solve
};

CpsSolveOptions cps_solve_options_default(void) {
  return (CpsSolveOptions){
      .method = CPS_METHOD_AUTO,
      .local = CPS_LOCAL_MFB,
      .local_failsafe = true,
      .tolerance = 1e-8,
      .max_iterations = 10000,
      .threads = 1,
      .facets = 4,
      .facet_kind = CPS_FACETS_INNER,
      .freeze = true,
      .cookie = OPTIONS_COOKIE,
  };
}

const CpsMethodInfo* cps_method_info(CpsMethod method) {
  const CpsMethodEntry* entry = cps_method_entry(method);
  return entry ? &entry->info : NULL;
}

static CpsStatus check_options(const CpsSolveOptions* o, CpsError* error) {
  if (!o) return cps_fail(error, CPS_BAD_ARGUMENT, "options is NULL");
  if (o->cookie != OPTIONS_COOKIE) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "options was not initialised by cps_solve_options_default()");
  }
  if (!cps_method_entry(o->method)) return cps_fail(error, CPS_BAD_ARGUMENT, "unknown method %d", (int)o->method);
  if (!cps_local_solver(o->local)) return cps_fail(error, CPS_BAD_ARGUMENT, "unknown local solver %d", (int)o->local);
  if (!(o->tolerance > 0.0) || !isfinite(o->tolerance)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the tolerance is %g; it must be positive", o->tolerance);
  }
  if (o->max_iterations < 1) return cps_fail(error, CPS_BAD_ARGUMENT, "max_iterations is below 1");
  if (!(o->time_limit >= 0.0)) return cps_fail(error, CPS_BAD_ARGUMENT, "the time limit is %g", o->time_limit);
  if (o->threads < 1) return cps_fail(error, CPS_BAD_ARGUMENT, "the number of threads is below 1");
  bool any = o->method == CPS_METHOD_LEMKE;  // a segment inside the disc has two corners, but no polygon around it
  if (any ? o->facets < (o->facet_kind == CPS_FACETS_INNER ? 2 : 3) : o->facets < 4 || o->facets % 2 != 0) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the number of facets is %" PRId32 "; it must be %s", o->facets,
                    any ? "at least 2 inside and 3 outside the cone" : "even and at least 4");
  }
  if (o->facet_kind != CPS_FACETS_INNER && o->facet_kind != CPS_FACETS_OUTER) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "unknown kind of facets %d", (int)o->facet_kind);
  }
  return CPS_OK;
}

static CpsStatus check_laws(const CpsProblem* problem, const CpsMethodInfo* method, CpsError* error) {
  static const char* const NAMES[] = {"coulomb", "convex", "bilateral", "free"};
  if (!method->available) {
    return cps_fail(error, CPS_UNSUPPORTED, "method '%s' was left out of this build (it needs SuiteSparse)",
                    method->name);
  }
  for (int32_t i = 0; i < problem->contact_count; ++i) {
    if (!(method->laws & CPS_LAW_BIT(problem->law[i]))) {
      return cps_fail(error, CPS_UNSUPPORTED, "method '%s' does not support the law '%s' of contact %" PRId32,
                      method->name, NAMES[problem->law[i]], i);
    }
  }
  return CPS_OK;
}

bool cps_solve_cancelled(const CpsSolve* s) {
  return s->options->cancel && s->options->cancel(s->options->cancel_data);
}

// Limits and interrupts, checked after any iteration.
static bool go_on(CpsSolve* s, double residual) {
  double seconds = -1.0;
  if (cps_solve_cancelled(s)) {
    s->stop = CPS_INTERRUPTED;
    return false;
  }
  if (s->options->progress) {
    seconds = cps_clock_cpu() - s->start_cpu;
    CpsProgress progress = {s->iterations, residual, seconds};
    if (!s->options->progress(&progress, s->options->progress_data)) {
      s->stop = CPS_INTERRUPTED;
      return false;
    }
  }
  if (s->options->time_limit > 0.0) {
    if (seconds < 0.0) seconds = cps_clock_cpu() - s->start_cpu;
    if (seconds >= s->options->time_limit) {
      s->stop = CPS_TIME_LIMIT;
      return false;
    }
  }
  if (s->iterations >= s->options->max_iterations) {
    s->stop = CPS_NOT_CONVERGED;
    return false;
  }
  return true;
}

void cps_solve_apply_W(CpsSolve* solve, const double* x, const double* b, double* out) {
  const CpsProblem* p = solve->problem;
  if (p->factors.pair) {
    solve->v_is_best = false;
    cps_rigid_push(p, x, solve->v_scratch);
    cps_rigid_velocity(p, solve->pool, solve->v_scratch, b, out);
    return;
  }
  if (p->sparse) {
    cps_sparse_apply_W(p, solve->pool, x, b, solve->v_scratch, out);
    return;
  }
  if (!p->has_W) {
    cps_factors_push(p, solve->pool, x, solve->v_scratch);
    cps_factors_velocities(p, solve->pool, solve->v_scratch, b, out);
    return;
  }
  cps_problem_apply_W(p, x, out);
  for (int64_t k = 0; b && k < p->row_count; ++k) out[k] += b[k];
}

bool cps_solve_offer(CpsSolve* solve, const double* r, const double* u, double* residual_out) {
  const CpsProblem* p = solve->problem;
  bool own = !u;
  if (own) {
    cps_solve_apply_W(solve, r, p->b, solve->u_scratch);
    u = solve->u_scratch;
  }
  if (u == solve->u_scratch) solve->u_is_best = false;
  CpsMeasure measure = cps_residual_measure(p, solve->pool, r, u, false);
  double residual = measure.residual.natural;
  solve->scale = measure.largest_r + measure.largest_b;
  if (residual_out) *residual_out = residual;
  if (residual <= solve->options->tolerance) {
    int32_t runaway = cps_runaway_contact(p, r, u, &measure);
    if (runaway >= 0) {
      solve->no_solution = solve->no_solution || cps_contact_is_isolated(p, runaway);
      return true;
    }
  }
  if (residual < solve->best_residual) {
    solve->best_residual = residual;
    solve->u_is_best = u == solve->u_scratch;
    solve->v_is_best = own && p->factors.pair;
    memcpy(solve->best_r, r, (size_t)p->row_count * sizeof *r);
  }
  if (residual > solve->options->tolerance) return true;
  solve->stop = CPS_OK;
  return false;
}

bool cps_solve_check(CpsSolve* solve, const double* r, const double* u, double* residual_out) {
  double residual;
  solve->iterations++;
  bool unsolved = cps_solve_offer(solve, r, u, &residual);
  if (residual_out) *residual_out = residual;
  bool within = go_on(solve, residual);
  if (!unsolved) solve->stop = CPS_OK;
  return unsolved && within && !solve->no_solution;
}

bool cps_solve_tick(CpsSolve* solve) {
  solve->iterations++;
  return go_on(solve, NAN);
}

static void fill_info(const CpsSolve* s, const double* r, CpsStatus status, CpsResidual residual,
                      const CpsContactReport* report, double wall, bool few, CpsSolveInfo* info) {
  const CpsSolveOptions* o = s->options;
  bool uses_local = cps_method_entry(o->method)->info.uses_local;
  *info = (CpsSolveInfo){
      .status = status,
      .method = o->method,
      .local = uses_local ? o->local : CPS_LOCAL_COUNT,
      .local_failsafe = uses_local && o->local_failsafe,
      .residual = residual.natural,
      .residual_islands = report->worst,
      .residual_siconos = residual.siconos,
      .worst_contact = residual.worst_contact,
      .iterations = s->iterations,
      .inner_iterations = s->inner_iterations,
      .factorisations = s->factorisations,
      .local_calls = s->local_calls,
      .local_failures = s->local_failures,
      .local_fallbacks = s->local_fallbacks,
      .local_unsolved = s->local_unsolved,
      .takeoff = report->takeoff,
      .stick = report->stick,
      .slide = report->slide,
      .symmetrised = s->symmetrised,
      .asymmetry = s->problem->asymmetry,
      .bytes = (int64_t)s->arena->peak + s->outside_bytes,
      .wall_seconds = cps_clock_wall() - wall,
  };
  info->seconds = few ? info->wall_seconds : cps_clock_cpu() - s->start_cpu;
  if (o->check_identities) (void)cps_problem_identities(s->problem, r, &info->identities);
}

// Searches for impulses that hold all bodies at rest, in the memory used by the method.
static CpsStatus seek_rest(CpsWorkspace* workspace, CpsSolve* s, CpsArenaMark taken) {
  bool found;
  const bool again = workspace->seeks_rest == 1;  // bodies at rest are balanced once more: they began at rest
  const double operations = again ? 0.0 : SEEK_OPERATIONS * workspace->seeks_rest * s->problem->contact_count;
  cps_arena_release(s->arena, taken);
  CpsStatus status = cps_balance_find(s, operations, &found);
  cps_arena_release(s->arena, taken);
  if (status == CPS_OK && found && cps_balance_holds(s, again)) workspace->rests = CPS_REST_FOUND;
  return status;
}

static CpsStatus run(CpsWorkspace* workspace, const CpsProblem* problem, const CpsSolveOptions* options, double accept,
                     double* r, CpsSolveInfo* info, CpsError* error) {
  double wall = cps_clock_wall();
  const CpsMethodEntry* method = cps_method_entry(options->method);
  CpsArena* arena = &workspace->arena;
  bool few = problem->contact_count <= FEW && !options->progress && !(options->time_limit > 0.0);
  CpsSolve s = {.problem = problem,
                .options = options,
                .arena = arena,
                .pool = options->threads > 1 ? workspace->pool : NULL,
                .error = error,
                .factor = &workspace->factor,
                .rest = &workspace->rest,
                .clusters = &workspace->clusters,
                .rho = &workspace->rho,
                .best_residual = INFINITY,
                .start_cpu = few ? 0.0 : cps_clock_cpu(),
                .stop = CPS_NOT_CONVERGED};
  s.best_r = CPS_TAKE(arena, double, problem->row_count);
  s.u_scratch = CPS_TAKE(arena, double, problem->row_count);
  const CpsFactors* F = &problem->factors;
  if (!problem->has_W) {
    s.v_scratch =
        CPS_TAKE(arena, double, problem->sparse ? cps_sparse_scratch_count(problem) : F->body_offset[F->body_count]);
  }
  if (!problem->has_W && !s.v_scratch) return cps_fail(error, CPS_NO_MEMORY, "not enough memory to solve");
  if (!s.best_r || !s.u_scratch) return cps_fail(error, CPS_NO_MEMORY, "not enough memory to solve");
  size_t bytes = (size_t)problem->row_count * sizeof *r;
  // If the guess itself is already good enough, nothing runs and its bits are kept.
  memcpy(s.best_r, r, bytes);
  CpsSolveOptions first = *options;
  first.tolerance = accept;
  s.options = &first;
  bool guess = !cps_solve_offer(&s, r, NULL, NULL);
  s.options = options;
  const CpsArenaMark taken = cps_arena_mark(arena);
  const bool may_rest = options->polish && cps_balance_fits(problem);
  workspace->rests = may_rest && guess && cps_balance_holds(&s, true) ? CPS_REST_KEPT : CPS_REST_NONE;
  const bool seek = may_rest && workspace->seeks_rest > 0 && workspace->rests == CPS_REST_NONE;
  // bodies at rest after a small disturbance are balanced again; sweeps would set them in motion first
  if (seek && !guess) {
    CpsStatus status = seek_rest(workspace, &s, taken);
    if (status < 0) return status;
  }
  const bool rests = workspace->rests != CPS_REST_NONE;
  // contacts that stuck and still stick are always refined: from a close guess that is the whole solve
  bool refined = false;
  if (!guess && !rests && options->polish && !problem->sparse && s.best_residual <= NEAR_GUESS) {
    CpsStatus status = cps_refine(&s);
    cps_arena_release(arena, taken);
    if (status < 0) return status;
    refined = s.best_residual <= options->tolerance;
    if (refined) s.stop = CPS_OK;
  }
  if (!guess && !rests && !refined) {
    double* x = CPS_TAKE(arena, double, problem->row_count);
    if (!x) return cps_fail(error, CPS_NO_MEMORY, "not enough memory to solve");
    memcpy(x, r, bytes);
    CpsStatus status = problem->sparse && !method->sparse ? cps_solve_on_W(&s, method->run, x) : method->run(&s, x);
    if (status < 0) return status;
    if (s.stop != CPS_OK) (void)cps_solve_offer(&s, x, NULL, NULL);
    cps_arena_release(arena, taken);  // from here on only best_r is used
  }
  if (options->polish && s.stop == CPS_OK && !rests) {
    CpsStatus status = CPS_OK;
    if (!refined) status = cps_polish(&s, guess && !problem->sparse);  // a sweep needs W
    if (status >= 0 && !refined) status = cps_refine(&s);
    cps_arena_release(arena, taken);
    if (status >= 0 && seek) status = seek_rest(workspace, &s, taken);
    if (status < 0) return status;
  }
  if (!s.u_is_best) cps_solve_apply_W(&s, s.best_r, problem->b, s.u_scratch);
  CpsResidual residual = cps_residual_measure(problem, s.pool, s.best_r, s.u_scratch, true).residual;
  CpsStatus status = CPS_OK;
  if (!(residual.natural <= accept)) {
    status = s.no_solution ? CPS_NO_SOLUTION : s.stop == CPS_OK ? CPS_NOT_CONVERGED : s.stop;
  }
  CpsContactReport* report = &workspace->report;
  if (info && !cps_contacts_measure(problem, arena, s.pool, s.best_r, s.u_scratch, options->tolerance, report)) {
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory to report");
  }
  if (info) fill_info(&s, s.best_r, status, residual, report, wall, few, info);
  memcpy(r, s.best_r, bytes);
  if (status == CPS_OK) return cps_succeed(error);
  return cps_fail(error, status, "%s: residual %.1e after %" PRId64 " iterations (tolerance %.0e)",
                  cps_status_string(status), residual.natural, s.iterations, accept);
}

// The result of the problem in s, measured by the problem's own residual.
static CpsStatus measure_seen(CpsWorkspace* workspace, const CpsProblem* problem, const CpsSolveOptions* options,
                              const double* r, CpsSolveInfo* info, double* residual, CpsError* error) {
  CpsArena* arena = &workspace->rheology.arena;
  CpsPool* pool = options->threads > 1 ? workspace->pool : NULL;
  double *u = CPS_TAKE(arena, double, problem->row_count), *s = CPS_TAKE(arena, double, problem->row_count);
  CpsContactReport* report = &workspace->report;
  if (!u || !s || !cps_problem_velocity_of(problem, r, problem->b, u)) goto starved;
  cps_rheology_seen(problem, r, u, s);
  CpsResidual all = cps_residual_measure(problem, pool, s, u, true).residual;
  *residual = all.natural;
  if (!info) return CPS_OK;
  if (!cps_contacts_measure(problem, &workspace->arena, pool, s, u, options->tolerance, report)) goto starved;
  info->residual = all.natural;
  info->residual_siconos = all.siconos;
  info->worst_contact = all.worst_contact;
  info->residual_islands = report->worst;
  info->takeoff = report->takeoff;
  info->stick = report->stick;
  info->slide = report->slide;
  if (options->check_identities) (void)cps_problem_identities(problem, r, &info->identities);
  return CPS_OK;
starved:
  return cps_fail(error, CPS_NO_MEMORY, "not enough memory to report");
}

// Rounds that solve the problem in s more accurately until the residual of the problem itself meets the tolerance.
enum { SEEN_ROUNDS = 3 };

// A problem with dashpots or cohesion: the same law in other variables (rheology.c), solved in these.
static CpsStatus run_seen(CpsWorkspace* workspace, const CpsProblem* problem, const CpsSolveOptions* options,
                          double accept, double* r, CpsSolveInfo* info, CpsError* error) {
  CpsRheology* rheology = &workspace->rheology;
  CpsSeen seen;
  const CpsMethodInfo* method = &cps_method_entry(options->method)->info;
  if (problem->dashpot && !problem->sparse && !(method->laws & CPS_LAW_BIT(CPS_LAW_BILATERAL))) {
    return cps_fail(error, CPS_UNSUPPORTED, "method '%s' does not support dashpots of contacts", method->name);
  }
  CpsStatus status = cps_rheology_make(rheology, problem, options->threads > 1 ? workspace->pool : NULL, &seen, error);
  if (status != CPS_OK) return status;
  double *x = CPS_TAKE(&rheology->arena, double, seen.problem->row_count),
         *found = CPS_TAKE(&rheology->arena, double, problem->row_count), residual = INFINITY;
  if (!x || !found || !cps_rheology_enter(rheology, problem, &seen, r, x)) {
    status = cps_fail(error, CPS_NO_MEMORY, "not enough memory to solve");
  }
  CpsSolveOptions inner = *options;
  int64_t iterations = 0;
  double factor = 1.0;
  for (int round = 0; status >= 0 && round < SEEN_ROUNDS; ++round) {
    cps_arena_reset(&workspace->arena);
    inner.tolerance = factor * options->tolerance;
    status = run(workspace, seen.problem, &inner, factor * accept, x, info, error);
    if (status < 0) break;
    if (info) iterations += info->iterations;
    CpsStatus measured = cps_rheology_leave(rheology, problem, &seen, x, found)
                             ? measure_seen(workspace, problem, options, found, info, &residual, error)
                             : cps_fail(error, CPS_NO_MEMORY, "not enough memory to solve");
    if (measured < 0) status = measured;
    if (measured < 0 || residual <= accept || status != CPS_OK) break;
    factor *= 0.3 * accept / residual;
  }
  if (!seen.kept) cps_problem_destroy(seen.problem);
  if (status < 0) return status;
  if (status == CPS_NOT_CONVERGED || status == CPS_OK) status = residual <= accept ? CPS_OK : CPS_NOT_CONVERGED;
  memcpy(r, found, (size_t)problem->row_count * sizeof *r);
  if (info) {
    info->status = status;
    info->iterations = iterations;
  }
  if (status == CPS_OK) return cps_succeed(error);
  return cps_fail(error, status, "%s: residual %.1e (tolerance %.0e)", cps_status_string(status), residual, accept);
}

// The pool follows the requested number of threads; a solve with one thread keeps it for the next.
static CpsStatus fit_pool(CpsWorkspace* workspace, int32_t threads, CpsError* error) {
  if (threads <= 1 || threads == workspace->pool_threads) return CPS_OK;
  cps_mass_factor_destroy(workspace->factor);  // it refers to the pool
  workspace->factor = NULL;
  cps_pool_destroy(workspace->pool);
  workspace->pool_threads = 1;
  workspace->pool = cps_pool_create(threads);
  if (!workspace->pool) return cps_fail(error, CPS_NO_MEMORY, "cannot start %" PRId32 " threads", threads);
  workspace->pool_threads = threads;
  return CPS_OK;
}

static CpsStatus check_call(const CpsProblem* problem, const CpsSolveOptions* options, const double* r,
                            CpsError* error) {
  CpsStatus status = check_options(options, error);
  if (status != CPS_OK) return status;
  if (!problem || !r) return cps_fail(error, CPS_BAD_ARGUMENT, "problem or r is NULL");
  int64_t bad = cps_build_find_bad(r, problem->row_count);
  if (bad >= 0) return cps_fail(error, CPS_BAD_DATA, "entry %" PRId64 " of the first guess is not finite", bad);
  return check_laws(problem, &cps_method_entry(options->method)->info, error);
}

CpsStatus cps_workspace_create(CpsWorkspace** workspace) {
  if (!workspace) return CPS_BAD_ARGUMENT;
  CpsWorkspace* w = calloc(1, sizeof *w);
  if (!w) return CPS_NO_MEMORY;
  w->pool_threads = 1;
  *workspace = w;
  return CPS_OK;
}

void cps_workspace_destroy(CpsWorkspace* workspace) {
  if (!workspace) return;
  cps_mass_factor_destroy(workspace->factor);
  cps_rest_factor_free(&workspace->rest);
  cps_cluster_workers_free(workspace->clusters);
  cps_rheology_free(&workspace->rheology);
  cps_pool_destroy(workspace->pool);
  cps_arena_free(&workspace->arena);
  free(workspace);
}

void cps_workspace_age(CpsWorkspace* workspace) {
  cps_arena_age(&workspace->arena);
  cps_arena_reset(&workspace->arena);
  workspace->report = (CpsContactReport){0};
  cps_rest_factor_age(&workspace->rest);
  cps_cluster_workers_age(workspace->clusters);
}

void cps_workspace_forget(CpsWorkspace* workspace) {
  cps_arena_free(&workspace->arena);
  workspace->report = (CpsContactReport){0};
  cps_rest_factor_free(&workspace->rest);
  cps_cluster_workers_free(workspace->clusters);
  workspace->clusters = NULL;
}

const CpsContactReport* cps_workspace_report(const CpsWorkspace* workspace) {
  return &workspace->report;
}

void cps_workspace_seek_rest(CpsWorkspace* workspace, int32_t steps) {
  workspace->seeks_rest = steps;
}

CpsRest cps_workspace_rest(const CpsWorkspace* workspace) {
  return workspace->rests;
}

CpsStatus cps_workspace_solve_near(CpsWorkspace* workspace, const CpsProblem* problem, const CpsSolveOptions* options,
                                   double accept, bool same, double* r, CpsSolveInfo* info, CpsError* error) {
  if (!workspace) return cps_fail(error, CPS_BAD_ARGUMENT, "workspace is NULL");
  CpsStatus status = check_call(problem, options, r, error);
  if (status != CPS_OK) return status;
  status = fit_pool(workspace, options->threads, error);
  if (status != CPS_OK) return status;
  cps_arena_reset(&workspace->arena);
  workspace->arena.peak = 0;
  if (!same) workspace->rho = 0.0;
  workspace->rests = CPS_REST_NONE;
  if (cps_problem_has_rheology(problem)) return run_seen(workspace, problem, options, accept, r, info, error);
  return run(workspace, problem, options, accept, r, info, error);
}

CpsStatus cps_workspace_solve(CpsWorkspace* workspace, const CpsProblem* problem, const CpsSolveOptions* options,
                              double* r, CpsSolveInfo* info, CpsError* error) {
  return cps_workspace_solve_near(workspace, problem, options, options ? options->tolerance : 0.0, false, r, info,
                                  error);
}

CpsStatus cps_problem_solve(const CpsProblem* problem, const CpsSolveOptions* options, double* r, CpsSolveInfo* info,
                            CpsError* error) {
  CpsWorkspace workspace = {.pool_threads = 1};
  CpsStatus status = cps_workspace_solve(&workspace, problem, options, r, info, error);
  cps_mass_factor_destroy(workspace.factor);
  cps_rest_factor_free(&workspace.rest);
  cps_cluster_workers_free(workspace.clusters);
  cps_rheology_free(&workspace.rheology);
  cps_pool_destroy(workspace.pool);
  cps_arena_free(&workspace.arena);
  return status;
}
