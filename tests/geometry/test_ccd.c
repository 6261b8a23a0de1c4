// Impacts of moving vertices, edges and triangles: closed forms, random motions against sampling, thin and resting
// cases.
#include "geometry/ccd.h"

#include "core/random.h"
#include "test_helpers.h"

typedef bool (*Ccd)(const CpsVec3 start[4], const CpsVec3 end[4], double separation, double tolerance,
                    CpsImpact* impact);

static CpsVec3 random_point(CpsRandom* random, double size) {
  const double x = cps_random_uniform(random), y = cps_random_uniform(random), z = cps_random_uniform(random);
  return cps_vec3(size * (2.0 * x - 1.0), size * (2.0 * y - 1.0), size * (2.0 * z - 1.0));
}

static double distance_at(const CpsVec3 start[4], const CpsVec3 end[4], double t, bool edges) {
  CpsVec3 x[4];
  for (int k = 0; k < 4; ++k) x[k] = cps_vec3_axpy(start[k], t, cps_vec3_sub(end[k], start[k]));
  return edges ? cps_closest_edge_edge(x, x + 2).distance : cps_closest_vertex_triangle(x[0], x + 1).distance;
}

static void a_falling_vertex_meets_the_triangle_when_its_height_is_the_separation(void** state) {
  (void)state;
  const CpsVec3 start[4] = {{0.25, 0.25, 1.0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  CpsVec3 end[4] = {{0.25, 0.25, -1.0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  CpsImpact impact;
  assert_true(cps_ccd_vertex_triangle(start, end, 0.1, 1e-6, &impact));
  assert_near(impact.time, 0.45, 1e-15);  // 1 - 2 t = 0.1: head on, the bound is exact
  assert_near(impact.at.distance, 0.1, 1e-15);
  assert_true(impact.at.normal.z == 1.0 && impact.at.feature_b == 7);
  assert_int_equal(impact.iterations, 2);
  // beside the triangle nothing is met, as long as it is farther than the separation
  end[0] = cps_vec3(0.25, 0.25, 0.11);
  assert_false(cps_ccd_vertex_triangle(start, end, 0.1, 1e-6, &impact));
  end[0] = cps_vec3(-0.5, 0.25, -1.0);
  assert_true(cps_ccd_vertex_triangle(start, end, 0.0, 1e-6, &impact) == false);
  // the triangle moves instead, and both move
  const CpsVec3 risen[4] = {{0.25, 0.25, 0.5}, {0, 0, 1.5}, {1, 0, 1.5}, {0, 1, 1.5}};
  assert_true(cps_ccd_vertex_triangle(start, risen, 0.0, 1e-9, &impact));
  assert_near(impact.time, 0.5, 1e-9);  // 1 - t/2 = 3 t/2
}

static void crossing_edges_meet_at_the_root_of_their_volume(void** state) {
  (void)state;
  const CpsVec3 start[4] = {{-1, 0, 1}, {1, 0, 1}, {0, -1, 0}, {0, 1, 0}};
  const CpsVec3 end[4] = {{-1, 0, -2}, {1, 0, -2}, {0, -1, 0}, {0, 1, 0}};
  CpsImpact impact;
  assert_true(cps_ccd_edge_edge(start, end, 0.0, 1e-12, &impact));
  assert_near(impact.time, 1.0 / 3.0, 1e-12);
  assert_true(cps_ccd_edge_edge(start, end, 0.4, 1e-12, &impact));
  assert_near(impact.time, 0.2, 1e-15);
  // one end goes down, the other up: the edge turns about its middle and the height above (x, 0) is x (1 - 2 t) 0.5 +
  // 0.5 - t
  const CpsVec3 from[4] = {{-1, 0, 0}, {1, 0, 1}, {0.5, -1, 0}, {0.5, 1, 0}};
  const CpsVec3 to[4] = {{-1, 0, 1}, {1, 0, -1}, {0.5, -1, 0}, {0.5, 1, 0}};
  assert_true(cps_ccd_edge_edge(from, to, 0.0, 1e-12, &impact));
  assert_near(impact.time, 0.6, 1e-11);  // 0.25 t + 0.75 (1 - 2 t) = 0
}

// A random motion, wild or thin: short, far from the origin, with a triangle that turns inside out, edges along each
// other.
static double draw(CpsRandom* random, CpsVec3 start[4], CpsVec3 end[4]) {
  const double speed = pow(10.0, -3.0 * cps_random_uniform(random));
  for (int k = 0; k < 4; ++k) {
    start[k] = random_point(random, 1.0);
    end[k] = cps_vec3_add(start[k], random_point(random, 3.0 * speed));
  }
  const uint32_t kind = cps_random_u32(random) % 8;
  if (kind == 0) start[3] = cps_vec3_axpy(start[2], 1e-6, random_point(random, 1.0));  // needles
  if (kind == 1) {                                                                     // edges that stay parallel
    start[1] = cps_vec3_axpy(start[0], 1.5, cps_vec3_sub(start[3], start[2]));
    end[1] = cps_vec3_add(start[1], cps_vec3_sub(end[0], start[0]));
    end[3] = cps_vec3_add(start[3], cps_vec3_sub(end[2], start[2]));
  }
  if (kind == 2) {  // all in one plane, all the time
    for (int k = 0; k < 4; ++k) start[k].z = end[k].z = 0.5;
  }
  if (kind == 3) {  // far away
    const CpsVec3 far = random_point(random, 1e3);
    for (int k = 0; k < 4; ++k) start[k] = cps_vec3_add(start[k], far), end[k] = cps_vec3_add(end[k], far);
  }
  if (kind == 4) {  // one body thrown at the other
    for (int k = 1; k < 4; ++k) end[k] = cps_vec3_add(start[k], cps_vec3_sub(end[1], start[1]));
  }
  return kind == 3 ? 1e-12 : 1e-14;  // rounding of the coordinates
}

// Nothing that a sampled motion shows is missed, and what is reported is there.
static void sampled_motions(bool edges, int count) {
  const Ccd ccd = edges ? cps_ccd_edge_edge : cps_ccd_vertex_triangle;
  enum { SAMPLES = 40 };
  CpsRandom random = cps_random_seed(edges ? 5 : 4);
  int hits = 0, most = 0;
  int64_t iterations = 0;
  for (int i = 0; i < count; ++i) {
    CpsVec3 start[4], end[4];
    const double rounding = draw(&random, start, end);
    const double separation = i % 2 ? 0.0 : pow(10.0, -1.0 - 4.0 * cps_random_uniform(&random)), tolerance = 1e-6;
    CpsImpact impact;
    const bool hit = ccd(start, end, separation, tolerance, &impact);
    const double d0 = distance_at(start, end, 0.0, edges);
    const double m = fmin(separation, d0 < 2.0 * tolerance ? 0.5 * d0 : d0 - tolerance);
    const double until = hit ? impact.time : 1.0;
    for (int k = 0; k <= SAMPLES; ++k) {
      const double d = distance_at(start, end, until * k / SAMPLES, edges);
      if (!(d >= m - rounding)) fail_msg("motion %d: distance %.17g before %.17g, separation %g", i, d, until, m);
    }
    if (hit) assert_near(distance_at(start, end, impact.time, edges), m, 0.5 * tolerance + rounding);
    hits += hit;
    iterations += impact.iterations;
    if (impact.iterations > most) most = impact.iterations;
  }
  assert_in_range(hits, count / 50, count);  // both outcomes are tried
  print_message("%d of %d meet; %.2f distances each, at most %d\n", hits, count, (double)iterations / count, most);
  assert_in_range(most, 1, CPS_CCD_MOST_ITERATIONS - 1);
}

static void no_random_vertex_passes_a_triangle_unseen(void** state) {
  (void)state;
  sampled_motions(false, 100000);
}

static void no_random_edge_passes_another_unseen(void** state) {
  (void)state;
  sampled_motions(true, 100000);
}

// Motions built to pass through a chosen inner point at a chosen time, so fast that hardly a sample sees it.
static void crossings_that_are_built_in_are_found_at_their_time(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(6);
  int unfinished = 0;
  for (int i = 0; i < 100000; ++i) {
    const bool edges = i % 2;
    CpsVec3 start[4], end[4], meet[4];
    const double time = 0.05 + 0.9 * cps_random_uniform(&random), speed = pow(10.0, 2.0 * cps_random_uniform(&random));
    const double s = 0.05 + 0.9 * cps_random_uniform(&random), t = 0.05 + 0.9 * cps_random_uniform(&random);
    for (int k = 0; k < 4; ++k) meet[k] = random_point(&random, 1.0);
    if (edges) {  // the point s of the first edge is the point t of the second
      const CpsVec3 q = cps_vec3_axpy(cps_vec3_scale(1.0 - t, meet[2]), t, meet[3]);
      meet[1] = cps_vec3_scale(1.0 / s, cps_vec3_axpy(q, s - 1.0, meet[0]));
    } else {
      meet[0] = cps_vec3_axpy(cps_vec3_axpy(cps_vec3_scale(1.0 - s, meet[1]), s * (1.0 - t), meet[2]), s * t, meet[3]);
    }
    for (int k = 0; k < 4; ++k) {
      const CpsVec3 v = random_point(&random, speed);
      start[k] = cps_vec3_axpy(meet[k], -time, v);
      end[k] = cps_vec3_axpy(meet[k], 1.0 - time, v);
    }
    CpsImpact impact;
    assert_true((edges ? cps_ccd_edge_edge : cps_ccd_vertex_triangle)(start, end, 0.0, 1e-9, &impact));
    assert_below(impact.time, time + 1e-12);  // the first of several, rounding of the coordinates aside
    if (impact.iterations == CPS_CCD_MOST_ITERATIONS) {
      unfinished++;
    } else {
      assert_below(distance_at(start, end, impact.time, edges), 0.5e-9 + 1e-13 * speed);
    }
  }
  // the wildest of these motions turn by many radians while they graze: they stop early, which is safe
  print_message("%d of 100000 not followed to the end\n", unfinished);
  assert_below(unfinished, 20);
}

// Cloth at rest lies at its thickness and is pulled along and away: no impact. Nearer than it should be, it may go on
// as it is, but not come nearer.
static void what_rests_at_the_separation_may_slide_and_part_but_not_come_nearer(void** state) {
  (void)state;
  const double h = 1e-3, tolerance = 1e-6;
  for (int k = 0; k < 3; ++k) {
    const double gap = k == 0 ? h : k == 1 ? h - 1e-12 : 0.3 * h;  // at rest, at rest within rounding, too near
    const CpsVec3 start[4] = {{0.25, 0.25, gap}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    CpsVec3 end[4] = {{0.35, 0.45, gap}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    CpsImpact impact;
    assert_false(cps_ccd_vertex_triangle(start, end, h, tolerance, &impact));
    assert_int_equal(impact.iterations, 1);  // sliding does not close the gap: one bound is enough
    end[0].z = gap + 1e-4;
    assert_false(cps_ccd_vertex_triangle(start, end, h, tolerance, &impact));
    end[0].z = gap - 0.4 * tolerance;
    assert_false(cps_ccd_vertex_triangle(start, end, h, tolerance, &impact));
    end[0].z = gap - 2.0 * tolerance;
    assert_true(cps_ccd_vertex_triangle(start, end, h, tolerance, &impact));
    assert_near(impact.time, 0.5, 1e-6);  // where it is nearer by the tolerance
    const CpsVec3 below[4] = {{0, 0, gap}, {1, 0, gap}, {0.5, -1, 0}, {0.5, 1, 0}};
    const CpsVec3 along[4] = {{0.1, 0.3, gap}, {1.1, 0.3, gap}, {0.5, -1, 0}, {0.5, 1, 0}};
    const CpsVec3 down[4] = {{0, 0, -gap}, {1, 0, -gap}, {0.5, -1, 0}, {0.5, 1, 0}};
    assert_false(cps_ccd_edge_edge(below, along, h, tolerance, &impact));
    assert_true(cps_ccd_edge_edge(below, down, h, tolerance, &impact));
    assert_true(impact.at.distance >= gap - 1.01 * tolerance);
  }
}

// A pair that comes nearer by less than the tolerance in each step is still stopped before it meets.
static void small_steps_never_add_up_to_a_crossing(void** state) {
  (void)state;
  double z = 1e-6;
  int impacts = 0;
  for (int step = 0; step < 1000; ++step) {
    const CpsVec3 start[4] = {{0.25, 0.25, z}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const CpsVec3 end[4] = {{0.25, 0.25, z - 1e-7}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    CpsImpact impact;
    const bool hit = cps_ccd_vertex_triangle(start, end, 1e-3, 1e-5, &impact);
    impacts += hit;
    z += (hit ? impact.time : 1.0) * (end[0].z - z);
    assert_true(z > 0.0);
  }
  assert_true(impacts > 900);
}

static void what_touches_at_the_start_or_does_not_move_is_said_so(void** state) {
  (void)state;
  const CpsVec3 touching[4] = {{0.25, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  CpsImpact impact;
  assert_true(cps_ccd_vertex_triangle(touching, touching, 0.0, 1e-9, &impact));
  assert_true(impact.time == 0.0);
  const CpsVec3 apart[4] = {{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  assert_false(cps_ccd_vertex_triangle(apart, apart, 0.1, 1e-9, &impact));
  const CpsVec3 point[4] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
  assert_true(cps_ccd_edge_edge(point, apart, 0.1, 1e-9, &impact) && impact.time == 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_falling_vertex_meets_the_triangle_when_its_height_is_the_separation),
      cmocka_unit_test(crossing_edges_meet_at_the_root_of_their_volume),
      cmocka_unit_test(no_random_vertex_passes_a_triangle_unseen),
      cmocka_unit_test(no_random_edge_passes_another_unseen),
      cmocka_unit_test(crossings_that_are_built_in_are_found_at_their_time),
      cmocka_unit_test(what_rests_at_the_separation_may_slide_and_part_but_not_come_nearer),
      cmocka_unit_test(small_steps_never_add_up_to_a_crossing),
      cmocka_unit_test(what_touches_at_the_start_or_does_not_move_is_said_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
