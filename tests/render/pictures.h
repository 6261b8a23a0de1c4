// Pictures of small scenes for the tests of the renderer.
#ifndef CAPSTAN_TESTS_RENDER_PICTURES_H
#define CAPSTAN_TESTS_RENDER_PICTURES_H

#include <stdlib.h>
#include <string.h>

#include "capstan/render.h"
#include "test_helpers.h"

#define PI 3.14159265358979323846
#define STILL "gravity: [0, 0, 0]\n"

typedef struct Picture {
  CpsScene* scene;
  CpsWorld* world;
  CpsShow* show;
  CpsRender* render;
  int32_t width, height;
  uint8_t* rgb;
} Picture;

// A camera on the -y side that looks along +y at the origin.
static inline CpsRenderOptions looking_along_y(double distance, double fov, int32_t width, int32_t height) {
  CpsRenderOptions options = cps_render_options_default();
  options.width = width;
  options.height = height;
  options.camera_given = true;
  options.camera.eye = (CpsVec3){0.0, -distance, 0.0};
  options.camera.target = (CpsVec3){0.0, 0.0, 0.0};
  options.camera.fov = fov;
  return options;
}

static inline void open_scene(Picture* picture, const char* text) {
  CpsError error = {""};
  *picture = (Picture){0};
  if (cps_scene_parse(text, strlen(text), "test.yaml", NULL, 0, &picture->scene, &error) != CPS_OK)
    fail_msg("%s", error.text);
  if (cps_scene_build(picture->scene, 1, &picture->world, &error) != CPS_OK) fail_msg("%s", error.text);
  if (cps_show_world(picture->scene, picture->world, &picture->show, &error) != CPS_OK) fail_msg("%s", error.text);
}

static inline void draw_again(Picture* picture, const CpsRenderOptions* options) {
  CpsError error = {""};
  cps_render_destroy(picture->render);
  picture->render = NULL;
  free(picture->rgb);
  picture->width = options->width;
  picture->height = options->height;
  picture->rgb = calloc(3 * (size_t)options->width, (size_t)options->height);
  assert_non_null(picture->rgb);
  if (cps_render_create(picture->show, options, &picture->render, &error) != CPS_OK) fail_msg("%s", error.text);
  if (cps_render_frame(picture->render, 0, picture->rgb, &error) != CPS_OK) fail_msg("%s", error.text);
}

static inline Picture draw_scene(const char* text, const CpsRenderOptions* options) {
  Picture picture;
  open_scene(&picture, text);
  draw_again(&picture, options);
  return picture;
}

static inline void close_picture(Picture* picture) {
  cps_render_destroy(picture->render);
  cps_show_destroy(picture->show);
  cps_world_destroy(picture->world);
  cps_scene_destroy(picture->scene);
  free(picture->rgb);
}

static inline const uint8_t* pixel_at(const Picture* picture, int32_t x, int32_t y) {
  assert_true(x >= 0 && y >= 0 && x < picture->width && y < picture->height);
  return picture->rgb + 3 * ((size_t)y * (size_t)picture->width + (size_t)x);
}

// How far a pixel is from the background of its row, whose first pixel must be empty: the largest of three differences.
static inline int contrast_at(const Picture* picture, int32_t x, int32_t y) {
  const uint8_t *p = pixel_at(picture, x, y), *q = pixel_at(picture, 0, y);
  int most = 0;
  for (int k = 0; k < 3; ++k) most = abs(p[k] - q[k]) > most ? abs(p[k] - q[k]) : most;
  return most;
}

#endif
