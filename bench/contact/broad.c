// Time of contact detection against the number of bodies: the broad phase alone, and with all touches.
//
//   spheres   equal ones on a body-centred lattice, shaken by 2 % of their diameter: 4 pairs of boxes per sphere
//   mixed     radii from 1 to 1000, half as many in each octave as in the one below, in a cube that they half fill
//   fibres    1000 wavy fibres side by side, each a chain of capsules ten times as long as they are thick that may touch
//             itself from three pieces on
//
// Each figure is the shortest of several runs on the same scene, in processor time of one thread, so that other programs on
// the machine do not count. Time per body shows whether it grows with their number.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact/broad.h"
#include "contact/detect.h"
#include "core/clock.h"
#include "core/random.h"

typedef struct Scene {
  const char* name;
  CpsCollider* colliders;
  int32_t count;
  CpsGeom** geoms;
  int32_t geom_count;
  double skin;
} Scene;

static const double pi = 3.14159265358979323846;

static CpsGeom* geom_of(CpsShape shape) {
  CpsGeom* geom = NULL;
  if (cps_geom_create(&shape, &geom, NULL) != CPS_OK) exit(1);
  return geom;
}

static Scene new_scene(const char* name, int32_t count, int32_t geoms) {
  Scene scene = {.name = name, .count = count, .geom_count = geoms};
  scene.colliders = calloc((size_t)count, sizeof *scene.colliders);
  scene.geoms = calloc((size_t)geoms, sizeof *scene.geoms);
  if (scene.colliders == NULL || scene.geoms == NULL) exit(1);
  return scene;
}

static void place(Scene* scene, int32_t i, const CpsGeom* geom, CpsPose pose, int32_t owner) {
  scene->colliders[i] = (CpsCollider){.geom = geom, .pose = pose, .key = (uint64_t)i, .owner = owner};
}

static Scene spheres(int32_t count) {
  Scene scene = new_scene("spheres", count, 1);
  CpsRandom random = cps_random_seed(1);
  scene.geoms[0] = geom_of(cps_sphere(0.5));
  scene.skin = 0.06;  // all neighbours of the lattice, shaken or not
  const int32_t side = (int32_t)ceil(cbrt(0.5 * count));
  const double a = 2.0 / sqrt(3.0);
  for (int32_t i = 0; i < count; i++) {
    const int32_t cell = i / 2, odd = i % 2;
    const double shake[3] = {cps_random_uniform(&random), cps_random_uniform(&random), cps_random_uniform(&random)};
    const CpsVec3 p = {a * (cell % side + 0.5 * odd) + 0.02 * shake[0],
                       a * (cell / side % side + 0.5 * odd) + 0.02 * shake[1],
                       a * (cell / side / side + 0.5 * odd) + 0.02 * shake[2]};
    place(&scene, i, scene.geoms[0], (CpsPose){p, cps_quat_identity()}, i);
  }
  return scene;
}

static Scene mixed(int32_t count) {
  enum { SIZES = 64 };
  Scene scene = new_scene("mixed", count, SIZES);
  CpsRandom random = cps_random_seed(2);
  for (int32_t k = 0; k < SIZES; k++) scene.geoms[k] = geom_of(cps_sphere(pow(1000.0, (k + 0.5) / SIZES)));
  scene.skin = 0.01;
  double volume = 0.0;
  for (int32_t i = 0; i < count; i++) {
    const double r = 1.0 / (1.0 - cps_random_uniform(&random) * 0.999);  // 1 / r is uniform
    int32_t k = (int32_t)(log(r) / log(1000.0) * SIZES);
    if (k >= SIZES) k = SIZES - 1;
    place(&scene, i, scene.geoms[k], (CpsPose){{0, 0, 0}, cps_quat_identity()}, i);
    volume += 4.0 / 3.0 * pi * pow(scene.geoms[k]->radius, 3);
  }
  const double side = cbrt(2.0 * volume);
  for (int32_t i = 0; i < count; i++) {
    scene.colliders[i].pose.position.x = side * cps_random_uniform(&random);
    scene.colliders[i].pose.position.y = side * cps_random_uniform(&random);
    scene.colliders[i].pose.position.z = side * cps_random_uniform(&random);
  }
  return scene;
}

// The rotation that takes the z axis to a unit vector that does not point down.
static CpsQuat z_to(CpsVec3 u) {
  return cps_quat_unit((CpsQuat){1.0 + u.z, -u.y, u.x, 0.0});
}

