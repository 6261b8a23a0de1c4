// A convex body on a triangle mesh, feature by feature.
//
// The nearest points of a body and a surface lie on a triangle, an edge or a vertex of the surface, and the normal then
// lies in the normal cone of that feature:
//
//   triangle: n = n_t;   edge: n.m_1 >= 0 and n.m_2 >= 0;   vertex: n.e <= 0 for all edges e that leave it           (1)
//
// with m_i as in mesh.c. A touch is kept only under (1), and each edge and vertex is examined once, with its first
// triangle. So two neighbours never report the same touch, and edges between coplanar triangles, which have no normal of
// their own, report none: a body sliding over a triangulated floor sees only the normal of the floor. If the foot of a
// ball lies on the common edge of two coplanar triangles, both report it; touches at one place count once.
//
// The surface is touched from its front; by pieces of fibres also from behind if it has a border, because a sheet has no
// inside. Then the centre of the piece decides its side. Otherwise a touch deeper than the inner radius of the body counts
// only while the body's centre is in front of the triangle. Not guaranteed: a body whose centre passes through the surface in
// one step is not brought back.
#include "geometry/mesh_collide.h"

bool cps_mesh_over_triangle(const CpsMeshTree* mesh, const CpsMeshTriangle* triangle, CpsVec3 x, double overhang) {
  for (int k = 0; k < 3; k++) {
    const CpsVec3 from = mesh->vertex[triangle->vertex[k]].point,
                  to = mesh->vertex[triangle->vertex[(k + 1) % 3]].point;
    const CpsVec3 e = cps_vec3_sub(to, from), out = cps_vec3_cross(e, triangle->normal);
    const double length = cps_vec3_norm(e);
    // a border wide enough for rounding, so that no crack opens between two triangles
    const double border = 1e-10 * length + (mesh->edge[triangle->edge[k]].valley ? overhang : 0.0);
    if (cps_vec3_dot(out, cps_vec3_sub(x, from)) > border * length) return false;
  }
  return true;
}

bool cps_mesh_edge_sees(const CpsMeshTree* mesh, const CpsMeshEdge* edge, CpsVec3 normal, double tolerance) {
  if (cps_vec3_dot(normal, edge->out[0]) < -tolerance) return false;
  const CpsVec3 n = mesh->triangle[edge->triangle[0]].normal;
  if (edge->triangle[1] < 0) return cps_vec3_dot(normal, n) > 0.0;
  return cps_vec3_dot(normal, edge->out[1]) >= -tolerance &&
         cps_vec3_dot(normal, cps_vec3_add(n, mesh->triangle[edge->triangle[1]].normal)) >= 0.0;
}

bool cps_mesh_vertex_sees(const CpsMeshTree* mesh, const CpsMeshVertex* vertex, CpsVec3 normal, double tolerance) {
  if (!(cps_vec3_dot(normal, vertex->normal) > 0.0)) return false;
  for (int32_t i = 0; i < vertex->degree; i++) {
    const CpsMeshEdge* edge = &mesh->edge[mesh->vertex_edge[vertex->edge_first + i]];
    const CpsVec3 p = mesh->vertex[edge->vertex[0]].point, q = mesh->vertex[edge->vertex[1]].point;
    const bool first = p.x == vertex->point.x && p.y == vertex->point.y && p.z == vertex->point.z;
    const CpsVec3 away = first ? cps_vec3_sub(q, p) : cps_vec3_sub(p, q);
    if (cps_vec3_dot(normal, away) > tolerance * cps_vec3_norm(away)) return false;
  }
  return true;
}

void cps_mesh_add(CpsMeshQuery* query, CpsVec3 front, const CpsTouch* touch) {
  const bool near_side = cps_vec3_dot(cps_vec3_sub(touch->point_a, query->centre), touch->normal) < 0.0;
  const bool centre_in_front = cps_vec3_dot(cps_vec3_sub(query->centre, touch->point_b), front) > 0.0;
  const bool shallow = !query->sided && touch->gap >= -query->a.geom->inner_radius;
  if (near_side && (shallow || centre_in_front)) {
    cps_touches_add(&query->touches, touch);
  }
}

static double height(const CpsMeshTree* mesh, const CpsMeshTriangle* triangle, CpsVec3 x) {
  return cps_vec3_dot(triangle->normal, cps_vec3_sub(x, mesh->vertex[triangle->vertex[0]].point));
}

static CpsVec3 middle(const CpsMeshTree* mesh, const CpsMeshTriangle* triangle) {
  const CpsVec3 sum = cps_vec3_add(mesh->vertex[triangle->vertex[0]].point, mesh->vertex[triangle->vertex[1]].point);
  return cps_vec3_scale(1.0 / 3.0, cps_vec3_add(sum, mesh->vertex[triangle->vertex[2]].point));
}

