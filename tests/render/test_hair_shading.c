// Light scattered by hair, equations (1) to (4) of src/render/hair_shading.c and (1) of hair_light.c.
#include "render/hair_shading.h"

#include <math.h>
#include <stdlib.h>

#include "render/internal.h"
#include "render/pictures.h"
#include "render/sampling.h"

static CpsFloat3 direction(double sine, double azimuth) {
  double cosine = sqrt(1.0 - sine * sine);
  return cps_float3((float)sine, (float)(cosine * cos(azimuth)), (float)(cosine * sin(azimuth)));
}

// Mean of f cos over the sphere times 4 pi, and of f cos sin th_i, by the midpoint rule: dw = d(sin th) dphi.
static void integrate(const CpsHair* hair, CpsFloat3 to_eye, double* light, double* along) {
  enum { SINES = 300, AZIMUTHS = 300 };
  *light = *along = 0.0;
  for (int i = 0; i < SINES; ++i) {
    double sine = -1.0 + (2.0 * i + 1.0) / SINES;
    for (int k = 0; k < AZIMUTHS; ++k) {
      CpsFloat3 f = cps_hair_scatter(hair, to_eye, direction(sine, 2.0 * PI * (k + 0.5) / AZIMUTHS));
      *light += (double)f.y * 2.0 / SINES * 2.0 * PI / AZIMUTHS;
      *along += (double)f.y * sine * 2.0 / SINES * 2.0 * PI / AZIMUTHS;
    }
  }
}

static const double sines[] = {0.0, 0.3, -0.6, 0.9};
static const float widths[] = {0.0f, 0.4f, -0.7f, 0.95f};

// The furnace: light from everywhere, none is lost. The midpoint rule and single precision leave 2e-4
// where the eye looks along the hair, 1e-5 elsewhere.
static void a_white_hair_gives_back_all_light(void** state) {
  (void)state;
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 4; ++k) {
      CpsHair hair = cps_hair_make(cps_float3(1, 0, 0), cps_float3(1, 1, 1), widths[k], false);
      double light, along;
      integrate(&hair, direction(sines[i], 0.7), &light, &along);
      assert_near(light, 1.0, 3e-4);
    }
  }
}

// A fibre that is drawn for a whole wisp has the colour by itself: half of the light comes back where the colour is one half. What
// the surface reflects, and how the ways through it differ, leave some hundredths.
static void a_hair_alone_shows_its_colour(void** state) {
  (void)state;
  double sum = 0.0;
  for (int k = 0; k < 4; ++k) {
    CpsHair hair = cps_hair_make(cps_float3(1, 0, 0), cps_float3(0.5f, 0.5f, 0.5f), -0.75f + 0.5f * (float)k, true);
    double light, along;
    integrate(&hair, direction(0.0, 0.7), &light, &along);
    sum += light / 4.0;
  }
  assert_near(sum, 0.5, 0.06);
}

static void a_darker_hair_gives_back_less(void** state) {
  (void)state;
  double before = 1.0;
  for (float tone = 0.8f; tone > 0.01f; tone *= 0.5f) {
    CpsHair hair = cps_hair_make(cps_float3(1, 0, 0), cps_float3(tone, tone, tone), 0.3f, false);
    double light, along;
    integrate(&hair, direction(0.2, 0.0), &light, &along);
    assert_true(light < before);
    before = light;
  }
  assert_true(before < 0.4 && before > 0.04);  // the surface reflects 4 % and more whatever is inside
}

