// With inclinations th to the plane across the hair and azimuths phi about it, light from direction i leaves to direction o
// along the paths p = R, TT, TRT, and all longer ones together (Marschner et al. 2003; d'Eon et al. 2011; Chiang et al. 2016):
//
//   f cos th_i = sum_p A_p(h, th_o) M_p(th_o, th_i) N_p(h, phi)                                                        (1)
//   int M_p cos th_i dth_i = 1,   int N_p dphi = 1,   sum_p A_p = 1 without absorption                                  (2)
//
// so that a white hair gives back all light that it gets, whatever the roughness. M_p is a Gaussian on the sphere of variance
// v_p, wrapped along the hair,
//
//   M_p = exp(-sin th_i sin th_p / v_p) I_0(cos th_i cos th_p / v_p) / (2 v_p sinh(1 / v_p)),                           (3)
//
// with th_p = th_o tilted by the scales: -2 a, a, 4 a. N_p is a logistic density of scale s, cut to (-pi, pi), about the
// azimuth at which a smooth cylinder sends the path; the last term is even. With the angles g of the ray across the section,
// outside and inside, F Fresnel's reflectance and T the transmittance of one crossing,
//
//   Phi_p = 2 p g_t - 2 g_o + p pi,   A_0 = F,   A_p = (1 - F)^2 T^p F^(p-1),   A_3 = A_2 F T / (1 - F T).               (4)
//
// Absorption from the colour of many hairs, and the variances from one number for the roughness, are the fits of Chiang et al.
// Not guaranteed: reciprocity; A_p depends on the eye's side alone.
#include "render/hair_shading.h"

#define PI 3.14159265f
#define REFRACTION 1.55f  // of keratin
#define LONGITUDINAL \
  0.0846112f  // v_R = (0.726 b + 0.812 b^2)^2 for a roughness b = 0.3; v_TT is a quarter of it, v_TRT four times
#define AZIMUTHAL 0.1171598f  // s = sqrt(pi / 8) (0.265 b + 1.194 b^2)
#define COLOUR_FIT 5.8884f    // absorption is (ln colour / this)^2
#define CROSSING 1.7f         // mean path length in a hair, in radii: light that crosses one hair once takes its colour
#define DARKEST 1e-3f         // smallest colour, so that its logarithm is finite

enum { PATHS = 4 };
// a = 2 degrees: the tilts -2 a, a, 4 a of the paths
static const float tilt_sine[PATHS] = {-0.0697565f, 0.0348995f, 0.1391731f, 0.0f};
static const float tilt_cosine[PATHS] = {0.9975641f, 0.9993908f, 0.9902681f, 1.0f};
static const float variance[PATHS] = {LONGITUDINAL, 0.25f * LONGITUDINAL, 4.0f * LONGITUDINAL, 4.0f * LONGITUDINAL};

// A direction in the axes of a hair.
typedef struct Direction {
  float sine, cosine;  // of its inclination
  float azimuth;
} Direction;

static Direction direction_of(const CpsHair* hair, CpsFloat3 a, CpsFloat3 b, CpsFloat3 w) {
  float sine = cps_clampf(cps_float3_dot(hair->tangent, w), -1.0f, 1.0f);
  return (Direction){sine, sqrtf(fmaxf(0.0f, 1.0f - sine * sine)), atan2f(cps_float3_dot(w, b), cps_float3_dot(w, a))};
}

static float log_bessel(float x) {  // ln I_0(x)
  if (x > 12.0f) return x - 0.5f * logf(2.0f * PI * x) + log1pf((0.125f + 0.0703125f / x) / x);
  float term = 1.0f, sum = 1.0f, quarter = 0.25f * x * x;
  for (int i = 1; i < 24 && term > 1e-7f * sum; ++i) sum += term *= quarter / (float)(i * i);
  return logf(sum);
}

