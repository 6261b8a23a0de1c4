// Polyhedra on the features of a mesh; see mesh_collide.c.
//
// A vertex of the body touches a triangle, an edge of the body a ridge, a face of the body a vertex of a ridge: the three
// generic cases, which also hold during penetration. The normal must lie in the normal cones of both features. Parallel
// edges are left to the other cases. While a body is apart, one of its vertices may be nearest to a ridge or to a vertex
// of one, or one of its edges to such a vertex; the normal is then the line between the two points.
#include "geometry/mesh_collide.h"
#include "geometry/segment.h"

// Sine by which a normal may leave the cone of its feature: a body lying on a surface touches it with whole faces, and
// rounding or a slight tilt must not remove their corners.
static const double slack = 1e-2;
// The same if the normal is the line between two separate points, and their smallest distance in outer radii, for which
// the line has a direction despite rounding.
static const double apart_slack = 1e-9, touching = 1e-6;
// Squared sine below which edges count as parallel.
static const double parallel = 1e-6;

static CpsVec3 to_mesh(const CpsMeshQuery* query, CpsVec3 own) {
  return cps_vec3_add(query->a.pose.position, cps_mat3_apply(query->a.rotation, own));
}

void cps_mesh_solid_face(CpsMeshQuery* query, int32_t t) {
  const CpsMeshTriangle* triangle = &query->mesh->triangle[t];
  const CpsPolytope* p = query->a.geom->polytope;
  const CpsVec3 n = triangle->normal, corner = query->mesh->vertex[triangle->vertex[0]].point;
  const CpsVec3 own = cps_mat3_apply_transposed(query->a.rotation, n);
  const double offset = cps_vec3_dot(n, cps_vec3_sub(query->a.pose.position, corner));
  const double overhang = CPS_MESH_OVERHANG * query->a.geom->inner_radius;
  for (int32_t i = 0; i < p->vertex_count; i++) {
    const double height = offset + cps_vec3_dot(own, p->vertex[i]);
    if (!(height <= query->touches.margin)) continue;
    const CpsVec3 x = to_mesh(query, p->vertex[i]);
    if (!cps_mesh_over_triangle(query->mesh, triangle, x, overhang)) continue;
    const CpsTouch touch = {.point_a = x,
                            .point_b = cps_vec3_axpy(x, -height, n),
                            .normal = n,
                            .gap = height,
                            .feature = cps_touch_feature(CPS_MESH_FACE, (uint32_t)i, (uint32_t)t)};
    cps_mesh_add_corner(query, t, &touch);
  }
}

// The normal of crossing edges d (of the body) and e (of the mesh), towards the outside of the ridge.
static bool crossing_normal(const CpsMeshQuery* query, const CpsMeshEdge* edge, CpsVec3 d, CpsVec3 e, CpsVec3* n) {
  const CpsVec3 cross = cps_vec3_cross(d, e);
  const double square = cps_vec3_dot(cross, cross);
  if (!(square > parallel * cps_vec3_dot(d, d) * cps_vec3_dot(e, e))) return false;
  CpsVec3 front = query->mesh->triangle[edge->triangle[0]].normal;
  if (edge->triangle[1] >= 0) front = cps_vec3_add(front, query->mesh->triangle[edge->triangle[1]].normal);
  *n = cps_vec3_scale((cps_vec3_dot(cross, front) >= 0.0 ? 1.0 : -1.0) / sqrt(square), cross);
  return true;
}

// Whether the inward normal -n lies between the normals of the two faces of an edge of the body (own frame).
static bool body_edge_sees(const CpsPolytope* p, int32_t i, CpsVec3 d, CpsVec3 n, double tolerance) {
  // seen along d one face is on the left and one on the right; the direction away from a face with normal f is ±(d × f)
  const CpsVec3 f = p->normal[p->edge_face[i][0]], g = p->normal[p->edge_face[i][1]];
  CpsVec3 away_f = cps_vec3_cross(d, f), away_g = cps_vec3_cross(d, g);
  if (cps_vec3_dot(away_f, g) < 0.0) away_f = cps_vec3_scale(-1.0, away_f);
  if (cps_vec3_dot(away_g, f) < 0.0) away_g = cps_vec3_scale(-1.0, away_g);
  const double bound = tolerance * cps_vec3_norm(d);
  return cps_vec3_dot(n, away_f) <= bound && cps_vec3_dot(n, away_g) <= bound &&
         cps_vec3_dot(n, cps_vec3_add(f, g)) <= 0.0;
}

