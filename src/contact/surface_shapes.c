// Surfaces and shapes, the other way round: their vertices touch shapes as balls do (detect.c), and here corners and round ends
// of shapes touch triangles, their edges and axes the edges of the surface.
#include "contact/surfaces.h"

#include <math.h>
#include <string.h>

// A shape as balls and segments with a common radius, at the beginning of the step and where its free motion takes it.
typedef struct Feature {
  CpsVec3 start[2], end[2];
  double radius;
} Feature;

static CpsVec3 moved(const CpsCollider* c, double h, CpsVec3 x) {
  CpsVec3 arm = cps_vec3_sub(x, c->centre);
  CpsVec3 way = cps_vec3_add(cps_vec3_axpy(c->way, h, c->velocity), cps_vec3_cross(c->turn, arm));
  return cps_vec3_add(x, way);
}

static int ball_count(const CpsGeom* g) {
  switch (g->kind) {
    case CPS_SHAPE_SPHERE:
      return 1;
    case CPS_SHAPE_CAPSULE:
      return 2;
    case CPS_SHAPE_BOX:
    case CPS_SHAPE_HULL:
      return g->polytope->vertex_count;
    default:
      return 0;
  }
}

static int segment_count(const CpsGeom* g) {
  if (g->kind == CPS_SHAPE_CAPSULE) return 1;
  return g->kind == CPS_SHAPE_BOX || g->kind == CPS_SHAPE_HULL ? g->polytope->edge_count : 0;
}

static CpsVec3 point_of(const CpsGeom* g, int i) {
  if (g->polytope) return g->polytope->vertex[i];
  return cps_vec3(0.0, 0.0, g->kind == CPS_SHAPE_CAPSULE ? (i == 0 ? -g->half_length : g->half_length) : 0.0);
}

static Feature feature_of(const CpsCollider* c, double h, bool segment, int i) {
  const CpsGeom* g = c->geom;
  int end[2] = {i, i};
  if (segment) end[0] = g->polytope ? g->polytope->edge[i][0] : 0, end[1] = g->polytope ? g->polytope->edge[i][1] : 1;
  Feature f = {.radius = g->polytope ? 0.0 : g->radius};
  for (int k = 0; k < 2; ++k) {
    f.start[k] = cps_pose_apply(c->pose, point_of(g, end[k]));
    f.end[k] = moved(c, h, f.start[k]);
  }
  return f;
}

typedef struct Query {
  const CpsSurfaceMesh* surface;
  CpsSurfaceTouch model;  // what all touches of the feature have in common
  Feature feature;
  double skin;
  CpsSurfaceList list;
  bool failed;
} Query;

// Sides exchanged: the surface is a.
static CpsClosest turned(const CpsClosest* c) {
  CpsClosest out = *c;
  out.normal = cps_vec3_scale(-1.0, c->normal);
  memcpy(out.weight_a, c->weight_b, sizeof out.weight_a);
  memcpy(out.weight_b, c->weight_a, sizeof out.weight_b);
  out.feature_a = c->feature_b;
  out.feature_b = c->feature_a;
  return out;
}

// Puts a touch if the two are near or come near on their ways. `a`: the nodes of the surface.
static void judge(Query* q, CpsSurfaceTouch* t, const int32_t* a, int count) {
  const CpsSurfaceMesh* s = q->surface;
  const Feature* f = &q->feature;
  CpsVec3 way = {0.0, 0.0, 0.0};
  for (int i = 0; i < count; ++i) {
    way = cps_vec3_axpy(way, t->at.weight_a[i], cps_vec3_sub(s->end[a[i]], s->start[a[i]]));
  }
  for (int k = 0; k < 2; ++k) {
    way = cps_vec3_axpy(way, -t->at.weight_b[k], cps_vec3_sub(f->end[k], f->start[k]));
  }
  t->gap = t->at.distance - s->half - f->radius;
  if (t->gap + fmin(0.0, cps_vec3_dot(t->at.normal, way)) <= q->skin) q->failed = !cps_surface_put(&q->list, t);
}

static bool is_one(unsigned feature) {
  return feature == 1 || feature == 2 || feature == 4;
}

static bool look_at_ball(void* data, const CpsTreeTriangle* triangle) {
  Query* q = data;
  CpsVec3 corner[3];
  for (int i = 0; i < 3; ++i) corner[i] = q->surface->start[triangle->vertex[i]];
  CpsClosest c = cps_closest_vertex_triangle(q->feature.start[0], corner);
  CpsSurfaceTouch t = q->model;
  t.pair = CPS_PAIR_TRIANGLE_BALL;
  t.at = turned(&c);
  t.feature[0] = triangle->index;
  // vertices see the shape themselves, sides are seen from the lower triangle only
  if (is_one(t.at.feature_a)) return true;
  if (t.at.feature_a != 7) {
    int edge = t.at.feature_a == 3 ? 0 : t.at.feature_a == 6 ? 1 : 2;
    if (!(triangle->owned >> (3 + edge) & 1u)) return true;
  }
  judge(q, &t, triangle->vertex, 3);
  return !q->failed;
}

