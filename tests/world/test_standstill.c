// A wall of 100 bricks stands: with steps of 10 ms it neither creeps nor leans, at any tolerance. With one sweep per step, its slow modes
// behave like those of an inverted pendulum, and errors grow fivefold in half a second (docs/theory/rest.md).
#include "world_helpers.h"

#include <math.h>

enum { COURSES = 10, BRICKS = 10 };

static double drift_of_wall(double tolerance, int steps, int threads) {
  const CpsVec3 size = {0.2, 0.1, 0.08};
  CpsWorldDef def = cps_world_def_default();
  CpsBodyId brick[COURSES * BRICKS];
  CpsVec3 start[COURSES * BRICKS];
  def.step = 0.01;
  def.threads = threads;
  if (tolerance > 0.0) def.solver.tolerance = tolerance;
  CpsWorld* world = make_world(&def);
  add_floor(world);
  for (int i = 0; i < COURSES * BRICKS; ++i) {
    CpsBodyDef body = cps_body_def_default();
    const int course = i / BRICKS;
    body.shape = cps_box(size);
    body.density = 2000.0;
    body.position = start[i] = (CpsVec3){size.x * (i % BRICKS + 0.5 * (course % 2)), 0.0, size.z * (course + 0.5)};
    brick[i] = add_body(world, &body);
  }
  double most = 0.0;
  for (int k = 0; k < steps; ++k) must(cps_world_step(world, NULL, &must_error));
  for (int i = 0; i < COURSES * BRICKS; ++i) {
    CpsBodyState now;
    assert_int_equal(cps_world_body_state(world, brick[i], &now), CPS_OK);
    CpsVec3 p = now.pose.position;
    most = fmax(most, fmax(fabs(p.x - start[i].x), fmax(fabs(p.y - start[i].y), fabs(p.z - start[i].z))));
  }
  cps_world_destroy(world);
  return most;
}

// 1.6e-10 m were measured, and 0.57 mm with sweeps alone.
static void a_wall_solved_roughly_stands(void** state) {
  (void)state;
  assert_true(drift_of_wall(1e-4, 50, 1) < 1e-8);
}

// 1.8e-10 m were measured, and 0.1 um with sweeps alone, which grow fivefold in every half second that follows.
static void a_wall_solved_as_it_comes_stands(void** state) {
  (void)state;
  assert_true(drift_of_wall(0.0, 550, 1) < 1e-9);
}

static void it_stands_alike_on_two_threads(void** state) {
  (void)state;
  assert_true(drift_of_wall(1e-4, 20, 1) == drift_of_wall(1e-4, 20, 2));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wall_solved_roughly_stands),
      cmocka_unit_test(a_wall_solved_as_it_comes_stands),
      cmocka_unit_test(it_stands_alike_on_two_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
