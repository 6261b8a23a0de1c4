// The light that leaves a surface of colour c towards the eye, in linear RGB:
//
//   L = c (E_sun V_sun max(0, n.l) + E_sky(n) A) + gloss,   E_sky(n) = mix(floor, sky, (1 + n_z) / 2)               (1)
//   V_sun: whether a point of the sun's disc is seen;   A: whether a direction drawn with density cos / pi meets nothing
//   within `reach`: their means over the samples of a pixel are a soft shadow and ambient occlusion
//
// Where nothing hides the sun and the sky every sample is equal, and the picture has no noise. A fibre thinner than some
// pixels scatters as cps_hair_scatter() says instead of by its normal, which a pixel cannot show. A fibre drawn wider than it
// is (fibres.c) holds back its share, and the ray goes on:
//
//   L = sum_k cover_k L_k prod_{j<k} (1 - cover_j)                                                                    (2)
#include "render/stage.h"

#include "render/colour.h"
#include "render/hair_shading.h"
#include "render/sampling.h"

#define SUN_SIZE 0.05f  // tangent of half its angle
#define GLOSS 0.05f     // reflectance of surfaces head on
#define SHININESS 60.0f
#define LAYERS 12         // fibres in front of each other that are followed
#define FAINT 0.12f       // what is left of a ray that is not followed any more: the last surface gets it
#define HAIR_THIN 1.5f    // radius in px: thinner fibres are hairs
#define HAIR_THICK 5.0f   // thicker ones are tubes
#define GRID_LINE 0.012f  // half the width of a line, in meshes
#define GRID_SHADE 0.90f
#define HIDDEN_ARROW 0.45f  // how much of an arrow is seen through what hides it

CpsStage cps_stage_make(const CpsRenderScene* scene, const CpsEye* eye, bool dark) {
  CpsStage stage = {.scene = scene, .eye = *eye, .extent = eye->slope_y, .reach = 0.6f * eye->slope_y};
  CpsFloat3 sun = cps_float3_scale(-0.55f, eye->right);
  sun = cps_float3_axpy(sun, 0.4f, eye->up);
  sun = cps_float3_axpy(sun, 1.0f, eye->back);
  sun.z += 0.5f;
  stage.sun = cps_float3_unit(sun);
  stage.sun_across = cps_float3_across(stage.sun);
  stage.sun_up = cps_float3_cross(stage.sun, stage.sun_across);
  stage.sun_light = cps_float3(0.78f, 0.74f, 0.68f);
  stage.sky_light = cps_float3(0.42f, 0.45f, 0.50f);
  stage.floor_light = cps_float3(0.25f, 0.24f, 0.22f);
  stage.top = cps_colour_hex(dark ? 0x20242b : 0xf7f8fa);
  stage.bottom = cps_colour_hex(dark ? 0x14161a : 0xe4e7eb);
  return stage;
}

CpsFloat3 cps_stage_background(const CpsStage* stage, float height) {
  return cps_float3_mix(stage->top, stage->bottom, cps_clampf(height, 0.0f, 1.0f));
}

// Whether this sample sees its point of the sun, 0 or 1, and where that is.
static float sun_seen(const CpsStage* stage, CpsFloat3 from, CpsFloat3 facing, uint32_t index, uint32_t seed,
                      CpsFloat3* to_sun) {
  CpsSample2 s = cps_sample2(index, seed ^ 0xa511e9b3u);
  float radius = SUN_SIZE * sqrtf(s.x), angle = 6.2831853f * s.y;
  CpsFloat3 d = cps_float3_axpy(stage->sun, radius * cosf(angle), stage->sun_across);
  *to_sun = cps_float3_unit(cps_float3_axpy(d, radius * sinf(angle), stage->sun_up));
  if (cps_float3_dot(facing, *to_sun) <= 0.0f) return 0.0f;
  return cps_render_is_hidden(stage->scene, from, *to_sun, INFINITY, cps_mix(seed + index), false) ? 0.0f : 1.0f;
}

static float sky_seen(const CpsStage* stage, CpsFloat3 from, CpsFloat3 normal, uint32_t index, uint32_t seed) {
  CpsFloat3 d = cps_sample_cosine(normal, cps_sample2(index, seed ^ 0x63d83595u));
  return cps_render_is_hidden(stage->scene, from, d, stage->reach, cps_mix(seed - index), true) ? 0.0f : 1.0f;
}

// A surface with the sun and the sky unhidden: what each gives.
static void shade_solid(const CpsStage* stage, const CpsSurface* surface, CpsFloat3 to_eye, CpsFloat3* sun,
                        CpsFloat3* sky) {
  CpsFloat3 n = surface->normal;
  // the middle of the sun: its disc matters for shadows only, and noise is saved
  float cosine = fmaxf(0.0f, cps_float3_dot(n, stage->sun)), gloss = 0.0f;
  CpsFloat3 around = cps_float3_mix(stage->floor_light, stage->sky_light, 0.5f + 0.5f * n.z);
  if (surface->kind != CPS_SURFACE_PLANE && cosine > 0.0f) {
    CpsFloat3 half = cps_float3_unit(cps_float3_add(to_eye, stage->sun));
    gloss = GLOSS * 0.125f * (SHININESS + 2.0f) * powf(fmaxf(0.0f, cps_float3_dot(n, half)), SHININESS);
  }
  CpsFloat3 colour = cps_float3_add(surface->colour, cps_float3(gloss, gloss, gloss));
  *sun = cps_float3_scale(cosine, cps_float3_times(colour, stage->sun_light));
  *sky = cps_float3_times(surface->colour, around);
}

