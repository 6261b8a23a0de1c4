// The tree over moving triangles: edges and owners, refit, and single-shape queries.
//
// A box contains the straight path of a vertex if it contains both ends; the box of an edge or a triangle is the union
// of those of its vertices, and so are the boxes above. All are rounded outwards to single precision: this halves the
// memory, and no box is too small.
#include "geometry/triangle_tree.h"

#include <stdlib.h>
#include <string.h>

typedef struct HalfEdge {
  int32_t low, high, triangle, side;
} HalfEdge;

static int compare_half_edges(const void* left, const void* right) {
  const HalfEdge *a = left, *b = right;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  if (a->triangle != b->triangle) return a->triangle < b->triangle ? -1 : 1;
  return a->side < b->side ? -1 : 1;
}

// The edges and vertices of a triangle not yet owned by another, as bits of `owned`.
static void take_features(CpsTreeTriangle* triangle, bool* edge_taken, bool* vertex_taken) {
  for (int k = 0; k < 3; ++k) {
    if (!edge_taken[triangle->edge[k]]) triangle->owned |= 8U << k;
    if (!vertex_taken[triangle->vertex[k]]) triangle->owned |= 1U << k;
    edge_taken[triangle->edge[k]] = vertex_taken[triangle->vertex[k]] = true;
  }
}

// Ownership does not affect the result. The search is fastest if few triangles own many features: first, triangles that
// can own all of their edges take them, then the others take the rest.
static bool find_owners(CpsTriangleTree* tree) {
  bool* edge_taken = calloc((size_t)tree->edge_count, sizeof *edge_taken);
  bool* vertex_taken = calloc((size_t)tree->vertex_count, sizeof *vertex_taken);
  const bool done = edge_taken && vertex_taken;
  for (int pass = 0; done && pass < 2; ++pass) {
    for (int32_t i = 0; i < tree->triangle_count; ++i) {
      CpsTreeTriangle* triangle = &tree->triangle[tree->place[i]];
      const int32_t* e = triangle->edge;
      const bool all = !edge_taken[e[0]] && !edge_taken[e[1]] && !edge_taken[e[2]];
      if (all || pass == 1) take_features(triangle, edge_taken, vertex_taken);
    }
  }
  free(edge_taken);
  free(vertex_taken);
  return done;
}

// Numbers the edges.
static bool number_edges(CpsTriangleTree* tree, const int32_t* triangles) {
  const size_t count = 3 * (size_t)tree->triangle_count;
  HalfEdge* half = malloc(count * sizeof *half);
  tree->edge = malloc(count * sizeof *tree->edge);
  tree->across = malloc(count * sizeof *tree->across);
  const bool done = half && tree->edge && tree->across;
  for (size_t i = 0; done && i < count; ++i) {
    const int32_t from = triangles[i], to = triangles[i % 3 == 2 ? i - 2 : i + 1];
    half[i] = (HalfEdge){from < to ? from : to, from < to ? to : from, (int32_t)(i / 3), (int32_t)(i % 3)};
  }
  if (done) qsort(half, count, sizeof *half, compare_half_edges);
  for (size_t i = 0; done && i < count; ++i) {
    if (i == 0 || half[i].low != half[i - 1].low || half[i].high != half[i - 1].high) {
      tree->edge[tree->edge_count][0] = half[i].low;
      tree->across[tree->edge_count] = triangles[3 * (size_t)half[i].triangle + (size_t)(half[i].side + 2) % 3];
      tree->edge[tree->edge_count++][1] = half[i].high;
    }
    tree->triangle[tree->place[half[i].triangle]].edge[half[i].side] = tree->edge_count - 1;
  }
  free(half);
  return done;
}

static bool build_bvh(CpsTriangleTree* tree, const CpsVec3* points, const int32_t* triangles) {
  CpsAabb* boxes = malloc((size_t)tree->triangle_count * sizeof *boxes);
  if (!boxes) return false;
  for (int32_t i = 0; i < tree->triangle_count; ++i) {
    const int32_t* v = triangles + 3 * (size_t)i;
    boxes[i] = (CpsAabb){points[v[0]], points[v[0]]};
    for (int k = 1; k < 3; ++k) boxes[i] = cps_aabb_union(boxes[i], (CpsAabb){points[v[k]], points[v[k]]});
  }
  const bool built = cps_bvh_build(&tree->bvh, boxes, tree->triangle_count);
  free(boxes);
  return built;
}

