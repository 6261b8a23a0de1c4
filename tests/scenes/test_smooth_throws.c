// Nothing goes through a smooth surface: soft balls thrown at sheets, plates, small bodies, ropes and each other at up to 20 m/s, in steps in
// which they move by more than the reach of their surface.
#include "capstan/solid.h"
#include "scenes/thin.h"

enum { TARGETS = 5, TEXT = 2048, NODES = 2000 };
static const char* const names[TARGETS] = {"a sheet", "a thin plate", "a small ball", "a rope", "a soft ball"};
static const char* const targets[TARGETS] = {
    "sheets: {target: {grid: {size: [0.3, 0.3], cells: [10, 10]}, pins: [{edge: left}, {edge: right}]}}\n",
    "obstacles: {target: {box: {size: [0.4, 0.4, 2 mm]}}}\n",
    "bodies: {target: {sphere: {radius: 4 mm}, gravity: false, mass: 0.2 kg}}\n",
    "fibres: {target: {model: der, elements: 12, radius: 2 mm, position: [-0.15, 0, 0], direction: [1, 0, 0], length: "
    "0.3, root: "
    "clamped, tip: clamped}}\n",
    ""};

static double height_of(const CpsWorld* world, int32_t solid) {
  CpsSolidInfo info;
  CpsVec3 x[NODES];
  const CpsSolidId id = cps_world_solid(world, solid);
  assert_int_equal(cps_world_solid_info(world, id, &info), CPS_OK);
  assert_true(info.vertex_count <= NODES);
  assert_int_equal(vertices_of(world, cps_thing_solid(id), x, NULL), CPS_OK);
  double z = 0.0;
  for (int32_t i = 0; i < info.vertex_count; ++i) z += x[i].z / info.vertex_count;
  return z;
}

// Points of the target in the ball that was thrown.
static int inside(const CpsWorld* world, int target) {
  static CpsVec3 x[NODES], p[NODES];
  CpsSolidInfo info;
  const CpsSolidId id = cps_world_solid(world, 0);
  CpsThing thing = cps_thing_solid(id);
  assert_int_equal(cps_world_solid_info(world, id, &info), CPS_OK);
  assert_true(info.vertex_count <= NODES);
  assert_int_equal(vertices_of(world, thing, x, NULL), CPS_OK);
  const int32_t* tetrahedron = cps_world_solid_tetrahedra(world, id);
  int32_t points = 1;
  if (target == 1) return 0;
  if (target == 2) {
    p[0] = body(world, 0).pose.position;
  } else {
    thing = target == 0   ? cps_thing_sheet(cps_world_sheet(world, 0))
            : target == 3 ? cps_thing_fibre(cps_world_fibre(world, 0))
                          : cps_thing_solid(cps_world_solid(world, 1));
    points = (int32_t)cps_world_array_count(world, thing, CPS_QUANTITY_POSITION);
    assert_int_equal(vertices_of(world, thing, p, NULL), CPS_OK);
  }
  int count = 0;
  for (int32_t i = 0; i < points; ++i) count += depth_in(x, tetrahedron, info.tetrahedron_count, p[i]) > 0.05;
  return count;
}

typedef struct Thrown {
  int32_t crossings, inside;
  int64_t halvings, unsolved;
  double height;  // of the ball above the target at the end
} Thrown;

static Thrown throw_at(int target, double speed, double aside, double lead) {
  char text[TEXT];
  const char* ball =
      "{ball: {radius: 5 cm, size: 3 cm}, young: 0.5 MPa, poisson: 0.3, density: 300 kg/m^3, surface: smooth, damping: "
      "1 ms, "
      "position: [%g, %g, %g], velocity: [0, 0, %g]}";
  char thrown[512], other[512] = "";
  snprintf(thrown, sizeof thrown, ball, aside, 0.6 * aside, 0.06 + lead, -speed);
  if (target == 4) snprintf(other, sizeof other, ball, 0.0, 0.0, -0.06, 0.0);
  snprintf(text, sizeof text,
           "%ssolids:\n  thrown: %s\n%s%s\ngravity: 0\ncontact: {mu: 0.3}\ntime: {step: 2 ms, end: 1 s}\n",
           targets[target], thrown, target == 4 ? "  other: " : "", other);
  CpsWorld* world = parse(text);
  Thrown t = {0};
  for (int i = 0; i < 12 && cps_world_time(world) < 0.016; ++i) {
    CpsStepInfo info;
    CpsError error = {{0}};
    const CpsStatus status = cps_world_step(world, &info, &error);
    if (status < 0) print_error("%s\n", error.text);
    assert_true(status >= 0);
    t.crossings += info.crossings;
    t.halvings += info.halvings;
    t.unsolved += status > 0;
    t.inside += inside(world, target);
  }
  t.height = height_of(world, 0);
  if (target == 4) t.height -= height_of(world, 1);
  if (target == 2) t.height -= body(world, 0).pose.position.z;
  cps_world_destroy(world);
  return t;
}

