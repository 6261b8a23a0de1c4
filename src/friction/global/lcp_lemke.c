// Lemke's method on a dense tableau, with lexicographic pivoting.
//
//   w - M z - e z0 = q,   w, z, z0 >= 0,   w_j z_j = 0                                                          (1)
//
// z0 enters first, just large enough for w >= 0; then the complement of the variable that left enters, until z0 leaves
// (solution) or nothing limits the entering variable (secondary ray). The tableau expresses the basic variables by the
// others,
//
//   x_B = t - T x_N                                                                                             (2)
//
// in n rows and n + 2 columns (the n + 1 non-basic variables and t), exchanged in place. Friction gives q many zeros,
// so ratios tie all the time. The lexicographic order of the rows of [t, B^-1] breaks ties (Cottle, Pang and Stone
// 1992, section 4.9), which excludes cycles; column j of B^-1 is the column of w_j in T, or a unit vector while w_j is
// basic. Not guaranteed: with rounding a tolerance decides the order. For a matrix that is not copositive-plus, a
// secondary ray does not prove that no solution exists.
#include "friction/global/lcp_lemke.h"

#include <math.h>
#include <string.h>

static const double pivot_tolerance = 1e-10;  // of the largest entry of the column
static const double tie_tolerance = 1e-12;    // on ratios; q is of order 1, a tableau loses a few digits
static const double error_limit = 1e-6;       // of a solution put into the original M and q

// Variables: w_j is j, z_j is n + j, z0 is 2 n.
typedef struct Tableau {
  int n;
  int stride;    // n + 2
  double* T;     // n rows: n + 1 columns of T, then t
  int* row_var;  // n: the basic variable of each row
  int* col_var;  // n + 1: the non-basic variable of each column
  int* place;    // 2 n + 1: the row (>= 0) or ~column (< 0) of each variable
  int* tied;     // n: rows still in the ratio test
} Tableau;

static double* tableau_row(const Tableau* tableau, int i) {
  return tableau->T + (size_t)i * (size_t)tableau->stride;
}

static bool tableau_take(Tableau* tableau, int n, CpsArena* arena) {
  tableau->n = n;
  tableau->stride = n + 2;
  tableau->T = CPS_TAKE(arena, double, (int64_t)n*(n + 2));
  tableau->row_var = CPS_TAKE(arena, int, n);
  tableau->col_var = CPS_TAKE(arena, int, n + 1);
  tableau->place = CPS_TAKE(arena, int, 2 * (int64_t)n + 1);
  tableau->tied = CPS_TAKE(arena, int, n);
  return tableau->T != NULL && tableau->row_var != NULL && tableau->col_var != NULL && tableau->place != NULL &&
         tableau->tied != NULL;
}

static void tableau_fill(Tableau* tableau, const double* M, const double* q) {
  int n = tableau->n;
  for (int i = 0; i < n; i++) {
    double* row = tableau_row(tableau, i);
    for (int j = 0; j < n; j++) row[j] = -M[(size_t)i * (size_t)n + (size_t)j];
    row[n] = -1.0;
    row[n + 1] = q[i];
    tableau->row_var[i] = i;
    tableau->place[i] = i;
  }
  for (int k = 0; k <= n; k++) {
    tableau->col_var[k] = n + k;
    tableau->place[n + k] = ~k;
  }
}

// Exchanges the basic variable of `row` and the non-basic one of `col` in (2).
static void exchange(Tableau* tableau, int row, int col) {
  int width = tableau->stride;
  double* restrict pivot_row = tableau_row(tableau, row);
  double inverse = 1.0 / pivot_row[col];
  for (int k = 0; k < width; k++) pivot_row[k] *= inverse;
  pivot_row[col] = inverse;
  for (int i = 0; i < tableau->n; i++) {
    double* restrict x = tableau_row(tableau, i);
    double factor = x[col];
    if (i == row || factor == 0.0) continue;  // the first pivots work on a sparse tableau
    for (int k = 0; k < width; k++) x[k] -= factor * pivot_row[k];
    x[col] = -factor * inverse;
  }
  int leaving = tableau->row_var[row], entering = tableau->col_var[col];
  tableau->row_var[row] = entering;
  tableau->col_var[col] = leaving;
  tableau->place[entering] = row;
  tableau->place[leaving] = ~col;
}

