// A point cloud and a shape of any kind. All coordinates are in the frame of the cloud.
//
// Touches are of three kinds: points of the smooth surface nearest to the shape (field_descend.c), starting from each point closer
// than its neighbours; corners and ends of the shape in the field; and, if the shape lies flat on many points, some of them that
// span the covered area. The first two use the normal of the surface.
//
// Not guaranteed: a shape deep inside with all features far from the surface touches nothing, because the field ends.
#include "geometry/pairs.h"
#include "geometry/points.h"
#include "geometry/touches.h"

#include <math.h>

enum { FLAT_MOST = 1024, SPANNING = 8, RIM = 8 };
enum { LOWEST = 1, CORNER = 2, END = 3, POINT = 4 };  // kinds of features
static const double DOT = 1e-6;    // radius of the ball that represents a point, relative to the reach
static const double LEVEL = 1e-6;  // heights that count as equal, relative to the reach
static const double EVEN = 0.01;   // largest height of points that lie flat, relative to the reach
static const double SAME = 0.05;   // points that count as equal, relative to the reach

typedef struct Query {
  const CpsPointCloud* cloud;
  CpsConvex other;
  double margin;
  CpsGeom dot;
  CpsTouches touches;
} Query;

// A point of the surface and the shape: the touch has the normal from the shape to the point.
static bool look(const void* data, CpsVec3 y, CpsTouch* out) {
  const Query* q = data;
  CpsTouch all[CPS_TOUCH_MAX];
  const CpsPose pose = {y, {1.0, 0.0, 0.0, 0.0}};
  CpsConvex dot;
  cps_place(&q->dot, &pose, &dot);
  const int count = cps_collide_placed(&dot, &q->other, q->margin, all);
  for (int i = 0; i < count; ++i) {
    if (i == 0 || all[i].gap < out->gap) *out = all[i];
  }
  if (count > 0) out->gap += q->dot.radius;
  return count > 0;
}

// Adds a touch of the point y with the shape at y + gap n. n points from the cloud to the shape.
static void add(Query* q, CpsVec3 y, CpsVec3 n, double gap, uint32_t kind, uint32_t number) {
  const CpsTouch t = {.point_a = cps_vec3_axpy(y, gap, n),
                      .point_b = y,
                      .normal = n,
                      .gap = gap,
                      .feature = cps_touch_feature(kind, number, 0)};
  cps_touches_add(&q->touches, &t);
}

static bool is_known(const Query* q, CpsVec3 y) {
  for (int i = 0; i < q->touches.count; ++i) {
    if (cps_vec3_norm(cps_vec3_sub(q->touches.out[i].point_b, y)) < SAME * q->cloud->field.reach) return true;
  }
  return false;
}

// From a point of the surface to the nearest one.
static void add_lowest(Query* q, CpsVec3 y, uint32_t kind, uint32_t number) {
  CpsFieldAt at;
  CpsTouch touch;
  if (!cps_field_at(&q->cloud->field, y, &at) || !look(q, y, &touch)) return;
  cps_field_descend(&q->cloud->field, look, q, &y, &at, &touch);
  if (!is_known(q, y)) add(q, y, cps_vec3_unit(at.gradient), touch.gap, kind, number);
}

// Whether no point around s is closer; among equally close points the first counts.
static bool is_low(const Query* q, int32_t s, double gap) {
  const CpsPointCloud* c = q->cloud;
  const double R = c->field.reach;
  const CpsAabb box = cps_aabb_grow((CpsAabb){c->on[s], c->on[s]}, R);
  CpsBvhWalk walk = cps_bvh_walk(&c->tree, &box);
  for (const CpsBvhNode* leaf; (leaf = cps_bvh_next(&walk)) != NULL;) {
    for (int32_t i = 0; i < leaf->count; ++i) {
      const int32_t k = c->tree.order[leaf->first + i];
      CpsTouch touch;
      if (k == s || cps_vec3_norm(cps_vec3_sub(c->on[k], c->on[s])) >= R || !look(q, c->on[k], &touch)) continue;
      if (touch.gap < gap - LEVEL * R || (touch.gap <= gap + LEVEL * R && k < s)) return false;
    }
  }
  return true;
}

typedef struct Flat {
  int32_t count, stride, seen;
  int32_t point[FLAT_MOST];
  double gap[FLAT_MOST];
} Flat;

