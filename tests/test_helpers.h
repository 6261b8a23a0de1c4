// Shared by all tests: cmocka with its required includes, and closeness of doubles that says what it saw.
#ifndef CAPSTAN_TESTS_TEST_HELPERS_H
#define CAPSTAN_TESTS_TEST_HELPERS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

// Sanitizers take five to thirty times the time: what runs under them is smaller or shorter, and reaches the same code.
#if defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1, UNDER_TSAN = 1 };
#elif defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1, UNDER_TSAN = 0 };
#else
enum { SANITIZED = 0, UNDER_TSAN = 0 };
#endif

// `make test-long` runs programs with the label "whole" again; what takes long is left out before.
static inline bool run_whole(void) {
  return getenv("CAPSTAN_LONG") != NULL;
}

// Called by main(): under ThreadSanitizer only the tests whose name has this pattern (`*`, `?`) run. The others have one thread.
static inline void keep_to_threads(const char* pattern) {
#ifdef __SANITIZE_THREAD__
  cmocka_set_test_filter(pattern);
#else
  (void)pattern;
#endif
}

#define assert_near(actual, expected, tolerance)                                                      \
  do {                                                                                                \
    double actual_ = (actual), expected_ = (expected), tolerance_ = (tolerance);                      \
    if (!(fabs(actual_ - expected_) <= tolerance_)) {                                                 \
      print_error("%s = %.17g, expected %.17g within %g\n", #actual, actual_, expected_, tolerance_); \
      fail();                                                                                         \
    }                                                                                                 \
  } while (0)

#define assert_below(actual, bound)                                                \
  do {                                                                             \
    double actual_ = (actual), bound_ = (bound);                                   \
    if (!(actual_ <= bound_)) {                                                    \
      print_error("%s = %.17g, should be at most %g\n", #actual, actual_, bound_); \
      fail();                                                                      \
    }                                                                              \
  } while (0)

#endif