static bool fill(CpsTriangleTree* tree, const CpsVec3* points, const int32_t* triangles) {
  const size_t count = (size_t)tree->triangle_count;
  tree->triangle = calloc(count, sizeof *tree->triangle);
  tree->place = malloc(count * sizeof *tree->place);
  if (!tree->triangle || !tree->place || !build_bvh(tree, points, triangles)) return false;
  for (int32_t i = 0; i < tree->triangle_count; ++i) {
    CpsTreeTriangle* triangle = &tree->triangle[i];
    triangle->index = tree->bvh.order[i];
    tree->place[triangle->index] = i;
    memcpy(triangle->vertex, triangles + 3 * (size_t)triangle->index, sizeof triangle->vertex);
  }
  if (!number_edges(tree, triangles) || !find_owners(tree)) return false;
  tree->vertex_box = malloc((size_t)tree->vertex_count * sizeof *tree->vertex_box);
  tree->edge_box = malloc((size_t)tree->edge_count * sizeof *tree->edge_box);
  tree->triangle_box = malloc(count * sizeof *tree->triangle_box);
  tree->node_box = malloc((size_t)tree->bvh.node_count * sizeof *tree->node_box);
  tree->slab = malloc(count * sizeof *tree->slab);
  tree->vertex_half = malloc((size_t)tree->vertex_count * sizeof *tree->vertex_half);
  return tree->slab && tree->vertex_half && tree->vertex_box && tree->edge_box && tree->triangle_box && tree->node_box;
}

CpsStatus cps_triangle_tree_create(const CpsVec3* points, int32_t vertex_count, const int32_t* triangles,
                                   int32_t triangle_count, CpsTriangleTree** tree) {
  if (triangle_count < 1 || triangle_count > INT32_MAX / 3) return CPS_BAD_DATA;
  for (size_t i = 0; i < 3 * (size_t)triangle_count; ++i) {
    const int32_t v = triangles[i];
    if (v < 0 || v >= vertex_count || !cps_vec3_is_finite(points[v])) return CPS_BAD_DATA;
  }
  CpsTriangleTree* made = calloc(1, sizeof *made);
  if (!made) return CPS_NO_MEMORY;
  made->vertex_count = vertex_count;
  made->triangle_count = triangle_count;
  if (!fill(made, points, triangles)) {
    cps_triangle_tree_destroy(made);
    return CPS_NO_MEMORY;
  }
  cps_triangle_tree_refit(made, NULL, points, points, 0.0);
  *tree = made;
  return CPS_OK;
}

void cps_triangle_tree_destroy(CpsTriangleTree* tree) {
  if (!tree) return;
  cps_bvh_free(&tree->bvh);
  free(tree->edge);
  free(tree->across);
  free(tree->triangle);
  free(tree->place);
  free(tree->vertex_box);
  free(tree->edge_box);
  free(tree->triangle_box);
  free(tree->node_box);
  free(tree->slab);
  free(tree->vertex_half);
  free(tree);
}

static float round_down(double x) {
  const float f = (float)x;
  return f > x ? nextafterf(f, -INFINITY) : f;
}

static float round_up(double x) {
  return -round_down(-x);
}

// Bounds of both ends along a sum of coordinates, each enlarged by `more`.
static void set_bounds(double from, double to, double more, float* low, float* high) {
  *low = round_down((from < to ? from : to) - more);
  *high = round_up((from < to ? to : from) + more);
}

// Box of the path from p to q. `more`: enlargement along the axes; along a diagonal, of length sqrt(3), times that.
static CpsFloatBox box_of(CpsVec3 p, CpsVec3 q, double more) {
  const double a[7] = {p.x, p.y, p.z, p.x + p.y + p.z, p.x + p.y - p.z, p.x - p.y + p.z, p.y + p.z - p.x};
  const double b[7] = {q.x, q.y, q.z, q.x + q.y + q.z, q.x + q.y - q.z, q.x - q.y + q.z, q.y + q.z - q.x};
  float low[8] = {0.0F}, high[8] = {0.0F};
  for (int k = 0; k < 7; ++k) set_bounds(a[k], b[k], k < 3 ? more : 1.7320508075688774 * more, &low[k], &high[k]);
  CpsFloatBox box;
  memcpy(&box.min, low, sizeof box.min);
  memcpy(&box.max, high, sizeof box.max);
  memcpy(&box.low, low + 4, sizeof box.low);
  memcpy(&box.high, high + 4, sizeof box.high);
  return box;
}

