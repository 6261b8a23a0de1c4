// scenes/motor.yaml: a motor of given speed turns as it is told and takes the torque that the weight asks for; one of given torque
// drives a cart as hard as friction allows.
#include "capstan/tie.h"
#include "scenes/scene_world.h"

static const double G = 9.81;
enum { ARM = 0, CHASSIS = 1, REAR = 2 };

static void a_motor_of_given_speed_takes_the_torque_of_the_weight(void** state) {
  (void)state;
  CpsWorld* world = open_scene("motor.yaml", NULL);
  Run run = {0};
  double worst = 0.0, apart = 0.0;
  for (int k = 0; k < 1000; ++k) {
    run_step(world, &run);
    CpsTieState tie;
    assert_int_equal(cps_world_tie_state(world, cps_world_tie(world, 0), &tie), CPS_OK);
    assert_near(tie.angle, 2.0 * cps_world_time(world), 1e-12);
    if (k < 4) continue;  // the arm is set into motion by an impulse, and is where it shall be after two steps
    apart = fmax(apart, tie.apart);
    // a positive angle about y takes the arm down; the mean of the step is that of its middle
    const double phi = 2.0 * (cps_world_time(world) - 0.5e-3);
    worst = fmax(worst, fabs(tie.torque.y - -1.0 * G * 0.2 * cos(phi)));
  }
  print_message("torque off by %.1e N m of %.3f, apart %.1e m, books %.1e\n", worst, 0.2 * G, apart, run.books_error);
  assert_below(worst, 1e-5);  // second order in the step: (2 rad/s 1 ms)^2
  assert_below(apart, 1e-6);
  assert_int_equal(run.unsolved, 0);
  assert_below(run.books_error, 1e-11);
  cps_world_destroy(world);
}

// Rolling: a = torque / R / (M + 2 I/R^2), M = 3 kg, I = m R^2 / 2 of two axles of 0.5 kg. Spinning: the force is mu times the load
// of the rear axle, M g / 2 and what the acceleration (height R of the centre of mass, wheel base 30 cm) shifts to it.
static void a_cart_rolls_off_as_hard_as_friction_allows(void** state) {
  (void)state;
  for (int spins = 0; spins < 2; ++spins) {
    Overrides o = {0};
    override(&o, "torque=%g", spins ? 1.5 : 0.1);
    CpsWorld* world = open_scene("motor.yaml", &o);
    Run run = run_until(world, 0.5);
    const double t = cps_world_time(world), v = body(world, CHASSIS).velocity.x, rolling = 0.1 / 0.05 / 3.5;
    const double turning = -body(world, REAR).angular_velocity.y * 0.05;
    print_message("%s: %.5f m/s at %.2f s, surface %.5f m/s\n", spins ? "spins" : "rolls", v, t, -turning);
    assert_int_equal(run.unsolved, 0);
    assert_below(run.books_error, 1e-11);
    if (!spins) {
      assert_near(v / t, rolling, 1e-3 * rolling);
      assert_near(-turning, v, 1e-6);
    } else {
      assert_true(-turning > 2.0 * v);
      // at least mu times the load at rest, at most mu times the whole weight
      assert_true(v / t > 0.6 * 0.5 * G * 3.0 / 3.25 * 0.99 && v / t < 0.6 * G);
    }
    cps_world_destroy(world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_motor_of_given_speed_takes_the_torque_of_the_weight),
      cmocka_unit_test(a_cart_rolls_off_as_hard_as_friction_allows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
