// labels: threads
// The renderer on scenes whose pictures are known in closed form.
#include "render/pictures.h"

#include "render/colour.h"

// A ball of radius r at distance D is seen under the half angle asin(r / D): a disc of radius tan(asin(r / D)) / tan(fov / 2)
// halves of the height. The filter of a pixel reaches 0.85 px, so that each edge is known to a pixel.
static void check_disc(const Picture* picture, double radius_over_distance, double fov) {
  double radius = 0.5 * picture->height * tan(asin(radius_over_distance)) / tan(0.5 * fov * PI / 180.0);
  double cx = 0.5 * picture->width, cy = 0.5 * picture->height;
  int inside = 0, wrong = 0;
  for (int32_t y = 0; y < picture->height; ++y) {
    for (int32_t x = 0; x < picture->width; ++x) {
      double distance = hypot(x + 0.5 - cx, y + 0.5 - cy);
      bool seen = contrast_at(picture, x, y) > 6;
      inside += seen;
      wrong += distance < radius - 1.0 && !seen;
      wrong += distance > radius + 1.5 && seen;
    }
  }
  assert_int_equal(wrong, 0);
  // the area counts partly covered pixels whole: between the disc and one a pixel wider
  assert_true(inside > PI * radius * radius && inside < PI * (radius + 1.2) * (radius + 1.2));
}

static void a_ball_covers_the_disc_of_its_silhouette(void** state) {
  (void)state;
  CpsRenderOptions options = looking_along_y(5.0, 30.0, 160, 120);
  options.samples = 32;
  Picture picture = draw_scene(STILL "bodies: {ball: {sphere: {radius: 1}}}\n", &options);
  check_disc(&picture, 1.0 / 5.0, 30.0);
  close_picture(&picture);
}

// Single precision is enough because lengths are taken in units of the camera's distance.
static void things_of_any_size_and_place_look_the_same(void** state) {
  (void)state;
  const struct {
    const char* text;
    double size;
    CpsVec3 at;
  } cases[] = {
      {STILL "bodies: {ball: {sphere: {radius: 1e-4}}}\n", 1e-4, {0.0, 0.0, 0.0}},
      {STILL "bodies: {ball: {sphere: {radius: 1e3}}}\n", 1e3, {0.0, 0.0, 0.0}},
      {STILL "bodies: {ball: {sphere: {radius: 1e-3}, position: [1000, 2000, -500]}}\n", 1e-3, {1e3, 2e3, -500.0}},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    CpsRenderOptions options = looking_along_y(5.0 * cases[k].size, 30.0, 80, 60);
    CpsVec3 at = cases[k].at;
    options.camera.target = at;
    options.camera.eye = (CpsVec3){at.x, at.y - 5.0 * cases[k].size, at.z};
    Picture picture = draw_scene(cases[k].text, &options);
    check_disc(&picture, 1.0 / 5.0, 30.0);
    close_picture(&picture);
  }
}

// A fitted camera: the ball fills the height of the picture, but for the margin of 6 % of the half height.
static void a_fitted_camera_shows_all_and_no_more(void** state) {
  (void)state;
  CpsRenderOptions options = cps_render_options_default();
  options.width = 160;
  options.height = 120;
  Picture picture = draw_scene(STILL "bodies: {ball: {sphere: {radius: 0.3}, position: [4, 5, 6]}}\n", &options);
  CpsCamera camera = cps_render_camera(picture.render);
  double x = camera.eye.x - 4.0, y = camera.eye.y - 5.0, z = camera.eye.z - 6.0, distance = sqrt(x * x + y * y + z * z);
  assert_near(tan(asin(0.3 / distance)), tan(15.0 * PI / 180.0) / 1.06, 1e-9);
  check_disc(&picture, 0.3 / distance, 30.0);
  close_picture(&picture);
}

