// With inclinations th to the plane across the fibre and azimuth phi between light and eye, the light that leaves a fibre
// is a sum of paths, each a lobe along and a lobe around it (Marschner et al. 2003, equations 7 to 9):
//
//   S = sum_p M_p(th_h) N_p(phi) A_p / cos^2 th_d,   th_h = (th_i + th_r) / 2,  th_d = (th_r - th_i) / 2            (1)
//   M_p = exp(-(th_h - a_p)^2 / 2 b_p^2) / (b_p sqrt(2 pi))
//
// p = R: reflected at the surface, white, tilted to the root by the scales; TT: through the fibre, coloured once; TRT:
// reflected inside, coloured twice, tilted to the tip. N_R = cos(phi / 2) / 4 is exact for a smooth cylinder; N_TT and N_TRT
// are smooth stand-ins about phi = pi and 0. Light that went through many hairs comes as Kajiya and Kay's (1989) diffuse term,
// sin(t, l), wrapped around the side that faces the light.
#include "render/hair_shading.h"

#define TILT_R (-0.06f)
#define WIDTH_R 0.13f
#define TILT_TT 0.03f
#define WIDTH_TT 0.13f
#define TILT_TRT 0.09f
#define WIDTH_TRT 0.24f
#define FRESNEL 0.046f  // of keratin, n = 1.55, head on

static float gauss(float x, float width) {
  return expf(-0.5f * x * x / (width * width)) / (2.5066283f * width);
}

static float fresnel(float cosine) {
  float m = cps_clampf(1.0f - cosine, 0.0f, 1.0f), m2 = m * m;
  return FRESNEL + (1.0f - FRESNEL) * m2 * m2 * m;
}

CpsFloat3 cps_hair_scatter(CpsFloat3 tangent, CpsFloat3 to_eye, CpsFloat3 to_light, CpsFloat3 colour) {
  float sin_i = cps_clampf(cps_float3_dot(tangent, to_light), -1.0f, 1.0f);
  float sin_r = cps_clampf(cps_float3_dot(tangent, to_eye), -1.0f, 1.0f);
  float th_i = asinf(sin_i), th_r = asinf(sin_r);
  float half = 0.5f * (th_i + th_r), cos_d = cosf(0.5f * (th_r - th_i));
  CpsFloat3 across_i = cps_float3_unit(cps_float3_axpy(to_light, -sin_i, tangent));
  CpsFloat3 across_r = cps_float3_unit(cps_float3_axpy(to_eye, -sin_r, tangent));
  float cos_phi = cps_clampf(cps_float3_dot(across_i, across_r), -1.0f, 1.0f);
  float cos_half_phi = sqrtf(0.5f + 0.5f * cos_phi);
  float cos_i = sqrtf(fmaxf(0.0f, 1.0f - sin_i * sin_i));

  float scale = cos_i / fmaxf(cos_d * cos_d, 0.1f);
  float R = 1.6f * gauss(half - TILT_R, WIDTH_R) * 0.25f * cos_half_phi * fresnel(cos_d * cos_half_phi);
  float beyond = acosf(-cos_phi);  // azimuth from straight through
  float TT = 0.35f * gauss(half - TILT_TT, WIDTH_TT) * gauss(beyond, 0.35f);
  float TRT = 0.22f * gauss(half - TILT_TRT, WIDTH_TRT) * cos_half_phi * cos_half_phi;
  float diffuse = 0.75f * cos_i * (0.5f + 0.5f * cos_phi);

  CpsFloat3 twice = cps_float3_times(colour, colour);
  CpsFloat3 sum = cps_float3_scale(diffuse + scale * TT, colour);
  sum = cps_float3_axpy(sum, scale * R, cps_float3(1.0f, 1.0f, 1.0f));
  return cps_float3_axpy(sum, scale * TRT, cps_float3_mix(twice, colour, 0.6f));
}
