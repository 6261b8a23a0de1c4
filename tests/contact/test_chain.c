// Joined pieces: each local minimum of the distance of two polylines is one touch, each vertex on something flat is one.
#include "chains.h"

#include <stdlib.h>

#include "geometry/surface_helpers.h"

typedef struct Pair {
  Chain a, b;
  CpsCollider colliders[2 * CHAIN_MOST];
  CpsDetector* detector;
  const CpsColliderTouch* found;
  int32_t count;
} Pair;

// Touches of two chains within a reach.
static void detect(Pair* pair, double reach) {
  offer(&pair->a, 0, 0.5 * reach, 0.0, pair->colliders);
  offer(&pair->b, 1, 0.5 * reach, 0.0, pair->colliders + pair->a.pieces);
  assert_true(cps_detect(pair->detector, pair->colliders, pair->a.pieces + pair->b.pieces, 0.0, NULL, &pair->found,
                         &pair->count));
}

static double arc_on(const Pair* pair, const CpsColliderTouch* found, int side) {
  return cps_chain_arc(&pair->colliders[side == 0 ? found->a : found->b], &found->touch, side);
}

static CpsVec3 random_in(CpsRandom* random, double size) {
  const double x = cps_random_uniform(random), y = cps_random_uniform(random), z = cps_random_uniform(random);
  return cps_vec3(size * (x - 0.5), size * (y - 0.5), size * (z - 0.5));
}

// A chain that wanders about the direction it began with.
static Chain random_chain(CpsRandom* random, int32_t pieces, double radius, double bend) {
  CpsVec3 points[CHAIN_MOST + 1];
  CpsVec3 u = cps_vec3_unit(random_in(random, 2.0));
  points[0] = cps_vec3_axpy(random_in(random, 0.5), -0.05 * pieces, u);
  for (int32_t i = 1; i <= pieces; i++) {
    u = cps_vec3_unit(cps_vec3_add(u, random_in(random, bend)));
    points[i] = cps_vec3_axpy(points[i - 1], 0.1 * (0.5 + cps_random_uniform(random)), u);
  }
  return chain_of(points, pieces, radius);
}

enum { NEAREST = 4 };  // feature of nearest points; 0 … 3: ends of a common part (round.c)

// How many of the touches are at (s, t) with the distance d.
static int touches_at(const Pair* pair, double s, double t, double d, double near) {
  int count = 0;
  for (int32_t i = 0; i < pair->count; i++) {
    const CpsColliderTouch* f = &pair->found[i];
    const double off = hypot(arc_on(pair, f, 0) - s, arc_on(pair, f, 1) - t);
    count += off <= near &&
             fabs(f->touch.gap + pair->a.radius + pair->b.radius - d) <= 1e-5 * (pair->a.radius + pair->b.radius);
  }
  return count;
}

// Every local minimum of the grid, followed down, is a touch. Along nearly parallel pieces the minimum is flat: the touch
// may be anywhere within the part that is as near (to 1e-5 of the radii), never farther than a piece.
static int check_minima(const Pair* pair, double reach) {
  enum { GRID = 120 };
  static double d[GRID + 1][GRID + 1];
  const Chain *a = &pair->a, *b = &pair->b;
  const double la = chain_length(a) / GRID, lb = chain_length(b) / GRID;
  int minima = 0;
  for (int i = 0; i <= GRID; i++) {
    for (int j = 0; j <= GRID; j++)
      d[i][j] = chain_distance(a, b, fmin(i * la, chain_length(a)), fmin(j * lb, chain_length(b)));
  }
  for (int i = 0; i <= GRID; i++) {
    for (int j = 0; j <= GRID; j++) {
      bool least = true;
      for (int k = i > 0 ? i - 1 : 0; k <= (i < GRID ? i + 1 : GRID); k++) {
        for (int l = j > 0 ? j - 1 : 0; l <= (j < GRID ? j + 1 : GRID); l++) least = least && d[k][l] >= d[i][j];
      }
      double s = fmin(i * la, chain_length(a)), t = fmin(j * lb, chain_length(b));
      if (!least) continue;
      const double distance = descend(a, b, 0.5 * fmin(la, lb), &s, &t);
      if (!(distance - a->radius - b->radius <= reach - 1e-9)) continue;
      minima++;
      if (touches_at(pair, s, t, distance, 0.1) == 0) {
        print_error("no touch at the minimum (%g, %g), distance %g\n", s, t, distance);
        fail();
      }
    }
  }
  return minima;
}

