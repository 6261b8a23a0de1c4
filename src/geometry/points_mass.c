// Mass properties of a closed point cloud, by the divergence theorem: with a_s the area represented by a point,
//
//   V = 1/3 sum of a (x.n),   int x = 1/4 sum of a (x.n) x,   int x x^T = 1/5 sum of a (x.n) x x^T                      (1)
//
// The points around s share its area: 1 / a_s = sum of w~(r) / int w~ dA, where int w~ dA = 3/10 pi R^2 for the cubic
// kernel. On a sphere of 2000 points the volume is 1.6 % too large (tests/geometry/test_points.c).
#include "geometry/points.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double CLOSED = 0.05;  // |sum of a n| of a closed surface, at most, relative to its area

static double area_of(const CpsPointCloud* c, int32_t i) {
  const CpsField* f = &c->field;
  const double R = f->reach;
  const CpsAabb box = cps_aabb_grow((CpsAabb){c->on[i], c->on[i]}, R);
  CpsBvhWalk walk = cps_bvh_walk(&c->tree, &box);
  double sum = 0.0;
  for (const CpsBvhNode* leaf; (leaf = cps_bvh_next(&walk)) != NULL;) {
    for (int32_t k = 0; k < leaf->count; ++k) {
      const int32_t s = c->tree.order[leaf->first + k];
      const double t = cps_vec3_norm(cps_vec3_sub(c->on[s], c->on[i])) / R;
      if (t < 1.0 && cps_vec3_dot(f->normal[s], f->normal[i]) > 0.0) sum += 1.0 - t * t * (3.0 - 2.0 * t);
    }
  }
  return 0.3 * PI * R * R / sum;  // the point itself has weight 1
}

bool cps_points_moments(const CpsPointCloud* c, CpsPointsMoments* out) {
  CpsVec3 origin = {0.0, 0.0, 0.0}, open = {0.0, 0.0, 0.0};
  *out = (CpsPointsMoments){0};
  for (int32_t i = 0; i < c->field.count; ++i) origin = cps_vec3_axpy(origin, 1.0 / c->field.count, c->on[i]);
  for (int32_t i = 0; i < c->field.count; ++i) {
    CpsFieldAt at;
    if (!cps_field_at(&c->field, c->on[i], &at)) return false;
    const CpsVec3 n = cps_vec3_unit(at.gradient), x = cps_vec3_sub(c->on[i], origin);
    const double a = area_of(c, i), flux = a * cps_vec3_dot(x, n);
    out->area += a;
    open = cps_vec3_axpy(open, a, n);
    out->volume += flux / 3.0;
    out->first = cps_vec3_axpy(out->first, flux / 4.0, x);
    out->second = cps_mat3_axpy(out->second, flux / 5.0, cps_mat3_outer(x, x));
  }
  if (!(cps_vec3_norm(open) < CLOSED * out->area) || !(out->volume > 0.0)) return false;
  // from the mean of the points to the origin: x = d + origin
  const CpsMat3 cross = cps_mat3_axpy(cps_mat3_outer(out->first, origin), 1.0, cps_mat3_outer(origin, out->first));
  out->second = cps_mat3_axpy(cps_mat3_axpy(out->second, 1.0, cross), out->volume, cps_mat3_outer(origin, origin));
  out->first = cps_vec3_axpy(out->first, out->volume, origin);
  return true;
}
