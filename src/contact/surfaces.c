// Pairs of features of moving surfaces. A vertex and a triangle keep two layers apart wherever they are flat against each other;
// edges matter where they cross in space, and they are found by the motion itself (cps_surfaces_met): a step in which they
// met is made again with them.
#include "contact/surfaces.h"

#include <math.h>
#include <string.h>

// Nearest points closer than this part of the thickness are merged.
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

// The points of both sides of a touch, those of a first. Returns the number of points of a.
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

// Change of the distance between the two nearest points along the normal, during the step.
static double opening(const CpsClosest* at, const CpsVec3 start[4], const CpsVec3 end[4], int first) {
  CpsVec3 way[4];
  for (int i = 0; i < 4; ++i) way[i] = cps_vec3_sub(end[i], start[i]);
  CpsVec3 a = weighted(at->weight_a, way, first), b = weighted(at->weight_b, way + first, 4 - first);
  return cps_vec3_dot(at->normal, cps_vec3_sub(a, b));
}

// Room for more touches.
static bool reserve(CpsSurfaceList* list, int64_t more) {
  if (list->count + more <= list->capacity) return true;
  int64_t capacity = 2 * list->capacity > list->count + more ? 2 * list->capacity : list->count + more;
  if (capacity < 256) capacity = 256;
  CpsSurfaceTouch* grown = CPS_TAKE(list->arena, CpsSurfaceTouch, capacity);
  if (!grown) return false;
  if (list->count > 0) memcpy(grown, list->touch, (size_t)list->count * sizeof *grown);
  list->touch = grown;
  list->capacity = capacity;
  return true;
}

bool cps_surface_put(CpsSurfaceList* list, const CpsSurfaceTouch* touch) {
  if (!reserve(list, 1)) return false;
  list->touch[list->count++] = *touch;
  return true;
}

static CpsVec3 foot_of(const CpsSurfaceMesh* b, const CpsSurfaceTouch* touch) {
  int32_t node[3];
  cps_surface_nodes(b, touch, 1, node);
  CpsVec3 y = {0.0, 0.0, 0.0};
  for (int i = 0; i < 3; ++i) y = cps_vec3_axpy(y, touch->at.weight_b[i], b->start[node[i]]);
  return y;
}