// Depth of a point (own frame) in the body; negative outside.
static double depth_in_body(const CpsPolytope* p, CpsVec3 x, int32_t* face) {
  double depth = INFINITY;
  for (int32_t f = 0; f < p->face_count; f++) {
    const double d = p->offset[f] - cps_vec3_dot(p->normal[f], x);
    if (d < depth) {
      depth = d;
      *face = f;
    }
  }
  return depth;
}

// Whether the inward normal -n (own frame) lies in the cone of a vertex of the body.
static bool body_vertex_sees(const CpsPolytope* p, int32_t vertex, CpsVec3 n) {
  for (int32_t i = 0; i < p->edge_count; i++) {
    if (p->edge[i][0] != vertex && p->edge[i][1] != vertex) continue;
    const int32_t other = p->edge[i][0] == vertex ? p->edge[i][1] : p->edge[i][0];
    const CpsVec3 away = cps_vec3_sub(p->vertex[other], p->vertex[vertex]);
    if (cps_vec3_dot(n, away) < -apart_slack * cps_vec3_norm(away)) return false;
  }
  return true;
}

// The touch of points x of the body and y of the mesh that are separate and within the margin.
static bool touch_of_points(const CpsMeshQuery* query, CpsVec3 x, CpsVec3 y, CpsTouch* touch) {
  const CpsVec3 d = cps_vec3_sub(x, y);
  const double gap = cps_vec3_norm(d);
  if (!(gap <= query->touches.margin && gap > touching * query->a.geom->outer_radius)) return false;
  *touch = (CpsTouch){.point_a = x, .point_b = y, .normal = cps_vec3_scale(1.0 / gap, d), .gap = gap};
  return true;
}

// Vertices of the body nearest to a ridge.
static void vertices_on_ridge(CpsMeshQuery* query, int32_t index) {
  const CpsMeshEdge* edge = &query->mesh->edge[index];
  const CpsPolytope* p = query->a.geom->polytope;
  const CpsVec3 q = query->mesh->vertex[edge->vertex[0]].point;
  const CpsVec3 e = cps_vec3_sub(query->mesh->vertex[edge->vertex[1]].point, q);
  for (int32_t i = 0; i < p->vertex_count; i++) {
    const CpsVec3 x = to_mesh(query, p->vertex[i]);
    const double t = cps_segment_closest(q, e, x);
    CpsTouch touch;
    if (!(t > 0.0 && t < 1.0) || !touch_of_points(query, x, cps_vec3_axpy(q, t, e), &touch)) continue;
    if (!cps_mesh_edge_sees(query->mesh, edge, touch.normal, apart_slack)) continue;
    if (!body_vertex_sees(p, i, cps_mat3_apply_transposed(query->a.rotation, touch.normal))) continue;
    touch.feature = cps_touch_feature(CPS_MESH_EDGE, (uint32_t)(i + p->edge_count), (uint32_t)index);
    cps_mesh_add(query, touch.normal, &touch);
  }
}

void cps_mesh_solid_edge(CpsMeshQuery* query, int32_t index) {
  vertices_on_ridge(query, index);
  const CpsMeshEdge* edge = &query->mesh->edge[index];
  const CpsPolytope* p = query->a.geom->polytope;
  const CpsVec3 q = query->mesh->vertex[edge->vertex[0]].point;
  const CpsVec3 e = cps_vec3_sub(query->mesh->vertex[edge->vertex[1]].point, q);
  for (int32_t i = 0; i < p->edge_count; i++) {
    const CpsVec3 own = cps_vec3_sub(p->vertex[p->edge[i][1]], p->vertex[p->edge[i][0]]);
    const CpsVec3 d = cps_mat3_apply(query->a.rotation, own), x = to_mesh(query, p->vertex[p->edge[i][0]]);
    CpsVec3 n;
    if (!crossing_normal(query, edge, d, e, &n)) continue;
    if (!cps_mesh_edge_sees(query->mesh, edge, n, slack)) continue;
    if (!body_edge_sees(p, i, own, cps_mat3_apply_transposed(query->a.rotation, n), slack)) continue;
    // the lines x + s d and q + t e at their smallest distance: cross the difference with the other direction
    const CpsVec3 cross = cps_vec3_cross(d, e), w = cps_vec3_sub(q, x);
    const double square = cps_vec3_dot(cross, cross);
    const double s = cps_vec3_dot(cps_vec3_cross(w, e), cross) / square;
    const double t = cps_vec3_dot(cps_vec3_cross(w, d), cross) / square;
    if (!(s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0)) continue;
    const CpsVec3 on_b = cps_vec3_axpy(q, t, e);
    const double gap = cps_vec3_dot(n, cps_vec3_sub(cps_vec3_axpy(x, s, d), on_b));
    // the touch is not at crossed edges far inside each other: the ridge leaves the body another way
    int32_t face = 0;
    const double depth = depth_in_body(p, cps_pose_apply_back(query->a.pose, on_b), &face);
    if (gap < 0.0 && -gap > 4.0 * depth + 1e-3 * query->a.geom->inner_radius) continue;
    const CpsTouch touch = {.point_a = cps_vec3_axpy(on_b, gap, n),
                            .point_b = on_b,
                            .normal = n,
                            .gap = gap,
                            .feature = cps_touch_feature(CPS_MESH_EDGE, (uint32_t)i, (uint32_t)index)};
    cps_mesh_add(query, n, &touch);
  }
}

