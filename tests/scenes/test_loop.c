// A ball with a spin runs into a double loop on two rails: friction turns the spin into speed and decides how far it goes.
#include "scenes/scene_world.h"

static const double loop_end = 4.0 * 3.14159265358979323846 * 0.1;  // where the second loop ends, along x

static const char* const STEP = SHORTER ? "2ms" : "0.5ms";

typedef struct Ride {
  double far, top;       // largest x, largest z
  int64_t steps, quick;  // with contacts; of these, with at most 5 iterations
  int64_t unsolved;
} Ride;

static Ride ride(double mu, const char* method, const char* step) {
  Overrides o = {0};
  override(&o, "mu=%g", mu);
  override(&o, "solver.method=%s", method);
  override(&o, "time.step=%s", step);
  CpsWorld* world = open_scene("loop.yaml", &o);
  Ride ride = {0};
  CpsStepInfo info = {0};
  CpsVec3 centre = body(world, 0).centre;
  while (info.time < 2.5 && centre.z > -0.5) {
    CpsStatus status = cps_world_step(world, &info, NULL);
    assert_true(status >= 0);
    centre = body(world, 0).centre;
    ride.far = fmax(ride.far, centre.x);
    ride.top = fmax(ride.top, centre.z);
    if (info.contacts == 0) continue;
    ride.steps++;
    ride.quick += info.iterations <= 5;
    ride.unsolved += status > 0;
  }
  cps_world_destroy(world);
  return ride;
}

static bool newton_is_there(void) {
  return cps_method_info(CPS_METHOD_NEWTON_AC)->available;
}

static const char* method(void) {
  return newton_is_there() ? "newton-ac" : "gs";
}

static void without_friction_the_ball_comes_back(void** state) {
  (void)state;
  Ride slow = ride(0.0, method(), STEP);
  assert_below(slow.far, 0.5);  // not around the first loop
  // v^2 / (2 g) above the start: all that its speed lifts it
  assert_near(slow.top - 0.075, 4.0 / (2.0 * 9.81), 0.01);
}

static void a_little_friction_takes_it_through_one_loop_and_more_through_both(void** state) {
  (void)state;
  assert_below(ride(0.05, method(), STEP).far, 0.6);
  assert_true(ride(0.3, method(), STEP).far > loop_end + 1.0);
}

// Two rails hold six components of impulse with five degrees of freedom: W has rank 5. Newton still converges in each
// step, from the impulses of the step before, and nearly always within five iterations. 1e-11 is what rounding of b leaves:
// 4 m/s times 1e-16 beside impulses of m g h.
static void newton_needs_few_iterations_although_W_is_singular(void** state) {
  (void)state;
  if (!newton_is_there()) skip();
  Ride newton = ride(0.2, "newton-ac", "0.5ms");
  assert_int_equal(newton.unsolved, 0);
  // steps in which the load jumps where the loop ends need a few more
  assert_true((double)(newton.steps - newton.quick) <= 0.002 * (double)newton.steps);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_friction_the_ball_comes_back),
      cmocka_unit_test(a_little_friction_takes_it_through_one_loop_and_more_through_both),
      cmocka_unit_test(newton_needs_few_iterations_although_W_is_singular),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
