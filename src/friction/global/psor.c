// `psor`: projected successive over-relaxation on scalar unknowns, without friction or with a faceted cone.
//
// A regular polygon with an even number nu of sides is a sum of nu/2 segments parallel to its sides. So the friction of
// a contact is written with one unknown per pair of opposite sides, each in its own interval:
//
//   r_T = sum_k beta_k a_k,   |beta_k| <= mu h r_N,   a_k along side k,   h = half a side (facets.h, mu r_N = 1)  (1)
//   0 <= r_N  _|_  u_N >= 0;    beta_k = -mu h r_N, in between or +mu h r_N  as  a_k.u_T > 0, = 0 or < 0           (2)
//
// (2) says that -u_T is normal to the polygon at r_T: the same law as the LCP of `lemke`, but every unknown has a
// positive diagonal, as SOR requires (Cryer 1971; with r_N in the bounds: Erleben 2007, with four sides). Unknown by
// unknown, with the newest velocity,
//
//   r_N <- max(0, r_N - omega u_N / W_NN),   beta_k <- clamp(beta_k - omega a_k.u_T / a_k.W_TT a_k) (3)
//
// It stops by its own criterion, the largest step of (3) with omega = 1. The law is approximate in dimension 3 (error
// O(1/facets)) and exact in dimension 2 and without friction. Convergence is guaranteed only for symmetric W without
// friction; bilateral blocks are unknowns without bounds.
#include "core/error.h"
#include "friction/facets.h"
#include "friction/global/method.h"
#include "friction/residual.h"

#include <math.h>
#include <string.h>

// Over-relaxation of the unknowns without friction, which converge for any value in (0, 2); plain Gauss-Seidel if the
// bounds move with r_N.
static const double omega_frictionless = 1.3;
static const double omega_friction = 1.0;
// Diagonals below this share of the contact's mean one count as zero: the unknown has no effect.
static const double zero_diagonal = 1e-14;

typedef struct Psor {
  const CpsProblem* problem;
  double omega;
  int axis_count[4];  // axes of a contact of dimension 2 and 3
  double half[4];     // h of (1)
  double* axis[4];    // a_k, d - 1 entries each
  double* beta;       // axis_stride per contact
  int axis_stride;
  double* v;  // matrix-free: velocities of the bodies
  double* r;
} Psor;

static bool take_axes(CpsSolve* solve, Psor* psor) {
  const CpsSolveOptions* o = solve->options;
  psor->axis_stride = o->facets / 2;
  psor->beta = CPS_TAKE_ZERO(solve->arena, double, (int64_t)psor->axis_stride * psor->problem->contact_count);
  if (psor->beta == NULL) return false;
  for (int d = 2; d <= 3; d++) {
    int count = cps_facet_count(d, o->facets) / 2;
    psor->axis_count[d] = count;
    psor->axis[d] = CPS_TAKE(solve->arena, double, (int64_t)count*(d - 1));
    if (psor->axis[d] == NULL) return false;
    psor->half[d] = 1.0;
    if (d == 2) {
      psor->axis[d][0] = 1.0;
      continue;
    }
    double p[2], q[2], c[2];
    for (int k = 0; k < count; k++) {
      cps_facet_normal(d, o->facets, o->facet_kind, k, c);
      psor->axis[d][2 * k] = -c[1];
      psor->axis[d][2 * k + 1] = c[0];
    }
    cps_facet_corner(d, o->facets, o->facet_kind, 0, p);
    cps_facet_corner(d, o->facets, o->facet_kind, 1, q);
    psor->half[d] = 0.5 * hypot(p[0] - q[0], p[1] - q[1]);
  }
  return true;
}

static double clamp(double x, double bound) {
  return fmin(fmax(x, -bound), bound);
}

// r_T = sum beta_k a_k (1).
static void set_tangent(const Psor* psor, int32_t i, double* r_i) {
  int d = cps_contact_dim(psor->problem, i);
  const double* beta = psor->beta + (int64_t)i * psor->axis_stride;
  for (int c = 1; c < d; c++) {
    r_i[c] = 0.0;
    for (int k = 0; k < psor->axis_count[d]; k++) r_i[c] += beta[k] * psor->axis[d][k * (d - 1) + c - 1];
  }
}

