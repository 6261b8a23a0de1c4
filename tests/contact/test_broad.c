// labels: threads
// The broad phase against a plain search over all pairs, and the same bits for any number of threads.
#include <stdlib.h>
#include <string.h>

#include "contact/broad.h"
#include "core/random.h"
#include "test_helpers.h"

static double between(CpsRandom* random, double low, double high) {
  return low + (high - low) * cps_random_uniform(random);
}

// What the broad phase may not tell from the definition: all pairs, in order.
static void assert_equals_plain_search(const CpsBroadBox* boxes, int32_t count, CpsPool* pool) {
  CpsArena arena = {0};
  int64_t pair_count = -1, k = 0;
  const CpsBroadPair* pairs = cps_broad_pairs(boxes, count, pool, &arena, &pair_count);
  assert_non_null(pairs);
  for (int32_t a = 0; a < count; a++) {
    for (int32_t b = a + 1; b < count; b++) {
      if (boxes[a].owner == boxes[b].owner || (boxes[a].group > 0 && boxes[a].group == boxes[b].group)) continue;
      if (!cps_aabb_overlap(&boxes[a].box, &boxes[b].box)) continue;
      assert_true(k < pair_count);
      assert_int_equal(pairs[k].a, a);
      assert_int_equal(pairs[k].b, b);
      k++;
    }
  }
  assert_int_equal(k, pair_count);
  cps_arena_free(&arena);
}

static CpsBroadBox box_at(double x, double y, double z, double sx, double sy, double sz, int32_t owner) {
  return (CpsBroadBox){.box = {{x, y, z}, {x + sx, y + sy, z + sz}}, .owner = owner};
}

static CpsBroadBox random_box(CpsRandom* random, double from, double to, double size, int32_t owner) {
  const double x = between(random, from, to), y = between(random, from, to), z = between(random, from, to);
  const double sx = between(random, 0.0, size), sy = between(random, 0.0, size), sz = between(random, 0.0, size);
  return box_at(x, y, z, sx, sy, sz, owner);
}

enum { MOST = 1500 };

static void boxes_of_one_size_are_paired_as_a_plain_search_pairs_them(void** state) {
  (void)state;
  static CpsBroadBox boxes[MOST];
  CpsRandom random = cps_random_seed(1);
  for (int32_t i = 0; i < MOST; i++) boxes[i] = random_box(&random, -5.0, 5.0, 1.0, i);
  const int32_t counts[] = {0, 1, 2, 16, 17, 40, 333, MOST};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) assert_equals_plain_search(boxes, counts[k], NULL);
}

static void sizes_from_a_millimetre_to_a_kilometre_are_paired_too(void** state) {
  (void)state;
  static CpsBroadBox boxes[MOST];
  CpsRandom random = cps_random_seed(2);
  for (int32_t i = 0; i < MOST; i++) {
    boxes[i] = random_box(&random, -3.0, 3.0, pow(10.0, between(&random, -3.0, i % 50 ? 0.0 : 3.0)), i);
  }
  assert_equals_plain_search(boxes, MOST, NULL);
  // more octaves than levels: 1e-30 to 1e30
  for (int32_t i = 0; i < 600; i++)
    boxes[i] = random_box(&random, -1.0, 1.0, pow(10.0, between(&random, -30.0, 30.0)), i);
  assert_equals_plain_search(boxes, 600, NULL);
}

static void infinite_and_empty_boxes_are_paired(void** state) {
  (void)state;
  static CpsBroadBox boxes[600];
  CpsRandom random = cps_random_seed(3);
  for (int32_t i = 0; i < 600; i++) {
    boxes[i] = random_box(&random, -2.0, 2.0, 0.3, i);
    if (i % 20 == 3) boxes[i].box.min.z = -INFINITY;
    if (i % 30 == 4) boxes[i].box = (CpsAabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, 0.1}};
    if (i % 10 == 5) boxes[i].box.max = boxes[i].box.min;                         // a point
    if (i % 10 == 6) boxes[i].box = (CpsAabb){{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}};  // the same point
  }
  assert_equals_plain_search(boxes, 600, NULL);
  for (int32_t i = 0; i < 600; i++) boxes[i].box.max = boxes[i].box.min;  // nothing but points
  assert_equals_plain_search(boxes, 600, NULL);
}

