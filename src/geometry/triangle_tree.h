// A tree of boxes over moving triangles: the features that can meet in a step, of one mesh with itself or of two.
//
// The tree is built once and refitted each step. Each vertex and each edge belongs to one of its triangles, its owner
// (representative triangles: Curtis et al., Fast collision detection for deformable models, 2008), so a search over
// pairs of triangles visits each pair of features once. Lists are in ascending order: they depend neither on the number
// of threads nor on the shape of the tree.
#ifndef CAPSTAN_GEOMETRY_TRIANGLE_TREE_H
#define CAPSTAN_GEOMETRY_TRIANGLE_TREE_H

#include "core/arena.h"
#include "core/pool.h"
#include "geometry/bvh.h"

// The compiler splits them if the processor has no such vectors.
typedef float CpsFloat4 __attribute__((vector_size(16)));

// Bounds in single precision, rounded outwards: of x, y, z and x + y + z, and (low, high) of x + y - z, x - y + z, y + z - x and 0.
// Slanted triangles are thin along the diagonals but thick in their boxes.
typedef struct CpsFloatBox {
  CpsFloat4 min, max, low, high;
} CpsFloatBox;

// Between two parallel planes: low <= n . x <= high. n is roughly normal to a triangle, of any length.
typedef struct CpsSlab {
  CpsVec3 n;
  double low, high;
} CpsSlab;

// The box of a vertex as its centre and half its sides, rounded outwards.
typedef struct CpsHalfBox {
  CpsVec3 centre, half;
} CpsHalfBox;

typedef struct CpsTreeTriangle {
  int32_t index;      // in the mesh
  int32_t vertex[3];  // of the mesh
  int32_t edge[3];    // from vertex k to the next one
  uint32_t owned;     // bit k: vertex k; bit 3 + k: edge k
} CpsTreeTriangle;

typedef struct CpsTriangleTree {
  int32_t vertex_count, edge_count, triangle_count;
  int32_t (*edge)[2];         // each once, lower vertex first, in ascending order
  int32_t* across;            // of each edge: the third corner of its first triangle
  CpsTreeTriangle* triangle;  // in the order of the leaves
  int32_t* place;             // of a triangle of the mesh among them
  CpsBvh bvh;                 // its boxes are those of the points it was built from
  CpsFloatBox *vertex_box, *edge_box, *triangle_box, *node_box;
  CpsHalfBox* vertex_half;  // the same as vertex_box
  CpsSlab* slab;            // contains the boxes of the vertices of a triangle
  int32_t chunks;           // blocks of pairs in the last search; only a memory estimate for the next one
  int32_t room;             // the same for the search for vertices: pairs found by a thread
} CpsTriangleTree;

// Copies the triangles. `points` only shape the tree: preferably the rest shape.
// @param triangles  three vertices each, 0 … vertex_count - 1; triangle_count >= 1
// @return CPS_OK, CPS_BAD_DATA (a missing vertex, or points that are not finite) or CPS_NO_MEMORY
CpsStatus cps_triangle_tree_create(const CpsVec3* points, int32_t vertex_count, const int32_t* triangles,
                                   int32_t triangle_count, CpsTriangleTree** tree);
void cps_triangle_tree_destroy(CpsTriangleTree* tree);  // NULL is allowed

// Boxes around the straight paths of the vertices from start[i] to end[i] (the same array: around the points), each
// enlarged by `reach` on all sides. Allocates nothing.
void cps_triangle_tree_refit(CpsTriangleTree* tree, CpsPool* pool, const CpsVec3* start, const CpsVec3* end,
                             double reach);

// Two features, each the number of a vertex, an edge or a triangle.
typedef struct CpsFeaturePair {
  int32_t a, b;
} CpsFeaturePair;

typedef struct CpsFeaturePairs {
  int64_t count;
  CpsFeaturePair* pair;  // by a, then by b; no pair twice
} CpsFeaturePairs;

typedef struct CpsTrianglePairs {
  CpsFeaturePairs vertex_triangle;  // vertex of the first mesh, triangle of the second
  CpsFeaturePairs triangle_vertex;  // vertex of the second mesh, triangle of the first; empty for one mesh
  CpsFeaturePairs edge_edge;        // edge of the first, edge of the second; for one mesh the lower number first
} CpsTrianglePairs;

// The paths of the vertices of two trees, and the distance of interest (ccd.h).
typedef struct CpsTriangleWays {
  const CpsVec3 *start_a, *end_a, *start_b, *end_b;
  double separation, tolerance;  // m
} CpsTriangleWays;