// Whether an earlier touch has the same vertex and the same nearest point.
static bool is_same(const CpsSurfaceList* list, const CpsSurfaceMesh* b, const CpsSurfaceTouch* touch,
                    double thickness) {
  CpsVec3 x = foot_of(b, touch);
  for (int64_t k = list->count; k-- > 0;) {
    const CpsSurfaceTouch* other = &list->touch[k];
    if (other->a != touch->a || other->b != touch->b || other->pair != touch->pair ||
        other->feature[0] != touch->feature[0]) {
      return false;
    }
    if (cps_vec3_norm(cps_vec3_sub(x, foot_of(b, other))) <= SAME * thickness) return true;
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

// Pairs of features of surfaces i and k, tested by several threads.
typedef struct Pairs {
  const CpsSurfaceMesh *a, *b;
  int32_t i, k;
  CpsSurfacePair pair;
  const CpsFeaturePairs* list;
  double limit;  // the skin, or the part of the thickness below which two features have met
  bool (*judge)(const struct Pairs* pairs, int64_t p, CpsSurfaceTouch* touch);
  bool* keep;              // for each pair, whether it is a touch
  int32_t* kept;           // the numbers of the pairs that are,
  CpsSurfaceTouch* touch;  // and their touches
} Pairs;

static CpsSurfaceTouch touch_of(const Pairs* pairs, int64_t p) {
  const CpsFeaturePair f = pairs->list->pair[p];
  return (CpsSurfaceTouch){.a = pairs->i, .b = pairs->k, .pair = (int32_t)pairs->pair, .feature = {f.a, f.b}};
}

static bool is_near(const Pairs* pairs, int64_t p, CpsSurfaceTouch* t) {
  const CpsSurfaceMesh *a = pairs->a, *b = pairs->b;
  CpsVec3 start[4], end[4];
  *t = touch_of(pairs, p);
  int first = points_of(a, b, t, start, end);
  t->at = cps_closest_vertex_triangle(start[0], start + 1);
  if (b->closed && !cps_surface_turn_out(&t->at, start + 1, a == b)) return false;
  t->gap = t->at.distance - (a->half + b->half);
  return t->gap + fmin(0.0, opening(&t->at, start, end, first)) <= pairs->limit;
}

// points_of() for a pair of a search; most pairs are tested once and dropped.
static int points_of_pair(const Pairs* pairs, CpsFeaturePair f, CpsVec3 start[4], CpsVec3 end[4]) {
  const CpsSurfaceMesh *a = pairs->a, *b = pairs->b;
  const bool face = pairs->pair == CPS_PAIR_VERTEX_TRIANGLE;
  const int first = face ? 1 : 2;
  const int32_t *one = face ? &f.a : a->tree->edge[f.a],
                *two = face ? b->tree->triangle[b->tree->place[f.b]].vertex : b->tree->edge[f.b];
  for (int i = 0; i < first; ++i) start[i] = a->start[one[i]], end[i] = a->end[one[i]];
  for (int i = first; i < 4; ++i) start[i] = b->start[two[i - first]], end[i] = b->end[two[i - first]];
  return first;
}

// Whether the motion brings a pair closer than the limit.
static bool has_met(const Pairs* pairs, int64_t p, CpsSurfaceTouch* t) {
  const CpsSurfaceMesh *a = pairs->a, *b = pairs->b;
  const double thickness = a->half + b->half, near = pairs->limit * thickness;
  CpsVec3 start[4], end[4];
  int first = points_of_pair(pairs, pairs->list->pair[p], start, end);
  bool face = pairs->pair == CPS_PAIR_VERTEX_TRIANGLE;
  if (face && b->closed && is_behind(start + 1, cps_vec3_sub(start[0], start[1]))) return false;
  CpsImpact impact;
  bool met = (face ? cps_ccd_vertex_triangle : cps_ccd_edge_edge)(start, end, near, TOLERANCE * near, &impact);
  // two surfaces that touch cannot be distinguished from two that already intersect
  if (!met || !(impact.at.distance > 0.0)) return false;
  *t = touch_of(pairs, p);
  t->at = impact.at;
  CpsVec3 apart =
      cps_vec3_sub(weighted(t->at.weight_a, start, first), weighted(t->at.weight_b, start + first, 4 - first));
  t->gap = cps_vec3_dot(t->at.normal, apart) - thickness;
  return opening(&t->at, start, end, first) < 0.0;
}

static void mark(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Pairs* pairs = data;
  CpsSurfaceTouch touch;
  for (int64_t p = first; p < last; ++p) pairs->keep[p] = pairs->judge(pairs, p, &touch);
}

static void fill(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Pairs* pairs = data;
  for (int64_t n = first; n < last; ++n) pairs->judge(pairs, pairs->kept[n], &pairs->touch[n]);
}

// Adds the pairs that pass the test, in their order. Few of many pass; these are tested twice, which takes less
// memory than a touch for each pair.
static bool put_pairs(Pairs* pairs, CpsPool* pool, CpsSurfaceList* list) {
  const int64_t count = pairs->list->count;
  int64_t kept = 0;
  if (count == 0) return true;
  pairs->keep = CPS_TAKE(list->arena, bool, count);
  if (!pairs->keep) return false;
  cps_pool_run(pool, count, mark, pairs);
  for (int64_t p = 0; p < count; ++p) kept += pairs->keep[p];
  pairs->kept = CPS_TAKE(list->arena, int32_t, kept);
  if (!pairs->kept || !reserve(list, kept)) return false;
  if (kept == 0) return true;
  kept = 0;
  for (int64_t p = 0; p < count; ++p) {
    if (pairs->keep[p]) pairs->kept[kept++] = (int32_t)p;
  }
  pairs->touch = list->touch + list->count;
  cps_pool_run(pool, kept, fill, pairs);
  if (pairs->judge == has_met) {
    list->count += kept;
    return true;
  }
  // of the triangles with the same nearest point, only the first
  for (int64_t n = 0; n < kept; ++n) {
    const CpsSurfaceTouch touch = pairs->touch[n];
    if (!is_same(list, pairs->b, &touch, pairs->a->half + pairs->b->half)) list->touch[list->count++] = touch;
  }
  return true;
}

static bool touch_each_other(const CpsSurfaceMesh* a, const CpsSurfaceMesh* b) {
  return a == b ? a->itself : a->group <= 0 || a->group != b->group;
}

// Contacts between vertices of surface i and triangles of surface k; contacts of edges are found as impacts.
static bool find_near(const CpsSurfaceMesh* surfaces, int32_t i, int32_t k, double skin, CpsPool* pool,
                      CpsSurfaceList* list) {
  CpsFeaturePairs found;
  const CpsSurfaceMesh *a = &surfaces[i], *b = &surfaces[k];
  if (cps_triangle_tree_vertices(a->tree, b->tree, pool, list->arena, &found) != CPS_OK) return false;
  Pairs pairs = {.a = a, .b = b, .i = i, .k = k, .list = &found, .limit = skin, .judge = is_near};
  return put_pairs(&pairs, pool, list);
}

bool cps_surfaces_near(const CpsSurfaceMesh* surfaces, int32_t count, double skin, CpsPool* pool, CpsArena* arena,
                       CpsSurfaceTouches* out) {
  CpsSurfaceList list = {.arena = arena};
  for (int32_t i = 0; i < count; ++i) {
    cps_triangle_tree_refit(surfaces[i].tree, pool, surfaces[i].start, surfaces[i].end, surfaces[i].half + 0.5 * skin);
  }
  for (int32_t i = 0; i < count; ++i) {
    for (int32_t k = i; k < count; ++k) {
      if (surfaces[i].guard || surfaces[k].guard || !touch_each_other(&surfaces[i], &surfaces[k])) continue;
      if (!find_near(surfaces, i, k, skin, pool, &list)) return false;
      if (i != k && !find_near(surfaces, k, i, skin, pool, &list)) return false;
    }
  }
  *out = (CpsSurfaceTouches){list.count, list.touch};
  return true;
}

static bool find_met(const CpsSurfaceMesh* surfaces, int32_t i, int32_t k, double separation, CpsPool* pool,
                     CpsSurfaceList* list) {
  CpsTrianglePairs found;
  const CpsSurfaceMesh *a = &surfaces[i], *b = &surfaces[k];
  const double near = separation * (a->half + b->half);
  const CpsTriangleWays ways = {a->start, a->end, b->start, b->end, near, TOLERANCE * near};
  if (cps_triangle_tree_pairs(a->tree, b->tree, &ways, pool, list->arena, &found) != CPS_OK) return false;
  Pairs one = {.a = a, .b = b, .i = i, .k = k, .list = &found.vertex_triangle, .limit = separation, .judge = has_met};
  Pairs other = {.a = b, .b = a, .i = k, .k = i, .list = &found.triangle_vertex, .limit = separation, .judge = has_met};
  Pairs edges = one;
  edges.pair = CPS_PAIR_EDGE_EDGE;
  edges.list = &found.edge_edge;
  return put_pairs(&one, pool, list) && (i == k || put_pairs(&other, pool, list)) && put_pairs(&edges, pool, list);
}

bool cps_surfaces_met(const CpsSurfaceMesh* surfaces, int32_t count, double separation, CpsPool* pool, CpsArena* arena,
                      CpsSurfaceTouches* out) {
  CpsSurfaceList list = {.arena = arena};
  for (int32_t i = 0; i < count; ++i) {
    cps_triangle_tree_refit(surfaces[i].tree, pool, surfaces[i].start, surfaces[i].end, separation * surfaces[i].half);
  }
  for (int32_t i = 0; i < count; ++i) {
    for (int32_t k = i; k < count; ++k) {
      if (touch_each_other(&surfaces[i], &surfaces[k]) && !find_met(surfaces, i, k, separation, pool, &list)) {
        return false;
      }
    }
  }
  *out = (CpsSurfaceTouches){list.count, list.touch};
  return true;
}
