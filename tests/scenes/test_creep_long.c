// labels: long
// Nothing creeps, for as long as it takes: 100 s on the ramp, a grid of 20 x 20 ramps, the pinched capsule for 10 s in many
// tilts.
#include "scenes/creep.h"

static void a_block_a_hair_below_the_angle_of_friction_rests_for_100_s(void** state) {
  (void)state;
  double angle = 20.0 * degree;
  assert_below(ramp_drift(angle, tan(angle) + 1e-3, 1e-3, SHORTER ? 10.0 : 100.0), 1e-10);
}

static void every_cell_of_20_by_20_is_right(void** state) {
  (void)state;
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 20; ++j) {
      if (SHORTER && (i + j) % 7 != 0) continue;
      check_ramp_cell((2.0 + 43.0 * i / 19.0) * degree, 0.05 + 0.96 * j / 19.0, 1e-3, 2.0);
    }
  }
}

static void a_pinched_capsule_does_not_slip_in_any_tilt(void** state) {
  (void)state;
  static const double FACTORS[] = {20.0, 50.0, 95.0};
  for (int k = 0; k < 3; ++k) {
    for (double tilt = 0.0; tilt < 360.0; tilt += 45.0) {
      for (double lean = -60.0; lean <= 60.0; lean += 60.0) {
        assert_below(pinch_slip(FACTORS[k], tilt * degree, lean * degree, SHORTER ? 0.1 : 1.0), 1e-9);
      }
    }
  }
  assert_below(pinch_slip(20.0, 30.0 * degree, 10.0 * degree, SHORTER ? 1.0 : 10.0), 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_a_hair_below_the_angle_of_friction_rests_for_100_s),
      cmocka_unit_test(every_cell_of_20_by_20_is_right),
      cmocka_unit_test(a_pinched_capsule_does_not_slip_in_any_tilt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
