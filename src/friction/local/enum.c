// One-contact solver by enumeration of the three cases of Coulomb's law.
//
//   u = W r + b,   take-off: r = 0, u_N >= 0;   stick: u = 0, r in K;   slide: r in bd K, u_N = 0, u_T = -alpha r_T (1)
//
// The cases are tried in this order. With the normal component eliminated (slide.c, eq. 2) sticking is alpha = 0 and
// sliding a positive root of the scalar function psi(alpha) of slide.c, eq. 3 (in dimension 3 the quartic of Daviet et
// al. 2011, appendix B). If three roots are possible, the solver takes the one nearest to the guess in r.
//
// Dimension 3, the hot loop: all data of W come from the cache, and with B = adj(Wbar) h
//
//   r_T = -(B + alpha h) / (alpha^2 + alpha tr Wbar + det Wbar)                                                   (2)
//   q(alpha) = -(b_N alpha^2 + (b_N tr Wbar - w.h) alpha + b_N det Wbar - w.B),   w = W_NT
//   stick iff (w_N/mu) ||B|| <= q(0);   slide: q(alpha) / ||B + alpha h|| = w_N/mu                                (3)
//
// so no linear system is solved. Neither form needs W to be symmetric.
//
// Singular W (slide.c's Wbar is singular then, or w_N = 0): if b_N < 0, h outside the range of Wbar and no root, then
// none of the three cases holds for any r: CPS_LOCAL_NO_SOLUTION (Painleve). An eigenvalue counts as zero in the
// certificate if it is below 16 epsilon tr W. From dimension 4 on, roots are sampled when W is singular.
//
// friction/cone.h (dimension 3, regular symmetric W) and enum_convex.c solve the law convex. Not guaranteed: W indefinite; cond(W) above 1e12 may lose the root, which is
// reported as CPS_LOCAL_FAILED.
#include <float.h>
#include <string.h>

#include "friction/cone.h"
#include "friction/law.h"
#include "friction/local/enum_convex.h"
#include "friction/local/local.h"
#include "friction/local/slide.h"
#include "friction/local/small.h"
#include "sparse/dense.h"

static const double rank_tolerance = 1e-13;
// h lies in the range of a singular Wbar if its part outside is below this share of it.
static const double range_tolerance = 1e-9;

// The cache of dimension 3. All doubles, so that it fits in an array of them.
typedef struct Block3 {
  double regular;              // 1 if Wbar is regular and (3) may be used, else 0
  double trusted;              // 1 if conditioned well enough to skip the check of the result
  double w_N, inv_w_N, kappa;  // kappa = w_N / mu
  double row[2];               // W_NT
  double column[2];            // W_TN / w_N
  double adj[4];               // adj(Wbar)
  double trace, det, inv_det;
  double floor;  // det / trace, a lower bound of the smallest eigenvalue of Wbar
} Block3;

static int cache_size(int dim) {
  return dim == 3 ? (int)(sizeof(Block3) / sizeof(double)) : 0;
}

static void fill_block(const CpsLocalProblem* problem, Block3* block) {
  const double* W = problem->W;
  const double scale = W[0] + W[4] + W[8];
  memset(block, 0, sizeof *block);
  if (!(W[0] > rank_tolerance * scale) || !(problem->mu > 0.0)) return;
  block->w_N = W[0];
  block->inv_w_N = 1.0 / W[0];
  block->kappa = W[0] / problem->mu;
  block->row[0] = W[1];
  block->row[1] = W[2];
  block->column[0] = W[3] / W[0];
  block->column[1] = W[6] / W[0];
  const double a = W[4] - block->column[0] * W[1], b = W[5] - block->column[0] * W[2];
  const double c = W[7] - block->column[1] * W[1], d = W[8] - block->column[1] * W[2];
  block->adj[0] = d;
  block->adj[1] = -b;
  block->adj[2] = -c;
  block->adj[3] = a;
  block->trace = a + d;
  block->det = a * d - b * c;
  if (!(block->trace > 0.0) || !(block->det > rank_tolerance * scale * block->trace)) return;
  block->inv_det = 1.0 / block->det;
  block->floor = block->det / block->trace;
  block->regular = 1.0;
  if (block->floor > 1e-6 * scale && W[0] > 1e-6 * scale) block->trusted = 1.0;
}

