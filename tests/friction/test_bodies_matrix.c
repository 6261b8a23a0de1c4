// W written out from the rows of bodies, W_ij = sum_B H_iB Y_jB^T, against the sums by hand.
#include "capstan/problem.h"
#include "test_helpers.h"

#include <math.h>
#include <string.h>

// Two bodies, a long one whose rows begin with zeros as those of a rod that is factored from root to tip, and a short one.
enum { CONTACTS = 5, LONG = 37, SHORT = 6, ROWS_MOST = 3 * CONTACTS, VALUES = CONTACTS * 3 * (LONG + SHORT) };

typedef struct Case {
  int32_t dims[CONTACTS];
  bool symmetric;
} Case;

typedef struct Built {
  double H[VALUES], Y[VALUES];
  double full_H[ROWS_MOST][LONG + SHORT], full_Y[ROWS_MOST][LONG + SHORT];  // all bodies side by side
  CpsProblem* problem;
  int rows;
} Built;

// Contact i has rows on the long body from column 7 i on, and on the short one if i is even.
static void build(const Case* test, Built* out) {
  const int32_t dofs[2] = {LONG, SHORT};
  int32_t body[2 * CONTACTS];
  int64_t start[CONTACTS + 1] = {0};
  double mu[CONTACTS], b[ROWS_MOST];
  int term = 0, value = 0;
  memset(out, 0, sizeof *out);
  for (int i = 0; i < CONTACTS; ++i) {
    mu[i] = 0.5;
    for (int s = 0; s < 2 - i % 2; ++s) {
      body[term++] = s;
      for (int a = 0; a < test->dims[i]; ++a) {
        for (int k = 0; k < dofs[s]; ++k, ++value) {
          double x = s == 0 && k < 7 * i ? 0.0 : sin(1.0 + value);
          // another mass of each degree of freedom, where W is H M^-1 H^T with Y = H M^-1
          out->H[value] = out->full_H[out->rows + a][s * LONG + k] = x;
          out->Y[value] = out->full_Y[out->rows + a][s * LONG + k] = test->symmetric ? x : x / (1.0 + k);
        }
      }
    }
    start[i + 1] = term;
    for (int a = 0; a < test->dims[i]; ++a) b[out->rows++] = -1.0;
  }
  CpsContactsDef def = cps_contacts_def_default();
  def.count = CONTACTS;
  def.dim = 0;
  def.dims = test->dims;
  def.mu = mu;
  def.b = b;
  CpsFactoredForm form = {2, dofs, start, body, out->H, out->Y};
  assert_int_equal(cps_problem_from_bodies(&def, &form, &out->problem, NULL), CPS_OK);
}

static void the_matrix_is_the_sum_over_the_bodies(void** state) {
  (void)state;
  const Case cases[] = {{{3, 3, 3, 3, 3}, true}, {{3, 3, 3, 3, 3}, false}, {{3, 2, 3, 2, 3}, true}};
  for (int c = 0; c < 3; ++c) {
    static Built built;
    build(&cases[c], &built);
    int64_t start[ROWS_MOST + 1];
    int32_t col[ROWS_MOST * ROWS_MOST];
    double value[ROWS_MOST * ROWS_MOST], W[ROWS_MOST][ROWS_MOST] = {{0}};
    assert_int_equal(cps_problem_W_csr(built.problem, start, col, value), CPS_OK);
    for (int p = 0; p < built.rows; ++p) {
      for (int64_t k = start[p]; k < start[p + 1]; ++k) W[p][col[k]] = value[k];
    }
    for (int p = 0; p < built.rows; ++p) {
      for (int q = 0; q < built.rows; ++q) {
        double sum = 0.0;
        for (int k = 0; k < LONG + SHORT; ++k) sum += built.full_H[p][k] * built.full_Y[q][k];
        assert_near(W[p][q], sum, 1e-13);  // 43 terms of at most 1, in another order
        // Y = H M^-1 with a diagonal M: the products are the same numbers, and so are their sums where Y is H
        if (cases[c].symmetric) assert_true(W[p][q] == W[q][p]);
      }
    }
    cps_problem_destroy(built.problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_matrix_is_the_sum_over_the_bodies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
