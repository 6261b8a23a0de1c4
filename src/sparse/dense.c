// Small dense factorisations, row-major, in place.
//
//   P A = L U                   partial pivoting                                              (1)
//   A = L L^T                   Cholesky                                                      (2)
//   A = V diag(lambda) V^T      cyclic Jacobi rotations (Golub and Van Loan, section 8.5)     (3)
//   P A P^T = L L^T + E         Cholesky with diagonal pivoting (Higham 1990), for the rank   (4)
//
// Not guaranteed: (4) reveals the rank of ordinary matrices, not of contrived ones.
#include "sparse/dense.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

static const double LU_PIVOT_TOLERANCE = 1e-14;
static const int JACOBI_MAX_SWEEPS = 60;

static double largest_entry(int n, const double* A) {
  double largest = 0.0;
  for (ptrdiff_t k = 0; k < (ptrdiff_t)n * n; k++) largest = fmax(largest, fabs(A[k]));
  return largest;
}

static void swap_rows(int n, double* A, int i, int j) {
  for (int k = 0; k < n; k++) {
    double t = A[(ptrdiff_t)i * n + k];
    A[(ptrdiff_t)i * n + k] = A[(ptrdiff_t)j * n + k];
    A[(ptrdiff_t)j * n + k] = t;
  }
}

bool cps_dense_lu_factor(int n, double* A, int* pivot) {
  double threshold = LU_PIVOT_TOLERANCE * largest_entry(n, A);
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(A[(ptrdiff_t)i * n + k]) > fabs(A[(ptrdiff_t)p * n + k])) p = i;
    }
    pivot[k] = p;
    if (p != k) swap_rows(n, A, p, k);
    const double* row_k = A + (ptrdiff_t)k * n;
    if (!(fabs(row_k[k]) > threshold)) return false;
    double inverse = 1.0 / row_k[k];
    for (int i = k + 1; i < n; i++) {
      double* row_i = A + (ptrdiff_t)i * n;
      double l = row_i[k] * inverse;
      row_i[k] = l;
      for (int j = k + 1; j < n; j++) row_i[j] -= l * row_k[j];
    }
  }
  return true;
}

void cps_dense_lu_solve(int n, const double* LU, const int* pivot, double* x) {
  for (int k = 0; k < n; k++) {
    double t = x[pivot[k]];
    x[pivot[k]] = x[k];
    x[k] = t;
  }
  for (int i = 0; i < n; i++) {
    const double* row = LU + (ptrdiff_t)i * n;
    for (int j = 0; j < i; j++) x[i] -= row[j] * x[j];
  }
  for (int i = n - 1; i >= 0; i--) {
    const double* row = LU + (ptrdiff_t)i * n;
    for (int j = i + 1; j < n; j++) x[i] -= row[j] * x[j];
    x[i] /= row[i];
  }
}

bool cps_dense_cholesky_factor(int n, double* A, double relative_tolerance) {
  double largest = 0.0;
  for (int i = 0; i < n; i++) largest = fmax(largest, A[(ptrdiff_t)i * n + i]);
  double threshold = relative_tolerance * largest;
  for (int i = 0; i < n; i++) {
    double* row_i = A + (ptrdiff_t)i * n;
    for (int j = 0; j <= i; j++) {
      const double* row_j = A + (ptrdiff_t)j * n;
      double sum = row_i[j];
      for (int k = 0; k < j; k++) sum -= row_i[k] * row_j[k];
      if (j < i) {
        row_i[j] = sum / row_j[j];
      } else {
        if (!(sum > threshold)) return false;
        row_i[i] = sqrt(sum);
      }
    }
  }
  return true;
}

void cps_dense_cholesky_solve(int n, const double* L, double* x) {
  for (int i = 0; i < n; i++) {
    const double* row = L + (ptrdiff_t)i * n;
    for (int j = 0; j < i; j++) x[i] -= row[j] * x[j];
    x[i] /= row[i];
  }
  // L^T by columns, so that the rows of L are contiguous
  for (int i = n - 1; i >= 0; i--) {
    const double* row = L + (ptrdiff_t)i * n;
    x[i] /= row[i];
    for (int j = 0; j < i; j++) x[j] -= row[j] * x[i];
  }
}

