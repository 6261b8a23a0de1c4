// Nearest points of a vertex and a triangle, and of two edges.
//
// Inside a feature the answer solves a linear system, with N = e1 × e2 the normal of both edges or of the triangle:
//
//   triangle:  p - t0 = v e1 + w e2 + g N,   v = (r × e2).N / N.N,   w = (e1 × r).N / N.N,   r = p - t0           (1)
//   edges:     p + s d - q - t e = g N,      s = (e × w).N / N.N,    t = (d × w).N / N.N,    w = p - q            (2)
//
// If the weights are not inside, the nearest point is on the border: the three edges of the triangle, or the four ends
// against the other edge. If the angle is small, all of these are computed and the nearest is used, so rounding of a
// weight near a border cannot choose a far one. Slender triangles and nearly parallel edges lose digits in (1) and (2)
// in proportion to 1 / sin of their angle; a second solve for the remainder of r restores them.
//
// The distance is that of points in the features, so it is never below the true one by more than rounding.
#include "geometry/triangle_pairs.h"

#include <string.h>

#include "geometry/segment.h"

static const double PARALLEL = 1e-28;  // sine squared below which the direction of N is noise
static const double STEEP =
    1e-4;  // sine squared above which one solve is enough: the distance loses less than rounding

// Any unit vector perpendicular to d; z if d vanishes.
static CpsVec3 across(CpsVec3 d) {
  const CpsVec3 u = cps_vec3_unit(d), axis = fabs(u.x) < 0.6 ? cps_vec3(1.0, 0.0, 0.0) : cps_vec3(0.0, 1.0, 0.0);
  if (cps_vec3_dot(u, u) == 0.0) return cps_vec3(0.0, 0.0, 1.0);
  return cps_vec3_unit(cps_vec3_cross(u, axis));
}

// Distance and normal from the difference r of the nearest points. N is the common normal if both are inside, otherwise
// only a substitute for r = 0. r has an error of `scale` roundings, and the direction of N one of `spread` / |N|: the
// direction with the smaller error is used.
static void set_normal(CpsClosest* out, CpsVec3 r, CpsVec3 N, double spread, double scale, bool inside) {
  const double distance = cps_vec3_norm(r), size = cps_vec3_norm(N);
  out->distance = distance;
  if (distance > 0.0 && !(inside && distance * spread < scale * size)) {
    out->normal = cps_vec3_scale(1.0 / distance, r);
    return;
  }
  const CpsVec3 n = cps_vec3_scale(1.0 / size, N);
  const double g = cps_vec3_dot(n, r);
  out->normal = g >= 0.0 ? n : cps_vec3_scale(-1.0, n);
  if (inside) out->distance = fabs(g);
}

static uint8_t parts_of(const double weight[3]) {
  return (uint8_t)((weight[0] > 0.0) | (weight[1] > 0.0) << 1 | (weight[2] > 0.0) << 2);
}

// Weights of the foot of r over the triangle, base vertex first; (1) twice. false: outside, or no area.
static bool foot_inside(CpsVec3 r, CpsVec3 e1, CpsVec3 e2, CpsVec3 N, double* v, double* w) {
  const double nn = cps_vec3_dot(N, N);
  if (!(nn > PARALLEL * cps_vec3_dot(e1, e1) * cps_vec3_dot(e2, e2))) return false;
  *v = *w = 0.0;
  const int rounds = nn > STEEP * cps_vec3_dot(e1, e1) * cps_vec3_dot(e2, e2) ? 1 : 2;
  for (int round = 0; round < rounds; ++round) {
    const CpsVec3 rest = cps_vec3_axpy(cps_vec3_axpy(r, -*v, e1), -*w, e2);
    *v += cps_vec3_dot(cps_vec3_cross(rest, e2), N) / nn;
    *w += cps_vec3_dot(cps_vec3_cross(e1, rest), N) / nn;
  }
  return *v >= 0.0 && *w >= 0.0 && *v + *w <= 1.0;
}

// The vertex between the two shorter edges: there the edges of the system are least parallel.
static int base_vertex(const CpsVec3 t[3]) {
  double longest = -1.0;
  int base = 0;
  for (int k = 0; k < 3; ++k) {
    const CpsVec3 opposite = cps_vec3_sub(t[(k + 2) % 3], t[(k + 1) % 3]);
    const double length = cps_vec3_dot(opposite, opposite);
    if (length > longest) longest = length, base = k;
  }
  return base;
}