// Equation (3), in logarithms: sinh(1 / v) overflows for smooth hair.
static float along(float sine_o, float cosine_o, Direction in, float v) {
  float sinh_log = 1.0f / v - 0.6931472f + log1pf(-expf(-2.0f / v));
  return expf(log_bessel(in.cosine * cosine_o / v) - in.sine * sine_o / v - sinh_log) / (2.0f * v);
}

static float logistic_sum(float x) {
  return 1.0f / (1.0f + expf(-x / AZIMUTHAL));
}

static float wrapped(float angle) {
  return angle - 2.0f * PI * roundf(angle / (2.0f * PI));
}

// N_p at the azimuth x relative to Phi_p.
static float around(float x) {
  float e = expf(-fabsf(wrapped(x)) / AZIMUTHAL), within = 2.0f * logistic_sum(PI) - 1.0f;
  return e / (AZIMUTHAL * (1.0f + e) * (1.0f + e) * within);
}

static float fresnel(float cosine) {
  float sine2 = (1.0f - cosine * cosine) / (REFRACTION * REFRACTION);
  float inside = sqrtf(fmaxf(0.0f, 1.0f - sine2));
  float p = (REFRACTION * cosine - inside) / (REFRACTION * cosine + inside);
  float s = (cosine - REFRACTION * inside) / (cosine + REFRACTION * inside);
  return 0.5f * (p * p + s * s);
}

// Equation (4) for an eye at this inclination.
typedef struct Paths {
  CpsFloat3 share[PATHS];  // A_p
  float outside, inside;   // g_o, g_t
} Paths;

static CpsFloat3 exponential(CpsFloat3 a) {
  return cps_float3(expf(-a.x), expf(-a.y), expf(-a.z));
}

static Paths paths_of(const CpsHair* hair, Direction eye) {
  float sine_t = eye.sine / REFRACTION, cosine_t = sqrtf(1.0f - sine_t * sine_t);
  // a cylinder seen obliquely refracts like its cross-section with a larger index (Bravais)
  float index = sqrtf(REFRACTION * REFRACTION - eye.sine * eye.sine) / fmaxf(eye.cosine, 1e-4f);
  float sine_g = hair->h / index, cosine_g = sqrtf(1.0f - sine_g * sine_g);
  CpsFloat3 T = exponential(cps_float3_scale(2.0f * cosine_g / cosine_t, hair->absorption));
  float F = fresnel(eye.cosine * sqrtf(1.0f - hair->h * hair->h)), in = (1.0f - F) * (1.0f - F);
  Paths paths = {.outside = asinf(hair->h), .inside = asinf(sine_g)};
  CpsFloat3 rest = cps_float3(F / (1.0f - F * T.x), F / (1.0f - F * T.y), F / (1.0f - F * T.z));
  paths.share[0] = cps_float3(F, F, F);
  paths.share[1] = cps_float3_scale(in, T);
  paths.share[2] = cps_float3_scale(F, cps_float3_times(paths.share[1], T));
  paths.share[3] = cps_float3_times(cps_float3_times(paths.share[2], T), rest);
  return paths;
}

static float path_azimuth(const Paths* paths, int p) {
  return 2.0f * (float)p * paths->inside - 2.0f * paths->outside + (float)p * PI;
}

static void tilted(Direction eye, int p, float* sine, float* cosine) {
  *sine = eye.sine * tilt_cosine[p] + eye.cosine * tilt_sine[p];
  *cosine = fabsf(eye.cosine * tilt_cosine[p] - eye.sine * tilt_sine[p]);
}

// M_p N_p of each path.
static void lobes(const Paths* paths, Direction eye, Direction in, float lobe[PATHS]) {
  for (int p = 0; p < PATHS; ++p) {
    float sine, cosine;
    tilted(eye, p, &sine, &cosine);
    float azimuth = p < 3 ? around(in.azimuth - eye.azimuth - path_azimuth(paths, p)) : 0.5f / PI;
    lobe[p] = along(sine, cosine, in, variance[p]) * azimuth;
  }
}

