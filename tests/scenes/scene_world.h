// Shared by the tests of scenes: a file of scenes/ with overrides as a world, and sums over its steps.
#ifndef CAPSTAN_TESTS_SCENES_SCENE_WORLD_H
#define CAPSTAN_TESTS_SCENES_SCENE_WORLD_H

#include "capstan/scene.h"
#include "test_helpers.h"

// The sanitizers make a step ten times as long; the same facts are then examined for a shorter time.
enum { SHORTER = SANITIZED };

enum { MOST_OVERRIDES = 8, OVERRIDE_SIZE = 256 };

// Texts "key=value" that are put together one by one.
typedef struct Overrides {
  char text[MOST_OVERRIDES][OVERRIDE_SIZE];
  int32_t count;
} Overrides;

__attribute__((format(printf, 2, 3))) static inline void override(Overrides* o, const char* format, ...) {
  assert_true(o->count < MOST_OVERRIDES);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(o->text[o->count++], OVERRIDE_SIZE, format, arguments);
  va_end(arguments);
}

// The world of scenes/`name`; o may be NULL.
static inline CpsWorld* open_scene(const char* name, const Overrides* o) {
  char path[512];
  const char* texts[MOST_OVERRIDES];
  CpsError error = {{0}};
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  snprintf(path, sizeof path, "%s/scenes/%s", SOURCE_DIR, name);
  for (int32_t i = 0; o && i < o->count; ++i) texts[i] = o->text[i];
  if (cps_scene_load(path, texts, o ? o->count : 0, &scene, &error) != CPS_OK ||
      cps_scene_build(scene, 0, &world, &error) != CPS_OK) {
    print_error("%s\n", error.text);
    fail();
  }
  cps_scene_destroy(scene);
  return world;
}

// What a run went through.
typedef struct Run {
  int64_t steps, unsolved, iterations, iterations_max;
  int32_t contacts_max, crossings;
  double residual_max, penetration_max, books_error;
} Run;

static inline void run_step(CpsWorld* world, Run* run) {
  CpsStepInfo info;
  CpsError error = {{0}};
  CpsStatus status = cps_world_step(world, &info, &error);
  if (status < 0) {
    print_error("%s\n", error.text);
    fail();
  }
  run->steps++;
  run->unsolved += status > 0;
  run->iterations += info.iterations;
  run->iterations_max = info.iterations > run->iterations_max ? info.iterations : run->iterations_max;
  run->contacts_max = info.contacts > run->contacts_max ? info.contacts : run->contacts_max;
  run->crossings += info.crossings;
  run->residual_max = fmax(run->residual_max, info.residual);
  run->penetration_max = fmax(run->penetration_max, info.penetration);
  run->books_error = fmax(run->books_error, cps_world_energy(world).error);
}

// Steps until the simulated time is `time`.
static inline Run run_until(CpsWorld* world, double time) {
  Run run = {0};
  double h = cps_world_settings(world).step;
  while (cps_world_time(world) < time - 0.5 * h) run_step(world, &run);
  return run;
}

static inline CpsBodyState body(const CpsWorld* world, int32_t i) {
  CpsBodyState state = {0};
  assert_int_equal(cps_world_body_state(world, cps_world_body(world, i), &state), CPS_OK);
  return state;
}

static inline double distance(CpsVec3 a, CpsVec3 b) {
  return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static inline double speed(CpsVec3 v) {
  return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

#endif
