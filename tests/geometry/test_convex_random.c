// Random pairs of convex shapes: every gap is certified by the support functions of the two shapes, and checked against
// a search over directions; gaps move no faster than the shapes; rigid motions and the order of the pair change nothing.
#include "support.h"

enum { KINDS = 7 };

static void make_kinds(CpsGeom** geom) {
  CpsRandom random = cps_random_seed(11);
  CpsVec3 cloud[30];
  for (int k = 0; k < 30; ++k) cloud[k] = cps_vec3_scale(0.5, cps_vec3_unit(random_vec(&random, 1.0)));
  const CpsVec3 wedge[] = {{-0.4, -0.3, -0.2}, {0.5, -0.3, -0.2}, {-0.4, 0.4, -0.2},
                           {0.5, 0.4, -0.2},   {-0.4, -0.3, 0.4}, {-0.4, 0.4, 0.4}};
  geom[0] = make_geom(cps_sphere(0.4));
  geom[1] = make_geom(cps_capsule(0.2, 0.7));
  geom[2] = make_geom(cps_cylinder(0.35, 0.8));
  geom[3] = make_geom(cps_box(cps_vec3(1.0, 0.6, 0.3)));
  geom[4] = make_geom(cps_hull(wedge, 6));
  geom[5] = make_geom(cps_hull(cloud, 30));
  geom[6] = make_geom(cps_cylinder(0.6, 0.1));
}

static void free_kinds(CpsGeom** geom) {
  for (int k = 0; k < KINDS; ++k) cps_geom_destroy(geom[k]);
}

// The pairs that cps_convex_collide() is for: at least one has a face.
static bool ours(int i, int j) {
  return i > 1 || j > 1;
}

// Moves a along the line of centres until the separation is about `gap`, a random pose to begin with.
static void place_near(CpsGeom* const* geom, int i, int j, double gap, CpsRandom* random, CpsPose* pose_a,
                       CpsPose* pose_b) {
  *pose_b = random_pose(random, 1.0);
  CpsVec3 n = cps_vec3_unit(random_vec(random, 1.0));
  *pose_a = (CpsPose){cps_vec3_axpy(pose_b->position, 3.0, n), random_rotation(random)};
  for (int k = 0; k < 3; ++k) {
    double s = search_separation(geom[i], *pose_a, geom[j], *pose_b, random, 30);
    CpsVec3 towards = cps_vec3_unit(cps_vec3_sub(pose_b->position, pose_a->position));
    pose_a->position = cps_vec3_axpy(pose_a->position, s - gap, towards);
  }
}

static void gaps_are_distances_and_depths(void** state) {
  (void)state;
  CpsGeom* geom[KINDS];
  make_kinds(geom);
  CpsRandom random = cps_random_seed(3);
  const double margin = 0.1;
  for (int i = 0; i < KINDS; ++i) {
    for (int j = 0; j < KINDS; ++j) {
      for (int round = 0; ours(i, j) && round < 24; ++round) {
        CpsPose pose_a, pose_b;
        CpsTouch touch[CPS_TOUCH_MAX];
        place_near(geom, i, j, 0.09 - 0.01 * round, &random, &pose_a, &pose_b);
        int count = collide_at(geom[i], pose_a, geom[j], pose_b, margin, touch);
        assert_touches_are_sound(touch, count, margin);
        double searched = search_separation(geom[i], pose_a, geom[j], pose_b, &random, 300);
        if (count == 0) {
          assert_true(searched > margin - 1e-6);  // the search stops at steps of 1e-8
          continue;
        }
        double gap = least_gap(touch, count);
        // the bias of 1e-9 in favour of faces
        assert_true(gap >= searched - 2e-9);
        for (int k = 0; k < count; ++k) {
          // no direction says more than the normal of the touches: the lowest gap is the separation along it
          assert_true(touch[k].gap >= separation(geom[i], pose_a, geom[j], pose_b, touch[k].normal) - 1e-12);
          if (touch[k].gap > gap) continue;
          assert_near(separation(geom[i], pose_a, geom[j], pose_b, touch[k].normal), gap, 2e-9);
          if (gap < 1e-6) continue;
          // and points of the two shapes are as near as that: it is the distance
          assert_below(outside(geom[i], pose_a, touch[k].point_a), 1e-12);
          assert_below(outside(geom[j], pose_b, touch[k].point_b), 1e-12);
        }
      }
    }
  }
  free_kinds(geom);
}

