// Shared by the tests of thin things that are thrown at smooth surfaces and point clouds: a scene from a text, random flights of needles,
// coins, blades and the like at 20 m/s, and where their points are.
#ifndef CAPSTAN_TESTS_SCENES_THIN_H
#define CAPSTAN_TESTS_SCENES_THIN_H

#include "core/quat.h"
#include "core/random.h"
#include "core/vec3.h"
#include "scenes/scene_world.h"
#include "vertices.h"

#include <string.h>

enum { NEEDLE, COIN, BLADE, PLATE, CHIP, GRAIN, ROPE, SHEET, THIN, RINGS = 9, TURNS = 12, POINTS = RINGS * TURNS };
static const char* const thin_names[THIN] = {"needle", "coin", "blade", "plate", "chip", "grain", "rope", "sheet"};

static inline CpsWorld* parse(const char* text) {
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

static inline double between(CpsRandom* random, double low, double high) {
  return low + (high - low) * cps_random_uniform(random);
}

// A flight from above, in random directions.
typedef struct Flight {
  CpsVec3 axis, place;
  double angle, aside, spin;
} Flight;

static inline Flight random_flight(CpsRandom* random) {
  Flight f;
  f.axis.x = between(random, -1.0, 1.0);
  f.axis.y = between(random, -1.0, 1.0);
  f.axis.z = between(random, -1.0, 1.0);
  f.place.x = between(random, -0.03, 0.03);
  f.place.y = between(random, -0.03, 0.03);
  f.place.z = between(random, 0.06, 0.09);
  f.angle = between(random, 0.0, 180.0);
  f.aside = between(random, -3.0, 3.0);
  f.spin = between(random, -60.0, 60.0);
  return f;
}

// The thing as a section of a scene; of bodies, the section is the last, and others may be added to it.
static inline void write_thin(int thing, const Flight* f, char* text, size_t size) {
  static const char* const shapes[ROPE] = {
      "capsule: {radius: 1 mm, length: 6 cm}",
      "cylinder: {radius: 1.5 cm, length: 2 mm}",
      "hull: {points: [[3 cm, 0, 0], [-3 cm, 0, 0], [0, 4 mm, 0], [0, -4 mm, 1 mm], [0, 0, -1 mm]]}",
      "box: {size: [5 cm, 5 cm, 2 mm]}",
      "box: {size: [2 cm, 1 cm, 1 mm]}",
      "sphere: {radius: 1 mm}"};
  if (thing == ROPE) {
    snprintf(
        text, size,
        "fibres: {thin: {model: der, elements: 12, radius: 1 mm, density: 1500 kg/m3, young: 0.1 GPa, length: 6 cm, "
        "position: [%g, %g, %g], direction: [%g, %g, %g], velocity: [%g, 0, -20]}}\n",
        f->place.x, f->place.y, f->place.z + 0.03, f->axis.x, f->axis.y, 0.3 * f->axis.z, f->aside);
  } else if (thing == SHEET) {
    snprintf(text, size,
             "sheets: {thin: {grid: {size: [4 cm, 4 cm], cells: [6, 6]}, position: [%g, %g, %g], rotation: {axis: [%g, "
             "%g, %g], angle: %g deg}, velocity: [%g, 0, -20]}}\n",
             f->place.x, f->place.y, f->place.z + 0.03, f->axis.x, f->axis.y, f->axis.z, f->angle, f->aside);
  } else {
    snprintf(
        text, size,
        "bodies:\n  thin: {%s, density: 2000 kg/m3, position: [%g, %g, %g], rotation: {axis: [%g, %g, %g], angle: %g "
        "deg}, velocity: [%g, 0, -20], angular_velocity: [%g, %g, %g]}\n",
        shapes[thing], f->place.x, f->place.y, f->place.z, f->axis.x, f->axis.y, f->axis.z, f->angle, f->aside, f->spin,
        0.5 * f->spin, -0.3 * f->spin);
  }
}

// A point of the middle plane or line of a body, in its frame.
static inline CpsVec3 place_on(int thing, int ring, int turn) {
  const double u = 2.0 * ring / (RINGS - 1.0) - 1.0, v = 2.0 * turn / (TURNS - 1.0) - 1.0;
  const double angle = 2.0 * acos(-1.0) * turn / TURNS;
  switch (thing) {
    case NEEDLE:
      return cps_vec3(0.0, 0.0, 0.029 * u);
    case COIN:
      return cps_vec3(0.015 * u * cos(angle), 0.015 * u * sin(angle), 0.0);
    case BLADE:
      return cps_vec3(0.029 * u, 0.0, 0.0);
    case PLATE:
      return cps_vec3(0.024 * u, 0.024 * v, 0.0);
    case CHIP:
      return cps_vec3(0.0095 * u, 0.0045 * v, 0.0);
    default:
      return cps_vec3(0.0, 0.0, 0.0);
  }
}

// Where the points of the thing are, at most POINTS; how many.
static inline int32_t points_of(const CpsWorld* world, int thing, CpsVec3* p) {
  if (thing == ROPE || thing == SHEET) {
    const CpsThing soft =
        thing == ROPE ? cps_thing_fibre(cps_world_fibre(world, 0)) : cps_thing_sheet(cps_world_sheet(world, 0));
    const int32_t count = (int32_t)cps_world_array_count(world, soft, CPS_QUANTITY_POSITION);
    assert_true(count <= POINTS);
    assert_int_equal(vertices_of(world, soft, p, NULL), CPS_OK);
    return count;
  }
  const CpsPose pose = body(world, 0).pose;
  for (int i = 0; i < POINTS; ++i) p[i] = cps_pose_apply(pose, place_on(thing, i / TURNS, i % TURNS));
  return POINTS;
}

// How deep a point is in the tetrahedra of a solid, in parts of the smallest height that it has above their faces: > 0 inside.
static inline double depth_in(const CpsVec3* x, const int32_t* tetrahedron, int32_t count, CpsVec3 p) {
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

// What became of a throw.
typedef struct Throw {
  int in;          // steps in which the thing is in the target
  double deepest;  // in a ball of points: m
  int32_t crossings;
  int64_t unsolved, halvings;
} Throw;

static inline CpsStepInfo throw_step(CpsWorld* world, Throw* t) {
  CpsStepInfo info;
  CpsError error = {{0}};
  const CpsStatus status = cps_world_step(world, &info, &error);
  if (status < 0) print_error("%s\n", error.text);
  assert_true(status >= 0);
  t->crossings += info.crossings;
  t->unsolved += status > 0;
  t->halvings += info.halvings;
  return info;
}

// At a soft slab of 2 cm (target 0) or a soft ball, with steps of 10 cm. Where it is in them is known by the tetrahedra.
static inline Throw throw_at_solid(int thing, int target, CpsRandom* random) {
  static const char* const targets[2] = {
      "box: {size: [0.2, 0.2, 0.02], cells: [10, 10, 1]}, pins: [{side: -x}, {side: +x}]",
      "ball: {radius: 5 cm, size: 2 cm}, position: [0, 0, -0.05]"};
  enum { NODES = 2000, TEXT = 2048 };
  static CpsVec3 x[NODES], p[POINTS];
  const Flight flight = random_flight(random);
  char text[TEXT], thin[TEXT / 2];
  write_thin(thing, &flight, thin, sizeof thin);
  snprintf(text, sizeof text,
           "%ssolids: {target: {%s, young: 1 MPa, poisson: 0.3, density: 300 kg/m3, surface: smooth}}\n"
           "gravity: 0\ncontact: {mu: 0.3}\ntime: {step: 5 ms, end: 1 s}\n",
           thin, targets[target]);
  CpsWorld* world = parse(text);
  const CpsSolidId id = cps_world_solid(world, 0);
  const int32_t* tetrahedra = cps_world_solid_tetrahedra(world, id);
  CpsSolidInfo solid;
  Throw t = {0};
  assert_int_equal(cps_world_solid_info(world, id, &solid), CPS_OK);
  assert_true(solid.vertex_count <= NODES);
  for (int i = 0; i < 60 && cps_world_time(world) < 0.012; ++i) {
    throw_step(world, &t);
    assert_int_equal(vertices_of(world, cps_thing_solid(id), x, NULL), CPS_OK);
    const int32_t count = points_of(world, thing, p);
    bool deep = false;
    for (int32_t k = 0; k < count; ++k) {
      deep = deep || depth_in(x, tetrahedra, solid.tetrahedron_count, p[k]) > 0.08;
      deep = deep || (target == 0 && p[k].z < -0.012 && fabs(p[k].x) < 0.09 && fabs(p[k].y) < 0.09);
    }
    t.in += deep;
  }
  cps_world_destroy(world);
  return t;
}

// At a ball of points that stands or moves, with the same steps. Where it is is known by the ball that the points are taken from.
static inline Throw throw_at_cloud(int thing, bool moving, CpsRandom* random) {
  enum { TEXT = 2048 };
  const double radius = 0.05;
  static CpsVec3 p[POINTS];
  const Flight flight = random_flight(random);
  char text[TEXT], thin[TEXT / 2];
  write_thin(thing, &flight, thin, sizeof thin);
  snprintf(text, sizeof text,
           "%s%s: {points: {file: %s/scenes/parts/cloud-sphere.ply, scale: %g}, position: [0, 0, %g]%s}\n"
           "gravity: 0\ncontact: {mu: 0.3}\ntime: {step: 5 ms, end: 1 s}\n",
           thin, moving ? "  ball" : "obstacles:\n  ball", SOURCE_DIR, radius, -radius,
           moving ? ", density: 500 kg/m3" : "");
  CpsWorld* world = parse(text);
  Throw t = {.deepest = -INFINITY};
  for (int i = 0; i < 200 && cps_world_time(world) < 0.012; ++i) {
    throw_step(world, &t);
    const CpsVec3 centre = moving ? body(world, 1).pose.position : cps_vec3(0.0, 0.0, -radius);
    const int32_t count = points_of(world, thing, p);
    for (int32_t k = 0; k < count; ++k) {
      t.deepest = fmax(t.deepest, radius - cps_vec3_norm(cps_vec3_sub(p[k], centre)));
    }
  }
  cps_world_destroy(world);
  t.in = t.deepest > 1.5e-3;  // the surface of the points is 0.3 mm outside, half the thickness 1 mm
  return t;
}

#endif
