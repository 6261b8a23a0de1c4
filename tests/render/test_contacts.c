// Arrows of impulses, colours that say something, and frames of results.
#include <unistd.h>

#include "render/pictures.h"

#include "render/camera.h"
#include "render/colour.h"
#include "render/internal.h"
#include "render/scene.h"

// A pixel with the hue of a colour: the same order and about the same ratios of its components, whatever its brightness.
static bool has_hue(const uint8_t* pixel, CpsFloat3 colour) {
  CpsFloat3 linear = cps_colour_hex((uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2]);
  float cosine = cps_float3_dot(cps_float3_unit(linear), cps_float3_unit(colour));
  return cosine > 0.995f;
}

static int count_hue(const Picture* picture, CpsFloat3 colour) {
  int count = 0;
  for (int32_t y = 0; y < picture->height; ++y) {
    for (int32_t x = 0; x < picture->width; ++x) count += has_hue(pixel_at(picture, x, y), colour);
  }
  return count;
}

static void step(Picture* picture, int count) {
  for (int k = 0; k < count; ++k) assert_true(cps_world_step(picture->world, NULL, NULL) >= 0);
}

// A ball of 1 kg that rests on the floor gets m g h along +z in each step: an arrow from the contact straight up, as long
// as the scale says. It is hidden in the ball, and shows through.
static void an_arrow_stands_on_a_contact(void** state) {
  (void)state;
  const char* text =
      "contact: {mu: 0.5}\n"
      "obstacles: {floor: {plane: {}, position: [0, 0, -0.5]}}\n"
      "bodies: {ball: {sphere: {radius: 0.5}, mass: 1}}\n"
      "time: {step: 10 ms}\n";
  CpsRenderOptions options = looking_along_y(6.0, 30.0, 120, 90);
  options.samples = 8;
  options.ground = false;
  options.legend = false;
  Picture picture;
  open_scene(&picture, text);
  step(&picture, 3);
  draw_again(&picture, &options);
  CpsFloat3 blue = cps_render_status_colour(CPS_CONTACT_STICK);
  assert_int_equal(count_hue(&picture, blue), 0);
  options.contacts = true;
  options.arrow_scale = 0.75 / (9.81 * 0.01);  // 0.75 m
  Picture with = picture;
  uint8_t* without = picture.rgb;
  with.rgb = NULL;
  with.render = NULL;
  cps_render_destroy(picture.render);
  draw_again(&with, &options);
  // pixels that changed: from the foot at z = -0.5 to the tip at z = 0.25, in the middle
  double scale = 45.0 / (6.0 * tan(15.0 * PI / 180.0));
  int top = 90, bottom = -1, left = 120, right = -1;
  for (int32_t y = 0; y < 90; ++y) {
    for (int32_t x = 0; x < 120; ++x) {
      size_t at = 3 * ((size_t)y * 120 + (size_t)x);
      if (memcmp(with.rgb + at, without + at, 3) == 0) continue;
      top = y < top ? y : top;
      bottom = y > bottom ? y : bottom;
      left = x < left ? x : left;
      right = x > right ? x : right;
    }
  }
  assert_near(top, 45.0 - 0.25 * scale, 2.0);
  assert_near(bottom, 45.0 + 0.5 * scale, 2.0);
  assert_near(0.5 * (left + right), 59.5, 1.0);
  free(without);
  close_picture(&with);
}

// A box that is pushed slides, and its colour says so; one that rests sticks.
static void colours_say_whether_contacts_stick_or_slide(void** state) {
  (void)state;
  const char* text =
      "contact: {mu: 0.3}\n"
      "obstacles: {floor: {plane: {}, position: [0, 0, -0.5]}}\n"
      "bodies:\n"
      "  rests: {box: {size: [1, 1, 1]}, position: [-1, 0, 0]}\n"
      "  slides: {box: {size: [1, 1, 1]}, position: [1, 0, 0], velocity: [0, 2, 0]}\n";
  CpsRenderOptions options = looking_along_y(8.0, 30.0, 80, 60);
  options.colour = CPS_COLOUR_STATUS;
  options.legend = false;
  options.ground = false;
  Picture picture;
  open_scene(&picture, text);
  step(&picture, 2);
  draw_again(&picture, &options);
  assert_true(has_hue(pixel_at(&picture, 26, 30), cps_render_status_colour(CPS_CONTACT_STICK)));
  assert_true(has_hue(pixel_at(&picture, 53, 30), cps_render_status_colour(CPS_CONTACT_SLIDE)));
  close_picture(&picture);
}

