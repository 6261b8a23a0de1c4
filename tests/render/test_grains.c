// labels: release
// Particles of grains in frames and in pictures: where they are, what colours say, what is refused.
#include "render/pictures.h"

#include "capstan/array.h"
#include "capstan/frame.h"
#include "capstan/grains.h"
#include "capstan/render.h"
#include "capstan/scene.h"

#include <stdlib.h>
#include <string.h>

enum { WIDE = 64, HIGH = 48 };

static const char* const SAND =
    "obstacles: {floor: {plane: {}}}\n"
    "grid: {cell: 10 cm}\n"
    "grains: {sand: {box: {from: [-0.2, -0.2, 0], to: [0.2, 0.2, 0.2]}, mu: 0.5}}\n"
    "solver: {tolerance: 1e-4}\n"
    "time: {step: 2 ms, end: 4 ms}\n";

typedef struct Stage {
  CpsScene* scene;
  CpsWorld* world;
  CpsShow* show;
} Stage;

static Stage open_text(const char* text) {
  Stage s = {0};
  CpsError error = {{0}};
  if (cps_scene_parse(text, strlen(text), "sand.yaml", NULL, 0, &s.scene, &error) != CPS_OK ||
      cps_scene_build(s.scene, 1, &s.world, &error) != CPS_OK || cps_world_step(s.world, NULL, &error) < 0 ||
      cps_show_world(s.scene, s.world, &s.show, &error) != CPS_OK) {
    fail_msg("%s", error.text);
  }
  return s;
}

static Stage open_stage(void) {
  return open_text(SAND);
}

static void close_stage(Stage* s) {
  cps_show_destroy(s->show);
  cps_world_destroy(s->world);
  cps_scene_destroy(s->scene);
}

static CpsStatus draw(const Stage* s, CpsColour colour, int32_t grains, uint8_t* rgb) {
  CpsRenderOptions options = cps_render_options_default();
  options.width = WIDE;
  options.height = HIGH;
  options.samples = 1;
  options.legend = false;
  options.colour = colour;
  options.grains = grains;
  CpsRender* render = NULL;
  CpsError error = {{0}};
  CpsStatus status = cps_render_create(s->show, &options, &render, &error);
  if (status != CPS_OK) return status;
  status = cps_render_frame(render, 0, rgb, &error);
  cps_render_destroy(render);
  return status;
}

// A frame has the particles of the world.
static void test_frame(void** unused) {
  (void)unused;
  Stage s = open_stage();
  CpsError error = {{0}};
  assert_int_equal(cps_show_read(s.show, 0, &error), CPS_OK);
  const int64_t count = cps_show_things(s.show)->particle_count;
  assert_int_equal(count, 4 * 4 * 2 * 8);
  CpsVec3* x = calloc((size_t)count, sizeof *x);
  assert_int_equal(cps_world_array(s.world, cps_thing_grains(s.world), CPS_QUANTITY_POSITION, &x->x, sizeof *x),
                   CPS_OK);
  assert_memory_equal(x, cps_show_frame(s.show)->particles, (size_t)count * sizeof *x);
  double most = 0.0;
  for (int64_t k = 0; k < count; ++k) most = fmax(most, cps_show_frame(s.show)->particle_pressures[k]);
  assert_true(most > 500.0 && most < 5000.0);  // 0.2 m of sand weigh 3 kPa
  free(x);
  close_stage(&s);
}

// The sand is in the middle of the picture: yellow, with more red than blue; background and floor are grey. Eight grains for a particle
// cover about what one does.
static void test_picture(void** unused) {
  (void)unused;
  Stage s = open_stage();
  static uint8_t rgb[3 * WIDE * HIGH];
  int32_t yellow[2] = {0, 0};
  for (int k = 0; k < 2; ++k) {
    assert_int_equal(draw(&s, CPS_COLOUR_MATERIAL, k == 0 ? 1 : 8, rgb), CPS_OK);
    for (int i = 0; i < WIDE * HIGH; ++i) yellow[k] += rgb[3 * i] > rgb[3 * i + 2] + 20;
    assert_true(abs(rgb[0] - rgb[2]) < 20);
  }
  assert_true(yellow[0] > WIDE * HIGH / 8 && yellow[0] < WIDE * HIGH * 9 / 10);
  assert_true(abs(yellow[1] - yellow[0]) < yellow[0] / 3);
  close_stage(&s);
}

// Grains are seen where nothing else is: without a floor they were left out of what has anything to show. A flow shows its points, also while
// it is computed.
static void test_alone(void** unused) {
  (void)unused;
  static const char* const FLOW =
      "flow: {domain: {to: [0.1, 0.1, 0.1]}, cells: [4, 4, 4], bottom: {wall: no-slip}, viscosity: 1 Pa*s}\n"
      "time: {step: 2 ms, end: 4 ms}\n";
  static uint8_t rgb[3 * WIDE * HIGH];
  for (int k = 0; k < 2; ++k) {
    Stage s = open_text(k == 0 ? strchr(SAND, '\n') + 1 : FLOW);
    int32_t yellow = 0;
    assert_int_equal(draw(&s, CPS_COLOUR_MATERIAL, 8, rgb), CPS_OK);
    for (int i = 0; i < WIDE * HIGH; ++i) yellow += rgb[3 * i] > rgb[3 * i + 2] + 20;
    if (yellow <= WIDE * HIGH / 8) fail_msg("%d yellow pixels of %d in picture %d", (int)yellow, WIDE * HIGH, k);
    close_stage(&s);
  }
}

// Pressure and speed are numbers of grains; stress is of solids. Counts that are none are refused.
static void test_colours(void** unused) {
  (void)unused;
  Stage s = open_stage();
  static uint8_t plain[3 * WIDE * HIGH], rgb[3 * WIDE * HIGH];
  assert_int_equal(draw(&s, CPS_COLOUR_MATERIAL, 8, plain), CPS_OK);
  assert_int_equal(draw(&s, CPS_COLOUR_PRESSURE, 8, rgb), CPS_OK);
  assert_true(memcmp(rgb, plain, sizeof rgb) != 0);
  assert_int_equal(draw(&s, CPS_COLOUR_SPEED, 8, rgb), CPS_OK);
  assert_int_equal(draw(&s, CPS_COLOUR_STRESS, 8, rgb), CPS_UNSUPPORTED);
  assert_int_equal(draw(&s, CPS_COLOUR_MATERIAL, 0, rgb), CPS_BAD_ARGUMENT);
  assert_int_equal(draw(&s, CPS_COLOUR_MATERIAL, 1001, rgb), CPS_BAD_ARGUMENT);
  close_stage(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_frame), cmocka_unit_test(test_picture),
                                     cmocka_unit_test(test_alone), cmocka_unit_test(test_colours)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
