// `cpg`: conjugate projected gradient on the whole problem (Renouf and Alart 2005; Renouf, Acary and Dumont 2005,
// section 6.3, with the sign of beta corrected), with a projected gradient to fall back on.
//
// With g = -u = -(W r + b), X = diag(xi_i), C the set of r with r_N >= 0, ||r_T|| <= mu r_N:
//
//   w = g projected on the feasible directions of r in C (see feasible_direction)                              (1)
//   alpha = g.p / p.Wp,       r <- proj_C(r + alpha p)                                                         (2)
//   beta = -(X w).Wp / p.Wp,  p <- X w + beta z,   z = p projected as w is                                     (3)
//
// proj_C cuts r_N at 0 and then shortens r_T to mu r_N. It is not the orthogonal projection on the cone, which would
// solve the associated problem: with it the fixed points of
//
//   r <- proj_C(r - rho X u)                                                                                   (4)
//
// are the solutions of Coulomb's law. p restarts at X w when g.p <= 0 or p.Wp vanishes. When (2)-(3) have not halved
// the residual in `window` iterations, (4) takes over for a while; rho = 1 / the largest eigenvalue of X W.
//
// All operations are norms and inner products of blocks, so rotating the tangent axes of a contact rotates its answer.
// Not guaranteed: convergence. If W couples normals and tangents strongly, (2) stalls and (4) is slow. p.Wp sees only
// the symmetric part of W; r is measured with W as given.
#include "core/error.h"
#include "friction/global/method.h"
#include "friction/law.h"

#include <math.h>
#include <string.h>

// Iterations between two progress checks.
enum { WINDOW = 60, GRADIENT_WINDOW_MAX = 4000, REFRESH_EVERY = 50, POWER_STEPS = 20 };
// ||r_T|| within this share of mu r_N counts as on the boundary: proj_C leaves it there up to rounding.
static const double boundary_slack = 1e-12;

typedef struct Cpg {
  const CpsProblem* problem;
  int64_t rows;
  double *r, *u, *w, *p, *Wp;
  double* r_start;  // at the start of the window, for taking it back
  double rho;       // step of (4)
} Cpg;

// (1): keeps the feasible part of x for contact i at r_i. With r_N = 0 only growth; when sliding, nothing that pushes outward.
static void feasible_direction(const CpsProblem* problem, int32_t i, const double* r_i, double* x) {
  int d = cps_contact_dim(problem, i);
  double mu = problem->mu[i];
  if (problem->law[i] == CPS_LAW_BILATERAL) return;
  if (problem->law[i] == CPS_LAW_FREE) {
    for (int c = 0; c < d; c++) x[c] = 0.0;
    return;
  }
  bool apart = !(r_i[0] > 0.0);
  if (apart) x[0] = fmax(x[0], 0.0);
  if (apart || !(mu > 0.0)) {
    for (int c = 1; c < d; c++) x[c] = 0.0;
    return;
  }
  double norm = cps_law_tangent_norm(d, r_i), outward = 0.0;
  if (norm < mu * r_i[0] * (1.0 - boundary_slack)) return;
  for (int c = 1; c < d; c++) outward += x[c] * r_i[c] / norm;
  if (!(outward > 0.0)) return;
  for (int c = 1; c < d; c++) x[c] -= outward * r_i[c] / norm;
}

// r_i <- proj_C(r_i). Returns whether r_i changed.
static bool project(const CpsProblem* problem, int32_t i, double* r_i) {
  int d = cps_contact_dim(problem, i);
  if (problem->law[i] == CPS_LAW_BILATERAL) return false;
  double bound = problem->law[i] == CPS_LAW_FREE ? 0.0 : problem->mu[i] * r_i[0];
  if (problem->law[i] == CPS_LAW_FREE || !(r_i[0] > 0.0)) {
    bool changed = false;
    for (int c = 0; c < d; c++) {
      changed = changed || r_i[c] != 0.0;
      r_i[c] = 0.0;
    }
    return changed;
  }
  double norm = cps_law_tangent_norm(d, r_i);
  if (norm <= bound) return false;
  for (int c = 1; c < d; c++) r_i[c] *= bound / norm;
  return true;
}

