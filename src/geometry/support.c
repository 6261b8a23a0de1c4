// Distance of a triangle from a convex set, and conservative advancement of its moving corners.
//
// The difference of triangle and set is convex. A simplex of at most four of its points is kept, with v the point of the
// simplex nearest to the origin; the support of the difference along -v is its next point w. With n = v / |v|
//
//   n.w <= distance <= |v|                                                                                         (1)
//
// so n is a direction in which the distance is at least n.w, even before convergence. The set is at rest, so with x_i +
// t v_i the corners of the triangle and s(n) the support of the set,
//
//   d(t + τ) >= min over i of  n.x_i + τ n.v_i - s(n)                                                              (2)
//
// and time can advance until the right side is m: no impact can be missed (ccd.c).
#include "geometry/support.h"

#include <float.h>

static const double FLAT = 1e-10;  // height over longest side of a flat tetrahedron
enum { ROUNDS = 64, ADVANCES = 1000 };
static const double ROUND = 1e-9;  // relative gap |v| - n.w that ends the search on round sets

CpsSupport cps_support_of(const CpsGeom* geom, CpsVec3 room[2]) {
  if (geom->polytope) return (CpsSupport){.point = geom->polytope->vertex, .count = geom->polytope->vertex_count};
  if (geom->kind == CPS_SHAPE_CYLINDER) return (CpsSupport){.drum = {geom->radius, geom->half_length}};
  const double half = geom->kind == CPS_SHAPE_CAPSULE ? geom->half_length : 0.0;
  room[0] = cps_vec3(0.0, 0.0, -half), room[1] = cps_vec3(0.0, 0.0, half);
  return (CpsSupport){.point = room, .count = half > 0.0 ? 2 : 1, .radius = geom->radius};
}

CpsVec3 cps_support_point(const CpsSupport* s, CpsVec3 m) {
  if (!s->point) {
    const double across = sqrt(m.x * m.x + m.y * m.y), r = across > 0.0 ? s->drum.radius / across : 0.0;
    return cps_vec3(r * m.x, r * m.y, m.z < 0.0 ? -s->drum.half_length : s->drum.half_length);
  }
  int32_t best = 0;
  double most = cps_vec3_dot(m, s->point[0]);
  for (int32_t i = 1; i < s->count; ++i) {
    const double along = cps_vec3_dot(m, s->point[i]);
    if (along > most) most = along, best = i;
  }
  return s->point[best];
}

// A point of the difference: corner i of the triangle minus b.
typedef struct Corner {
  int i;
  CpsVec3 b, w;
  double weight;
} Corner;

typedef struct Simplex {
  int count;
  Corner corner[4];
} Simplex;

static CpsVec3 point_of(const Simplex* s) {
  CpsVec3 v = {0.0, 0.0, 0.0};
  for (int k = 0; k < s->count; ++k) v = cps_vec3_axpy(v, s->corner[k].weight, s->corner[k].w);
  return v;
}

// Keeps the corners with a weight in the nearest point.
static void drop(Simplex* s) {
  int kept = 0;
  for (int k = 0; k < s->count; ++k) {
    if (s->corner[k].weight > 0.0) s->corner[kept++] = s->corner[k];
  }
  s->count = kept;
}

static void nearest_of_segment(Simplex* s) {
  const CpsVec3 p = s->corner[0].w, d = cps_vec3_sub(s->corner[1].w, p);
  const double dd = cps_vec3_dot(d, d), t = dd > 0.0 ? fmin(fmax(-cps_vec3_dot(p, d) / dd, 0.0), 1.0) : 0.0;
  s->corner[0].weight = 1.0 - t, s->corner[1].weight = t;
}

static double nearest_of_triangle(Simplex* s) {
  const CpsVec3 corner[3] = {s->corner[0].w, s->corner[1].w, s->corner[2].w};
  const CpsClosest c = cps_closest_vertex_triangle(cps_vec3(0.0, 0.0, 0.0), corner);
  for (int k = 0; k < 3; ++k) s->corner[k].weight = c.weight_b[k];
  return c.distance;
}

// True: the origin is inside.
static bool nearest_of_tetrahedron(Simplex* s) {
  static const int face[4][4] = {{1, 2, 3, 0}, {0, 2, 3, 1}, {0, 1, 3, 2}, {0, 1, 2, 3}};
  Simplex best = *s;
  double least = INFINITY;
  int inside = 0;
  for (int k = 0; k < 4; ++k) {
    const CpsVec3 p = s->corner[face[k][0]].w, q = s->corner[face[k][1]].w, r = s->corner[face[k][2]].w;
    const CpsVec3 n = cps_vec3_cross(cps_vec3_sub(q, p), cps_vec3_sub(r, p));
    const CpsVec3 up = cps_vec3_sub(s->corner[face[k][3]].w, p);
    const double own = cps_vec3_dot(n, up), origin = -cps_vec3_dot(n, p);
    // coplanar points have no inside
    if (own * origin > 0.0 && fabs(own) > FLAT * cps_vec3_norm(n) * cps_vec3_norm(up)) {
      ++inside;
      continue;
    }
    Simplex three = {3, {s->corner[face[k][0]], s->corner[face[k][1]], s->corner[face[k][2]]}};
    const double distance = nearest_of_triangle(&three);
    if (distance < least) least = distance, best = three;
  }
  *s = best;
  return inside == 4;
}

