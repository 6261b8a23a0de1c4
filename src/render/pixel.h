// A pixel before it becomes bytes.
#ifndef CAPSTAN_RENDER_PIXEL_H
#define CAPSTAN_RENDER_PIXEL_H

#include "render/stage.h"

// Means over the samples. Where all of them meet one thing first, its light is kept in parts, so that the noise of shadows
// can be taken out; elsewhere all light is in `rest`.
typedef struct CpsPixel {
  CpsFloat3 rest, sun, sky;
  float sun_seen, sky_seen;
  float distance;
  CpsFloat3 normal;
  int32_t owner;  // -1: not of one thing
  float strand
      [2];  // direction of hair in the picture as a mean of (cos 2a, sin 2a); its length is how much hair of one direction
} CpsPixel;

// Linear RGB of pixel x, y, with the shares of sun and sky taken from like pixels around it, or, of hair, the light from
// pixels along it.
CpsFloat3 cps_pixel_smooth(const CpsPixel* pixels, int32_t width, int32_t height, int32_t x, int32_t y,
                           float pixel_size);

#endif
