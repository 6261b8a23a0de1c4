// The shares of sun V and sky A that a pixel sees are means of few samples that are 0 or 1. On a smooth surface the true ones
// change slowly, and a mean over like pixels q around p is nearer to them:
//
//   V_p = sum_q w_q V_q / sum_q w_q,   w = exp(-|p - q|^2 / 2 s^2) [same thing] [n_p . n_q > 0.9] [q near the plane of p]   (1)
//
// and for the sun, whose shadows may have sharp edges, also exp(-(V_p - V_q)^2 / 2 c^2). Colours and silhouettes are not
// touched. Pixels that show several things keep their own samples.
//
// Hair looks alike along itself. Where a pixel shows hair of one direction a, its light is a mean over pixels up to a
// few steps along the line through it in that direction,
//
//   L_p = sum_k w_k L_{p + k a} / sum_k w_k,   w_k = exp(-k^2 / 2 s^2) c_k,   c_k: how much hair of that direction it shows   (2)
//
// which ends where the hair does. Gaps between strands and highlights across them stay.
#include "render/pixel.h"

#define RADIUS 4        // px
#define SPREAD 2.2f     // s, px
#define CONTRAST 0.22f  // c
#define NEAR 3.0f       // px, from the plane through p
#define STEPS 7         // px along a hair, in both directions
#define STRIDE 3.0f     // s of (2), px
#define COHERENT 0.2f   // smallest share of hair in one direction that is averaged

static CpsFloat3 whole(const CpsPixel* p, float sun_seen, float sky_seen) {
  CpsFloat3 sum = cps_float3_axpy(p->rest, sun_seen, p->sun);
  return cps_float3_axpy(sum, sky_seen, p->sky);
}

// Equation (2).
static CpsFloat3 along_hair(const CpsPixel* pixels, int32_t width, int32_t height, int32_t x, int32_t y) {
  const CpsPixel* p = &pixels[(int64_t)y * width + x];
  float length = hypotf(p->strand[0], p->strand[1]), angle = 0.5f * atan2f(p->strand[1], p->strand[0]);
  CpsFloat3 sum = cps_float3_scale(length, p->rest);
  float weight = length;
  for (int side = -1; side <= 1; side += 2) {
    for (int k = 1; k <= STEPS; ++k) {
      int32_t i = x + (int32_t)lroundf((float)(side * k) * cosf(angle));
      int32_t j = y + (int32_t)lroundf((float)(side * k) * sinf(angle));
      if (i < 0 || j < 0 || i >= width || j >= height) break;
      const CpsPixel* q = &pixels[(int64_t)j * width + i];
      float like = (p->strand[0] * q->strand[0] + p->strand[1] * q->strand[1]) / length;
      // a strand that only grazes the pixel is not averaged with one that fills it
      if (q->owner >= 0 || like < 0.5f * length || length < 0.5f * like) break;
      float w = fminf(like, length) * expf(-(float)(k * k) / (2.0f * STRIDE * STRIDE));
      sum = cps_float3_axpy(sum, w, q->rest);
      weight += w;
    }
  }
  return cps_float3_scale(1.0f / weight, sum);
}

CpsFloat3 cps_pixel_smooth(const CpsPixel* pixels, int32_t width, int32_t height, int32_t x, int32_t y,
                           float pixel_size) {
  const CpsPixel* p = &pixels[(int64_t)y * width + x];
  if (p->owner < 0 && hypotf(p->strand[0], p->strand[1]) >= COHERENT) return along_hair(pixels, width, height, x, y);
  if (p->owner < 0) return whole(p, p->sun_seen, p->sky_seen);
  float sun = 0.0f, sun_weight = 0.0f, sky = 0.0f, sky_weight = 0.0f;
  float near = NEAR * pixel_size * p->distance;
  for (int32_t j = y - RADIUS; j <= y + RADIUS; ++j) {
    for (int32_t i = x - RADIUS; i <= x + RADIUS; ++i) {
      if (i < 0 || j < 0 || i >= width || j >= height) continue;
      const CpsPixel* q = &pixels[(int64_t)j * width + i];
      if (q->owner != p->owner || cps_float3_dot(p->normal, q->normal) < 0.9f) continue;
      float away = (float)((i - x) * (i - x) + (j - y) * (j - y));
      if (fabsf(q->distance - p->distance) > near * (1.0f + 4.0f * sqrtf(away))) continue;
      float weight = expf(-away / (2.0f * SPREAD * SPREAD)), contrast = p->sun_seen - q->sun_seen;
      sky += weight * q->sky_seen;
      sky_weight += weight;
      weight *= expf(-contrast * contrast / (2.0f * CONTRAST * CONTRAST));
      sun += weight * q->sun_seen;
      sun_weight += weight;
    }
  }
  return whole(p, sun / sun_weight, sky / sky_weight);
}
