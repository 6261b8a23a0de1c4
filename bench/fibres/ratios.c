// Ratios of processor times that the docs promise, each of two runs beside each other, the best of three:
//
//   a rope that sticks on a bollard over one that slides;
//   strands of a file with `mend` over the same without.
//
// usage: bench-ratios --tests DIRECTORY [--quick]      DIRECTORY: tests/scenes of the project
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "capstan/scene.h"
#include "core/clock.h"

typedef struct Case {
  const char *name, *file;
  const char *over[2], *under[2];  // what each of the two runs sets
  double time;                     // simulated, s
} Case;
static const Case CASES[] = {
    {"rope on a bollard, sticks / slides", "bollard.yaml", {"mu=0.4"}, {"mu=0.05"}, 0.06},
    {"100 strands from a file, with / without `mend`",
     "groom_file.yaml",
     {"fibres.hair.hair.file=" SHARED_DATA "/hair/yuksel_straight.hair", "time.mend=true"},
     {"fibres.hair.hair.file=" SHARED_DATA "/hair/yuksel_straight.hair", "time.mend=false"},
     0.5},
};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0], TRIES = 3 };

// Processor time of a run in seconds; NAN with a message where it fails.
static double seconds_of(const char* path, const char* const over[2], double end) {
  CpsError error = {{0}};
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  double start = 0.0;
  CpsStatus status = cps_scene_load(path, over, over[1] ? 2 : 1, &scene, &error);
  if (status == CPS_OK) status = cps_scene_build(scene, 1, &world, &error);
  start = cps_clock_cpu();
  while (status >= 0 && cps_world_time(world) < end) status = cps_world_step(world, NULL, &error);
  const double seconds = cps_clock_cpu() - start;
  if (status < 0) fprintf(stderr, "%s: %s\n", path, error.text);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
  return status < 0 ? NAN : seconds;
}

int main(int count, char** words) {
  const char* folder = NULL;
  bool quick = false;
  for (int i = 1; i < count; ++i) {
    if (strcmp(words[i], "--quick") == 0) quick = true;
    if (strcmp(words[i], "--tests") == 0 && i + 1 < count) folder = words[++i];
  }
  if (!folder) return fprintf(stderr, "usage: bench-ratios --tests DIRECTORY [--quick]\n"), 2;
  printf("| CPU time of | first, s | second, s | ratio |\n|---|---:|---:|---:|\n");
  for (int i = 0; i < CASE_COUNT; ++i) {
    char path[1024];
    double over = INFINITY, under = INFINITY;
    snprintf(path, sizeof path, "%s/%s", folder, CASES[i].file);
    for (int k = 0; k < (quick ? 1 : TRIES); ++k) {
      over = fmin(over, seconds_of(path, CASES[i].over, CASES[i].time));
      under = fmin(under, seconds_of(path, CASES[i].under, CASES[i].time));
    }
    if (isinf(over) || isinf(under)) continue;
    printf("| %s | %.2f | %.2f | %.2f |\n", CASES[i].name, over, under, over / under);
  }
  return 0;
}