// The block of a contact under the law convex; marked unused if W is not symmetric.
static CpsStickBlock cone_block(const CpsLocalProblem* problem) {
  const double* W = problem->W;
  const double upper[6] = {W[0], W[1], W[2], W[4], W[5], W[8]}, trace = W[0] + W[4] + W[8];
  const double skew = fmax(fabs(W[1] - W[3]), fmax(fabs(W[2] - W[6]), fabs(W[5] - W[7])));
  return skew <= 8.0 * DBL_EPSILON * trace ? cps_stick_block(upper, trace) : (CpsStickBlock){0};
}

static void prepare(const CpsLocalProblem* problem, double* cache) {
  if (problem->dim != 3) return;
  if (problem->law == CPS_LAW_CONVEX) {
    const CpsStickBlock cone = cone_block(problem);
    memcpy(cache, &cone, sizeof cone);
    return;
  }
  Block3 block;
  fill_block(problem, &block);
  memcpy(cache, &block, sizeof block);
}

// The alpha of the guess if it slides, else -1.
static double guessed_alpha(const CpsLocalProblem* problem, const double* r) {
  const int m = problem->dim - 1;
  const double limit = problem->mu * r[0];
  const double square = cps_small_dot(m, r + 1, r + 1);
  if (!(r[0] > 0.0) || !(fabs(square - limit * limit) <= 1e-6 * limit * limit)) return -1.0;
  double work = 0.0;
  for (int i = 1; i <= m; i++) {
    work += r[i] * (problem->b[i] + cps_small_dot(m + 1, problem->W + i * (m + 1), r));
  }
  return -work / square;
}

// r gets the candidate. If rounding left it short of the tolerance, Newton's method polishes it.
static CpsLocalResult accept(const CpsLocalProblem* problem, const CpsLocalSettings* settings, double* candidate,
                             double* r) {
  const double enough = fmax(settings->tolerance, 64.0 * DBL_EPSILON);  // no better than rounding
  double error = cps_local_error(problem, candidate);
  if (!(error <= enough) && isfinite(error)) {
    cps_local_ac.solve(problem, NULL, settings, candidate);
    error = cps_local_error(problem, candidate);
  }
  if (error <= enough || (isfinite(error) && !(error >= cps_local_error(problem, r)))) {
    memcpy(r, candidate, (size_t)problem->dim * sizeof *r);
  }
  return error <= enough ? CPS_LOCAL_SOLVED : CPS_LOCAL_FAILED;
}

// No case holds: r keeps the guess, or becomes 0 if that is better.
static CpsLocalResult give_up(const CpsLocalProblem* problem, CpsLocalResult result, double* r) {
  const double zero[CPS_DIM_MAX] = {0};
  if (!(cps_local_error(problem, r) <= cps_local_error(problem, zero))) {
    memset(r, 0, (size_t)problem->dim * sizeof *r);
  }
  return result;
}

// Takes the root whose r is nearest to the guess. False if there is none.
static bool nearest_root(const CpsSlide* slide, double lo, const double* guess, double* candidate) {
  double roots[CPS_SLIDE_MAX_ROOTS], best = INFINITY;
  const int count = cps_slide_all_roots(slide, lo, roots);
  for (int i = 0; i < count; i++) {
    double psi, slope, y[5], r[CPS_DIM_MAX], distance = 0.0;
    if (!cps_slide_evaluate(slide, roots[i], &psi, &slope, y)) continue;
    cps_slide_recover(slide, y, r);
    for (int j = 0; j <= slide->m; j++) distance += (r[j] - guess[j]) * (r[j] - guess[j]);
    if (r[0] > 0.0 && distance < best) {
      best = distance;
      memcpy(candidate, r, (size_t)(slide->m + 1) * sizeof *candidate);
    }
  }
  return best < INFINITY;
}