// If there are too many, drops every other one.
static void keep(Flat* f, int32_t point, double gap) {
  if (f->seen++ % f->stride != 0) return;
  if (f->count == FLAT_MOST) {
    f->count /= 2;
    for (int32_t i = 0; i < f->count; ++i) f->point[i] = f->point[2 * i], f->gap[i] = f->gap[2 * i];
    f->stride *= 2;
  }
  f->point[f->count] = point;
  f->gap[f->count++] = gap;
}

// The nearest one and then, one after the other, those farthest from all chosen so far.
static void add_spanning(Query* q, const Flat* f, double lowest) {
  const CpsVec3* on = q->cloud->on;
  const double limit = lowest + EVEN * q->cloud->field.reach;
  CpsVec3 chosen[SPANNING];
  for (int count = 0; count < SPANNING; ++count) {
    int32_t best = -1;
    double far = 0.0;
    for (int32_t i = 0; i < f->count; ++i) {
      if (!(f->gap[i] <= (count == 0 ? lowest + LEVEL * q->cloud->field.reach : limit))) continue;
      double nearest = INFINITY;
      for (int k = 0; k < count; ++k) nearest = fmin(nearest, cps_vec3_norm(cps_vec3_sub(on[f->point[i]], chosen[k])));
      if (nearest > far) far = nearest, best = i;
    }
    if (best < 0) return;
    const CpsVec3 y = on[f->point[best]];
    CpsTouch touch;
    chosen[count] = y;
    if (!is_known(q, y) && look(q, y, &touch)) {
      add(q, y, cps_vec3_scale(-1.0, touch.normal), touch.gap, POINT, (uint32_t)f->point[best]);
    }
  }
}

// A corner of the shape in the field.
static void add_corner(Query* q, CpsVec3 x, uint32_t number) {
  CpsFieldAt at;
  CpsVec3 y = x;
  if (!cps_field_project(&q->cloud->field, 0.0, &y, &at)) return;
  const CpsVec3 n = cps_vec3_unit(at.gradient), d = cps_vec3_sub(x, y);
  const double gap = cps_vec3_dot(n, d);
  if (cps_vec3_norm(cps_vec3_axpy(d, -gap, n)) > 0.5 * fabs(gap) + SAME * q->cloud->field.reach) return;
  add(q, y, n, gap, CORNER, number);
}

// A ball within the reach: the point nearest to its centre. False: the centre is out of reach.
static bool add_ball(Query* q, CpsVec3 x) {
  CpsFieldAt at;
  CpsVec3 y = x;
  if (!cps_field_at(&q->cloud->field, x, &at)) return false;
  if (cps_field_project(&q->cloud->field, 0.0, &y, &at)) add_lowest(q, y, LOWEST, 0);
  return true;
}

// Ends of long shapes, by a ball there; and the nearest points of a cylinder's rims.
static void add_ends(Query* q, CpsVec3 lowest) {
  const CpsGeom* g = q->other.geom;
  CpsFieldAt at;
  if (!cps_field_at(&q->cloud->field, lowest, &at)) return;
  const CpsVec3 axis = cps_place_axis(&q->other), n = cps_vec3_unit(at.gradient);
  const CpsMat3 frame = cps_mat3_frame(axis, n);
  for (int side = 0; side < 2; ++side) {
    const CpsVec3 end = cps_vec3_axpy(q->other.pose.position, side ? g->half_length : -g->half_length, axis);
    if (g->kind == CPS_SHAPE_CAPSULE) {
      Query ball = *q;
      CpsGeom sphere = {.kind = CPS_SHAPE_SPHERE, .radius = g->radius, .inner_radius = g->radius};
      sphere.outer_radius = g->radius;
      const CpsPose pose = {end, {1.0, 0.0, 0.0, 0.0}};
      cps_place(&sphere, &pose, &ball.other);
      add_lowest(&ball, cps_vec3_axpy(lowest, 1.0, cps_vec3_scale(side ? g->half_length : -g->half_length, axis)), END,
                 (uint32_t)side);
      q->touches.count = ball.touches.count;
      continue;
    }
    const CpsVec3 down = cps_vec3_scale(-1.0, cps_vec3_unit(cps_vec3_axpy(n, -cps_vec3_dot(n, axis), axis)));
    if (cps_vec3_norm(down) > 0.0) add_corner(q, cps_vec3_axpy(end, g->radius, down), (uint32_t)side);
    for (int k = 0; k < RIM; ++k) {
      const double angle = 2.0 * 3.14159265358979323846 * k / RIM;
      CpsVec3 x = cps_vec3_axpy(end, g->radius * cos(angle), cps_vec3_get(frame.m + 3));
      x = cps_vec3_axpy(x, g->radius * sin(angle), cps_vec3_get(frame.m + 6));
      add_corner(q, x, 2 + (uint32_t)(side * RIM + k));
    }
  }
}

