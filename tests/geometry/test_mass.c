// Volumes, centres and inertia of solids, closed form.
#include "capstan/shape.h"
#include "convex_helpers.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

static CpsMassProperties mass_of(CpsShape shape, double density) {
  CpsMassProperties mass;
  CpsError error = {0};
  if (cps_shape_mass(&shape, density, &mass, &error) != CPS_OK) fail_msg("%s", error.text);
  return mass;
}

static void assert_no_rotation(CpsQuat q) {
  assert_true(q.w == 1.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0);
}

static void simple_solids_have_their_textbook_inertia(void** state) {
  (void)state;
  CpsMassProperties ball = mass_of(cps_sphere(0.5), 2.0);
  assert_near(ball.volume, pi / 6.0, 1e-15);
  assert_near(ball.mass, pi / 3.0, 1e-15);
  assert_near(ball.inertia.x, 0.4 * ball.mass * 0.25, 1e-16);
  CpsMassProperties box = mass_of(cps_box(cps_vec3(1.0, 2.0, 3.0)), 2.0);
  assert_near(box.mass, 12.0, 1e-14);
  assert_near(box.inertia.x, 13.0, 1e-14);
  assert_near(box.inertia.y, 10.0, 1e-14);
  assert_near(box.inertia.z, 5.0, 1e-14);
  assert_no_rotation(box.principal);
  CpsMassProperties cylinder = mass_of(cps_cylinder(0.5, 2.0), 1.0);
  assert_near(cylinder.mass, pi / 2.0, 1e-15);
  assert_near(cylinder.inertia.x, cylinder.mass * (0.25 / 4.0 + 4.0 / 12.0), 1e-15);
  assert_near(cylinder.inertia.z, cylinder.mass * 0.25 / 2.0, 1e-15);
  assert_no_rotation(cylinder.principal);
}

// A capsule of no length is a ball; a long one is put together from a cylinder and two half balls by Steiner's rule.
static void a_capsule_is_a_cylinder_and_a_ball(void** state) {
  (void)state;
  CpsMassProperties ball = mass_of(cps_sphere(0.3), 1.0), none = mass_of(cps_capsule(0.3, 0.0), 1.0);
  assert_near(none.mass, ball.mass, 1e-16);
  assert_near(none.inertia.x, ball.inertia.x, 1e-16);
  const double r = 0.3, l = 0.8, half = 2.0 / 3.0 * pi * r * r * r;
  CpsMassProperties capsule = mass_of(cps_capsule(r, l), 1.0), cylinder = mass_of(cps_cylinder(r, l), 1.0);
  // half ball: 2/5 m r^2 about the centre of its flat side, 3/8 r to its centre of mass
  const double own = 0.4 * half * r * r - half * (0.375 * r) * (0.375 * r), lever = 0.5 * l + 0.375 * r;
  assert_near(capsule.mass, cylinder.mass + 2.0 * half, 1e-15);
  assert_near(capsule.inertia.x, cylinder.inertia.x + 2.0 * (own + half * lever * lever), 1e-15);
  assert_near(capsule.inertia.z, cylinder.inertia.z + 0.8 * half * r * r, 1e-15);
}

