// Surfaces that intersect something in their current position, such as an intersecting start.
//
// An edge that cuts a triangle shows that two layers pass through each other, but not which side is the right one. Until the
// layers separate, vertices near such a place make no contacts, because contacts would hold them there.
#include "world/world.h"

#include "core/error.h"
#include "geometry/points.h"
#include "geometry/support.h"
#include "geometry/triangle_cut.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RINGS = 2 };  // neighbours of entangled objects count as entangled

typedef bool (*CrossFn)(void* data, int32_t a, int32_t edge, int32_t b, int32_t triangle);

// Whether a tie joins an edge and a triangle.
static bool is_sewn(const CpsStep* step, const CpsSurfaceMesh* s, int32_t a, int32_t edge, int32_t b,
                    int32_t triangle) {
  const CpsTriangleTree *one = s[a].tree, *two = s[b].tree;
  return cps_nodes_are_sewn(step, a, one->edge[edge], 2, b, two->triangle[two->place[triangle]].vertex, 3);
}

// Calls fn for all edges that cut triangles in the current positions; ends when fn returns false.
static CpsStatus each_crossing(const CpsStep* step, const CpsSurfaceMesh* s, int32_t count, CrossFn fn, void* data) {
  for (int32_t i = 0; i < count; ++i) {
    for (int32_t k = i; k < count; ++k) {
      CpsCrossings found;
      const bool same = i == k;
      if (s[i].guard || s[k].guard) continue;
      if (same ? !s[i].itself : s[i].group > 0 && s[i].group == s[k].group) continue;
      if (cps_triangle_tree_crossings(s[i].tree, s[i].end, s[k].tree, s[k].end, step->world->pool, step->scratch,
                                      &found) != CPS_OK) {
        return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to look for intersections");
      }
      for (int64_t j = 0; j < found.edge_triangle.count; ++j) {
        const int32_t edge = found.edge_triangle.pair[j].a, triangle = found.edge_triangle.pair[j].b;
        if (!is_sewn(step, s, i, edge, k, triangle) && !fn(data, i, edge, k, triangle)) return CPS_OK;
      }
      for (int64_t j = 0; !same && j < found.triangle_edge.count; ++j) {
        const int32_t edge = found.triangle_edge.pair[j].a, triangle = found.triangle_edge.pair[j].b;
        if (!is_sewn(step, s, k, edge, i, triangle) && !fn(data, k, edge, i, triangle)) return CPS_OK;
      }
    }
  }
  return CPS_OK;
}

typedef struct Marking {
  const CpsSurfaceMesh* surface;
  const int32_t* first;  // node of each surface
  uint8_t* ring;         // for each node: RINGS + 1 if entangled, less for its neighbours, 0 for others
  bool any;
} Marking;

static bool mark(void* data, int32_t a, int32_t edge, int32_t b, int32_t triangle) {
  Marking* m = data;
  const CpsTriangleTree *one = m->surface[a].tree, *two = m->surface[b].tree;
  for (int i = 0; i < 2; ++i) m->ring[m->first[a] + one->edge[edge][i]] = RINGS + 1;
  for (int i = 0; i < 3; ++i) m->ring[m->first[b] + two->triangle[two->place[triangle]].vertex[i]] = RINGS + 1;
  m->any = true;
  return true;
}

static void grow(Marking* m, int32_t count) {
  for (uint8_t ring = RINGS + 1; ring > 1; --ring) {
    for (int32_t s = 0; s < count; ++s) {
      const CpsTriangleTree* tree = m->surface[s].tree;
      for (int32_t e = 0; e < tree->edge_count; ++e) {
        uint8_t *p = &m->ring[m->first[s] + tree->edge[e][0]], *q = &m->ring[m->first[s] + tree->edge[e][1]];
        if (*p == ring && *q < ring - 1) *q = (uint8_t)(ring - 1);
        if (*q == ring && *p < ring - 1) *p = (uint8_t)(ring - 1);
      }
    }
  }
}