// The colour scale is fitted to the speeds of the bodies; its legend is in the lower left corner.
static void speed_has_a_scale_with_a_legend(void** state) {
  (void)state;
  const char* text =
      "gravity: [0, 0, 0]\n"
      "bodies:\n"
      "  slow: {sphere: {radius: 0.5}, position: [-1, 0, 0]}\n"
      "  fast: {sphere: {radius: 0.5}, position: [1, 0, 0], velocity: [0, 0, 4]}\n";
  CpsRenderOptions options = cps_render_options_default();
  options.width = 320;
  options.height = 180;
  options.samples = 2;
  options.colour = CPS_COLOUR_SPEED;
  options.low = 0.0;
  options.high = 4.0;
  Picture picture = draw_scene(text, &options);
  CpsRenderInfo info = cps_render_info(picture.render);
  assert_near(info.low, 0.0, 0.0);
  assert_near(info.high, 4.0, 0.0);
  assert_true(count_hue(&picture, cps_colour_scale(0.5f)) > 3);  // only the bar has it
  options.low = options.high = 0.0;
  options.legend = false;
  draw_again(&picture, &options);
  assert_int_equal(count_hue(&picture, cps_colour_scale(0.5f)), 0);
  close_picture(&picture);
}

// A fibre that falls freely goes down at g t everywhere; a world shows that without a frame before.
static void fibres_have_the_speed_of_their_points(void** state) {
  (void)state;
  CpsRenderOptions options = cps_render_options_default();
  options.width = options.height = 16;
  options.samples = 1;
  options.colour = CPS_COLOUR_SPEED;
  Picture picture;
  open_scene(&picture,
             "gravity: [0, 0, -10]\ntime: {step: 10 ms}\n"
             "fibres: {rope: {model: der, elements: 8, length: 0.5, radius: 5 mm}}\n");
  step(&picture, 15);
  draw_again(&picture, &options);
  CpsRenderInfo info = cps_render_info(picture.render);
  assert_near(info.low, 0.0, 0.0);
  assert_near(info.high, 1.5, 1e-6);  // quantiles are kept in single precision
  close_picture(&picture);
}

// A hanging rope: the scale goes from 0, though the tip has a rounding error below it, nearly to its weight, which is
// measured in thousandths of a newton.
static void scales_have_short_numbers(void** state) {
  (void)state;
  CpsRenderOptions options = cps_render_options_default();
  options.width = options.height = 16;
  options.samples = 1;
  options.colour = CPS_COLOUR_TENSION;
  Picture picture;
  open_scene(&picture,
             "gravity: [0, 0, -10]\ntime: {step: 10 ms}\n"
             "fibres: {rope: {model: der, elements: 8, length: 1, radius: 1 mm, density: 1000, root: clamped,\n"
             "                direction: [0, 0, -1]}}\n");
  step(&picture, 5);
  draw_again(&picture, &options);
  CpsRenderInfo info = cps_render_info(picture.render);
  assert_near(info.low, 0.0, 0.0);
  double weight = 1000.0 * PI * 1e-6 * 10.0;
  assert_near(info.high, 31.0 / 32.0 * weight,
              1e-4 * weight);  // 99 of 100 numbers: the last but one of 33; it swings a bit
  assert_int_equal(cps_legend_power(info.low, info.high), -3);
  close_picture(&picture);
  const struct {
    double low, high;
    int power;
  } cases[] = {{0.0, 1.0, 0},   {0.0, 0.1, 0},   {0.0, 999.0, 0}, {0.0, 1000.0, 3}, {-2e4, 5.0, 3},
               {0.0, 0.05, -3}, {0.0, 1e-3, -3}, {0.0, 9e-4, -6}, {0.0, 0.0, 0},    {0.0, INFINITY, 0}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    assert_int_equal(cps_legend_power(cases[k].low, cases[k].high), cases[k].power);
  }
}

