// Pairs of features of moving surfaces. A vertex and a triangle keep two layers apart wherever they are flat against each other;
// edges matter where they cross in space, and they are found by the motion itself (cps_surfaces_met): a step in which they
// met is made again with them.
#include "contact/surfaces.h"

#include <math.h>
#include <string.h>

// Nearest points that are as near to each other as this part of the thickness are one.
static const double SAME = 1e-6;
static const double TOLERANCE = 1e-2;  // of times of impact, in thicknesses

int cps_surface_nodes(const CpsSurfaceMesh* surface, const CpsSurfaceTouch* touch, int side, int32_t node[3]) {
  const CpsTriangleTree* tree = surface->tree;
  const int32_t f = touch->feature[side];
  if (touch->pair == CPS_PAIR_EDGE_EDGE || touch->pair == CPS_PAIR_EDGE_SEGMENT || touch->pair == CPS_PAIR_EDGE_SHAPE) {
    node[0] = tree->edge[f][0], node[1] = tree->edge[f][1];
    return 2;
  }
  if (side == 0 && touch->pair == CPS_PAIR_VERTEX_TRIANGLE) {
    node[0] = f;
    return 1;
  }
  memcpy(node, tree->triangle[tree->place[f]].vertex, 3 * sizeof *node);
  return 3;
}

// The points of both sides of a touch, of a first; returns how many a has.
static int points_of(const CpsSurfaceMesh* a, const CpsSurfaceMesh* b, const CpsSurfaceTouch* t, CpsVec3 start[4],
                     CpsVec3 end[4]) {
  int32_t node[3];
  int first = cps_surface_nodes(a, t, 0, node);
  for (int i = 0; i < first; ++i) start[i] = a->start[node[i]], end[i] = a->end[node[i]];
  int count = cps_surface_nodes(b, t, 1, node);
  for (int i = 0; i < count; ++i) start[first + i] = b->start[node[i]], end[first + i] = b->end[node[i]];
  return first;
}

static CpsVec3 weighted(const double* weight, const CpsVec3* x, int count) {
  CpsVec3 sum = {0.0, 0.0, 0.0};
  for (int i = 0; i < count; ++i) sum = cps_vec3_axpy(sum, weight[i], x[i]);
  return sum;
}

// What the two nearest points get farther apart on their ways, along the normal.
static double opening(const CpsClosest* at, const CpsVec3 start[4], const CpsVec3 end[4], int first) {
  CpsVec3 way[4];
  for (int i = 0; i < 4; ++i) way[i] = cps_vec3_sub(end[i], start[i]);
  CpsVec3 a = weighted(at->weight_a, way, first), b = weighted(at->weight_b, way + first, 4 - first);
  return cps_vec3_dot(at->normal, cps_vec3_sub(a, b));
}

bool cps_surface_put(CpsSurfaceList* list, const CpsSurfaceTouch* touch) {
  if (list->count == list->capacity) {
    int64_t capacity = list->capacity > 0 ? 2 * list->capacity : 256;
    CpsSurfaceTouch* grown = CPS_TAKE(list->arena, CpsSurfaceTouch, capacity);
    if (!grown) return false;
    if (list->count > 0) memcpy(grown, list->touch, (size_t)list->count * sizeof *grown);
    list->touch = grown;
    list->capacity = capacity;
  }
  list->touch[list->count++] = *touch;
  return true;
}

// Whether the touch before has the same vertex and the same nearest point.
static bool is_same(const CpsSurfaceList* list, const CpsSurfaceMesh* b, const CpsSurfaceTouch* touch,
                    const CpsVec3 start[4], double thickness) {
  CpsVec3 x = weighted(touch->at.weight_b, start + 1, 3);
  for (int64_t k = list->count; k-- > 0;) {
    const CpsSurfaceTouch* other = &list->touch[k];
    if (other->a != touch->a || other->b != touch->b || other->pair != touch->pair ||
        other->feature[0] != touch->feature[0]) {
      return false;
    }
    int32_t node[3];
    cps_surface_nodes(b, other, 1, node);
    CpsVec3 y = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; ++i) y = cps_vec3_axpy(y, other->at.weight_b[i], b->start[node[i]]);
    if (cps_vec3_norm(cps_vec3_sub(x, y)) <= SAME * thickness) return true;
  }
  return false;
}

static bool is_behind(const CpsVec3 corner[3], CpsVec3 from_face) {
  CpsVec3 N = cps_vec3_cross(cps_vec3_sub(corner[1], corner[0]), cps_vec3_sub(corner[2], corner[0]));
  return cps_vec3_dot(N, from_face) < 0.0;
}

bool cps_surface_turn_out(CpsClosest* at, const CpsVec3 corner[3], bool own) {
  if (!is_behind(corner, at->normal)) return true;
  if (own || at->feature_b != 7) return false;
  at->normal = cps_vec3_scale(-1.0, at->normal);
  at->distance = -at->distance;
  return true;
}

