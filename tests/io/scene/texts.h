// Scenes from text, and the message with which a bad one is refused.
#ifndef CAPSTAN_TESTS_IO_SCENE_TEXTS_H
#define CAPSTAN_TESTS_IO_SCENE_TEXTS_H

#include "io/scene/internal.h"
#include "test_helpers.h"

#include <string.h>

static inline CpsScene* read_scene(const char* text, const char* set) {
  CpsScene* scene = NULL;
  CpsError error = {"untouched"};
  CpsStatus status = cps_scene_parse(text, strlen(text), "scenes/x.yaml", &set, set ? 1 : 0, &scene, &error);
  if (status != CPS_OK) fail_msg("refused: %s\n%s", error.text, text);
  assert_string_equal(error.text, "");
  return scene;
}

static inline void refuse_scene(const char* text, const char* set, CpsStatus expected, const char* sentence) {
  CpsScene* scene = NULL;
  CpsError error;
  CpsStatus status = cps_scene_parse(text, strlen(text), "scenes/x.yaml", &set, set ? 1 : 0, &scene, &error);
  if (status == CPS_OK) fail_msg("not refused:\n%s", text);
  assert_string_equal(error.text, sentence);
  assert_int_equal(status, expected);
  assert_null(scene);
}

// The bodies of the scene's first entry.
static inline const CpsSceneGroup* only_group(const CpsScene* scene) {
  assert_int_equal(scene->group_count, 1);
  return &scene->groups[0];
}

#endif
