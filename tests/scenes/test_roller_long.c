// labels: long
// Rollers draw a soft armadillo through, filled anew with fewer tetrahedra: parts of it stick to them while others slip.
#include "scenes/armadillo.h"

#include "capstan/solid.h"

#include <stdlib.h>

static double middle_of(const CpsWorld* world) {
  const CpsThing thing = cps_thing_solid(cps_world_solid(world, 0));
  const int32_t count = (int32_t)cps_world_array_count(world, thing, CPS_QUANTITY_POSITION);
  CpsVec3* x = calloc((size_t)count, sizeof *x);
  assert_non_null(x);
  assert_int_equal(vertices_of(world, thing, x, NULL), CPS_OK);
  double sum = 0.0;
  for (int32_t i = 0; i < count; ++i) sum += x[i].x / count;
  free(x);
  return sum;
}

static void an_armadillo_is_drawn_through_by_stick_and_slip(void** state) {
  (void)state;
  skip_without_armadillo();
  CpsWorld* world = open_scene("roller-armadillo.yaml", NULL);
  int both = 0, unsolved = 0, crossings = 0, stopped = 0;
  while (cps_world_time(world) < 0.5) {
    CpsStepInfo info;
    CpsError error = {{0}};
    const CpsStatus status = cps_world_step(world, &info, &error);
    assert_true(status >= 0);
    both += info.stick > 0 && info.slide > 0;
    unsolved += status > 0, crossings += info.crossings, stopped += info.stopped;
  }
  print_message("the armadillo is at %.1f mm; %d steps with stick and slip, %d unsolved, %d crossings, %d stopped\n",
                1e3 * middle_of(world), both, unsolved, crossings, stopped);
  assert_true(middle_of(world) > 0.0);  // more than half of it is through: without friction it is thrown back
  assert_true(both > 40);
  assert_int_equal(unsolved + crossings + stopped, 0);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(an_armadillo_is_drawn_through_by_stick_and_slip)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
