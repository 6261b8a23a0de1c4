// Touches on the way of two colliders against the way itself, walked in small steps: what is cleared does not push, what
// is hit does.
#include "contact/sweep.h"
#include "geometry/surface_helpers.h"

#include <string.h>

enum { SHAPES = 5, WALK = 200 };

static CpsGeom* shapes[SHAPES];
static CpsVec3 lead[CPS_TOUCH_MAX];

static int make_shapes(void** state) {
  (void)state;
  static CpsVec3 points[12];
  CpsRandom random = cps_random_seed(3);
  for (int i = 0; i < 12; i++) points[i] = cps_vec3_scale(0.2, cps_vec3_unit(random_vec(&random, 1.0)));
  shapes[0] = make_geom(cps_sphere(0.15));
  shapes[1] = make_geom(cps_box(cps_vec3(0.2, 0.3, 0.25)));
  shapes[2] = make_geom(cps_capsule(0.1, 0.3));
  shapes[3] = make_geom(cps_cylinder(0.12, 0.2));
  shapes[4] = make_geom(cps_hull(points, 12));
  return 0;
}

static int free_shapes(void** state) {
  (void)state;
  for (int k = 0; k < SHAPES; k++) cps_geom_destroy(shapes[k]);
  return 0;
}

static CpsCollider flying(const CpsGeom* geom, CpsPose pose, CpsVec3 way, CpsVec3 turn) {
  return (CpsCollider){.geom = geom, .pose = pose, .centre = pose.position, .way = way, .turn = turn};
}

static CpsPose flown(const CpsCollider* c, double t) {
  return (CpsPose){cps_vec3_axpy(c->pose.position, t, c->way),
                   cps_quat_multiply(cps_quat_exp(cps_vec3_scale(t, c->turn)), c->pose.rotation)};
}

static CpsVec3 way_of(const CpsCollider* c, CpsVec3 x) {
  return cps_vec3_add(c->way, cps_vec3_cross(c->turn, cps_vec3_sub(x, c->centre)));
}

// The gap that the plane of a touch leaves to the free motion at the end of the step.
static double left(const CpsCollider* a, const CpsCollider* b, const CpsTouch* touch) {
  CpsVec3 d = cps_vec3_sub(way_of(a, touch->point_a), way_of(b, touch->point_b));
  return touch->gap + cps_vec3_dot(touch->normal, d);
}

static double least_left(const CpsCollider* a, const CpsCollider* b, const CpsTouch* touch, int count) {
  double least = INFINITY;
  for (int k = 0; k < count; k++) least = fmin(least, left(a, b, &touch[k]));
  return least;
}

// The least gap of the walk.
static double walked(const CpsCollider* a, const CpsCollider* b) {
  CpsTouch touch[CPS_TOUCH_MAX];
  double least = INFINITY;
  for (int i = 0; i <= WALK; i++) {
    CpsPose pa = flown(a, (double)i / WALK), pb = flown(b, (double)i / WALK);
    least = fmin(least, least_gap(touch, cps_collide(a->geom, &pa, b->geom, &pb, 2.0, touch)));
  }
  return least;
}

// Pairs that fly past and into each other. Returns how many of those that are cleared the plain touches would have pushed.
static int fly(double turning, double slack, int* cleared, int* hit) {
  CpsRandom random = cps_random_seed(17);
  int ghosts = 0;
  for (int i = 0; i < 600; i++) {
    CpsVec3 away = cps_vec3_scale(0.6, cps_vec3_unit(random_vec(&random, 1.0)));
    CpsVec3 goal = cps_vec3_scale(-1.0, cps_vec3_add(away, random_vec(&random, 0.6)));
    CpsPose pose = {away, random_rotation(&random)}, rest = {{0, 0, 0}, random_rotation(&random)};
    CpsCollider a = flying(shapes[i % SHAPES], pose, goal, random_vec(&random, turning));
    CpsCollider b = flying(shapes[i / SHAPES % SHAPES], rest, random_vec(&random, 0.2), random_vec(&random, turning));
    CpsTouch touch[CPS_TOUCH_MAX];
    int count = cps_collide(a.geom, &a.pose, b.geom, &b.pose, 2.0, touch);
    if (count == 0 || least_gap(touch, count) < 1e-3) continue;
    double before = least_left(&a, &b, touch, count), least = walked(&a, &b);
    count = cps_sweep(&a, &b, 2.0, 1e-6, touch, lead, count);
    assert_true(count > 0);
    assert_true(least_gap(touch, count) >= -slack);
    double after = least_left(&a, &b, touch, count);
    if (least > slack) {
      ghosts += before < -1e-3;
      (*cleared)++;
      assert_true(after >= -slack);
    } else if (least < -slack) {
      (*hit)++;
      assert_true(after < 0.0);
    }
  }
  return ghosts;
}