static bool has(const Simplex* s, const Corner* c) {
  for (int k = 0; k < s->count; ++k) {
    const Corner* o = &s->corner[k];
    if (o->i == c->i && o->b.x == c->b.x && o->b.y == c->b.y && o->b.z == c->b.z) return true;
  }
  return false;
}

static Corner support(const CpsVec3 triangle[3], const CpsSupport* s, CpsVec3 v) {
  Corner c = {.i = 0};
  for (int i = 1; i < 3; ++i) {
    if (cps_vec3_dot(v, triangle[i]) < cps_vec3_dot(v, triangle[c.i])) c.i = i;
  }
  c.b = cps_support_point(s, v);
  c.w = cps_vec3_sub(triangle[c.i], c.b);
  return c;
}

CpsSupportNearest cps_support_nearest(const CpsVec3 triangle[3], const CpsSupport* set) {
  Simplex s = {.count = 0};
  CpsVec3 middle = cps_vec3_scale(1.0 / 3.0, cps_vec3_add(triangle[0], cps_vec3_add(triangle[1], triangle[2])));
  CpsVec3 v = middle;
  if (!(cps_vec3_dot(v, v) > 0.0)) v = cps_vec3(0.0, 0.0, 1.0);
  double least = INFINITY;
  CpsSupportNearest out = {0};
  for (int round = 0; round < ROUNDS; ++round) {
    Corner c = support(triangle, set, v);
    const double size = cps_vec3_norm(v), bound = cps_vec3_dot(v, c.w) / size;
    if (round > 0 && (size - bound <= (set->point ? 4.0 * DBL_EPSILON : ROUND) * size || has(&s, &c))) break;
    const Simplex before = s;
    c.weight = round == 0 ? 1.0 : 0.0;
    s.corner[s.count++] = c;
    if (s.count == 2) nearest_of_segment(&s);
    if (s.count == 3) nearest_of_triangle(&s);
    if (s.count == 4 && nearest_of_tetrahedron(&s)) return out;
    drop(&s);
    const CpsVec3 next = point_of(&s);
    const double distance = cps_vec3_norm(next);
    if (!(distance > 0.0)) return out;
    if (!(distance < least)) {  // stop when rounding prevents progress
      s = before;
      break;
    }
    least = distance;
    v = next;
  }
  out.distance = least;
  out.normal = cps_vec3_scale(1.0 / cps_vec3_norm(v), v);
  for (int k = 0; k < s.count; ++k) {
    out.weight[s.corner[k].i] += s.corner[k].weight;
    out.point = cps_vec3_axpy(out.point, s.corner[k].weight, s.corner[k].b);
  }
  return out;
}

// (2): possible advance of time, also by a bound that needs no direction: no point moves farther than the longest path.
static double advance(const CpsVec3 x[3], const CpsVec3 v[3], const CpsSupport* s, CpsVec3 n, double m,
                      double longest) {
  const double top = cps_vec3_dot(n, cps_support_point(s, n)) + m;
  double on = INFINITY, lowest = INFINITY;
  for (int i = 0; i < 3; ++i) {
    const double rate = -cps_vec3_dot(n, v[i]), height = cps_vec3_dot(n, x[i]) - top;
    if (rate > 0.0) on = fmin(on, height / rate);
    lowest = fmin(lowest, height);
  }
  return fmax(on, lowest / longest);
}

bool cps_ccd_support(const CpsVec3 start[3], const CpsVec3 end[3], const CpsSupport* s, double separation,
                     double tolerance, CpsSupportImpact* impact) {
  CpsVec3 v[3], x[3] = {start[0], start[1], start[2]};
  double size = 0.0, longest = 0.0;
  for (int i = 0; i < 3; ++i) {
    v[i] = cps_vec3_sub(end[i], start[i]);
    longest = fmax(longest, cps_vec3_norm(v[i]));
    size = fmax(size, cps_vec3_norm(x[i]) + cps_vec3_norm(v[i]));
  }
  const double rounding = 64.0 * DBL_EPSILON * size;
  *impact = (CpsSupportImpact){.at = cps_support_nearest(x, s)};
  const double d0 = impact->at.distance;
  if (!(d0 > 8.0 * rounding)) return false;
  double band = fmax(0.5 * tolerance, rounding);
  if (d0 < 4.0 * band) band = 0.25 * d0;
  const double m = fmin(s->radius + separation, d0 - 2.0 * band);
  for (int round = 0; impact->at.distance > m + band; ++round) {
    const double on = advance(x, v, s, impact->at.normal, m + rounding, longest);
    if (!(impact->time + on <= 1.0)) return false;
    if (round == ADVANCES) return true;
    impact->time += fmax(on, 0.0);
    for (int i = 0; i < 3; ++i) x[i] = cps_vec3_axpy(start[i], impact->time, v[i]);
    const CpsSupportNearest next = cps_support_nearest(x, s);
    if (!(next.distance > 0.0)) return true;
    impact->at = next;
  }
  return true;
}
