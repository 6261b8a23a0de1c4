// A piece of a line against a shape while the ends of its axis move on straight lines in the frame of the shape.
//
// Convex shapes: conservative advancement. Where the axis has the distance D from the shape, it cannot reach it before its faster
// end has gone as far,
//
//   t <- t + D(t) / max(|x_0+ - x_0|, |x_1+ - x_1|),                                                                   (1)
//
// until the axis is within a fiftieth of its radius of the surface, or the motion is over. Each step goes at least half of
// that, so that nothing, however thin, is stepped over.
//
// Meshes: an end of the piece goes through a triangle, or the piece through an edge ((1) of crossing.c). A surface has no
// other way of being passed.
#include "contact/pass.h"

#include "geometry/mesh.h"
#include "geometry/pairs.h"
#include "geometry/segment.h"

#include <math.h>

static const double SKIN = 0.02, LEAST = 0.01;  // in radii
// Distance evaluations of one motion. Contacts keep an axis about a radius away, so that this is a path of thousands
// of radii along the surface. A motion that needs more counts as passing through.
enum { MOST = 4000 };
static const double BORDER = 1e-9;  // triangles are enlarged by this part, so that no crack opens between two

// The thing itself.
typedef struct Sweep {
  CpsConvex thing;
  const CpsMovedPiece* piece;
  CpsGeom geom;  // of the axis, with the skin as its radius
} Sweep;

static CpsVec3 end_at(const CpsMovedPiece* p, int k, double t) {
  return cps_vec3_axpy(p->before[k], t, cps_vec3_sub(p->after[k], p->before[k]));
}

// Distance of the axis at the time t from contact with its skin, if it is less than `margin`.
static double distance(Sweep* s, double t, double margin, CpsEntry* entry) {
  const CpsVec3 p = end_at(s->piece, 0, t), q = end_at(s->piece, 1, t), along = cps_vec3_sub(q, p);
  const double half = 0.5 * cps_vec3_norm(along), r = s->geom.radius;
  s->geom.half_length = half;
  s->geom.outer_radius = r + half;
  s->geom.bounds = (CpsAabb){{-r, -r, -r - half}, {r, r, r + half}};
  const CpsPose pose = {cps_vec3_axpy(p, 0.5, along), cps_quat_z_to(cps_vec3_unit(along))};
  CpsConvex axis;
  CpsTouch touches[CPS_TOUCH_MAX];
  cps_place(&s->geom, &pose, &axis);
  const int count = cps_collide_placed(&axis, &s->thing, margin, touches);
  double least = INFINITY;
  for (int k = 0; k < count; k++) {
    if (!(touches[k].gap < least)) continue;
    least = touches[k].gap;
    *entry = (CpsEntry){touches[k].point_b, touches[k].normal, cps_segment_closest(p, along, touches[k].point_a)};
  }
  return least;
}

// Conservative advancement (1).
static bool advance(Sweep* s, double radius, CpsEntry* entry) {
  const CpsMovedPiece* p = s->piece;
  const double way = fmax(cps_vec3_norm(cps_vec3_sub(p->after[0], p->before[0])),
                          cps_vec3_norm(cps_vec3_sub(p->after[1], p->before[1])));
  double d = distance(s, 0.0, way, entry);
  if (!(d > 0.0) || !isfinite(d)) return false;
  int count = 0;
  for (double t = 0.0; t < 1.0;) {
    if (++count > MOST) return true;
    t = fmin(1.0, t + fmax(d, LEAST * radius) / way);
    d = distance(s, t, way * (1.0 - t) + LEAST * radius, entry);
    if (d <= 0.0) return true;
    if (!isfinite(d)) return false;
  }
  return false;
}

static bool in_triangle(const CpsMeshTree* mesh, const CpsMeshTriangle* triangle, CpsVec3 x) {
  for (int k = 0; k < 3; k++) {
    const CpsVec3 from = mesh->vertex[triangle->vertex[k]].point;
    const CpsVec3 e = cps_vec3_sub(mesh->vertex[triangle->vertex[(k + 1) % 3]].point, from);
    const double outside = cps_vec3_dot(cps_vec3_cross(e, triangle->normal), cps_vec3_sub(x, from));
    if (outside > BORDER * cps_vec3_dot(e, e)) return false;
  }
  return true;
}