// The rotation that makes A_pq zero, with the smaller of the two angles: t = tan, c = cos, s = sin.
static void rotate(int n, double* A, double* V, int p, int q) {
  double a_pq = A[(ptrdiff_t)p * n + q];
  double theta = (A[(ptrdiff_t)q * n + q] - A[(ptrdiff_t)p * n + p]) / (2.0 * a_pq);
  double t = copysign(1.0, theta) / (fabs(theta) + sqrt(1.0 + theta * theta));
  double c = 1.0 / sqrt(1.0 + t * t), s = c * t;
  for (int k = 0; k < n; k++) {  // A <- A G
    double x = A[(ptrdiff_t)k * n + p], y = A[(ptrdiff_t)k * n + q];
    A[(ptrdiff_t)k * n + p] = c * x - s * y;
    A[(ptrdiff_t)k * n + q] = s * x + c * y;
  }
  for (int k = 0; k < n; k++) {  // A <- G^T A
    double x = A[(ptrdiff_t)p * n + k], y = A[(ptrdiff_t)q * n + k];
    A[(ptrdiff_t)p * n + k] = c * x - s * y;
    A[(ptrdiff_t)q * n + k] = s * x + c * y;
  }
  for (int k = 0; k < n; k++) {  // V <- V G
    double x = V[(ptrdiff_t)k * n + p], y = V[(ptrdiff_t)k * n + q];
    V[(ptrdiff_t)k * n + p] = c * x - s * y;
    V[(ptrdiff_t)k * n + q] = s * x + c * y;
  }
  A[(ptrdiff_t)p * n + q] = A[(ptrdiff_t)q * n + p] = 0.0;
}

static void sort_ascending(int n, double* value, double* V) {
  for (int i = 0; i + 1 < n; i++) {
    int smallest = i;
    for (int j = i + 1; j < n; j++) {
      if (value[j] < value[smallest]) smallest = j;
    }
    if (smallest == i) continue;
    double t = value[i];
    value[i] = value[smallest];
    value[smallest] = t;
    for (int k = 0; k < n; k++) {
      double v = V[(ptrdiff_t)k * n + i];
      V[(ptrdiff_t)k * n + i] = V[(ptrdiff_t)k * n + smallest];
      V[(ptrdiff_t)k * n + smallest] = v;
    }
  }
}

void cps_dense_symmetric_eigen(int n, double* A, double* value, double* V) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) V[(ptrdiff_t)i * n + j] = i == j ? 1.0 : 0.0;
  }
  // off-diagonal entries below this are lost in the rounding of the eigenvalues
  double negligible = 0.125 * DBL_EPSILON * largest_entry(n, A);
  for (int sweep = 0; sweep < JACOBI_MAX_SWEEPS; sweep++) {
    bool rotated = false;
    for (int p = 0; p < n; p++) {
      for (int q = p + 1; q < n; q++) {
        if (!(fabs(A[(ptrdiff_t)p * n + q]) > negligible)) continue;
        rotate(n, A, V, p, q);
        rotated = true;
      }
    }
    if (!rotated) break;
  }
  for (int i = 0; i < n; i++) value[i] = A[(ptrdiff_t)i * n + i];
  sort_ascending(n, value, V);
}

int cps_dense_rank(int n, double* A, double relative_tolerance, int* order, double* condition, double* most_negative) {
  double scale = 0.0;
  for (int i = 0; i < n; i++) {
    scale = fmax(scale, fabs(A[(ptrdiff_t)i * n + i]));
    order[i] = i;
  }
  *condition = 1.0;
  *most_negative = 0.0;
  double first_pivot = 0.0;
  int rank = 0;
  for (; rank < n; rank++) {
    // the largest remaining diagonal; rows and columns stay in place and are accessed through `order`
    int best = rank;
    for (int i = rank + 1; i < n; i++) {
      if (A[(ptrdiff_t)order[i] * n + order[i]] > A[(ptrdiff_t)order[best] * n + order[best]]) best = i;
    }
    int t = order[rank];
    order[rank] = order[best];
    order[best] = t;
    int p = order[rank];
    double pivot = A[(ptrdiff_t)p * n + p];
    if (!(pivot > relative_tolerance * scale)) break;
    if (rank == 0) first_pivot = pivot;
    *condition = first_pivot / pivot;
    // Schur complement on the remaining rows: A_ij -= A_ip A_pj / A_pp; row p holds the pivot row, both triangles kept
    const double* row_p = A + (ptrdiff_t)p * n;
    for (int i = rank + 1; i < n; i++) {
      double* row_i = A + (ptrdiff_t)order[i] * n;
      double l = row_i[p] / pivot;
      if (l == 0.0) continue;
      for (int j = rank + 1; j < n; j++) row_i[order[j]] -= l * row_p[order[j]];
    }
  }
  for (int i = rank; i < n && scale > 0.0; i++) {
    *most_negative = fmin(*most_negative, A[(ptrdiff_t)order[i] * n + order[i]] / scale);
  }
  return rank;
}
