// Fields of figures 2, 3 and 15 of Larionov, Fan and Pai (2021): cylinders of facets, and a valley of two planes. Shared by the tests and
// bench-field-figures.
#ifndef CAPSTAN_TESTS_GEOMETRY_FIELD_SHAPES_H
#define CAPSTAN_TESTS_GEOMETRY_FIELD_SHAPES_H

#include "geometry/field.h"

#include <math.h>
#include <stdlib.h>

enum { FIELD_ROWS = 24 };
#define FIELD_PI 3.14159265358979323846

typedef struct Surface {
  CpsVec3 *point, *normal;
  CpsArena arena;
  CpsField field;
  int sides;
} Surface;

static inline void build(Surface* s, int32_t count, double reach, CpsKernel kernel) {
  s->field = (CpsField){.kernel = kernel, .reach = reach, .count = count, .point = s->point, .normal = s->normal};
  if (!cps_field_build(&s->field, &s->arena)) exit(1);
}

static inline Surface allocate(int32_t count) {
  Surface s = {.point = calloc((size_t)count, sizeof *s.point), .normal = calloc((size_t)count, sizeof *s.normal)};
  if (!s.point || !s.normal) exit(1);
  return s;
}

static inline void dispose(Surface* s) {
  free(s->point);
  free(s->normal);
  cps_arena_free(&s->arena);
}

// A cylinder of radius 1 along y: facets of `sides`, each of FIELD_ROWS pairs of triangles; the cross section y = 0 sees no end of it.
static inline Surface make_cylinder(int sides, CpsKernel kernel) {
  Surface s = allocate(2 * FIELD_ROWS * sides);
  const double long_row = 4.0 / FIELD_ROWS;
  int32_t count = 0;
  double reach = 0.0;
  for (int i = 0; i < sides; ++i) {
    const double a = 2.0 * FIELD_PI * i / sides, b = 2.0 * FIELD_PI * (i + 1) / sides;
    for (int k = 0; k < FIELD_ROWS; ++k) {
      const double y = -2.0 + long_row * k;
      const CpsVec3 x[4] = {
          {cos(a), y, sin(a)}, {cos(b), y, sin(b)}, {cos(b), y + long_row, sin(b)}, {cos(a), y + long_row, sin(a)}};
      static const int32_t CUT[6] = {0, 2, 1, 0, 3, 2};
      cps_field_sample(CUT, 2, x, s.point + count, s.normal + count);
      reach = fmax(reach, cps_field_reach(CUT, 2, x));
      count += 2;
    }
  }
  s.sides = sides;
  build(&s, count, reach, kernel);
  return s;
}

// Distance of Psi = 0 from the axis in a direction; NaN: there is none.
static inline double level_at(const Surface* s, double angle, CpsVec3* normal) {
  CpsVec3 x = {cos(angle), 0.0, sin(angle)};
  CpsFieldAt at;
  x = cps_vec3_scale(cos(FIELD_PI / s->sides), x);
  if (!cps_field_project(&s->field, 0.0, &x, &at)) return NAN;
  *normal = cps_vec3_unit(at.gradient);
  return hypot(x.x, x.z);
}

// Two planes z = |x| / 2, as samples that lie in the plane y = 0 and beside it.
static inline Surface make_valley(double reach) {
  enum { ALONG = 30, ACROSS = 30 };
  Surface s = allocate(ALONG * ACROSS);
  const double c = 2.0 / sqrt(5.0), d = 1.0 / sqrt(5.0);
  int32_t count = 0;
  for (int i = 0; i < ALONG; ++i) {
    const double x = 0.8 * (i + 0.5 - ALONG / 2);
    for (int k = 0; k < ACROSS; ++k) {
      s.point[count] = (CpsVec3){x, 0.8 * (k + 0.5 - ACROSS / 2), 0.5 * fabs(x)};
      s.normal[count++] = (CpsVec3){x > 0.0 ? -d : d, 0.0, c};
    }
  }
  build(&s, count, reach, CPS_KERNEL_CUBIC);
  return s;
}

// g and its gradient at a place, of the smooth field or of the distance to the nearer of the two planes.
static inline double constraint(const Surface* s, CpsVec3 x, CpsVec3* slope) {
  CpsFieldAt at;
  if (s) {
    if (!cps_field_at(&s->field, x, &at)) return NAN;
    *slope = at.gradient;
    return at.value;
  }
  const double c = 2.0 / sqrt(5.0), d = 1.0 / sqrt(5.0);
  *slope = (CpsVec3){x.x > 0.0 ? -d : d, 0.0, c};
  return cps_vec3_dot(*slope, x);
}

// One round of linearised constraints: the place nearest to (0, -1) with g + g'.(y - x) >= 0.
static inline CpsVec3 go_on(const Surface* s, CpsVec3 x) {
  CpsVec3 n = {0.0, 0.0, 0.0}, y = {0.0, 0.0, -1.0};
  const double g = constraint(s, x, &n), off = g + cps_vec3_dot(n, cps_vec3_sub(y, x));
  return off < 0.0 ? cps_vec3_axpy(y, -off / cps_vec3_dot(n, n), n) : y;
}

#endif
