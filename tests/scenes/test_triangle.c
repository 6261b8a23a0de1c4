// A block pulled by (1 + eps) mu m g, 5 s in each of three directions. Along one pull |v| + (1 + eps) v.f - mu g ((1 +
// eps)^2 - 1) t is constant; from the velocity of the scene the path closes and its corners are an equilateral triangle.
#include "scenes/scene_world.h"

typedef struct Path {
  CpsVec3 corner[4];
  double invariant;  // its largest change along the first leg
} Path;

static Path walk(double step, const char* method, int facets, const char* kind) {
  Overrides o = {0};
  override(&o, "time.step=%g", step);
  if (method) {
    override(&o, "solver.method=%s", method);
    override(&o, "solver.facets=%d", facets);
    override(&o, "solver.facet_kind=%s", kind);
  }
  CpsWorld* world = open_scene("triangle.yaml", &o);
  Path path = {0};
  Run run = {0};
  double eps = 0.1, mu_g = 0.3 * 9.81, start = NAN;
  path.corner[0] = body(world, 0).centre;
  for (int leg = 1; leg <= 3; ++leg) {
    while (cps_world_time(world) < 5.0 * leg - 0.5 * step) {
      run_step(world, &run);
      CpsVec3 v = body(world, 0).velocity;
      double along = 0.5 * v.x + sqrt(0.75) * v.y, t = cps_world_time(world);
      double value = hypot(v.x, v.y) + (1.0 + eps) * along - mu_g * ((1.0 + eps) * (1.0 + eps) - 1.0) * t;
      if (isnan(start)) start = value;
      if (leg == 1) path.invariant = fmax(path.invariant, fabs(value - start));
    }
    path.corner[leg] = body(world, 0).centre;
  }
  cps_world_destroy(world);
  if (!method) assert_int_equal(run.unsolved, 0);
  return path;
}

static void the_path_closes_to_first_order_and_is_equilateral(void** state) {
  (void)state;
  Path coarse = walk(1e-2, NULL, 0, NULL), fine = walk(2e-3, NULL, 0, NULL);
  double open = distance(fine.corner[3], fine.corner[0]);
  // 1.28e-3 m at h = 1e-3, and O(h)
  assert_near(open, 2.6e-3, 0.3e-3);
  assert_near(distance(coarse.corner[3], coarse.corner[0]) / open, 5.0, 0.3);
  for (int k = 0; k < 3; ++k) {
    assert_near(distance(fine.corner[k], fine.corner[k + 1]), 5.45336, 6.0 * 2e-3);  // O(h) of the scheme
  }
  // the conserved quantity, of size |v| = 2 m/s, changes by O(h)
  assert_below(fine.invariant, 5e-3);
}

// Inner facets resist too little, outer ones too much: the path stays open by a good part of its side.
static void facets_leave_the_path_open(void** state) {
  (void)state;
  static const struct {
    int facets;
    const char* kind;
  } CASES[] = {{2, "inner"}, {3, "inner"}, {3, "outer"}, {4, "inner"}, {4, "outer"},
               {6, "inner"}, {6, "outer"}, {8, "inner"}, {8, "outer"}};
  for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; ++k) {
    Path path = walk(1e-2, "lemke", CASES[k].facets, CASES[k].kind);
    assert_true(distance(path.corner[3], path.corner[0]) > 0.25);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_path_closes_to_first_order_and_is_equilateral),
      cmocka_unit_test(facets_leave_the_path_open),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