CpsClosest cps_closest_vertex_triangle(CpsVec3 p, const CpsVec3 t[3]) {
  CpsClosest out = {.weight_a = {1.0, 0.0, 0.0}, .feature_a = 1};
  const int i = base_vertex(t), j = (i + 1) % 3, k = (i + 2) % 3;
  const CpsVec3 e1 = cps_vec3_sub(t[j], t[i]), e2 = cps_vec3_sub(t[k], t[i]), r = cps_vec3_sub(p, t[i]);
  CpsVec3 N = cps_vec3_cross(e1, e2);
  double v, w;
  const bool inside = foot_inside(r, e1, e2, N, &v, &w);
  CpsVec3 rest;
  if (inside) {
    out.weight_b[i] = fmax(0.0, 1.0 - v - w), out.weight_b[j] = v, out.weight_b[k] = w;
    rest = cps_vec3_axpy(cps_vec3_axpy(r, -v, e1), -w, e2);
  } else {
    double nearest = INFINITY;
    rest = r;
    for (int edge = 0; edge < 3; ++edge) {
      const int from = edge, to = (edge + 1) % 3;
      const CpsVec3 d = cps_vec3_sub(t[to], t[from]), x = cps_vec3_sub(p, t[from]);
      const double s = cps_segment_closest(t[from], d, p);
      const CpsVec3 gap = s < 1.0 ? cps_vec3_axpy(x, -s, d) : cps_vec3_sub(p, t[to]);
      const double square = cps_vec3_dot(gap, gap);
      if (!(square < nearest)) continue;
      nearest = square, rest = gap;
      memset(out.weight_b, 0, sizeof out.weight_b);
      out.weight_b[from] = 1.0 - s, out.weight_b[to] = s;
    }
  }
  out.feature_b = parts_of(out.weight_b);
  const double spread = cps_vec3_norm(e1) * cps_vec3_norm(e2);
  if (!(cps_vec3_norm(N) > 1e-14 * spread)) N = across(cps_vec3_norm(e1) > cps_vec3_norm(e2) ? e1 : e2);
  set_normal(&out, rest, N, spread, cps_vec3_norm(r), inside);
  return out;
}

static bool comes_before(CpsVec3 a, CpsVec3 b) {
  if (a.x != b.x) return a.x < b.x;
  if (a.y != b.y) return a.y < b.y;
  return a.z < b.z;
}

// Parameters of a pair of points, one on each edge, and their distance.
typedef struct Candidate {
  double s, t, square;
  CpsVec3 gap;
} Candidate;

typedef struct Edges {
  CpsVec3 p, d, q, e;  // p + s d and q + t e
  CpsVec3 ends[4];     // p, p + d, q, q + e without rounding
} Edges;

static CpsVec3 gap_at(const Edges* edges, double s, double t) {
  const CpsVec3 w = cps_vec3_sub(s < 1.0 ? edges->p : edges->ends[1], t < 1.0 ? edges->q : edges->ends[3]);
  return cps_vec3_axpy(cps_vec3_axpy(w, s < 1.0 ? s : 0.0, edges->d), t < 1.0 ? -t : 0.0, edges->e);
}

static void consider(const Edges* edges, double s, double t, Candidate* best) {
  const CpsVec3 gap = gap_at(edges, s, t);
  const double square = cps_vec3_dot(gap, gap);
  if (square < best->square) *best = (Candidate){s, t, square, gap};
}

// The middle of the common part of parallel edges.
static bool middle_of_common(const Edges* edges, Candidate* best) {
  const double dd = cps_vec3_dot(edges->d, edges->d), ee = cps_vec3_dot(edges->e, edges->e);
  if (!(dd > 0.0) || !(ee > 0.0)) return false;
  const double s0 = cps_vec3_dot(edges->d, cps_vec3_sub(edges->ends[2], edges->p)) / dd;
  const double s1 = cps_vec3_dot(edges->d, cps_vec3_sub(edges->ends[3], edges->p)) / dd;
  const double low = fmax(0.0, fmin(s0, s1)), high = fmin(1.0, fmax(s0, s1));
  if (!(low < high)) return false;
  const double s = 0.5 * (low + high);
  best->square = INFINITY;
  consider(edges, s, cps_segment_closest(edges->q, edges->e, cps_vec3_axpy(edges->p, s, edges->d)), best);
  return true;
}

// Both points inside the edges: (2) twice.
static bool crossing_inside(const Edges* edges, CpsVec3 N, double* s, double* t) {
  const double nn = cps_vec3_dot(N, N);
  *s = *t = 0.0;
  for (int round = 0; round < 2; ++round) {
    const CpsVec3 w = cps_vec3_axpy(cps_vec3_axpy(cps_vec3_sub(edges->p, edges->q), *s, edges->d), -*t, edges->e);
    *s += cps_vec3_dot(cps_vec3_cross(edges->e, w), N) / nn;
    *t += cps_vec3_dot(cps_vec3_cross(edges->d, w), N) / nn;
  }
  return *s > 0.0 && *s < 1.0 && *t > 0.0 && *t < 1.0;
}