CpsStatus cps_step_find_entangled(CpsStep* step) {
  CpsWorld* world = step->world;
  step->entangled = NULL;
  if (!world->entangled) return CPS_OK;
  const int32_t count = step->surface_count;
  CpsSurfaceMesh* now = CPS_TAKE(step->scratch, CpsSurfaceMesh, count);
  step->entangled_first = CPS_TAKE(step->scratch, int32_t, count + 1);
  if (!now || !step->entangled_first) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  step->entangled_first[0] = 0;
  for (int32_t i = 0; i < count; ++i) {
    now[i] = step->surfaces[i];
    now[i].end = now[i].start;
    step->entangled_first[i + 1] = step->entangled_first[i] + now[i].tree->vertex_count;
  }
  Marking m = {now, step->entangled_first, CPS_TAKE_ZERO(step->scratch, uint8_t, step->entangled_first[count]), false};
  if (!m.ring) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  CpsStatus status = each_crossing(step, now, count, mark, &m);
  if (status != CPS_OK) return status;
  world->entangled = m.any;
  if (!m.any) return CPS_OK;
  grow(&m, count);
  step->entangled = m.ring;
  return CPS_OK;
}

bool cps_touch_is_entangled(const CpsStep* step, const CpsSurfaceTouch* t) {
  if (!step->entangled || t->b < 0) return false;
  for (int side = 0; side < 2; ++side) {
    const int32_t s = side == 0 ? t->a : t->b;
    int32_t node[3];
    bool any = false;
    const int count = cps_surface_nodes(&step->surfaces[s], t, side, node);
    for (int i = 0; i < count; ++i) any = any || step->entangled[step->entangled_first[s] + node[i]] > 0;
    if (!any) return false;
  }
  return true;
}

// A list of pairs that intersect.
typedef struct Listing {
  const CpsStep* step;
  const CpsSurfaceMesh* surface;
  int32_t count, capacity;
  CpsOverlap* list;
  bool failed;
  // for shapes: the collider
  int32_t at;
  const CpsCollider* collider;
} Listing;

static bool put(Listing* l, const CpsOverlap* o) {
  if (l->count == l->capacity) {
    int32_t capacity = l->capacity > 0 ? 2 * l->capacity : 64;
    CpsOverlap* grown = realloc(l->list, (size_t)capacity * sizeof *grown);
    if (!grown) {
      l->failed = true;
      return false;
    }
    l->list = grown;
    l->capacity = capacity;
  }
  l->list[l->count++] = *o;
  return true;
}

static CpsSide side_of(const CpsStep* step, const CpsSurfaceMesh* s, int32_t triangle, CpsVec3 point) {
  CpsMember m = cps_world_member(step->world, s->owner);
  CpsSide side = {.thing = cps_member_thing(step->world, s->owner), .part = triangle, .point = point};
  CpsSpot none = {.point = point};
  side.material = m.model->type->surface(m.model, m.index, &none).material;
  side.place = cps_vec3(1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0);
  return side;
}

// The point at which an edge cuts the plane of a triangle.
static CpsVec3 cut(const CpsVec3 edge[2], const CpsVec3 x[3]) {
  const CpsVec3 n = cps_vec3_cross(cps_vec3_sub(x[1], x[0]), cps_vec3_sub(x[2], x[0]));
  const double a = cps_vec3_dot(n, cps_vec3_sub(edge[0], x[0])), b = cps_vec3_dot(n, cps_vec3_sub(edge[1], x[0]));
  const double s = a != b ? fmin(fmax(a / (a - b), 0.0), 1.0) : 0.5;
  return cps_vec3_axpy(edge[0], s, cps_vec3_sub(edge[1], edge[0]));
}

static int32_t triangle_of_edge(const CpsTriangleTree* tree, int32_t edge) {
  for (int32_t i = 0; i < tree->triangle_count; ++i) {
    for (int k = 0; k < 3; ++k) {
      if (tree->triangle[i].edge[k] == edge) return tree->triangle[i].index;
    }
  }
  return 0;
}

static bool list_crossing(void* data, int32_t a, int32_t edge, int32_t b, int32_t triangle) {
  Listing* l = data;
  const CpsSurfaceMesh *one = &l->surface[a], *two = &l->surface[b];
  const CpsTreeTriangle* t = &two->tree->triangle[two->tree->place[triangle]];
  const CpsVec3 e[2] = {one->end[one->tree->edge[edge][0]], one->end[one->tree->edge[edge][1]]};
  const CpsVec3 x[3] = {two->end[t->vertex[0]], two->end[t->vertex[1]], two->end[t->vertex[2]]};
  const CpsVec3 point = cut(e, x);
  CpsOverlap o = {
      .point = point, .depth = one->half + two->half, .radius = fmin(one->half, two->half), .through = true};
  const bool swapped = two->owner < one->owner;
  o.side[swapped ? 1 : 0] = side_of(l->step, one, triangle_of_edge(one->tree, edge), point);
  o.side[swapped ? 0 : 1] = side_of(l->step, two, triangle, point);
  return put(l, &o);
}