// Nearest points that were kept are minima: no direction leads down by more than the narrow phase's millionth of the radii.
static void check_kept(const Pair* pair) {
  const double radii = pair->a.radius + pair->b.radius;
  for (int32_t i = 0; i < pair->count; i++) {
    const CpsColliderTouch* f = &pair->found[i];
    double s = arc_on(pair, f, 0), t = arc_on(pair, f, 1);
    assert_near(chain_distance(&pair->a, &pair->b, s, t), f->touch.gap + radii, 1e-12);
    for (int32_t k = 0; k < i; k++) {
      const double off = hypot(arc_on(pair, &pair->found[k], 0) - s, arc_on(pair, &pair->found[k], 1) - t);
      assert_true(off > 1e-9);
    }
    if (f->touch.feature != NEAREST) continue;
    const double from = f->touch.gap + radii;
    assert_true(descend(&pair->a, &pair->b, 1e-4, &s, &t) >= from - 3e-6 * radii ||
                hypot(s - arc_on(pair, f, 0), t - arc_on(pair, f, 1)) > 0.2);
  }
}

static void every_local_minimum_of_two_random_chains_is_one_touch(void** state) {
  (void)state;
  static Pair pair;
  pair.detector = cps_detector_create();
  CpsRandom random = cps_random_seed(11);
  int minima = 0, kept = 0, all = 0;
  for (int scene = 0; scene < 600; scene++) {
    const double bend = scene % 3 == 0 ? 0.2 : scene % 3 == 1 ? 0.8 : 2.0, reach = 0.15;
    pair.a = random_chain(&random, 8 + scene % 7, 0.03, bend);
    pair.b = random_chain(&random, 6 + scene % 5, 0.05, bend);
    detect(&pair, reach);
    minima += check_minima(&pair, reach);
    check_kept(&pair);
    kept += pair.count;
    for (int32_t i = 0; i < pair.a.pieces + pair.b.pieces; i++) pair.colliders[i].joined = 0;
    assert_true(
        cps_detect(pair.detector, pair.colliders, pair.a.pieces + pair.b.pieces, 0.0, NULL, &pair.found, &pair.count));
    all += pair.count;
  }
  assert_true(minima > 100);    // the scenes do touch
  assert_true(2 * kept < all);  // and without ownership most touches would be there twice or oftener
  cps_detector_destroy(pair.detector);
}

// Two sharp bends that point at each other, the vertices exactly opposite, turned in all directions: rounding puts the
// minimum on this or that side of the vertices, and in no case is it lost or doubled.
static void a_minimum_at_the_vertices_of_both_is_kept_once_whatever_the_rounding(void** state) {
  (void)state;
  static Pair pair;
  pair.detector = cps_detector_create();
  CpsRandom random = cps_random_seed(12);
  for (int scene = 0; scene < 2000; scene++) {
    const double up = scene % 2 == 0 ? 0.0 : 0.3 * cps_random_uniform(&random);
    const double down = scene % 4 < 2 ? 0.0 : 0.3 * cps_random_uniform(&random);
    const double turn = 0.6 + 0.9 * cps_random_uniform(&random);  // more than 30 degrees, less than a right angle
    const CpsVec3 u = {cos(turn), sin(turn), 0.0};
    CpsVec3 a[5], b[5];
    for (int k = 0; k < 5; k++) {
      const int x = k - 2;
      a[k] = cps_vec3(0.3 * x, 0.0, 0.1 + up * abs(x));
      b[k] = cps_vec3(0.3 * x * u.x, 0.3 * x * u.y, -down * abs(x));
    }
    const CpsPose pose = random_pose(&random, 3.0);
    for (int k = 0; k < 5; k++) {
      a[k] = cps_pose_apply(pose, a[k]);
      b[k] = cps_pose_apply(pose, b[k]);
    }
    pair.a = chain_of(a, 4, 0.04);
    pair.b = chain_of(b, 4, 0.05);
    detect(&pair, 0.05);
    assert_int_equal(pair.count, 1);
    assert_near(arc_on(&pair, &pair.found[0], 0), 2.0 * chain_length(&pair.a) / 4.0, 1e-6);
    assert_near(arc_on(&pair, &pair.found[0], 1), 2.0 * chain_length(&pair.b) / 4.0, 1e-6);
  }
  cps_detector_destroy(pair.detector);
}