static double dot(int64_t count, const double* x, const double* y) {
  double sum = 0.0;
  for (int64_t k = 0; k < count; k++) sum += x[k] * y[k];
  return sum;
}

static bool project_all(const Cpg* cpg) {
  bool changed = false;
  for (int32_t i = 0; i < cpg->problem->contact_count; i++) {
    changed = project(cpg->problem, i, cpg->r + cpg->problem->offset[i]) || changed;
  }
  return changed;
}

// w = X (-u projected), the preconditioned direction of (1).
static void set_descent(const Cpg* cpg) {
  const CpsProblem* problem = cpg->problem;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    int64_t at = problem->offset[i];
    for (int64_t row = at; row < problem->offset[i + 1]; row++) cpg->w[row] = -problem->xi[i] * cpg->u[row];
    feasible_direction(problem, i, cpg->r + at, cpg->w + at);
  }
}

// One step (2) and the next direction (3). Returns false if no direction is left.
static bool conjugate_step(const Cpg* cpg, bool refresh) {
  const CpsProblem* problem = cpg->problem;
  double pu = dot(cpg->rows, cpg->p, cpg->u);
  cps_problem_apply_W(problem, cpg->p, cpg->Wp);
  double pWp = dot(cpg->rows, cpg->p, cpg->Wp);
  // compare p.Wp with the size of p in the metric of X^-1, in which W has entries of order 1
  double size = 0.0;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    const double* p_i = cpg->p + problem->offset[i];
    size += dot(cps_contact_dim(problem, i), p_i, p_i) / problem->xi[i];
  }
  if (!(pu < 0.0) || !(pWp > 1e-14 * size)) {
    // restart from the projected gradient
    if (memcmp(cpg->p, cpg->w, (size_t)cpg->rows * sizeof *cpg->p) == 0) return false;
    memcpy(cpg->p, cpg->w, (size_t)cpg->rows * sizeof *cpg->p);
    return true;
  }
  double alpha = -pu / pWp;
  for (int64_t row = 0; row < cpg->rows; row++) cpg->r[row] += alpha * cpg->p[row];
  if (project_all(cpg) || refresh) {
    cps_problem_law_velocity(problem, cpg->r, cpg->u);
  } else {
    for (int64_t row = 0; row < cpg->rows; row++) cpg->u[row] += alpha * cpg->Wp[row];
  }
  set_descent(cpg);
  double beta = -dot(cpg->rows, cpg->w, cpg->Wp) / pWp;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    int64_t at = problem->offset[i];
    feasible_direction(problem, i, cpg->r + at, cpg->p + at);
    for (int64_t row = at; row < problem->offset[i + 1]; row++) cpg->p[row] = cpg->w[row] + beta * cpg->p[row];
  }
  return true;
}

// One step (4).
static void gradient_step(const Cpg* cpg) {
  const CpsProblem* problem = cpg->problem;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    for (int64_t row = problem->offset[i]; row < problem->offset[i + 1]; row++) {
      cpg->r[row] -= cpg->rho * problem->xi[i] * cpg->u[row];
    }
  }
  project_all(cpg);
  cps_problem_law_velocity(problem, cpg->r, cpg->u);
}

// 1 / largest eigenvalue of X W by the power method. It starts from X b and the normals, so the result is independent
// of the tangent axes and covers every direction that the solve can reach.
static double gradient_step_size(const Cpg* cpg) {
  const CpsProblem* problem = cpg->problem;
  double *x = cpg->p, *Wx = cpg->Wp, largest = 1.0;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    double b2 = 0.0;
    for (int64_t row = problem->offset[i]; row < problem->offset[i + 1]; row++) {
      x[row] = problem->xi[i] * problem->b[row];
      b2 += x[row] * x[row];
    }
    x[problem->offset[i]] += sqrt(b2) + 1e-3;
  }
  for (int step = 0; step < POWER_STEPS; step++) {
    double norm = sqrt(dot(cpg->rows, x, x));
    if (!(norm > 0.0)) break;
    for (int64_t row = 0; row < cpg->rows; row++) x[row] /= norm;
    cps_problem_apply_W(problem, x, Wx);
    for (int32_t i = 0; i < problem->contact_count; i++) {
      for (int64_t row = problem->offset[i]; row < problem->offset[i + 1]; row++) x[row] = problem->xi[i] * Wx[row];
    }
    largest = fmax(largest, sqrt(dot(cpg->rows, x, x)));
  }
  return 1.0 / largest;
}

