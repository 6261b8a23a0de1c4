// Spheres, capsules and cylinders on the features of a mesh; see mesh_collide.c.
//
// On a triangle they touch as on its plane (plane.c) if the foot lies in the triangle. An edge is a thick segment of
// radius zero and a vertex a ball of radius zero: round.c handles both, and the general solver handles cylinders.
#include "geometry/mesh_collide.h"

// Sine by which a normal may leave the cone of its feature: due to rounding, and due to a slight tilt for a cylinder
// resting on its cap or on its side.
static const double rounding = 1e-9, tilt = 1e-2;

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

// Touches with the segment start + t along, possibly a point.
static int on_segment(const CpsMeshQuery* query, CpsVec3 start, CpsVec3 along, CpsTouch* touch) {
  if (query->a.geom->kind != CPS_SHAPE_CYLINDER) {
    const CpsLine line = {start, along, 0.0}, axis = cps_line_of(&query->a);
    return cps_lines_collide(&axis, &line, query->touches.margin, touch);
  }
  // An edge is extended: if its end is within the cylinder, it would be pushed out along the edge, into the mesh. Touches
  // at the ends belong to the vertices.
  const double length = cps_vec3_norm(along);
  const double h = length > 0.0 ? 0.5 * length + query->a.geom->outer_radius + query->touches.margin : 0.0;
  const CpsGeom thin = {.kind = h > 0.0 ? CPS_SHAPE_CAPSULE : CPS_SHAPE_SPHERE,
                        .half_length = h,
                        .bounds = {{0.0, 0.0, -h}, {0.0, 0.0, h}},
                        .outer_radius = h};
  const CpsPose pose = {cps_vec3_axpy(start, 0.5, along), cps_quat_z_to(cps_vec3_unit(along))};
  CpsConvex b;
  cps_place(&thin, &pose, &b);
  return cps_convex_collide(&query->a, &b, query->touches.margin, touch);
}

static double slack(const CpsMeshQuery* query) {
  return query->a.geom->kind == CPS_SHAPE_CYLINDER ? tilt : rounding;
}

void cps_mesh_round_edge(CpsMeshQuery* query, int32_t e) {
  const CpsMeshEdge* edge = &query->mesh->edge[e];
  const CpsVec3 start = query->mesh->vertex[edge->vertex[0]].point;
  const CpsVec3 along = cps_vec3_sub(query->mesh->vertex[edge->vertex[1]].point, start);
  CpsTouch touch[CPS_TOUCH_PAIR_MAX];
  const int count = on_segment(query, start, along, touch);
  for (int i = 0; i < count; i++) {
    const double t = cps_vec3_dot(cps_vec3_sub(touch[i].point_b, start), along) / cps_vec3_dot(along, along);
    if (!(t > 0.0 && t < 1.0) || !cps_mesh_edge_sees(query->mesh, edge, touch[i].normal, slack(query))) continue;
    touch[i].feature = cps_touch_feature(CPS_MESH_EDGE, touch[i].feature, (uint32_t)e);
    cps_mesh_add(query, touch[i].normal, &touch[i]);
  }
}

// A vertex inside a cylinder leaves it through a cap or through the side; the nearest exit may lead into the mesh, so both
// are returned. 0 if it is outside.
static int inside_cylinder(const CpsMeshQuery* query, CpsVec3 point, CpsTouch* touch) {
  const CpsVec3 own = cps_pose_apply_back(query->a.pose, point);
  const double rho = hypot(own.x, own.y), h = query->a.geom->half_length, r = query->a.geom->radius;
  if (!(fabs(own.z) < h && rho < r)) return 0;
  const CpsVec3 cap = {0.0, 0.0, own.z > 0.0 ? -1.0 : 1.0};
  const CpsVec3 side = rho > 0.0 ? cps_vec3(-own.x / rho, -own.y / rho, 0.0) : cps_vec3(1.0, 0.0, 0.0);
  for (uint32_t k = 0; k < 2; k++) {
    const CpsVec3 n = cps_mat3_apply(query->a.rotation, k == 0 ? cap : side);
    const double gap = k == 0 ? fabs(own.z) - h : rho - r;
    touch[k] = (CpsTouch){cps_vec3_axpy(point, gap, n), point, n, gap, k};
  }
  return 2;
}

void cps_mesh_round_vertex(CpsMeshQuery* query, int32_t v) {
  const CpsMeshVertex* vertex = &query->mesh->vertex[v];
  CpsTouch touch[CPS_TOUCH_PAIR_MAX];
  int count = query->a.geom->kind == CPS_SHAPE_CYLINDER ? inside_cylinder(query, vertex->point, touch) : 0;
  if (count == 2) {  // the shallower one compatible with the vertex
    const bool cap = cps_mesh_vertex_sees(query->mesh, vertex, touch[0].normal, tilt);
    const bool side = cps_mesh_vertex_sees(query->mesh, vertex, touch[1].normal, tilt);
    if (side && !(cap && touch[0].gap >= touch[1].gap)) touch[0] = touch[1];
    count = cap || side ? 1 : 0;
  } else {
    count = on_segment(query, vertex->point, cps_vec3(0.0, 0.0, 0.0), touch);
  }
  for (int i = 0; i < count; i++) {
    if (!cps_mesh_vertex_sees(query->mesh, vertex, touch[i].normal, slack(query))) continue;
    touch[i].feature = cps_touch_feature(CPS_MESH_VERTEX, touch[i].feature, (uint32_t)v);
    cps_mesh_add(query, touch[i].normal, &touch[i]);
  }
}