static bool look_at_segment(void* data, const CpsTreeTriangle* triangle) {
  Query* q = data;
  for (int k = 0; k < 3; ++k) {
    if (!(triangle->owned >> (3 + k) & 1u)) continue;
    const int32_t* e = q->surface->tree->edge[triangle->edge[k]];
    const CpsVec3 edge[2] = {q->surface->start[e[0]], q->surface->start[e[1]]};
    CpsSurfaceTouch t = q->model;
    t.at = cps_closest_edge_edge(edge, q->feature.start);
    t.pair = CPS_PAIR_EDGE_SEGMENT;
    t.feature[0] = triangle->edge[k];
    t.along = t.at.weight_b[1];
    if (t.at.feature_a != 3 || t.at.feature_b != 3 || t.at.parallel) continue;
    judge(q, &t, e, 2);
  }
  return !q->failed;
}

static CpsAabb box_of(const Feature* f, double more) {
  CpsAabb box = {f->start[0], f->start[0]};
  const CpsVec3 points[3] = {f->start[1], f->end[0], f->end[1]};
  for (int k = 0; k < 3; ++k) {
    CpsVec3 x = points[k];
    box.min = cps_vec3(fmin(box.min.x, x.x), fmin(box.min.y, x.y), fmin(box.min.z, x.z));
    box.max = cps_vec3(fmax(box.max.x, x.x), fmax(box.max.y, x.y), fmax(box.max.z, x.z));
  }
  CpsVec3 d = {f->radius + more, f->radius + more, f->radius + more};
  return (CpsAabb){cps_vec3_sub(box.min, d), cps_vec3_add(box.max, d)};
}

// All features of one collider against the surface of a query; the trees have the ways of the step in them already.
static void look_at_collider(Query* q, const CpsCollider* c, int32_t number, double h) {
  int balls = ball_count(c->geom), segments = segment_count(c->geom);
  for (int i = 0; i < balls + segments && !q->failed; ++i) {
    bool segment = i >= balls;
    q->feature = feature_of(c, h, segment, segment ? i - balls : i);
    q->model.collider = number;
    q->model.radius = q->feature.radius;
    q->model.feature[1] = segment ? i - balls : i;
    CpsAabb box = box_of(&q->feature, q->skin);
    cps_triangle_tree_near_box(q->surface->tree, &box, segment ? look_at_segment : look_at_ball, q);
  }
}

static bool is_apart(const CpsAabb* box, const CpsCollider* c) {
  CpsAabb own = cps_geom_bounds(c->geom, &c->pose);
  double far = c->reach + c->sway + cps_vec3_norm(c->way);
  CpsVec3 d = {far, far, far};
  own = (CpsAabb){cps_vec3_sub(own.min, d), cps_vec3_add(own.max, d)};
  return !cps_aabb_overlap(box, &own);
}

static CpsAabb surface_box(const CpsSurfaceMesh* s, double more) {
  CpsAabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int32_t i = 0; i < s->tree->vertex_count; ++i) {
    for (int k = 0; k < 2; ++k) {
      CpsVec3 x = k == 0 ? s->start[i] : s->end[i];
      box.min = cps_vec3(fmin(box.min.x, x.x), fmin(box.min.y, x.y), fmin(box.min.z, x.z));
      box.max = cps_vec3(fmax(box.max.x, x.x), fmax(box.max.y, x.y), fmax(box.max.z, x.z));
    }
  }
  CpsVec3 d = {more, more, more};
  return (CpsAabb){cps_vec3_sub(box.min, d), cps_vec3_add(box.max, d)};
}

bool cps_surface_shapes(const CpsSurfaceMesh* surfaces, int32_t count, const CpsCollider* colliders,
                        int32_t collider_count, double h, double skin, CpsArena* arena, CpsSurfaceTouches* out) {
  Query q = {.skin = skin, .list = {.arena = arena}};
  for (int32_t i = 0; i < count && !q.failed; ++i) {
    CpsAabb box = surface_box(&surfaces[i], surfaces[i].half + skin);
    q.surface = &surfaces[i];
    q.model = (CpsSurfaceTouch){.a = i, .b = -1};
    for (int32_t k = 0; k < collider_count && !q.failed; ++k) {
      const CpsCollider* c = &colliders[k];
      if (c->node || ball_count(c->geom) == 0 || is_apart(&box, c)) continue;
      if (c->group > 0 && c->group == surfaces[i].group) continue;
      look_at_collider(&q, c, k, h);
    }
  }
  *out = (CpsSurfaceTouches){q.list.count, q.list.touch};
  return !q.failed;
}
