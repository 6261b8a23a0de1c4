// Pairs that rounding likes least: aligned, coincident, of very different sizes. Nothing may be NaN, features are
// distinct, and what rests and trembles keeps its points.
#include "support.h"

#include <string.h>

static CpsGeom* random_geom(CpsRandom* random, double size, int kind) {
  double a = size * (0.1 + cps_random_uniform(random)), b = size * (0.1 + cps_random_uniform(random));
  CpsVec3 cloud[12];
  switch (kind) {
    case 0:
      return make_geom(cps_sphere(a));
    case 1:
      return make_geom(cps_capsule(a, b));
    case 2:
      return make_geom(cps_cylinder(a, b));
    case 3:
      return make_geom(cps_box(cps_vec3(a, b, size)));
    default:
      for (int k = 0; k < 12; ++k) cloud[k] = random_vec(random, size);
      return make_geom(cps_hull(cloud, 12));
  }
}

// Multiples of 45 degrees about the axes, and now and then anything.
static CpsQuat awkward_rotation(CpsRandom* random) {
  if (cps_random_u32(random) % 4 == 0) return random_rotation(random);
  CpsQuat q = cps_quat_identity();
  for (int k = 0; k < 3; ++k) {
    double angle = atan(1.0) * (double)(cps_random_u32(random) % 8);
    q = cps_quat_multiply(cps_quat_exp(cps_vec3(k == 0 ? angle : 0.0, k == 1 ? angle : 0.0, k == 2 ? angle : 0.0)), q);
  }
  return q;
}

static void assert_finite_and_distinct(const CpsTouch* touch, int count, double size) {
  assert_in_range(count, 0, CPS_TOUCH_PAIR_MAX);
  for (int k = 0; k < count; ++k) {
    assert_near(cps_vec3_norm(touch[k].normal), 1.0, 1e-15);
    assert_true(fabs(touch[k].gap) <= 10.0 * size);
    CpsVec3 off = cps_vec3_sub(touch[k].point_a, cps_vec3_axpy(touch[k].point_b, touch[k].gap, touch[k].normal));
    assert_below(cps_vec3_norm(off), 1e-14 * size);
    if (k > 0) assert_true(touch[k].feature > touch[k - 1].feature);
  }
}

static void awkward_pairs_give_sound_touches(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(17);
  int touching = 0;
  for (int round = 0; round < 20000; ++round) {
    int i = (int)(cps_random_u32(&random) % 5), j = (int)(cps_random_u32(&random) % 5);
    if (i < 2 && j < 2) continue;
    double size_a = pow(10.0, (double)(cps_random_u32(&random) % 5) - 2.0);
    double size_b = size_a * pow(10.0, (double)(cps_random_u32(&random) % 5) - 2.0), size = fmax(size_a, size_b);
    CpsGeom *a = random_geom(&random, size_a, i), *b = random_geom(&random, size_b, j);
    CpsPose pose_b = {{0.0, 0.0, 0.0}, awkward_rotation(&random)};
    // on a grid of quarters of the size: often on an axis, sometimes at the same place
    CpsVec3 place = {(double)(cps_random_u32(&random) % 9) - 4.0, (double)(cps_random_u32(&random) % 9) - 4.0,
                     (double)(cps_random_u32(&random) % 9) - 4.0};
    CpsPose pose_a = {cps_vec3_scale(0.25 * size, place), awkward_rotation(&random)};
    CpsTouch touch[CPS_TOUCH_MAX], again[CPS_TOUCH_MAX];
    int count = collide_at(a, pose_a, b, pose_b, 0.1 * size, touch);
    assert_finite_and_distinct(touch, count, 6.0 * size);
    touching += count > 0;
    // a pure function
    assert_int_equal(collide_at(a, pose_a, b, pose_b, 0.1 * size, again), count);
    for (int k = 0; k < count; ++k) {
      assert_memory_equal(&touch[k], &again[k], offsetof(CpsTouch, feature));
      assert_int_equal(touch[k].feature, again[k].feature);
    }
    // the gap is the separation along the normal
    if (count > 0) assert_near(least_gap(touch, count), separation(a, pose_a, b, pose_b, touch[0].normal), 3e-9 * size);
    cps_geom_destroy(a);
    cps_geom_destroy(b);
  }
  assert_in_range(touching, 3000, 19000);
}

