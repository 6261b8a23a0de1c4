// Block Gauss-Seidel over the contacts, in their order (001 Algorithm 1; 002 NSGS, eq. 35).
//
//   for each contact i:   r_i <- solution of  u_i = W_ii r_i + (b_i + sum_{j != i} W_ij r_j),  (u_i, r_i) in the law
//   (1)
//
// Contacts whose impulse hardly changed, or is weak, rest for a few sweeps (freezing, 001 section 6). The sweep itself
// gives an estimate of the error: each contact's own error just before its update. The common residual is measured
// only when that estimate is near the tolerance, and every so often, because it costs as much as a sweep.
//
// Not guaranteed: convergence. On over-constrained problems the rate degrades with the size of the stacks.
#include "friction/global/gs_sweep.h"
#include "friction/law.h"
#include "friction/residual.h"

#include <math.h>

// Sweeps after which the residual is measured whatever the estimate says.
enum { MEASURE_EVERY = 20 };

// One pass over the contacts that are awake; returns the largest error seen before an update, in impulse units.
static double sweep(CpsGs* gs, bool freeze, double small, int32_t* rest, double* r, CpsGsCounts* counts) {
  const CpsProblem* p = gs->problem;
  double worst = 0.0;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    if (rest[i] > 0) {
      rest[i]--;
      continue;
    }
    double u[CPS_DIM_MAX], old[CPS_DIM_MAX];
    int d = cps_contact_dim(p, i);
    for (int k = 0; k < d; ++k) old[k] = r[p->offset[i] + k];
    double change = cps_gs_update(gs, i, r, u, counts);
    double error = cps_law_error((CpsLaw)p->law[i], d, p->mu[i], p->xi[i], old, u);
    if (!(error <= worst)) worst = error;
    if (freeze && change <= small) rest[i] = CPS_GS_REST;
  }
  return worst;
}

static CpsStatus run(CpsSolve* solve, double* r) {
  const CpsProblem* p = solve->problem;
  double tolerance = solve->options->tolerance;
  CpsGs gs;
  CpsStatus status = cps_gs_prepare(solve, r, &gs);
  if (status != CPS_OK) return status;
  int32_t* rest = CPS_TAKE_ZERO(solve->arena, int32_t, p->contact_count);
  if (!rest) return CPS_NO_MEMORY;
  CpsGsCounts counts = {0};
  double scale = cps_residual_scale(p, r);
  bool go = true;
  for (int64_t k = 1; go; ++k) {
    // a change this small cannot be seen at the tolerance asked for
    double estimate = sweep(&gs, solve->options->freeze, 1e-2 * tolerance * scale, rest, r, &counts);
    if (estimate <= tolerance * scale || k % MEASURE_EVERY == 0) {
      cps_gs_refresh(&gs, r);
      double residual;
      go = cps_solve_check(solve, r, NULL, &residual);
      scale = cps_residual_scale(p, r);
      // what rests too early would never be seen again by the estimate
      for (int32_t i = 0; i < p->contact_count && estimate <= tolerance * scale; ++i) rest[i] = 0;
    } else {
      go = cps_solve_tick(solve);
    }
  }
  solve->no_solution = p->contact_count == 1 && counts.certificates > 0;
  cps_gs_report(solve, &counts);
  return CPS_OK;
}

const CpsMethodEntry cps_method_gs = {
    .info = {.name = "gs",
             .summary = "block Gauss-Seidel with any local solver; freezing; on W or matrix-free",
             .reference = "Daviet, Bertails-Descoubes, Boissieux 2011, Algorithm 1; Jean 1999",
             .laws = CPS_ALL_LAWS,
             .exact = true,
             .uses_local = true,
             .available = true},
    .run = run,
};