static inline CpsFloatBox join(CpsFloatBox a, const CpsFloatBox* b) {
  for (int k = 0; k < 4; ++k) {
    a.min[k] = a.min[k] < b->min[k] ? a.min[k] : b->min[k];
    a.max[k] = a.max[k] > b->max[k] ? a.max[k] : b->max[k];
    a.low[k] = a.low[k] < b->low[k] ? a.low[k] : b->low[k];
    a.high[k] = a.high[k] > b->high[k] ? a.high[k] : b->high[k];
  }
  return a;
}

typedef struct Refit {
  CpsTriangleTree* tree;
  const CpsVec3 *start, *end;
  double reach;
} Refit;

static void refit_vertices(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Refit* refit = data;
  for (int64_t i = first; i < last; ++i) {
    const CpsAabb path =
        cps_aabb_union((CpsAabb){refit->start[i], refit->start[i]}, (CpsAabb){refit->end[i], refit->end[i]});
    // a reach larger by a few of its last digits covers the rounding of sums and products
    const double size = fmax(fabs(path.min.x), fabs(path.max.x)) + fmax(fabs(path.min.y), fabs(path.max.y)) +
                        fmax(fabs(path.min.z), fabs(path.max.z));
    const double more = refit->reach + 4e-15 * (refit->reach + size);
    const CpsAabb box = cps_aabb_grow(path, more);
    refit->tree->vertex_box[i] = box_of(refit->start[i], refit->end[i], more);
    refit->tree->vertex_half[i] = (CpsHalfBox){cps_vec3_scale(0.5, cps_vec3_add(box.min, box.max)),
                                               cps_vec3_scale(0.5, cps_vec3_sub(box.max, box.min))};
  }
}

static void refit_edges(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  CpsTriangleTree* tree = ((const Refit*)data)->tree;
  for (int64_t i = first; i < last; ++i) {
    tree->edge_box[i] = join(tree->vertex_box[tree->edge[i][0]], &tree->vertex_box[tree->edge[i][1]]);
  }
}

// Any direction gives a valid slab; that of the triangle at mid-step gives a thin one.
static CpsSlab slab_of(const CpsHalfBox* a, const CpsHalfBox* b, const CpsHalfBox* c) {
  const CpsVec3 n =
      cps_vec3_unit(cps_vec3_cross(cps_vec3_sub(b->centre, a->centre), cps_vec3_sub(c->centre, a->centre)));
  const CpsSpan p = cps_half_box_span(a, n), q = cps_half_box_span(b, n), r = cps_half_box_span(c, n);
  return (CpsSlab){n, fmin(p.low, fmin(q.low, r.low)), fmax(p.high, fmax(q.high, r.high))};
}

static void refit_triangles(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  CpsTriangleTree* tree = ((const Refit*)data)->tree;
  for (int64_t i = first; i < last; ++i) {
    const int32_t* v = tree->triangle[i].vertex;
    const CpsFloatBox *a = &tree->vertex_box[v[0]], *b = &tree->vertex_box[v[1]], *c = &tree->vertex_box[v[2]];
    tree->triangle_box[i] = join(join(*a, b), c);
    tree->slab[i] = slab_of(&tree->vertex_half[v[0]], &tree->vertex_half[v[1]], &tree->vertex_half[v[2]]);
  }
}

void cps_triangle_tree_refit(CpsTriangleTree* tree, CpsPool* pool, const CpsVec3* start, const CpsVec3* end,
                             double reach) {
  Refit refit = {tree, start, end, reach};
  cps_pool_run(pool, tree->vertex_count, refit_vertices, &refit);
  cps_pool_run(pool, tree->edge_count, refit_edges, &refit);
  cps_pool_run(pool, tree->triangle_count, refit_triangles, &refit);
  for (int32_t n = tree->bvh.node_count; n-- > 0;) {  // children follow their parent
    const CpsBvhNode* node = &tree->bvh.node[n];
    const CpsFloatBox* child = node->count > 0 ? &tree->triangle_box[node->first] : &tree->node_box[node->first];
    const int32_t count = node->count > 0 ? node->count : 2;
    tree->node_box[n] = child[0];
    for (int32_t k = 1; k < count; ++k) tree->node_box[n] = join(tree->node_box[n], &child[k]);
  }
}