// Vertices of surface i and triangles of surface k.
static bool near_pairs(const CpsSurfaceMesh* surfaces, int32_t i, int32_t k, const CpsFeaturePairs* pairs, double skin,
                       CpsSurfaceList* list) {
  const CpsSurfaceMesh *a = &surfaces[i], *b = &surfaces[k];
  const double thickness = a->half + b->half;
  for (int64_t p = 0; p < pairs->count; ++p) {
    CpsSurfaceTouch t = {
        .a = i, .b = k, .pair = CPS_PAIR_VERTEX_TRIANGLE, .feature = {pairs->pair[p].a, pairs->pair[p].b}};
    CpsVec3 start[4], end[4];
    int first = points_of(a, b, &t, start, end);
    t.at = cps_closest_vertex_triangle(start[0], start + 1);
    if (b->closed && !cps_surface_turn_out(&t.at, start + 1, i == k)) continue;
    t.gap = t.at.distance - thickness;
    if (t.gap + fmin(0.0, opening(&t.at, start, end, first)) > skin) continue;
    if (is_same(list, b, &t, start, thickness)) continue;
    if (!cps_surface_put(list, &t)) return false;
  }
  return true;
}

static bool touch_each_other(const CpsSurfaceMesh* a, const CpsSurfaceMesh* b) {
  return a == b ? a->itself : a->group <= 0 || a->group != b->group;
}

bool cps_surfaces_near(const CpsSurfaceMesh* surfaces, int32_t count, double skin, CpsPool* pool, CpsArena* arena,
                       CpsSurfaceTouches* out) {
  CpsSurfaceList list = {.arena = arena};
  for (int32_t i = 0; i < count; ++i) {
    cps_triangle_tree_refit(surfaces[i].tree, pool, surfaces[i].start, surfaces[i].end, surfaces[i].half + 0.5 * skin);
  }
  for (int32_t i = 0; i < count; ++i) {
    for (int32_t k = i; k < count; ++k) {
      CpsTrianglePairs pairs;
      if (!touch_each_other(&surfaces[i], &surfaces[k])) continue;
      if (cps_triangle_tree_pairs(surfaces[i].tree, surfaces[k].tree, pool, arena, &pairs) != CPS_OK) return false;
      if (!near_pairs(surfaces, i, k, &pairs.vertex_triangle, skin, &list)) return false;
      if (i != k && !near_pairs(surfaces, k, i, &pairs.triangle_vertex, skin, &list)) return false;
    }
  }
  *out = (CpsSurfaceTouches){list.count, list.touch};
  return true;
}

// Pairs of one kind whose ways bring them too near.
static bool met_pairs(const CpsSurfaceMesh* surfaces, int32_t i, int32_t k, CpsSurfacePair pair,
                      const CpsFeaturePairs* pairs, double separation, CpsSurfaceList* list) {
  const CpsSurfaceMesh *a = &surfaces[i], *b = &surfaces[k];
  const double thickness = a->half + b->half;
  for (int64_t p = 0; p < pairs->count; ++p) {
    CpsSurfaceTouch t = {.a = i, .b = k, .pair = (int32_t)pair, .feature = {pairs->pair[p].a, pairs->pair[p].b}};
    CpsVec3 start[4], end[4];
    int first = points_of(a, b, &t, start, end);
    bool face = pair == CPS_PAIR_VERTEX_TRIANGLE;
    if (face && b->closed && is_behind(start + 1, cps_vec3_sub(start[0], start[1]))) continue;
    CpsImpact impact;
    bool met =
        pair == CPS_PAIR_EDGE_EDGE
            ? cps_ccd_edge_edge(start, end, separation * thickness, TOLERANCE * separation * thickness, &impact)
            : cps_ccd_vertex_triangle(start, end, separation * thickness, TOLERANCE * separation * thickness, &impact);
    // two that touch are not told apart from two that are through each other already
    if (!met || !(impact.at.distance > 0.0)) continue;
    t.at = impact.at;
    if (opening(&t.at, start, end, first) >= 0.0) continue;
    CpsVec3 apart =
        cps_vec3_sub(weighted(t.at.weight_a, start, first), weighted(t.at.weight_b, start + first, 4 - first));
    t.gap = cps_vec3_dot(t.at.normal, apart) - thickness;
    if (!cps_surface_put(list, &t)) return false;
  }
  return true;
}

bool cps_surfaces_met(const CpsSurfaceMesh* surfaces, int32_t count, double separation, CpsPool* pool, CpsArena* arena,
                      CpsSurfaceTouches* out) {
  CpsSurfaceList list = {.arena = arena};
  for (int32_t i = 0; i < count; ++i) {
    cps_triangle_tree_refit(surfaces[i].tree, pool, surfaces[i].start, surfaces[i].end, separation * surfaces[i].half);
  }
  for (int32_t i = 0; i < count; ++i) {
    for (int32_t k = i; k < count; ++k) {
      CpsTrianglePairs pairs;
      if (!touch_each_other(&surfaces[i], &surfaces[k])) continue;
      if (cps_triangle_tree_pairs(surfaces[i].tree, surfaces[k].tree, pool, arena, &pairs) != CPS_OK) return false;
      bool fine = met_pairs(surfaces, i, k, CPS_PAIR_VERTEX_TRIANGLE, &pairs.vertex_triangle, separation, &list);
      if (fine && i != k) {
        fine = met_pairs(surfaces, k, i, CPS_PAIR_VERTEX_TRIANGLE, &pairs.triangle_vertex, separation, &list);
      }
      if (fine) fine = met_pairs(surfaces, i, k, CPS_PAIR_EDGE_EDGE, &pairs.edge_edge, separation, &list);
      if (!fine) return false;
    }
  }
  *out = (CpsSurfaceTouches){list.count, list.touch};
  return true;
}