static void what_flies_past_is_not_pushed_and_what_hits_is(void** state) {
  (void)state;
  int cleared = 0, hit = 0;
  // the planes are exact for what does not turn; the walk sees the least gap to a second-order error of its step
  int ghosts = fly(0.0, 1e-4, &cleared, &hit);
  assert_true(cleared > 100 && hit > 100 && ghosts > 40);
}

static void slow_turning_changes_little(void** state) {
  (void)state;
  int cleared = 0, hit = 0;
  // a point 0.25 m from the centre that turns by a tenth of a radian leaves its tangent by 1.2 mm; both turn
  int ghosts = fly(0.1, 4e-3, &cleared, &hit);
  assert_true(cleared > 100 && hit > 100 && ghosts > 40);
}

// A touch that the free motion does not close, or that is closed, stays bit for bit.
static void what_rests_is_left_alone(void** state) {
  (void)state;
  CpsCollider a = flying(shapes[1], pose_at(0, 0, 0.25), cps_vec3(0.3, 0.0, -1e-6), cps_vec3(0, 0, 0));
  CpsCollider b = flying(shapes[1], pose_at(0, 0, 0), cps_vec3(0, 0, 0), cps_vec3(0, 0, 0));
  CpsTouch touch[CPS_TOUCH_MAX], then[CPS_TOUCH_MAX];
  int count = cps_collide(a.geom, &a.pose, b.geom, &b.pose, 0.5, touch);
  memcpy(then, touch, sizeof touch);
  assert_int_equal(cps_sweep(&a, &b, 0.5, 1e-5, touch, lead, count), count);
  assert_memory_equal(then, touch, (size_t)count * sizeof *touch);
}

// By hand: a ball of radius 0.15 comes along x towards the ball of the same radius at the origin, 0.1 beside its centre.
// They meet where the centres are 0.3 apart, with a normal whose sine is a third.
static void balls_meet_with_the_normal_of_the_place_where_they_meet(void** state) {
  (void)state;
  CpsCollider a = flying(shapes[0], pose_at(-1.0, 0.1, 0), cps_vec3(1.5, 0, 0), cps_vec3(0, 0, 0));
  CpsCollider b = flying(shapes[0], pose_at(0, 0, 0), cps_vec3(0, 0, 0), cps_vec3(0, 0, 0));
  CpsTouch touch[CPS_TOUCH_MAX];
  int count = cps_collide(a.geom, &a.pose, b.geom, &b.pose, 2.0, touch);
  count = cps_sweep(&a, &b, 2.0, 1e-9, touch, lead, count);
  assert_int_equal(count, 1);
  const double sine = 0.1 / 0.3, cosine = sqrt(1.0 - sine * sine), run = 1.0 - 0.3 * cosine;
  // Newton's method stops at 1e-10 of the radius
  assert_near(touch[0].normal.y, sine, 1e-9);
  assert_near(touch[0].gap, run * cosine, 1e-9);
}

