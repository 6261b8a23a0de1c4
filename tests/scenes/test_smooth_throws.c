// Nothing goes through a smooth surface: soft balls thrown at sheets, plates, small bodies, ropes and each other at up to 20 m/s, in steps in
// which they move by more than the reach of their surface.
#include "capstan/solid.h"
#include "core/quat.h"
#include "core/random.h"
#include "core/vec3.h"
#include "scenes/scene_world.h"
#include "vertices.h"

#include <string.h>

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

static CpsWorld* parse(const char* text) {
  CpsError error = {{0}};
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  if (cps_scene_parse(text, strlen(text), "throw", NULL, 0, &scene, &error) != CPS_OK ||
      cps_scene_build(scene, 0, &world, &error) != CPS_OK) {
    print_error("%s\n%s\n", error.text, text);
    fail();
  }
  cps_scene_destroy(scene);
  return world;
}

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

// How deep a point is in the tetrahedra of a solid, in parts of the smallest height that it has above their faces: > 0 inside.
static double depth_in(const CpsVec3* x, const int32_t* tetrahedron, int32_t count, CpsVec3 p) {
  double deepest = -INFINITY;
  for (int32_t t = 0; t < count; ++t) {
    double least = INFINITY;
    for (int k = 0; k < 4; ++k) {
      const CpsVec3 o = x[tetrahedron[4 * t + k]], a = x[tetrahedron[4 * t + (k + 1) % 4]];
      const CpsVec3 b = x[tetrahedron[4 * t + (k + 2) % 4]], c = x[tetrahedron[4 * t + (k + 3) % 4]];
      const CpsVec3 n = cps_vec3_cross(cps_vec3_sub(b, a), cps_vec3_sub(c, a));
      least = fmin(least, cps_vec3_dot(n, cps_vec3_sub(p, a)) / cps_vec3_dot(n, cps_vec3_sub(o, a)));
    }
    deepest = fmax(deepest, least);
  }
  return deepest;
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

typedef struct Throw {
  int32_t crossings, inside;
  int64_t halvings, unsolved;
  double height;  // of the ball above the target at the end
} Throw;

static Throw throw_at(int target, double speed, double aside, double lead) {
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
  Throw t = {0};
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
      const Throw t = throw_at(target, speed, aside, 0.01 * cps_random_uniform(&random));
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

// Thin things that cross a soft slab, or get into a soft ball, within one step: 10 cm. Where they are in it is known by the tetrahedra.
enum { NEEDLE, BLADE, ROPE, THIN, POINTS = 13 };
static const char* const thin_names[THIN] = {"needle", "blade", "rope"};
static const char* const soft_targets[2] = {
    "box: {size: [0.2, 0.2, 0.02], cells: [10, 10, 1]}, pins: [{side: -x}, {side: +x}]",
    "ball: {radius: 5 cm, size: 2 cm}, position: [0, 0, -0.05]"};

static double between(CpsRandom* random, double low, double high) {
  return low + (high - low) * cps_random_uniform(random);
}

static void write_thin(int thing, CpsRandom* random, char* text, size_t size) {
  const CpsVec3 axis = {between(random, -1.0, 1.0), between(random, -1.0, 1.0), between(random, -1.0, 1.0)};
  const double x = between(random, -0.03, 0.03), y = between(random, -0.03, 0.03), z = between(random, 0.06, 0.09);
  const double angle = between(random, 0.0, 180.0), aside = between(random, -3.0, 3.0),
               spin = between(random, -60.0, 60.0);
  if (thing == ROPE) {
    snprintf(
        text, size,
        "fibres: {thin: {model: der, elements: 12, radius: 1 mm, density: 1500 kg/m3, young: 0.1 GPa, length: 6 cm, "
        "position: [%g, %g, %g], direction: [%g, %g, %g], velocity: [%g, 0, -20]}}\n",
        x, y, z + 0.03, axis.x, axis.y, 0.3 * axis.z, aside);
    return;
  }
  snprintf(text, size,
           "bodies: {thin: {%s, density: 2000 kg/m3, position: [%g, %g, %g], rotation: {axis: [%g, %g, %g], angle: %g "
           "deg}, velocity: [%g, 0, -20], angular_velocity: [%g, %g, %g]}}\n",
           thing == NEEDLE
               ? "capsule: {radius: 1 mm, length: 6 cm}"
               : "hull: {points: [[3 cm, 0, 0], [-3 cm, 0, 0], [0, 4 mm, 0], [0, -4 mm, 1 mm], [0, 0, -1 mm]]}",
           x, y, z, axis.x, axis.y, axis.z, angle, aside, spin, 0.5 * spin, -0.3 * spin);
}

static int32_t points_of(const CpsWorld* world, int thing, CpsVec3* p) {
  if (thing == ROPE) {
    const CpsThing rope = cps_thing_fibre(cps_world_fibre(world, 0));
    assert_int_equal(vertices_of(world, rope, p, NULL), CPS_OK);
    return (int32_t)cps_world_array_count(world, rope, CPS_QUANTITY_POSITION);
  }
  const CpsPose pose = body(world, 0).pose;
  for (int i = 0; i < POINTS; ++i) {
    const double u = 0.029 * (2.0 * i / (POINTS - 1.0) - 1.0);
    p[i] = cps_pose_apply(pose, thing == NEEDLE ? cps_vec3(0.0, 0.0, u) : cps_vec3(u, 0.0, 0.0));
  }
  return POINTS;
}

// Steps in which a thin thing is in the solid, or below the slab.
static int throw_thin(int thing, int target, CpsRandom* random, int32_t* crossings) {
  char text[TEXT], thin[TEXT / 2];
  write_thin(thing, random, thin, sizeof thin);
  snprintf(text, sizeof text,
           "%ssolids: {target: {%s, young: 1 MPa, poisson: 0.3, density: 300 kg/m3, surface: smooth}}\n"
           "gravity: 0\ncontact: {mu: 0.3}\ntime: {step: 5 ms, end: 1 s}\n",
           thin, soft_targets[target]);
  CpsWorld* world = parse(text);
  static CpsVec3 x[NODES], p[NODES];
  const CpsSolidId id = cps_world_solid(world, 0);
  CpsSolidInfo solid;
  assert_int_equal(cps_world_solid_info(world, id, &solid), CPS_OK);
  int in = 0;
  for (int i = 0; i < 60 && cps_world_time(world) < 0.012; ++i) {
    CpsStepInfo info;
    CpsError error = {{0}};
    assert_true(cps_world_step(world, &info, &error) >= 0);
    *crossings += info.crossings;
    assert_int_equal(vertices_of(world, cps_thing_solid(id), x, NULL), CPS_OK);
    const int32_t count = points_of(world, thing, p);
    bool deep = false;
    for (int32_t k = 0; k < count; ++k) {
      deep = deep || depth_in(x, cps_world_solid_tetrahedra(world, id), solid.tetrahedron_count, p[k]) > 0.08;
      deep = deep || (target == 0 && p[k].z < -0.012 && fabs(p[k].x) < 0.09 && fabs(p[k].y) < 0.09);
    }
    in += deep;
  }
  cps_world_destroy(world);
  return in;
}

// Without the facets that guard the smooth surface both ropes end in the slab.
static void thin_things_do_not_get_into_smooth_solids(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(7);
  for (int thing = 0; thing < THIN; ++thing) {
    for (int target = 0; target < 2; ++target) {
      for (int k = 0; k < (thing == ROPE ? 2 : 1); ++k) {
        int32_t crossings = 0;
        const int in = throw_thin(thing, target, &random, &crossings);
        print_message("%s at the %s: %d steps inside, %d crossings\n", thin_names[thing], target ? "ball" : "slab", in,
                      (int)crossings);
        assert_int_equal(in + crossings, 0);
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

// The last resort of a smooth surface: two plates close on a coarse slab, faster than it can get out of the way. At a third of its thickness
// contacts no longer hold it, in any step; it moves along with the plate then, which is counted. If only the nodes of the triangle in
// question do, its guard still follows the others, and crosses.
static void a_crushed_smooth_solid_is_stopped_not_crossed(void** state) {
  (void)state;
  CpsWorld* world = parse(
      "obstacles:\n"
      "  upper: {box: {size: [6 cm, 6 cm, 2 mm]}, position: [0, 0, 12 mm], motion: {velocity: [0, 0, -2]}}\n"
      "  lower: {box: {size: [6 cm, 6 cm, 2 mm]}, position: [0, 0, -12 mm], motion: {velocity: [0, 0, 2]}}\n"
      "solids: {slab: {box: {size: [0.04, 0.04, 0.02], cells: [2, 2, 1]}, young: 1 MPa, poisson: 0.3, density: 300 "
      "kg/m3, surface: smooth}}\n"
      "gravity: 0\ncontact: {mu: 0.3}\ntime: {step: 2 ms, end: 1 s}\n");
  int32_t crossings = 0, stopped = 0;
  while (cps_world_time(world) < 4.4e-3) {
    CpsStepInfo info;
    CpsError error = {{0}};
    assert_true(cps_world_step(world, &info, &error) >= 0);
    crossings += info.crossings, stopped += info.stopped;
  }
  print_message("%d stopped, %d crossings\n", (int)stopped, (int)crossings);
  assert_true(stopped > 0);
  assert_int_equal(crossings, 0);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_goes_through_smooth_surfaces),
                                     cmocka_unit_test(thin_things_do_not_get_into_smooth_solids),
                                     cmocka_unit_test(a_crushed_smooth_solid_is_stopped_not_crossed),
                                     cmocka_unit_test(the_guard_does_not_carry_a_dent)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
