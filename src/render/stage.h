// Light that reaches the eye along a ray.
#ifndef CAPSTAN_RENDER_STAGE_H
#define CAPSTAN_RENDER_STAGE_H

#include "render/sampling.h"
#include "render/trace.h"

// The lamps, and the scene they shine on.
typedef struct CpsStage {
  const CpsRenderScene* scene;
  CpsEye eye;
  CpsFloat3 sun, sun_across, sun_up;  // unit: towards its middle, and axes of its disc
  CpsFloat3 sun_light;                // irradiance on a surface that faces it, over pi
  CpsFloat3 sky_light, floor_light;   // of the upper and the lower half of the surroundings
  CpsFloat3 top, bottom;              // background at the edges of the picture
  bool dark;
  float reach;   // how far things darken their neighbourhood
  bool halve;    // the number of samples is even: see shade()
  float extent;  // half the height of the picture, at the target
} CpsStage;

// A sun above the viewer's left shoulder, or at the left with `side_light`; a sky and a background.
CpsStage cps_stage_make(const CpsRenderScene* scene, const CpsEye* eye, bool dark, bool side_light);
// The background at a fraction of the picture's height, from the top.
CpsFloat3 cps_stage_background(const CpsStage* stage, float height);
// A direction to the sun, drawn over its disc.
CpsFloat3 cps_stage_sun(const CpsStage* stage, CpsSample2 sample);
// Light along a ray from the object that it hit (not a fibre), or from the surroundings.
CpsFloat3 cps_stage_behind(const CpsStage* stage, const CpsSurface* surface, CpsFloat3 direction, uint32_t seed,
                           uint32_t index);
// Light along one ray, split by origin: whole = rest + sun * sun_seen + sky * sky_seen.
typedef struct CpsLight {
  CpsFloat3 rest;            // constants, independent of the two below
  CpsFloat3 sun, sky;        // of a surface that is hit first, were they not hidden
  float sun_seen, sky_seen;  // 0 or 1 (fibres: the sky 0 or 2 in every second sample)
  int32_t owner;             // the first hit: a body, an obstacle or a plane; -1: a fibre, an arrow, nothing
  float distance;            // to it
  CpsFloat3 normal;
  CpsFloat3 strand;  // of a hair that is hit first: its direction times its cover; else 0
} CpsLight;

// `origin` is on the lens; `index` counts the samples of a pixel with this seed.
CpsLight cps_stage_light(const CpsStage* stage, CpsFloat3 origin, CpsFloat3 direction, CpsFloat3 background,
                         uint32_t index, uint32_t seed);

#endif
