// Sliding as a scalar equation.
//
//   u_N = 0,  u_T = -alpha r_T,  ||r_T|| = mu r_N > 0,  alpha > 0                                                  (1)
//   Wbar = W_TT - W_TN W_NT / w_N,   h = b_T - (b_N / w_N) W_TN
//   r_T(alpha) = -(Wbar + alpha I)^-1 h,   r_N(alpha) = -(b_N + W_NT r_T) / w_N                                    (2)
//   psi(alpha) = r_N / ||r_T|| - 1/mu = 0                                                                          (3)
//
// (1) is the sliding case of Daviet et al. 2011, appendix B; the elimination (2) holds in any dimension and needs no
// symmetry of W. psi is nearly linear in alpha (it is the secular function of a trust region whose radius depends on
// r_N), so Newton's method takes 3 to 5 steps. psi(infinity) > 0 if b_N < 0, and psi(0+) < 0 if the contact cannot
// stick, so the number of roots is odd: 1 or, seldom, 3.
//
// In dimension 3 all roots are found for certain, from the quartic
//   q(alpha)^2 = (w_N/mu)^2 ||B + alpha h||^2,  B = adj(Wbar) h,  q = -(b_N alpha^2 + A' alpha + C') > 0            (4)
// (Daviet et al. 2011, eq. 16, multiplied through by b_N). In higher dimensions cps_slide_all_roots() samples psi on a
// logarithmic grid, eight points per decade: it misses two roots between neighbouring points.
#include "friction/local/slide.h"

#include <float.h>
#include <string.h>

#include "friction/local/small.h"

void cps_slide_reduce(const CpsLocalProblem* problem, CpsSlide* slide) {
  const int d = problem->dim, m = d - 1;
  const double* W = problem->W;
  const double* b = problem->b;
  slide->m = m;
  slide->w_N = W[0];
  slide->b_N = b[0];
  slide->mu = problem->mu;
  slide->scale = cps_small_trace(d, W);
  double column_square = 0.0;
  for (int i = 0; i < m; i++) {
    const double column = W[(i + 1) * d] / W[0];
    slide->row[i] = W[i + 1];
    slide->h[i] = b[i + 1] - column * b[0];
    column_square += column * column;
    for (int j = 0; j < m; j++) slide->Wbar[i * m + j] = W[(i + 1) * d + j + 1] - column * W[j + 1];
  }
  slide->h_size = cps_small_norm(m, b + 1) + fabs(b[0]) * sqrt(column_square);
}

bool cps_slide_evaluate(const CpsSlide* slide, double alpha, double* psi, double* slope, double* y) {
  const int m = slide->m;
  double A[25], dy[5];
  int pivot[5];
  memcpy(A, slide->Wbar, (size_t)(m * m) * sizeof *A);
  for (int i = 0; i < m; i++) A[i * m + i] += alpha;
  if (!cps_small_lu_factor(m, A, pivot, 0.0)) return false;
  for (int i = 0; i < m; i++) y[i] = -slide->h[i];
  cps_small_lu_solve(m, A, pivot, y);
  for (int i = 0; i < m; i++) dy[i] = -y[i];
  cps_small_lu_solve(m, A, pivot, dy);  // d r_T / d alpha
  const double norm = cps_small_norm(m, y);
  const double r_N = -(slide->b_N + cps_small_dot(m, slide->row, y)) / slide->w_N;
  const double dr_N = -cps_small_dot(m, slide->row, dy) / slide->w_N;
  *psi = r_N / norm - 1.0 / slide->mu;
  *slope = (dr_N - r_N * (cps_small_dot(m, y, dy) / (norm * norm))) / norm;
  return isfinite(*psi) && isfinite(*slope);
}

void cps_slide_recover(const CpsSlide* slide, const double* y, double* r) {
  r[0] = -(slide->b_N + cps_small_dot(slide->m, slide->row, y)) / slide->w_N;
  memcpy(r + 1, y, (size_t)slide->m * sizeof *r);
}

// Midpoint of lo and hi, in the logarithm if they are decades apart.
static double between(double lo, double hi, double scale) {
  const double low = fmax(lo, 1e-18 * scale);
  return hi > 8.0 * low ? sqrt(low) * sqrt(hi) : 0.5 * (lo + hi);
}

bool cps_slide_root(const CpsSlide* slide, double lo, double hi, double* alpha) {
  double x = *alpha, y[5];
  for (int iteration = 0; iteration < 200; iteration++) {
    double psi, slope;
    if (!cps_slide_evaluate(slide, x, &psi, &slope, y)) return false;
    if (psi < 0.0) {
      lo = x;
    } else {
      hi = x;
    }
    double next = x - psi / slope;
    const bool newton = next > lo && next < hi;
    if (!newton) next = isfinite(hi) ? between(lo, hi, slide->scale) : 4.0 * x + slide->scale;
    // Newton's steps converge quadratically: after one of relative size 1e-8 no further gain is possible.
    const bool settled = newton && fabs(next - x) <= 1e-8 * next;
    x = next;
    if (settled || hi - lo <= 4.0 * DBL_EPSILON * x) {
      *alpha = x;
      return true;
    }
    if (!isfinite(x)) return false;
  }
  return false;
}

static double polynomial(int degree, const double* c, double x) {
  double sum = c[degree];
  for (int i = degree - 1; i >= 0; i--) sum = sum * x + c[i];
  return sum;
}