static void far_away_and_at_all_signs_the_pairs_are_the_same(void** state) {
  (void)state;
  static CpsBroadBox boxes[800];
  const double places[] = {1e9, -1e9, 1e15, -1e300, 1e-200};
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
    CpsRandom random = cps_random_seed(4 + k);
    // of the order of rounding at 1e15, where corners of one box fall on neighbouring numbers
    const double width = fmax(1e-3, fabs(places[k]) * 1e-15);
    for (int32_t i = 0; i < 800; i++) {
      boxes[i] = random_box(&random, -4.0 * width, 4.0 * width, width, i);
      double* corner = &boxes[i].box.min.x;
      for (int c = 0; c < 6; c++) corner[c] += places[k];
      if (i % 100 == 0) boxes[i] = random_box(&random, -1.0, 1.0, 1.0, i);  // and some at home
    }
    assert_equals_plain_search(boxes, 800, NULL);
  }
}

static void small_boxes_far_away_and_large_ones_at_home_do_not_disturb_each_other(void** state) {
  (void)state;
  static CpsBroadBox boxes[300];
  CpsRandom random = cps_random_seed(20);
  for (int32_t i = 0; i < 300; i++) {
    boxes[i] = random_box(&random, -1.0, 1.0, 0.5, i);
    if (i % 3 == 0) boxes[i] = random_box(&random, 1e15, 1e15 + 8.0, 0.01, i);
    if (i % 3 == 1) boxes[i] = random_box(&random, -1e300, 1e300, 0.1, i);  // points by rounding
  }
  assert_equals_plain_search(boxes, 300, NULL);
}

static void pieces_of_one_owner_or_group_and_obstacles_are_not_paired(void** state) {
  (void)state;
  static CpsBroadBox boxes[400];
  CpsRandom random = cps_random_seed(9);
  for (int32_t i = 0; i < 400; i++) {
    boxes[i] = random_box(&random, -1.0, 1.0, 0.6, i < 350 ? i / 3 : -1);
    boxes[i].group = i % 4;  // group 0 is none
  }
  assert_equals_plain_search(boxes, 400, NULL);
}

static void any_number_of_threads_gives_the_same_bits(void** state) {
  (void)state;
  enum { COUNT = 4000 };
  static CpsBroadBox boxes[COUNT];
  CpsRandom random = cps_random_seed(10);
  for (int32_t i = 0; i < COUNT; i++) {
    boxes[i] = random_box(&random, 0.0, 10.0, i % 9 ? 1.0 : 3.0, i);
    if (i > COUNT - 10) boxes[i].box.min.z = -INFINITY;
  }
  CpsArena one = {0};
  int64_t expected = 0;
  const CpsBroadPair* pairs = cps_broad_pairs(boxes, COUNT, NULL, &one, &expected);
  assert_true(expected > 10000);
  for (int threads = 2; threads <= 3; threads++) {
    CpsPool* pool = cps_pool_create(threads);
    CpsArena arena = {0};
    assert_non_null(pool);
    for (int again = 0; again < 3; again++) {
      int64_t count = 0;
      cps_arena_reset(&arena);
      const CpsBroadPair* other = cps_broad_pairs(boxes, COUNT, pool, &arena, &count);
      assert_int_equal(count, expected);
      assert_memory_equal(other, pairs, (size_t)count * sizeof *pairs);
    }
    cps_arena_free(&arena);
    cps_pool_destroy(pool);
  }
  cps_arena_free(&one);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_of_one_size_are_paired_as_a_plain_search_pairs_them),
      cmocka_unit_test(sizes_from_a_millimetre_to_a_kilometre_are_paired_too),
      cmocka_unit_test(infinite_and_empty_boxes_are_paired),
      cmocka_unit_test(far_away_and_at_all_signs_the_pairs_are_the_same),
      cmocka_unit_test(small_boxes_far_away_and_large_ones_at_home_do_not_disturb_each_other),
      cmocka_unit_test(pieces_of_one_owner_or_group_and_obstacles_are_not_paired),
      cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
  };
  return cmocka_run_group_tests_name("contact/broad", tests, NULL, NULL);
}
