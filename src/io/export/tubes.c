// Fibres as tubes: about each point of a line a regular polygon in the plane of the section, its first corner on the second
// axis, so that twist is seen.
//
//   x(theta) = p + r (cos(theta) m2 + sin(theta) m3),   m3 = t x m2 / |t x m2|,   t the direction of the line there    (1)
#include <math.h>

#include "core/vec3.h"
#include "io/export/internal.h"

static const double pi = 3.14159265358979323846;

int64_t cps_export_tube_points(const CpsThings* things, int32_t sides) {
  return things->point_count * sides;
}

int64_t cps_export_tube_triangles(const CpsThings* things, int32_t sides) {
  return (things->point_count - things->line_count) * 2 * sides + 2 * (int64_t)things->line_count * (sides - 2);
}

static void fill_ring(CpsVec3 point, CpsVec3 along, CpsVec3 axis, double radius, int32_t sides, CpsVec3* points,
                      CpsVec3* normals) {
  CpsVec3 across = cps_vec3_cross(along, axis);
  double length = cps_vec3_norm(across);
  if (!(length > 1e-3 * cps_vec3_norm(along))) {
    // the axis is parallel to the line, or two points coincide: any plane will do
    CpsVec3 other = fabs(axis.x) < 0.5 ? cps_vec3(1.0, 0.0, 0.0) : cps_vec3(0.0, 1.0, 0.0);
    across = cps_vec3_cross(other, axis);
    length = cps_vec3_norm(across);
  }
  if (length > 0.0) across = cps_vec3_scale(1.0 / length, across);
  for (int32_t j = 0; j < sides; ++j) {
    double angle = 2.0 * pi * j / sides;
    normals[j] = cps_vec3_add(cps_vec3_scale(cos(angle), axis), cps_vec3_scale(sin(angle), across));
    points[j] = cps_vec3_add(point, cps_vec3_scale(radius, normals[j]));
  }
}

void cps_export_tube_fill(const CpsThings* things, const CpsFrame* frame, int32_t sides, CpsVec3* points,
                          CpsVec3* normals) {
  for (int32_t l = 0; l < things->line_count; ++l) {
    const CpsResultLine* line = &things->lines[l];
    for (int32_t i = 0; i < line->count; ++i) {
      int64_t at = line->first + i, before = i > 0 ? at - 1 : at, after = i + 1 < line->count ? at + 1 : at;
      CpsVec3 along = cps_vec3_sub(frame->points[after], frame->points[before]);
      fill_ring(frame->points[at], along, frame->axes[at], cps_result_line_radius(line, i), sides, points + at * sides,
                normals + at * sides);
    }
  }
}

int64_t cps_export_tube_indices(const CpsResultLine* line, int32_t sides, int64_t first, int64_t* indices) {
  int64_t* out = indices;
  int64_t base = first + line->first * sides;
  for (int32_t i = 0; i + 1 < line->count; ++i) {
    for (int32_t j = 0; j < sides; ++j) {
      int64_t a = base + (int64_t)i * sides + j, b = base + (int64_t)i * sides + (j + 1) % sides;
      const int64_t two[6] = {a, b, b + sides, a, b + sides, a + sides};
      for (int k = 0; k < 6; ++k) *out++ = two[k];
    }
  }
  // the end caps, seen from outside
  int64_t last = base + (int64_t)(line->count - 1) * sides;
  for (int32_t j = 1; j + 1 < sides; ++j) {
    const int64_t two[6] = {base, base + j + 1, base + j, last, last + j, last + j + 1};
    for (int k = 0; k < 6; ++k) *out++ = two[k];
  }
  return (out - indices) / 3;
}