static bool end_through_triangle(const CpsMeshTree* mesh, const CpsMeshTriangle* triangle, CpsVec3 from, CpsVec3 to,
                                 CpsEntry* entry) {
  const CpsVec3 corner = mesh->vertex[triangle->vertex[0]].point;
  const double before = cps_vec3_dot(triangle->normal, cps_vec3_sub(from, corner));
  const double after = cps_vec3_dot(triangle->normal, cps_vec3_sub(to, corner));
  const bool in = before > 0.0 && after <= 0.0, out = before < 0.0 && after >= 0.0;
  if (!in && !(mesh->open && out)) return false;
  entry->point = cps_vec3_axpy(from, before / (before - after), cps_vec3_sub(to, from));
  entry->normal = cps_vec3_scale(in ? 1.0 : -1.0, triangle->normal);
  return in_triangle(mesh, triangle, entry->point);
}

static bool through_edge(const CpsMeshTree* mesh, const CpsMeshEdge* edge, const CpsMovedPiece* piece,
                         CpsEntry* entry) {
  const CpsVec3 p = mesh->vertex[edge->vertex[0]].point, q = mesh->vertex[edge->vertex[1]].point;
  const CpsMovedPiece still = {{p, q}, {p, q}, {false, false}};
  CpsMovedPiece whole = *piece;
  whole.ends[0] = whole.ends[1] = false;
  CpsMeeting meeting;
  if (!cps_pieces_met(&whole, &still, &meeting)) return false;
  CpsVec3 front = mesh->triangle[edge->triangle[0]].normal;
  if (edge->triangle[1] >= 0) front = cps_vec3_add(front, mesh->triangle[edge->triangle[1]].normal);
  if (!mesh->open && cps_vec3_dot(meeting.normal, front) <= 0.0) return false;
  *entry = (CpsEntry){cps_vec3_axpy(p, meeting.t, cps_vec3_sub(q, p)), meeting.normal, meeting.s};
  return true;
}

static CpsAabb around(CpsVec3 p, CpsVec3 q) {
  return cps_aabb_union((CpsAabb){p, p}, (CpsAabb){q, q});
}

static bool through_mesh(const CpsMeshTree* mesh, const CpsMovedPiece* piece, CpsEntry* entry) {
  const CpsAabb box =
      cps_aabb_union(around(piece->before[0], piece->before[1]), around(piece->after[0], piece->after[1]));
  if (mesh->triangle_count == 0) return false;
  CpsBvhWalk walk = cps_bvh_walk(&mesh->tree, &box);
  for (const CpsBvhNode* leaf; (leaf = cps_bvh_next(&walk)) != NULL;) {
    for (int32_t i = 0; i < leaf->count; i++) {
      const int32_t t = mesh->tree.order[leaf->first + i];
      const CpsMeshTriangle* triangle = &mesh->triangle[t];
      for (int k = 0; k < 2; k++) {
        if (!end_through_triangle(mesh, triangle, piece->before[k], piece->after[k], entry)) continue;
        entry->s = k;
        return true;
      }
      for (int k = 0; k < 3; k++) {
        const CpsMeshEdge* edge = &mesh->edge[triangle->edge[k]];
        if (edge->triangle[0] == t && through_edge(mesh, edge, piece, entry)) return true;
      }
    }
  }
  return false;
}

static Sweep make_sweep(const CpsGeom* geom, const CpsMovedPiece* piece, double radius) {
  const CpsPose here = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
  Sweep s = {.piece = piece,
             .geom = {.kind = CPS_SHAPE_CAPSULE, .radius = SKIN * radius, .inner_radius = SKIN * radius}};
  cps_place(geom, &here, &s.thing);
  return s;
}

bool cps_piece_was_inside(const CpsGeom* geom, const CpsMovedPiece* piece, double radius) {
  if (geom->kind == CPS_SHAPE_MESH) return false;
  Sweep s = make_sweep(geom, piece, radius);
  CpsEntry entry;
  return distance(&s, 0.0, radius, &entry) <= 0.0;
}

double cps_piece_depth(const CpsGeom* geom, const CpsVec3 axis[2], double radius, CpsEntry* entry) {
  const CpsMovedPiece piece = {{axis[0], axis[1]}, {axis[0], axis[1]}, {false, false}};
  Sweep s = make_sweep(geom, &piece, radius);
  s.geom.radius = s.geom.inner_radius = radius;
  return -fmin(0.0, distance(&s, 0.0, 0.0, entry));
}

bool cps_piece_passed(const CpsGeom* geom, const CpsMovedPiece* piece, double radius, CpsEntry* entry) {
  if (geom->kind == CPS_SHAPE_MESH) return through_mesh(geom->mesh, piece, entry);
  Sweep s = make_sweep(geom, piece, radius);
  return advance(&s, radius, entry);
}