// A matt surface in full light that faces neither sun nor shade has the hue of its material: red over green over blue as in
// linear RGB, up to the tints of the lamps (a tenth).
static void materials_have_their_colours(void** state) {
  (void)state;
  CpsRenderOptions options = looking_along_y(5.0, 30.0, 40, 30);
  const char* text = STILL
      "materials: {brick: {}, steel: {}}\n"
      "bodies:\n"
      "  a: {box: {size: [1, 1, 1]}, position: [-0.8, 0, 0], material: brick}\n"
      "  b: {box: {size: [1, 1, 1]}, position: [0.8, 0, 0], material: steel}\n";
  Picture picture = draw_scene(text, &options);
  const struct {
    int32_t x;
    const char* name;
  } sides[] = {{12, "brick"}, {27, "steel"}};
  for (int k = 0; k < 2; ++k) {
    CpsFloat3 known = cps_colour_material(sides[k].name, CPS_PALETTE_BODY, 0);
    const uint8_t* seen = pixel_at(&picture, sides[k].x, 15);
    CpsFloat3 linear = cps_colour_hex((uint32_t)seen[0] << 16 | (uint32_t)seen[1] << 8 | seen[2]);
    assert_near((double)(linear.y / linear.x), (double)(known.y / known.x), 0.1 * (double)(known.y / known.x));
    assert_near((double)(linear.z / linear.x), (double)(known.z / known.x), 0.25 * (double)(known.z / known.x));
  }
  close_picture(&picture);
}

// A cube given by its corners looks like a box, rims included, and rims are there: with a round thing's colour all over, no pixel in a face
// would be darker than its middle.
static void stones_have_rims_as_bricks_do(void** state) {
  (void)state;
  CpsRenderOptions options = looking_along_y(4.0, 30.0, 120, 90);
  Picture brick = draw_scene(STILL "bodies: {a: {box: {size: [1, 1, 1]}}}\n", &options);
  Picture stone =
      draw_scene(STILL
                 "bodies: {a: {hull: {points: [[-0.5, -0.5, -0.5], [0.5, -0.5, -0.5], [-0.5, 0.5, -0.5], "
                 "[0.5, 0.5, -0.5], [-0.5, -0.5, 0.5], [0.5, -0.5, 0.5], [-0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]}}}\n",
                 &options);
  int different = 0, darkest = 255;
  for (int32_t i = 0; i < 3 * 120 * 90; ++i) different += abs(brick.rgb[i] - stone.rgb[i]) > 8;
  for (int32_t x = 30; x < 60; ++x)
    darkest = pixel_at(&stone, x, 45)[0] < darkest ? pixel_at(&stone, x, 45)[0] : darkest;
  assert_true(different < 200);  // of 32 400: places at which rounding decides on which side of a rim they are
  assert_true(darkest < 0.9 * pixel_at(&stone, 60, 45)[0]);
  close_picture(&brick);
  close_picture(&stone);
}

// In the dark the floor is dark, so that light letters on it can be read; things keep their light.
static void a_dark_picture_has_a_dark_floor(void** state) {
  (void)state;
  CpsRenderOptions options = looking_along_y(6.0, 30.0, 60, 45);
  options.camera.eye = (CpsVec3){0.0, -4.0, 4.0};
  const char* text =
      STILL "obstacles: {floor: {plane: {}, position: [0, 0, -0.5]}}\nbodies: {a: {box: {size: [1, 1, 1]}}}\n";
  Picture light = draw_scene(text, &options);
  options.dark = true;
  Picture dark = draw_scene(text, &options);
  assert_true(pixel_at(&light, 30, 42)[1] > 150 && pixel_at(&dark, 30, 42)[1] < 80);
  assert_true(abs(pixel_at(&light, 30, 22)[1] - pixel_at(&dark, 30, 22)[1]) < 12);
  close_picture(&light);
  close_picture(&dark);
}

