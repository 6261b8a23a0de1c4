// A point on a straight path through a field at rest.
//
// The path is examined in strides of a share of the reach; entry and exit within one stride go unnoticed. A path that enters the
// field behind the surface, from the inside of a cloud or around its border, has no entry until it has been in front.
#include "geometry/field.h"

#include <math.h>

enum { STRIDES_MOST = 4096, HALVINGS = 24 };
static const double STRIDE = 0.25;  // relative to the reach
static const double JUMP =
    0.05;  // relative to the reach: a path this far below the level where the field begins was behind the surface

// Distance to first order; false: outside the field.
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
  bool behind = false;
  if (height_at(f, from, &height, normal) && !(height > level)) return false;
  for (double i = 1.0; i <= strides; i += 1.0) {
    double in = i / strides;
    const bool there = height_at(f, cps_vec3_axpy(from, in, way), &height, normal);
    if (!there || height > level) {
      out = in;
      behind = false;
      continue;
    }
    if (behind) continue;
    for (int k = 0; k < HALVINGS; ++k) {
      const double middle = 0.5 * (out + in);
      const bool seen = height_at(f, cps_vec3_axpy(from, middle, way), &height, normal);
      if (seen && !(height > level)) {
        in = middle;
      } else {
        out = middle;
      }
    }
    CpsVec3 before;
    const bool in_front = height_at(f, cps_vec3_axpy(from, out, way), &height, &before);
    *place = cps_vec3_axpy(from, in, way);
    behind = height_at(f, *place, &height, normal) && !in_front && height < level - JUMP * f->reach;
    if (!behind) return true;
  }
  return false;
}