// A crossing that moves along one chain by a thousandth of a piece per step is one touch at every step, also over vertices.
static void a_crossing_slides_over_vertices_as_one_touch(void** state) {
  (void)state;
  static Pair pair;
  pair.detector = cps_detector_create();
  CpsVec3 a[9], b[2];
  for (int k = 0; k < 9; k++) a[k] = cps_vec3(0.1 * k, 0.0, 0.002 * k * k);
  pair.a = chain_of(a, 8, 0.01);
  for (int step = 0; step <= 6000; step++) {
    const double x = 0.1 + 1e-4 * step;
    const CpsVec3 over = chain_at(&pair.a, x);
    b[0] = cps_vec3(over.x, -0.35, over.z - 0.018);
    b[1] = cps_vec3(over.x, 0.3, over.z - 0.018);
    pair.b = chain_of(b, 1, 0.01);
    detect(&pair, 0.01);
    assert_int_equal(pair.count, 1);
    assert_near(arc_on(&pair, &pair.found[0], 0), x, 0.01);
  }
  cps_detector_destroy(pair.detector);
}

// Side by side, pieces of one chain shifted against those of the other: one touch at each vertex of either.
static void chains_along_each_other_touch_once_at_each_vertex(void** state) {
  (void)state;
  static Pair pair;
  pair.detector = cps_detector_create();
  CpsRandom random = cps_random_seed(13);
  for (int scene = 0; scene < 300; scene++) {
    enum { N = 10 };
    const double shift = scene % 3 == 0 ? 0.0 : scene % 3 == 1 ? 0.037 : 0.08;
    const CpsPose pose = scene == 0 ? pose_at(0, 0, 0) : random_pose(&random, 1.0);
    const bool back = scene % 2 == 1;
    CpsVec3 a[N + 1], b[N + 1];
    for (int k = 0; k <= N; k++) {
      a[k] = cps_pose_apply(pose, cps_vec3(0.1 * k, 0.0, 0.0));
      b[k] = cps_pose_apply(pose, cps_vec3(back ? 0.1 * (N - k) + shift : 0.1 * k + shift, 0.021, 0.0));
    }
    pair.a = chain_of(a, N, 0.01);
    pair.b = chain_of(b, N, 0.01);
    detect(&pair, 0.002);
    // the common part [shift, 1] has N vertices of each, N + 1 where they coincide
    assert_int_equal(pair.count, shift > 0.0 ? 2 * N : N + 1);
    for (int32_t i = 0; i < pair.count; i++) assert_near(pair.found[i].touch.gap, 0.001, 1e-12);
    check_kept(&pair);
  }
  cps_detector_destroy(pair.detector);
}

