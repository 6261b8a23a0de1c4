// Single-precision vectors for Embree. They are used only inside a picture, where the origin is the camera's target and the unit of
// length is its distance, so that six digits are enough for objects of any size.
#ifndef CAPSTAN_RENDER_FLOAT3_H
#define CAPSTAN_RENDER_FLOAT3_H

#include <math.h>

typedef struct CpsFloat3 {
  float x, y, z;
} CpsFloat3;

static inline CpsFloat3 cps_float3(float x, float y, float z) {
  return (CpsFloat3){x, y, z};
}
static inline CpsFloat3 cps_float3_add(CpsFloat3 a, CpsFloat3 b) {
  return cps_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline CpsFloat3 cps_float3_sub(CpsFloat3 a, CpsFloat3 b) {
  return cps_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline CpsFloat3 cps_float3_scale(float s, CpsFloat3 a) {
  return cps_float3(s * a.x, s * a.y, s * a.z);
}
// a + s b
static inline CpsFloat3 cps_float3_axpy(CpsFloat3 a, float s, CpsFloat3 b) {
  return cps_float3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
// a + t (b - a)
static inline CpsFloat3 cps_float3_mix(CpsFloat3 a, CpsFloat3 b, float t) {
  return cps_float3_axpy(a, t, cps_float3_sub(b, a));
}
// Component by component: light times colour.
static inline CpsFloat3 cps_float3_times(CpsFloat3 a, CpsFloat3 b) {
  return cps_float3(a.x * b.x, a.y * b.y, a.z * b.z);
}
static inline float cps_float3_dot(CpsFloat3 a, CpsFloat3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline CpsFloat3 cps_float3_cross(CpsFloat3 a, CpsFloat3 b) {
  return cps_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline float cps_float3_norm(CpsFloat3 a) {
  return sqrtf(cps_float3_dot(a, a));
}
// a / ||a||; a itself where it vanishes.
static inline CpsFloat3 cps_float3_unit(CpsFloat3 a) {
  float norm = cps_float3_norm(a);
  return norm > 0.0f ? cps_float3_scale(1.0f / norm, a) : a;
}
// Any unit vector across a unit vector n.
static inline CpsFloat3 cps_float3_across(CpsFloat3 n) {
  CpsFloat3 axis = fabsf(n.x) < 0.6f ? cps_float3(1.0f, 0.0f, 0.0f) : cps_float3(0.0f, 1.0f, 0.0f);
  return cps_float3_unit(cps_float3_cross(n, axis));
}

static inline float cps_clampf(float x, float low, float high) {
  return x < low ? low : x > high ? high : x;
}
// 0 below `low`, 1 above `high`, smooth between.
static inline float cps_smoothstepf(float low, float high, float x) {
  float t = cps_clampf((x - low) / (high - low), 0.0f, 1.0f);
  return t * t * (3.0f - 2.0f * t);
}

#endif
