// Small problems from dense matrices, for tests of whole-problem methods.
#ifndef CAPSTAN_TESTS_FRICTION_DENSE_PROBLEM_H
#define CAPSTAN_TESTS_FRICTION_DENSE_PROBLEM_H

#include "capstan/capstan.h"
#include "core/random.h"
#include "test_helpers.h"

enum { DENSE_ROWS = 48, DENSE_CONTACTS = 12 };

typedef struct DenseProblem {
  int32_t count;
  int32_t dims[DENSE_CONTACTS];
  CpsLaw laws[DENSE_CONTACTS];
  double mu[DENSE_CONTACTS];
  int rows;
  double W[DENSE_ROWS * DENSE_ROWS], b[DENSE_ROWS];
} DenseProblem;

static inline void dense_problem_add_contact(DenseProblem* dense, int d, CpsLaw law, double mu) {
  dense->dims[dense->count] = d;
  dense->laws[dense->count] = law;
  dense->mu[dense->count++] = mu;
  dense->rows += d;
}

// W = G G^T + ridge I with a Gaussian G of `inner` columns, b Gaussian with normals pressed by 1.
static inline void dense_problem_fill(DenseProblem* dense, CpsRandom* random, int inner, double ridge) {
  static double G[DENSE_ROWS * DENSE_ROWS];
  int n = dense->rows, row = 0;
  for (int k = 0; k < n * inner; k++) G[k] = cps_random_normal(random) / sqrt(inner);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double sum = i == j ? ridge : 0.0;
      for (int k = 0; k < inner; k++) sum += G[i * inner + k] * G[j * inner + k];
      dense->W[i * n + j] = sum;
    }
  }
  for (int k = 0; k < n; k++) dense->b[k] = cps_random_normal(random);
  for (int32_t i = 0; i < dense->count; row += dense->dims[i++]) dense->b[row] -= 1.0;
}

static inline CpsProblem* dense_problem_build(const DenseProblem* dense) {
  int64_t start[DENSE_ROWS + 1];
  static int32_t col[DENSE_ROWS * DENSE_ROWS];
  for (int i = 0; i <= dense->rows; i++) start[i] = (int64_t)i * dense->rows;
  for (int k = 0; k < dense->rows * dense->rows; k++) col[k] = k % dense->rows;
  CpsContactsDef contacts = cps_contacts_def_default();
  contacts.count = dense->count;
  contacts.dim = 0;
  contacts.dims = dense->dims;
  contacts.laws = dense->laws;
  contacts.mu = dense->mu;
  contacts.b = dense->b;
  CpsProblem* problem = NULL;
  CpsError error;
  if (cps_problem_from_csr(&contacts, start, col, dense->W, &problem, &error) != CPS_OK) fail_msg("%s", error.text);
  return problem;
}

#endif
