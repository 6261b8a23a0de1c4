// Surfaces and shapes, the other way round: their vertices touch shapes as balls do (detect.c), and here corners and round ends
// of shapes touch triangles, their edges and axes the edges of the surface.
#include "contact/surface_query.h"

#include <math.h>

static CpsVec3 way_of_nodes(const CpsSurfaceMesh* s, const double* weight, const int32_t* node, int count) {
  CpsVec3 way = {0.0, 0.0, 0.0};
  for (int i = 0; i < count; ++i) {
    way = cps_vec3_axpy(way, weight[i], cps_vec3_sub(s->end[node[i]], s->start[node[i]]));
  }
  return way;
}

CpsVec3 cps_shape_query_way(const CpsShapeQuery* q, const double* weight, const int32_t* node, int count, CpsVec3 b) {
  return cps_vec3_sub(way_of_nodes(q->surface, weight, node, count),
                      cps_vec3_sub(cps_collider_moved(q->collider, q->h, b), b));
}

void cps_shape_query_judge(CpsShapeQuery* q, CpsSurfaceTouch* t, double gap, CpsVec3 way) {
  t->gap = gap;
  if (gap + fmin(0.0, cps_vec3_dot(t->at.normal, way)) <= q->skin) q->failed = !cps_surface_put(&q->list, t);
}

// The same for a ball or a segment. `node`: nodes of the surface.
static void judge(CpsShapeQuery* q, CpsSurfaceTouch* t, const int32_t* node, int count) {
  CpsVec3 way = way_of_nodes(q->surface, t->at.weight_a, node, count);
  for (int k = 0; k < 2; ++k) {
    way = cps_vec3_axpy(way, -t->at.weight_b[k], cps_vec3_sub(q->end[k], q->start[k]));
  }
  cps_shape_query_judge(q, t, t->at.distance - q->surface->half - t->radius, way);
}

static bool is_one(unsigned feature) {
  return feature == 1 || feature == 2 || feature == 4;
}

bool cps_shape_query_ball(void* query, const CpsTreeTriangle* triangle) {
  CpsShapeQuery* q = query;
  CpsVec3 corner[3];
  for (int i = 0; i < 3; ++i) corner[i] = q->surface->start[triangle->vertex[i]];
  CpsClosest c = cps_closest_vertex_triangle(q->start[0], corner);
  if (q->surface->closed && !cps_surface_turn_out(&c, corner, false)) return true;
  CpsSurfaceTouch t = q->model;
  t.pair = CPS_PAIR_TRIANGLE_BALL;
  t.at = cps_closest_turned(&c);
  t.feature[0] = triangle->index;
  // vertices are tested against the shape by themselves, edges from their lower triangle only
  if (is_one(t.at.feature_a)) return true;
  if (t.at.feature_a != 7) {
    int edge = t.at.feature_a == 3 ? 0 : t.at.feature_a == 6 ? 1 : 2;
    if (!(triangle->owned >> (3 + edge) & 1u)) return true;
  }
  judge(q, &t, triangle->vertex, 3);
  return !q->failed;
}

static bool look_at_segment(void* data, const CpsTreeTriangle* triangle) {
  CpsShapeQuery* q = data;
  for (int k = 0; k < 3; ++k) {
    if (!(triangle->owned >> (3 + k) & 1u)) continue;
    const int32_t* e = q->surface->tree->edge[triangle->edge[k]];
    const CpsVec3 edge[2] = {q->surface->start[e[0]], q->surface->start[e[1]]};
    CpsSurfaceTouch t = q->model;
    t.at = cps_closest_edge_edge(edge, q->start);
    t.pair = CPS_PAIR_EDGE_SEGMENT;
    t.feature[0] = triangle->edge[k];
    t.along = t.at.weight_b[1];
    if (t.at.feature_a != 3 || t.at.feature_b != 3 || t.at.parallel) continue;
    judge(q, &t, e, 2);
  }
  return !q->failed;
}

static CpsAabb with(CpsAabb box, CpsVec3 x) {
  box.min = cps_vec3(fmin(box.min.x, x.x), fmin(box.min.y, x.y), fmin(box.min.z, x.z));
  box.max = cps_vec3(fmax(box.max.x, x.x), fmax(box.max.y, x.y), fmax(box.max.z, x.z));
  return box;
}

static CpsAabb grown(CpsAabb box, double by) {
  const CpsVec3 d = {by, by, by};
  return (CpsAabb){cps_vec3_sub(box.min, d), cps_vec3_add(box.max, d)};
}

// Tests corners, ends and edges of the collider of a query against its surface, whose bounding box is given.
static void look_at_features(CpsShapeQuery* q, const CpsAabb* surface) {
  const CpsCollider* c = q->collider;
  const int32_t count = cps_shape_feature_count(c->geom);
  for (int32_t i = 0; i < count && !q->failed; ++i) {
    CpsShapeFeature f;
    if (!cps_shape_feature(c->geom, i, &f)) continue;
    for (int k = 0; k < 2; ++k) {
      q->start[k] = cps_pose_apply(c->pose, f.point[k]);
      q->end[k] = cps_collider_moved(c, q->h, q->start[k]);
    }
    CpsAabb box = with(with(with((CpsAabb){q->start[0], q->start[0]}, q->start[1]), q->end[0]), q->end[1]);
    box = grown(box, f.radius + q->skin);
    if (!cps_aabb_overlap(&box, surface)) continue;
    q->model.radius = f.radius;
    q->model.feature[1] = f.id;
    q->model.along = f.id;  // of the two ends of a capsule
    cps_triangle_tree_near_box(q->surface->tree, &box, f.segment ? look_at_segment : cps_shape_query_ball, q);
  }
}

// An upper bound of the displacement of a collider's points in the step.
static double travel(const CpsCollider* c) {
  return c->reach + c->sway + cps_vec3_norm(c->way);
}

static CpsAabb box_of(const CpsCollider* c) {
  return grown(cps_geom_bounds(c->geom, &c->pose), travel(c));
}

static CpsAabb surface_box(const CpsSurfaceMesh* s, double more) {
  CpsAabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int32_t i = 0; i < s->tree->vertex_count; ++i) box = with(with(box, s->start[i]), s->end[i]);
  return grown(box, more);
}

bool cps_surface_shapes(const CpsSurfaceScene* scene, double h, double skin, CpsArena* arena, CpsSurfaceTouches* out) {
  CpsShapeQuery q = {.h = h, .skin = skin, .list = {.arena = arena}};
  for (int32_t i = 0; i < scene->count && !q.failed; ++i) {
    const CpsSurfaceMesh* s = &scene->surfaces[i];
    if (s->guard) continue;
    const CpsAabb surface = surface_box(s, s->half + skin);
    q.surface = s;
    for (int32_t k = 0; k < scene->collider_count && !q.failed; ++k) {
      const CpsCollider* c = &scene->colliders[k];
      if (c->node || c->geom->kind == CPS_SHAPE_PLANE) continue;
      if (c->group > 0 && c->group == s->group) continue;
      CpsAabb box = box_of(c);
      if (!cps_aabb_overlap(&box, &surface)) continue;
      q.collider = c;
      q.model = (CpsSurfaceTouch){.a = i, .b = -1, .collider = k};
      if (c->geom->kind != CPS_SHAPE_CYLINDER) {
        look_at_features(&q, &surface);
        continue;
      }
      box = grown(box, skin);
      cps_triangle_tree_near_box(q.surface->tree, &box, cps_shape_query_drum, &q);
    }
  }
  *out = (CpsSurfaceTouches){q.list.count, q.list.touch};
  return !q.failed;
}
