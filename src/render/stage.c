// The light that leaves a surface of colour c towards the eye, in linear RGB:
//
//   L = c (E_sun V_sun max(0, n.l) + E_sky(n) A) + gloss,   E_sky(n) = mix(floor, sky, (1 + n_z) / 2)               (1)
//   V_sun: whether a point of the sun's disc is seen;   A: whether a direction drawn with density cos / pi meets nothing
//   within `reach`: their means over the samples of a pixel are a soft shadow and ambient occlusion
//
// Where nothing hides the sun and the sky every sample is equal, and the picture has no noise. A fibre thinner than some
// pixels is a hair (hair_light.c) instead of a surface with a normal, which a pixel cannot show. A fibre drawn wider than it
// is (fibres.c) blocks its share, and the ray continues:
//
//   L = sum_k cover_k L_k prod_{j<k} (1 - cover_j)                                                                    (2)
#include "render/stage.h"

#include "render/colour.h"
#include "render/hair_light.h"

#define SUN_SIZE 0.05f  // tangent of half the angular size
#define GLOSS 0.05f     // reflectance at normal incidence
#define SHININESS 60.0f
#define LAYERS 12         // overlapping fibres that are followed
#define FAINT 0.12f       // rays with less remaining light are not followed: the last surface receives the rest
#define HAIR_THIN 1.5f    // radius in px: thinner fibres are hairs
#define HAIR_THICK 5.0f   // thicker ones are tubes
#define GRID_LINE 0.012f  // half the width of a line, relative to the mesh size
#define GRID_SHADE 0.90f
#define DARK_FLOOR 0.045f     // relative to its colour: a floor in the dark
#define DARK_GRID_SHADE 1.7f  // grid lines are brighter there
#define HIDDEN_ARROW 0.45f    // opacity of hidden arrows

CpsStage cps_stage_make(const CpsRenderScene* scene, const CpsEye* eye, bool dark, bool side_light) {
  CpsStage stage = {.scene = scene, .eye = *eye, .extent = eye->slope_y, .reach = 0.6f * eye->slope_y, .dark = dark};
  // from the front, with an even sky that shows everything; or from the side, with a dim sky, so that strands and folds stand out
  CpsFloat3 sun = cps_float3_scale(side_light ? -1.1f : -0.55f, eye->right);
  sun = cps_float3_axpy(sun, 0.4f, eye->up);
  sun = cps_float3_axpy(sun, side_light ? 0.25f : 1.0f, eye->back);
  sun.z += 0.5f;
  stage.sun = cps_float3_unit(sun);
  stage.sun_across = cps_float3_across(stage.sun);
  stage.sun_up = cps_float3_cross(stage.sun, stage.sun_across);
  stage.sun_light = side_light ? cps_float3(1.6f, 1.45f, 1.25f) : cps_float3(0.78f, 0.74f, 0.68f);
  stage.sky_light = side_light ? cps_float3(0.10f, 0.13f, 0.18f) : cps_float3(0.42f, 0.45f, 0.50f);
  stage.floor_light = side_light ? cps_float3(0.05f, 0.05f, 0.06f) : cps_float3(0.25f, 0.24f, 0.22f);
  stage.top = cps_colour_hex(dark ? 0x20242b : 0xf7f8fa);
  stage.bottom = cps_colour_hex(dark ? 0x14161a : 0xe4e7eb);
  return stage;
}

CpsFloat3 cps_stage_background(const CpsStage* stage, float height) {
  return cps_float3_mix(stage->top, stage->bottom, cps_clampf(height, 0.0f, 1.0f));
}

CpsFloat3 cps_stage_sun(const CpsStage* stage, CpsSample2 sample) {
  float radius = SUN_SIZE * sqrtf(sample.x), angle = 6.2831853f * sample.y;
  CpsFloat3 d = cps_float3_axpy(stage->sun, radius * cosf(angle), stage->sun_across);
  return cps_float3_unit(cps_float3_axpy(d, radius * sinf(angle), stage->sun_up));
}

// Whether this sample sees its point of the sun, 0 or 1.
static float sun_seen(const CpsStage* stage, CpsFloat3 from, CpsFloat3 facing, uint32_t index, uint32_t seed) {
  CpsFloat3 to_sun = cps_stage_sun(stage, cps_sample2(index, seed ^ 0xa511e9b3u));
  if (cps_float3_dot(facing, to_sun) <= 0.0f) return 0.0f;
  return cps_render_is_hidden(stage->scene, from, to_sun, INFINITY, cps_mix(seed + index), false) ? 0.0f : 1.0f;
}

static float sky_seen(const CpsStage* stage, CpsFloat3 from, CpsFloat3 normal, uint32_t index, uint32_t seed) {
  CpsFloat3 d = cps_sample_cosine(normal, cps_sample2(index, seed ^ 0x63d83595u));
  return cps_render_is_hidden(stage->scene, from, d, stage->reach, cps_mix(seed - index), true) ? 0.0f : 1.0f;
}

