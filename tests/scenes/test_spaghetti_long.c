// labels: long
// Spaghetti dropped on a plate (Bertails-Descoubes et al. 2011, 5.1.3 and 5.2) as the scenes are.
#include "scenes/spaghetti.h"

// 31 rods: spread without friction, a heap that slides with friction on the plate alone, a higher one that lies still with it
// everywhere.
static void thirty_one_rods_do_what_friction_says(void** state) {
  (void)state;
  Heap all = settled_heap("spaghetti-31.yaml", 0.3, 0.3, 0.4, 0.5);
  Heap plate = settled_heap("spaghetti-31.yaml", 0.0, 0.3, 0.4, 0.4),
       none = settled_heap("spaghetti-31.yaml", 0.0, 0.0, 0.4, 0.4);
  assert_below(all.fastest, 1e-8);
  assert_true(all.height > plate.height);
  assert_true(plate.width > all.width);
  assert_true(none.width > 1.3 * plate.width);
}

// They slide among themselves while they fall apart on the plate that holds the lowest.
static void rods_without_friction_slide_along_each_other(void** state) {
  (void)state;
  assert_true(settled_heap("spaghetti-31.yaml", 0.0, 0.3, 0.15, 0.15).slip > 1e-2);
}

static void seventy_six_rods_lie_still(void** state) {
  (void)state;
  Heap heap = settled_heap("spaghetti-76.yaml", 0.3, 0.3, 0.8, 0.95);
  assert_below(heap.fastest, 1e-8);
  // three layers or more
  assert_true(heap.height > 5e-3);
}

static void seven_curved_rods_straighten_only_without_friction(void** state) {
  (void)state;
  Heap held = heap_at("spaghetti-7.yaml", 0.3, 0.3, "", 1.0), loose = heap_at("spaghetti-7.yaml", 0.0, 0.0, "", 2.0);
  assert_below(held.straightness, 0.95);
  assert_below(held.fastest, 1e-8);
  assert_true(loose.straightness > 0.995);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(thirty_one_rods_do_what_friction_says),
      cmocka_unit_test(rods_without_friction_slide_along_each_other),
      cmocka_unit_test(seventy_six_rods_lie_still),
      cmocka_unit_test(seven_curved_rods_straighten_only_without_friction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