// Wbar is singular. y = -Wbar^+ h is the limit of r_T(alpha) for alpha -> 0 if h is in the range of Wbar.
static CpsLocalResult solve_singular(const CpsLocalProblem* problem, const CpsLocalSettings* settings,
                                     const CpsSlide* slide, double* r) {
  const int m = slide->m;
  double A[25], value[5], V[25], y[5] = {0}, candidate[CPS_DIM_MAX];
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) A[i * m + j] = 0.5 * (slide->Wbar[i * m + j] + slide->Wbar[j * m + i]);
  cps_dense_symmetric_eigen(m, A, value, V);
  for (int k = 0; k < m; k++) {
    if (!(value[k] > rank_tolerance * slide->scale)) continue;
    double component = 0.0;
    for (int i = 0; i < m; i++) component += V[i * m + k] * slide->h[i];
    for (int i = 0; i < m; i++) y[i] -= V[i * m + k] * component / value[k];
  }
  double rest = 0.0;
  for (int i = 0; i < m; i++) {
    const double left = slide->h[i] + cps_small_dot(m, slide->Wbar + i * m, y);
    rest += left * left;
  }
  const bool bounded = sqrt(rest) <= range_tolerance * cps_small_norm(m, slide->h) + rank_tolerance * slide->h_size;
  cps_slide_recover(slide, y, candidate);
  if (bounded && cps_small_norm(m, y) <= problem->mu * candidate[0]) {
    return accept(problem, settings, candidate, r);
  }
  if (nearest_root(slide, rank_tolerance * slide->scale, r, candidate)) {
    return accept(problem, settings, candidate, r);
  }
  // A small eigenvalue above rounding: W is just regular after all.
  if (value[0] > 16.0 * DBL_EPSILON * slide->scale) {
    int pivot[5];
    memcpy(A, slide->Wbar, (size_t)(m * m) * sizeof *A);
    for (int i = 0; i < m; i++) y[i] = -slide->h[i];
    if (!cps_small_lu_factor(m, A, pivot, 0.0)) return give_up(problem, CPS_LOCAL_FAILED, r);
    cps_small_lu_solve(m, A, pivot, y);
    cps_slide_recover(slide, y, candidate);
    return accept(problem, settings, candidate, r);
  }
  // h outside the range: no stick. psi without root: no slide. b_N < 0: no take-off.
  return give_up(problem, bounded ? CPS_LOCAL_FAILED : CPS_LOCAL_NO_SOLUTION, r);
}

