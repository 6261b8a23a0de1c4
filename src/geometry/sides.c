// The parallel sides of two cylinders, or of a cylinder and a straight line: the ends of their common part.
//
// The side of b through the angle phi is  z k + r (cos phi p + sin phi e),  with k its axis, p the unit vector along n across it,
// and e = k x p; that of a through the same angle is  d + y w - r' (cos phi p' + sin phi e').  Two such points lie opposite each
// other along n where
//
//   d + y w - z k = g n + t (r e + r' e') + sqrt(1 - t^2) (r p + r' p'),   t = sin phi                                        (1)
//
// At an end of either cylinder z or y is known. Then (1) is linear in g and the other coordinate, and gives t up to the root: with
// t = t0 - t1 sqrt(1 - t^2),
//
//   t = (t0 - t1 sqrt(1 + t1^2 - t0^2)) / (1 + t1^2)                                                                          (2)
//
// Parallel axes have the same t everywhere. If the axes cross at an angle x, t grows by sin x / (r + r') per unit length, but the
// gap grows only as t^2 / 2. Cylinders that cross at five degrees touch at a point, but as soon as they overlap, they do so along
// their full length. Both ends are then contact points: with a single contact each cylinder would rotate about it, and its free
// end would sink into the other.
#include "geometry/cylinder.h"

// Within 30 degrees, as for capsules in round.c; ends farther than the margin cost nothing.
static const double along_ratio = 0.25;
// Beyond this t the sides do not face each other.
static const double steepest = 0.5;
static const double merge_ratio = 1e-4;
static const CpsVec3 up = {0.0, 0.0, 1.0};

typedef struct Sides {
  CpsVec3 n, across, apart;  // across: r e + r' e', apart: r p + r' p'
} Sides;

typedef struct Opposite {
  double gap, t, z;  // z: along the other axis
} Opposite;

// (1): x is the known part of its left side, and u times the unknown is the rest.
static bool opposite(const Sides* s, CpsVec3 x, CpsVec3 u, Opposite* out) {
  const CpsVec3 gap = cps_vec3_cross(s->across, u), t = cps_vec3_cross(u, s->n), z = cps_vec3_cross(s->n, s->across);
  const double det = cps_vec3_dot(s->n, gap);
  const double t0 = cps_vec3_dot(t, x) / det, t1 = cps_vec3_dot(t, s->apart) / det;
  const double root = 1.0 + t1 * t1 - t0 * t0;
  out->t = (t0 - t1 * sqrt(fmax(root, 0.0))) / (1.0 + t1 * t1);
  const CpsVec3 rest = cps_vec3_axpy(x, -sqrt(fmax(1.0 - out->t * out->t, 0.0)), s->apart);
  out->gap = cps_vec3_dot(gap, rest) / det;
  out->z = cps_vec3_dot(z, rest) / det;
  return root >= 0.0 && fabs(out->t) <= steepest;
}

int cps_drum_sides(const CpsOpposite* a, CpsDrum b, CpsVec3 n, CpsCorner* out) {
  const CpsVec3 w = a->axis, cross = cps_vec3_cross(up, w);
  const double length = a->drum.half_length;
  if (!(length > 0.0) || cps_vec3_dot(cross, cross) > along_ratio) return 0;
  const CpsVec3 p = cps_vec3_unit(cps_vec3(n.x, n.y, 0.0)), e = cps_vec3_cross(up, p);
  const CpsVec3 p_a = cps_vec3_unit(cps_vec3_axpy(n, -cps_vec3_dot(n, w), w));
  const double same = w.z > 0.0 ? 1.0 : -1.0;
  const CpsVec3 e_a = cps_vec3_scale(same, cps_vec3_cross(w, p_a));
  const Sides sides = {n, cps_vec3_axpy(cps_vec3_scale(b.radius, e), a->drum.radius, e_a),
                       cps_vec3_axpy(cps_vec3_scale(b.radius, p), a->drum.radius, p_a)};
  double end[2];
  int count = 0;
  for (int k = 0; k < 2; ++k) {
    // in the order of the ends of a
    double z = (k == 0 ? -same : same) * b.half_length;
    Opposite at;
    bool sees = opposite(&sides, cps_vec3_axpy(a->point, -z, up), cps_vec3_scale(-1.0, w), &at);
    if (fabs(at.z) > length) {
      sees = opposite(&sides, cps_vec3_axpy(a->point, at.z > 0.0 ? length : -length, w), up, &at);
      z = at.z;
      if (fabs(z) > b.half_length) return 0;
    }
    end[k] = z;
    if (!sees) continue;
    const double c = sqrt(1.0 - at.t * at.t);
    const CpsVec3 round = cps_vec3_axpy(cps_vec3_scale(b.radius * c, p), b.radius * at.t, e);
    out[count++] = (CpsCorner){cps_vec3_axpy(round, z, up), at.gap, cps_feature(CPS_FEATURE_OTHER, 0, 1 + k)};
  }
  return fabs(end[1] - end[0]) > 2.0 * merge_ratio * fmin(length, b.half_length) ? count : 0;
}
