// Spaghetti dropped on a plate (Bertails-Descoubes et al. 2011, 5.1.3), a few short ones: what friction does to the heap.
#include "scenes/spaghetti.h"

static const double RADIUS = 1.5e-3, TIME = 0.2;

// A few rods at TIME, each case run once: friction everywhere, on the plate alone, nowhere.
typedef enum Friction { EVERYWHERE, PLATE, NOWHERE } Friction;

static Heap few(Friction friction) {
  static Heap heap[3];
  if (!(heap[friction].height > 0.0)) {
    heap[friction] = heap_at("spaghetti-31.yaml", friction == EVERYWHERE ? 0.3 : 0.0, friction == NOWHERE ? 0.0 : 0.3,
                             "count=5 segments=8 height=0.008 spacing=0.0039 tilt=0.005 time.step=2e-3", TIME);
  }
  return heap[friction];
}

static void friction_everywhere_stacks_and_holds_perfectly_still(void** state) {
  (void)state;
  Heap heap = few(EVERYWHERE);
  // a second layer on the first, whose centrelines are at one radius
  assert_true(heap.height > 2.0 * RADIUS);
  assert_below(heap.fastest, 1e-8);
  assert_below(heap.slip, 1e-8);
}

// Rods that do not hold each other slide off one another, until the plate holds them all.
static void friction_on_the_plate_alone_makes_a_lower_heap(void** state) {
  (void)state;
  assert_true(few(PLATE).height < few(EVERYWHERE).height - RADIUS);
  assert_true(few(PLATE).width > 1.1 * few(EVERYWHERE).width);
}

static void without_friction_they_spread(void** state) {
  (void)state;
  assert_true(few(NOWHERE).width > 1.5 * few(PLATE).width);
  // and go on
  assert_true(few(NOWHERE).fastest > 0.05);
}

// Placed on arcs of 1.6 rad, a chord of 0.897 of the length.
static void friction_keeps_curved_rods_curved(void** state) {
  (void)state;
  static const char* const THREE = "count=3 segments=8 time.step=2e-3";
  Heap held = heap_at("spaghetti-7.yaml", 0.3, 0.3, THREE, 1.1);
  assert_below(held.straightness, 0.95);
  // what slips as they settle dies away by a factor of 1600 in 0.2 s, with any tolerance: 9e-10 m/s after 0.9 s, 6e-13 m/s now
  assert_below(held.slip, 1e-12);
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