// A box of triangles, seen from outside.
static CpsGeom* box_of_triangles(CpsVec3 half) {
  static CpsVec3 point[8];
  static const int32_t triangle[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  for (int i = 0; i < 8; i++)
    point[i] = cps_vec3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
  return make_geom(cps_mesh(point, 8, triangle, 12));
}

// The same flights past a mesh: what is cleared is not pushed, what is hit is bounded.
static void meshes_push_only_what_hits_them(void** state) {
  (void)state;
  CpsGeom* mesh = box_of_triangles(cps_vec3(0.1, 0.15, 0.125));
  CpsRandom random = cps_random_seed(29);
  int cleared = 0, hit = 0, ghosts = 0;
  for (int i = 0; i < 400; i++) {
    CpsVec3 away = cps_vec3_scale(0.6, cps_vec3_unit(random_vec(&random, 1.0)));
    CpsVec3 goal = cps_vec3_scale(-1.0, cps_vec3_add(away, random_vec(&random, 0.6)));
    CpsCollider a =
        flying(shapes[i % 3 == 2 ? 2 : 0], (CpsPose){away, random_rotation(&random)}, goal, cps_vec3(0, 0, 0));
    CpsCollider b = flying(mesh, pose_at(0, 0, 0), cps_vec3(0, 0, 0), cps_vec3(0, 0, 0));
    CpsCollider solid = b;
    solid.geom = shapes[1];
    CpsTouch touch[CPS_TOUCH_MAX];
    int count = cps_collide(a.geom, &a.pose, mesh, &b.pose, 2.0, touch);
    double before = least_left(&a, &b, touch, count), least = walked(&a, &solid);
    count = cps_sweep(&a, &b, 2.0, 1e-6, touch, lead, count);
    double after = least_left(&a, &b, touch, count);
    for (int k = 1; k < count; k++) assert_true(touch[k].feature > touch[k - 1].feature);
    if (least > 1e-4) {
      cleared++;
      ghosts += before < -1e-3;
      assert_true(after >= -1e-4);
    } else if (least < -1e-2) {  // a graze is left to the next step
      hit++;
      assert_true(after < 0.0);
    }
  }
  assert_true(cleared > 80 && hit > 80 && ghosts > 20);
  cps_geom_destroy(mesh);
}

// A vertex that slides over a drum of 0.5 m by 5 mm a step has a gap of about 5^2 / 2 R = 0.025 mm and grazes the drum in its
// free motion. Its plane must follow its place: moved outwards by 1e-9 m it keeps its normal, but for rounding. With planes of
// the first contact the normal turned by up to 3.5e-4.
static void normals_of_what_slides_follow_its_place(void** state) {
  (void)state;
  const double R = 0.5, half = 3e-3, way = 5e-3, k = way * way / (2.0 * (R + half)), by = 1e-9;
  CpsGeom *ball = make_geom(cps_sphere(half)), *drum = make_geom(cps_cylinder(R, 6.0));
  const CpsPose still = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
  int pushed = 0;
  for (int i = 0; i < 400; i++) {
    const double gap = k * (i % 20 + 1) / 20.0, fall = -2.0 * sqrt(k * gap) * (0.9 + 0.02 * (i / 20.0));
    CpsVec3 normal[2];
    for (int j = 0; j < 2; j++) {
      const CpsPose pose = {{R + half + gap + j * by, 0.0, 0.1}, {1.0, 0.0, 0.0, 0.0}};
      CpsCollider a = flying(ball, pose, cps_vec3(fall, way, 0.0), still.position);
      CpsCollider b = flying(drum, still, still.position, still.position);
      CpsTouch touch[CPS_TOUCH_MAX];
      a.node = true;
      int count = cps_collide(ball, &a.pose, drum, &b.pose, 0.1, touch);
      assert_int_equal(count, 1);
      pushed += left(&a, &b, touch) < 0.0;
      assert_int_equal(cps_sweep(&a, &b, 0.1, 1e-6, touch, lead, count), 1);
      normal[j] = touch->normal;
    }
    assert_true(cps_vec3_norm(cps_vec3_sub(normal[0], normal[1])) <= 1e-12);
  }
  assert_true(pushed > 400);
  cps_geom_destroy(ball);
  cps_geom_destroy(drum);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_flies_past_is_not_pushed_and_what_hits_is),
      cmocka_unit_test(slow_turning_changes_little),
      cmocka_unit_test(what_rests_is_left_alone),
      cmocka_unit_test(balls_meet_with_the_normal_of_the_place_where_they_meet),
      cmocka_unit_test(meshes_push_only_what_hits_them),
      cmocka_unit_test(normals_of_what_slides_follow_its_place),
  };
  return cmocka_run_group_tests(tests, make_shapes, free_shapes);
}