// Any dimension, any W.
static CpsLocalResult solve_general(const CpsLocalProblem* problem, const CpsLocalSettings* settings, double* r) {
  const int d = problem->dim, m = d - 1;
  if (problem->b[0] >= 0.0) {
    memset(r, 0, (size_t)d * sizeof *r);
    return CPS_LOCAL_SOLVED;
  }
  if (!isfinite(cps_small_norm(d, problem->b)) || !isfinite(cps_small_norm(d * d, problem->W))) return CPS_LOCAL_FAILED;
  // w_N = 0 zeroes the row of a positive semi-definite W: u_N = b_N < 0 for any r
  if (!(problem->W[0] > rank_tolerance * cps_small_trace(d, problem->W))) {
    return give_up(problem, CPS_LOCAL_NO_SOLUTION, r);
  }
  CpsSlide slide;
  cps_slide_reduce(problem, &slide);
  double A[25], y[5], candidate[CPS_DIM_MAX];
  int pivot[5];
  memcpy(A, slide.Wbar, (size_t)(m * m) * sizeof *A);
  if (!cps_small_lu_factor(m, A, pivot, rank_tolerance * slide.scale)) {
    return solve_singular(problem, settings, &slide, r);
  }
  for (int i = 0; i < m; i++) y[i] = -slide.h[i];
  cps_small_lu_solve(m, A, pivot, y);
  cps_slide_recover(&slide, y, candidate);
  if (cps_small_norm(m, y) <= problem->mu * candidate[0]) return accept(problem, settings, candidate, r);

  // slide: from the guess, or from the root of the asymptote of psi (a Rayleigh quotient)
  double alpha = guessed_alpha(problem, r);
  if (!(alpha > 0.0)) {
    double Wh[5];
    const double square = cps_small_dot(m, slide.h, slide.h);
    cps_small_apply(m, slide.Wbar, slide.h, Wh);
    alpha = (sqrt(square) * slide.w_N / slide.mu - cps_small_dot(m, slide.row, slide.h)) / -slide.b_N -
            cps_small_dot(m, slide.h, Wh) / square;
    if (!(alpha > 0.0) || !isfinite(alpha)) alpha = 0.0;
  }
  double psi, slope;
  if (m != 2 && cps_slide_root(&slide, 0.0, INFINITY, &alpha) && cps_slide_evaluate(&slide, alpha, &psi, &slope, y)) {
    cps_slide_recover(&slide, y, candidate);
    return accept(problem, settings, candidate, r);
  }
  if (nearest_root(&slide, 0.0, r, candidate)) return accept(problem, settings, candidate, r);
  return give_up(problem, CPS_LOCAL_FAILED, r);
}

// Can q^2 - kappa^2 n2 have more than one positive root? (Descartes' rule of signs on its five coefficients.)
static bool may_have_three_roots(double q2, double q1, double q0, double n2, double n1, double n0) {
  const double c[5] = {q0 * q0 - n0, 2.0 * (q1 * q0 - n1), q1 * q1 + 2.0 * q2 * q0 - n2, 2.0 * q2 * q1, q2 * q2};
  int changes = 0;
  bool positive = true;
  for (int i = 3; i >= 0; i--) {
    const bool sign = c[i] >= 0.0;
    changes += sign != positive;
    positive = sign;
  }
  return changes > 1;
}

// Dimension 3, Coulomb, regular W: eq. (3).
static CpsLocalResult solve_regular3(const CpsLocalProblem* problem, const Block3* k, const CpsLocalSettings* settings,
                                     double* r) {
  const double b_N = problem->b[0];
  const double h0 = problem->b[1] - k->column[0] * b_N, h1 = problem->b[2] - k->column[1] * b_N;
  const double B0 = k->adj[0] * h0 + k->adj[1] * h1, B1 = k->adj[2] * h0 + k->adj[3] * h1;
  const double q2 = -b_N;
  const double q1 = k->row[0] * h0 + k->row[1] * h1 - b_N * k->trace;
  const double q0 = k->row[0] * B0 + k->row[1] * B1 - b_N * k->det;
  const double BB = B0 * B0 + B1 * B1, hB = h0 * B0 + h1 * B1, hh = h0 * h0 + h1 * h1;
  const double kappa = k->kappa, kappa2 = kappa * kappa;
  double alpha = 0.0, factor;
  if (q0 >= 0.0 && kappa2 * BB <= q0 * q0) {
    factor = -k->inv_det;
  } else {
    if (may_have_three_roots(q2, q1, q0, kappa2 * hh, kappa2 * hB, kappa2 * BB)) {
      return solve_general(problem, settings, r);
    }
    alpha = guessed_alpha(problem, r);
    if (!(alpha > 0.0)) alpha = fmax(0.0, (kappa * sqrt(hh) - q1) / q2 + hB / hh);
    double lo = 0.0, hi = INFINITY;
    bool settled = false;
    for (int iteration = 0; iteration < 60 && !settled; iteration++) {
      const double q = (q2 * alpha + q1) * alpha + q0, dq = 2.0 * q2 * alpha + q1;
      const double m = hh * alpha + hB, nn = (m + hB) * alpha + BB;
      const double F = q - kappa * sqrt(nn);
      if (F < 0.0) {
        lo = alpha;
      } else {
        hi = alpha;
      }
      double next = alpha - F * nn / (dq * nn - q * m);  // Newton on q / n
      const bool newton = next > lo && next < hi;
      if (!newton) next = hi < INFINITY ? 0.5 * (lo + hi) : 4.0 * alpha + k->trace;
      const double step = fabs(next - alpha), size = next + k->floor;
      settled = (newton && step <= 1e-8 * size) || hi - lo <= 4.0 * DBL_EPSILON * size;
      alpha = next;
    }
    if (!settled) return solve_general(problem, settings, r);
    factor = -1.0 / ((alpha + k->trace) * alpha + k->det);
  }
  const double r_T0 = factor * (B0 + alpha * h0), r_T1 = factor * (B1 + alpha * h1);
  double candidate[3] = {-(b_N + k->row[0] * r_T0 + k->row[1] * r_T1) * k->inv_w_N, r_T0, r_T1};
  if (k->trusted != 0.0 && candidate[0] > 0.0 && candidate[0] < INFINITY) {
    memcpy(r, candidate, sizeof candidate);
    return CPS_LOCAL_SOLVED;
  }
  return accept(problem, settings, candidate, r);
}

