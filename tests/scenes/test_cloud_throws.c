// Nothing goes into a point cloud unseen: needles, coins and blades, thinner than the points are apart, thrown at a ball of points at 20 m/s in
// steps of 10 cm. Where they are is known by the ball that the points are taken from.
#include "scenes/thin.h"

static void thin_things_do_not_get_into_point_clouds(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(7);
  int in = 0, told = 0, count = 0;
  for (int thing = 0; thing <= PLATE; ++thing) {
    for (int k = 0; k < (SHORTER ? 1 : 2); ++k) {
      const Throw t = throw_at_cloud(thing, k % 2 == 1, &random);
      if (t.in || t.crossings > 0 || t.unsolved > 0) {
        print_message("%s %d: %.2f mm deep, %d crossings, %d unsolved\n", thin_names[thing], k, 1e3 * t.deepest,
                      (int)t.crossings, (int)t.unsolved);
      }
      in += t.in, told += t.crossings > 0, ++count;
    }
  }
  print_message("%d throws: %d got in, %d were told of\n", count, in, told);
  assert_int_equal(in + told, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(thin_things_do_not_get_into_point_clouds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