// All pairs with overlapping boxes and slabs: includes every pair that comes within the sum of both reaches during the
// step. Excludes two features of one mesh that share a vertex. With a == b: the mesh with itself. The lists are in
// memory of the arena, which a steady simulation does not grow.
// @param ways  NULL, or the paths to which the boxes were fitted: also excludes pairs that stay apart on them, which is
//              cheaper here than after listing and sorting
// @return CPS_OK, or CPS_NO_MEMORY (also for more than 2^31 pairs)
CpsStatus cps_triangle_tree_pairs(CpsTriangleTree* a, CpsTriangleTree* b, const CpsTriangleWays* ways, CpsPool* pool,
                                  CpsArena* arena, CpsTrianglePairs* pairs);
// Only the vertices of a with triangles of b (triangle_vertices.c): several times as fast, because the box of a vertex is
// small and overlaps few nodes.
CpsStatus cps_triangle_tree_vertices(CpsTriangleTree* a, const CpsTriangleTree* b, CpsPool* pool, CpsArena* arena,
                                     CpsFeaturePairs* pairs);

typedef struct CpsCrossings {
  CpsFeaturePairs edge_triangle;  // edge of the first mesh, triangle of the second
  CpsFeaturePairs triangle_edge;  // edge of the second mesh, triangle of the first; empty for one mesh
} CpsCrossings;

// Edges that pass through triangles, or touch them within rounding, at the present points, except edges that share a
// vertex with their triangle. Refits the trees to the points.
// @return CPS_OK or CPS_NO_MEMORY
CpsStatus cps_triangle_tree_crossings(CpsTriangleTree* a, const CpsVec3* points_a, CpsTriangleTree* b,
                                      const CpsVec3* points_b, CpsPool* pool, CpsArena* arena, CpsCrossings* out);
// Whether the segment from p to q meets a triangle, including its border, within rounding.
bool cps_segment_meets_triangle(CpsVec3 p, CpsVec3 q, const CpsVec3 triangle[3]);

// Calls fn for each triangle whose box may overlap a box, a sphere or a capsule, in an order that depends on the tree;
// ends when fn returns false.
typedef bool (*CpsTriangleFn)(void* data, const CpsTreeTriangle* triangle);
void cps_triangle_tree_near_box(const CpsTriangleTree* tree, const CpsAabb* box, CpsTriangleFn fn, void* data);
void cps_triangle_tree_near_sphere(const CpsTriangleTree* tree, CpsVec3 centre, double radius, CpsTriangleFn fn,
                                   void* data);
void cps_triangle_tree_near_capsule(const CpsTriangleTree* tree, CpsVec3 p, CpsVec3 q, double radius, CpsTriangleFn fn,
                                    void* data);

static inline bool cps_float_boxes_overlap(const CpsFloatBox* a, const CpsFloatBox* b) {
  typedef int32_t Bits __attribute__((vector_size(16)));
  const Bits apart = (Bits)((a->min > b->max) | (b->min > a->max) | (a->low > b->high) | (b->low > a->high));
#if defined(__SSE2__)
  return __builtin_ia32_movmskps((CpsFloat4)apart) == 0;
#else
  return (apart[0] | apart[1] | apart[2] | apart[3]) == 0;
#endif
}

// Extent of a box along n.
typedef struct CpsSpan {
  double low, high;
} CpsSpan;
static inline CpsSpan cps_half_box_span(const CpsHalfBox* box, CpsVec3 n) {
  const double middle = cps_vec3_dot(box->centre, n);
  const double half = box->half.x * fabs(n.x) + box->half.y * fabs(n.y) + box->half.z * fabs(n.z);
  return (CpsSpan){middle - half, middle + half};
}

// Used by the searches (triangle_search.c): calls visit for each pair of triangles with overlapping boxes and collects
// its output in up to three lists. The triangles of a come first; for one mesh with itself each pair comes once.
enum { CPS_SEARCH_LISTS = 3 };
typedef struct CpsSearchWriter CpsSearchWriter;
typedef struct CpsSearch {
  CpsTriangleTree *a, *b;
  const CpsVec3 *points_a, *points_b;  // for visit
  const CpsTriangleWays* ways;         // for visit
  void (*visit)(const struct CpsSearch* search, CpsSearchWriter* writer, int32_t place_a, int32_t place_b);
  int32_t size_a[CPS_SEARCH_LISTS], size_b[CPS_SEARCH_LISTS];  // larger than all a and b of each list; 0: no such list
  bool no_edges;                                               // for visit
} CpsSearch;
void cps_search_put(CpsSearchWriter* writer, int list, int32_t a, int32_t b);
CpsStatus cps_search_run(const CpsSearch* search, CpsPool* pool, CpsArena* arena,
                         CpsFeaturePairs list[CPS_SEARCH_LISTS]);

#endif
