// Numbers of sheets and solids as colours: stretch, curvature, pressure and stress with closed forms, status, and what is refused.
#include "capstan/solid.h"
#include "render/pictures.h"
#include "vertices.h"

#include <math.h>

static const char SHEET[] =
    STILL "sheets: {cloth: {grid: {size: [0.4, 0.4], cells: [16, 16]}, rotation: {axis: [1, 0, 0], angle: 90 deg}}}\n";

static CpsRenderOptions options_for(CpsColour colour) {
  CpsRenderOptions options = looking_along_y(1.5, 20.0, 60, 60);
  options.samples = 4;
  options.colour = colour;
  options.legend = false;
  return options;
}

// Moves each vertex of the only sheet.
static void deform(Picture* picture, CpsVec3 (*move)(CpsVec3 x)) {
  CpsSheetId id = cps_world_sheet(picture->world, 0);
  CpsVec3 x[17 * 17];
  assert_int_equal(vertices_of(picture->world, cps_thing_sheet(id), x, NULL), CPS_OK);
  for (int i = 0; i < 17 * 17; ++i) x[i] = move(x[i]);
  assert_int_equal(set_vertices(picture->world, cps_thing_sheet(id), x, NULL, NULL), CPS_OK);
}

static CpsVec3 pull(CpsVec3 p) {
  return (CpsVec3){1.08 * p.x + 0.02 * p.z, p.y, 0.97 * p.z};
}

// Homogeneous: lambda^2 is the largest eigenvalue of F^T F, F = [1.08 0.02; 0 0.97].
static void stretch_is_the_largest(void** state) {
  (void)state;
  Picture picture;
  open_scene(&picture, SHEET);
  deform(&picture, pull);
  CpsRenderOptions options = options_for(CPS_COLOUR_STRETCH);
  draw_again(&picture, &options);
  double a = 1.08 * 1.08, b = 0.02 * 0.02 + 0.97 * 0.97, c = 1.08 * 0.02;
  double lambda = sqrt(0.5 * (a + b) + sqrt(0.25 * (a - b) * (a - b) + c * c));
  assert_near(cps_render_info(picture.render).high, lambda - 1.0, 1e-12);
  assert_near(cps_render_info(picture.render).low, 0.0, 0.0);
  close_picture(&picture);
}

static CpsVec3 roll(CpsVec3 p) {
  return (CpsVec3){0.25 * sin(p.x / 0.25), 0.25 - 0.25 * cos(p.x / 0.25), p.z};
}

// Rolled about a cylinder of 0.25 m the curvature is 4 / m; 16 cells of 5.7 degrees each are a polygon within 0.1 % of it.
static void curvature_of_a_cylinder(void** state) {
  (void)state;
  Picture picture;
  open_scene(&picture, SHEET);
  deform(&picture, roll);
  CpsRenderOptions options = options_for(CPS_COLOUR_CURVATURE);
  draw_again(&picture, &options);
  assert_near(cps_render_info(picture.render).high, 4.0, 4e-3);
  close_picture(&picture);
}

// A sheet that lies on a floor presses with its weight: density times gravity, and it sticks.
static void pressure_of_what_lies(void** state) {
  (void)state;
  Picture picture;
  open_scene(&picture,
             "sheets: {cloth: {grid: {size: [0.4, 0.4], cells: [6, 6]}, position: [0, 0, 0.5 mm], thickness: 1 mm, "
             "density: 0.2}}\n"
             "obstacles: {floor: {plane: {}, mu: 0.5}}\ncontact: {mu: 0.5}\nsolver: {tolerance: 1e-10}\n"
             "time: {step: 2 ms, end: 1 s}\n");
  for (int k = 0; k < 50; ++k) assert_int_equal(cps_world_step(picture.world, NULL, NULL), CPS_OK);
  CpsRenderOptions options = options_for(CPS_COLOUR_PRESSURE);
  options.camera.eye = (CpsVec3){0.0, -0.01, 2.0};
  draw_again(&picture, &options);
  // every vertex carries its own mass, by its own area
  assert_near(cps_render_info(picture.render).high, 0.2 * 9.81, 1e-5);
  options.colour = CPS_COLOUR_STATUS;
  draw_again(&picture, &options);
  const uint8_t* middle = picture.rgb + 3 * (30 * 60 + 30);
  assert_true(middle[2] > middle[0] + 40);  // blue: it sticks
  // impulses of vertices add up to the weight over a step
  assert_int_equal(cps_show_read(picture.show, 0, NULL), CPS_OK);
  const CpsFrame* frame = cps_show_frame(picture.show);
  double sum = 0.0;
  for (int i = 0; i < 49; ++i) sum += frame->vertex_impulses[i].z;
  assert_near(sum, 0.2 * 0.16 * 9.81 * frame->step, 1e-9);
  close_picture(&picture);
}

// A cube without Poisson's effect that is pulled by 1 % along x: the stress is E times 1 %, but for what Cauchy's stress has of the
// second order, and all of it is the equivalent one.
static void stress_of_a_pulled_cube(void** state) {
  (void)state;
  Picture picture;
  open_scene(
      &picture, STILL
      "solids: {cube: {box: {size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}, law: corotated, young: 1e5 Pa, poisson: 0}}\n");
  CpsSolidId id = cps_world_solid(picture.world, 0);
  static CpsVec3 x[100];
  assert_int_equal(vertices_of(picture.world, cps_thing_solid(id), x, NULL), CPS_OK);
  for (int i = 0; i < 27; ++i) x[i].x *= 1.01;
  assert_int_equal(set_vertices(picture.world, cps_thing_solid(id), x, NULL, NULL), CPS_OK);
  CpsRenderOptions options = options_for(CPS_COLOUR_STRESS);
  draw_again(&picture, &options);
  assert_near(cps_render_info(picture.render).high / 1000.0, 1.0, 0.02);
  close_picture(&picture);
}

static void what_says_nothing_is_refused(void** state) {
  (void)state;
  static const struct {
    CpsColour colour;
    const char* sentence;
  } CASES[] = {
      {CPS_COLOUR_STRETCH, "colour: stretch needs sheets, and this result has none"},
      {CPS_COLOUR_PRESSURE, "colour: pressure needs sheets, grains or fibres, and this result has none"},
      {CPS_COLOUR_CURVATURE, "colour: curvature needs sheets or fibres, and this result has none"},
      {CPS_COLOUR_STRESS, "colour: stress needs solids, and this result has none"},
  };
  Picture picture;
  open_scene(&picture, STILL "bodies: {ball: {sphere: {radius: 0.1}}}\n");
  for (int i = 0; i < 4; ++i) {
    CpsRenderOptions options = options_for(CASES[i].colour);
    CpsError error = {""};
    CpsRender* render = NULL;
    assert_int_equal(cps_render_create(picture.show, &options, &render, &error), CPS_UNSUPPORTED);
    assert_string_equal(error.text, CASES[i].sentence);
  }
  close_picture(&picture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stretch_is_the_largest),       cmocka_unit_test(curvature_of_a_cylinder),
      cmocka_unit_test(pressure_of_what_lies),        cmocka_unit_test(stress_of_a_pulled_cube),
      cmocka_unit_test(what_says_nothing_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
