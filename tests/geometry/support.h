// Support functions of shapes, written apart from the library's: what the touches of random pairs are checked against.
#ifndef CAPSTAN_TESTS_SUPPORT_H
#define CAPSTAN_TESTS_SUPPORT_H

#include "convex_helpers.h"

// max n.x over the shape at a pose.
static inline double support(const CpsGeom* geom, CpsPose pose, CpsVec3 n) {
  CpsVec3 m = cps_quat_rotate_back(pose.rotation, n);
  double most = 0.0, flat = hypot(m.x, m.y);
  switch (geom->kind) {
    case CPS_SHAPE_SPHERE:
      most = geom->radius;
      break;
    case CPS_SHAPE_CAPSULE:
      most = geom->radius + geom->half_length * fabs(m.z);
      break;
    case CPS_SHAPE_CYLINDER:
      most = geom->radius * flat + geom->half_length * fabs(m.z);
      break;
    default:
      most = -INFINITY;
      for (int32_t k = 0; k < geom->polytope->vertex_count; ++k)
        most = fmax(most, cps_vec3_dot(m, geom->polytope->vertex[k]));
  }
  return most + cps_vec3_dot(n, pose.position);
}

// s(n) = min n.a - max n.b: a lower bound of the distance, and minus an upper bound of the depth.
static inline double separation(const CpsGeom* a, CpsPose pose_a, const CpsGeom* b, CpsPose pose_b, CpsVec3 n) {
  return -support(a, pose_a, cps_vec3_scale(-1.0, n)) - support(b, pose_b, n);
}

// How far a point is outside a shape, at least; <= 0 inside.
static inline double outside(const CpsGeom* geom, CpsPose pose, CpsVec3 x) {
  CpsVec3 y = cps_pose_apply_back(pose, x);
  const double r = geom->radius, h = geom->half_length;
  double most = -INFINITY;
  switch (geom->kind) {
    case CPS_SHAPE_SPHERE:
      return cps_vec3_norm(y) - r;
    case CPS_SHAPE_CAPSULE:
      y.z -= fmin(fmax(y.z, -h), h);
      return cps_vec3_norm(y) - r;
    case CPS_SHAPE_CYLINDER:
      return fmax(hypot(y.x, y.y) - r, fabs(y.z) - h);
    default:
      for (int32_t f = 0; f < geom->polytope->face_count; ++f)
        most = fmax(most, cps_vec3_dot(geom->polytope->normal[f], y) - geom->polytope->offset[f]);
      return most;
  }
}

// The largest s(n) that a search finds: random directions, then small steps uphill from the best ones.
static inline double search_separation(const CpsGeom* a, CpsPose pose_a, const CpsGeom* b, CpsPose pose_b,
                                       CpsRandom* random, int samples) {
  double best = -INFINITY;
  for (int start = 0; start < 3; ++start) {
    CpsVec3 n = cps_vec3_unit(cps_vec3_sub(pose_a.position, pose_b.position));
    double value = separation(a, pose_a, b, pose_b, n);
    for (int k = 0; k < samples; ++k) {
      CpsVec3 m = cps_vec3_unit(random_vec(random, 1.0));
      double s = separation(a, pose_a, b, pose_b, m);
      if (s > value) {
        value = s;
        n = m;
      }
    }
    for (double step = 0.3; step > 1e-8; step *= 0.7) {
      for (int k = 0; k < 12; ++k) {
        CpsVec3 m = cps_vec3_unit(cps_vec3_add(n, random_vec(random, step)));
        double s = separation(a, pose_a, b, pose_b, m);
        if (s > value) {
          value = s;
          n = m;
        }
      }
    }
    best = fmax(best, value);
  }
  return best;
}

#endif