static void shade_hair(const CpsStage* stage, const CpsSurface* surface, CpsFloat3 to_eye, CpsFloat3 to_sun,
                       CpsFloat3* sun, CpsFloat3* sky) {
  CpsFloat3 scattered = cps_hair_scatter(surface->tangent, to_eye, to_sun, surface->colour);
  CpsFloat3 around = cps_float3_mix(stage->floor_light, stage->sky_light, 0.75f);
  *sun = cps_float3_times(scattered, stage->sun_light);
  *sky = cps_float3_times(surface->colour, around);
}

static void shade_fibre(const CpsStage* stage, const CpsSurface* surface, CpsFloat3 to_eye, CpsFloat3 to_sun,
                        CpsFloat3* sun, CpsFloat3* sky) {
  float px = surface->radius / (stage->eye.pixel * surface->distance);
  float tube = cps_smoothstepf(HAIR_THIN, HAIR_THICK, px);
  CpsFloat3 hair_sun = {0}, hair_sky = {0}, tube_sun = {0}, tube_sky = {0};
  if (tube < 1.0f) shade_hair(stage, surface, to_eye, to_sun, &hair_sun, &hair_sky);
  if (tube > 0.0f) shade_solid(stage, surface, to_eye, &tube_sun, &tube_sky);
  *sun = cps_float3_mix(hair_sun, tube_sun, tube);
  *sky = cps_float3_mix(hair_sky, tube_sky, tube);
}

// Equation (1) for one sample.
static CpsLight shade(const CpsStage* stage, const CpsSurface* surface, CpsFloat3 direction, CpsFloat3 background,
                      uint32_t index, uint32_t seed) {
  bool fibre = surface->kind == CPS_SURFACE_FIBRE;
  CpsFloat3 from = cps_float3_axpy(surface->point, fibre ? 1e-5f + 0.1f * surface->radius : 1e-4f, surface->facing);
  CpsFloat3 to_eye = cps_float3_scale(-1.0f, direction), to_sun;
  CpsLight light = {.owner = surface->owner, .distance = surface->distance, .normal = surface->normal};
  light.sun_seen = sun_seen(stage, from, surface->facing, index, seed, &to_sun);
  // fibres are noisy anyhow: every second sample looks at the sky, and counts twice
  if (!fibre || !stage->halve || index % 2 == 0) light.sky_seen = sky_seen(stage, from, surface->normal, index, seed);
  if (fibre && stage->halve) light.sky_seen *= 2.0f;
  if (fibre) {
    shade_fibre(stage, surface, to_eye, to_sun, &light.sun, &light.sky);
  } else {
    shade_solid(stage, surface, to_eye, &light.sun, &light.sky);
  }
  if (surface->kind != CPS_SURFACE_PLANE) return light;
  // a faint grid, and far away the plane fades into the background: no horizon
  float far = cps_smoothstepf(1.2f, 4.0f, cps_float3_norm(surface->point) / stage->extent);
  float own = (surface->line < GRID_LINE ? GRID_SHADE : 1.0f) * (1.0f - far);
  light.sun = cps_float3_scale(own, light.sun);
  light.sky = cps_float3_scale(own, light.sky);
  light.rest = cps_float3_scale(far, background);
  return light;
}

static CpsFloat3 whole(const CpsLight* light) {
  CpsFloat3 sum = cps_float3_axpy(light->rest, light->sun_seen, light->sun);
  return cps_float3_axpy(sum, light->sky_seen, light->sky);
}

// Equation (2); a surface that holds back everything is left in its parts.
static CpsLight follow(const CpsStage* stage, CpsFloat3 direction, CpsFloat3 background, uint32_t index,
                       uint32_t seed) {
  CpsLight result = {.owner = -1, .distance = INFINITY};
  float left = 1.0f, nearest = 1e-4f;
  for (int layer = 0; layer < LAYERS && left > 0.0f; ++layer) {
    CpsSurface surface = cps_render_meet(stage->scene, stage->eye.eye, direction, nearest, cps_mix(seed + index));
    if (surface.kind == CPS_SURFACE_NONE) break;
    CpsLight light = shade(stage, &surface, direction, background, index, cps_mix(seed + (uint32_t)layer));
    bool last = layer + 1 == LAYERS || left * (1.0f - surface.cover) < FAINT;
    if (layer == 0 && last) return light;
    if (layer == 0) result.distance = surface.distance;
    float cover = last ? 1.0f : surface.cover;
    result.rest = cps_float3_axpy(result.rest, left * cover, whole(&light));
    left *= 1.0f - cover;
    nearest = surface.distance + 2.0f * surface.radius + 1e-5f;
  }
  result.rest = cps_float3_axpy(result.rest, left, background);
  return result;
}

CpsLight cps_stage_light(const CpsStage* stage, CpsFloat3 direction, CpsFloat3 background, uint32_t index,
                         uint32_t seed) {
  float distance;
  CpsFloat3 normal, colour;
  CpsLight light = follow(stage, direction, background, index, seed);
  if (!cps_render_meet_arrow(stage->scene, stage->eye.eye, direction, &distance, &normal, &colour)) return light;
  // arrows carry a lamp with them: their colour says something
  float facing = fmaxf(0.0f, -cps_float3_dot(normal, direction));
  CpsFloat3 arrow = cps_float3_scale(0.55f + 0.45f * facing, colour);
  float share = distance < light.distance ? 1.0f : HIDDEN_ARROW;
  return (CpsLight){.rest = cps_float3_mix(whole(&light), arrow, share), .owner = -1, .distance = distance};
}
