// Problems for the tests of the whole-problem methods: the analytic ones and random bodies with two-body contacts.
#ifndef CAPSTAN_TESTS_FRICTION_SAMPLE_PROBLEMS_H
#define CAPSTAN_TESTS_FRICTION_SAMPLE_PROBLEMS_H

#include "capstan/solve.h"
#include "core/random.h"
#include "test_helpers.h"

#include <stdlib.h>
#include <string.h>

// One contact of dimension d.
static inline CpsProblem* sample_one(int32_t d, const double* W, const double* b, double mu) {
  CpsContactsDef def = cps_contacts_def_default();
  def.count = 1;
  def.dim = d;
  def.b = b;
  def.mu = &mu;
  int32_t at = 0;
  CpsProblem* problem = NULL;
  CpsError error;
  if (cps_problem_from_blocks(&def, 1, &at, &at, W, &problem, &error) != CPS_OK) fail_msg("%s", error.text);
  return problem;
}

// One-contact problems whose exact impulse is known by hand.
typedef struct SampleCase {
  double W[9], b[3], mu, r[3];
} SampleCase;

static const SampleCase SAMPLE_CASES[] = {
    {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 5, -3}, 0.5, {0, 0, 0}},            // take-off
    {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 2, 0}, 0.5, {0, 0, 0}},             // grazing
    {{2, 0, 0, 0, 4, 0, 0, 0, 4}, {-2, 1, 0}, 0.5, {1, -0.25, 0}},        // stick
    {{1, 0, 0, 0, 2, 0, 0, 0, 2}, {-1, 3, 4}, 0.5, {1, -0.3, -0.4}},      // slide, isotropic
    {{2, 1, 0, 1, 3, 0, 0, 0, 1}, {-4, 7, 1}, 0.0, {2, 0, 0}},            // no friction, coupled
    {{1, 0, 0, 0, 1, 0, 0, 0, 4}, {-1, 0.9, 2.4}, 0.5, {1, -0.3, -0.4}},  // slide, anisotropic
    {{2, 1, 0, 1, 2, 0, 0, 0, 1}, {-3, 4, 0}, 0.5, {2, -1, 0}},           // slide, normal and tangent coupled
};
enum { SAMPLE_CASE_COUNT = sizeof SAMPLE_CASES / sizeof *SAMPLE_CASES };

static inline CpsSolveOptions sample_options(CpsMethod method, double tolerance) {
  CpsSolveOptions options = cps_solve_options_default();
  options.method = method;
  options.tolerance = tolerance;
  return options;
}

// A method that claims the exact law finds these impulses.
static inline void assert_solves_sample_cases(CpsMethod method) {
  for (int k = 0; k < SAMPLE_CASE_COUNT; k++) {
    const SampleCase* c = &SAMPLE_CASES[k];
    CpsProblem* problem = sample_one(3, c->W, c->b, c->mu);
    CpsSolveOptions options = sample_options(method, 1e-12);
    double r[3] = {0, 0, 0};
    assert_int_equal(cps_problem_solve(problem, &options, r, NULL, NULL), CPS_OK);
    // residual 1e-12 times a condition number below 10
    for (int a = 0; a < 3; a++) assert_near(r[a], c->r[a], 1e-11);
    cps_problem_destroy(problem);
  }
}

// Bodies of three or six degrees of freedom with random inverse masses; each contact touches two of them through
// random Jacobians, and the bodies are thrown together: b_N < 0 for most contacts.
typedef struct SampleDef {
  int32_t contacts, bodies, dim, dofs;
  double mu;
  uint64_t seed;
  bool form_W;
} SampleDef;

static inline CpsProblem* sample_bodies(SampleDef s) {
  CpsRandom random = cps_random_seed(s.seed);
  int64_t block = (int64_t)s.dim * s.dofs, rows = (int64_t)s.contacts * s.dim;
  int32_t* dofs = malloc((size_t)s.bodies * sizeof *dofs);
  int64_t* start = malloc((size_t)(s.contacts + 1) * sizeof *start);
  int32_t* body = malloc(2 * (size_t)s.contacts * sizeof *body);
  double* H = malloc(2 * (size_t)(s.contacts * block) * sizeof *H);
  double* Y = malloc(2 * (size_t)(s.contacts * block) * sizeof *Y);
  double* inverse_mass = malloc((size_t)s.bodies * (size_t)s.dofs * sizeof *inverse_mass);
  double* b = malloc((size_t)rows * sizeof *b);
  double* mu = malloc((size_t)s.contacts * sizeof *mu);
  assert_true(dofs && start && body && H && Y && inverse_mass && b && mu);
  for (int32_t k = 0; k < s.bodies; k++) dofs[k] = s.dofs;
  for (int32_t k = 0; k < s.bodies * s.dofs; k++) inverse_mass[k] = 0.5 + cps_random_uniform(&random);
  for (int32_t i = 0; i < s.contacts; i++) {
    mu[i] = s.mu;
    start[i] = 2 * i;
    // neighbours in a ring, with some far links
    body[2 * i] = i % s.bodies;
    int32_t other = (body[2 * i] + 1 + (int32_t)(3.0 * cps_random_uniform(&random))) % s.bodies;
    body[2 * i + 1] = other;
    for (int64_t k = 0; k < 2 * block; k++) {
      int64_t at = 2 * i * block + k;
      int32_t B = body[2 * i + (k >= block)];
      H[at] = cps_random_normal(&random);
      Y[at] = H[at] * inverse_mass[B * s.dofs + k % s.dofs];
    }
    for (int c = 0; c < s.dim; c++) b[i * s.dim + c] = cps_random_normal(&random) - (c == 0 ? 1.5 : 0.0);
  }
  start[s.contacts] = 2 * s.contacts;
  CpsContactsDef def = cps_contacts_def_default();
  def.count = s.contacts;
  def.dim = s.dim;
  def.mu = mu;
  def.b = b;
  CpsFactoredForm form = {s.bodies, dofs, start, body, H, Y};
  CpsProblem* problem = NULL;
  CpsError error;
  if (cps_problem_from_bodies(&def, &form, &problem, &error) != CPS_OK) fail_msg("%s", error.text);
  if (s.form_W) {
    int64_t count = cps_problem_W_entry_count(problem);
    int64_t* row_start = malloc((size_t)(rows + 1) * sizeof *row_start);
    int32_t* col = malloc((size_t)count * sizeof *col);
    double* value = malloc((size_t)count * sizeof *value);
    assert_true(row_start && col && value);
    assert_int_equal(cps_problem_W_csr(problem, row_start, col, value), CPS_OK);
    cps_problem_destroy(problem);
    if (cps_problem_from_csr(&def, row_start, col, value, &problem, &error) != CPS_OK) fail_msg("%s", error.text);
    free(row_start);
    free(col);
    free(value);
  }
  free(dofs);
  free(start);
  free(body);
  free(H);
  free(Y);
  free(inverse_mass);
  free(b);
  free(mu);
  return problem;
}

#endif