// The corner of a cube: volume 1/6, centre at 1/4, moments 1/80 of a second kind: J_xx = 1/40, J_xy = 1/480 about the
// centre (int x^2 = 1/60, int x y = 1/120 about the corner).
static void a_tetrahedron_has_its_volume_centre_and_inertia(void** state) {
  (void)state;
  const CpsVec3 corner[] = {{5.0, 3.0, 2.0}, {6.0, 3.0, 2.0}, {5.0, 4.0, 2.0}, {5.0, 3.0, 3.0}};
  CpsMassProperties t = mass_of(cps_hull(corner, 4), 1.0);
  assert_near(t.volume, 1.0 / 6.0, 1e-15);
  assert_near(t.centre.x, 5.25, 1e-14);
  assert_near(t.centre.y, 3.25, 1e-14);
  assert_near(t.centre.z, 2.25, 1e-14);
  const double xx = 1.0 / 60.0 - 1.0 / 96.0, xy = 1.0 / 120.0 - 1.0 / 96.0;
  // J = 2 xx on the diagonal and -xy beside it: eigenvalues 2 xx - 2 xy (once) and 2 xx + xy (twice)
  double moment[3] = {t.inertia.x, t.inertia.y, t.inertia.z};
  int single = 0;
  for (int k = 1; k < 3; ++k) {
    if (fabs(moment[k] - (2.0 * xx - 2.0 * xy)) < fabs(moment[single] - (2.0 * xx - 2.0 * xy))) single = k;
  }
  assert_near(moment[single], 2.0 * xx - 2.0 * xy, 1e-16);
  for (int k = 0; k < 3; ++k) {
    if (k != single) assert_near(moment[k], 2.0 * xx + xy, 1e-16);
  }
  // the axis of the single one is the diagonal
  CpsVec3 axis = cps_quat_rotate(t.principal, cps_vec3(single == 0, single == 1, single == 2));
  assert_near(fabs(axis.x + axis.y + axis.z), sqrt(3.0), 1e-13);
}

static void a_hull_weighs_what_the_box_weighs(void** state) {
  (void)state;
  CpsVec3 corner[8];
  for (int k = 0; k < 8; ++k) corner[k] = cps_vec3(k & 1 ? 0.5 : -0.5, k & 2 ? 1.0 : -1.0, k & 4 ? 1.5 : -1.5);
  CpsMassProperties hull = mass_of(cps_hull(corner, 8), 2.0), box = mass_of(cps_box(cps_vec3(1.0, 2.0, 3.0)), 2.0);
  assert_near(hull.mass, box.mass, 1e-13);
  assert_near(hull.inertia.x, box.inertia.x, 1e-13);
  assert_near(hull.inertia.y, box.inertia.y, 1e-13);
  assert_near(hull.inertia.z, box.inertia.z, 1e-13);
  assert_near(cps_vec3_norm(hull.centre), 0.0, 1e-15);
  assert_no_rotation(hull.principal);
}

// Two halves make the whole, wherever the compound's origin is; turned parts are found in the principal axes.
static void a_compound_is_the_sum_of_its_parts(void** state) {
  (void)state;
  CpsShapePart halves[2] = {{cps_box(cps_vec3(1.0, 2.0, 1.5)), {{4.0, 5.0, 6.75}, {0.0, 0.0, 0.0, 0.0}}, 0.0},
                            {cps_box(cps_vec3(1.0, 2.0, 1.5)), {{4.0, 5.0, 5.25}, {2.0, 0.0, 0.0, 0.0}}, 0.0}};
  CpsMassProperties whole = mass_of(cps_box(cps_vec3(1.0, 2.0, 3.0)), 1.0), sum = mass_of(cps_compound(halves, 2), 1.0);
  assert_near(sum.mass, whole.mass, 1e-14);
  assert_near(sum.centre.x, 4.0, 1e-14);
  assert_near(sum.centre.y, 5.0, 1e-14);
  assert_near(sum.centre.z, 6.0, 1e-14);
  assert_near(sum.inertia.x, whole.inertia.x, 1e-13);
  assert_near(sum.inertia.y, whole.inertia.y, 1e-13);
  assert_near(sum.inertia.z, whole.inertia.z, 1e-13);
  assert_no_rotation(sum.principal);

  CpsRandom random = cps_random_seed(4);
  for (int round = 0; round < 50; ++round) {
    CpsPose turn = random_pose(&random, 3.0);
    CpsShapePart turned_halves[2] = {halves[0], halves[1]};
    for (int k = 0; k < 2; ++k) {
      turned_halves[k].pose.rotation = cps_quat_identity();
      turned_halves[k].pose = cps_pose_multiply(turn, turned_halves[k].pose);
    }
    sum = mass_of(cps_compound(turned_halves, 2), 1.0);
    // R diag(J) R^T is the tensor of the box, turned: compare its action on vectors
    CpsVec3 w = random_vec(&random, 1.0), own = cps_quat_rotate_back(sum.principal, w);
    CpsVec3 left =
        cps_quat_rotate(sum.principal, cps_vec3(own.x * sum.inertia.x, own.y * sum.inertia.y, own.z * sum.inertia.z));
    own = cps_quat_rotate_back(turn.rotation, w);
    CpsVec3 right = cps_quat_rotate(
        turn.rotation, cps_vec3(own.x * whole.inertia.x, own.y * whole.inertia.y, own.z * whole.inertia.z));
    assert_below(cps_vec3_norm(cps_vec3_sub(left, right)), 1e-12);  // levers of 10 m, squared
    assert_near(cps_quat_norm(sum.principal), 1.0, 1e-15);
  }
}

