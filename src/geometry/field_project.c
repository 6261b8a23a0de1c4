// Points on the levels of a field.
#include "geometry/field.h"

#include <math.h>

enum { ROUNDS = 40 };
static const double ENOUGH = 1e-13;   // relative to the reach
static const double FLATTEST = 0.05;  // smaller gradients do not define a surface

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
