// Statuses, error sentences, random numbers and clocks.
#include "capstan/base.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/random.h"
#include "core/vec3.h"

#include "test_helpers.h"

#include <math.h>
#include <string.h>

static void every_status_has_its_own_text(void** state) {
  (void)state;
  for (int a = CPS_BAD_FORMAT; a <= CPS_INTERRUPTED; ++a) {
    assert_true(strlen(cps_status_string((CpsStatus)a)) > 0);
    assert_string_not_equal(cps_status_string((CpsStatus)a), cps_status_string((CpsStatus)99));
    for (int b = CPS_BAD_FORMAT; b < a; ++b) {
      assert_string_not_equal(cps_status_string((CpsStatus)a), cps_status_string((CpsStatus)b));
    }
  }
  assert_non_null(cps_status_string((CpsStatus)-1000));
}

static void version_is_the_one_of_the_header(void** state) {
  (void)state;
  char text[32];
  (void)snprintf(text, sizeof text, "%d.%d.%d", CPS_VERSION_MAJOR, CPS_VERSION_MINOR, CPS_VERSION_PATCH);
  assert_string_equal(cps_version(), text);
}

static void sentences_are_cut_not_overrun(void** state) {
  (void)state;
  char longer[1000];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  CpsError error;
  assert_int_equal(cps_fail(&error, CPS_BAD_DATA, "%s", longer), CPS_BAD_DATA);
  assert_int_equal(strlen(error.text), sizeof error.text - 1);
  assert_int_equal(cps_fail(&error, CPS_NO_MEMORY, "contact %d", 7), CPS_NO_MEMORY);
  assert_string_equal(error.text, "contact 7");
  assert_int_equal(cps_succeed(&error), CPS_OK);
  assert_string_equal(error.text, "");
  assert_int_equal(cps_fail(NULL, CPS_BAD_DATA, "nobody listens"), CPS_BAD_DATA);
  assert_int_equal(cps_succeed(NULL), CPS_OK);
}

// PCG32 (XSH-RR, O'Neill 2014) with the default increment, computed apart with arbitrary-precision integers.
static void the_stream_of_a_seed_is_the_published_one(void** state) {
  (void)state;
  static const uint32_t SEED_42[] = {0xc2f57bd6u, 0x6b07c4a9u, 0x72b7b29bu, 0x44215383u};
  CpsRandom random = cps_random_seed(42);
  for (int k = 0; k < 4; ++k) assert_int_equal(cps_random_u32(&random), SEED_42[k]);
  CpsRandom a = cps_random_seed(1), b = cps_random_seed(2);
  assert_int_not_equal(cps_random_u32(&a), cps_random_u32(&b));
}

// Means over N = 100000 draws; bounds are five standard deviations of the mean (5/sqrt(12 N), 5/sqrt(N), 5 sqrt(2/N)).
static void draws_have_the_mean_and_variance_of_their_law(void** state) {
  (void)state;
  enum { N = 100000 };
  CpsRandom random = cps_random_seed(7);
  double uniform = 0.0, normal = 0.0, square = 0.0;
  for (int k = 0; k < N; ++k) {
    double x = cps_random_uniform(&random), y = cps_random_normal(&random);
    assert_true(x >= 0.0 && x < 1.0);
    assert_true(isfinite(y));
    uniform += x / N;
    normal += y / N;
    square += y * y / N;
  }
  assert_near(uniform, 0.5, 5.0 / sqrt(12.0 * N));
  assert_near(normal, 0.0, 5.0 / sqrt(N));
  assert_near(square, 1.0, 5.0 * sqrt(2.0 / N));
}

static void clocks_do_not_run_backwards(void** state) {
  (void)state;
  double cpu = cps_clock_cpu(), wall = cps_clock_wall();
  for (int k = 0; k < 1000; ++k) {
    double cpu_now = cps_clock_cpu(), wall_now = cps_clock_wall();
    assert_true(cpu_now >= cpu && wall_now >= wall);
    cpu = cpu_now;
    wall = wall_now;
  }
}

// Also where the direction given is almost the normal: there, the difference of the two keeps few digits.
static void frames_are_orthonormal(void** state) {
  (void)state;
  for (int k = 0; k < 60; k++) {
    const double lean = pow(10.0, -0.25 * k);
    const CpsVec3 n = cps_vec3_unit(cps_vec3(1.0, 0.6 * lean, -0.8 * lean));
    const CpsMat3 E = cps_mat3_frame(n, cps_vec3(1.0, 0.0, 0.0)), I = cps_mat3_multiply(E, cps_mat3_transposed(E));
    for (int i = 0; i < 9; i++) assert_true(fabs(I.m[i] - (i % 4 == 0 ? 1.0 : 0.0)) < 4e-15);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_status_has_its_own_text),
      cmocka_unit_test(version_is_the_one_of_the_header),
      cmocka_unit_test(sentences_are_cut_not_overrun),
      cmocka_unit_test(the_stream_of_a_seed_is_the_published_one),
      cmocka_unit_test(draws_have_the_mean_and_variance_of_their_law),
      cmocka_unit_test(clocks_do_not_run_backwards),
      cmocka_unit_test(frames_are_orthonormal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
