// A sliding contact solved from its stick block: a closed form, and the enumeration on random blocks.
#include "core/random.h"
#include "friction/law.h"
#include "friction/local/local.h"
#include "friction/slip.h"
#include "test_helpers.h"

#include <math.h>
#include <string.h>

static CpsStickBlock block_of(const double* W) {
  const double upper[6] = {W[0], W[1], W[2], W[4], W[5], W[8]};
  return cps_stick_block(upper, W[0] + W[4] + W[8]);
}

// W = I, b = (-1, 3, 4): r_N = 1, r_T = mu against (3, 4)/5. Exact by hand.
static void a_unit_mass_slides_against_its_motion(void** state) {
  (void)state;
  const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, u[3] = {-1, 3, 4};
  CpsStickBlock block = block_of(W);
  double r[3] = {0, 0, 0};
  assert_true(cps_slip(&block, 0.5, u, r));
  assert_near(r[0], 1.0, 1e-14);  // a few roundings
  assert_near(r[1], -0.3, 1e-14);
  assert_near(r[2], -0.4, 1e-14);
}

// Random symmetric blocks, velocities and guesses. Where the contact slides and cps_slip() says it has it, the law holds and
// the impulse is that of the enumeration; it gives up on few.
static void the_impulse_is_that_of_the_enumeration(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(5);
  int slides = 0, given_up = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    double A[18], W[9], b[3], r[3] = {0}, u[3];
    for (int k = 0; k < 18; ++k) A[k] = 2.0 * cps_random_uniform(&random) - 1.0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        W[3 * i + j] = 0.0;
        for (int k = 0; k < 6; ++k) W[3 * i + j] += A[6 * i + k] * A[6 * j + k];
      }
      b[i] = 2.0 * cps_random_uniform(&random) - 1.0;
    }
    double mu = 0.05 + cps_random_uniform(&random);
    for (int k = 0; k < 3 && trial % 2 == 1; ++k) r[k] = (k == 0 ? 1.0 : 0.3) * cps_random_uniform(&random);
    for (int i = 0; i < 3; ++i) u[i] = b[i] + W[3 * i] * r[0] + W[3 * i + 1] * r[1] + W[3 * i + 2] * r[2];
    CpsStickBlock block = block_of(W);
    double mine[3], theirs[3];
    memcpy(mine, r, sizeof r);
    memcpy(theirs, r, sizeof r);
    if (!(block.inv_det > 0.0) || cps_stick_or_release(&block, mu, u, mine)) continue;
    slides++;
    if (!cps_slip(&block, mu, u, mine)) {
      assert_memory_equal(mine, r, sizeof r);
      given_up++;
      continue;
    }
    CpsLocalProblem one = {
        .dim = 3, .law = CPS_LAW_COULOMB, .mu = mu, .xi = 3.0 / (W[0] + W[4] + W[8]), .W = W, .b = b};
    CpsLocalSettings settings = {.tolerance = 1e-14, .max_iterations = 100};
    assert_int_equal(cps_local_enum.solve(&one, NULL, &settings, theirs), CPS_LOCAL_SOLVED);
    double size = fabs(theirs[0]) + fabs(theirs[1]) + fabs(theirs[2]);
    // the last step of Newton's iteration was at most 1e-7; blocks have conditions up to 1e6
    for (int k = 0; k < 3; ++k) assert_near(mine[k], theirs[k], 1e-9 * size);
    for (int i = 0; i < 3; ++i) u[i] = b[i] + W[3 * i] * mine[0] + W[3 * i + 1] * mine[1] + W[3 * i + 2] * mine[2];
    assert_below(cps_law_error(CPS_LAW_COULOMB, 3, mu, one.xi, mine, u), 1e-9 * (size + one.xi * 2.0));
  }
  assert_true(slides > 2000);
  assert_true(10 * given_up < slides);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_unit_mass_slides_against_its_motion),
      cmocka_unit_test(the_impulse_is_that_of_the_enumeration),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
