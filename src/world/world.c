// Making, configuring and freeing a world.
#include "world/doors.h"

#include "core/error.h"

#include <math.h>
#include <stdlib.h>

static const int WORLD_COOKIE = 0x0c0517b0;

static const double TOLERANCE = 1e-6, TOLERANCE_MOTION = 1e-4;  // docs/theory/tolerance.md

CpsWorldDef cps_world_def_default(void) {
  CpsWorldDef def = {
      .gravity = {0.0, 0.0, -9.81},
      .step = 1e-3,
      .theta = 1.0,
      .mend = true,
      .projection = true,
      .slop = -1.0,
      .mu = 0.5,
      .mu_everywhere = NAN,
      .polish = true,
      .threads = 1,
      .solver = cps_solve_options_default(),
      .cookie = WORLD_COOKIE,
  };
  def.solver.tolerance = TOLERANCE;
  def.solver.max_iterations = 1000;
  return def;
}

double cps_world_def_motion_tolerance(const CpsWorldDef* def) {
  if (def->motion_tolerance > 0.0) return fmax(def->motion_tolerance, def->solver.tolerance);
  return def->solver.tolerance == TOLERANCE ? TOLERANCE_MOTION : def->solver.tolerance;
}

static CpsStatus check_step(const CpsWorldDef* d, CpsError* error) {
  if (!cps_vec3_is_finite(d->gravity)) return cps_fail(error, CPS_BAD_DATA, "gravity is not finite");
  if (!(d->step > 0.0) || !isfinite(d->step)) {
    return cps_fail(error, CPS_BAD_DATA, "the step is %g s; it must be positive", d->step);
  }
  if (!(d->theta >= 0.5 && d->theta <= 1.0)) {
    return cps_fail(error, CPS_BAD_DATA, "theta is %g; it must be in [1/2, 1]", d->theta);
  }
  if (!(d->step_min >= 0.0 && d->step_min <= d->step)) {
    return cps_fail(error, CPS_BAD_DATA, "step_min is %g s; it must be in [0, step]", d->step_min);
  }
  if (!(d->penetration_max >= 0.0) || !(d->residual_max >= 0.0)) {
    return cps_fail(error, CPS_BAD_DATA, "a bound of the adaptive step is negative");
  }
  if (!(d->motion_tolerance >= 0.0) || !isfinite(d->motion_tolerance)) {
    return cps_fail(error, CPS_BAD_DATA, "the tolerance of motion is %g; it must be positive, or 0 for the default",
                    d->motion_tolerance);
  }
  if (!isfinite(d->slop)) return cps_fail(error, CPS_BAD_DATA, "the slop is not finite");
  return CPS_OK;
}

static CpsStatus check_def(const CpsWorldDef* d, CpsError* error) {
  if (!d) return cps_fail(error, CPS_BAD_ARGUMENT, "def is NULL");
  if (d->cookie != WORLD_COOKIE)
    return cps_fail(error, CPS_BAD_ARGUMENT, "def was not initialised by cps_world_def_default()");
  CpsStatus status = check_step(d, error);
  if (status != CPS_OK) return status;
  if (!(d->mu >= 0.0) || !isfinite(d->mu) || !(d->restitution >= 0.0 && d->restitution <= 1.0)) {
    return cps_fail(error, CPS_BAD_DATA, "mu = %g and restitution = %g must be >= 0 and in [0, 1]", d->mu,
                    d->restitution);
  }
  if (!isnan(d->mu_everywhere) && (!(d->mu_everywhere >= 0.0) || !isfinite(d->mu_everywhere))) {
    return cps_fail(error, CPS_BAD_DATA, "mu_everywhere is %g; it must be >= 0, or NaN for none", d->mu_everywhere);
  }
  if (d->coupling < CPS_COUPLING_FULL || d->coupling > CPS_COUPLING_FORWARD) {
    return cps_fail(error, CPS_BAD_DATA, "unknown coupling %d", (int)d->coupling);
  }
  if (d->threads < 1 || d->threads > 1024) {
    return cps_fail(error, CPS_BAD_DATA, "the number of threads is %d; it must be in [1, 1024]", (int)d->threads);
  }
  // a solve without contacts checks the solver options
  CpsContactsDef none = cps_contacts_def_default();
  CpsProblem* problem = NULL;
  status = cps_problem_from_blocks(&none, 0, NULL, NULL, NULL, &problem, error);
  double r = 0.0;
  if (status == CPS_OK) status = cps_problem_solve(problem, &d->solver, &r, NULL, error);
  cps_problem_destroy(problem);
  return status;
}

static void free_solvers(CpsWorld* world) {
  for (int32_t i = 0; world->solvers && i < world->pool_threads; ++i) {
    cps_problem_destroy(world->solvers[i].problem);
    cps_problem_destroy(world->solvers[i].large);
    cps_workspace_destroy(world->solvers[i].workspace);
  }
  free(world->solvers);
  world->solvers = NULL;
  cps_pool_destroy(world->pool);
  world->pool = NULL;
}

