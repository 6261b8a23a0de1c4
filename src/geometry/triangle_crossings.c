// Edges that pass through triangles.
//
// With V(a, b, c, d) = (b - a) × (c - a) . (d - a), the segment from p to q passes through the triangle t if p and q
// are on opposite sides of its plane and the line through them passes all three edges on the same side:
//
//   V(t0, t1, t2, p) V(t0, t1, t2, q) < 0,   V(p, q, t0, t1), V(p, q, t1, t2), V(p, q, t2, t0) of one sign          (1)
//
// A sign counts only above the rounding of its volume. In doubtful cases of (1) the segment meets the triangle if an
// end is within rounding of it or one of its edges is within rounding of the segment.
#include <float.h>

#include "geometry/triangle_pairs.h"
#include "geometry/triangle_tree.h"

enum { EDGE_TRIANGLE, TRIANGLE_EDGE };

// 1, -1, or 0 for a volume that is not above rounding. All vectors are differences of points not larger than `size`.
static int side_of(CpsVec3 a, CpsVec3 b, CpsVec3 c, double size) {
  const double volume = cps_vec3_dot(cps_vec3_cross(a, b), c), error = 32.0 * DBL_EPSILON * size * size * size;
  return volume > error ? 1 : volume < -error ? -1 : 0;
}

static bool touches(CpsVec3 p, CpsVec3 q, const CpsVec3 t[3], double size) {
  const double rounding = 32.0 * DBL_EPSILON * size;
  if (cps_closest_vertex_triangle(p, t).distance <= rounding) return true;
  if (cps_closest_vertex_triangle(q, t).distance <= rounding) return true;
  for (int k = 0; k < 3; ++k) {
    const CpsVec3 edge[2] = {t[k], t[(k + 1) % 3]}, segment[2] = {p, q};
    if (cps_closest_edge_edge(segment, edge).distance <= rounding) return true;
  }
  return false;
}

bool cps_segment_meets_triangle(CpsVec3 p, CpsVec3 q, const CpsVec3 t[3]) {
  const CpsVec3 d = cps_vec3_sub(q, p), r[3] = {cps_vec3_sub(t[0], p), cps_vec3_sub(t[1], p), cps_vec3_sub(t[2], p)};
  const CpsVec3 e1 = cps_vec3_sub(t[1], t[0]), e2 = cps_vec3_sub(t[2], t[0]);
  double size = cps_vec3_norm(d);
  for (int k = 0; k < 3; ++k) size = fmax(size, cps_vec3_norm(r[k]));
  size *= 2.0;  // a difference of two of them
  const int side_p = side_of(e1, e2, cps_vec3_scale(-1.0, r[0]), size);
  const int side_q = side_of(e1, e2, cps_vec3_sub(q, t[0]), size);
  if (side_p * side_q > 0) return false;
  int sum = 0, sure = side_p * side_q;
  for (int k = 0; k < 3; ++k) {
    const int side = side_of(d, r[k], r[(k + 1) % 3], size);
    sum += side;
    if (side == 0) sure = 0;
  }
  if (sure != 0) return sum == 3 || sum == -3;
  return touches(p, q, t, size);
}

// The edges that triangle i of one mesh owns with triangle j of the other.
static void put_edges(CpsSearchWriter* writer, int list, bool same, const CpsTriangleTree* of, const CpsVec3* points_of,
                      int32_t i, const CpsTriangleTree* with, const CpsVec3* points_with, int32_t j) {
  const CpsTreeTriangle *s = &of->triangle[i], *t = &with->triangle[j];
  const CpsVec3 corner[3] = {points_with[t->vertex[0]], points_with[t->vertex[1]], points_with[t->vertex[2]]};
  for (int k = 0; k < 3; ++k) {
    if (!(s->owned & (8U << k)) || !cps_float_boxes_overlap(&of->edge_box[s->edge[k]], &with->triangle_box[j]))
      continue;
    const int32_t v = s->vertex[k], w = s->vertex[(k + 1) % 3];
    bool shared = false;
    for (int l = 0; same && l < 3; ++l) shared |= t->vertex[l] == v || t->vertex[l] == w;
    if (shared || !cps_segment_meets_triangle(points_of[v], points_of[w], corner)) continue;
    cps_search_put(writer, list, s->edge[k], t->index);
  }
}

static void visit(const CpsSearch* search, CpsSearchWriter* writer, int32_t i, int32_t j) {
  const bool same = search->a == search->b;
  put_edges(writer, EDGE_TRIANGLE, same, search->a, search->points_a, i, search->b, search->points_b, j);
  put_edges(writer, same ? EDGE_TRIANGLE : TRIANGLE_EDGE, same, search->b, search->points_b, j, search->a,
            search->points_a, i);
}

CpsStatus cps_triangle_tree_crossings(CpsTriangleTree* a, const CpsVec3* points_a, CpsTriangleTree* b,
                                      const CpsVec3* points_b, CpsPool* pool, CpsArena* arena, CpsCrossings* out) {
  cps_triangle_tree_refit(a, pool, points_a, points_a, 0.0);
  if (b != a) cps_triangle_tree_refit(b, pool, points_b, points_b, 0.0);
  const CpsSearch search = {.a = a,
                            .b = b,
                            .points_a = points_a,
                            .points_b = points_b,
                            .visit = visit,
                            .size_a = {a->edge_count, b->edge_count},
                            .size_b = {b->triangle_count, a->triangle_count}};
  CpsFeaturePairs list[CPS_SEARCH_LISTS];
  const CpsStatus status = cps_search_run(&search, pool, arena, list);
  if (status != CPS_OK) return status;
  *out = (CpsCrossings){list[EDGE_TRIANGLE], list[TRIANGLE_EDGE]};
  return CPS_OK;
}