// Depth of a triangle in a shape, including half the thickness of the surface, and the deepest point in the axes of
// the shape. Meshes have no inside: the depth of a triangle that cuts one is half the thickness.
static double depth_in(const CpsGeom* g, const CpsVec3 x[3], double half, CpsVec3* at) {
  if (g->kind == CPS_SHAPE_MESH) return cps_triangle_cuts_mesh(x, g->mesh, at) ? half : 0.0;
  if (g->kind == CPS_SHAPE_TUBE) {
    const double distance = cps_triangle_near_tube(x, g->tube, g->radius, at);
    return distance < g->radius ? half + g->radius - distance : 0.0;
  }
  if (g->kind == CPS_SHAPE_POINTS) return cps_triangle_in_points(x, g->points, at) ? half : 0.0;
  CpsVec3 room[2];
  const CpsSupport set = cps_support_of(g, room);
  const CpsSupportNearest nearest = cps_support_nearest(x, &set);
  if (nearest.distance > 0.0 && nearest.distance >= set.radius) return 0.0;
  if (nearest.distance > 0.0) *at = nearest.point;
  return half + set.radius - nearest.distance;
}

// Lists a triangle that contains the centre of a shape, or cuts its surface.
static bool list_shape(void* data, const CpsTreeTriangle* t) {
  Listing* l = data;
  const CpsCollider* c = l->collider;
  const CpsSurfaceMesh* s = &l->surface[l->at];
  CpsVec3 x[3], at = {0.0, 0.0, 0.0};
  for (int i = 0; i < 3; ++i) {
    x[i] = cps_pose_apply_back(c->pose, s->end[t->vertex[i]]);
    at = cps_vec3_axpy(at, 1.0 / 3.0, x[i]);
  }
  const double depth = depth_in(c->geom, x, s->half, &at);
  if (!(depth > 0.0)) return true;
  const CpsVec3 middle = cps_pose_apply(c->pose, at);
  if (cps_pair_is_tied(l->step, s->owner, c, &middle)) return true;
  const double inner = c->geom->inner_radius;
  CpsOverlap o = {.point = middle, .depth = depth, .radius = inner > 0.0 ? fmin(s->half, inner) : s->half};
  // in the order of surface vertices: members by number, obstacles last
  const bool swapped = c->owner >= 0 && c->owner < s->owner;
  CpsSide other = {.point = middle};
  if (c->owner >= 0) other.thing = cps_member_thing(l->step->world, c->owner);
  if (c->owner < 0) {
    const int32_t place = cps_key_place(c->key);
    other.thing = cps_thing_obstacle((CpsObstacleId){place, l->step->world->obstacles[place].generation});
  }
  o.side[swapped ? 1 : 0] = side_of(l->step, s, t->index, middle);
  o.side[swapped ? 0 : 1] = other;
  (void)put(l, &o);
  return false;  // one is enough for each pair
}

CpsStatus cps_step_intersections(CpsStep* step, CpsOverlap** list, int32_t* count) {
  Listing l = {.step = step};
  const int32_t surfaces = cps_step_list_surfaces(step, false, NULL);
  CpsSurfaceMesh* s = CPS_TAKE(step->scratch, CpsSurfaceMesh, surfaces);
  *list = NULL;
  *count = 0;
  if (!s) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to look for intersections");
  l.surface = s;
  cps_step_list_surfaces(step, false, s);
  CpsStatus status = cps_step_find_sewn(step, s, surfaces);
  if (status == CPS_OK) status = each_crossing(step, s, surfaces, list_crossing, &l);
  for (l.at = 0; status == CPS_OK && l.at < surfaces && !l.failed; ++l.at) {
    if (s[l.at].guard) continue;
    cps_triangle_tree_refit(s[l.at].tree, NULL, s[l.at].end, s[l.at].end, 0.0);
    for (int32_t k = 0; k < step->collider_count && !l.failed; ++k) {
      l.collider = &step->colliders[k];
      if (l.collider->node || l.collider->geom->kind == CPS_SHAPE_PLANE) continue;
      if (l.collider->group > 0 && l.collider->group == s[l.at].group) continue;
      const CpsAabb box = cps_geom_bounds(l.collider->geom, &l.collider->pose);
      cps_triangle_tree_near_box(s[l.at].tree, &box, list_shape, &l);
    }
  }
  if (l.failed) status = cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to list intersections");
  if (status != CPS_OK) {
    free(l.list);
    return status;
  }
  *list = l.list;
  *count = l.count;
  return CPS_OK;
}
