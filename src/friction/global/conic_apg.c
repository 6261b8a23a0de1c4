// Accelerated projected gradient for  min 1/2 r^T S r + q.r,  r_i in C_i  (conic.h (1)), libc only.
//
//   r'_i = P_{C_i}(y_i - t xi_i (S y + q)_i)                                         projected step                (1)
//   y'   = r' + beta (r' - r),  beta = theta (1 - theta)/(theta^2 + theta'),  theta'^2 = (1 - theta') theta^2     (2)
//   d.S d <= (1/t) sum ||d_i||^2/xi_i,  d = r' - y                                   else t is reduced             (3)
//   sum (y_i - r'_i).(r'_i - r_i)/xi_i > 0                                           then theta = 1, y = r'        (4)
//
// (1), (2) are Nesterov's method (1983) as Mazhar et al. 2015 (APGD, algorithm 1) use it for contacts, in the metric of
// the xi_i of the error measure; (3) is the descent condition, checked without a product beyond S r'; (4) is the
// adaptive restart of O'Donoghue and Candes 2015 (gradient scheme). The objective converges like 1/k^2; the rate in r
// is not guaranteed if S is singular. The solver returns the r with the smallest error.
#include "friction/global/conic_apg.h"

#include <math.h>
#include <string.h>

bool cps_conic_apg_create(CpsSolve* solve, const CpsConic* conic, CpsConicApg* apg) {
  int64_t rows = conic->problem->row_count;
  double* memory = CPS_TAKE(solve->arena, double, 6 * rows);
  if (!memory) return false;
  *apg = (CpsConicApg){.conic = conic,
                       .step = 1.0,
                       .y = memory,
                       .next = memory + rows,
                       .best = memory + 2 * rows,
                       .Sr = memory + 3 * rows,
                       .Sy = memory + 4 * rows,
                       .Snext = memory + 5 * rows};
  return true;
}

static void project(const CpsConicApg* apg, int32_t i, double* x) {
  if (apg->project) {
    apg->project(apg->project_data, i, x);
  } else {
    cps_conic_project(apg->conic->problem, i, x);
  }
}

// max_i || r_i - P(r_i - xi_i g_i) ||,  g = Sr + q
static double measure(const CpsConicApg* apg, const double* r, const double* Sr, const double* q) {
  const CpsProblem* problem = apg->conic->problem;
  double largest = 0.0;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    int64_t at = problem->offset[i];
    int d = cps_contact_dim(problem, i);
    double x[CPS_DIM_MAX];
    for (int k = 0; k < d; k++) x[k] = r[at + k] - problem->xi[i] * (Sr[at + k] + q[at + k]);
    project(apg, i, x);
    double e = 0.0;
    for (int k = 0; k < d; k++) e += (r[at + k] - x[k]) * (r[at + k] - x[k]);
    if (!(e <= largest)) largest = e;
  }
  return sqrt(largest);
}

// (1) from y with step t; returns sum ||d_i||^2/xi_i
static double projected_step(CpsConicApg* apg, const double* q, double t) {
  const CpsProblem* problem = apg->conic->problem;
  double dd = 0.0;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    int64_t at = problem->offset[i];
    int d = cps_contact_dim(problem, i);
    double xi = problem->xi[i], *x = apg->next + at, e = 0.0;
    for (int k = 0; k < d; k++) x[k] = apg->y[at + k] - t * xi * (apg->Sy[at + k] + q[at + k]);
    project(apg, i, x);
    for (int k = 0; k < d; k++) e += (x[k] - apg->y[at + k]) * (x[k] - apg->y[at + k]);
    dd += e / xi;
  }
  return dd;
}

// Takes step (1), shortened until (3) holds.
static void descend(CpsConicApg* apg, const double* q) {
  int64_t rows = apg->conic->problem->row_count;
  for (int trial = 0; trial < 60; trial++) {
    double dd = projected_step(apg, q, apg->step);
    cps_conic_apply(apg->conic, apg->next, apg->Snext);
    double dSd = 0.0;
    for (int64_t k = 0; k < rows; k++) dSd += (apg->next[k] - apg->y[k]) * (apg->Snext[k] - apg->Sy[k]);
    if (!(apg->step * dSd > dd * (1.0 + 1e-12)) || !(dd > 0.0)) return;
    apg->step = fmax(0.1 * apg->step, 0.9 * dd / dSd);
  }
}

// The left side of (4): does the momentum point uphill?
static bool uphill(const CpsConicApg* apg, const double* r) {
  const CpsProblem* problem = apg->conic->problem;
  double sum = 0.0;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    double e = 0.0;
    for (int64_t k = problem->offset[i]; k < problem->offset[i + 1]; k++) {
      e += (apg->y[k] - apg->next[k]) * (apg->next[k] - r[k]);
    }
    sum += e / problem->xi[i];
  }
  return sum > 0.0;
}

double cps_conic_apg_run(CpsSolve* solve, CpsConicApg* apg, const double* q, double tolerance, int64_t max_iterations,
                         double* r) {
  const CpsProblem* problem = apg->conic->problem;
  int64_t rows = problem->row_count;
  size_t bytes = (size_t)rows * sizeof(double);
  for (int32_t i = 0; i < problem->contact_count; i++) project(apg, i, r + problem->offset[i]);
  cps_conic_apply(apg->conic, r, apg->Sr);
  memcpy(apg->y, r, bytes);
  memcpy(apg->Sy, apg->Sr, bytes);
  memcpy(apg->best, r, bytes);
  double best_error = measure(apg, r, apg->Sr, q), theta = 1.0;

  for (int64_t k = 0; k < max_iterations && best_error > tolerance; k++) {
    if (k > 0 && cps_solve_cancelled(solve)) break;
    solve->inner_iterations++;
    descend(apg, q);
    double error = measure(apg, apg->next, apg->Snext, q);
    if (!(error < INFINITY)) break;  // the objective is unbounded below, or the data overflow
    if (error < best_error) {
      best_error = error;
      memcpy(apg->best, apg->next, bytes);
    }
    double beta = 0.0;
    if (uphill(apg, r)) {
      theta = 1.0;
    } else {
      double square = theta * theta, theta_next = 0.5 * (sqrt(square * square + 4.0 * square) - square);
      beta = theta * (1.0 - theta) / (square + theta_next);
      theta = theta_next;
    }
    for (int64_t j = 0; j < rows; j++) {
      apg->y[j] = apg->next[j] + beta * (apg->next[j] - r[j]);
      apg->Sy[j] = apg->Snext[j] + beta * (apg->Snext[j] - apg->Sr[j]);
      r[j] = apg->next[j];
      apg->Sr[j] = apg->Snext[j];
    }
    apg->step *= 1.05;  // lets t grow again; (3) shortens it if that was too much
  }
  memcpy(r, apg->best, bytes);
  return best_error;
}