// Light from the side leaves the right half of a ball in the shade, which light from the front does not.
static void light_from_the_side_leaves_a_shaded_half(void** state) {
  (void)state;
  CpsRenderOptions options = looking_along_y(6.0, 30.0, 60, 45);
  const char* text = STILL "bodies: {ball: {sphere: {radius: 1}}}\n";
  Picture front = draw_scene(text, &options);
  options.side_light = true;
  Picture side = draw_scene(text, &options);
  // the ball's disc has a radius of about 14 px: 9 px from its middle
  int front_right = pixel_at(&front, 39, 22)[1], side_right = pixel_at(&side, 39, 22)[1];
  assert_true(side_right * 2 < front_right);
  assert_true(pixel_at(&side, 21, 22)[1] > 3 * side_right);
  close_picture(&front);
  close_picture(&side);
}

// The sun stands above the left shoulder: the shadow of a ball on the floor lies behind it and to its right, and the other
// side is in full light.
static void a_shadow_lies_away_from_the_sun(void** state) {
  (void)state;
  CpsRenderOptions options = looking_along_y(10.0, 30.0, 120, 90);
  options.camera.eye = (CpsVec3){0.0, -10.0, 8.0};
  options.samples = 32;
  const char* floor = STILL "obstacles: {floor: {plane: {}, position: [0, 0, -1]}}\n";
  char text[512];
  snprintf(text, sizeof text, "%sbodies: {ball: {sphere: {radius: 0.8}, position: [0, 0, 0.2]}}\n", floor);
  Picture empty = draw_scene(floor, &options), ball = draw_scene(text, &options);
  // sums of (without - with) to the left and to the right of the ball's own disc, in the lower two thirds
  long left = 0, right = 0;
  for (int32_t y = 30; y < 90; ++y) {
    for (int32_t x = 0; x < 120; ++x) {
      if (abs(x - 60) < 12) continue;
      long darker = pixel_at(&empty, x, y)[1] - pixel_at(&ball, x, y)[1];
      *(x < 60 ? &left : &right) += darker > 10 ? darker : 0;
    }
  }
  assert_true(right > 300);
  assert_true(left * 20 < right);
  close_picture(&empty);
  close_picture(&ball);
}

// A straight fibre of radius r at distance D is 2 r / D over a pixel's height wide; one thinner than a pixel darkens in
// proportion to its width (coverage), not by chance.
static double width_of_fibre(const char* radius, double* darkness) {
  CpsRenderOptions options = looking_along_y(1.0, 30.0, 120, 90);
  options.samples = 64;
  char text[512];
  snprintf(text, sizeof text,
           STILL
           "materials: {wire: {}}\n"
           "fibres: {hair: {model: der, elements: 8, length: 40 cm, radius: %s, young: 1 GPa, root: clamped, material: "
           "wire,\n"
           "  position: [0, 0, 0.2], direction: [0, 0, -1]}}\n",
           radius);
  Picture picture = draw_scene(text, &options);
  int wide = 0;
  *darkness = 0.0;
  for (int32_t y = 30; y < 60; ++y) {
    for (int32_t x = 1; x < 119; ++x) {
      int contrast = pixel_at(&picture, 0, y)[2] - pixel_at(&picture, x, y)[2];
      *darkness += contrast / 30.0;
      wide += contrast > 60;
    }
  }
  close_picture(&picture);
  return wide / 30.0;
}

static void a_fibre_is_as_wide_as_it_should_be(void** state) {
  (void)state;
  double pixel = 2.0 * tan(15.0 * PI / 180.0) / 90.0, thick, thin, thinner;
  assert_near(width_of_fibre("20 mm", &thick), 0.04 / pixel, 1.0);
  width_of_fibre("0.8 mm", &thin);
  width_of_fibre("0.4 mm", &thinner);
  // 0.27 and 0.13 pixels wide: half the width is half the darkness, to what bytes can tell (a hundredth of the contrast each)
  assert_true(thin > 10.0);
  assert_near(thinner / thin, 0.5, 0.06);
}

