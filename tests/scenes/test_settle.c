// Balls settle in a box: every step solved, no penetration worth the name, and at the end they rest.
#include "scenes/scene_world.h"

static void balls_come_to_rest_in_the_box(void** state) {
  (void)state;
  CpsWorld* world = open_scene("settle-80.yaml", NULL);
  double radius = 0.25, weight = 0.0, upward = 0.0, h = 0.02;
  Run run = run_until(world, SHORTER ? 0.8 : 8.0);
  assert_int_equal(run.unsolved, 0);
  assert_true(run.contacts_max > 100);
  assert_below(run.penetration_max, 1e-3 * radius);
  assert_below(run.books_error, 1e-11);
  for (int32_t i = 0; i < cps_world_body_count(world); ++i) {
    CpsBodyState ball = body(world, i);
    weight += ball.mass * 9.81;
    assert_true(ball.centre.z > radius * (1.0 - 1e-3));
    assert_true(fabs(ball.centre.x) < 1.25 - radius * (1.0 - 1e-3));
    if (!SHORTER) assert_below(speed(ball.velocity), 1e-3);
  }
  // at rest the box carries the weight of all
  for (int32_t i = 0; i < cps_world_contact_count(world); ++i) {
    CpsContact c = cps_world_contact(world, i);
    if (c.side[1].thing.kind != CPS_THING_OBSTACLE) continue;
    upward += (c.impulse[0] * c.normal.z + c.impulse[1] * c.tangent1.z + c.impulse[2] * c.tangent2.z) / h;
  }
  if (!SHORTER) assert_near(upward / weight, 1.0, 1e-3);
  cps_world_destroy(world);
}

static void the_same_scene_gives_the_same_bits(void** state) {
  (void)state;
  uint64_t hash[2];
  for (int k = 0; k < 2; ++k) {
    CpsWorld* world = open_scene("settle-80.yaml", NULL);
    run_until(world, SHORTER ? 0.4 : 1.0);
    hash[k] = cps_world_hash(world);
    cps_world_destroy(world);
  }
  assert_true(hash[0] == hash[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(balls_come_to_rest_in_the_box),
      cmocka_unit_test(the_same_scene_gives_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
