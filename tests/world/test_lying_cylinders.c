// Cylinders, and cylinders between capsules, dropped into a bin where they come to lie parallel to within a few degrees. Such a pair
// once touched at one point until its axes were parallel to 1e-3. Each cylinder rotated about that point, and its free end sank into
// the other; then the point moved to that end, and so on. They sank into each other by 15 to 28 mm, with every step solved.
// labels: release
#include "core/quat.h"
#include "core/random.h"
#include "world_helpers.h"

static const double R = 0.02, LENGTH = 0.08, WIDTH = 0.17, YAW = 0.15;
enum { LAYERS = 10, ROW = 3, STEPS = 400, FALL = 150 };

static CpsWorld* make_bin(bool capsules) {
  CpsWorldDef def = cps_world_def_default();
  def.step = 2e-3;
  def.mu = 0.4;
  CpsWorld* world = make_world(&def);
  const double quarter = 0.5 * acos(-1.0), x = 0.5 * WIDTH, y = 0.575 * LENGTH;
  const CpsVec3 place[] = {{0, 0, 0}, {-x, 0, 0}, {x, 0, 0}, {0, -y, 0}, {0, y, 0}};
  const CpsVec3 turn[] = {{0, 0, 0}, {0, 1, 0}, {0, -1, 0}, {-1, 0, 0}, {1, 0, 0}};
  for (int k = 0; k < 5; ++k) {
    CpsObstacleDef wall = cps_obstacle_def_default();
    wall.shape = cps_plane();
    wall.pose = (CpsPose){place[k], cps_quat_exp(cps_vec3_scale(quarter, turn[k]))};
    (void)add_obstacle(world, &wall);
  }
  CpsRandom random = cps_random_seed(3);
  for (int k = 0; k < LAYERS * ROW; ++k) {
    const int layer = k / ROW, at = k % ROW;
    const double aside = 0.004 * (cps_random_uniform(&random) - 0.5),
                 yaw = YAW * (2.0 * cps_random_uniform(&random) - 1.0);
    CpsBodyDef body = cps_body_def_default();
    body.shape = capsules && (at + layer) % 2 ? cps_capsule(R, LENGTH - 2.0 * R) : cps_cylinder(R, LENGTH);
    body.position = cps_vec3((at - 1) * 0.052 + aside, 0.0, 0.03 + 0.046 * layer);
    body.rotation = cps_quat_multiply(cps_quat_exp(cps_vec3(0, 0, yaw)), cps_quat_exp(cps_vec3(quarter, 0, 0)));
    (void)add_body(world, &body);
  }
  return world;
}

static void check_bin(bool capsules) {
  CpsWorld* world = make_bin(capsules);
  double deepest = 0.0;
  for (int step = 0; step < STEPS; ++step) {
    CpsStepInfo info;
    must(cps_world_step(world, &info, NULL));
    if (step >= FALL) deepest = fmax(deepest, info.deepest.depth);
  }
  assert_below(deepest, 0.02 * R);
  cps_world_destroy(world);
}

static void cylinders_that_lie_along_each_other_stay_apart(void** state) {
  (void)state;
  check_bin(false);
}

static void cylinders_and_capsules_that_lie_along_each_other_stay_apart(void** state) {
  (void)state;
  check_bin(true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cylinders_that_lie_along_each_other_stay_apart),
      cmocka_unit_test(cylinders_and_capsules_that_lie_along_each_other_stay_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