static CpsStatus prepare(CpsSolve* solve, double* r, Cpg* cpg) {
  cpg->problem = solve->problem;
  cpg->rows = solve->problem->row_count;
  cpg->r = r;
  cpg->u = CPS_TAKE(solve->arena, double, cpg->rows);
  cpg->w = CPS_TAKE(solve->arena, double, cpg->rows);
  cpg->p = CPS_TAKE(solve->arena, double, cpg->rows);
  cpg->Wp = CPS_TAKE(solve->arena, double, cpg->rows);
  cpg->r_start = CPS_TAKE(solve->arena, double, cpg->rows);
  if (cpg->u == NULL || cpg->w == NULL || cpg->p == NULL || cpg->Wp == NULL || cpg->r_start == NULL) {
    return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for cpg");
  }
  cpg->rho = gradient_step_size(cpg);
  project_all(cpg);
  cps_problem_law_velocity(cpg->problem, r, cpg->u);
  return CPS_OK;
}

// Conjugate steps for one window. *residual: the last residual; *halved: whether it is at most half of the first.
// Returns false when the solve is over.
static bool conjugate_window(CpsSolve* solve, Cpg* cpg, double* residual, bool* halved) {
  double first = *residual;
  *halved = false;
  set_descent(cpg);
  memcpy(cpg->p, cpg->w, (size_t)cpg->rows * sizeof *cpg->p);
  for (int k = 1; k <= WINDOW; k++) {
    if (!conjugate_step(cpg, k % REFRESH_EVERY == 0)) return true;
    if (!cps_solve_check(solve, cpg->r, cpg->u, residual)) return false;
  }
  *halved = *residual <= 0.5 * first;
  return true;
}

static bool gradient_window(CpsSolve* solve, Cpg* cpg, int count, double* residual) {
  double first = *residual;
  for (int k = 0; k < count; k++) {
    gradient_step(cpg);
    if (!cps_solve_check(solve, cpg->r, cpg->u, residual)) return false;
  }
  // W is not quite symmetric and the law not quite monotone: a step that increases the residual was too long
  if (!(*residual <= 2.0 * first)) cpg->rho *= 0.5;
  return true;
}

static CpsStatus run(CpsSolve* solve, double* r) {
  Cpg cpg;
  CpsStatus status = prepare(solve, r, &cpg);
  if (status != CPS_OK) return status;
  size_t bytes = (size_t)cpg.rows * sizeof *r;
  double residual = INFINITY;
  int gradient_count = WINDOW / 2;
  while (true) {
    double first = residual;
    bool halved;
    memcpy(cpg.r_start, r, bytes);
    if (!conjugate_window(solve, &cpg, &residual, &halved)) return CPS_OK;
    if (halved) {
      gradient_count = WINDOW / 2;
      continue;
    }
    // stalled; undo the damage of the window
    if (!(residual <= first)) {
      memcpy(r, cpg.r_start, bytes);
      cps_problem_law_velocity(cpg.problem, r, cpg.u);
      residual = first;
    }
    if (!gradient_window(solve, &cpg, gradient_count, &residual)) return CPS_OK;
    if (gradient_count < GRADIENT_WINDOW_MAX) gradient_count *= 2;
  }
}

const CpsMethodEntry cps_method_cpg = {
    .info = {.name = "cpg",
             .summary = "conjugate projected gradient with restarts; projected gradient where it stalls",
             .reference = "Renouf and Alart 2005; Renouf, Acary and Dumont 2005",
             .laws = CPS_LAW_BIT(CPS_LAW_COULOMB) | CPS_LAW_BIT(CPS_LAW_BILATERAL) | CPS_LAW_BIT(CPS_LAW_FREE),
             .exact = true,
             .uses_local = false,
             .available = true},
    .run = run,
};