// Drawn directions have the density they claim: means of the weights, and of the weights times sin th_i, are the integrals.
// 20 000 Sobol points leave some 1e-3.
static void drawn_directions_follow_the_lobes(void** state) {
  (void)state;
  for (int i = 0; i < 4; ++i) {
    CpsHair hair = cps_hair_make(cps_float3(1, 0, 0), cps_float3(0.7f, 0.4f, 0.2f), widths[i], false);
    CpsFloat3 to_eye = direction(sines[i], 2.0);
    double light, along, drawn = 0.0, drawn_along = 0.0;
    integrate(&hair, to_eye, &light, &along);
    enum { COUNT = 20000 };
    for (uint32_t k = 0; k < COUNT; ++k) {
      CpsSample2 a = cps_sample2(k, 17u), b = cps_sample2(k, 4711u);
      CpsFloat3 to_light, weight = cps_hair_sample(&hair, to_eye, (float[]){a.x, a.y, b.x, b.y}, &to_light);
      assert_near(cps_float3_norm(to_light), 1.0, 1e-5);
      drawn += (double)weight.y / COUNT;
      drawn_along += (double)weight.y * (double)to_light.x / COUNT;
    }
    assert_near(drawn, light, 4e-3);
    assert_near(drawn_along, along, 4e-3);
  }
}

// Light that is reflected at the surface leaves along the mirrored inclination, tilted by the scales to the root by 4 degrees.
static void the_highlight_is_tilted_by_the_scales(void** state) {
  (void)state;
  CpsHair hair =
      cps_hair_make(cps_float3(1, 0, 0), cps_float3(0.001f, 0.001f, 0.001f), 0.0f, false);  // nothing gets through
  double best = 0.0, at = 0.0, eye = 0.25;
  for (double angle = -0.8; angle < 0.4; angle += 1e-3) {
    double f = (double)cps_hair_scatter(&hair, direction(sin(eye), 0.0), direction(sin(angle), 0.0)).y;
    if (f > best) best = f, at = angle;
  }
  // the maximum of (3) in th_i lies at -th_p + O(v): v = 0.085 moves it by 0.01
  assert_near(at, -(eye - 4.0 * PI / 180.0), 0.02);
}

// The furnace again, in a picture: white hairs among each other under an even sky of 1 and without a sun are as bright as the sky.
static void a_wisp_of_white_hairs_vanishes_in_a_furnace(void** state) {
  (void)state;
  CpsRenderOptions options = looking_along_y(1.0, 30.0, 60, 40);
  options.samples = 1;
  options.hairs = 400;
  options.spread = 4.0;
  Picture picture =
      draw_scene(STILL
                 "fibres: {hair: {model: der, elements: 8, length: 40 cm, radius: 2 mm, young: 1 GPa, root: clamped,\n"
                 "  position: [0, 0, 0.2], direction: [0, 0, -1]}}\n",
                 &options);
  CpsRender* render = picture.render;
  CpsStage stage = render->stage;
  stage.sun_light = cps_float3(0, 0, 0);
  stage.sky_light = stage.floor_light = cps_float3(1, 1, 1);
  CpsFloat3* colour = render->scene.curve_colour.items;
  for (int64_t k = 0; k < render->scene.curve_point_count; ++k) colour[k] = cps_float3(1, 1, 1);
  int met = 0;
  double sum = 0.0;
  for (uint32_t k = 0; k < 4000; ++k) {
    CpsSample2 film = cps_sample2(k, 5u);
    CpsFloat3 d = cps_eye_direction(&stage.eye, 60, 40, 29.6f + 0.8f * film.x, 10.0f + 20.0f * film.y);
    CpsLight light = cps_stage_light(&stage, stage.eye.eye, d, cps_float3(1, 1, 1), k, 99u);
    met += light.distance < INFINITY;
    sum += (double)light.rest.y;
  }
  assert_true(met > 3000);
  assert_near(sum / 4000.0, 1.0,
              0.02);  // ways are ended by chance: 0.4 of standard deviation over 4000 samples, three times
  close_picture(&picture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_white_hair_gives_back_all_light),
      cmocka_unit_test(a_hair_alone_shows_its_colour),
      cmocka_unit_test(a_darker_hair_gives_back_less),
      cmocka_unit_test(drawn_directions_follow_the_lobes),
      cmocka_unit_test(the_highlight_is_tilted_by_the_scales),
      cmocka_unit_test(a_wisp_of_white_hairs_vanishes_in_a_furnace),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