// Dimension 3, convex: cone.h if applicable, otherwise enum_convex.c.
static CpsLocalResult solve_cone3(const CpsLocalProblem* problem, const CpsStickBlock* block,
                                  const CpsLocalSettings* settings, double* r) {
  const double *b = problem->b, mu = problem->mu;
  double stuck[3] = {0};
  if (block->inv_det > 0.0 && !(b[0] >= mu * hypot(b[1], b[2]))) {
    if (cps_stick_in_cone(block, mu, b, stuck)) {
      memcpy(r, stuck, sizeof stuck);
      return CPS_LOCAL_SOLVED;
    }
    if (cps_cone_slip(block, mu, b, r)) return CPS_LOCAL_SOLVED;
  }
  return cps_enum_solve_convex(problem, settings, r);
}

static CpsLocalResult solve(const CpsLocalProblem* problem, const double* cache, const CpsLocalSettings* settings,
                            double* r) {
  if (problem->law == CPS_LAW_CONVEX && problem->mu > 0.0 && problem->dim == 3) {
    const CpsStickBlock own = cache ? (CpsStickBlock){0} : cone_block(problem);
    return solve_cone3(problem, cache ? (const CpsStickBlock*)(const void*)cache : &own, settings, r);
  }
  if (problem->law == CPS_LAW_COULOMB && problem->mu > 0.0) {
    if (problem->dim != 3) return solve_general(problem, settings, r);
    if (problem->b[0] >= 0.0) {
      memset(r, 0, 3 * sizeof *r);
      return CPS_LOCAL_SOLVED;
    }
    Block3 own;
    const Block3* block = (const Block3*)(const void*)cache;
    if (block == NULL) {
      fill_block(problem, &own);
      block = &own;
    }
    return block->regular != 0.0 ? solve_regular3(problem, block, settings, r) : solve_general(problem, settings, r);
  }
  CpsLocalResult result;
  if (cps_local_solve_simple(problem, r, &result)) return result;
  return cps_enum_solve_convex(problem, settings, r);
}

const CpsLocalSolver cps_local_enum = {
    .info = {.name = "enum",
             .summary = "enumeration of take-off, stick and slide; sliding by a scalar root, any dimension",
             .reference = "Daviet, Bertails-Descoubes, Boissieux 2011, appendix B",
             .exact = true},
    .cache_size = cache_size,
    .prepare = prepare,
    .solve = solve,
};
