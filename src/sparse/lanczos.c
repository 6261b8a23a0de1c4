// Lanczos on S = (A + A^T)/2 from a fixed start, without reorthogonalisation:
//
//   beta_k q_{k+1} = S q_k - alpha_k q_k - beta_{k-1} q_{k-1},   alpha_k = q_k . S q_k                              (1)
//
// The eigenvalues of the tridiagonal T of the alpha and beta lie in the range of those of S, whatever accuracy rounding
// costs the recurrence; so a clearly negative one proves that S is indefinite. The number of eigenvalues of T below -delta
// is the number of negative pivots of T + delta I (Sturm).
#include "sparse/lanczos.h"

#include <math.h>
#include <string.h>

enum { STEPS = 24 };

// out = (A x + A^T x) / 2
static void multiply_symmetric(const CpsBlockMatrix* A, const double* x, double* out) {
  int64_t rows = A->offset[A->rows];
  memset(out, 0, (size_t)rows * sizeof *out);
  for (int32_t i = 0; i < A->rows; ++i) {
    int di = (int)(A->offset[i + 1] - A->offset[i]);
    const double* xi = x + A->offset[i];
    double* oi = out + A->offset[i];
    for (int64_t k = A->start[i]; k < A->start[i + 1]; ++k) {
      int32_t j = A->col[k];
      int dj = (int)(A->offset[j + 1] - A->offset[j]);
      const double *a = A->value + A->at[k], *xj = x + A->offset[j];
      double* oj = out + A->offset[j];
      for (int p = 0; p < di; ++p) {
        for (int q = 0; q < dj; ++q) {
          oi[p] += 0.5 * a[p * dj + q] * xj[q];
          oj[q] += 0.5 * a[p * dj + q] * xi[p];
        }
      }
    }
  }
}

static double dot(int64_t n, const double* x, const double* y) {
  double sum = 0.0;
  for (int64_t k = 0; k < n; ++k) sum += x[k] * y[k];
  return sum;
}

// Does T + delta I have a negative pivot?
static bool has_eigenvalue_below(int n, const double* alpha, const double* beta, double minus_delta) {
  double pivot = 1.0;
  for (int k = 0; k < n; ++k) {
    double square = k > 0 ? beta[k - 1] * beta[k - 1] : 0.0;
    pivot = alpha[k] - minus_delta - square / pivot;
    if (pivot < 0.0) return true;
    if (pivot == 0.0) pivot = 1e-300;
  }
  return false;
}

CpsLanczosResult cps_lanczos_indefinite(const CpsBlockMatrix* A, double slack, CpsArena* arena) {
  int64_t n = A->offset[A->rows];
  double* q = CPS_TAKE(arena, double, n);
  double* before = CPS_TAKE_ZERO(arena, double, n);
  double* next = CPS_TAKE(arena, double, n);
  if (!q || !before || !next) return CPS_LANCZOS_NO_MEMORY;
  if (n == 0) return CPS_LANCZOS_NOT_SEEN;
  // an unsymmetric start, the same every time
  uint64_t state = 88172645463325252u;
  for (int64_t k = 0; k < n; ++k) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    q[k] = (double)(state >> 11) / 9007199254740992.0 - 0.5;
  }
  double norm = sqrt(dot(n, q, q)), alpha[STEPS], beta[STEPS], size = 0.0;
  for (int64_t k = 0; k < n; ++k) q[k] /= norm;
  int steps = 0;
  while (steps < STEPS && steps < n) {
    multiply_symmetric(A, q, next);
    alpha[steps] = dot(n, q, next);
    double last = steps > 0 ? beta[steps - 1] : 0.0;
    for (int64_t k = 0; k < n; ++k) next[k] -= alpha[steps] * q[k] + last * before[k];
    beta[steps] = sqrt(dot(n, next, next));
    size = fmax(size, fabs(alpha[steps]) + beta[steps] + last);
    if (!isfinite(size)) return CPS_LANCZOS_NOT_SEEN;
    // the Krylov space is exhausted: further steps would be noise
    bool exhausted = !(beta[steps] > 1e-10 * size);
    double scale = exhausted ? 0.0 : 1.0 / beta[steps];
    steps++;
    if (exhausted) break;
    double* old = before;
    before = q;
    q = next;
    next = old;
    for (int64_t k = 0; k < n; ++k) q[k] *= scale;
  }
  return has_eigenvalue_below(steps, alpha, beta, -slack * size) ? CPS_LANCZOS_INDEFINITE : CPS_LANCZOS_NOT_SEEN;
}
