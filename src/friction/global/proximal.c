#include "friction/global/natural_newton.h"
#include "friction/residual.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CpsStatus run(CpsSolve* solve, double* r) {
  const CpsProblem* p = solve->problem;
  int64_t m = p->row_count;
  CpsNaturalNewton N;
  CpsStatus st = cps_natural_newton_create(solve, &N);
  if (st) return st;
  double* c = CPS_TAKE(solve->arena, double, m);
  double* u = CPS_TAKE(solve->arena, double, m);
  double* d = CPS_TAKE(solve->arena, double, m);
  double* trial = CPS_TAKE(solve->arena, double, m);
  double* ut = CPS_TAKE(solve->arena, double, m);
  double* Ft = CPS_TAKE(solve->arena, double, m);
  double weight = getenv("WEIGHT") ? atof(getenv("WEIGHT")) : 1.0;
  double shrink = getenv("SHRINK") ? atof(getenv("SHRINK")) : 0.2;
  double floor_w = getenv("FLOOR") ? atof(getenv("FLOOR")) : 1e-6;
  double nm = getenv("NM") ? atof(getenv("NM")) : 0; int maxn = getenv("MAXN") ? atoi(getenv("MAXN")) : 20; double up = getenv("UP") ? atof(getenv("UP")) : 10; 
  int verbose = getenv("VERBOSE") != NULL;
  bool go = true; double res = 0;
  if (getenv("SMOOTH")) {
    double scale = 0; for (int32_t i = 0; i < p->contact_count; ++i) { double q = 0; for (int k = 0; k < 3; ++k) q += p->b[3*i+k]*p->b[3*i+k]; scale = fmax(scale, p->xi[i]*sqrt(q)); }
    double m = scale * (getenv("M0") ? atof(getenv("M0")) : 0.1), red = getenv("RED") ? atof(getenv("RED")) : 0.2;
    double w = getenv("W0") ? atof(getenv("W0")) : 1e-6; double rr=1;
    cps_problem_law_velocity(p, r, u);
    memcpy(c, r, (size_t)m * 0);
    double mtot = sqrt((double)m); (void)mtot;
    while (go) {
      memcpy(c, r, (size_t)p->row_count * 8);
      double f = cps_smooth_map(&N, r, u, c, w, m, N.F), f0 = f; int k = 0, bad = 0;
      for (; k < 10; ++k) {
        if (!cps_smooth_step(&N, r, u, c, w, m, d)) { bad = 1; break; }
        solve->factorisations++;
        double alpha = 1, ft = 0; int ls = 0;
        for (; ls < 8; ++ls, alpha *= 0.5) {
          for (int64_t q = 0; q < p->row_count; ++q) trial[q] = r[q] + alpha * d[q];
          cps_problem_law_velocity(p, trial, ut);
          ft = cps_smooth_map(&N, trial, ut, c, w, m, Ft);
          if (ft < (1 - 1e-2 * alpha) * f) break;
        }
        if (verbose>1) printf("    newton %d f %.2e -> %.2e alpha %.3g\n", k, f, ft, alpha);
        if (ls == 8) { bad = 2; break; }
        memcpy(r, trial, (size_t)p->row_count * 8); memcpy(u, ut, (size_t)p->row_count * 8); memcpy(N.F, Ft, (size_t)p->row_count * 8);
        f = ft; solve->inner_iterations++;
        if (f < m) break;
      }
      go = cps_solve_check(solve, r, u, &res);
      if (verbose) printf("smooth m %.1e newton %d f0 %.2e f %.2e res %.2e fill %ld work %ld %d\n", m/scale, k, f0, f, res, (long)cps_block_lu_fill(N.lu), (long)cps_block_lu_work(N.lu), bad);
      rr = bad ? 5 : k > 5 ? 0.5 : k > 2 ? 0.3 : k > 0 ? red : 0.03; m *= rr; if (m < 1e-13*scale) m = 1e-13*scale;
      if (bad && getenv("WUP")) w = fmin(w * 3, 1e-2); else w = fmax(w*0.5, getenv("W0") ? atof(getenv("W0")) : 1e-6);
    }
    return CPS_OK;
  }

  while (go) {
    memcpy(c, r, (size_t)m * 8);
    cps_problem_law_velocity(p, r, u);
    double f = cps_natural_newton_map(&N, r, u, c, weight, N.F);
    double f0 = f;
    int k = 0, fail=0;
    for (; k < maxn; ++k) {
      if (!cps_natural_newton_step(&N, r, u, c, weight, d)) { fail=1; break; }
      solve->factorisations++;
      double alpha = 1, ft = 0;
      int ls=0;
      for (; ls < 8; ++ls, alpha *= 0.5) {
        for (int64_t q = 0; q < m; ++q) trial[q] = r[q] + alpha * d[q];
        cps_problem_law_velocity(p, trial, ut);
        ft = cps_natural_newton_map(&N, trial, ut, c, weight, Ft);
        if (ft < (1 - 1e-2 * alpha) * fmax(f, nm * f0)) break;
      }
      if (verbose>1) printf("    newton %d f %.2e -> %.2e alpha %.3g\n", k, f, ft, alpha);
      if (ls==8) { fail=1; break; }
      memcpy(r, trial, (size_t)m * 8); memcpy(u, ut, (size_t)m * 8); memcpy(N.F, Ft, (size_t)m * 8);
      f = ft;
      solve->inner_iterations++;
      if (f < 0.05 * f0) break;
    }
    int ex = 0;
    if (!fail && getenv("EXTRA")) {
      double best = cps_residual_from_velocity(p, r, u).natural;
      double beta = 1;
      for (; ex < 30; ++ex, beta *= 2) {
        for (int64_t q = 0; q < m; ++q) trial[q] = r[q] + beta * (r[q] - c[q]);
        cps_problem_law_velocity(p, trial, ut);
        double e = cps_residual_from_velocity(p, trial, ut).natural;
        if (!(e < best)) break;
        best = e;
        memcpy(d, trial, (size_t)m * 8); memcpy(Ft, ut, (size_t)m * 8);
      }
      if (ex) { memcpy(r, d, (size_t)m * 8); memcpy(u, Ft, (size_t)m * 8); }
    }
    go = cps_solve_check(solve, r, u, &res);
    if (verbose) printf("ex %d ", ex);
    if (verbose) printf("outer %ld weight %.1e newton %d f0 %.2e f %.2e res %.2e fill %ld work %ld %s\n", (long)solve->iterations, weight, k, f0, f, res, (long)cps_block_lu_fill(N.lu), (long)cps_block_lu_work(N.lu), fail?"FAIL":"");
    if (fail) weight = fmin(weight * up, 1e3); else weight = fmax(weight * (k <= 3 ? shrink : k <= 8 ? sqrt(shrink) : 1), floor_w);

  }
  return CPS_OK;
}
const CpsMethodEntry cps_method_proximal = {
    .info = {.name = "proximal", .summary = "", .reference = "", .laws = CPS_ALL_LAWS, .exact = true, .available = true},
    .run = run,
};