// Applies the bounds to the guess. The axes are a tight frame: sum a_k a_k^T = (axis_count / (d - 1)) I.
static void start_contact(Psor* psor, int32_t i) {
  const CpsProblem* p = psor->problem;
  int d = cps_contact_dim(p, i);
  double* r_i = psor->r + p->offset[i];
  if (p->law[i] == CPS_LAW_BILATERAL) return;
  r_i[0] = p->law[i] == CPS_LAW_FREE ? 0.0 : fmax(r_i[0], 0.0);
  double bound = p->law[i] == CPS_LAW_FREE ? 0.0 : p->mu[i] * psor->half[d] * r_i[0];
  for (int k = 0; k < psor->axis_count[d]; k++) {
    const double* a = psor->axis[d] + k * (d - 1);
    double along = 0.0;
    for (int c = 1; c < d; c++) along += a[c - 1] * r_i[c];
    psor->beta[(int64_t)i * psor->axis_stride + k] = clamp(along * (d - 1) / psor->axis_count[d], bound);
  }
  set_tangent(psor, i, r_i);
}

static void velocity(const Psor* psor, int32_t i, double* u) {
  const CpsProblem* p = psor->problem;
  if (p->has_W) {
    cps_problem_row_velocity(p, i, psor->r, u);
    return;
  }
  cps_factors_velocity(p, i, psor->v, u);
  for (int c = 0; c < cps_contact_dim(p, i); c++) u[c] += p->b[p->offset[i] + c];
}

// u += W_ii x, and x.W_ii x for an unknown in the direction x.
static double push(const double* W, int d, const double* x, double* Wx) {
  double diagonal = 0.0;
  for (int a = 0; a < d; a++) {
    Wx[a] = 0.0;
    for (int c = 0; c < d; c++) Wx[a] += W[a * d + c] * x[c];
    diagonal += x[a] * Wx[a];
  }
  return diagonal;
}

// One unknown z in the direction x, in [low, high]. Returns the size of its step (3) with omega = 1.
static double relax(const Psor* psor, int32_t i, const double* x, double low, double high, bool move, double* z,
                    double* u) {
  const CpsProblem* p = psor->problem;
  int d = cps_contact_dim(p, i);
  double Wx[CPS_DIM_MAX], along = 0.0;
  double diagonal = push(cps_contact_W(p, i), d, x, Wx);
  for (int c = 0; c < d; c++) along += x[c] * u[c];
  // bounds that moved with r_N apply for any diagonal
  double full = diagonal * p->xi[i] > zero_diagonal ? -along / diagonal : 0.0;
  double error = fabs(fmin(fmax(*z + full, low), high) - *z);
  if (!move) return error;
  double next = fmin(fmax(*z + psor->omega * full, low), high), step = next - *z;
  for (int c = 0; c < d; c++) u[c] += Wx[c] * step;
  *z = next;
  return error;
}

// All unknowns of contact i; with move = false only measures. Returns the largest error of its unknowns.
static double relax_contact(Psor* psor, int32_t i, bool move) {
  const CpsProblem* p = psor->problem;
  int d = cps_contact_dim(p, i);
  if (p->law[i] == CPS_LAW_FREE) return 0.0;
  double u[CPS_DIM_MAX] = {0.0}, x[CPS_DIM_MAX] = {1.0}, old[CPS_DIM_MAX], change[CPS_DIM_MAX];
  double* r_i = psor->r + p->offset[i];
  memcpy(old, r_i, (size_t)d * sizeof *old);
  velocity(psor, i, u);
  double worst = 0.0;
  if (p->law[i] == CPS_LAW_BILATERAL) {
    for (int c = 0; c < d; c++) {
      memset(x, 0, sizeof x);
      x[c] = 1.0;
      worst = fmax(worst, relax(psor, i, x, -INFINITY, INFINITY, move, &r_i[c], u));
    }
  } else {
    worst = relax(psor, i, x, 0.0, INFINITY, move, &r_i[0], u);
    double bound = p->mu[i] * psor->half[d] * r_i[0];
    x[0] = 0.0;
    for (int k = 0; k < psor->axis_count[d] && p->mu[i] > 0.0; k++) {
      memcpy(x + 1, psor->axis[d] + k * (d - 1), (size_t)(d - 1) * sizeof *x);
      double* beta = psor->beta + (int64_t)i * psor->axis_stride + k;
      worst = fmax(worst, relax(psor, i, x, -bound, bound, move, beta, u));
    }
    if (move) set_tangent(psor, i, r_i);
  }
  if (move && !p->has_W) {
    for (int c = 0; c < d; c++) change[c] = r_i[c] - old[c];
    cps_factors_add(p, i, change, psor->v);
  }
  return worst;
}

