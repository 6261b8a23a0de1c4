// A tube for drawing: rings about its centre line, and half-spheres at its open ends and on both sides of corners.
//
// Rings rotate as little as possible from one to the next: with tangents t and t' the axis d of a ring becomes d' = R d, R the
// smallest rotation that takes t to t'. On a closed tube the last ring may not match the first; the difference is distributed
// over all rings.
#include <stdlib.h>

#include "geometry/triangles.h"
#include "geometry/tube.h"

static const double pi = 3.14159265358979323846;
enum { PIECES = 8 };  // of a bent span

typedef struct Ring {
  CpsVec3 centre, tangent, axis;
} Ring;

// d without its part along t, unit.
static CpsVec3 across(CpsVec3 d, CpsVec3 t) {
  return cps_vec3_unit(cps_vec3_axpy(d, -cps_vec3_dot(d, t), t));
}

static CpsVec3 any_across(CpsVec3 t) {
  CpsVec3 d = fabs(t.x) <= fabs(t.y) && fabs(t.x) <= fabs(t.z) ? cps_vec3(1.0, 0.0, 0.0)
              : fabs(t.y) <= fabs(t.z)                         ? cps_vec3(0.0, 1.0, 0.0)
                                                               : cps_vec3(0.0, 0.0, 1.0);
  return across(d, t);
}

// The smallest rotation from t to u, applied to d; t and u are never opposite here.
static CpsVec3 carry(CpsVec3 d, CpsVec3 t, CpsVec3 u) {
  CpsVec3 w = cps_vec3_cross(t, u);
  double c = cps_vec3_dot(t, u);
  CpsVec3 turned = cps_vec3_add(cps_vec3_axpy(cps_vec3_scale(c, d), 1.0, cps_vec3_cross(w, d)),
                                cps_vec3_scale(cps_vec3_dot(w, d) / (1.0 + c), w));
  return across(turned, u);
}

// The circle at a latitude of the sphere about the ring's centre, poles along the tangent; latitude 0 is the ring itself.
static int32_t add_ring(CpsTriangleBuilder* b, const Ring* ring, double radius, double latitude) {
  int32_t first = (int32_t)b->points;
  CpsVec3 e = ring->axis, f = cps_vec3_cross(ring->tangent, e);
  for (int32_t j = 0; j < b->around; ++j) {
    double turn = 2.0 * pi * j / b->around;
    CpsVec3 out = cps_vec3_axpy(cps_vec3_scale(cos(turn), e), sin(turn), f);
    CpsVec3 n = cps_vec3_axpy(cps_vec3_scale(cos(latitude), out), sin(latitude), ring->tangent);
    cps_add_point(b, cps_vec3_axpy(ring->centre, radius, n), n);
  }
  return first;
}

static int32_t add_pole(CpsTriangleBuilder* b, const Ring* ring, double radius, double sign) {
  CpsVec3 n = cps_vec3_scale(sign, ring->tangent);
  return cps_add_point(b, cps_vec3_axpy(ring->centre, radius, n), n);
}

// Half a sphere before the first ring (sign -1) or after the last one (sign 1); `ring` is the number of that ring.
static void add_cap(CpsTriangleBuilder* b, const Ring* end, double radius, double sign, int32_t ring) {
  int32_t quarter = (b->around + 3) / 4, last = ring;
  for (int32_t i = 1; i <= quarter; ++i) {
    bool pole = i == quarter;
    int32_t next = pole ? add_pole(b, end, radius, sign) : add_ring(b, end, radius, sign * 0.5 * pi * i / quarter);
    if (sign > 0.0) {
      cps_join_rings(b, last, false, next, pole);
    } else {
      cps_join_rings(b, next, pole, last, false);
    }
    last = next;
  }
}

// Rings of the smooth chain that begins at span `first`; returns their number. `rings` has room for them.
static int32_t find_rings(const CpsTubeTree* tube, int32_t first, Ring* rings, int32_t* after) {
  int32_t count = 0, k = first;
  CpsVec3 t = tube->span[k].tangent[0];
  rings[count++] = (Ring){tube->span[k].start, t, any_across(t)};
  for (;;) {
    const CpsTubeSpan* s = &tube->span[k];
    int32_t pieces = s->straight ? 1 : PIECES;
    for (int32_t i = 1; i <= pieces; ++i) {
      double at = (double)i / pieces;
      CpsVec3 u = i == pieces ? s->tangent[1] : cps_vec3_unit(cps_tube_slope(s, at));
      rings[count] = (Ring){i == pieces ? s->end : cps_tube_point(s, at), u,
                            carry(rings[count - 1].axis, rings[count - 1].tangent, u)};
      ++count;
    }
    *after = k + 1;
    if (s->after < 0 || s->after == first) return count;
    CpsVec3 v = tube->span[s->after].tangent[0];
    bool corner = cps_vec3_dot(v, s->tangent[1]) < 1.0 - 1e-9;
    if (corner || s->after < k) return count;
    k = s->after;
  }
}

// On a closed smooth tube: rotates the rings so that the last matches the first.
static void close_rings(Ring* rings, int32_t count) {
  CpsVec3 e = rings[0].axis, f = cps_vec3_cross(rings[0].tangent, e), d = rings[count - 1].axis;
  double miss = atan2(cps_vec3_dot(d, f), cps_vec3_dot(d, e));
  for (int32_t i = 0; i < count; ++i) {
    CpsVec3 turn = cps_vec3_scale(-miss * i / (count - 1), rings[i].tangent);
    rings[i].axis = cps_quat_rotate(cps_quat_exp(turn), rings[i].axis);
  }
}

static void add_chain(CpsTriangleBuilder* b, const Ring* rings, int32_t count, double radius, bool closed) {
  int32_t start = add_ring(b, &rings[0], radius, 0.0), last = start;
  for (int32_t i = 1; i < count; ++i) {
    int32_t ring = closed && i == count - 1 ? start : add_ring(b, &rings[i], radius, 0.0);
    cps_join_rings(b, last, false, ring, false);
    last = ring;
  }
  if (closed) return;
  add_cap(b, &rings[0], radius, -1.0, start);
  add_cap(b, &rings[count - 1], radius, 1.0, last);
}

CpsStatus cps_tube_triangles(CpsTriangleBuilder* b, const CpsShape* shape) {
  CpsTubeTree* tube = NULL;
  CpsStatus status = cps_tube_create(shape, &tube);
  if (status != CPS_OK) return status;
  Ring* rings = malloc(((size_t)tube->span_count * PIECES + 1) * sizeof *rings);
  if (rings) {
    for (int32_t k = 0; k < tube->span_count;) {
      int32_t count = find_rings(tube, k, rings, &k);
      CpsVec3 d = cps_vec3_sub(rings[count - 1].centre, rings[0].centre);
      bool closed = count > 2 && cps_vec3_dot(d, d) == 0.0 &&
                    cps_vec3_dot(rings[0].tangent, rings[count - 1].tangent) > 1.0 - 1e-9;
      if (closed) close_rings(rings, count);
      add_chain(b, rings, count, shape->radius, closed);
    }
  }
  free(rings);
  cps_tube_destroy(tube);
  return rings ? CPS_OK : CPS_NO_MEMORY;
}
