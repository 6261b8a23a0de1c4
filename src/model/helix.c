// Closed forms for one element of constant curvature; the equations are in helix.h.
#include "model/helix.h"

#include <math.h>

const double cps_helix_node[CPS_HELIX_POINTS] = {0.019855071751231884, 0.10166676129318664, 0.2372337950418355,
                                                 0.40828267875217511,  0.59171732124782495, 0.7627662049581645,
                                                 0.89833323870681336,  0.98014492824876809};
const double cps_helix_weight[CPS_HELIX_POINTS] = {0.050614268145188129, 0.11119051722668724, 0.15685332293894363,
                                                   0.181341891689181,    0.181341891689181,   0.15685332293894363,
                                                   0.11119051722668724,  0.050614268145188129};

int32_t cps_helix_panels(double turn) {
  // more than a million turns within an element are nonsense: the rule need not be accurate there, only affordable
  return turn < 1024.0 ? 1 + (int32_t)(0.25 * turn) : 257;
}

// 1 / n!
static const double OVER[CPS_STUMPFF_COUNT] = {1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120};

// Coefficients of the series of c_4 and c_5, (-1)^j / (2 j + n)!; for y < 1 eight terms leave a relative error of 1e-17.
enum { TERMS = 8 };
static const double SERIES[TERMS][2] = {
    {0.041666666666666664, 0.0083333333333333332},    {-0.0013888888888888889, -0.00019841269841269841},
    {2.4801587301587302e-05, 2.7557319223985893e-06}, {-2.7557319223985888e-07, -2.505210838544172e-08},
    {2.08767569878681e-09, 1.6059043836821613e-10},   {-1.1470745597729725e-11, -7.6471637318198164e-13},
    {4.7794773323873853e-14, 2.8114572543455206e-15}, {-1.5619206968586225e-16, -8.2206352466243295e-18},
};

CpsHelix cps_helix(CpsVec3 v) {
  CpsHelix helix = {.v = v};
  double y = cps_vec3_dot(v, v), *c = helix.c;
  if (y < 1.0) {
    // the downward recursion c_n = 1/n! - y c_{n+2} loses no digits
    c[4] = SERIES[TERMS - 1][0];
    c[5] = SERIES[TERMS - 1][1];
    for (int j = TERMS - 2; j >= 0; --j) {
      c[4] = SERIES[j][0] + y * c[4];
      c[5] = SERIES[j][1] + y * c[5];
    }
    for (int n = 3; n >= 0; --n) c[n] = OVER[n] - y * c[n + 2];
  } else {
    double x = sqrt(y);
    c[0] = cos(x);
    c[1] = sin(x) / x;
    for (int n = 2; n < CPS_STUMPFF_COUNT; ++n) c[n] = (OVER[n - 2] - c[n - 2]) / y;
  }
  return helix;
}

// I + p [v]x + q [v]x^2
static CpsMat3 rotation_like(CpsVec3 v, double p, double q) {
  double xy = q * v.x * v.y, xz = q * v.x * v.z, yz = q * v.y * v.z;
  double xx = q * v.x * v.x, yy = q * v.y * v.y, zz = q * v.z * v.z;
  return (CpsMat3){{1.0 - yy - zz, xy - p * v.z, xz + p * v.y, xy + p * v.z, 1.0 - xx - zz, yz - p * v.x, xz - p * v.y,
                    yz + p * v.x, 1.0 - xx - yy}};
}

CpsMat3 cps_helix_turn(const CpsHelix* helix) {
  return rotation_like(helix->v, helix->c[1], helix->c[2]);
}

CpsMat3 cps_helix_spin(const CpsHelix* helix) {
  return rotation_like(helix->v, helix->c[2], helix->c[3]);
}

// f e + g v x e + h v (v.e)
static CpsVec3 chord_like(CpsVec3 v, double f, double g, double h) {
  return cps_vec3(f + h * v.x * v.x, g * v.z + h * v.y * v.x, h * v.z * v.x - g * v.y);
}

CpsVec3 cps_helix_chord(const CpsHelix* helix) {
  return chord_like(helix->v, helix->c[1], helix->c[2], helix->c[3]);
}

// c_n', (4)
static double slope(const CpsHelix* helix, int n) {
  return 0.5 * (n * helix->c[n + 2] - helix->c[n + 1]);
}

CpsMat3 cps_helix_chord_slope(const CpsHelix* helix) {
  CpsVec3 v = helix->v;
  double c2 = helix->c[2], c3 = helix->c[3], d = c3 * v.x;
  CpsVec3 p = cps_vec3_scale(2.0, chord_like(v, slope(helix, 1), slope(helix, 2), slope(helix, 3)));
  return (CpsMat3){{p.x * v.x + 2.0 * d, p.x * v.y, p.x * v.z, p.y * v.x + c3 * v.y, p.y * v.y + d, p.y * v.z + c2,
                    p.z * v.x + c3 * v.z, p.z * v.y - c2, p.z * v.z + d}};
}

CpsVec3 cps_helix_chord_along(const CpsHelix* helix, CpsVec3 u) {
  CpsVec3 v = helix->v;
  double c2 = helix->c[2], c3 = helix->c[3], vu = 2.0 * cps_vec3_dot(v, u);
  CpsVec3 out = chord_like(v, vu * slope(helix, 1), vu * slope(helix, 2), vu * slope(helix, 3));
  // c2 u x e + c3 (u (v.e) + v (u.e))
  out = cps_vec3_axpy(out, c2, cps_vec3(0.0, u.z, -u.y));
  return cps_vec3_axpy(cps_vec3_axpy(out, c3 * v.x, u), c3 * u.x, v);
}
