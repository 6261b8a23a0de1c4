// Least squares of one contact: Householder QR with column pivoting (Businger and Golub 1965).
//
//   A P = Q [R11 R12; 0 ~0],   x = P [R11^-1 (Q^T b)_1; 0]                                                        (1)
//
// Needs no symmetry of A. If A is singular, x is a basic solution, not the one of least norm.
#include "friction/local/small.h"

#include <string.h>

static double column_norm(int n, const double* A, int from, int column) {
  double sum = 0.0;
  for (int i = from; i < n; i++) sum += A[i * n + column] * A[i * n + column];
  return sqrt(sum);
}

// Reflects column k of A below row k onto its first axis, and the later columns and b with it.
static void reflect(int n, double* A, double* b, int k, double norm) {
  double v[CPS_DIM_MAX];
  const double head = A[k * n + k];
  const double beta = head > 0.0 ? -norm : norm;
  for (int i = k; i < n; i++) v[i] = A[i * n + k];
  v[k] = head - beta;
  const double factor = 1.0 / (norm * (norm + fabs(head)));  // 2 / v.v
  for (int j = k; j <= n; j++) {
    double dot = 0.0;
    for (int i = k; i < n; i++) dot += v[i] * (j < n ? A[i * n + j] : b[i]);
    dot *= factor;
    for (int i = k; i < n; i++) {
      if (j < n) {
        A[i * n + j] -= dot * v[i];
      } else {
        b[i] -= dot * v[i];
      }
    }
  }
}

int cps_small_least_squares(int n, double* A, double* b, double relative, double* x) {
  int order[CPS_DIM_MAX];
  double largest = 0.0;
  int rank = 0;
  for (int j = 0; j < n; j++) order[j] = j;
  for (int k = 0; k < n; k++) {
    int best = k;
    double norm = -1.0;
    for (int j = k; j < n; j++) {
      const double candidate = column_norm(n, A, k, j);
      if (candidate > norm) {
        norm = candidate;
        best = j;
      }
    }
    if (k == 0) largest = norm;
    if (!(norm > relative * largest) || !(norm > 0.0)) break;
    const int swap = order[k];
    order[k] = order[best];
    order[best] = swap;
    for (int i = 0; i < n; i++) {
      const double entry = A[i * n + k];
      A[i * n + k] = A[i * n + best];
      A[i * n + best] = entry;
    }
    reflect(n, A, b, k, norm);
    rank++;
  }
  double y[CPS_DIM_MAX];
  memset(x, 0, (size_t)n * sizeof *x);
  for (int i = rank - 1; i >= 0; i--) {
    double sum = b[i];
    for (int j = i + 1; j < rank; j++) sum -= A[i * n + j] * y[j];
    y[i] = sum / A[i * n + i];
    x[order[i]] = y[i];
  }
  return rank;
}