// Positive roots of sum c_i x^i with a sign change, ascending: between neighbouring roots of the derivative the
// polynomial is monotone, so bisection misses none.
static int positive_roots(int degree, const double* c, double* roots) {
  double knots[CPS_SLIDE_MAX_ROOTS], derivative[8];
  int knot_count = 0, count = 0;
  double largest = 0.0;
  while (degree > 0 && c[degree] == 0.0) degree--;
  if (degree <= 0) return 0;
  for (int i = 0; i < degree; i++) largest = fmax(largest, fabs(c[i] / c[degree]));
  if (degree > 1) {
    for (int i = 1; i <= degree; i++) derivative[i - 1] = i * c[i];
    knot_count = positive_roots(degree - 1, derivative, knots);
  }
  knots[knot_count++] = 1.0 + largest;  // Cauchy's bound
  double lo = 0.0, value_lo = c[0];
  for (int k = 0; k < knot_count; k++) {
    double hi = knots[k];
    const double value_hi = polynomial(degree, c, hi);
    if ((value_lo < 0.0) != (value_hi < 0.0) && hi > lo) {
      double left = lo, right = hi;
      for (int i = 0; i < 1100 && right - left > 2.0 * DBL_EPSILON * right; i++) {
        const double middle = left > 0.0 && right > 8.0 * left ? sqrt(left) * sqrt(right) : 0.5 * (left + right);
        if ((polynomial(degree, c, middle) < 0.0) == (value_lo < 0.0)) {
          left = middle;
        } else {
          right = middle;
        }
      }
      roots[count++] = 0.5 * (left + right);
    }
    lo = hi;
    value_lo = value_hi;
  }
  return count;
}

// The quartic (4), in x = alpha / scale so that its coefficients are of comparable size.
static int quartic_roots(const CpsSlide* slide, double* roots) {
  const double s = slide->scale, w_N = slide->w_N, mu = slide->mu;
  const double *A = slide->Wbar, *h = slide->h, *row = slide->row;
  const double trace = (A[0] + A[3]) / s, det = (A[0] * A[3] - A[1] * A[2]) / (s * s);
  const double B[2] = {(A[3] * h[0] - A[1] * h[1]) / s, (A[0] * h[1] - A[2] * h[0]) / s};
  const double q2 = -slide->b_N;
  const double q1 = (row[0] * h[0] + row[1] * h[1]) / s - slide->b_N * trace;
  const double q0 = (row[0] * B[0] + row[1] * B[1]) / s - slide->b_N * det;
  const double k = w_N / (mu * s), D = k * k;
  const double c[5] = {q0 * q0 - D * (B[0] * B[0] + B[1] * B[1]), 2.0 * (q1 * q0 - D * (h[0] * B[0] + h[1] * B[1])),
                       q1 * q1 + 2.0 * q2 * q0 - D * (h[0] * h[0] + h[1] * h[1]), 2.0 * q2 * q1, q2 * q2};
  const int count = positive_roots(4, c, roots);
  for (int i = 0; i < count; i++) roots[i] *= s;
  return count;
}

static int sampled_roots(const CpsSlide* slide, double* roots) {
  int count = 0;
  double last = -1.0, last_alpha = 0.0, slope, y[5];
  for (int k = -8 * 15; k <= 8 * 15 && count < CPS_SLIDE_MAX_ROOTS; k++) {
    const double alpha = slide->scale * pow(10.0, k / 8.0);
    double psi;
    if (!cps_slide_evaluate(slide, alpha, &psi, &slope, y)) continue;
    if (last_alpha > 0.0 && (psi < 0.0) != (last < 0.0)) roots[count++] = sqrt(last_alpha * alpha);
    last = psi;
    last_alpha = alpha;
  }
  return count;
}

// A few Newton steps without a bracket, each kept only if |psi| falls. A small |psi| means a root with r_N > 0 here.
static bool polish(const CpsSlide* slide, double* alpha) {
  double psi, slope, y[5], x = *alpha;
  if (!cps_slide_evaluate(slide, x, &psi, &slope, y)) return false;
  for (int i = 0; i < 50; i++) {
    double step = psi / slope, trial_psi, trial_slope;
    bool better = false;
    for (int half = 0; half < 10 && !better; half++, step *= 0.5) {
      const double trial = x - step;
      better =
          trial > 0.0 && cps_slide_evaluate(slide, trial, &trial_psi, &trial_slope, y) && fabs(trial_psi) < fabs(psi);
      if (better) x = trial;
    }
    if (!better) break;
    psi = trial_psi;
    slope = trial_slope;
  }
  *alpha = x;
  return fabs(psi) * slide->mu <=
         1e-9;  // relative to r_N / ||r_T|| = 1/mu; spurious roots of (4) have -1/mu, psi = -2/mu
}

int cps_slide_all_roots(const CpsSlide* slide, double lo, double* roots) {
  double candidates[CPS_SLIDE_MAX_ROOTS];
  const int found = slide->m == 2 ? quartic_roots(slide, candidates) : sampled_roots(slide, candidates);
  int count = 0;
  for (int i = 0; i < found; i++) {
    double alpha = candidates[i];
    if (alpha > lo && polish(slide, &alpha) && alpha > lo) roots[count++] = alpha;
  }
  return count;
}
