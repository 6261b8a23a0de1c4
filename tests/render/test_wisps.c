// Fibres drawn as wisps of hairs, equation (3) of src/render/fibres.c.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/pictures.h"

#define WIDTH 120
#define HEIGHT 90
#define RADIUS 0.6e-3
#define SPREAD 40.0

// A straight fibre that hangs in the middle of the picture, at a distance of 1 m.
static Picture draw_wisp(int32_t hairs, int32_t threads) {
  CpsRenderOptions options = looking_along_y(1.0, 30.0, WIDTH, HEIGHT);
  options.samples = 64;
  options.hairs = hairs;
  options.spread = SPREAD;
  options.threads = threads;
  return draw_scene(
      STILL
      "fibres: {hair: {model: der, elements: 8, length: 40 cm, radius: 0.6 mm, young: 1 GPa, root: clamped,\n"
      "  position: [0, 0, 0.2], direction: [0, 0, -1]}}\n",
      &options);
}

// Sum of the contrast over a row, mean of the rows in the middle; `outside` counts what is farther than `half` pixels away.
static double darkness(const Picture* picture, double half, int* outside) {
  double sum = 0.0;
  *outside = 0;
  for (int32_t y = 30; y < 60; ++y) {
    for (int32_t x = 1; x < WIDTH - 1; ++x) {
      int contrast = pixel_at(picture, 0, y)[2] - pixel_at(picture, x, y)[2];
      sum += contrast / 30.0;
      *outside += fabs(x + 0.5 - 0.5 * WIDTH) > half && contrast != 0;
    }
  }
  return sum;
}

static void a_wisp_lies_within_its_spread_and_is_as_dark_as_its_hairs(void** state) {
  (void)state;
  double pixel = 2.0 * tan(15.0 * PI / 180.0) / HEIGHT;
  double half = SPREAD * RADIUS / pixel + 2.5;  // a hair is drawn a pixel wide, the film has a tent of 1.7 pixels
  int outside, none;
  Picture few = draw_wisp(4, 1), wisp = draw_wisp(16, 1);
  double four = darkness(&few, half, &none), sixteen = darkness(&wisp, half, &outside);
  assert_int_equal(none, 0);
  assert_int_equal(outside, 0);
  // n hairs of radius r / (2 sqrt n) are together sqrt(n) r wide; colours differ by 25 % (4 % in the mean of 16), and
  // one hair hides another here and there (4 %)
  assert_near(sixteen / four, 2.0, 0.3);
  close_picture(&wisp);
  close_picture(&few);
}

static void a_wisp_is_the_same_for_any_number_of_threads_and_in_every_frame(void** state) {
  (void)state;
  Picture one = draw_wisp(9, 1), three = draw_wisp(9, 3);
  size_t size = (size_t)3 * WIDTH * HEIGHT;
  assert_memory_equal(one.rgb, three.rgb, size);
  memset(three.rgb, 0, size);
  assert_int_equal(cps_render_frame(three.render, 0, three.rgb, NULL), CPS_OK);
  assert_memory_equal(one.rgb, three.rgb, size);
  close_picture(&one);
  close_picture(&three);
}

static void wisps_without_hairs_or_without_an_end_are_refused(void** state) {
  (void)state;
  Picture picture;
  open_scene(&picture, STILL "bodies: {ball: {sphere: {radius: 1}}}\n");
  CpsRender* render = NULL;
  CpsRenderOptions bad[4];
  for (int k = 0; k < 4; ++k) bad[k] = cps_render_options_default();
  bad[0].hairs = 0;
  bad[1].hairs = 1001;
  bad[2].spread = NAN;
  bad[3].spread = -1.0;
  for (int k = 0; k < 4; ++k) {
    CpsError error = {""};
    assert_int_equal(cps_render_create(picture.show, &bad[k], &render, &error), CPS_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, k < 2 ? "hairs" : "spread"));
  }
  close_picture(&picture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wisp_lies_within_its_spread_and_is_as_dark_as_its_hairs),
      cmocka_unit_test(a_wisp_is_the_same_for_any_number_of_threads_and_in_every_frame),
      cmocka_unit_test(wisps_without_hairs_or_without_an_end_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
