// A convex shape on a plane, the half-space n.(x - p) <= 0: its corners below the margin.
//
// A capsule touches with the ends of its axis, a box or a hull with its vertices. A cylinder touches with the lowest
// point of each rim,
//
//   x = c ± h z - r d / ||d||,   d = n - (n.z) z                                                         (1)
//
// which has no direction for a standing cylinder. A rim nearly parallel to the plane therefore also touches at eight
// points fixed in the cylinder, and (1) counts only if it is lower than these by a millionth of the radius: a standing
// cylinder has the same eight points in every step, a tilted one rolls on its true rim, a lying one has two points.
//
// Features: the end of a capsule, the vertex of a polyhedron; of a cylinder 16 per cap, fixed points first.
#include "geometry/pairs.h"
#include "geometry/reduce.h"

enum { RIM_POINTS = 8, RIM_LOWEST = 8, CAP_FEATURES = 16 };

// A rim tilted by less than 0.1 rad (d of that length) may come to rest on the plane within a step.
static const double nearly_standing = 0.1;
static const double same_height = 1e-6;
// A shorter d is rounding and has no direction.
static const double no_direction = 1e-9;

typedef struct Plane {
  CpsVec3 normal, point;
} Plane;

static double height(const Plane* plane, CpsVec3 x) {
  return cps_vec3_dot(plane->normal, cps_vec3_sub(x, plane->point));
}

// Appends the touch of a ball about x (a corner: radius 0) if it is within the margin.
static int add(const Plane* plane, CpsVec3 x, double radius, uint32_t feature, double margin, CpsTouch* out) {
  const double h = height(plane, x);
  if (!(h - radius <= margin)) return 0;
  *out = (CpsTouch){.point_a = cps_vec3_axpy(x, -radius, plane->normal),
                    .point_b = cps_vec3_axpy(x, -h, plane->normal),
                    .normal = plane->normal,
                    .gap = h - radius,
                    .feature = feature};
  return 1;
}

static int capsule(const CpsConvex* a, const Plane* plane, double margin, CpsTouch* out) {
  const CpsVec3 arm = cps_vec3_scale(a->geom->half_length, cps_place_axis(a)), c = a->pose.position;
  int count = add(plane, cps_vec3_sub(c, arm), a->geom->radius, 0, margin, out);
  if (a->geom->half_length > 0.0) {
    count += add(plane, cps_vec3_add(c, arm), a->geom->radius, 1, margin, out + count);
  }
  return count;
}

// One rim: the disc about c with unit normal z; x and y are the cylinder's own axes.
static int rim(const CpsConvex* a, const Plane* plane, double side, double margin, CpsTouch* out) {
  static const double half = 0.70710678118654752440;
  static const double circle[RIM_POINTS][2] = {{1, 0},  {half, half},   {0, 1},  {-half, half},
                                               {-1, 0}, {-half, -half}, {0, -1}, {half, -half}};
  const double r = a->geom->radius;
  const CpsMat3* R = &a->rotation;
  const CpsVec3 z = cps_place_axis(a), c = cps_vec3_axpy(a->pose.position, side * a->geom->half_length, z);
  const CpsVec3 d = cps_vec3_axpy(plane->normal, -cps_vec3_dot(plane->normal, z), z);
  const double tilt = cps_vec3_norm(d), lowest = height(plane, c) - r * tilt;
  if (!(lowest <= margin)) return 0;
  const uint32_t feature = side > 0.0 ? CAP_FEATURES : 0;
  int count = 0;
  double fixed_lowest = INFINITY;
  for (uint32_t k = 0; k < RIM_POINTS && tilt <= nearly_standing; k++) {
    const CpsVec3 own = cps_vec3(r * circle[k][0], r * circle[k][1], 0.0), x = cps_vec3_add(c, cps_mat3_apply(*R, own));
    fixed_lowest = fmin(fixed_lowest, height(plane, x));
    count += add(plane, x, 0.0, feature + k, margin, out + count);
  }
  if (tilt > no_direction && lowest < fixed_lowest - same_height * r) {
    count += add(plane, cps_vec3_axpy(c, -r / tilt, d), 0.0, feature + RIM_LOWEST, margin, out + count);
  }
  return count;
}

static int polytope(const CpsConvex* a, const Plane* plane, double margin, CpsTouch* out) {
  const CpsPolytope* p = a->geom->polytope;
  // heights in the own frame of the body: n.(R v + c - p)
  const CpsVec3 n = cps_mat3_apply_transposed(a->rotation, plane->normal);
  const double h = height(plane, a->pose.position);
  int count = 0;
  if (p->vertex_count <= CPS_TOUCH_PAIR_MAX) {
    for (int32_t i = 0; i < p->vertex_count; i++) {
      if (!(h + cps_vec3_dot(n, p->vertex[i]) <= margin)) continue;
      const CpsVec3 x = cps_vec3_add(a->pose.position, cps_mat3_apply(a->rotation, p->vertex[i]));
      count += add(plane, x, 0.0, (uint32_t)i, INFINITY, out + count);
    }
    return count;
  }
  int32_t keep[CPS_TOUCH_PAIR_MAX];
  const int kept = cps_reduce_vertices(p, n, margin - h, CPS_TOUCH_PAIR_MAX, keep);
  for (int k = 0; k < kept; k++) {
    const CpsVec3 x = cps_vec3_add(a->pose.position, cps_mat3_apply(a->rotation, p->vertex[keep[k]]));
    count += add(plane, x, 0.0, (uint32_t)keep[k], INFINITY, out + count);
  }
  return count;
}

int cps_round_on_plane(const CpsConvex* a, CpsVec3 normal, CpsVec3 point, double margin, CpsTouch* out) {
  const Plane plane = {normal, point};
  if (a->geom->kind == CPS_SHAPE_SPHERE) return add(&plane, a->pose.position, a->geom->radius, 0, margin, out);
  if (a->geom->kind == CPS_SHAPE_CAPSULE) return capsule(a, &plane, margin, out);
  const int count = rim(a, &plane, -1.0, margin, out);
  return count + rim(a, &plane, 1.0, margin, out + count);
}

int cps_plane_collide(const CpsConvex* a, const CpsConvex* b, double margin, CpsTouch* out) {
  const Plane plane = {cps_place_axis(b), b->pose.position};
  if (!(height(&plane, a->pose.position) - a->geom->outer_radius <= margin)) return 0;
  if (a->geom->polytope != NULL) return polytope(a, &plane, margin, out);
  return cps_round_on_plane(a, plane.normal, plane.point, margin, out);
}