// A lens of diameter A that is focused at f shows a point at depth d as a disc of diameter A |1 - f / d| in the plane of the
// target: here 11 px, of each point of a ball of 4.5 px. A ball at the target stays as sharp as without a lens.
static void a_lens_blurs_what_is_not_at_the_target(void** state) {
  (void)state;
  CpsRenderOptions options = looking_along_y(1.0, 30.0, 60, 60);
  options.aperture = 0.2;
  options.samples = 512;
  const double pixel = 2.0 * tan(15.0 * PI / 180.0) / 60.0, blurred = 0.5 * 0.2 * (1.0 - 1.0 / 2.0) / pixel;
  Picture picture = draw_scene(STILL "bodies: {ball: {sphere: {radius: 4 cm}, position: [0, 1, 0]}}\n", &options);
  double farthest = 0.0;
  for (int32_t y = 0; y < 60; ++y) {
    for (int32_t x = 1; x < 60; ++x) {
      if (contrast_at(&picture, x, y) > 2) farthest = fmax(farthest, hypot(x + 0.5 - 30.0, y + 0.5 - 30.0));
    }
  }
  // the ball's own radius of 2.24 px comes on top; it fades at the rim, and the filter of a pixel reaches 0.85 px
  assert_true(farthest > blurred + 0.5 && farthest < blurred + 2.24 + 1.5);
  close_picture(&picture);
  options.samples = 64;
  picture = draw_scene(STILL "bodies: {ball: {sphere: {radius: 2 cm}}}\n", &options);
  check_disc(&picture, 0.02 / 1.0, 30.0);
  close_picture(&picture);
}

static void an_empty_scene_is_a_background(void** state) {
  (void)state;
  CpsRenderOptions options = cps_render_options_default();
  options.width = 16;
  options.height = 9;
  Picture picture = draw_scene(STILL, &options);
  for (int32_t y = 0; y < 9; ++y) {
    for (int32_t x = 0; x < 16; ++x) assert_int_equal(contrast_at(&picture, x, y), 0);
  }
  close_picture(&picture);
}

static void the_same_bytes_come_from_any_number_of_threads(void** state) {
  (void)state;
  CpsRenderOptions options = cps_render_options_default();
  options.width = 96;
  options.height = 64;
  options.samples = 4;
  const char* text =
      "obstacles: {floor: {plane: {}, position: [0, 0, -0.2]}}\n"
      "bodies: {ball: {sphere: {radius: 5 cm}}, brick: {box: {size: [0.1, 0.1, 0.1]}, position: [0.2, 0, 0]}}\n"
      "fibres: {hair: {model: der, elements: 12, length: 20 cm, radius: 0.2 mm, young: 1 MPa, root: clamped,\n"
      "  copies: [[0, 0.1, 0], [0, 0.12, 0], [0, 0.14, 0]]}}\n";
  Picture picture = draw_scene(text, &options);
  size_t size = 3 * 96 * 64;
  uint8_t* first = malloc(size);
  memcpy(first, picture.rgb, size);
  for (int threads = 1; threads <= 4; ++threads) {
    options.threads = threads;
    draw_again(&picture, &options);
    assert_memory_equal(picture.rgb, first, size);
    memset(picture.rgb, 0, size);
    assert_int_equal(cps_render_frame(picture.render, 0, picture.rgb, NULL), CPS_OK);
    assert_memory_equal(picture.rgb, first, size);
  }
  free(first);
  close_picture(&picture);
}

static bool stop_at_once(double share, void* data) {
  assert_true(share > 0.0 && share <= 1.0);
  ++*(int*)data;
  return false;
}