// Fits the pool and the solvers, one for each thread.
static CpsStatus fit_threads(CpsWorld* world, int32_t threads, CpsError* error) {
  if (world->solvers && threads == world->pool_threads) return CPS_OK;
  CpsIslandSolver* solvers = calloc((size_t)threads, sizeof *solvers);
  CpsPool* pool = threads > 1 && solvers ? cps_pool_create(threads) : NULL;
  bool fine = solvers && (threads == 1 || pool);
  for (int32_t i = 0; fine && i < threads; ++i) fine = cps_workspace_create(&solvers[i].workspace) == CPS_OK;
  if (fine) {
    free_solvers(world);
  } else {
    for (int32_t i = 0; solvers && i < threads; ++i) cps_workspace_destroy(solvers[i].workspace);
    free(solvers);
    cps_pool_destroy(pool);
    return cps_fail(error, CPS_NO_MEMORY, "cannot start %d threads", (int)threads);
  }
  world->solvers = solvers;
  world->pool = pool;
  world->pool_threads = threads;
  return CPS_OK;
}

// Adds the kinds of objects that every world has, in the order of their members.
static CpsStatus move_in(CpsWorld* world, CpsError* error) {
  CpsStatus status = cps_doors_open(world, error);
  if (status != CPS_OK) return status;
  CpsSoft* soft = cps_soft_create();
  status = cps_world_add_population(world, (CpsModel*)soft, error);
  if (status == CPS_OK) world->soft = soft;
  return status;
}

CpsStatus cps_world_create(const CpsWorldDef* def, CpsWorld** out, CpsError* error) {
  if (!out) return cps_fail(error, CPS_BAD_ARGUMENT, "world is NULL");
  CpsStatus status = check_def(def, error);
  if (status != CPS_OK) return status;
  CpsWorld* world = calloc(1, sizeof *world);
  if (!world) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a world");
  world->def = *def;
  world->h = world->last_h = def->step;
  world->smallest = INFINITY;
  world->detector = cps_detector_create();
  if (world->detector) cps_detector_lend(world->detector, &world->scratch);
  if (!world->detector) status = cps_fail(error, CPS_NO_MEMORY, "not enough memory for a world");
  if (status == CPS_OK) status = move_in(world, error);
  if (status == CPS_OK) status = cps_world_add_material(world, (CpsPair){NAN, NAN}, NULL, error);
  if (status == CPS_OK) status = fit_threads(world, def->threads, error);
  if (status != CPS_OK) {
    cps_world_destroy(world);
    return status;
  }
  *out = world;
  return cps_succeed(error);
}

void cps_world_destroy(CpsWorld* world) {
  if (!world) return;
  free_solvers(world);
  cps_detector_destroy(world->detector);
  cps_doors_release(world);
  cps_populations_free(world);
  cps_pulls_free(world);
  cps_ties_free(world);
  for (int32_t i = 0; i < world->obstacle_count; ++i) cps_obstacle_free(&world->obstacles[i]);
  for (int32_t i = 0; i < world->load_count; ++i) cps_curve_free(&world->loads[i].curve);
  cps_aside_free(&world->aside);
  free(world->overlaps);
  free(world->given);
  free(world->obstacles);
  free(world->loads);
  free(world->materials);
  free(world->pairs);
  for (int i = 0; i < 2; ++i) cps_arena_free(&world->arenas[i]);
  cps_arena_free(&world->scratch);
  cps_arena_free(&world->renewed);
  cps_arena_free(&world->touches);
  free(world);
}

CpsStatus cps_world_configure(CpsWorld* world, const CpsWorldDef* def, CpsError* error) {
  if (!world) return cps_fail(error, CPS_BAD_ARGUMENT, "world is NULL");
  CpsStatus status = check_def(def, error);
  if (status == CPS_OK) status = fit_threads(world, def->threads, error);
  if (status != CPS_OK) return status;
  if (def->step != world->def.step || !def->adaptive) world->h = def->step;
  world->def = *def;
  world->changed = true;
  return cps_succeed(error);
}

CpsWorldDef cps_world_settings(const CpsWorld* world) {
  return world ? world->def : cps_world_def_default();
}

double cps_world_time(const CpsWorld* world) {
  return world ? world->time : 0.0;
}

double cps_world_last_step(const CpsWorld* world) {
  return world && world->index > 0 ? world->last_h : NAN;
}

int64_t cps_world_step_count(const CpsWorld* world) {
  return world ? world->index : 0;
}

void cps_world_observe(CpsWorld* world, CpsObserverFn observer, void* data) {
  if (!world) return;
  world->observer = observer;
  world->observer_data = data;
}
