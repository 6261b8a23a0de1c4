// Nearest points of vertices, edges and triangles: closed forms, a search that knows nothing of features, exact
// symmetry.
#include "geometry/triangle_pairs.h"

#include <string.h>

#include "core/random.h"
#include "test_helpers.h"

static CpsVec3 random_point(CpsRandom* random, double size) {
  const double x = cps_random_uniform(random), y = cps_random_uniform(random), z = cps_random_uniform(random);
  return cps_vec3(size * (2.0 * x - 1.0), size * (2.0 * y - 1.0), size * (2.0 * z - 1.0));
}

static CpsVec3 weighted(const CpsVec3* x, const double weight[3], int count) {
  CpsVec3 sum = {0.0, 0.0, 0.0};
  for (int k = 0; k < count; ++k) sum = cps_vec3_axpy(sum, weight[k], x[k]);
  return sum;
}

// What every answer must be.
static void check_sound(const CpsClosest* c, const CpsVec3* a, int count_a, const CpsVec3* b, int count_b,
                        double size) {
  double sum_a = 0.0, sum_b = 0.0;
  for (int k = 0; k < 3; ++k) {
    assert_true(c->weight_a[k] >= 0.0 && c->weight_b[k] >= 0.0);
    assert_int_equal((c->feature_a >> k) & 1, c->weight_a[k] > 0.0);
    assert_int_equal((c->feature_b >> k) & 1, c->weight_b[k] > 0.0);
    sum_a += c->weight_a[k];
    sum_b += c->weight_b[k];
  }
  assert_near(sum_a, 1.0, 1e-15);
  assert_near(sum_b, 1.0, 1e-15);
  assert_near(cps_vec3_norm(c->normal), 1.0, 1e-15);
  const CpsVec3 gap = cps_vec3_sub(weighted(a, c->weight_a, count_a), weighted(b, c->weight_b, count_b));
  // p_a = p_b + distance normal, within rounding of the coordinates
  assert_below(cps_vec3_norm(cps_vec3_axpy(gap, -c->distance, c->normal)), 4e-15 * size);
}

