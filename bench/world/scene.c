#include "world/scene.h"

#include <math.h>
#include <stdlib.h>

#include "core/quat.h"
#include "core/random.h"

static const double density = 1000.0, pi = 3.14159265358979323846;

// Mass and moments of a solid shape in closed form, so that no engine's own formulas (Bullet takes a capsule for a box)
// make the scenes differ.
static CpsBenchBody body_of(CpsShape shape) {
  CpsBenchBody body = {.shape = shape};
  double r = shape.radius, l = shape.length;
  if (shape.kind == CPS_SHAPE_SPHERE) {
    body.mass = density * 4.0 / 3.0 * pi * r * r * r;
    body.inertia = cps_vec3_scale(0.4 * body.mass * r * r, (CpsVec3){1.0, 1.0, 1.0});
  } else if (shape.kind == CPS_SHAPE_BOX) {
    CpsVec3 s = shape.size, sq = {s.x * s.x, s.y * s.y, s.z * s.z};
    body.mass = density * s.x * s.y * s.z;
    body.inertia = cps_vec3_scale(body.mass / 12.0, (CpsVec3){sq.y + sq.z, sq.x + sq.z, sq.x + sq.y});
  } else {
    double cylinder = density * pi * r * r * l, caps = density * 4.0 / 3.0 * pi * r * r * r;
    double across = cylinder * (0.25 * r * r + l * l / 12.0) + caps * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r);
    body.mass = cylinder + caps;
    body.inertia = (CpsVec3){across, across, 0.5 * cylinder * r * r + 0.4 * caps * r * r};
  }
  return body;
}

static bool init(CpsBenchScene* scene, const char* name, int32_t count) {
  *scene = (CpsBenchScene){.name = name, .mu = 0.5, .step = 0.01, .body_count = count};
  scene->bodies = calloc((size_t)count, sizeof *scene->bodies);
  scene->start = calloc((size_t)count, sizeof *scene->start);
  if (scene->bodies && scene->start) return true;
  cps_bench_scene_free(scene);
  return false;
}

void cps_bench_scene_free(CpsBenchScene* scene) {
  free(scene->bodies);
  free(scene->start);
  *scene = (CpsBenchScene){0};
}

static void place(CpsBenchScene* scene, int32_t i, CpsShape shape, CpsVec3 position, CpsQuat rotation) {
  scene->bodies[i] = body_of(shape);
  scene->start[i] = (CpsBenchState){.pose = {position, cps_quat_unit(rotation)}};
}

static double between(CpsRandom* random, double low, double high) {
  return low + (high - low) * cps_random_uniform(random);
}

// Middle of cell i of a lattice of per_side x per_side cells a layer, shaken by up to `shake`.
static CpsVec3 lattice(CpsRandom* random, int32_t i, int32_t per_side, double cell, double shake) {
  int32_t layer = i / (per_side * per_side), row = i / per_side % per_side, column = i % per_side;
  double half = 0.5 * (double)(per_side - 1);
  CpsVec3 centre = {cell * ((double)column - half), cell * ((double)row - half), cell * ((double)layer + 0.5)};
  return (CpsVec3){centre.x + between(random, -shake, shake), centre.y + between(random, -shake, shake), centre.z};
}

bool cps_bench_spheres(CpsBenchScene* scene, const char* name, int32_t count, int32_t per_side) {
  if (!init(scene, name, count)) return false;
  CpsRandom random = cps_random_seed(1);
  // radii of 0.4 to 0.5 m: equal spheres would crystallise
  double cell = 1.05;
  scene->half_width = 0.5 * cell * (double)per_side;
  for (int32_t i = 0; i < count; ++i) {
    CpsVec3 position = lattice(&random, i, per_side, cell, 0.02);
    place(scene, i, cps_sphere(between(&random, 0.4, 0.5)), position, cps_quat_identity());
  }
  return true;
}

bool cps_bench_wall(CpsBenchScene* scene) {
  enum { COURSES = 20, BRICKS = 25 };
  if (!init(scene, "wall of 500 boxes", COURSES * BRICKS)) return false;
  CpsVec3 size = {1.0, 0.6, 0.4};
  // bricks of one course do not touch
  double pitch = size.x + 0.01;
  for (int32_t c = 0; c < COURSES; ++c)
    for (int32_t i = 0; i < BRICKS; ++i) {
      double x = pitch * ((double)i - 12.0) + (c % 2 ? pitch / 3.0 : 0.0);
      CpsVec3 position = {x, 0.0, size.z * ((double)c + 0.5)};
      place(scene, c * BRICKS + i, cps_box(size), position, cps_quat_identity());
    }
  return true;
}

bool cps_bench_pile(CpsBenchScene* scene, int32_t count, int32_t per_side) {
  if (!init(scene, "mixed pile of 2 000", count)) return false;
  CpsRandom random = cps_random_seed(2);
  double cell = 1.4;
  scene->half_width = 0.5 * cell * (double)per_side;
  for (int32_t i = 0; i < count; ++i) {
    CpsVec3 position = lattice(&random, i, per_side, cell, 0.02);
    double s = between(&random, 0.8, 1.0);
    CpsShape shape = cps_sphere(0.5 * s);
    if (i % 3 == 1) shape = cps_box((CpsVec3){s, 0.75 * s, 0.6 * s});
    if (i % 3 == 2) shape = cps_capsule(0.3 * s, 0.7 * s);
    CpsVec3 turn = {between(&random, -pi, pi), between(&random, -pi, pi), between(&random, -pi, pi)};
    place(scene, i, shape, position, cps_quat_exp(turn));
  }
  return true;
}

bool cps_bench_single(CpsBenchScene* scene, CpsShape shape, double height, double speed) {
  if (!init(scene, "one body", 1)) return false;
  place(scene, 0, shape, (CpsVec3){0.0, 0.0, height}, cps_quat_identity());
  scene->start[0].velocity.x = speed;
  return true;
}