// The nearest of all points; other local minima; those on which the shape may lie flat.
static void add_all(Query* q, bool flat) {
  const CpsPointCloud* c = q->cloud;
  const CpsGeom* g = q->other.geom;
  const CpsAabb box = cps_aabb_grow(cps_geom_bounds(g, &q->other.pose), q->margin);
  const double even = EVEN * c->field.reach;
  Flat f = {.stride = 1};
  double lowest = INFINITY;
  int32_t nearest = -1;
  CpsBvhWalk walk = cps_bvh_walk(&c->tree, &box);
  for (const CpsBvhNode* leaf; (leaf = cps_bvh_next(&walk)) != NULL;) {
    for (int32_t i = 0; i < leaf->count; ++i) {
      const int32_t s = c->tree.order[leaf->first + i];
      CpsTouch touch;
      if (!look(q, c->on[s], &touch)) continue;
      if (touch.gap < lowest) lowest = touch.gap, nearest = s;
      if (flat && touch.gap <= lowest + even) keep(&f, s, touch.gap);
      if (is_low(q, s, touch.gap)) add_lowest(q, c->on[s], LOWEST, (uint32_t)q->touches.count);
    }
  }
  if (nearest < 0) return;
  if (g->kind == CPS_SHAPE_CAPSULE || g->kind == CPS_SHAPE_CYLINDER) add_ends(q, c->on[nearest]);
  if (flat) add_spanning(q, &f, lowest);
}

int cps_points_collide(const CpsConvex* cloud, const CpsConvex* other, bool flip, double margin, CpsTouch* out) {
  const CpsPointCloud* c = cloud->geom->points;
  const CpsQuat back = cps_quat_conjugate(cloud->pose.rotation);
  const CpsPose pose = {cps_pose_apply_back(cloud->pose, other->pose.position),
                        cps_quat_multiply(back, other->pose.rotation)};
  const double dot = DOT * c->field.reach;
  Query q = {.cloud = c, .margin = margin + c->field.reach, .touches = {.out = out, .margin = margin}};
  q.dot = (CpsGeom){.kind = CPS_SHAPE_SPHERE, .radius = dot, .inner_radius = dot, .outer_radius = dot};
  q.dot.bounds = (CpsAabb){{-dot, -dot, -dot}, {dot, dot, dot}};
  q.touches.same_place = 1e-6 * c->field.reach;
  cps_place(other->geom, &pose, &q.other);
  const CpsGeom* g = other->geom;
  const bool ball = g->kind == CPS_SHAPE_SPHERE;
  if (!ball || (!add_ball(&q, pose.position) && g->radius + margin > c->field.reach)) {
    add_all(&q, !ball && g->kind != CPS_SHAPE_CAPSULE);
  }
  for (int32_t i = 0; g->polytope && i < g->polytope->vertex_count; ++i) {
    add_corner(&q, cps_pose_apply(pose, g->polytope->vertex[i]), (uint32_t)i);
  }
  const int count = cps_touches_finish(&q.touches, &cloud->pose);
  for (int i = 0; flip && i < count; ++i) {
    const CpsTouch t = out[i];
    out[i].point_a = t.point_b, out[i].point_b = t.point_a, out[i].normal = cps_vec3_scale(-1.0, t.normal);
  }
  return count;
}

bool cps_triangle_in_points(const CpsVec3 x[3], const CpsPointCloud* cloud, CpsVec3* at) {
  for (int i = 0; i < 3; ++i) {
    CpsFieldAt here;
    if (!cps_field_at(&cloud->field, x[i], &here) || !(here.value < 0.0)) continue;
    *at = x[i];
    return true;
  }
  return false;
}
