// Spaghetti dropped on a plate (Bertails-Descoubes et al. 2011, 5.1.3), a few short ones: what friction does to the heap.
#include "scenes/spaghetti.h"

static const char* const FEW = "count=7 segments=8 height=0.008 time.step=2e-3";
static const double RADIUS = 1.5e-3;

static void friction_everywhere_stacks_and_holds_perfectly_still(void** state) {
  (void)state;
  Heap heap = heap_at("spaghetti-31.yaml", 0.3, 0.3, FEW, 0.24);
  // two layers or more
  assert_true(heap.height > RADIUS + 1.7 * RADIUS);
  assert_below(heap.fastest, 1e-8);
}

// Rods that do not hold each other slide off one another, and the plate stops those that reach it.
static void friction_on_the_plate_alone_makes_a_lower_heap(void** state) {
  (void)state;
  Heap sliding = heap_at("spaghetti-31.yaml", 0.0, 0.3, FEW, 0.14);
  assert_true(sliding.slip > 1e-3);
  Heap all = heap_at("spaghetti-31.yaml", 0.3, 0.3, FEW, 0.3), plate = heap_at("spaghetti-31.yaml", 0.0, 0.3, FEW, 0.3);
  assert_true(plate.height < all.height - 0.5 * RADIUS);
  assert_true(plate.width > all.width);
}

static void without_friction_they_spread(void** state) {
  (void)state;
  Heap none = heap_at("spaghetti-31.yaml", 0.0, 0.0, FEW, 0.3),
       plate = heap_at("spaghetti-31.yaml", 0.0, 0.3, FEW, 0.3);
  assert_true(none.width > 2.0 * plate.width);
  assert_true(none.fastest > 0.05);
}

// Placed on arcs of 1.6 rad, a chord of 0.897 of the length.
static void friction_keeps_curved_rods_curved(void** state) {
  (void)state;
  static const char* const THREE = "count=3 segments=10 time.step=2e-3";
  Heap held = heap_at("spaghetti-7.yaml", 0.3, 0.3, THREE, 0.5);
  assert_below(held.straightness, 0.95);
  assert_below(held.fastest, 1e-6);
  Heap loose = heap_at("spaghetti-7.yaml", 0.0, 0.0, THREE, 2.0);
  assert_true(loose.straightness > 0.99);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_everywhere_stacks_and_holds_perfectly_still),
      cmocka_unit_test(friction_on_the_plate_alone_makes_a_lower_heap),
      cmocka_unit_test(without_friction_they_spread),
      cmocka_unit_test(friction_keeps_curved_rods_curved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