// On a plane, on a box and on a mesh each vertex of a chain that lies there touches once.
static void a_chain_that_lies_flat_touches_once_at_each_vertex(void** state) {
  (void)state;
  enum { N = 12 };
  const CpsVec3 square[5] = {{-2, -2, 0}, {2, -2, 0}, {2, 2, 0}, {-2, 2, 0}, {0.013, 0.017, 0}};
  const int32_t triangles[12] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
  CpsGeom* ground[3] = {make_geom(cps_plane()), make_geom(cps_box(cps_vec3(4, 4, 1))),
                        make_geom(cps_mesh(square, 5, triangles, 4))};
  const double height[3] = {0.0, -0.5, 0.0};
  CpsDetector* detector = cps_detector_create();
  for (int g = 0; g < 3; g++) {
    CpsVec3 points[N + 1];
    for (int k = 0; k <= N; k++) points[k] = cps_vec3(-0.5 + 0.1 * k, 0.1 * sin(0.9 * k), 0.02);
    Chain chain = chain_of(points, N, 0.02);
    CpsCollider colliders[N + 1];
    offer(&chain, 0, 1e-3, 0.0, colliders);
    colliders[N] =
        (CpsCollider){.geom = ground[g], .pose = pose_at(0, 0, height[g]), .key = UINT64_C(1) << 63, .owner = -1};
    const CpsColliderTouch* found = NULL;
    int32_t count = 0;
    assert_true(cps_detect(detector, colliders, N + 1, 0.0, NULL, &found, &count));
    bool seen[N + 1] = {false};
    for (int32_t i = 0; i < count; i++) {
      assert_near(found[i].touch.gap, 0.0, 1e-12);
      const double s = cps_chain_arc(&colliders[found[i].a], &found[i].touch, 0);
      int k = 0;
      while (k < N && fabs(chain.arc[k] - s) > 1e-9) k++;
      if (g == 2 && fabs(chain.arc[k] - s) > 1e-9) continue;  // where a piece crosses an edge of the mesh
      assert_near(chain.arc[k], s, 1e-9);
      assert_false(seen[k]);
      seen[k] = true;
    }
    for (int k = 0; k <= N; k++) assert_true(seen[k]);
    if (g < 2) assert_int_equal(count, N + 1);
  }
  cps_detector_destroy(detector);
  for (int g = 0; g < 3; g++) cps_geom_destroy(ground[g]);
}

// A ball on a chain, also the other way round in the order of colliders: it rests on one or two pieces, and rolling along it
// never loses them.
static void a_ball_rolls_along_a_chain_without_losing_it(void** state) {
  (void)state;
  enum { N = 8 };
  CpsGeom* ball = make_geom(cps_sphere(0.2));
  CpsVec3 points[N + 1];
  for (int k = 0; k <= N; k++) points[k] = cps_vec3(0.1 * k, 0.0, 0.0);
  Chain chain = chain_of(points, N, 0.02);
  CpsDetector* detector = cps_detector_create();
  for (int step = 0; step <= 8000; step++) {
    const double x = 1e-4 * step;
    for (int first = 0; first < 2; first++) {
      CpsCollider colliders[N + 1];
      offer(&chain, first, 1e-3, 0.0, colliders + first);
      colliders[first ? 0 : N] = (CpsCollider){.geom = ball, .pose = pose_at(x, 0, 0.22), .owner = 1 - first};
      const CpsColliderTouch* found = NULL;
      int32_t count = 0;
      assert_true(cps_detect(detector, colliders, N + 1, 0.0, NULL, &found, &count));
      assert_int_equal(count, 1);
      assert_near(found[0].touch.gap, 0.0, 1e-12);
      const double s = cps_chain_arc(&colliders[first ? found[0].b : found[0].a], &found[0].touch, first);
      assert_near(s, x, 1e-3);
    }
  }
  cps_detector_destroy(detector);
  cps_geom_destroy(ball);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_local_minimum_of_two_random_chains_is_one_touch),
      cmocka_unit_test(a_minimum_at_the_vertices_of_both_is_kept_once_whatever_the_rounding),
      cmocka_unit_test(a_crossing_slides_over_vertices_as_one_touch),
      cmocka_unit_test(chains_along_each_other_touch_once_at_each_vertex),
      cmocka_unit_test(a_chain_that_lies_flat_touches_once_at_each_vertex),
      cmocka_unit_test(a_ball_rolls_along_a_chain_without_losing_it),
  };
  return cmocka_run_group_tests_name("contact/chain", tests, NULL, NULL);
}
