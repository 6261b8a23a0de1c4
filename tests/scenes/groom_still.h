// Real grooms that hang as they were combed, with contacts between their strands.
#ifndef CAPSTAN_TESTS_SCENES_GROOM_STILL_H
#define CAPSTAN_TESTS_SCENES_GROOM_STILL_H

#include "capstan/inverse.h"
#include "scenes/scene_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const GROOMS[2][2] = {
    {SHARED_DATA "/hair/yuksel_straight.hair", "scale: 0.005"},
    {SHARED_DATA "/hair/creamystrand_man_hair_init_700.ply", "scale: 0.01, up: y"}};

// The groom as anybody would load it, but for a contact radius at which strands touch, moved apart or with its overlaps; NULL: it is
// not here.
static inline CpsWorld* open_groom_touching(int groom, int count, bool apart, const char* natural, int threads,
                                            const char* radius) {
  FILE* file = fopen(GROOMS[groom][0], "rb");
  if (!file) {
    print_message("skipped: %s is missing\n", GROOMS[groom][0]);
    return NULL;
  }
  fclose(file);
  char text[1000];
  snprintf(text, sizeof text,
           "contact: {mu: 0.3}\nstart: %s\nfibres:\n  hair: {hair: {file: %s, count: %d, %s}, radius: 40 um, "
           "contact_radius: %s, root: clamped%s}\ntime: {step: 2 ms}\n",
           apart ? "separate" : "keep", GROOMS[groom][0], count, GROOMS[groom][1], radius, natural);
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsError error = {{0}};
  if (cps_scene_parse(text, strlen(text), "groom.yaml", NULL, 0, &scene, &error) != CPS_OK ||
      cps_scene_build(scene, threads, &world, &error) != CPS_OK) {
    print_error("%s\n", error.text);
    fail();
  }
  cps_scene_destroy(scene);
  return world;
}

static inline CpsWorld* open_groom(int groom, int count, bool apart, const char* natural, int threads) {
  return open_groom_touching(groom, count, apart, natural, threads, "0.2 mm");
}

// How far any point of any strand is from where it was, in lengths of its strand.
static inline double drift(const CpsWorld* world, const CpsVec3* before) {
  double most = 0.0;
  for (int32_t i = 0; i < cps_world_fibre_count(world); ++i) {
    const CpsFibreId id = cps_world_fibre(world, i);
    CpsVec3 now[11];
    CpsFibreInfo info;
    assert_int_equal(cps_world_fibre_points(world, id, 11, now), CPS_OK);
    assert_int_equal(cps_world_fibre_info(world, id, &info), CPS_OK);
    for (int k = 0; k < 11; ++k) {
      const CpsVec3 a = before[11 * i + k], b = now[k];
      most = fmax(most, hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z) / info.length);
    }
  }
  return most;
}

// Drift after some seconds; *contacts and *first get the contacts and the kinetic energy of the first step.
static inline double still_for(CpsWorld* world, double seconds, int32_t* contacts, double* first) {
  const int32_t count = cps_world_fibre_count(world);
  CpsVec3* before = malloc(11 * (size_t)count * sizeof *before);
  assert_non_null(before);
  for (int32_t i = 0; i < count; ++i) {
    assert_int_equal(cps_world_fibre_points(world, cps_world_fibre(world, i), 11, before + 11 * (ptrdiff_t)i), CPS_OK);
  }
  *contacts = 0;
  *first = NAN;
  while (cps_world_time(world) < seconds - 1e-6) {
    CpsStepInfo info;
    CpsError error = {{0}};
    if (cps_world_step(world, &info, &error) < 0) fail_msg("%s", error.text);
    if (isnan(*first)) {
      *first = cps_world_energy(world).kinetic;
      *contacts = info.contacts;
    }
  }
  const double found = drift(world, before);
  free(before);
  return found;
}

#endif