static void gaps_move_no_faster_than_the_shapes(void** state) {
  (void)state;
  CpsGeom* geom[KINDS];
  make_kinds(geom);
  CpsRandom random = cps_random_seed(5);
  for (int i = 0; i < KINDS; ++i) {
    for (int j = 0; j < KINDS; ++j) {
      for (int round = 0; ours(i, j) && round < 12; ++round) {
        CpsPose pose_a, pose_b;
        CpsTouch touch[CPS_TOUCH_MAX];
        place_near(geom, i, j, 0.08 - 0.01 * round, &random, &pose_a, &pose_b);
        int count = collide_at(geom[i], pose_a, geom[j], pose_b, 0.2, touch);
        double before = least_gap(touch, count);
        for (int step = 0; step < 50; ++step) {
          const double size = step < 25 ? 1e-4 : 1e-7;
          CpsVec3 move = random_vec(&random, size), turn = random_vec(&random, size);
          pose_a.position = cps_vec3_add(pose_a.position, move);
          pose_a.rotation = cps_quat_unit(cps_quat_multiply(cps_quat_exp(turn), pose_a.rotation));
          count = collide_at(geom[i], pose_a, geom[j], pose_b, 0.2, touch);
          assert_true(count > 0);
          double after = least_gap(touch, count);
          double motion = cps_vec3_norm(move) + cps_vec3_norm(turn) * geom[i]->outer_radius;
          assert_below(fabs(after - before), motion + 1e-12);
          before = after;
        }
      }
    }
  }
  free_kinds(geom);
}

static void a_common_motion_and_the_order_change_nothing(void** state) {
  (void)state;
  CpsGeom* geom[KINDS];
  make_kinds(geom);
  CpsRandom random = cps_random_seed(9);
  for (int i = 0; i < KINDS; ++i) {
    for (int j = 0; j < KINDS; ++j) {
      for (int round = 0; ours(i, j) && round < 12; ++round) {
        CpsPose pose_a, pose_b, motion = random_pose(&random, 1.0);
        CpsTouch touch[CPS_TOUCH_MAX], moved[CPS_TOUCH_MAX], swapped[CPS_TOUCH_MAX];
        place_near(geom, i, j, 0.02 - 0.004 * round, &random, &pose_a, &pose_b);
        int count = collide_at(geom[i], pose_a, geom[j], pose_b, 0.05, touch);
        int again = collide_at(geom[i], cps_pose_multiply(motion, pose_a), geom[j], cps_pose_multiply(motion, pose_b),
                               0.05, moved);
        assert_int_equal(count, again);
        for (int k = 0; k < count; ++k) {
          // rounding of coordinates of the order 1, a few operations
          assert_near(moved[k].gap, touch[k].gap, 1e-12);
          assert_int_equal(moved[k].feature, touch[k].feature);
          CpsVec3 n = cps_quat_rotate(motion.rotation, touch[k].normal);
          assert_below(cps_vec3_norm(cps_vec3_sub(n, moved[k].normal)), 1e-9);
        }
        again = collide_at(geom[j], pose_b, geom[i], pose_a, 0.05, swapped);
        assert_int_equal(again > 0, count > 0);
        if (count > 0) assert_near(least_gap(swapped, again), least_gap(touch, count), 1e-12);
        for (int k = 0; k < again; ++k)
          assert_below(cps_vec3_norm(cps_vec3_add(swapped[k].normal, touch[0].normal)), 1e-9);
      }
    }
  }
  free_kinds(geom);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gaps_are_distances_and_depths),
      cmocka_unit_test(gaps_move_no_faster_than_the_shapes),
      cmocka_unit_test(a_common_motion_and_the_order_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