static void bad_options_are_refused_and_progress_can_stop(void** state) {
  (void)state;
  Picture picture;
  open_scene(&picture, STILL "bodies: {ball: {sphere: {radius: 1}}}\n");
  CpsRender* render = NULL;
  CpsRenderOptions good = cps_render_options_default(), bad[13];
  for (int k = 0; k < 13; ++k) bad[k] = good;
  bad[0].cookie = 0;
  bad[1].width = 0;
  bad[2].height = 20000;
  bad[3].samples = 0;
  bad[4].threads = 0;
  bad[5].colour = CPS_COLOUR_COUNT;
  bad[6].low = 1.0;
  bad[7].arrow_scale = NAN;
  bad[8].view = (CpsVec3){0.0, 0.0, 0.0};
  bad[9].last = 1;
  bad[10].camera.fov = 170.0;
  bad[11].camera_given = true;  // eye and target are the same point
  bad[12].aperture = -1.0;
  for (int k = 0; k < 13; ++k) {
    CpsError error = {""};
    assert_int_equal(cps_render_create(picture.show, &bad[k], &render, &error), CPS_BAD_ARGUMENT);
    assert_true(error.text[0] != '\0');
    assert_null(render);
  }
  assert_int_equal(cps_render_create(NULL, &good, &render, NULL), CPS_BAD_ARGUMENT);
  int calls = 0;
  good.width = good.height = 40;
  good.samples = 1;
  good.progress = stop_at_once;
  good.progress_data = &calls;
  assert_int_equal(cps_render_create(picture.show, &good, &render, NULL), CPS_OK);
  uint8_t* rgb = malloc(3 * 40 * 40);
  assert_int_equal(cps_render_frame(render, 0, rgb, NULL), CPS_INTERRUPTED);
  assert_int_equal(calls, 1);
  free(rgb);
  cps_render_destroy(render);
  close_picture(&picture);
}

// A cube of 1 m, 5 m away. Cut at y = 0.25, its section is seen at 5.25 m, filled; cut at x = 0.1, its front, at 4.5 m, ends there. The
// filter of a pixel reaches 0.85 px.
static void solids_are_cut_by_a_plane(void** state) {
  (void)state;
  static const char CUBE[] = STILL "solids: {cube: {box: {size: [1, 1, 1], cells: [3, 3, 3]}}}\n";
  const double unit = 60.0 / tan(15.0 * PI / 180.0);
  const struct {
    CpsVec3 cut, at;
    double left, right, half;  // what is seen, from the middle, px
  } cases[] = {{{0, -2, 0}, {7, 0.25, 0}, -unit * 0.5 / 5.25, unit * 0.5 / 5.25, unit * 0.5 / 5.25},
               {{1, 0, 0}, {0.1, 0, 3}, -unit * 0.5 / 4.5, unit * 0.1 / 4.5, unit * 0.5 / 4.5}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    CpsRenderOptions options = looking_along_y(5.0, 30.0, 160, 120);
    options.cut = cases[k].cut;
    options.cut_at = cases[k].at;
    options.cut_at_given = true;
    Picture picture = draw_scene(CUBE, &options);
    for (int32_t y = 0; y < picture.height; ++y) {
      for (int32_t x = 0; x < picture.width; ++x) {
        const double u = x + 0.5 - 80.0, w = fabs(y + 0.5 - 60.0);
        const bool in = u > cases[k].left + 1.5 && u < cases[k].right - 1.5 && w < cases[k].half - 1.5;
        const bool out = u < cases[k].left - 1.5 || u > cases[k].right + 1.5 || w > cases[k].half + 1.5;
        if (in) assert_true(contrast_at(&picture, x, y) > 6);
        if (out) assert_true(contrast_at(&picture, x, y) <= 6);
      }
    }
    close_picture(&picture);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solids_are_cut_by_a_plane),
      cmocka_unit_test(a_ball_covers_the_disc_of_its_silhouette),
      cmocka_unit_test(things_of_any_size_and_place_look_the_same),
      cmocka_unit_test(a_fitted_camera_shows_all_and_no_more),
      cmocka_unit_test(materials_have_their_colours),
      cmocka_unit_test(stones_have_rims_as_bricks_do),
      cmocka_unit_test(a_dark_picture_has_a_dark_floor),
      cmocka_unit_test(light_from_the_side_leaves_a_shaded_half),
      cmocka_unit_test(a_shadow_lies_away_from_the_sun),
      cmocka_unit_test(a_fibre_is_as_wide_as_it_should_be),
      cmocka_unit_test(a_lens_blurs_what_is_not_at_the_target),
      cmocka_unit_test(an_empty_scene_is_a_background),
      cmocka_unit_test(the_same_bytes_come_from_any_number_of_threads),
      cmocka_unit_test(bad_options_are_refused_and_progress_can_stop),
  };
  keep_to_threads("*_threads");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
