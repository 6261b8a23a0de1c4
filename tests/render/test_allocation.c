// Pictures when memory runs out: each of our own allocations fails once, and leaves nothing behind; once a frame was drawn,
// the next takes no memory of ours. (Embree's are its own.)
#include "failing_memory.h"

#include "render/pictures.h"

enum { ATTEMPTS = 500 };

static const char* const text =
    "contact: {mu: 0.5}\n"
    "obstacles: {floor: {plane: {}, position: [0, 0, -0.05]}, drum: {cylinder: {radius: 5 cm, length: 10 cm}, "
    "position: [0.3, 0, 0]}}\n"
    "bodies: {ball: {sphere: {radius: 5 cm}}, brick: {box: {size: [0.1, 0.1, 0.1]}, position: [0, 0.2, 0]},\n"
    "  pill: {capsule: {radius: 2 cm, length: 5 cm}, position: [0, -0.2, 0]}}\n"
    "fibres: {hair: {model: der, elements: 6, length: 20 cm, radius: 1 mm, young: 1 MPa, root: clamped,\n"
    "  position: [0, 0.1, 0.3]}}\n"
    "solids: {cube: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}, position: [-0.3, 0, 0.1]}}\n";

static CpsRenderOptions small_picture(void) {
  CpsRenderOptions options = cps_render_options_default();
  options.width = 16;
  options.height = 12;
  options.samples = 1;
  options.contacts = true;
  options.cut = (CpsVec3){1.0, 0.0, 0.0};
  options.cut_at = (CpsVec3){-0.31, 0.0, 0.0};
  options.cut_at_given = true;
  options.colour = CPS_COLOUR_SPEED;
  return options;
}

static void a_picture_that_cannot_be_made_leaves_nothing(void** state) {
  (void)state;
  Picture picture;
  open_scene(&picture, text);
  for (int k = 0; k < 3; ++k) assert_true(cps_world_step(picture.world, NULL, NULL) >= 0);
  assert_int_equal(cps_show_read(picture.show, 0, NULL), CPS_OK);
  CpsRenderOptions options = small_picture();
  uint8_t rgb[3 * 16 * 12];
  int refused = 0;
  allocation_failed = true;
  for (int number = 0; allocation_failed; ++number) {
    assert_true(number < ATTEMPTS);
    CpsRender* render = NULL;
    CpsError error = {""};
    fail_allocation(number);
    CpsStatus status = cps_render_create(picture.show, &options, &render, &error);
    if (status == CPS_OK) status = cps_render_frame(render, 0, rgb, &error);
    stop_failing();
    assert_true(status == CPS_OK || status == CPS_NO_MEMORY);
    assert_true(status == CPS_OK || error.text[0] != '\0');
    refused += status != CPS_OK;
    cps_render_destroy(render);
  }
  assert_true(refused > 20);
  close_picture(&picture);
}

static void the_next_frame_takes_no_memory(void** state) {
  (void)state;
  CpsRenderOptions options = small_picture();
  Picture picture = draw_scene(text, &options);
  fail_allocation(0);
  CpsStatus status = cps_render_frame(picture.render, 0, picture.rgb, NULL);
  stop_failing();
  assert_int_equal(status, CPS_OK);
  assert_false(allocation_failed);
  close_picture(&picture);
}

static void a_file_that_cannot_be_made_leaves_nothing(void** state) {
  (void)state;
  const uint8_t rgb[12] = {0};
  allocation_failed = true;
  for (int number = 0; allocation_failed; ++number) {
    assert_true(number < ATTEMPTS);
    fail_allocation(number);
    CpsStatus status = cps_image_write("capstan-allocation.png", 2, 2, rgb, NULL);
    stop_failing();
    assert_true(status == CPS_OK || status == CPS_NO_MEMORY);
    assert_true((remove("capstan-allocation.png") == 0) == (status == CPS_OK));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_picture_that_cannot_be_made_leaves_nothing),
      cmocka_unit_test(the_next_frame_takes_no_memory),
      cmocka_unit_test(a_file_that_cannot_be_made_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