static Scene fibres(int32_t count) {
  enum { FIBRES = 1000 };
  const double radius = 5e-4, length = 1e-2;
  const int32_t pieces = count / FIBRES;
  Scene scene = new_scene("fibres", pieces * FIBRES, 1);
  CpsRandom random = cps_random_seed(3);
  scene.geoms[0] = geom_of(cps_capsule(radius, length));
  scene.skin = 1e-4;
  for (int32_t f = 0; f < FIBRES; f++) {
    // a sunflower has about the same room for each
    const double r = radius * 2.1 * sqrt(f / 0.9), angle = f * pi * (3.0 - sqrt(5.0));
    const double phase = 2.0 * pi * cps_random_uniform(&random);
    CpsVec3 p = {r * cos(angle), r * sin(angle), 0.0};
    for (int32_t k = 0; k < pieces; k++) {
      const CpsVec3 u = cps_vec3_unit(cps_vec3(0.05 * sin(0.7 * k + phase), 0.05 * cos(0.5 * k + phase), 1.0));
      const CpsVec3 q = cps_vec3_axpy(p, length, u);
      place(&scene, f * pieces + k, scene.geoms[0], (CpsPose){cps_vec3_scale(0.5, cps_vec3_add(p, q)), z_to(u)}, f);
      CpsCollider* piece = &scene.colliders[f * pieces + k];
      piece->arc[0] = k * length;
      piece->arc[1] = (k + 1) * length;
      piece->self_distance = 3.0 * length;
      piece->joined = (uint8_t)((k > 0 ? 1 : 0) | (k < pieces - 1 ? 2 : 0));
      p = q;
    }
  }
  return scene;
}

static void free_scene(Scene* scene) {
  for (int32_t k = 0; k < scene->geom_count; k++) cps_geom_destroy(scene->geoms[k]);
  free((void*)scene->geoms);
  free(scene->colliders);
}

static double time_broad(const Scene* scene, int runs, int64_t* pairs) {
  CpsBroadBox* boxes = calloc((size_t)scene->count, sizeof *boxes);
  CpsArena arena = {0};
  double best = INFINITY;
  if (boxes == NULL) exit(1);
  for (int32_t i = 0; i < scene->count; i++) {
    const CpsCollider* c = &scene->colliders[i];
    const CpsAabb box = cps_geom_bounds(c->geom, &c->pose);
    const CpsVec3 by = {0.5 * scene->skin, 0.5 * scene->skin, 0.5 * scene->skin};
    boxes[i] = (CpsBroadBox){.box = {cps_vec3_sub(box.min, by), cps_vec3_add(box.max, by)},
                             .owner = c->owner,
                             .group = c->group,
                             .arc = {c->arc[0], c->arc[1]},
                             .self_distance = c->self_distance};
  }
  for (int run = 0; run < runs; run++) {
    cps_arena_reset(&arena);
    const double start = cps_clock_cpu();
    if (cps_broad_pairs(boxes, scene->count, NULL, &arena, pairs) == NULL) exit(1);
    best = fmin(best, cps_clock_cpu() - start);
  }
  cps_arena_free(&arena);
  free(boxes);
  return best;
}

static double time_detect(const Scene* scene, int runs, int32_t* touches) {
  CpsDetector* detector = cps_detector_create();
  const CpsColliderTouch* found = NULL;
  double best = INFINITY;
  if (detector == NULL) exit(1);
  for (int run = 0; run < runs; run++) {
    const double start = cps_clock_cpu();
    if (!cps_detect(detector, scene->colliders, scene->count, scene->skin, NULL, &found, touches)) exit(1);
    best = fmin(best, cps_clock_cpu() - start);
  }
  cps_detector_destroy(detector);
  return best;
}

static void measure(FILE* file, Scene scene, bool quick) {
  const int runs = quick ? 3 : scene.count > 20000 ? 10 : 30;
  int64_t pairs = 0;
  int32_t touches = 0;
  const double broad = time_broad(&scene, runs, &pairs), detect = time_detect(&scene, runs, &touches);
  FILE* files[] = {stdout, file};
  for (int k = 0; k < 2; k++) {
    if (files[k] == NULL) continue;
    (void)fprintf(files[k], "| %s | %d | %lld | %d | %.2f | %.2f | %.0f |\n", scene.name, scene.count, (long long)pairs,
                  touches, 1e3 * broad, 1e3 * detect, 1e9 * detect / scene.count);
  }
  free_scene(&scene);
}

int main(int argc, char** argv) {
  bool quick = false;
  char path[1024] = "";
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--quick") == 0) quick = true;
    if (strcmp(argv[i], "--out") == 0 && i + 1 < argc) (void)snprintf(path, sizeof path, "%s/broad.md", argv[++i]);
  }
  FILE* file = path[0] != '\0' ? fopen(path, "w") : NULL;
  FILE* files[] = {stdout, file};
  for (int k = 0; k < 2; k++) {
    if (files[k] == NULL) continue;
    (void)fputs(
        "| scene | bodies | pairs of boxes | touches | broad phase, ms | detection, ms | "
        "ns per body |\n|---|---:|---:|---:|---:|---:|---:|\n",
        files[k]);
  }
  const int32_t counts[] = {1000, 10000, 100000};
  for (int k = 0; k < 3; k++) measure(file, spheres(counts[k]), quick);
  for (int k = 0; k < 3; k++) measure(file, mixed(counts[k]), quick);
  const int32_t pieces[] = {1000, 10000, 58000};
  for (int k = 0; k < 3; k++) measure(file, fibres(pieces[k]), quick);
  if (file != NULL && fclose(file) != 0) return 1;
  return 0;
}
