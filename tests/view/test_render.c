// The renderer on scenes whose pictures are known in closed form.
#include "view/pictures.h"

// A ball of radius r at distance D is seen under the half angle asin(r / D): a disc of radius tan(asin(r / D)) / tan(fov / 2)
// halves of the height. The filter of a pixel reaches 0.85 px, so that each edge is known to a pixel.
static void a_ball_covers_the_disc_of_its_silhouette(void** state) {
  (void)state;
  CpsRenderOptions options = looking_along_y(5.0, 30.0, 160, 120);
  options.samples = 64;
  Picture picture = draw_scene("bodies: {ball: {sphere: {radius: 1}}}\ngravity: [0, 0, 0]\n", &options);
  double slope = tan(asin(1.0 / 5.0)) / tan(15.0 * PI / 180.0), radius = 60.0 * slope;
  int inside = 0, wrong = 0;
  for (int32_t y = 0; y < 120; ++y) {
    for (int32_t x = 0; x < 160; ++x) {
      double distance = hypot(x + 0.5 - 80.0, y + 0.5 - 60.0);
      bool seen = contrast_at(&picture, x, y) > 6;
      inside += seen;
      wrong += distance < radius - 1.0 && !seen;
      wrong += distance > radius + 1.5 && seen;
    }
  }
  assert_int_equal(wrong, 0);
  // the area counts partly covered pixels whole: between the disc and one a pixel wider
  assert_true(inside > PI * radius * radius && inside < PI * (radius + 1.2) * (radius + 1.2));
  close_picture(&picture);
}

static void the_same_bytes_come_from_any_number_of_threads(void** state) {
  (void)state;
  CpsRenderOptions options = cps_render_options_default();
  options.width = 120;
  options.height = 80;
  options.samples = 8;
  const char* text =
      "obstacles: {floor: {plane: {}, position: [0, 0, -0.2]}}\n"
      "bodies: {ball: {sphere: {radius: 5 cm}}, brick: {box: {size: [0.1, 0.1, 0.1]}, position: [0.2, 0, 0]}}\n"
      "fibres: {hair: {model: der, elements: 12, length: 20 cm, radius: 1 mm, young: 1 MPa, root: clamped,\n"
      "  copies: [[0, 0.1, 0], [0, 0.12, 0], [0, 0.14, 0]]}}\n";
  Picture picture = draw_scene(text, &options);
  size_t size = 3 * 120 * 80;
  uint8_t* first = malloc(size);
  memcpy(first, picture.rgb, size);
  for (int threads = 1; threads <= 4; ++threads) {
    options.threads = threads;
    draw_again(&picture, &options);
    assert_memory_equal(picture.rgb, first, size);
  }
  free(first);
  close_picture(&picture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_covers_the_disc_of_its_silhouette),
      cmocka_unit_test(the_same_bytes_come_from_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
