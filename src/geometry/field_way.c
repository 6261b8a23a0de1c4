// A point on a straight way through a field that stands still.
//
// The way is looked at in strides of a part of the reach; what turns back into the surface within one of them is not seen.
#include "geometry/field.h"

#include <math.h>

enum { STRIDES_MOST = 4096, HALVINGS = 40 };
static const double STRIDE = 0.25;  // of the reach

// Distance to first order; false: there is no field.
static bool height_at(const CpsField* f, CpsVec3 x, double* height, CpsVec3* normal) {
  CpsFieldAt at;
  if (!cps_field_at(f, x, &at)) return false;
  const double size = cps_vec3_norm(at.gradient);
  if (!(size > 0.0)) return false;
  *height = at.value / size;
  *normal = cps_vec3_scale(1.0 / size, at.gradient);
  return true;
}

bool cps_field_enters(const CpsField* f, CpsVec3 from, CpsVec3 to, double level, CpsVec3* place, CpsVec3* normal) {
  const CpsVec3 way = cps_vec3_sub(to, from);
  const double strides = fmax(1.0, fmin(STRIDES_MOST, ceil(cps_vec3_norm(way) / (STRIDE * f->reach))));
  double height, out = 0.0;
  if (height_at(f, from, &height, normal) && !(height > level)) return false;
  for (double i = 1.0; i <= strides; i += 1.0) {
    double in = i / strides;
    const bool there = height_at(f, cps_vec3_axpy(from, in, way), &height, normal);
    if (!there || height > level) {
      out = in;
      continue;
    }
    for (int k = 0; k < HALVINGS; ++k) {
      const double middle = 0.5 * (out + in);
      const bool seen = height_at(f, cps_vec3_axpy(from, middle, way), &height, normal);
      if (seen && !(height > level)) {
        in = middle;
      } else {
        out = middle;
      }
    }
    *place = cps_vec3_axpy(from, in, way);
    return height_at(f, *place, &height, normal);
  }
  return false;
}
