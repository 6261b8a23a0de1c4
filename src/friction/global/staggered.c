// staggered: alternating normal and tangential projections (Kaufman et al. 2008; Larionov, Fan, Pai 2021, section 5,
// corrected in docs/theory/convex-fixed-point.md). With the impulses as unknowns, the projections in the W-norm need no
// inverse of W:
//
//   r_N <- argmin 1/2 y.W_NN y + y.(b_N + W_NT r_T)   over  y >= 0                                                (1)
//   r_T <- argmin 1/2 y.W_TT y + y.(b_T + W_TN r_N)   over  ||y_i|| <= mu_i r_N,i                                 (2)
//
// (1) is Signorini's condition with friction fixed, (2) maximal dissipation with the normal impulses fixed: a fixed
// point is an exact solution of Coulomb's law, on the disc itself, without facets. The accelerated projected gradient
// of conic_apg.c solves both. Bilateral blocks belong to (1). The convex law does not split this way and is refused.
// Convergence is not guaranteed.
#include "friction/global/conic_apg.h"
#include "friction/law.h"
#include "friction/residual.h"

#include <math.h>
#include <string.h>

static const int64_t inner_iterations = 1000;
static const double inner_ratio = 0.1;

typedef struct Fixed {
  const CpsProblem* problem;
  const double* r;  // the other half, fixed
} Fixed;

// Set of (1): tangents keep their value, normals are not negative
static void project_normal(const void* data, int32_t i, double* x) {
  const Fixed* fixed = data;
  const CpsProblem* problem = fixed->problem;
  if (problem->law[i] != CPS_LAW_COULOMB) {
    cps_conic_project(problem, i, x);
    return;
  }
  if (!(x[0] > 0.0)) x[0] = 0.0;
  for (int k = 1; k < cps_contact_dim(problem, i); k++) x[k] = fixed->r[problem->offset[i] + k];
}

// Set of (2): normals and bilateral blocks keep their value, tangents lie in their disc
static void project_tangent(const void* data, int32_t i, double* x) {
  const Fixed* fixed = data;
  const CpsProblem* problem = fixed->problem;
  const double* r = fixed->r + problem->offset[i];
  int d = cps_contact_dim(problem, i);
  if (problem->law[i] != CPS_LAW_COULOMB) {
    memcpy(x, r, (size_t)d * sizeof *x);
    return;
  }
  double radius = problem->mu[i] * fmax(r[0], 0.0), t = cps_law_tangent_norm(d, x);
  x[0] = r[0];
  if (!(t > radius)) return;
  for (int k = 1; k < d; k++) x[k] *= radius / t;
}

static CpsStatus run(CpsSolve* solve, double* r) {
  const CpsProblem* problem = solve->problem;
  int64_t rows = problem->row_count;
  CpsConic conic;
  CpsConicApg normal, tangent;
  double* u = CPS_TAKE(solve->arena, double, rows);
  double* q = CPS_TAKE(solve->arena, double, rows);
  double* fixed_r = CPS_TAKE(solve->arena, double, rows);
  if (!u || !q || !fixed_r || !cps_conic_create(solve, false, &conic) ||
      !cps_conic_apg_create(solve, &conic, &normal) || !cps_conic_apg_create(solve, &conic, &tangent)) {
    return cps_conic_no_memory(solve);
  }
  Fixed fixed = {problem, fixed_r};
  normal.project = project_normal;
  tangent.project = project_tangent;
  normal.project_data = tangent.project_data = &fixed;
  CpsConicApg* halves[2] = {&normal, &tangent};

  double error = 1.0;
  for (int32_t i = 0; i < problem->contact_count; i++) cps_conic_project(problem, i, r + problem->offset[i]);
  do {
    double tolerance = inner_ratio * fmax(fmin(error, 1.0), solve->options->tolerance) * cps_residual_scale(problem, r);
    for (int half = 0; half < 2; half++) {
      // q = b + (W - S) r: the skew part of W carries over from step to step
      cps_problem_law_velocity(problem, r, u);
      cps_conic_apply(&conic, r, q);
      for (int64_t k = 0; k < rows; k++) q[k] = u[k] - q[k];
      memcpy(fixed_r, r, (size_t)rows * sizeof *r);
      cps_conic_apg_run(solve, halves[half], q, tolerance, inner_iterations, r);
    }
    cps_problem_law_velocity(problem, r, u);
  } while (cps_solve_check(solve, r, u, &error));
  return CPS_OK;
}

const CpsMethodEntry cps_method_staggered = {
    .info = {.name = "staggered",
             .summary = "normal and tangential projections in the W-norm in turn, on discs without facets",
             .reference = "Kaufman, Sueda, James, Pai 2008; Larionov, Fan, Pai 2021, section 5",
             .laws = CPS_LAW_BIT(CPS_LAW_COULOMB) | CPS_LAW_BIT(CPS_LAW_BILATERAL) | CPS_LAW_BIT(CPS_LAW_FREE),
             .exact = true,
             .uses_local = false,
             .available = true},
    .run = run,
};
