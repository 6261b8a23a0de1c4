// labels: long
// Nothing passes through a sheet: a thousand random scenes of balls, rods, needles, boxes, plates, drums, hulls, ropes, sheets and
// obstacles of every kind at speeds up to 20 m/s.
#include "world/sheet_throws.h"

static void nothing_gets_through_a_sheet(void** state) {
  (void)state;
  throw_all(0, 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_gets_through_a_sheet)};
  return cmocka_run_group_tests_name("world/sheet_throws_long", tests, NULL, NULL);
}
