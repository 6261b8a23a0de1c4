// Sample positions in a pixel: the first two dimensions of Sobol's sequence, whose first 2^k points place one point in each
// elementary box of area 2^-k, shuffled and scrambled after Owen with a hash (Laine and Karras 2011; Burley 2020). Every pixel and
// every use (film, sun, sky) has its own seed, so that errors show no pattern. The result depends only on the pixel and the sample
// number.
#ifndef CAPSTAN_RENDER_SAMPLING_H
#define CAPSTAN_RENDER_SAMPLING_H

#include <stdint.h>

#include "render/float3.h"

typedef struct CpsSample2 {
  float x, y;  // in [0, 1)
} CpsSample2;

// A well mixed function of a number (the finaliser of a multiplicative hash).
static inline uint32_t cps_mix(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

static inline uint32_t cps_bits_reversed(uint32_t x) {
  x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
  x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
  x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
  x = (x & 0x00ff00ffu) << 8 | (x >> 8 & 0x00ff00ffu);
  return x << 16 | x >> 16;
}

// Flips each bit by a hash of the bits above it.
static inline uint32_t cps_owen(uint32_t x, uint32_t seed) {
  x = cps_bits_reversed(x) + seed;
  x ^= x * 0x6c50b47cu;
  x ^= x * 0xb82f1e52u;
  x ^= x * 0xc7afe638u;
  x ^= x * 0x8d22f6e6u;
  return cps_bits_reversed(x);
}

static inline float cps_unit_float(uint32_t x) {
  return (float)(x >> 8) * 0x1p-24f;
}

// The second dimension of Sobol's sequence: direction numbers of the polynomial x + 1.
static inline uint32_t cps_sobol2(uint32_t index) {
  uint32_t x = 0;
  for (uint32_t direction = 1u << 31; index; index >>= 1, direction ^= direction >> 1) {
    if (index & 1u) x ^= direction;
  }
  return x;
}

// Sample number `index` for the use with this seed.
static inline CpsSample2 cps_sample2(uint32_t index, uint32_t seed) {
  uint32_t shuffled = cps_owen(index, cps_mix(seed));
  CpsSample2 s;
  s.x = cps_unit_float(cps_owen(cps_bits_reversed(shuffled), cps_mix(seed ^ 0x9e3779b9u)));
  s.y = cps_unit_float(cps_owen(cps_sobol2(shuffled), cps_mix(seed ^ 0x3c6ef372u)));
  return s;
}

// A tent filter over (-1, 1), so that adjacent pixels overlap.
static inline float cps_tent(float u) {
  return u < 0.5f ? sqrtf(2.0f * u) - 1.0f : 1.0f - sqrtf(2.0f - 2.0f * u);
}

// A direction about n with a density of cos / pi.
static inline CpsFloat3 cps_sample_cosine(CpsFloat3 n, CpsSample2 s) {
  CpsFloat3 a = cps_float3_across(n), b = cps_float3_cross(n, a);
  float radius = sqrtf(s.x), angle = 6.2831853f * s.y, height = sqrtf(fmaxf(0.0f, 1.0f - s.x));
  CpsFloat3 d = cps_float3_scale(height, n);
  d = cps_float3_axpy(d, radius * cosf(angle), a);
  return cps_float3_axpy(d, radius * sinf(angle), b);
}

#endif
