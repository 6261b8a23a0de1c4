// Cylinders and surfaces: a triangle rests on points of a rim, an edge on a rim or on the round side.
//
// The point of a rim nearest to the plane of a triangle with the normal m towards the cylinder is  c - R m_T / |m_T|,  m_T
// the part of m in the plane of the rim. Where a cap lies flat on a large triangle that point is anywhere, and four of the
// rim carry it.
//
// Vertices touch the side themselves. Between two that do an edge is nearer by its sag  l^2 / 8 R  (l its length
// across the axis). As long as that leaves it outside the cylinder, the edge is left out: a fine mesh on a large drum has as
// many contacts as vertices there, and the layer is the same on meshes of any width.
#include "contact/surface_query.h"
#include "geometry/cylinder_touch.h"
#include "geometry/pairs.h"
#include "geometry/segment.h"

#include <math.h>

static const double INSIDE = 1e-6;  // relative distance to the end of an edge below which a touch belongs to the vertex
static const double FLAT = 0.02;    // sine of the angle of a cap below which four points of its rim are used
static const double NONE = 1e-6;    // the same, below which no point of the rim is the nearest
static const double SAG = 0.95;     // relative to half the thickness

enum { POINTS = 5 };  // of each rim

static CpsVec3 spoke(int i) {
  const double c[4] = {1.0, 0.0, -1.0, 0.0}, s[4] = {0.0, 1.0, 0.0, -1.0};
  return cps_vec3(c[i], s[i], 0.0);
}

static bool try_point(CpsShapeQuery* q, const CpsTreeTriangle* triangle, CpsVec3 own, int id) {
  q->start[0] = cps_pose_apply(q->collider->pose, own);
  q->end[0] = cps_collider_moved(q->collider, q->h, q->start[0]);
  q->model.feature[1] = id;
  return cps_shape_query_ball(q, triangle);
}

static bool look_at_rims(CpsShapeQuery* q, const CpsTreeTriangle* triangle) {
  const CpsGeom* g = q->collider->geom;
  CpsVec3 corner[3];
  for (int i = 0; i < 3; ++i)
    corner[i] = cps_pose_apply_back(q->collider->pose, q->surface->start[triangle->vertex[i]]);
  CpsVec3 n = cps_vec3_cross(cps_vec3_sub(corner[1], corner[0]), cps_vec3_sub(corner[2], corner[0]));
  const double size = cps_vec3_norm(n), across = sqrt(n.x * n.x + n.y * n.y);
  if (!(size > 0.0)) return true;
  // points towards the triangle
  const double side = cps_vec3_dot(n, corner[0]) > 0.0 ? 1.0 : -1.0;
  for (int k = 0; k < 2; ++k) {
    const double z = k == 0 ? -g->half_length : g->half_length;
    if (across < FLAT * size && side * n.z * z < 0.0) continue;
    if (across > NONE * size) {
      const double r = side * g->radius / across;
      if (!try_point(q, triangle, cps_vec3(r * n.x, r * n.y, z), POINTS * k + 4)) return false;
    }
    for (int i = 0; across < FLAT * size && i < 4; ++i) {
      CpsVec3 p = cps_vec3_scale(g->radius, spoke(i));
      if (!try_point(q, triangle, cps_vec3(p.x, p.y, z), POINTS * k + i)) return false;
    }
  }
  return true;
}

// Whether a segment from p along d lies beside the round side. The separation of the segment from the cylinder along
// n is s(n) = min_i n.x_i - R |n_xy| - L |n_z| over its ends x_i. With phi the angle between n and the plane across
// the axis,
//
//   s(n) <= cos(phi) side - |sin(phi)| (L - max |z|),   side = (distance from the axis, seen along it) - R,
//
// which is at most its value at phi = 0 unless the caps are nearer than the overlap is deep. The largest separation
// is then across the axis.
static bool is_beside(CpsVec3 p, CpsVec3 d, const CpsGeom* drum) {
  const double high = fmax(fabs(p.z), fabs(p.z + d.z)), square = d.x * d.x + d.y * d.y;
  const double t = square > 0.0 ? fmin(fmax(-(p.x * d.x + p.y * d.y) / square, 0.0), 1.0) : 0.0;
  const double side = hypot(p.x + t * d.x, p.y + t * d.y) - drum->radius;
  return drum->half_length - high > fmax(-side, 0.0);
}

static void look_at_edge(CpsShapeQuery* q, int32_t edge) {
  const CpsCollider* c = q->collider;
  const CpsSurfaceMesh* s = q->surface;
  const int32_t* e = s->tree->edge[edge];
  const CpsVec3 p = cps_pose_apply_back(c->pose, s->start[e[0]]),
                d = cps_vec3_sub(cps_pose_apply_back(c->pose, s->start[e[1]]), p);
  const double length = cps_vec3_norm(d), R = c->geom->radius;
  if (!(length > 0.0)) return;
  const bool sags = (d.x * d.x + d.y * d.y) >= 8.0 * R * SAG * s->half;
  if (!sags && is_beside(p, d, c->geom)) return;
  CpsFlat flat;
  cps_flat_segment(&flat, 0.5 * length);
  const CpsPlace place = {cps_quat_matrix(cps_quat_z_to(cps_vec3_scale(1.0 / length, d))), cps_vec3_axpy(p, 0.5, d)};
  double far = 0.0;
  for (int k = 0; k < 2; ++k) {
    CpsVec3 way = cps_vec3_sub(cps_collider_moved(c, q->h, s->start[e[k]]), s->end[e[k]]);
    far = fmax(far, cps_vec3_norm(way));
  }
  CpsVec3 n;
  CpsCorner corner[CPS_CORNERS_MAX + 1];
  const int count = cps_drum_touch(&flat.polytope, NULL, &place, (CpsDrum){R, c->geom->half_length},
                                   s->half + q->skin + far, &n, corner);
  if (!sags && fabs(n.z) < NONE) return;
  for (int i = 0, id = 0; i < count; ++i) {
    const double t = cps_segment_closest(p, d, cps_vec3_axpy(corner[i].point, corner[i].gap, n));
    if (t < INSIDE || t > 1.0 - INSIDE) continue;
    CpsSurfaceTouch touch = q->model;
    touch.pair = CPS_PAIR_EDGE_SHAPE;
    touch.feature[0] = edge;
    touch.feature[1] = id++;
    touch.at = (CpsClosest){.distance = fmax(0.0, corner[i].gap), .normal = cps_quat_rotate(c->pose.rotation, n)};
    touch.at.weight_a[0] = 1.0 - t, touch.at.weight_a[1] = t;
    CpsVec3 b = cps_pose_apply(c->pose, corner[i].point);
    cps_shape_query_judge(q, &touch, corner[i].gap - s->half, cps_shape_query_way(q, touch.at.weight_a, e, 2, b));
  }
}

bool cps_shape_query_drum(void* query, const CpsTreeTriangle* triangle) {
  CpsShapeQuery* q = query;
  if (!look_at_rims(q, triangle)) return false;
  for (int k = 0; k < 3; ++k) {
    if (triangle->owned >> (3 + k) & 1u) look_at_edge(q, triangle->edge[k]);
  }
  return !q->failed;
}