// Parallel or nearly so: all candidates. true: inside both.
static bool closest_slanting(const Edges* edges, CpsVec3 N, bool parallel, Candidate* best, bool* middle) {
  double s, t;
  for (int k = 0; k < 2; ++k) {
    consider(edges, k, cps_segment_closest(edges->q, edges->e, edges->ends[k]), best);
    consider(edges, cps_segment_closest(edges->p, edges->d, edges->ends[2 + k]), k, best);
  }
  *middle = parallel && middle_of_common(edges, best);
  if (parallel || !crossing_inside(edges, N, &s, &t)) return false;
  const double before = best->square;
  consider(edges, s, t, best);
  return best->square < before;
}

// Edges at a fair angle: s of the lines clamped, then t for it, and s again if t was clamped (Ericson, Real-Time
// Collision Detection, 2005, section 5.1.9). true: inside both.
static bool closest_steep(const Edges* edges, CpsVec3 N, double dd, double ee, Candidate* best) {
  const CpsVec3 w = cps_vec3_sub(edges->p, edges->q);
  const double de = cps_vec3_dot(edges->d, edges->e), dw = cps_vec3_dot(edges->d, w), ew = cps_vec3_dot(edges->e, w);
  const double free_s = cps_vec3_dot(cps_vec3_cross(edges->e, w), N) / cps_vec3_dot(N, N);
  double s = cps_clamp(free_s, 0.0, 1.0);
  const double free_t = (de * s + ew) / ee, t = cps_clamp(free_t, 0.0, 1.0);
  if (t != free_t) s = cps_clamp((de * t - dw) / dd, 0.0, 1.0);
  consider(edges, s, t, best);
  return s == free_s && t == free_t;
}

// Ends in ascending order, the lower edge first.
static CpsClosest closest_ordered(const CpsVec3 ends[4]) {
  const Edges edges = {.p = ends[0],
                       .d = cps_vec3_sub(ends[1], ends[0]),
                       .q = ends[2],
                       .e = cps_vec3_sub(ends[3], ends[2]),
                       .ends = {ends[0], ends[1], ends[2], ends[3]}};
  CpsVec3 N = cps_vec3_cross(edges.d, edges.e);
  const double dd = cps_vec3_dot(edges.d, edges.d), ee = cps_vec3_dot(edges.e, edges.e), nn = cps_vec3_dot(N, N);
  const bool parallel = !(nn > PARALLEL * dd * ee);
  Candidate best = {.square = INFINITY};
  CpsClosest out = {.parallel = false};
  const bool inside = nn > STEEP * dd * ee ? closest_steep(&edges, N, dd, ee, &best)
                                           : closest_slanting(&edges, N, parallel, &best, &out.parallel);
  out.weight_a[0] = 1.0 - best.s, out.weight_a[1] = best.s;
  out.weight_b[0] = 1.0 - best.t, out.weight_b[1] = best.t;
  if (parallel) N = across(dd > ee ? edges.d : edges.e);
  const double scale = cps_vec3_norm(cps_vec3_sub(edges.p, edges.q)) + sqrt(dd) + sqrt(ee);
  set_normal(&out, best.gap, N, sqrt(dd * ee), scale, inside);
  return out;
}

static void swap_two(double weight[3]) {
  const double first = weight[0];
  weight[0] = weight[1];
  weight[1] = first;
}

CpsClosest cps_closest_edge_edge(const CpsVec3 a[2], const CpsVec3 b[2]) {
  const bool turn_a = comes_before(a[1], a[0]), turn_b = comes_before(b[1], b[0]);
  const CpsVec3 low_a = a[turn_a], high_a = a[!turn_a], low_b = b[turn_b], high_b = b[!turn_b];
  const bool swap = comes_before(low_b, low_a) || (!comes_before(low_a, low_b) && comes_before(high_b, high_a));
  const CpsVec3 ends[4] = {swap ? low_b : low_a, swap ? high_b : high_a, swap ? low_a : low_b, swap ? high_a : high_b};
  CpsClosest out = closest_ordered(ends);
  if (swap) {
    double weight[3];
    memcpy(weight, out.weight_a, sizeof weight);
    memcpy(out.weight_a, out.weight_b, sizeof weight);
    memcpy(out.weight_b, weight, sizeof weight);
    out.normal = cps_vec3_scale(-1.0, out.normal);
  }
  if (turn_a) swap_two(out.weight_a);
  if (turn_b) swap_two(out.weight_b);
  out.feature_a = parts_of(out.weight_a);
  out.feature_b = parts_of(out.weight_b);
  return out;
}