static float mean(CpsFloat3 a) {
  return (a.x + a.y + a.z) / 3.0f;
}

CpsHair cps_hair_make(CpsFloat3 tangent, CpsFloat3 colour, float h, bool alone) {
  CpsFloat3 depth = cps_float3(-logf(cps_clampf(colour.x, DARKEST, 1.0f)), -logf(cps_clampf(colour.y, DARKEST, 1.0f)),
                               -logf(cps_clampf(colour.z, DARKEST, 1.0f)));
  CpsFloat3 absorption = alone ? cps_float3_scale(1.0f / CROSSING, depth)
                               : cps_float3_scale(1.0f / (COLOUR_FIT * COLOUR_FIT), cps_float3_times(depth, depth));
  return (CpsHair){tangent, absorption, cps_clampf(h, -0.9999f, 0.9999f)};
}

CpsFloat3 cps_hair_scatter(const CpsHair* hair, CpsFloat3 to_eye, CpsFloat3 to_light) {
  CpsFloat3 a = cps_float3_across(hair->tangent), b = cps_float3_cross(hair->tangent, a), sum = {0};
  Direction eye = direction_of(hair, a, b, to_eye), in = direction_of(hair, a, b, to_light);
  Paths paths = paths_of(hair, eye);
  float lobe[PATHS];
  lobes(&paths, eye, in, lobe);
  for (int p = 0; p < PATHS; ++p) sum = cps_float3_axpy(sum, lobe[p], paths.share[p]);
  return sum;
}

CpsFloat3 cps_hair_sample(const CpsHair* hair, CpsFloat3 to_eye, const float u[4], CpsFloat3* to_light) {
  CpsFloat3 a = cps_float3_across(hair->tangent), b = cps_float3_cross(hair->tangent, a), sum = {0};
  Direction eye = direction_of(hair, a, b, to_eye);
  Paths paths = paths_of(hair, eye);
  // choose a path by its share of the light
  float share[PATHS], all = 0.0f, left = u[0];
  for (int p = 0; p < PATHS; ++p) all += share[p] = mean(paths.share[p]);
  int path = 0;
  while (path + 1 < PATHS && left * all >= share[path]) left -= share[path++] / all;
  // choose an inclination by (3): a direction around the tilted one, on the sphere
  float sine, cosine, v = variance[path];
  tilted(eye, path, &sine, &cosine);
  float height = 1.0f + v * logf(fmaxf(u[1], 1e-6f) + (1.0f - u[1]) * expf(-2.0f / v));
  float side = sqrtf(fmaxf(0.0f, 1.0f - height * height)) * cosf(2.0f * PI * u[2]);
  Direction in = {.sine = cps_clampf(side * cosine - height * sine, -1.0f, 1.0f)};
  in.cosine = sqrtf(fmaxf(0.0f, 1.0f - in.sine * in.sine));
  // choose an azimuth by inversion of the logistic distribution
  float low = logistic_sum(-PI), where = low + u[3] * (1.0f - 2.0f * low);
  float turn = cps_clampf(-AZIMUTHAL * logf(1.0f / where - 1.0f), -PI, PI);
  in.azimuth = eye.azimuth + (path < 3 ? path_azimuth(&paths, path) + turn : 2.0f * PI * u[3]);
  *to_light = cps_float3_axpy(cps_float3_scale(in.cosine * cosf(in.azimuth), a), in.cosine * sinf(in.azimuth), b);
  *to_light = cps_float3_axpy(*to_light, in.sine, hair->tangent);
  float lobe[PATHS], density = 0.0f;
  lobes(&paths, eye, in, lobe);
  for (int p = 0; p < PATHS; ++p) {
    sum = cps_float3_axpy(sum, lobe[p], paths.share[p]);
    density += lobe[p] * share[p] / all;
  }
  return density > 0.0f ? cps_float3_scale(1.0f / density, sum) : cps_float3(0.0f, 0.0f, 0.0f);
}
