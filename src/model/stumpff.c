// The equations are in stumpff.h.
#include "model/stumpff.h"

static const double OVER[9] = {1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320};
enum { TERMS = 14 };  // for y < 9 the error is 1e-20 of c_7

CpsStumpff cps_stumpff(CpsVec3 v) {
  CpsStumpff f = {.v = v};
  double y = cps_vec3_dot(v, v), *c = f.c;
  if (y < 9.0) {
    double c7 = 1.0, c8 = 1.0;
    for (int j = TERMS; j > 0; --j) {
      c7 = 1.0 - y / ((2.0 * j + 7.0) * (2.0 * j + 6.0)) * c7;
      c8 = 1.0 - y / ((2.0 * j + 8.0) * (2.0 * j + 7.0)) * c8;
    }
    c[7] = OVER[7] * c7;
    c[8] = OVER[8] * c8;
    for (int n = 6; n >= 0; --n) c[n] = OVER[n] - y * c[n + 2];
  } else {
    double x = sqrt(y);
    c[0] = cos(x);
    c[1] = sin(x) / x;
    for (int n = 2; n < 9; ++n) c[n] = (OVER[n - 2] - c[n - 2]) / y;
  }
  return f;
}

// c_n' and c_n'' with respect to y
static double first(const CpsStumpff* f, int n) {
  return 0.5 * (n * f->c[n + 2] - f->c[n + 1]);
}
static double second(const CpsStumpff* f, int n) {
  return 0.25 * (n * (n + 2) * f->c[n + 4] - (2 * n + 1) * f->c[n + 3] + f->c[n + 2]);
}

// a e + b v × e + c v (v.e)
static CpsVec3 along(CpsVec3 v, double a, double b, double c) {
  return cps_vec3(a + c * v.x * v.x, b * v.z + c * v.y * v.x, c * v.z * v.x - b * v.y);
}

CpsVec3 cps_stumpff_vector(const CpsStumpff* f, int m) {
  return along(f->v, f->c[m], f->c[m + 1], f->c[m + 2]);
}

CpsMat3 cps_stumpff_slope(const CpsStumpff* f, int m) {
  CpsVec3 v = f->v;
  double b = f->c[m + 1], c = f->c[m + 2], d = c * v.x;
  CpsVec3 p = cps_vec3_scale(2.0, along(v, first(f, m), first(f, m + 1), first(f, m + 2)));
  // p v^T - b [e]x + c (v e^T + (v.e) I)
  return (CpsMat3){{p.x * v.x + 2.0 * d, p.x * v.y, p.x * v.z, p.y * v.x + c * v.y, p.y * v.y + d, p.y * v.z + b,
                    p.z * v.x + c * v.z, p.z * v.y - b, p.z * v.z + d}};
}

// I + p [v]x + q [v]x^2
static CpsMat3 turning(CpsVec3 v, double p, double q) {
  double xx = q * v.x * v.x, yy = q * v.y * v.y, zz = q * v.z * v.z;
  double xy = q * v.x * v.y, xz = q * v.x * v.z, yz = q * v.y * v.z;
  return (CpsMat3){{1.0 - yy - zz, xy - p * v.z, xz + p * v.y, xy + p * v.z, 1.0 - xx - zz, yz - p * v.x, xz - p * v.y,
                    yz + p * v.x, 1.0 - xx - yy}};
}

CpsMat3 cps_stumpff_turn(const CpsStumpff* f) {
  return turning(f->v, f->c[1], f->c[2]);
}

CpsMat3 cps_stumpff_spin(const CpsStumpff* f) {
  return turning(f->v, f->c[2], f->c[3]);
}

// Common terms of the derivatives of (2): tr D, the moment, v^T D v and (D + D^T) v.
typedef struct Parts {
  double trace, turn, square;
  CpsVec3 moment, both;
} Parts;

static Parts parts_of(CpsVec3 v, const CpsMat3* D) {
  CpsVec3 a = cps_mat3_apply(*D, v), b = cps_mat3_apply_transposed(*D, v), moment = cps_moment_of(D);
  return (Parts){D->m[0] + D->m[4] + D->m[8], cps_vec3_dot(v, moment), cps_vec3_dot(v, a), moment, cps_vec3_add(a, b)};
}

CpsVec3 cps_stumpff_gradient(const CpsStumpff* f, int m, const CpsMat3* D) {
  const Parts p = parts_of(f->v, D);
  double by_y = first(f, m) * p.trace + first(f, m + 1) * p.turn + first(f, m + 2) * p.square;
  CpsVec3 out = cps_vec3_axpy(cps_vec3_scale(2.0 * by_y, f->v), f->c[m + 1], p.moment);
  return cps_vec3_axpy(out, f->c[m + 2], p.both);
}

CpsMat3 cps_stumpff_hessian(const CpsStumpff* f, int m, const CpsMat3* D) {
  const Parts p = parts_of(f->v, D);
  double by_y = first(f, m) * p.trace + first(f, m + 1) * p.turn + first(f, m + 2) * p.square;
  double by_yy = second(f, m) * p.trace + second(f, m + 1) * p.turn + second(f, m + 2) * p.square;
  CpsVec3 mixed = cps_vec3_axpy(cps_vec3_scale(2.0 * first(f, m + 1), p.moment), 2.0 * first(f, m + 2), p.both);
  CpsMat3 out = cps_mat3_scale(2.0 * by_y, cps_mat3_identity());
  out = cps_mat3_axpy(out, 4.0 * by_yy, cps_mat3_outer(f->v, f->v));
  out = cps_mat3_axpy(cps_mat3_axpy(out, 1.0, cps_mat3_outer(f->v, mixed)), 1.0, cps_mat3_outer(mixed, f->v));
  return cps_mat3_axpy(cps_mat3_axpy(out, f->c[m + 2], *D), f->c[m + 2], cps_mat3_transposed(*D));
}
