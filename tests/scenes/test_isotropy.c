// Friction has no favourite direction: a puck pushed in any direction slides equally far, straight on. A faceted cone has.
#include "scenes/scene_world.h"

static const double g = 9.81, degree = 3.14159265358979323846 / 180.0;

typedef struct Slide {
  double way, aside;  // distance, and the part of it across the push, m
} Slide;

static Slide push(double direction, const char* method, double step, double time) {
  Overrides o = {0};
  override(&o, "direction=%.17g", direction);
  override(&o, "time.step=%g", step);
  override(&o, "speed=1");
  if (method) override(&o, "solver.method=%s", method);
  CpsWorld* world = open_scene("puck.yaml", &o);
  run_until(world, time);
  CpsBodyState end = body(world, 0);
  cps_world_destroy(world);
  assert_below(speed(end.velocity), 1e-9);
  return (Slide){hypot(end.centre.x, end.centre.y), end.centre.y * cos(direction) - end.centre.x * sin(direction)};
}

// 1e-9 m: a hundred times the residual that the scene asks for (1e-10) times v t.
static void a_puck_slides_equally_far_in_360_directions(void** state) {
  (void)state;
  double h = 2e-3;
  double first = push(0.0, NULL, h, 0.4).way;
  assert_near(first, 1.0 / (2.0 * 0.3 * g) - 0.5 * h, 1e-5);  // v^2 / (2 mu g) less v h / 2, at rest after 0.34 s
  for (int k = 1; k < 360; k += SHORTER ? 40 : 1) {
    Slide slide = push(k * degree, NULL, h, 0.4);
    assert_near(slide.way, first, 1e-9);
    assert_below(fabs(slide.aside), 1e-9);
  }
}

// Inner facets on the axes: right along them; in between the cone is thinner, cos 45 deg at the worst, and the puck goes
// further and is pulled aside towards where friction is weak.
static void four_facets_prefer_directions(void** state) {
  (void)state;
  double along = push(0.0, "lemke", 1e-2, 0.7).way, between = push(45.0 * degree, "lemke", 1e-2, 0.7).way;
  assert_true(between > 1.3 * along);
  assert_true(fabs(push(20.0 * degree, "lemke", 1e-2, 0.7).aside) > 0.05 * along);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_puck_slides_equally_far_in_360_directions),
      cmocka_unit_test(four_facets_prefer_directions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