static double inverse_entry(const Tableau* tableau, int row, int j) {
  int place = tableau->place[j];
  return place < 0 ? tableau_row(tableau, row)[~place] : (place == row ? 1.0 : 0.0);
}

// Row whose basic variable reaches zero first as the variable of column `col` grows; -1: none.
static int ratio_test(Tableau* tableau, int col) {
  int n = tableau->n, count = 0;
  double largest = 0.0, best = INFINITY;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(tableau_row(tableau, i)[col]));
  double smallest_pivot = pivot_tolerance * largest;
  for (int i = 0; i < n; i++) {
    const double* x = tableau_row(tableau, i);
    if (x[col] > smallest_pivot) best = fmin(best, fmax(x[n + 1], 0.0) / x[col]);
  }
  for (int i = 0; i < n; i++) {
    const double* x = tableau_row(tableau, i);
    if (x[col] > smallest_pivot && fmax(x[n + 1], 0.0) / x[col] <= best + tie_tolerance * (1.0 + best)) {
      if (tableau->row_var[i] == 2 * n) return i;  // z0 can leave: the solution is found
      tableau->tied[count++] = i;
    }
  }
  for (int j = 0; count > 1 && j < n; j++) {
    double least = INFINITY;
    for (int k = 0; k < count; k++) {
      int i = tableau->tied[k];
      least = fmin(least, inverse_entry(tableau, i, j) / tableau_row(tableau, i)[col]);
    }
    int kept = 0;
    for (int k = 0; k < count; k++) {
      int i = tableau->tied[k];
      double ratio = inverse_entry(tableau, i, j) / tableau_row(tableau, i)[col];
      if (ratio <= least + tie_tolerance * (1.0 + fabs(least))) tableau->tied[kept++] = i;
    }
    count = kept;
  }
  if (count == 0) return -1;
  // Among rows made equal by rounding, the largest pivot loses least accuracy.
  int row = tableau->tied[0];
  for (int k = 1; k < count; k++) {
    int i = tableau->tied[k];
    if (tableau_row(tableau, i)[col] > tableau_row(tableau, row)[col]) row = i;
  }
  return row;
}

// max_j |min(z_j, (M z + q)_j)|
static double natural_error(int n, const double* M, const double* q, const double* z) {
  double worst = 0.0;
  for (int i = 0; i < n; i++) {
    double w = q[i];
    for (int j = 0; j < n; j++) w += M[(size_t)i * (size_t)n + (size_t)j] * z[j];
    double error = fabs(fmin(z[i], w));
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

static void read_solution(const Tableau* tableau, double* z) {
  int n = tableau->n;
  for (int j = 0; j < n; j++) {
    int row = tableau->place[n + j];
    z[j] = row < 0 ? 0.0 : fmax(tableau_row(tableau, row)[n + 1], 0.0);
  }
}

CpsLcpResult cps_lcp_lemke(int n, const double* M, const double* q, CpsArena* arena, CpsLcpStepFn step, void* data,
                           double* z) {
  // The row of the most negative q leaves first; among equal ones the last is the lexicographic minimum.
  int row = -1;
  for (int i = 0; i < n; i++) {
    if (q[i] < 0.0 && (row < 0 || q[i] <= q[row])) row = i;
  }
  if (row < 0) {
    memset(z, 0, (size_t)n * sizeof *z);
    return CPS_LCP_SOLVED;
  }
  Tableau tableau;
  if (!tableau_take(&tableau, n, arena)) return CPS_LCP_NO_MEMORY;
  tableau_fill(&tableau, M, q);
  int col = n;  // z0
  int64_t pivot_limit = 1000 + 50 * (int64_t)n;
  for (int64_t pivot = 0; pivot < pivot_limit; pivot++) {
    if (!step(data)) return CPS_LCP_STOPPED;
    int leaving = tableau.row_var[row];
    exchange(&tableau, row, col);
    if (leaving == 2 * n) {
      read_solution(&tableau, z);
      return natural_error(n, M, q, z) <= error_limit ? CPS_LCP_SOLVED : CPS_LCP_LOST;
    }
    int entering = leaving < n ? leaving + n : leaving - n;
    col = ~tableau.place[entering];
    row = ratio_test(&tableau, col);
    if (row < 0) return CPS_LCP_RAY;
  }
  return CPS_LCP_LOST;
}
