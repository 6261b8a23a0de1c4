// Gauss-Seidel over the stresses and contacts of a medium, without W (node_rows.c).
//
// Sweeps transport pressure only a few cells at a time, but a warm start contains most of it. At a rough tolerance sweeps are by far the fastest
// method; for the last digits of a tall heap it is alternating directions (splitting_loop.c). The rate of the residual between two checks
// predicts which one to use. In flowing sand the residual may stagnate for a hundred sweeps before it falls, so the prediction counts only after
// sweeps worth the cost of the other method: at most about twice the time of the better method is spent.
#include "friction/global/node_sweeps.h"

#include "core/error.h"

#include <math.h>

// Over-relaxation spreads pressure faster but makes flowing material oscillate: it ends as soon as the residual falls slowly.
static const double OMEGA = 1.4, SLOWLY = 0.8;

enum { MEASURE_EVERY = 10, LOOK_EVERY = 60 };

// Remaining sweeps at the rate between two checks; infinite without progress.
static double sweeps_left(double before, double now, double target) {
  if (!(now < before)) return INFINITY;
  return LOOK_EVERY * log(target / now) / log(now / before);
}

CpsStatus cps_node_sweeps(CpsSolve* solve, double patience, double* r, bool* go) {
  CpsNodeRows rows;
  if (!cps_node_rows_create(solve, r, &rows)) {
    return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for sweeps over nodes");
  }
  double omega = OMEGA, last = INFINITY, now = INFINITY, before = INFINITY, left = 0.0;
  *go = true;
  for (int64_t k = 1; *go && !(left > patience && (double)k > patience); ++k) {
    cps_node_rows_sweep(&rows, solve->pool, omega, r);
    if (k % MEASURE_EVERY != 0) {
      *go = cps_solve_tick(solve);
      continue;
    }
    cps_node_rows_refresh(&rows, solve->pool, r);
    cps_node_rows_velocities(&rows, solve->pool, solve->u_scratch);
    *go = cps_solve_check(solve, r, solve->u_scratch, &now);
    if (now > SLOWLY * last) omega = 1.0;
    last = now;
    if (k % LOOK_EVERY != 0) continue;
    if (before < INFINITY) left = sweeps_left(before, now, solve->options->tolerance);
    before = now;
  }
  return CPS_OK;
}
