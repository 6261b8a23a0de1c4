// Distances of points from polyhedra, and the corner nearest to another polyhedron.
//
// A point x outside a polyhedron is nearest to the face of largest height if its foot lies in that face: every other
// height is a lower bound of the distance. Otherwise it is nearest to an edge of a visible face. Inside, the nearest
// face counts.
//
// If the nearest points of two separated polyhedra are not on a face or on two crossing edges, they are on a corner of
// one and an edge of the other. With a separating axis n and the largest distance of interest, only corners and edges
// in a slab of that width can be nearest, so few pairs remain.
#include "geometry/narrow.h"

#include <float.h>

// a direction between points closer than this share of the size is noise
static const double nothing = 1e-10;

static CpsVec3 nearest_on_segment(CpsVec3 x, CpsVec3 p, CpsVec3 q) {
  const CpsVec3 e = cps_vec3_sub(q, p);
  const double ee = cps_vec3_dot(e, e);
  const double t = ee > 0.0 ? fmin(fmax(cps_vec3_dot(cps_vec3_sub(x, p), e) / ee, 0.0), 1.0) : 0.0;
  // from the nearer end, so that an end is reached exactly
  return t <= 0.5 ? cps_vec3_axpy(p, t, e) : cps_vec3_axpy(q, t - 1.0, e);
}

static bool over_face(CpsVec3 x, const CpsPolytope* p, int32_t f) {
  const int32_t* corner = p->face_vertex + p->face_start[f];
  const int32_t count = p->face_start[f + 1] - p->face_start[f];
  for (int32_t k = 0; k < count; ++k) {
    const CpsVec3 c = p->vertex[corner[k]], e = cps_vec3_sub(p->vertex[corner[k + 1 == count ? 0 : k + 1]], c);
    if (cps_vec3_dot(cps_vec3_cross(p->normal[f], e), cps_vec3_sub(x, c)) < 0.0) return false;
  }
  return true;
}

double cps_point_polytope(CpsVec3 x, const CpsPolytope* b, CpsVec3* normal) {
  int32_t top = 0;
  double height = -DBL_MAX;
  for (int32_t f = 0; f < b->face_count; ++f) {
    const double h = cps_vec3_dot(b->normal[f], x) - b->offset[f];
    if (h > height) {
      height = h;
      top = f;
    }
  }
  *normal = b->normal[top];
  const bool solid = b->face_count > 1;
  if ((solid && height <= 0.0) || over_face(x, b, top)) return height;

  double least = DBL_MAX;
  CpsVec3 away = {0.0, 0.0, 0.0};
  for (int32_t e = 0; e < b->edge_count; ++e) {
    const int32_t f = b->edge_face[e][0], g = b->edge_face[e][1];
    const bool seen =
        cps_vec3_dot(b->normal[f], x) > b->offset[f] || (g >= 0 && cps_vec3_dot(b->normal[g], x) > b->offset[g]);
    if (!seen && solid) continue;
    const CpsVec3 d = cps_vec3_sub(x, nearest_on_segment(x, b->vertex[b->edge[e][0]], b->vertex[b->edge[e][1]]));
    const double squared = cps_vec3_dot(d, d);
    if (squared < least) {
      least = squared;
      away = d;
    }
  }
  const double distance = sqrt(least);
  if (distance <= nothing * cps_polytope_scale(b, b)) return height;
  *normal = cps_vec3_scale(1.0 / distance, away);
  return distance;
}

// Corners of p (at `place`) against edges of q (at `place_q`), within the slab; a better pair replaces `best`, with its
// points exchanged if p is b.
static void corners_on_edges(const CpsPolytope* p, const CpsPlace* place, const CpsPolytope* q, const CpsPlace* place_q,
                             CpsVec3 m, double slab_p, double slab_q, bool p_is_b, CpsNearest* best) {
  for (int32_t v = 0; v < p->vertex_count; ++v) {
    const CpsVec3 x = place ? cps_place_apply(place, p->vertex[v]) : p->vertex[v];
    if (cps_vec3_dot(m, x) > slab_p) continue;
    for (int32_t e = 0; e < q->edge_count; ++e) {
      CpsVec3 r = q->vertex[q->edge[e][0]], s = q->vertex[q->edge[e][1]];
      if (place_q) {
        r = cps_place_apply(place_q, r);
        s = cps_place_apply(place_q, s);
      }
      if (cps_vec3_dot(m, r) < slab_q && cps_vec3_dot(m, s) < slab_q) continue;
      const CpsVec3 y = nearest_on_segment(x, r, s);
      const double distance = cps_vec3_norm(cps_vec3_sub(x, y));
      if (best->distance >= 0.0 && distance >= best->distance) continue;
      if (p_is_b)
        *best = (CpsNearest){y, x, distance, e, -1, -1, v};
      else
        *best = (CpsNearest){x, y, distance, -1, e, v, -1};
    }
  }
}

CpsNearest cps_nearest_corner(const CpsPolytope* a, const CpsPlace* place, const CpsPolytope* b, const CpsAxis* axis,
                              double margin) {
  CpsNearest best = {.distance = -1.0, .edge_a = -1, .edge_b = -1, .vertex_a = -1, .vertex_b = -1};
  const CpsVec3 n = axis->normal;
  double low = DBL_MAX;
  for (int32_t v = 0; v < a->vertex_count; ++v) low = fmin(low, cps_vec3_dot(n, cps_place_apply(place, a->vertex[v])));
  // rounding must not move a corner out of its own slab
  const double slack = 1e-9 * cps_polytope_scale(a, b);
  const double high = low - axis->separation, top = high + margin + slack, bottom = low - margin - slack;
  corners_on_edges(a, place, b, NULL, n, top, bottom, false, &best);
  // from the side of b the axis is reversed
  corners_on_edges(b, NULL, a, place, cps_vec3_scale(-1.0, n), -bottom, -top, true, &best);
  if (best.distance > margin) best.distance = -1.0;
  return best;
}