// Light of the unhidden sun and sky on a surface.
static void shade_solid(const CpsStage* stage, const CpsSurface* surface, CpsFloat3 to_eye, CpsFloat3* sun,
                        CpsFloat3* sky) {
  CpsFloat3 n = surface->normal;
  // the centre of the sun: its disc matters for shadows only, and this reduces noise
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

// Equation (1) for one sample of a surface with a normal.
static CpsLight shade(const CpsStage* stage, const CpsSurface* surface, CpsFloat3 direction, CpsFloat3 background,
                      uint32_t index, uint32_t seed) {
  bool fibre = surface->kind == CPS_SURFACE_FIBRE;
  CpsFloat3 from = cps_float3_axpy(surface->point, fibre ? 1e-5f + 0.1f * surface->radius : 1e-4f, surface->facing);
  CpsLight light = {.owner = surface->owner, .distance = surface->distance, .normal = surface->normal};
  light.sun_seen = sun_seen(stage, from, surface->facing, index, seed);
  // fibres are noisy anyway: every second sample tests the sky and counts twice
  if (!fibre || !stage->halve || index % 2 == 0) light.sky_seen = sky_seen(stage, from, surface->normal, index, seed);
  if (fibre && stage->halve) light.sky_seen *= 2.0f;
  shade_solid(stage, surface, cps_float3_scale(-1.0f, direction), &light.sun, &light.sky);
  if (surface->kind != CPS_SURFACE_PLANE) return light;
  // a faint grid; far away the plane fades into the background, without a horizon
  float far = cps_smoothstepf(1.2f, 4.0f, cps_float3_norm(surface->point) / stage->extent);
  float shade = stage->dark ? DARK_GRID_SHADE : GRID_SHADE, floor = stage->dark ? DARK_FLOOR : 1.0f;
  float own = (surface->line < GRID_LINE ? shade : 1.0f) * floor * (1.0f - far);
  light.sun = cps_float3_scale(own, light.sun);
  light.sky = cps_float3_scale(own, light.sky);
  light.rest = cps_float3_scale(far, background);
  return light;
}

static CpsFloat3 whole(const CpsLight* light) {
  CpsFloat3 sum = cps_float3_axpy(light->rest, light->sun_seen, light->sun);
  return cps_float3_axpy(sum, light->sky_seen, light->sky);
}

CpsFloat3 cps_stage_behind(const CpsStage* stage, const CpsSurface* surface, CpsFloat3 direction, uint32_t seed,
                           uint32_t index) {
  CpsFloat3 around = cps_float3_mix(stage->floor_light, stage->sky_light, 0.5f + 0.5f * direction.z);
  if (surface->kind == CPS_SURFACE_NONE) return around;
  CpsLight light = shade(stage, surface, direction, around, index, seed);
  return whole(&light);
}

// A fibre: a hair, a tube, or a mixture of both by its radius in pixels.
static CpsLight shade_fibre(const CpsStage* stage, const CpsSurface* surface, CpsFloat3 direction, CpsFloat3 background,
                            uint32_t index, uint32_t seed) {
  float px = surface->radius / (stage->eye.pixel * surface->distance);
  float tube = cps_smoothstepf(HAIR_THIN, HAIR_THICK, px);
  CpsLight light = {.owner = -1, .distance = surface->distance, .normal = surface->normal};
  if (tube > 0.0f) light = shade(stage, surface, direction, background, index, seed);
  if (tube == 1.0f) return light;
  CpsFloat3 hair = cps_hair_light(stage, surface, cps_float3_scale(-1.0f, direction), index, seed);
  light.rest = cps_float3_mix(hair, whole(&light), tube);
  light.sun_seen = light.sky_seen = 0.0f;
  light.strand = cps_float3_scale(surface->cover, surface->tangent);
  return light;
}

// Equation (2). If the first surface is opaque, the parts of its light stay separate.
static CpsLight follow(const CpsStage* stage, CpsFloat3 origin, CpsFloat3 direction, CpsFloat3 background,
                       uint32_t index, uint32_t seed) {
  CpsLight result = {.owner = -1, .distance = INFINITY};
  float left = 1.0f, nearest = 1e-4f;
  for (int layer = 0; layer < LAYERS && left > 0.0f; ++layer) {
    CpsSurface surface = cps_render_meet(stage->scene, origin, direction, nearest, cps_mix(seed + index));
    if (surface.kind == CPS_SURFACE_NONE) break;
    CpsLight light = (surface.kind == CPS_SURFACE_FIBRE ? shade_fibre : shade)(stage, &surface, direction, background,
                                                                               index, cps_mix(seed + (uint32_t)layer));
    bool last = layer + 1 == LAYERS || left * (1.0f - surface.cover) < FAINT;
    if (layer == 0 && last) return light;
    if (layer == 0) {
      result.distance = surface.distance;
      result.strand = light.strand;
    }
    float cover = last ? 1.0f : surface.cover;
    result.rest = cps_float3_axpy(result.rest, left * cover, whole(&light));
    left *= 1.0f - cover;
    nearest = surface.distance + 2.0f * surface.radius + 1e-5f;
  }
  result.rest = cps_float3_axpy(result.rest, left, background);
  return result;
}

CpsLight cps_stage_light(const CpsStage* stage, CpsFloat3 origin, CpsFloat3 direction, CpsFloat3 background,
                         uint32_t index, uint32_t seed) {
  float distance;
  CpsFloat3 normal, colour;
  CpsLight light = follow(stage, origin, direction, background, index, seed);
  if (!cps_render_meet_arrow(stage->scene, origin, direction, &distance, &normal, &colour)) return light;
  // arrows are lit from the eye, because their colours have a meaning
  float facing = fmaxf(0.0f, -cps_float3_dot(normal, direction));
  CpsFloat3 arrow = cps_float3_scale(0.55f + 0.45f * facing, colour);
  float share = distance < light.distance ? 1.0f : HIDDEN_ARROW;
  return (CpsLight){.rest = cps_float3_mix(whole(&light), arrow, share), .owner = -1, .distance = distance};
}
