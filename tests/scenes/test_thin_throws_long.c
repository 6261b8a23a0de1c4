// Nothing thin gets into a smooth solid or a point cloud unseen: 168 throws at solids and 48 at clouds, at 20 m/s with steps of 10 cm. A
// name of a test as argument runs that one alone, "*" all of them; a number after it makes other throws.
// labels: long
#include "scenes/thin.h"

enum { SOLID_THROWS = 12, CLOUD_THROWS = 12 };
static uint64_t other_throws;

static void throw_all_at_solids(const int* things, int count, uint64_t seed) {
  CpsRandom random = cps_random_seed(seed + other_throws);
  int in = 0, told = 0, unsolved = 0, throws = 0;
  for (int i = 0; i < count; ++i) {
    for (int target = 0; target < 2; ++target) {
      for (int k = 0; k < SOLID_THROWS; ++k, ++throws) {
        const Throw t = throw_at_solid(things[i], target, &random);
        if (t.in > 0 || t.crossings > 0 || t.unsolved > 0) {
          print_message("%s %d at the %s: %d steps inside, %d crossings, %d unsolved, %d halvings\n",
                        thin_names[things[i]], k, target ? "ball" : "slab", t.in, (int)t.crossings, (int)t.unsolved,
                        (int)t.halvings);
        }
        in += t.in > 0 && t.crossings == 0, told += t.crossings > 0, unsolved += t.unsolved > 0;
      }
    }
  }
  print_message("%d throws: %d got in unseen, %d were told of, %d with unsolved steps\n", throws, in, told, unsolved);
  assert_int_equal(in, 0);
  assert_int_equal(told, 0);
}

static void rigid_things_do_not_get_into_smooth_solids(void** state) {
  (void)state;
  throw_all_at_solids((int[]){NEEDLE, COIN, BLADE}, 3, 21);
}

static void small_things_do_not_get_into_smooth_solids(void** state) {
  (void)state;
  throw_all_at_solids((int[]){CHIP, GRAIN}, 2, 22);
}

static void soft_things_do_not_get_into_smooth_solids(void** state) {
  (void)state;
  throw_all_at_solids((int[]){ROPE, SHEET}, 2, 23);
}

static void thin_things_do_not_get_into_point_clouds(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(24 + other_throws);
  int in = 0, told = 0;
  double deepest = -INFINITY;
  for (int thing = NEEDLE; thing <= PLATE; ++thing) {
    for (int k = 0; k < CLOUD_THROWS; ++k) {
      const Throw t = throw_at_cloud(thing, k % 2 == 1, &random);
      if (t.in || t.crossings > 0) {
        print_message("%s %d: %.2f mm deep, %d crossings\n", thin_names[thing], k, 1e3 * t.deepest, (int)t.crossings);
      }
      in += t.in && t.crossings == 0, told += t.crossings > 0, deepest = fmax(deepest, t.deepest);
    }
  }
  print_message("%d throws: %d got in unseen, %d were told of, the deepest is %.2f mm\n", 4 * CLOUD_THROWS, in, told,
                1e3 * deepest);
  assert_int_equal(in, 0);
  assert_int_equal(told, 0);
}

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rigid_things_do_not_get_into_smooth_solids),
                                     cmocka_unit_test(small_things_do_not_get_into_smooth_solids),
                                     cmocka_unit_test(soft_things_do_not_get_into_smooth_solids),
                                     cmocka_unit_test(thin_things_do_not_get_into_point_clouds)};
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  if (argc > 2) other_throws = strtoull(argv[2], NULL, 10);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
