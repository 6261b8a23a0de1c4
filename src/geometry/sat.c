// Separating axes of two convex polyhedra.
//
//   s(n) = min_a n.a - max_b n.b,   s* = max over unit n                                                          (1)
//
// s* is the distance of separated shapes if the nearest points lie on a face or on two edges (otherwise a lower bound,
// and closest.c finds the distance), and minus the depth of overlapping ones. The maximum is taken at the normal of a
// face of a or b, or at n = +-(e x f)/|e x f| for an edge e of a and f of b whose arcs on the sphere of normals cross
// (Gregorius 2013): with m1, m2 the normals to the left and right of an edge e, n = tau e x f supports a by e iff
//
//   -tau f.m1 >= 0 and -tau f.m2 <= 0     and b by f with the roles exchanged.                                    (2)
//
// Faces of a come first, then faces of b, then edges; a later axis must be better by `bias`, 1e-9 of the size, so that
// rounding does not decide between equal axes. The separation is too small by at most this amount.
#include "geometry/narrow.h"

#include <float.h>

static const double bias_ratio = 1e-9;
// (sine of the angle)^2 below which two edges count as parallel: the direction of their product would be noise
static const double parallel = 1e-12;

static double lowest(const CpsPolytope* p, CpsVec3 m) {
  double least = DBL_MAX;
  for (int32_t k = 0; k < p->vertex_count; ++k) least = fmin(least, cps_vec3_dot(m, p->vertex[k]));
  return least;
}

double cps_polytope_scale(const CpsPolytope* a, const CpsPolytope* b) {
  const double size_a = cps_vec3_norm(cps_vec3_sub(a->vertex[a->vertex_count - 1], a->vertex[0]));
  const double size_b = cps_vec3_norm(cps_vec3_sub(b->vertex[b->vertex_count - 1], b->vertex[0]));
  if (!(size_a > 0.0)) return size_b;
  return size_b > 0.0 ? fmin(size_a, size_b) : size_a;
}

// The normals on both sides of an edge in the working frame; false for a free segment.
static bool edge_normals(const CpsPolytope* p, const CpsPlace* place, int32_t e, CpsVec3* left, CpsVec3* right) {
  const int32_t f = p->edge_face[e][0], g = p->edge_face[e][1];
  if (f < 0) return false;
  *left = place ? cps_mat3_apply(place->R, p->normal[f]) : p->normal[f];
  if (g < 0)
    *right = cps_vec3_scale(-1.0, *left);
  else
    *right = place ? cps_mat3_apply(place->R, p->normal[g]) : p->normal[g];
  return true;
}

void cps_sat_edges(const CpsPolytope* a, const CpsPlace* place, const CpsPolytope* b, CpsAxis* best) {
  const double bias = bias_ratio * cps_polytope_scale(a, b);
  for (int32_t i = 0; i < a->edge_count; ++i) {
    const CpsVec3 pa = cps_place_apply(place, a->vertex[a->edge[i][0]]);
    const CpsVec3 ea = cps_vec3_sub(cps_place_apply(place, a->vertex[a->edge[i][1]]), pa);
    const double length = cps_vec3_dot(ea, ea);
    CpsVec3 a1, a2;
    const bool bound_a = edge_normals(a, place, i, &a1, &a2);
    for (int32_t j = 0; j < b->edge_count; ++j) {
      const CpsVec3 pb = b->vertex[b->edge[j][0]], eb = cps_vec3_sub(b->vertex[b->edge[j][1]], pb);
      double tau = 0.0;
      if (bound_a) {
        const double s1 = cps_vec3_dot(eb, a1), s2 = cps_vec3_dot(eb, a2);
        if (s1 * s2 >= 0.0) continue;
        tau = s1 > 0.0 ? -1.0 : 1.0;
      }
      CpsVec3 b1, b2;
      if (edge_normals(b, NULL, j, &b1, &b2)) {
        const double t1 = cps_vec3_dot(ea, b1), t2 = cps_vec3_dot(ea, b2);
        if (t1 * t2 >= 0.0 || tau * t1 > 0.0) continue;
        tau = t1 > 0.0 ? -1.0 : 1.0;
      }
      const CpsVec3 cross = cps_vec3_cross(ea, eb);
      const double squared = cps_vec3_dot(cross, cross);
      if (!(squared > parallel * length * cps_vec3_dot(eb, eb))) continue;
      const double separation = tau * cps_vec3_dot(cross, cps_vec3_sub(pa, pb)) / sqrt(squared);
      if (separation > best->separation + bias)
        *best = (CpsAxis){cps_vec3_scale(tau / sqrt(squared), cross), separation, CPS_AXIS_EDGES, i, j};
    }
  }
}

bool cps_sat_faces(const CpsPolytope* a, const CpsPlace* place, const CpsPolytope* b, double margin, CpsAxis* axis) {
  const double bias = bias_ratio * cps_polytope_scale(a, b);
  *axis = (CpsAxis){.separation = -DBL_MAX, .kind = CPS_AXIS_OTHER, .a = -1, .b = -1};
  for (int32_t f = 0; f < a->face_count; ++f) {
    const CpsVec3 m = cps_mat3_apply(place->R, a->normal[f]);
    const double separation = lowest(b, m) - (a->offset[f] + cps_vec3_dot(m, place->d));
    if (separation > margin) return false;
    if (separation > axis->separation + bias)
      *axis = (CpsAxis){cps_vec3_scale(-1.0, m), separation, CPS_AXIS_FACE_A, f, -1};
  }
  for (int32_t f = 0; f < b->face_count; ++f) {
    const CpsVec3 m = b->normal[f];
    const double separation =
        lowest(a, cps_mat3_apply_transposed(place->R, m)) + cps_vec3_dot(m, place->d) - b->offset[f];
    if (separation > margin) return false;
    if (separation > axis->separation + bias) *axis = (CpsAxis){m, separation, CPS_AXIS_FACE_B, -1, f};
  }
  return true;
}