// Shapes that lie on a box with a face, a cap or a line, trembling by a thousandth of a millionth.
static void what_rests_keeps_its_features(void** state) {
  (void)state;
  const CpsVec3 wedge[] = {{-0.4, -0.3, 0.0}, {0.5, -0.3, 0.0}, {-0.4, 0.4, 0.0}, {0.5, 0.4, 0.0}, {-0.4, 0.0, 0.4}};
  const double half_pi = 2.0 * atan(1.0);
  struct {
    CpsGeom* geom;
    CpsPose pose;
    int points;
  } cases[] = {{make_geom(cps_capsule(0.2, 0.6)), turned(pose_at(0.1, 0.0, 0.7), half_pi, 0.0, 1.0, 0.0), 2},
               {make_geom(cps_cylinder(0.3, 0.5)), turned(pose_at(0.1, 0.0, 0.8), half_pi, 0.0, 1.0, 0.0), 2},
               {make_geom(cps_cylinder(0.3, 0.5)), pose_at(0.1, 0.2, 0.75), 8},
               {make_geom(cps_box(cps_vec3(0.3, 0.5, 0.4))), pose_at(0.9, 0.2, 0.7), 4},
               {make_geom(cps_box(cps_vec3(2.0, 2.0, 0.4))), pose_at(0.0, 0.0, 0.7), 4},
               {make_geom(cps_hull(wedge, 5)), pose_at(0.1, 0.2, 0.5), 4}};
  CpsGeom* floor = make_geom(cps_box(cps_vec3(2.0, 2.0, 1.0)));
  CpsRandom random = cps_random_seed(23);
  for (int c = 0; c < 6; ++c) {
    CpsTouch first[CPS_TOUCH_MAX], touch[CPS_TOUCH_MAX];
    assert_int_equal(collide_at(cases[c].geom, cases[c].pose, floor, pose_at(0.0, 0.0, 0.0), 1e-3, first),
                     cases[c].points);
    for (int step = 0; step < 500; ++step) {
      CpsPose pose = cases[c].pose;
      pose.position = cps_vec3_add(pose.position, random_vec(&random, 1e-10));
      pose.rotation = cps_quat_unit(cps_quat_multiply(cps_quat_exp(random_vec(&random, 1e-10)), pose.rotation));
      int count = collide_at(cases[c].geom, pose, floor, pose_at(0.0, 0.0, 0.0), 1e-3, touch);
      assert_int_equal(count, cases[c].points);
      for (int k = 0; k < count; ++k) {
        assert_int_equal(touch[k].feature, first[k].feature);
        assert_below(fabs(touch[k].gap - first[k].gap), 5e-10);
        assert_below(cps_vec3_norm(cps_vec3_sub(touch[k].point_b, first[k].point_b)), 1e-9);
      }
    }
    cps_geom_destroy(cases[c].geom);
  }
  cps_geom_destroy(floor);
}

static double triangle_support(const CpsVec3* t, CpsVec3 n) {
  return fmax(cps_vec3_dot(t[0], n), fmax(cps_vec3_dot(t[1], n), cps_vec3_dot(t[2], n)));
}

// Triangles of all sizes: what is said of a separated shape is its distance, and the normal never looks backwards.
static void random_triangles_are_touched_at_their_distance(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(31);
  int touching = 0;
  for (int round = 0; round < 4000; ++round) {
    CpsGeom* geom = random_geom(&random, 0.5, round % 5);
    CpsPose pose = random_pose(&random, 1.0);
    CpsVec3 t[3];
    const double spread = round % 2 ? 1.0 : 0.2;
    for (int k = 0; k < 3; ++k) t[k] = cps_vec3_add(random_vec(&random, 1.0), random_vec(&random, spread));
    CpsConvex a = cps_convex_geom(geom, &pose), b = cps_convex_triangle(t[0], t[1], t[2]);
    CpsVec3 front = cps_vec3_unit(cps_vec3_cross(cps_vec3_sub(t[1], t[0]), cps_vec3_sub(t[2], t[0])));
    CpsTouch touch[CPS_TOUCH_MAX];
    int count = cps_convex_collide(&a, &b, 0.2, touch);
    assert_touches_are_sound(touch, count, 0.2);
    touching += count > 0;
    if (cps_vec3_dot(front, cps_vec3_sub(cps_pose_apply(pose, geom->centre), t[0])) < 0.0) assert_int_equal(count, 0);
    for (int k = 0; k < count; ++k) {
      const CpsVec3 n = touch[k].normal;
      assert_true(cps_vec3_dot(n, front) >= -1e-12);
      const double along = -support(geom, pose, cps_vec3_scale(-1.0, n)) - triangle_support(t, n);
      assert_true(touch[k].gap >= along - 1e-12);
      if (touch[k].gap > least_gap(touch, count) || touch[k].gap < 1e-6) continue;
      assert_near(touch[k].gap, along, 2e-9);  // the bias in favour of faces
      assert_below(outside(geom, pose, touch[k].point_a), 1e-11);
      assert_near(cps_vec3_dot(front, cps_vec3_sub(touch[k].point_b, t[0])), 0.0, 1e-11);
    }
    cps_geom_destroy(geom);
  }
  assert_in_range(touching, 300, 3000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(awkward_pairs_give_sound_touches),
      cmocka_unit_test(what_rests_keeps_its_features),
      cmocka_unit_test(random_triangles_are_touched_at_their_distance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