// Whether each of two triangles lies behind the other, as on a convex body.
static bool back_to_back(const CpsMeshTree* mesh, const CpsMeshTriangle* a, const CpsMeshTriangle* b) {
  return height(mesh, a, middle(mesh, b)) < 0.0 && height(mesh, b, middle(mesh, a)) < 0.0;
}

void cps_mesh_add_corner(CpsMeshQuery* query, int32_t t, const CpsTouch* touch) {
  const CpsMeshTree* mesh = query->mesh;
  const CpsMeshTriangle* triangle = &mesh->triangle[t];
  // bodies at rest may penetrate slightly everywhere; only a clearly shallower exit counts
  const double shallow = 0.25 * (-touch->gap - 1e-3 * query->a.geom->inner_radius - query->touches.margin);
  if (shallow > 0.0) {
    const CpsAabb box = cps_aabb_grow((CpsAabb){touch->point_a, touch->point_a}, shallow);
    CpsBvhWalk walk = cps_bvh_walk(&mesh->tree, &box);
    for (const CpsBvhNode* leaf; (leaf = cps_bvh_next(&walk)) != NULL;) {
      for (int32_t i = 0; i < leaf->count; i++) {
        const CpsMeshTriangle* other = &mesh->triangle[mesh->tree.order[leaf->first + i]];
        const double h = height(mesh, other, touch->point_a);
        if (h <= 0.0 && h >= -shallow && cps_mesh_over_triangle(mesh, other, touch->point_a, 0.0) &&
            back_to_back(mesh, triangle, other))
          return;
      }
    }
  }
  cps_mesh_add(query, triangle->normal, touch);
}

static bool in_box(const CpsAabb* box, CpsVec3 p, CpsVec3 q) {
  const CpsAabb other = cps_aabb_union((CpsAabb){p, p}, (CpsAabb){q, q});
  return cps_aabb_overlap(box, &other);
}

// A triangle, with the edges and vertices examined with it.
static void collide_triangle(CpsMeshQuery* query, int32_t t) {
  const CpsMeshTree* mesh = query->mesh;
  const CpsMeshTriangle* triangle = &mesh->triangle[t];
  const bool solid = query->a.geom->polytope != NULL;
  const bool ball = query->a.geom->kind == CPS_SHAPE_SPHERE || query->a.geom->kind == CPS_SHAPE_CAPSULE;
  (solid ? cps_mesh_solid_face : cps_mesh_round_face)(query, t);
  for (int k = 0; k < 3; k++) {
    const CpsMeshEdge* edge = &mesh->edge[triangle->edge[k]];
    const CpsVec3 p = mesh->vertex[edge->vertex[0]].point, q = mesh->vertex[edge->vertex[1]].point;
    if ((ball ? edge->ridge : edge->sharp) && edge->triangle[0] == t && in_box(&query->box, p, q)) {
      (solid ? cps_mesh_solid_edge : cps_mesh_round_edge)(query, triangle->edge[k]);
    }
    const CpsMeshVertex* vertex = &mesh->vertex[triangle->vertex[k]];
    if ((ball ? vertex->ridge : vertex->sharp) && vertex->owner == t &&
        in_box(&query->box, vertex->point, vertex->point)) {
      (solid ? cps_mesh_solid_vertex : cps_mesh_round_vertex)(query, triangle->vertex[k]);
    }
  }
}

static void collide_triangles(CpsMeshQuery* query) {
  CpsBvhWalk walk = cps_bvh_walk(&query->mesh->tree, &query->box);
  for (const CpsBvhNode* leaf; (leaf = cps_bvh_next(&walk)) != NULL;) {
    for (int32_t i = 0; i < leaf->count; i++) collide_triangle(query, query->mesh->tree.order[leaf->first + i]);
  }
}

int cps_mesh_collide(const CpsConvex* a, const CpsConvex* b, double margin, CpsTouch* out) {
  const CpsMeshTree* mesh = b->geom->mesh;
  if (mesh->triangle_count == 0) return 0;
  const CpsQuat back = cps_quat_conjugate(b->pose.rotation);
  const CpsPose pose = {cps_pose_apply_back(b->pose, a->pose.position), cps_quat_multiply(back, a->pose.rotation)};
  CpsMeshQuery query = {.mesh = mesh, .touches = {.out = out, .margin = margin}};
  cps_place(a->geom, &pose, &query.a);
  query.centre = cps_pose_apply(pose, a->geom->centre);
  query.box = cps_aabb_grow(cps_geom_bounds(a->geom, &pose), margin);
  query.touches.same_place = 1e-6 * a->geom->outer_radius;
  query.sided = mesh->back != NULL && a->geom->both_sides;
  collide_triangles(&query);
  if (query.sided) {
    query.mesh = mesh->back;
    collide_triangles(&query);
  }
  return cps_touches_finish(&query.touches, &b->pose);
}
