// Vertices with triangles and edges with edges whose boxes overlap, each pair once.
#include "geometry/triangle_tree.h"

enum { VERTEX_TRIANGLE, TRIANGLE_VERTEX, EDGE_EDGE };

static bool has_vertex(const CpsTreeTriangle* t, int32_t v) {
  return (t->vertex[0] == v) | (t->vertex[1] == v) | (t->vertex[2] == v);
}

// The vertices that triangle i of one mesh owns with triangle j of the other.
static void put_vertices(CpsSearchWriter* writer, int list, bool same, const CpsTriangleTree* of, int32_t i,
                         const CpsTriangleTree* with, int32_t j) {
  const CpsTreeTriangle *s = &of->triangle[i], *t = &with->triangle[j];
  for (int k = 0; k < 3; ++k) {
    if (!(s->owned & (1U << k)) || (same && has_vertex(t, s->vertex[k]))) continue;
    if (!cps_float_boxes_overlap(&of->vertex_box[s->vertex[k]], &with->triangle_box[j])) continue;
    cps_search_put(writer, list, s->vertex[k], t->index);
  }
}

static bool share_vertex(const int32_t e[2], const int32_t f[2]) {
  return (e[0] == f[0]) | (e[0] == f[1]) | (e[1] == f[0]) | (e[1] == f[1]);
}

static void put_edges(CpsSearchWriter* writer, bool same, const CpsTriangleTree* a, int32_t i, const CpsTriangleTree* b,
                      int32_t j) {
  const CpsTreeTriangle *s = &a->triangle[i], *t = &b->triangle[j];
  if (s->owned < 8U || t->owned < 8U) return;
  for (int k = 0; k < 3; ++k) {
    const int32_t e = s->edge[k];
    if (!(s->owned & (8U << k)) || !cps_float_boxes_overlap(&a->edge_box[e], &b->triangle_box[j])) continue;
    for (int l = 0; l < 3; ++l) {
      const int32_t f = t->edge[l];
      if (!(t->owned & (8U << l)) || !cps_float_boxes_overlap(&a->edge_box[e], &b->edge_box[f])) continue;
      if (same && share_vertex(a->edge[e], b->edge[f])) continue;
      const bool turn = same && f < e;
      cps_search_put(writer, EDGE_EDGE, turn ? f : e, turn ? e : f);
    }
  }
}

static void visit(const CpsSearch* search, CpsSearchWriter* writer, int32_t i, int32_t j) {
  const bool same = search->a == search->b;
  put_vertices(writer, VERTEX_TRIANGLE, same, search->a, i, search->b, j);
  put_vertices(writer, same ? VERTEX_TRIANGLE : TRIANGLE_VERTEX, same, search->b, j, search->a, i);
  put_edges(writer, same, search->a, i, search->b, j);
}

CpsStatus cps_triangle_tree_pairs(CpsTriangleTree* a, CpsTriangleTree* b, CpsPool* pool, CpsArena* arena,
                                  CpsTrianglePairs* pairs) {
  const CpsSearch search = {.a = a,
                            .b = b,
                            .visit = visit,
                            .size_a = {a->vertex_count, b->vertex_count, a->edge_count},
                            .size_b = {b->triangle_count, a->triangle_count, b->edge_count}};
  CpsFeaturePairs list[CPS_SEARCH_LISTS];
  const CpsStatus status = cps_search_run(&search, pool, arena, list);
  if (status != CPS_OK) return status;
  *pairs = (CpsTrianglePairs){list[VERTEX_TRIANGLE], list[TRIANGLE_VERTEX], list[EDGE_EDGE]};
  return CPS_OK;
}
