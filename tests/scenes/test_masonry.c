// Stacked things: a wall and an arch stand, a house of cards stands by friction, dominoes fall in turn, a heavy block rests
// on light ones. test_masonry_long.c has the full times.
#include "scenes/masonry.h"

static void a_wall_stands(void** state) {
  (void)state;
  Overrides o = {0};
  int size = SHORTER ? 3 : 5;
  override(&o, "bodies.wall.wall.columns=%d", size);
  override(&o, "bodies.wall.wall.rows=%d", size);
  CpsWorld* world = open_scene("wall.yaml", &o);
  Run run;
  double way = settle_and_measure(world, SHORTER ? 0.05 : 0.4, &run);
  cps_world_destroy(world);
  assert_int_equal(run.unsolved, 0);
  assert_below(way, 1e-6);  // the solver's tolerance while it finds how the load is shared
}

static void a_ball_goes_through_the_wall(void** state) {
  (void)state;
  Overrides o = {0};
  override(&o, "bodies.wall.wall.columns=3");
  override(&o, "bodies.wall.wall.rows=4");
  override(&o, "strike=8");
  CpsWorld* world = open_scene("wall.yaml", &o);
  Run run;
  double way = settle_and_measure(world, SHORTER ? 0.15 : 0.3, &run);
  cps_world_destroy(world);
  assert_true(way > 0.5);
  assert_below(run.books_error, 1e-11);
}

// Statics says 0.3090 for 15 stones; a margin of 1 % on either side decides.
static void an_arch_stands_above_its_limit_of_friction_and_falls_below(void** state) {
  (void)state;
  Run run;
  double limit = arch_limit(15);
  assert_near(limit, 0.3090, 1e-4);
  double way = arch_way(1.01 * limit, SHORTER ? 0.1 : 1.0, &run);
  assert_int_equal(run.unsolved, 0);
  assert_below(way, 1e-5);
  assert_true(arch_way(0.97 * limit, SHORTER ? 0.2 : 0.5, &run) > (SHORTER ? 1e-3 : 1e-2));
}

static void a_house_of_cards_stands_with_friction(void** state) {
  (void)state;
  CpsWorld* world = open_scene("cards.yaml", NULL);
  Run run;
  double way = settle_and_measure(world, SHORTER ? 0.1 : 1.0, &run);
  cps_world_destroy(world);
  assert_int_equal(run.unsolved, 0);
  assert_below(way, 1e-10);
}

static void a_house_of_cards_falls_without(void** state) {
  (void)state;
  Overrides o = {0};
  override(&o, "mu=0.1");
  CpsWorld* world = open_scene("cards.yaml", &o);
  Run run;
  double way = settle_and_measure(world, 0.3, &run);
  cps_world_destroy(world);
  assert_true(way > 0.05);
  assert_below(run.books_error, 1e-11);
}

static double leaning(const CpsWorld* world, int32_t i) {
  CpsQuat q = body(world, i).pose.rotation;
  return acos(fmin(1.0, 1.0 - 2.0 * (q.x * q.x + q.y * q.y)));
}

// A domino starts to lean only after the one before it, and all fall.
static void dominoes_fall_one_after_the_other(void** state) {
  (void)state;
  enum { COUNT = 8 };
  Overrides o = {0};
  override(&o, "bodies.row.grid.count=[%d, 1, 1]", COUNT - 1);
  override(&o, "bodies.row.position=[= (thickness + gap) * %d / 2, 0, = height / 2]", COUNT);
  if (SHORTER) override(&o, "time.step=2ms");
  CpsWorld* world = open_scene("dominoes.yaml", &o);
  double begin[COUNT];
  for (int i = 0; i < COUNT; ++i) begin[i] = INFINITY;
  Run run = {0};
  while (cps_world_time(world) < 1.0) {
    run_step(world, &run);
    for (int i = 0; i < COUNT; ++i) {
      if (isinf(begin[i]) && leaning(world, i) > 0.02) begin[i] = cps_world_time(world);
    }
  }
  for (int i = 0; i < COUNT; ++i) {
    if (i > 0) assert_true(begin[i] > begin[i - 1]);
    assert_true(leaning(world, i) > 0.9);  // they lie on each other at about 76 degrees
  }
  cps_world_destroy(world);
  assert_int_equal(run.unsolved, 0);
}

static void ten_tonnes_rest_on_a_kilogram(void** state) {
  (void)state;
  CpsWorld* world = open_scene("heavy.yaml", NULL);
  Run run;
  double way = settle_and_measure(world, SHORTER ? 0.2 : 2.0, &run);
  double still = speed(body(world, 3).velocity);
  cps_world_destroy(world);
  assert_int_equal(run.unsolved, 0);
  // errors of 1e-6 of the heavy block's impulse move the light ones by 1e-6 * 10000 g h^2 in a step
  assert_below(way, 1e-3);
  if (!SHORTER) assert_below(still, 1e-10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wall_stands),
      cmocka_unit_test(a_ball_goes_through_the_wall),
      cmocka_unit_test(an_arch_stands_above_its_limit_of_friction_and_falls_below),
      cmocka_unit_test(a_house_of_cards_stands_with_friction),
      cmocka_unit_test(a_house_of_cards_falls_without),
      cmocka_unit_test(dominoes_fall_one_after_the_other),
      cmocka_unit_test(ten_tonnes_rest_on_a_kilogram),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
