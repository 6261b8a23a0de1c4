// Places on the levels of a field, and how the levels bend there.
#include "geometry/field.h"

#include <math.h>

enum { ROUNDS = 40 };
static const double ENOUGH = 1e-13;   // of the reach
static const double FLATTEST = 0.05;  // a gradient below is no surface
static const double NUDGE = 1e-4;     // of the reach, for differences of normals

bool cps_field_project(const CpsField* f, double level, CpsVec3* x, CpsFieldAt* at) {
  for (int i = 0; i < ROUNDS; ++i) {
    if (!cps_field_at(f, *x, at)) return false;
    const double square = cps_vec3_dot(at->gradient, at->gradient), off = at->value - level;
    if (!(square > FLATTEST * FLATTEST)) return false;
    if (fabs(off) <= ENOUGH * f->reach) return true;
    *x = cps_vec3_axpy(*x, -off / square, at->gradient);
  }
  return false;
}

static bool normal_at(const CpsField* f, CpsVec3 x, CpsFieldAt* at, CpsVec3* n) {
  if (!cps_field_at(f, x, at)) return false;
  *n = cps_vec3_unit(at->gradient);
  return true;
}

// The derivative of the unit normal along the two tangents is the shape operator; its symmetric part has them as eigenvalues.
bool cps_field_curvature(const CpsField* f, CpsVec3 x, double curvature[2]) {
  CpsFieldAt at;
  CpsVec3 n, ahead, behind, d[2];
  if (!normal_at(f, x, &at, &n)) return false;
  const CpsMat3 frame = cps_mat3_frame(n, cps_vec3(1.0, 0.0, 0.0));
  const CpsVec3 t[2] = {cps_vec3_get(frame.m + 3), cps_vec3_get(frame.m + 6)};
  const double h = NUDGE * f->reach;
  for (int i = 0; i < 2; ++i) {
    if (!normal_at(f, cps_vec3_axpy(x, h, t[i]), &at, &ahead)) return false;
    if (!normal_at(f, cps_vec3_axpy(x, -h, t[i]), &at, &behind)) return false;
    d[i] = cps_vec3_scale(0.5 / h, cps_vec3_sub(ahead, behind));
  }
  const double a = cps_vec3_dot(d[0], t[0]), c = cps_vec3_dot(d[1], t[1]);
  const double b = 0.5 * (cps_vec3_dot(d[0], t[1]) + cps_vec3_dot(d[1], t[0]));
  const double middle = 0.5 * (a + c), half = sqrt(0.25 * (a - c) * (a - c) + b * b);
  curvature[0] = middle + half, curvature[1] = middle - half;
  return true;
}
