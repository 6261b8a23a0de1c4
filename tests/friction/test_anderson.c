// Anderson's acceleration: for a linear map it is GMRES, so that it ends after as many iterations as the map has different
// eigenvalues; a map that grows is followed without it.
#include "friction/global/anderson.h"

#include "test_helpers.h"

#include <math.h>

#ifdef CAPSTAN_DIRECT
enum { SIZE = 40, DIFFERENT = 5 };

// x <- D x + c with eigenvalues 0.99, 0.9, 0.5, -0.3, -0.8, each eight times; the fixed point is c / (1 - D).
static double eigenvalue(int k) {
  static const double D[DIFFERENT] = {0.99, 0.9, 0.5, -0.3, -0.8};
  return D[k % DIFFERENT];
}

static double error_after(int iterations, bool accelerated) {
  CpsArena arena = {0};
  CpsAnderson a;
  double x[SIZE] = {0}, G[SIZE], scale[SIZE], most = 0.0;
  for (int k = 0; k < SIZE; ++k) scale[k] = 1.0 + 0.1 * k;
  assert_true(cps_anderson_create(&arena, SIZE, scale, &a));
  for (int i = 0; i < iterations; ++i) {
    for (int k = 0; k < SIZE; ++k) G[k] = eigenvalue(k) * x[k] + sin(1.0 + k);
    if (accelerated) cps_anderson_step(&a, G, x);
    for (int k = 0; k < SIZE && !accelerated; ++k) x[k] = G[k];
  }
  for (int k = 0; k < SIZE; ++k) most = fmax(most, fabs(x[k] - sin(1.0 + k) / (1.0 - eigenvalue(k))));
  cps_arena_free(&arena);
  return most;
}

static void a_linear_map_ends_after_its_eigenvalues(void** state) {
  (void)state;
  // the first iteration has no difference yet, and the last one finds the point; the ridge costs some digits
  assert_below(error_after(DIFFERENT + 2, true), 1e-6);
  assert_true(error_after(DIFFERENT + 2, false) > 10.0);
  assert_true(error_after(500, false) > 0.1);
}

// |f| that has grown is no ground for a step of many: the plain one is taken.
static void growth_begins_anew(void** state) {
  (void)state;
  CpsArena arena = {0};
  CpsAnderson a;
  const double scale[1] = {1.0};
  double x = 1.0;
  assert_true(cps_anderson_create(&arena, 1, scale, &a));
  for (int i = 0; i < 3; ++i) {
    const double G = x + (i == 0 ? 1e-3 : 1.0);
    cps_anderson_step(&a, &G, &x);
    if (i > 0) assert_true(x == G);
  }
  cps_arena_free(&arena);
}
#else
static void a_linear_map_ends_after_its_eigenvalues(void** state) {
  (void)state;
  skip();
}
static void growth_begins_anew(void** state) {
  (void)state;
  skip();
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_linear_map_ends_after_its_eigenvalues),
      cmocka_unit_test(growth_begins_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