static void what_has_no_mass_is_refused(void** state) {
  (void)state;
  CpsMassProperties mass = {.mass = -7.0};
  CpsError error;
  CpsShape plane = cps_plane(), ball = cps_sphere(1.0), nothing = {0}, flat = cps_box(cps_vec3(1.0, 0.0, 1.0));
  assert_int_equal(cps_shape_mass(&plane, 1.0, &mass, &error), CPS_BAD_DATA);
  assert_true(strlen(error.text) > 0);
  assert_int_equal(cps_shape_mass(&ball, 0.0, &mass, &error), CPS_BAD_DATA);
  assert_int_equal(cps_shape_mass(&ball, NAN, &mass, &error), CPS_BAD_DATA);
  assert_int_equal(cps_shape_mass(&ball, INFINITY, &mass, NULL), CPS_BAD_DATA);
  assert_int_equal(cps_shape_mass(&nothing, 1.0, &mass, &error), CPS_BAD_DATA);
  assert_int_equal(cps_shape_mass(&flat, 1.0, &mass, &error), CPS_BAD_DATA);
  assert_int_equal(cps_shape_mass(NULL, 1.0, &mass, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_shape_mass(&ball, 1.0, NULL, &error), CPS_BAD_ARGUMENT);
  // a ball so large or so small that its inertia is not a number
  CpsShape huge = cps_sphere(1e100), tiny = cps_sphere(1e-100);
  assert_int_equal(cps_shape_mass(&huge, 1.0, &mass, &error), CPS_BAD_DATA);
  assert_int_equal(cps_shape_mass(&tiny, 1.0, &mass, &error), CPS_BAD_DATA);
  assert_true(mass.mass == -7.0);  // untouched
}

// Two unit cubes side by side, one twice as dense: the centre is a third of the way, the moments follow from Steiner.
static void parts_have_their_own_densities(void** state) {
  (void)state;
  CpsShapePart parts[2] = {{cps_box(cps_vec3(1.0, 1.0, 1.0)), {.position = {0.0, 0.0, 0.0}}, 2000.0},
                           {cps_box(cps_vec3(1.0, 1.0, 1.0)), {.position = {1.0, 0.0, 0.0}}, 0.0}};
  CpsMassProperties m = mass_of(cps_compound(parts, 2), 1000.0);
  assert_near(m.mass, 3000.0, 1e-9);
  assert_near(m.volume, 2.0, 1e-12);
  assert_near(m.centre.x, 1.0 / 3.0, 1e-12);
  assert_near(m.inertia.x, 3000.0 / 6.0, 1e-9);
  assert_near(m.inertia.y, 3000.0 / 6.0 + 2000.0 / 9.0 + 4000.0 / 9.0, 1e-9);
  parts[0].density = -1.0;
  CpsError error;
  CpsShape shape = cps_compound(parts, 2);
  assert_int_equal(cps_shape_check(&shape, &error), CPS_BAD_DATA);
  assert_string_equal(error.text, "compound.parts[0].density: -1 is not positive and finite");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(simple_solids_have_their_textbook_inertia),
      cmocka_unit_test(a_capsule_is_a_cylinder_and_a_ball),
      cmocka_unit_test(a_tetrahedron_has_its_volume_centre_and_inertia),
      cmocka_unit_test(a_hull_weighs_what_the_box_weighs),
      cmocka_unit_test(a_compound_is_the_sum_of_its_parts),
      cmocka_unit_test(what_has_no_mass_is_refused),
      cmocka_unit_test(parts_have_their_own_densities),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
