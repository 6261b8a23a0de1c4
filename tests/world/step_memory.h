// Memory of steps: what any world promises, whatever is in it.
#ifndef CAPSTAN_TESTS_WORLD_STEP_MEMORY_H
#define CAPSTAN_TESTS_WORLD_STEP_MEMORY_H

#include "capstan/world.h"
#include "failing_memory.h"
#include "test_helpers.h"

// Steps while every allocation fails; the worst status of those below zero, or of all that are not CPS_OK if `solved`.
static inline CpsStatus step_without_allocating(CpsWorld* world, int steps, bool solved) {
  CpsStatus worst = CPS_OK;
  fail_allocation(0);
  keep_failing = true;
  for (int i = 0; i < steps; ++i) {
    CpsStatus status = cps_world_step(world, NULL, NULL);
    if (status < 0 || (solved && status != CPS_OK)) worst = status;
  }
  stop_failing();
  keep_failing = false;
  return worst;
}

// A first step in which each allocation fails once leaves the world as it was, and it can go on.
static inline void check_step_without_memory(CpsWorld* (*make)(int threads)) {
  for (int number = 0, failed = 1; failed; ++number) {
    CpsWorld* world = make(1);
    uint64_t before = cps_world_hash(world);
    fail_allocation(number);
    CpsError error = {""};
    CpsStatus status = cps_world_step(world, NULL, &error);
    failed = allocation_failed;
    stop_failing();
    if (status == CPS_NO_MEMORY) {
      assert_true(cps_world_hash(world) == before);
      assert_true(error.text[0] != 0);
      assert_int_equal(cps_world_step_count(world), 0);
    } else {
      assert_true(status >= 0);  // an arena that could not be made one piece goes on with several
    }
    for (int i = 0; i < 3; ++i) assert_true(cps_world_step(world, NULL, NULL) >= 0);
    cps_world_destroy(world);
  }
}

#endif
