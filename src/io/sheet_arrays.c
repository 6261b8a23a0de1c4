#include "io/sheet_arrays.h"

#include <math.h>

#include "core/vec3.h"

static void put(CpsVec3 u, CpsVec3 v, double out[3]) {
  double length = cps_vec3_norm(u);
  out[0] = length;
  out[1] = length > 0.0 ? cps_vec3_dot(u, v) / length : 0.0;
  out[2] = length > 0.0 ? cps_vec3_norm(cps_vec3_cross(u, v)) / length : 0.0;
}

void cps_sheet_rest_triangles(const CpsSheetDef* def, double* rest) {
  for (int64_t t = 0; t < def->triangle_count; ++t) {
    CpsVec3 corner[3];
    for (int k = 0; k < 3; ++k) {
      const double* uv = def->texture ? def->texture + 6 * t + 2 * k : NULL;
      corner[k] = uv ? cps_vec3(def->texture_scale * uv[0], def->texture_scale * uv[1], 0.0)
                     : def->vertices[def->triangles[3 * t + k]];
    }
    put(cps_vec3_sub(corner[1], corner[0]), cps_vec3_sub(corner[2], corner[0]), rest + 3 * t);
  }
}

void cps_sheet_spread(const CpsSide* side, CpsVec3 impulse, const int32_t* triangles, int32_t triangle_count,
                      CpsVec3* out) {
  if (side->part < 0 || side->part >= triangle_count) return;
  const double weight[3] = {side->place.x, side->place.y, side->place.z};
  for (int k = 0; k < 3; ++k) {
    CpsVec3* at = &out[triangles[3 * (int64_t)side->part + k]];
    *at = cps_vec3_axpy(*at, weight[k], impulse);
  }
}

CpsVec3 cps_impulse_in_world(const double impulse[3], CpsVec3 normal, CpsVec3 tangent1, CpsVec3 tangent2) {
  CpsVec3 sum = cps_vec3_axpy(cps_vec3_scale(impulse[0], normal), impulse[1], tangent1);
  return cps_vec3_axpy(sum, impulse[2], tangent2);
}
