// A pixel before its conversion to bytes.
#ifndef CAPSTAN_RENDER_PIXEL_H
#define CAPSTAN_RENDER_PIXEL_H

#include "render/stage.h"

// Means over the samples. If all samples hit one object first, its light is kept in parts, so that the noise of shadows can be
// removed; otherwise all light is in `rest`.
typedef struct CpsPixel {
  CpsFloat3 rest, sun, sky;
  float sun_seen, sky_seen;
  float distance;
  CpsFloat3 normal;
  int32_t owner;  // -1: not of one thing
  float strand
      [2];  // direction of hair in the picture as a mean of (cos 2a, sin 2a); its length is how much hair of one direction
} CpsPixel;

// Linear RGB of pixel x, y. The fractions of sun and sky come from similar pixels around it, and the light of hair from pixels
// along the hair.
CpsFloat3 cps_pixel_smooth(const CpsPixel* pixels, int32_t width, int32_t height, int32_t x, int32_t y,
                           float pixel_size);

#endif
