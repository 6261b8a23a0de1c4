// Worlds of scenes that are written in tests.
#ifndef CAPSTAN_TESTS_IO_SCENE_BUILD_TEXT_H
#define CAPSTAN_TESTS_IO_SCENE_BUILD_TEXT_H

#include "capstan/scene.h"
#include "test_helpers.h"

#include <string.h>

// Builds the world of a text; fails unless that ends with the status, and with the words in its sentence if there are any.
static inline CpsWorld* build(const char* text, CpsStatus expected, const char* words) {
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsError error = {""};
  CpsStatus status = cps_scene_parse(text, strlen(text), "test.yaml", NULL, 0, &scene, &error);
  if (status == CPS_OK) status = cps_scene_build(scene, 1, &world, &error);
  cps_scene_destroy(scene);
  if (status != expected || (words && !strstr(error.text, words))) {
    print_error("status %d: %s\n", (int)status, error.text);
    fail();
  }
  return world;
}

#endif
