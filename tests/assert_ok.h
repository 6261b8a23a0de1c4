// A call that must succeed; its sentence is printed if it does not.
#ifndef CAPSTAN_TESTS_ASSERT_OK_H
#define CAPSTAN_TESTS_ASSERT_OK_H

#include "capstan/base.h"
#include "test_helpers.h"

#define assert_ok(call, error)                      \
  do {                                              \
    if ((call) != CPS_OK) {                         \
      print_error("%s: %s\n", #call, (error).text); \
      fail();                                       \
    }                                               \
  } while (0)

#endif