// What has no place is left out, and the rest is drawn.
static void points_that_are_not_finite_are_left_out(void** state) {
  (void)state;
  CpsVec3 points[12], axes[12];
  for (int k = 0; k < 12; ++k) {
    points[k] = (CpsVec3){0.1 * (k % 6) - 0.25, 0.0, k < 6 ? 0.1 : -0.1};
    axes[k] = (CpsVec3){0.0, 1.0, 0.0};
  }
  points[8].z = NAN;
  const CpsResultLine lines[2] = {
      {.fibre = 0, .branch = -1, .first = 0, .count = 6, .radius = 0.01, .radius_tip = 0.01},
      {.fibre = 1, .branch = -1, .first = 6, .count = 6, .radius = 0.01, .radius_tip = 0.01}};
  const CpsResultPart part = {.shape = cps_sphere(0.1), .pose = {.rotation = {1.0, 0.0, 0.0, 0.0}}};
  CpsPose lost = {{INFINITY, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
  CpsThings things = {
      .body_count = 1, .part_count = 1, .parts = &part, .line_count = 2, .lines = lines, .point_count = 12};
  CpsFrame frame = {.points = points, .axes = axes, .bodies = &lost};
  CpsRenderScene scene;
  assert_int_equal(cps_render_scene_create(&things, &scene, NULL), CPS_OK);
  CpsCamera camera = {.eye = {0.0, -2.0, 0.0}, .up = {0.0, 0.0, 1.0}, .fov = 30.0};
  CpsEye eye;
  assert_int_equal(cps_eye_make(&camera, 100, 100, &eye, NULL), CPS_OK);
  CpsFloat3 colours[12] = {{0}};
  CpsRenderColours all = {colours, colours, colours, colours};
  CpsRenderArrows arrows = {0};
  assert_int_equal(cps_render_scene_build(&scene, &frame, &eye, &all, &arrows, true, NULL), CPS_OK);
  // five pieces of the first line; of the second, whose third point is lost, only the last: a piece needs four good points
  assert_int_equal(scene.piece_count, 6);
  assert_int_equal(scene.ball_count, 0);
  cps_render_scene_destroy(&scene);
}

// A result with one frame is drawn, in each mode that it can tell.
static void a_result_of_one_frame_is_drawn(void** state) {
  (void)state;
  char path[] = "capstan-render-XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  Picture picture;
  open_scene(&picture,
             "camera: {eye: [1, -2, 0.5], target: [0, 0, 0.1], fov: 20 deg}\n"
             "bodies: {ball: {sphere: {radius: 1 cm}}}\n"
             "fibres: {hair: {model: der, elements: 6, length: 20 cm, radius: 1 mm, young: 1 MPa, root: clamped}}\n");
  CpsResultWriter* writer = NULL;
  CpsStepInfo info = {0};
  CpsRunTotals totals = {0};
  assert_int_equal(cps_result_create(path, picture.scene, &writer, NULL), CPS_OK);
  assert_int_equal(cps_result_write(writer, picture.world, &info, &totals, NULL), CPS_OK);
  assert_int_equal(cps_result_finish(writer, NULL), CPS_OK);
  CpsResult* result = NULL;
  assert_int_equal(cps_result_open(path, &result, NULL), CPS_OK);
  CpsResultInfo said = cps_result_info(result);
  assert_true(said.camera_placed);
  assert_near(said.camera.eye.y, -2.0, 0.0);
  assert_near(said.camera.target.z, 0.1, 0.0);
  assert_near(said.camera.up.z, 1.0, 0.0);
  assert_near(said.camera.fov, 20.0, 1e-12);
  cps_show_destroy(picture.show);
  assert_int_equal(cps_show_result(result, &picture.show, NULL), CPS_OK);
  CpsRenderOptions options = cps_render_options_default();
  options.width = 32;
  options.height = 24;
  options.samples = 1;
  const CpsColour modes[] = {CPS_COLOUR_MATERIAL, CPS_COLOUR_SPEED, CPS_COLOUR_CURVATURE, CPS_COLOUR_STATUS};
  for (int k = 0; k < 4; ++k) {
    options.colour = modes[k];
    draw_again(&picture, &options);
    int seen = 0;
    for (int32_t y = 0; y < 24; ++y) {
      for (int32_t x = 1; x < 32; ++x) seen += contrast_at(&picture, x, y) > 10;
    }
    assert_true(seen > 10);
  }
  close_picture(&picture);
  cps_result_destroy(result);
  unlink(path);
}

// Cameras that make no picture are refused where they stand.
static void scenes_with_bad_cameras_are_refused(void** state) {
  (void)state;
  const struct {
    const char *text, *sentence;
  } cases[] = {
      {"camera: {eye: [0, 0, 1]}\n", "camera.eye: eye and target must be given together"},
      {"camera: {eye: [0, 0, 1], target: [0, 0, 1]}\n", "camera.eye: is at the target"},
      {"camera: {eye: [0, 0, 1], target: [0, 0, 0], view: [1, 0, 0]}\n",
       "camera.view: cannot be combined with eye and target"},
      {"camera: {view: [0, 0, 0]}\n", "camera.view: must not be zero"},
      {"camera: {up: [0, 0, 0]}\n", "camera.up: must not be zero"},
      {"camera: {fov: 170 deg}\n", "camera.fov: is not within"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    CpsScene* scene = NULL;
    CpsError error = {""};
    CpsStatus status = cps_scene_parse(cases[k].text, strlen(cases[k].text), "t.yaml", NULL, 0, &scene, &error);
    assert_int_equal(status, CPS_BAD_DATA);
    if (!strstr(error.text, cases[k].sentence)) print_error("%s\n", error.text);
    assert_non_null(strstr(error.text, cases[k].sentence));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_arrow_stands_on_a_contact),    cmocka_unit_test(colours_say_whether_contacts_stick_or_slide),
      cmocka_unit_test(speed_has_a_scale_with_a_legend), cmocka_unit_test(fibres_have_the_speed_of_their_points),
      cmocka_unit_test(scales_have_short_numbers),       cmocka_unit_test(points_that_are_not_finite_are_left_out),
      cmocka_unit_test(a_result_of_one_frame_is_drawn),  cmocka_unit_test(scenes_with_bad_cameras_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