static double sweep(Psor* psor, bool move) {
  double worst = 0.0;
  for (int32_t i = 0; i < psor->problem->contact_count; i++) worst = fmax(worst, relax_contact(psor, i, move));
  return worst;
}

// Recomputes the body velocities from r: rounding errors accumulate over thousands of sweeps.
static void refresh(Psor* psor) {
  const CpsProblem* p = psor->problem;
  if (psor->v == NULL) return;
  memset(psor->v, 0, (size_t)p->factors.body_offset[p->factors.body_count] * sizeof *psor->v);
  for (int32_t i = 0; i < p->contact_count; i++) cps_factors_add(p, i, psor->r + p->offset[i], psor->v);
}

// Takes the buffers and starts from r. Returns false if memory runs out.
static bool prepare(CpsSolve* solve, double* r, Psor* psor) {
  const CpsProblem* p = solve->problem;
  *psor = (Psor){.problem = p, .omega = omega_frictionless, .r = r};
  for (int32_t i = 0; i < p->contact_count; i++) {
    if (p->law[i] == CPS_LAW_COULOMB && p->mu[i] > 0.0) psor->omega = omega_friction;
  }
  if (!take_axes(solve, psor)) return false;
  if (!p->has_W) {
    psor->v = CPS_TAKE(solve->arena, double, p->factors.body_offset[p->factors.body_count]);
    if (psor->v == NULL) return false;
  }
  for (int32_t i = 0; i < p->contact_count; i++) start_contact(psor, i);
  refresh(psor);
  return true;
}

static CpsStatus run(CpsSolve* solve, double* r) {
  for (int32_t i = 0; i < solve->problem->contact_count; i++) {
    int d = cps_contact_dim(solve->problem, i);
    if (d > 3) {
      return cps_fail(solve->error, CPS_UNSUPPORTED, "psor handles dimensions 2 and 3, contact %d has %d", (int)i, d);
    }
  }
  Psor psor;
  if (!prepare(solve, r, &psor)) return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for psor");
  double tolerance = solve->options->tolerance, scale = cps_residual_scale(solve->problem, r);
  bool go = true;
  for (int64_t k = 1; go; k++) {
    double estimate = sweep(&psor, true);
    if (k % 20 == 0) scale = cps_residual_scale(solve->problem, r);
    if (!(estimate <= tolerance * scale)) {
      go = cps_solve_tick(solve);
      continue;
    }
    // Near the end. If the polygon is exact, the common residual ends the loop; otherwise the method's own error at a
    // hundredth of the tolerance, so that only the error of the facets remains.
    refresh(&psor);
    scale = cps_residual_scale(solve->problem, r);
    go = cps_solve_check(solve, r, NULL, NULL) && !(sweep(&psor, false) <= 1e-2 * tolerance * scale);
  }
  return CPS_OK;
}

const CpsMethodEntry cps_method_psor = {
    .info = {.name = "psor",
             .summary = "projected successive over-relaxation, without friction or with a faceted cone",
             .reference = "Cryer 1971; Erleben 2007",
             .laws = CPS_LAW_BIT(CPS_LAW_COULOMB) | CPS_LAW_BIT(CPS_LAW_BILATERAL) | CPS_LAW_BIT(CPS_LAW_FREE),
             .exact = false,
             .uses_local = false,
             .available = true},
    .run = run,
};