static void nothing_goes_through_smooth_surfaces(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(11);
  for (int target = 0; target < TARGETS; ++target) {
    for (int k = 0; k < (SHORTER ? 1 : 3); ++k) {
      const double speed = 5.0 + 7.5 * k, aside = 0.02 * (cps_random_uniform(&random) - 0.5);
      const Thrown t = throw_at(target, speed, aside, 0.01 * cps_random_uniform(&random));
      print_message("%s at %.1f m/s: %d crossings, %d inside, %d halvings, %d unsolved, %.1f mm above\n", names[target],
                    speed, (int)t.crossings, (int)t.inside, (int)t.halvings, (int)t.unsolved, 1e3 * t.height);
      assert_int_equal(t.crossings, 0);
      assert_int_equal(t.inside, 0);
      if (target == 1 || target == 4) assert_true(t.height > 0.0);  // the others give way, or slip off
      // a clamped rope dents the ball; without a look at the ways it is 24 to 31 mm from the middle of it, inside
      if (target == 3) assert_true(t.height > 0.035);
    }
  }
}

// Without the facets that guard the smooth surface both ropes end in the slab.
static void thin_things_do_not_get_into_smooth_solids(void** state) {
  (void)state;
  static const int things[] = {NEEDLE, BLADE, ROPE};
  CpsRandom random = cps_random_seed(7);
  for (int i = 0; i < 3; ++i) {
    for (int target = 0; target < 2; ++target) {
      for (int k = 0; k < (things[i] == ROPE ? 2 : 1); ++k) {
        const Throw t = throw_at_solid(things[i], target, &random);
        print_message("%s at the %s: %d steps inside, %d crossings\n", thin_names[things[i]], target ? "ball" : "slab",
                      t.in, (int)t.crossings);
        assert_int_equal(t.in + t.crossings, 0);
      }
    }
  }
}

// What guards a smooth surface carries nothing: a soft slab that a ball dents comes down as far as without any guard, to -48 mm, where facets on
// the ball would hold it at -35 mm.
static void the_guard_does_not_carry_a_dent(void** state) {
  (void)state;
  CpsWorld* world = parse(
      "obstacles: {ball: {sphere: {radius: 5 cm}, position: [3 mm, 2 mm, -0.1]}}\n"
      "solids: {slab: {box: {size: [0.3, 0.3, 0.09], cells: [8, 8, 2]}, young: 20 kPa, poisson: 0.3, surface: smooth, "
      "damping: 5 ms}}\ncontact: {mu: 0.5}\ntime: {step: 5 ms, end: 1 s}\n");
  Run run = run_until(world, 0.4);
  print_message("the slab is at %.2f mm\n", 1e3 * height_of(world, 0));
  assert_near(height_of(world, 0), -0.048, 2e-3);  // its facets do not fit the ball by more than that
  assert_int_equal(run.crossings, 0);
  cps_world_destroy(world);
}

// The last resort of a smooth surface: two plates close on a coarse slab, faster than it can get out of the way. At a fifth of its thickness
// contacts no longer hold it, in any step; it moves along with the plates then, which is counted. If only the nodes of the triangle in
// question do, its guard still follows the others, and crosses. Whether one slab must be stopped is a matter of rounding, hence several.
static void a_crushed_smooth_solid_is_stopped_not_crossed(void** state) {
  (void)state;
  static const double young[] = {0.05, 0.1, 0.2};  // MPa
  int32_t crossings = 0, stopped = 0;
  for (int k = 0; k < 3; ++k) {
    char text[TEXT];
    snprintf(
        text, sizeof text,
        "obstacles:\n"
        "  upper: {box: {size: [6 cm, 6 cm, 2 mm]}, position: [0, 0, 12 mm], motion: {velocity: [0, 0, -2]}}\n"
        "  lower: {box: {size: [6 cm, 6 cm, 2 mm]}, position: [0, 0, -12 mm], motion: {velocity: [0, 0, 2]}}\n"
        "solids: {slab: {box: {size: [0.04, 0.04, 0.02], cells: [2, 2, 1]}, young: %g MPa, poisson: 0.3, density: 300 "
        "kg/m3, surface: smooth}}\n"
        "gravity: 0\ncontact: {mu: 0.3}\ntime: {step: 2 ms, end: 1 s}\n",
        young[k]);
    CpsWorld* world = parse(text);
    while (cps_world_time(world) < 4.45e-3) {
      CpsStepInfo info;
      CpsError error = {{0}};
      assert_true(cps_world_step(world, &info, &error) >= 0);
      crossings += info.crossings, stopped += info.stopped;
    }
    cps_world_destroy(world);
  }
  print_message("%d stopped, %d crossings\n", (int)stopped, (int)crossings);
  assert_true(stopped > 0);
  assert_int_equal(crossings, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_goes_through_smooth_surfaces),
                                     cmocka_unit_test(thin_things_do_not_get_into_smooth_solids),
                                     cmocka_unit_test(a_crushed_smooth_solid_is_stopped_not_crossed),
                                     cmocka_unit_test(the_guard_does_not_carry_a_dent)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
