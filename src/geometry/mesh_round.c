// Spheres, capsules and cylinders on the features of a mesh; see mesh_collide.c.
//
// On a triangle they touch as on its plane (plane.c), as far as the foot lies in the triangle. An edge is a thick segment
// of radius zero and a vertex a ball of radius zero (round.c). A cylinder has no such form: its touches with edges come
// from the general solver for convex shapes, and those that lie on a ridge with a normal that (1) allows are kept.
#include "geometry/mesh_collide.h"
#include "geometry/segment.h"

// Sine by which rounding may turn a normal out of the cone of its feature.
static const double rounding = 1e-9;
// The same for normals of the general solver, which have its accuracy.
static const double solver = 1e-4;
// How near a point must be to an edge, and how far from its ends, relative to its length.
static const double on_edge = 1e-7;

void cps_mesh_round_face(CpsMeshQuery* query, int32_t t) {
  const CpsMeshTriangle* triangle = &query->mesh->triangle[t];
  const CpsVec3 corner = query->mesh->vertex[triangle->vertex[0]].point;
  CpsTouch touch[CPS_PLANE_TOUCHES];
  const int count = cps_round_on_plane(&query->a, triangle->normal, corner, query->touches.margin, touch);
  const bool corners = query->a.geom->kind == CPS_SHAPE_CYLINDER;
  const double overhang = corners ? CPS_MESH_OVERHANG * query->a.geom->inner_radius : 0.0;
  for (int i = 0; i < count; i++) {
    if (!cps_mesh_over_triangle(query->mesh, triangle, touch[i].point_b, overhang)) continue;
    touch[i].feature = cps_touch_feature(CPS_MESH_FACE, touch[i].feature, (uint32_t)t);
    if (corners) {
      cps_mesh_add_corner(query, t, &touch[i]);
    } else {
      cps_mesh_add(query, triangle->normal, &touch[i]);
    }
  }
}

void cps_mesh_round_edge(CpsMeshQuery* query, int32_t e) {
  const CpsMeshEdge* edge = &query->mesh->edge[e];
  const CpsVec3 start = query->mesh->vertex[edge->vertex[0]].point, end = query->mesh->vertex[edge->vertex[1]].point;
  const CpsLine line = {start, cps_vec3_sub(end, start), 0.0}, axis = cps_line_of(&query->a);
  CpsTouch touch[CPS_LINE_TOUCHES];
  const int count = cps_lines_collide(&axis, &line, query->touches.margin, touch);
  for (int i = 0; i < count; i++) {
    const double along =
        cps_vec3_dot(cps_vec3_sub(touch[i].point_b, start), line.along) / cps_vec3_dot(line.along, line.along);
    if (!(along > 0.0 && along < 1.0) || !cps_mesh_edge_sees(query->mesh, edge, touch[i].normal, rounding)) continue;
    touch[i].feature = cps_touch_feature(CPS_MESH_EDGE, touch[i].feature, (uint32_t)e);
    cps_mesh_add(query, touch[i].normal, &touch[i]);
  }
}

void cps_mesh_round_vertex(CpsMeshQuery* query, int32_t v) {
  const CpsMeshVertex* vertex = &query->mesh->vertex[v];
  const CpsLine point = {vertex->point, {0.0, 0.0, 0.0}, 0.0}, axis = cps_line_of(&query->a);
  CpsTouch touch[CPS_LINE_TOUCHES];
  const int count = cps_lines_collide(&axis, &point, query->touches.margin, touch);
  for (int i = 0; i < count; i++) {
    if (!cps_mesh_vertex_sees(query->mesh, vertex, touch[i].normal, rounding)) continue;
    touch[i].feature = cps_touch_feature(CPS_MESH_VERTEX, touch[i].feature, (uint32_t)v);
    cps_mesh_add(query, touch[i].normal, &touch[i]);
  }
}

// Whether a ridge or a vertex of the triangle allows this normal at this point.
static bool ridge_allows(const CpsMeshTree* mesh, const CpsMeshTriangle* triangle, const CpsTouch* touch) {
  for (int k = 0; k < 3; k++) {
    const CpsMeshEdge* edge = &mesh->edge[triangle->edge[k]];
    if (!edge->ridge) continue;
    const CpsVec3 start = mesh->vertex[edge->vertex[0]].point;
    const CpsVec3 e = cps_vec3_sub(mesh->vertex[edge->vertex[1]].point, start);
    const double t = cps_segment_closest(start, e, touch->point_b), length = cps_vec3_norm(e);
    const CpsVec3 d = cps_vec3_sub(touch->point_b, cps_vec3_axpy(start, t, e));
    if (cps_vec3_norm(d) > on_edge * length) continue;
    if (t > on_edge && t < 1.0 - on_edge) return cps_mesh_edge_sees(mesh, edge, touch->normal, solver);
    const CpsMeshVertex* vertex = &mesh->vertex[edge->vertex[t > 0.5 ? 1 : 0]];
    return cps_mesh_vertex_sees(mesh, vertex, touch->normal, solver);
  }
  return false;
}

void cps_mesh_cylinder_edges(CpsMeshQuery* query, int32_t t) {
  const CpsMeshTriangle* triangle = &query->mesh->triangle[t];
  bool ridge = false;
  for (int k = 0; k < 3; k++) {
    ridge = ridge || query->mesh->edge[triangle->edge[k]].ridge || query->mesh->vertex[triangle->vertex[k]].ridge;
  }
  if (!ridge) return;
  const CpsConvex b = cps_convex_triangle(query->mesh->vertex[triangle->vertex[0]].point,
                                          query->mesh->vertex[triangle->vertex[1]].point,
                                          query->mesh->vertex[triangle->vertex[2]].point);
  CpsTouch touch[CPS_TOUCH_PAIR_MAX];
  const int count = cps_convex_collide(&query->a, &b, query->touches.margin, touch);
  for (int i = 0; i < count; i++) {
    if (!ridge_allows(query->mesh, triangle, &touch[i])) continue;
    touch[i].feature = cps_touch_feature(CPS_MESH_EDGE, touch[i].feature, (uint32_t)t);
    cps_mesh_add(query, touch[i].normal, &touch[i]);
  }
}
