// One contact under the law convex from its stick block: closed forms, and the search of enum_convex.c on random blocks.
#include "core/random.h"
#include "friction/cone.h"
#include "friction/law.h"
#include "friction/local/enum_convex.h"
#include "test_helpers.h"

#include <math.h>
#include <string.h>

static CpsStickBlock block_of(const double* W) {
  const double upper[6] = {W[0], W[1], W[2], W[4], W[5], W[8]};
  return cps_stick_block(upper, W[0] + W[4] + W[8]);
}

// W = I: the solution is the projection of -b on the cone. b = (-1, 3, 4), mu = 1/2: -b = (1, -3, -4), at a distance
// (1 + 5/2) / (1 + 1/4) = 2.8 along the axis. Exact by hand; with b_N = +1 the same by (-1 + 5/2) / 1.25 = 1.2, where the matrix
// W + alpha J of the multiplier alpha is indefinite; with b_N = +3 > mu 5 the contact opens; with b_N = -20 it sticks.
static void a_unit_block_projects_on_the_cone(void** state) {
  (void)state;
  const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b_N[4] = {-1, 1, 3, -20}, normal[4] = {2.8, 1.2, 0.0, 20.0};
  const CpsStickBlock block = block_of(W);
  for (int k = 0; k < 4; ++k) {
    // any impulse to start from gives the same
    for (int guess = 0; guess < 3; ++guess) {
      double r[3] = {guess, 0.3 * guess, -0.1 * guess};
      const double u[3] = {b_N[k] + r[0], 3 + r[1], 4 + r[2]};
      assert_true(cps_cone_solve(&block, 0.5, u, r));
      const double length = k == 3 ? 5.0 : 0.5 * normal[k];
      assert_near(r[0], normal[k], 2e-14);  // a few roundings
      assert_near(r[1], -0.6 * length, 2e-14);
      assert_near(r[2], -0.8 * length, 2e-14);
    }
  }
}

// Random symmetric blocks of any rank above 2, velocities and guesses: where cps_cone_solve() has an answer the law holds and it is that of
// the nested search; it gives up on few.
static void the_impulse_is_that_of_the_nested_search(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(7);
  int counts[3] = {0}, given_up = 0;  // take-off, stick, boundary
  for (int trial = 0; trial < 20000; ++trial) {
    double A[18], W[9], b[3], r[3] = {0}, u[3];
    for (int k = 0; k < 18; ++k) A[k] = 2.0 * cps_random_uniform(&random) - 1.0;
    const int rank = 3 + trial % 4;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        W[3 * i + j] = 0.0;
        for (int k = 0; k < rank; ++k) W[3 * i + j] += A[6 * i + k] * A[6 * j + k];
      }
      b[i] = 2.0 * cps_random_uniform(&random) - 1.0;
    }
    const double mu = 0.05 + cps_random_uniform(&random);
    for (int k = 0; k < 3 && trial % 2 == 1; ++k)
      r[k] = (k == 0 ? 1.0 : 0.3) * (2.0 * cps_random_uniform(&random) - 1.0);
    for (int i = 0; i < 3; ++i) u[i] = b[i] + W[3 * i] * r[0] + W[3 * i + 1] * r[1] + W[3 * i + 2] * r[2];
    const CpsStickBlock block = block_of(W);
    if (!(block.inv_det > 0.0)) continue;
    double mine[3], theirs[3];
    memcpy(mine, r, sizeof r);
    memcpy(theirs, r, sizeof r);
    if (!cps_cone_solve(&block, mu, u, mine)) {
      assert_memory_equal(mine, r, sizeof r);
      given_up++;
      continue;
    }
    const CpsLocalProblem one = {
        .dim = 3, .law = CPS_LAW_CONVEX, .mu = mu, .xi = 3.0 / (W[0] + W[4] + W[8]), .W = W, .b = b};
    const CpsLocalSettings settings = {.tolerance = 1e-14, .max_iterations = 100};
    (void)cps_enum_solve_convex(&one, &settings, theirs);
    const double size = fabs(theirs[0]) + fabs(theirs[1]) + fabs(theirs[2]), t = hypot(mine[1], mine[2]);
    counts[mine[0] == 0.0 ? 0 : t < (1.0 - 1e-12) * mu * mine[0] ? 1 : 2]++;
    // blocks have conditions up to 1e6
    for (int k = 0; k < 3; ++k) assert_near(mine[k], theirs[k], 1e-9 * size);
    for (int i = 0; i < 3; ++i) u[i] = b[i] + W[3 * i] * mine[0] + W[3 * i + 1] * mine[1] + W[3 * i + 2] * mine[2];
    assert_below(cps_law_error(CPS_LAW_CONVEX, 3, mu, one.xi, mine, u), 1e-9 * (size + one.xi * 2.0));
  }
  for (int k = 0; k < 3; ++k) assert_true(counts[k] > 1000);
  assert_true(50 * given_up < counts[2]);
}

// A block that is not well conditioned, and a cone that is a half-line, are left to others.
static void singular_blocks_and_no_friction_are_given_up(void** state) {
  (void)state;
  const double W[9] = {1, 1, 0, 1, 1, 0, 0, 0, 1}, I[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, u[3] = {-1, 0.2, 0.1};
  const CpsStickBlock singular = block_of(W), unit = block_of(I);
  double r[3] = {0};
  assert_false(cps_cone_solve(&singular, 0.5, u, r));
  assert_false(cps_cone_solve(&unit, 0.0, u, r));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_unit_block_projects_on_the_cone),
      cmocka_unit_test(the_impulse_is_that_of_the_nested_search),
      cmocka_unit_test(singular_blocks_and_no_friction_are_given_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
