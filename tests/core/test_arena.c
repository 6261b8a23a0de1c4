// Memory that is handed out in order and taken back all at once.
#include "core/arena.h"

#include "test_helpers.h"

#include <string.h>

static void buffers_are_aligned_and_do_not_overlap(void** state) {
  (void)state;
  CpsArena arena = {0};
  unsigned char* taken[200];
  for (int k = 0; k < 200; ++k) {
    taken[k] = cps_arena_take(&arena, k, 7);
    assert_non_null(taken[k]);
    assert_int_equal((uintptr_t)taken[k] % 64, 0);
    memset(taken[k], k, (size_t)k * 7);
  }
  for (int k = 0; k < 200; ++k) {
    for (int i = 0; i < 7 * k; ++i) assert_int_equal(taken[k][i], k);
  }
  cps_arena_free(&arena);
  assert_null(arena.chunk);
}

static void counts_that_cannot_be_are_refused(void** state) {
  (void)state;
  CpsArena arena = {0};
  assert_null(cps_arena_take(&arena, -1, 8));
  assert_null(cps_arena_take(&arena, INT64_MAX, 8));        // the product overflows
  assert_null(cps_arena_take(&arena, INT64_MAX / 16, 32));  // and here it wraps to a small number
  assert_null(cps_arena_take_zero(&arena, -1, 8));
  assert_int_equal(arena.used, 0);
  assert_non_null(cps_arena_take(&arena, 0, 8));
  cps_arena_free(&arena);
}

static void zeroed_memory_is_zero_also_when_it_is_used_again(void** state) {
  (void)state;
  CpsArena arena = {0};
  for (int round = 0; round < 3; ++round) {
    double* x = CPS_TAKE_ZERO(&arena, double, 1000);
    assert_non_null(x);
    for (int k = 0; k < 1000; ++k) {
      assert_true(x[k] == 0.0);
      x[k] = 1.0 + k;
    }
    cps_arena_reset(&arena);
  }
  cps_arena_free(&arena);
}

// The promise behind "a steady simulation does not allocate": the second round fits into the memory of the first.
static void a_reset_arena_serves_the_same_again_from_one_chunk(void** state) {
  (void)state;
  CpsArena arena = {0};
  for (int k = 0; k < 50; ++k) assert_non_null(cps_arena_take(&arena, 1000, 8));
  size_t used = arena.used;
  assert_true(used >= 50 * 8000);
  assert_int_equal(arena.peak, used);
  cps_arena_reset(&arena);
  assert_int_equal(arena.used, 0);
  CpsArenaChunk* chunk = arena.chunk;
  for (int k = 0; k < 50; ++k) assert_non_null(cps_arena_take(&arena, 1000, 8));
  assert_ptr_equal(arena.chunk, chunk);
  assert_int_equal(arena.used, used);
  cps_arena_free(&arena);
}

static size_t room(const CpsArena* arena) {
  size_t sum = 0;
  CpsArena copy = *arena;
  // what fits without another chunk
  while (cps_arena_take(&copy, 1, 64) && copy.chunk == arena->chunk) sum += 64;
  cps_arena_release(&copy, cps_arena_mark(arena));
  return sum;
}

// A load that came once is given back when it did not come again; one that comes now and then is not.
static void memory_that_is_no_longer_needed_is_given_back(void** state) {
  (void)state;
  CpsArena arena = {0};
  assert_non_null(cps_arena_take(&arena, 1000, 800));
  for (int age = 0; age < 3; ++age) {
    cps_arena_age(&arena);
    for (int k = 0; k < 10; ++k) {
      cps_arena_reset(&arena);
      assert_non_null(cps_arena_take(&arena, 100, 800));
      if (k == 5 && age == 0) assert_non_null(cps_arena_take(&arena, 800, 800));
    }
    cps_arena_reset(&arena);
    const CpsArenaMark all = cps_arena_mark(&arena);
    assert_true(age < 2 ? room(&arena) >= 720000 : room(&arena) < 200000);
    cps_arena_release(&arena, all);
  }
  cps_arena_free(&arena);
}

static void going_back_to_a_mark_keeps_what_was_taken_before(void** state) {
  (void)state;
  CpsArena arena = {0};
  CpsArenaMark empty = cps_arena_mark(&arena);
  int* before = CPS_TAKE(&arena, int, 100);
  for (int k = 0; k < 100; ++k) before[k] = k;
  CpsArenaMark mark = cps_arena_mark(&arena);
  size_t used = arena.used;
  void* first = cps_arena_take(&arena, 10, 8);
  for (int k = 0; k < 20; ++k) assert_non_null(cps_arena_take(&arena, 5000, 8));  // several chunks more
  cps_arena_release(&arena, mark);
  assert_int_equal(arena.used, used);
  for (int k = 0; k < 100; ++k) assert_int_equal(before[k], k);
  assert_ptr_equal(cps_arena_take(&arena, 10, 8), first);
  cps_arena_release(&arena, empty);
  assert_int_equal(arena.used, 0);
  assert_non_null(cps_arena_take(&arena, 10, 8));
  cps_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(buffers_are_aligned_and_do_not_overlap),
      cmocka_unit_test(counts_that_cannot_be_are_refused),
      cmocka_unit_test(zeroed_memory_is_zero_also_when_it_is_used_again),
      cmocka_unit_test(a_reset_arena_serves_the_same_again_from_one_chunk),
      cmocka_unit_test(memory_that_is_no_longer_needed_is_given_back),
      cmocka_unit_test(going_back_to_a_mark_keeps_what_was_taken_before),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
