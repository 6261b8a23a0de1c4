// Vertex-triangle and edge-edge pairs with overlapping boxes, each pair once.
#include "geometry/ccd.h"
#include "geometry/triangle_tree.h"

enum { VERTEX_TRIANGLE, TRIANGLE_VERTEX, EDGE_EDGE };

static bool has_vertex(const CpsTreeTriangle* t, int32_t v) {
  return (t->vertex[0] == v) | (t->vertex[1] == v) | (t->vertex[2] == v);
}

// Path of the vertices of the other triangle along the normal of this one. False: all outside the slab on one side.
static bool spans_along(const CpsSlab* slab, const CpsTriangleTree* tree, const CpsTreeTriangle* t, CpsSpan span[3]) {
  bool above = true, below = true;
  for (int k = 0; k < 3; ++k) {
    span[k] = cps_half_box_span(&tree->vertex_half[t->vertex[k]], slab->n);
    above &= span[k].low > slab->high;
    below &= span[k].high < slab->low;
  }
  return !(above | below);
}

// Vertex v of `of` and triangle t of `with`: `turned`, the first is the second tree of the search.
static bool is_vertex_far(const CpsTriangleWays* w, bool turned, int32_t v, const CpsTreeTriangle* t) {
  if (!w) return false;
  const CpsVec3 *from = turned ? w->start_b : w->start_a, *to = turned ? w->end_b : w->end_a;
  const CpsVec3 *from_t = turned ? w->start_a : w->start_b, *to_t = turned ? w->end_a : w->end_b;
  const CpsVec3 start[4] = {from[v], from_t[t->vertex[0]], from_t[t->vertex[1]], from_t[t->vertex[2]]};
  const CpsVec3 end[4] = {to[v], to_t[t->vertex[0]], to_t[t->vertex[1]], to_t[t->vertex[2]]};
  return cps_ccd_vertex_triangle_is_far(start, end, w->separation, w->tolerance);
}

static bool are_edges_far(const CpsTriangleWays* w, const int32_t e[2], const int32_t f[2]) {
  if (!w) return false;
  const CpsVec3 start[4] = {w->start_a[e[0]], w->start_a[e[1]], w->start_b[f[0]], w->start_b[f[1]]};
  const CpsVec3 end[4] = {w->end_a[e[0]], w->end_a[e[1]], w->end_b[f[0]], w->end_b[f[1]]};
  return cps_ccd_edge_edge_is_far(start, end, w->separation, w->tolerance);
}

// The vertices owned by a triangle of the first tree, or of the second (turned), with triangle j of the other one.
static void put_vertices(const CpsSearch* search, CpsSearchWriter* writer, bool turned, const CpsTreeTriangle* s,
                         const CpsSpan span[3], int32_t j) {
  const bool same = search->a == search->b;
  const CpsTriangleTree *of = turned ? search->b : search->a, *with = turned ? search->a : search->b;
  const CpsTreeTriangle* t = &with->triangle[j];
  for (int k = 0; k < 3; ++k) {
    if (!(s->owned & (1U << k)) || span[k].low > with->slab[j].high || span[k].high < with->slab[j].low) continue;
    if (same && has_vertex(t, s->vertex[k])) continue;
    if (!cps_float_boxes_overlap(&of->vertex_box[s->vertex[k]], &with->triangle_box[j])) continue;
    if (is_vertex_far(search->ways, turned, s->vertex[k], t)) continue;
    cps_search_put(writer, turned && !same ? TRIANGLE_VERTEX : VERTEX_TRIANGLE, s->vertex[k], t->index);
  }
}

static bool share_vertex(const int32_t e[2], const int32_t f[2]) {
  return (e[0] == f[0]) | (e[0] == f[1]) | (e[1] == f[0]) | (e[1] == f[1]);
}

// Owned edges that meet the slab of the other triangle, as bits.
static uint32_t edges_within(const CpsTreeTriangle* t, const CpsSpan span[3], const CpsSlab* slab) {
  uint32_t bits = 0;
  for (int k = 0; k < 3; ++k) {
    const CpsSpan p = span[k], q = span[(k + 1) % 3];
    const bool past = (p.low > slab->high && q.low > slab->high) || (p.high < slab->low && q.high < slab->low);
    if (!past) bits |= 1U << k;
  }
  return bits & t->owned >> 3;
}

static void put_edges(const CpsSearch* search, CpsSearchWriter* writer, const CpsTreeTriangle* s, uint32_t bits_s,
                      const CpsTreeTriangle* t, uint32_t bits_t) {
  const CpsTriangleTree *a = search->a, *b = search->b;
  const bool same = a == b;
  if (bits_s == 0 || bits_t == 0) return;
  for (int k = 0; k < 3; ++k) {
    if (!(bits_s & (1U << k))) continue;
    const int32_t e = s->edge[k];
    const CpsFloatBox box = a->edge_box[e];
    for (int l = 0; l < 3; ++l) {
      const int32_t f = t->edge[l];
      if (!(bits_t & (1U << l)) || !cps_float_boxes_overlap(&box, &b->edge_box[f])) continue;
      if (same && share_vertex(a->edge[e], b->edge[f])) continue;
      const bool turn = same && f < e;
      const int32_t first = turn ? f : e, second = turn ? e : f;
      // the lower number first here too: rejection must not depend on rounding
      if (!are_edges_far(search->ways, a->edge[first], b->edge[second])) {
        cps_search_put(writer, EDGE_EDGE, first, second);
      }
    }
  }
}

static void visit(const CpsSearch* search, CpsSearchWriter* writer, int32_t i, int32_t j) {
  enum { VERTICES = 7, EDGES = 56 };  // bits of `owned`
  const CpsTriangleTree *a = search->a, *b = search->b;
  const CpsTreeTriangle *s = &a->triangle[i], *t = &b->triangle[j];
  const bool edges = (s->owned & EDGES) && (t->owned & EDGES);
  CpsSpan span_s[3], span_t[3];  // of the vertices of each along the normal of the other
  // both before any output: rejection must not depend on the order of the two
  const bool s_asks = edges || (s->owned & VERTICES), t_asks = edges || (t->owned & VERTICES);
  if (s_asks && !spans_along(&b->slab[j], a, s, span_s)) return;
  if (t_asks && !spans_along(&a->slab[i], b, t, span_t)) return;
  if (s_asks) put_vertices(search, writer, false, s, span_s, j);
  if (t_asks) put_vertices(search, writer, true, t, span_t, i);
  if (edges) {
    put_edges(search, writer, s, edges_within(s, span_s, &b->slab[j]), t, edges_within(t, span_t, &a->slab[i]));
  }
}

CpsStatus cps_triangle_tree_pairs(CpsTriangleTree* a, CpsTriangleTree* b, const CpsTriangleWays* ways, CpsPool* pool,
                                  CpsArena* arena, CpsTrianglePairs* pairs) {
  const CpsSearch search = {.a = a,
                            .b = b,
                            .ways = ways,
                            .visit = visit,
                            .size_a = {a->vertex_count, b->vertex_count, a->edge_count},
                            .size_b = {b->triangle_count, a->triangle_count, b->edge_count}};
  CpsFeaturePairs list[CPS_SEARCH_LISTS];
  const CpsStatus status = cps_search_run(&search, pool, arena, list);
  if (status != CPS_OK) return status;
  *pairs = (CpsTrianglePairs){list[VERTEX_TRIANGLE], list[TRIANGLE_VERTEX], list[EDGE_EDGE]};
  return CPS_OK;
}
