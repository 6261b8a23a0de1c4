// Newton's cradle: with gaps the wave runs through the row as in the toy; without, all balls are hit at once.
#include "scenes/scene_world.h"

enum { BALLS = 5 };

static CpsWorld* strike(const char* gap, const char* step) {
  Overrides o = {0};
  if (gap) override(&o, "gap=%s", gap);
  if (step) override(&o, "time.step=%s", step);
  CpsWorld* world = open_scene("cradle.yaml", &o);
  assert_int_equal(cps_world_body_count(world), BALLS);
  Run run = {0};
  while (cps_world_time(world) < 0.2) run_step(world, &run);
  assert_int_equal(run.unsolved, 0);
  assert_below(run.books_error, 1e-12);
  return world;
}

// Speeds are exchanged in each impact: 1e-9 for what the solver's tolerance leaves in four of them.
static void the_last_ball_leaves_with_the_speed_of_the_first(void** state) {
  (void)state;
  const char* const steps[3] = {"0.1ms", "0.23ms", "0.4ms"};
  for (int k = 0; k < 3; ++k) {
    CpsWorld* world = strike(NULL, steps[k]);
    for (int32_t i = 0; i < BALLS; ++i) assert_near(body(world, i).velocity.x, i == BALLS - 1 ? 1.0 : 0.0, 1e-9);
    cps_world_destroy(world);
  }
}

// One impact of the whole row, Newton's law at each contact: the first goes back at (n - 1)/(n + 1), all others go on
// together at 2/(n + 1), n = 4. It conserves momentum and energy, and is what the law says, not what a toy does. The gap is a
// nanometre below zero: at zero rounding decides which balls touch.
static void touching_balls_are_hit_at_once(void** state) {
  (void)state;
  CpsWorld* world = strike("-1e-9", NULL);
  for (int32_t i = 0; i < BALLS; ++i) assert_near(body(world, i).velocity.x, i == 0 ? -0.6 : 0.4, 1e-6);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_ball_leaves_with_the_speed_of_the_first),
      cmocka_unit_test(touching_balls_are_hit_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