static bool over_face(const CpsPolytope* p, int32_t face, CpsVec3 x) {
  for (int32_t k = p->face_start[face]; k < p->face_start[face + 1]; k++) {
    const int32_t next = k + 1 < p->face_start[face + 1] ? k + 1 : p->face_start[face];
    const CpsVec3 from = p->vertex[p->face_vertex[k]], e = cps_vec3_sub(p->vertex[p->face_vertex[next]], from);
    const CpsVec3 out = cps_vec3_cross(e, p->normal[face]);
    if (cps_vec3_dot(out, cps_vec3_sub(x, from)) > 1e-10 * cps_vec3_dot(e, e)) return false;
  }
  return true;
}

// Vertices and edges of the body nearest to a vertex of a ridge.
static void points_on_vertex(CpsMeshQuery* query, int32_t index) {
  const CpsMeshVertex* vertex = &query->mesh->vertex[index];
  const CpsPolytope* p = query->a.geom->polytope;
  CpsTouch touch;
  for (int32_t i = 0; i < p->vertex_count; i++) {
    if (!touch_of_points(query, to_mesh(query, p->vertex[i]), vertex->point, &touch)) continue;
    if (!cps_mesh_vertex_sees(query->mesh, vertex, touch.normal, apart_slack)) continue;
    if (!body_vertex_sees(p, i, cps_mat3_apply_transposed(query->a.rotation, touch.normal))) continue;
    touch.feature = cps_touch_feature(CPS_MESH_VERTEX, (uint32_t)(i + p->face_count), (uint32_t)index);
    cps_mesh_add(query, touch.normal, &touch);
  }
  for (int32_t i = 0; i < p->edge_count; i++) {
    const CpsVec3 x = to_mesh(query, p->vertex[p->edge[i][0]]);
    const CpsVec3 own = cps_vec3_sub(p->vertex[p->edge[i][1]], p->vertex[p->edge[i][0]]);
    const CpsVec3 d = cps_mat3_apply(query->a.rotation, own);
    const double s = cps_segment_closest(x, d, vertex->point);
    if (!(s > 0.0 && s < 1.0) || !touch_of_points(query, cps_vec3_axpy(x, s, d), vertex->point, &touch)) continue;
    if (!cps_mesh_vertex_sees(query->mesh, vertex, touch.normal, apart_slack)) continue;
    if (!body_edge_sees(p, i, own, cps_mat3_apply_transposed(query->a.rotation, touch.normal), apart_slack)) continue;
    touch.feature =
        cps_touch_feature(CPS_MESH_VERTEX, (uint32_t)(i + p->face_count + p->vertex_count), (uint32_t)index);
    cps_mesh_add(query, touch.normal, &touch);
  }
}

void cps_mesh_solid_vertex(CpsMeshQuery* query, int32_t index) {
  points_on_vertex(query, index);
  const CpsMeshVertex* vertex = &query->mesh->vertex[index];
  const CpsPolytope* p = query->a.geom->polytope;
  const CpsVec3 own = cps_pose_apply_back(query->a.pose, vertex->point);
  int32_t nearest = 0;
  const bool inside = depth_in_body(p, own, &nearest) > 0.0;
  for (int32_t f = 0; f < p->face_count; f++) {
    const double gap = cps_vec3_dot(p->normal[f], own) - p->offset[f];
    if (!(gap <= query->touches.margin) || (inside && f != nearest) || !over_face(p, f, own)) continue;
    const CpsVec3 n = cps_vec3_scale(-1.0, cps_mat3_apply(query->a.rotation, p->normal[f]));
    if (!cps_mesh_vertex_sees(query->mesh, vertex, n, slack)) continue;
    const CpsTouch touch = {.point_a = cps_vec3_axpy(vertex->point, gap, n),
                            .point_b = vertex->point,
                            .normal = n,
                            .gap = gap,
                            .feature = cps_touch_feature(CPS_MESH_VERTEX, (uint32_t)f, (uint32_t)index)};
    cps_mesh_add(query, n, &touch);
  }
}
