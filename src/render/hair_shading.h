// Light scattered by one hair: a rough dielectric cylinder that absorbs inside and is covered with tilted scales.
#ifndef CAPSTAN_RENDER_HAIR_SHADING_H
#define CAPSTAN_RENDER_HAIR_SHADING_H

#include <stdbool.h>

#include "render/float3.h"

// Where light meets a hair: its direction, its absorption, and the offset of the ray to the eye from the middle of its width.
typedef struct CpsHair {
  CpsFloat3 tangent;     // unit, from root to tip
  CpsFloat3 absorption;  // for each colour, per radius
  float h;               // -1 to 1 across the width
} CpsHair;

// A hair that has `colour` (linear, 0 to 1) among many hairs or, with `alone`, by itself. White absorbs nothing.
CpsHair cps_hair_make(CpsFloat3 tangent, CpsFloat3 colour, float h, bool alone);
// f cos(theta_i): radiance towards `to_eye` for a unit of irradiance from `to_light` (unit vectors away from the hair).
CpsFloat3 cps_hair_scatter(const CpsHair* hair, CpsFloat3 to_eye, CpsFloat3 to_light);
// Samples a direction of incoming light that leaves to the eye, from four numbers in [0, 1).
// Returns f cos(theta_i) / density.
CpsFloat3 cps_hair_sample(const CpsHair* hair, CpsFloat3 to_eye, const float u[4], CpsFloat3* to_light);

#endif
