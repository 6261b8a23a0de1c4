// A soft wheel drives a rigid one by a belt: what friction of the belt carries, and whether it slips.
// labels: release
#include "capstan/solid.h"
#include "scenes/scene_world.h"

static const double PULL = 1.5e-3, START = 0.03;

// The torque of the belt on the soft wheel over r F, F what the belt pulls it with and r the distance of the contacts from its axis.
static double torque_of(const CpsWorld* world) {
  double torque = 0.0, force = 0.0, arm = 0.0, press = 0.0;
  for (int32_t i = 0; i < cps_world_contact_count(world); ++i) {
    const CpsContact c = cps_world_contact(world, i);
    if (c.side[0].thing.kind != CPS_THING_SOLID && c.side[1].thing.kind != CPS_THING_SOLID) continue;
    const double sign = c.side[0].thing.kind == CPS_THING_SOLID ? 1.0 : -1.0;
    const double* axis[3] = {&c.normal.x, &c.tangent1.x, &c.tangent2.x};
    double f[2] = {0};
    for (int k = 0; k < 3; ++k) f[0] += sign * c.impulse[k] * axis[k][0], f[1] += sign * c.impulse[k] * axis[k][1];
    const double x = c.side[0].point.x + PULL, y = c.side[0].point.y;
    torque += x * f[1] - y * f[0];
    force += f[0];
    arm += c.impulse[0] * sqrt(x * x + y * y), press += c.impulse[0];
  }
  return -torque / (force * arm / press);
}

// While the belt slips on half a turn of the wheel, its tensions are as exp(mu pi): the torque is tanh(mu pi / 2) r F. With mu = 0.2 that is
// enough to bring the driven wheel to the speed of the hub, 5 rad/s; with 0.02 it slips all of the time.
static void a_belt_carries_what_the_capstan_formula_says(void** state) {
  (void)state;
  const double mu[2] = {0.02, 0.2};
  for (int k = 0; k < 2; ++k) {
    Overrides o = {0};
    override(&o, "mu=%g", mu[k]);
    override(&o, "step=5 ms");
    override(&o, "stretched=%g", START);
    CpsWorld* world = open_scene("belt-drive.yaml", &o);
    Run run = run_until(world, START + 0.01);
    double mean = 0.0;
    for (int i = 0; i < 3; ++i) {
      run_step(world, &run);
      mean += torque_of(world) / 3.0;
    }
    const double theory = tanh(0.5 * acos(-1.0) * mu[k]);
    Run rest = run_until(world, START + (k == 0 ? 0.025 : 0.08));
    const double omega = body(world, 0).angular_velocity.z;
    print_message("mu = %g: torque %.5f r F, theory %.5f; then the wheel turns with %.3f rad/s\n", mu[k], mean, theory,
                  omega);
    assert_near(mean, theory, 0.04 * theory);
    if (k == 0) assert_true(omega > 0.1 && omega < 1.0);
    if (k == 1) assert_near(omega, 5.0, 0.5);
    assert_int_equal(run.unsolved + rest.unsolved, 0);
    assert_int_equal(run.crossings + rest.crossings, 0);
    cps_world_destroy(world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_belt_carries_what_the_capstan_formula_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