static void a_vertex_is_nearest_to_the_face_an_edge_or_a_corner(void** state) {
  (void)state;
  const CpsVec3 t[3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
  static const struct {
    CpsVec3 p, normal;
    double distance, weight[3];
    int feature;
  } CASES[] = {
      {{1, 1, 2}, {0, 0, 1}, 2.0, {0.5, 0.25, 0.25}, 7},
      {{1, 1, -2}, {0, 0, -1}, 2.0, {0.5, 0.25, 0.25}, 7},
      {{1, -3, 4}, {0, -0.6, 0.8}, 5.0, {0.75, 0.25, 0}, 3},
      {{-3, 2, -4}, {-0.6, 0, -0.8}, 5.0, {0.5, 0, 0.5}, 5},
      {{2 + 3, 2 + 3, 0}, {0.70710678118654757, 0.70710678118654757, 0}, 3.0 * 1.4142135623730951, {0, 0.5, 0.5}, 6},
      {{-3, -4, 0}, {-0.6, -0.8, 0}, 5.0, {1, 0, 0}, 1},
      {{7, 0, 4}, {0.6, 0, 0.8}, 5.0, {0, 1, 0}, 2},
      {{0, 10, 8}, {0, 0.6, 0.8}, 10.0, {0, 0, 1}, 4},
      {{1, 1, 0}, {0, 0, 1}, 0.0, {0.5, 0.25, 0.25}, 7},  // touches: the normal of the triangle
      {{4, 0, 0}, {0, 0, 1}, 0.0, {0, 1, 0}, 2},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
    const CpsClosest c = cps_closest_vertex_triangle(CASES[i].p, t);
    assert_near(c.distance, CASES[i].distance, 1e-15 * 10.0);
    assert_int_equal(c.feature_a, 1);
    assert_int_equal(c.feature_b, CASES[i].feature);
    assert_below(cps_vec3_norm(cps_vec3_sub(c.normal, CASES[i].normal)), 1e-15);
    for (int k = 0; k < 3; ++k) assert_near(c.weight_b[k], CASES[i].weight[k], 1e-15);
  }
}

static void edges_are_nearest_where_they_cross_at_ends_or_in_the_middle_of_what_they_share(void** state) {
  (void)state;
  static const struct {
    CpsVec3 a[2], b[2], normal;
    double distance, s, t;
    int feature_a, feature_b;
    bool parallel;
  } CASES[] = {
      {{{-1, 0, 1}, {3, 0, 1}}, {{0, -1, 0}, {0, 1, 0}}, {0, 0, 1}, 1.0, 0.25, 0.5, 3, 3, false},
      {{{3, 0, 4}, {5, 0, 4}}, {{0, -1, 0}, {0, 1, 0}}, {0.6, 0, 0.8}, 5.0, 0.0, 0.5, 1, 3, false},
      {{{1, 2, 2}, {5, 2, 2}}, {{0, -1, 0}, {0, 0, 0}}, {1 / 3.0, 2 / 3.0, 2 / 3.0}, 3.0, 0.0, 1.0, 1, 2, false},
      {{{0, 0, 1}, {4, 0, 1}}, {{2, 0, 0}, {8, 0, 0}}, {0, 0, 1}, 1.0, 0.75, 1 / 6.0, 3, 3, true},
      {{{0, 0, 1}, {4, 0, 1}}, {{8, 0, 0}, {2, 0, 0}}, {0, 0, 1}, 1.0, 0.75, 5 / 6.0, 3, 3, true},
      {{{0, 0, 0}, {1, 0, 0}}, {{3, 0, 0}, {9, 0, 0}}, {-1, 0, 0}, 2.0, 1.0, 0.0, 2, 1, false},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
    const CpsClosest c = cps_closest_edge_edge(CASES[i].a, CASES[i].b);
    assert_near(c.distance, CASES[i].distance, 1e-15);
    assert_near(c.weight_a[1], CASES[i].s, 1e-15);
    assert_near(c.weight_b[1], CASES[i].t, 1e-15);
    assert_int_equal(c.feature_a, CASES[i].feature_a);
    assert_int_equal(c.feature_b, CASES[i].feature_b);
    assert_int_equal(c.parallel, CASES[i].parallel);
    assert_below(cps_vec3_norm(cps_vec3_sub(c.normal, CASES[i].normal)), 1e-15);
  }
  // they touch: the normal is at right angles to both
  const CpsVec3 a[2] = {{-1, 0, 0}, {1, 0, 0}}, b[2] = {{0, -1, 0}, {0, 2, 0}};
  const CpsClosest c = cps_closest_edge_edge(a, b);
  assert_true(c.distance == 0.0 && fabs(c.normal.z) == 1.0);
}

// Distance of p to x0 + s d + (1 - s) t e by nested searches of a convex function; thirds for the inner one.
static double searched(CpsVec3 p, CpsVec3 d, CpsVec3 e, bool triangle) {
  double low = 0.0, high = 1.0, best = INFINITY;
  for (int i = 0; i < 100; ++i) {
    double value[2];
    for (int side = 0; side < 2; ++side) {
      const double s = side == 0 ? low + (high - low) / 3.0 : high - (high - low) / 3.0;
      const CpsVec3 r = cps_vec3_axpy(p, -s, d);
      const double most = triangle ? 1.0 - s : 1.0, ee = cps_vec3_dot(e, e);
      double t = ee > 0.0 ? cps_vec3_dot(e, r) / ee : 0.0;
      t = t < 0.0 ? 0.0 : t > most ? most : t;
      value[side] = cps_vec3_norm(cps_vec3_axpy(r, -t, e));
      best = fmin(best, value[side]);
    }
    if (value[0] < value[1]) {
      high -= (high - low) / 3.0;
    } else {
      low += (high - low) / 3.0;
    }
  }
  return best;
}

// Random, flattened to a plane, a line or a point, and thin ones.
static void draw(CpsRandom* random, CpsVec3 x[4]) {
  for (int k = 0; k < 4; ++k) x[k] = random_point(random, 1.0);
  const uint32_t kind = cps_random_u32(random) % 8;
  const CpsVec3 along = random_point(random, 1.0);
  if (kind == 0) x[3] = x[2];
  if (kind == 1) x[3] = cps_vec3_axpy(x[2], cps_random_uniform(random), cps_vec3_sub(x[1], x[2]));
  if (kind == 2) x[1] = x[2] = x[3];
  if (kind == 3) {
    for (int k = 0; k < 4; ++k) x[k] = cps_vec3_scale(2.0 * cps_random_uniform(random) - 1.0, along);
  }
  if (kind == 4) x[1] = cps_vec3_axpy(x[0], 1.0 + cps_random_uniform(random), cps_vec3_sub(x[3], x[2]));
  if (kind == 5) x[3] = cps_vec3_axpy(x[2], pow(10.0, -16.0 * cps_random_uniform(random)), along);
}

static void a_search_over_all_points_finds_nothing_nearer(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(1);
  for (int i = 0; i < 20000; ++i) {
    CpsVec3 x[4];
    draw(&random, x);
    CpsClosest c = cps_closest_vertex_triangle(x[0], x + 1);
    check_sound(&c, x, 1, x + 1, 3, 2.0);
    double brute = searched(cps_vec3_sub(x[0], x[1]), cps_vec3_sub(x[2], x[1]), cps_vec3_sub(x[3], x[1]), true);
    // a search by values finds the place to the root of rounding, the distance to rounding where it is not small itself
    assert_near(c.distance, brute, brute > 1e-3 ? 1e-12 : 1e-7);
    assert_below(c.distance, brute + 1e-15);
    c = cps_closest_edge_edge(x, x + 2);
    check_sound(&c, x, 2, x + 2, 2, 2.0);
    brute = searched(cps_vec3_sub(x[2], x[0]), cps_vec3_sub(x[1], x[0]), cps_vec3_sub(x[2], x[3]), false);
    assert_near(c.distance, brute, brute > 1e-3 ? 1e-12 : 1e-7);
    assert_below(c.distance, brute + 1e-14);  // parallel ones take the middle: a sine of 1e-14 may be between
  }
}

static void swapping_the_sides_gives_the_same_bits_and_the_opposite_normal(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(2);
  for (int i = 0; i < 20000; ++i) {
    CpsVec3 x[4];
    draw(&random, x);
    const CpsVec3 turned[2] = {x[1], x[0]};
    const CpsClosest c = cps_closest_edge_edge(x, x + 2), d = cps_closest_edge_edge(x + 2, x),
                     e = cps_closest_edge_edge(turned, x + 2);
    assert_memory_equal(&c.distance, &d.distance, sizeof c.distance);
    assert_memory_equal(c.weight_a, d.weight_b, sizeof c.weight_a);
    assert_memory_equal(c.weight_b, d.weight_a, sizeof c.weight_a);
    assert_true(c.normal.x == -d.normal.x && c.normal.y == -d.normal.y && c.normal.z == -d.normal.z);
    assert_true(c.feature_a == d.feature_b && c.feature_b == d.feature_a && c.parallel == d.parallel);
    assert_memory_equal(&c.distance, &e.distance, sizeof c.distance);
    assert_true(c.weight_a[0] == e.weight_a[1] && c.weight_a[1] == e.weight_a[0]);
    assert_true(cps_vec3_is_equal(c.normal, e.normal));
    // the order of the corners of a triangle does not matter beyond rounding
    const CpsVec3 cycled[3] = {x[2], x[3], x[1]};
    const CpsClosest f = cps_closest_vertex_triangle(x[0], x + 1), g = cps_closest_vertex_triangle(x[0], cycled);
    assert_near(f.distance, g.distance, 4e-15);
  }
}

// Two edges at an angle of 1e-8 cross at a known place and at a known distance. Without the second solve the place is
// wrong by a tenth of an edge and the distance by 1e-9.
static void edges_that_are_nearly_parallel_keep_their_digits(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(3);
  for (int i = 0; i < 1000; ++i) {
    const CpsVec3 along = cps_vec3_unit(random_point(&random, 1.0));
    const CpsMat3 frame = cps_mat3_frame(along, random_point(&random, 1.0));
    const CpsVec3 side = cps_vec3_get(frame.m + 3), up = cps_vec3_get(frame.m + 6), at = random_point(&random, 1.0);
    const double s = 0.2 + 0.6 * cps_random_uniform(&random), t = 0.2 + 0.6 * cps_random_uniform(&random), angle = 1e-8;
    const CpsVec3 turned = cps_vec3_axpy(along, angle, side), base = cps_vec3_axpy(at, -1e-12, up);
    const CpsVec3 a[2] = {cps_vec3_axpy(at, -s, along), cps_vec3_axpy(at, 1.0 - s, along)};
    const CpsVec3 b[2] = {cps_vec3_axpy(base, -t, turned), cps_vec3_axpy(base, 1.0 - t, turned)};
    const CpsClosest c = cps_closest_edge_edge(a, b);
    assert_near(c.distance, 1e-12, 1e-15);  // rounding of the coordinates
    assert_near(c.weight_a[1], s, 1e-6);    // rounding / angle
  }
}

// The normal of what nearly touches is that of the face, not that of a difference of equal numbers.
static void the_normal_is_exact_at_tiny_distances(void** state) {
  (void)state;
  const CpsVec3 t[3] = {{1, 2, 3}, {4, 2.5, 3.25}, {1.5, 5, 2}};
  const CpsVec3 n = cps_vec3_unit(cps_vec3_cross(cps_vec3_sub(t[1], t[0]), cps_vec3_sub(t[2], t[0])));
  const double weight[3] = {0.25, 0.5, 0.25};
  const CpsVec3 foot = weighted(t, weight, 3);
  for (double height = 1e-2; height > 1e-14; height *= 0.1) {
    const CpsClosest c = cps_closest_vertex_triangle(cps_vec3_axpy(foot, -height, n), t);
    assert_near(c.distance, height, 2e-15);
    assert_below(cps_vec3_norm(cps_vec3_add(c.normal, n)), 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_vertex_is_nearest_to_the_face_an_edge_or_a_corner),
      cmocka_unit_test(edges_are_nearest_where_they_cross_at_ends_or_in_the_middle_of_what_they_share),
      cmocka_unit_test(a_search_over_all_points_finds_nothing_nearer),
      cmocka_unit_test(swapping_the_sides_gives_the_same_bits_and_the_opposite_normal),
      cmocka_unit_test(edges_that_are_nearly_parallel_keep_their_digits),
      cmocka_unit_test(the_normal_is_exact_at_tiny_distances),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
