// Which pieces of a chain own a touch.
//
// With x(s) and y(t) the points of two chains and n the unit vector from y to x, the distance D(s, t) = ||x - y|| changes
// along the pieces, unit vectors e and f, by
//
//   D_s = n.e,   D_t = -n.f                                                                              (1)
//
// A touch of two pieces in the middle of both is a local minimum of D over the chains. A vertex belongs to two pieces, and
// both report what touches there. It is the later piece that owns it:
//
//   at the end of a piece that is joined to the next one:      dropped                                   (2)
//   at the beginning, if it is the nearest of the pair:        dropped if D_s > 0 in the piece before    (3)
//
// Over two pieces D is convex. If the vertex is a local minimum of the chain, it is also the minimum over the later piece,
// which therefore reports it; if not, the piece on the other side reports something nearer. So (2) and (3) keep each local
// minimum of D exactly once, and nothing else of the nearest points. Pieces that lie along each other, or on something
// flat, also touch at the ends of their common part. These are not minima but bounds on the motion of the ends; (2) alone
// leaves one of each.
//
// Nothing may be lost to rounding: what lies within a billionth of the length from an end counts as the end, and (3) asks
// for a slope that this cannot give. Along each other, the narrow phase takes an end for the nearest point if it is
// farther by less than a millionth of the radii. The minimum of a line at the distance D with the slope m is nearer by
// about m^2 D / 2; there (3) asks for more than that.
#include "contact/chain.h"

#include "contact/broad.h"
#include "core/quat.h"

static const double end_part = 1e-9, level = 1e-6, nearer = 2e-6;
static const double parallel = 0.25;  // sin^2 of the angle up to which pieces lie along each other (round.c)
enum { NEAREST = 4 };                 // feature of the nearest points of two round shapes (round.c)
enum { BEFORE = 1, AFTER = 2 };

// The third column of the rotation.
static CpsVec3 axis_of(const CpsCollider* c) {
  const CpsQuat q = c->pose.rotation;
  return cps_vec3(2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y));
}

// Position of a touch on the axis of a capsule: -1 at its beginning, 1 at its end.
static double place_on(const CpsCollider* c, const CpsTouch* touch, int side) {
  const double half = c->geom->half_length;
  if (!(half > 0.0)) return 1.0;
  const CpsVec3 centre = side == 0 ? cps_vec3_axpy(touch->point_a, c->geom->radius, touch->normal)
                                   : cps_vec3_axpy(touch->point_b, -c->geom->radius, touch->normal);
  return cps_vec3_dot(cps_vec3_sub(centre, c->pose.position), axis_of(c)) / half;
}

double cps_chain_arc(const CpsCollider* collider, const CpsTouch* touch, int side) {
  if (!cps_is_line_piece(collider)) return 0.0;
  double place = place_on(collider, touch, side);
  place = place < -1.0 ? -1.0 : place > 1.0 ? 1.0 : place;
  return 0.5 * ((1.0 - place) * collider->arc[0] + (1.0 + place) * collider->arc[1]);
}

// Whether the touch is a pair of nearest points of two convex shapes, not the end of a common part.
static bool is_nearest(const CpsCollider* other, const CpsTouch* touch, int count) {
  switch (other->geom->kind) {
    case CPS_SHAPE_SPHERE:
    case CPS_SHAPE_CAPSULE:
      return touch->feature == NEAREST;
    case CPS_SHAPE_CYLINDER:
    case CPS_SHAPE_BOX:
    case CPS_SHAPE_HULL:
      return count == 1;
    default:
      return false;
  }
}

// Whether the distance decreases from a vertex along the piece: forward (direction 1) or backward (-1).
static bool falls(const CpsCollider* piece, const CpsCollider* other, const CpsTouch* touch, int side,
                  double direction) {
  const CpsVec3 e = axis_of(piece);
  const double slope = cps_vec3_dot(touch->normal, e) * (side == 0 ? direction : -direction);
  if (!(slope < -level)) return false;
  if (other->geom->kind == CPS_SHAPE_SPHERE) return true;
  const bool capsule = other->geom->kind == CPS_SHAPE_CAPSULE;
  const CpsVec3 cross = cps_vec3_cross(e, axis_of(other));
  if (capsule && cps_vec3_dot(cross, cross) > parallel) return true;
  const double radii = piece->geom->radius + (capsule ? other->geom->radius : 0.0);
  return 0.5 * slope * slope * (touch->gap + radii) > nearer * radii;
}

// Whether the pair (piece, other) is tested for contact.
static bool is_pair(const CpsCollider* piece, const CpsCollider* other) {
  return piece->owner != other->owner ||
         cps_broad_self(piece->arc, piece->self_distance, other->arc, other->self_distance);
}

// Conditions (2) and (3) for one side of a touch.
static bool owns(const CpsCollider* piece, const CpsCollider* other, const CpsTouch* touch, int count, int side) {
  if (piece->joined == 0) return true;
  const double place = place_on(piece, touch, side);
  if (place >= 1.0 - 2.0 * end_part && (piece->joined & AFTER) != 0) {
    // a neighbour so close along the line that the pair is not tested cannot take the touch over
    return !is_pair(piece + 1, other) && !falls(piece + 1, other, touch, side, 1.0);
  }
  if (place <= -1.0 + 2.0 * end_part && (piece->joined & BEFORE) != 0 && is_nearest(other, touch, count)) {
    return !falls(piece - 1, other, touch, side, -1.0);
  }
  return true;
}

// Whether the other end of a common part that has shrunk to a point is in the list already.
static bool is_there(const CpsTouch* touches, int count, const CpsTouch* touch, double length) {
  for (int i = 0; i < count; i++) {
    const CpsVec3 d = cps_vec3_sub(touches[i].point_a, touch->point_a);
    if (cps_vec3_norm(d) <= end_part * length) return true;
  }
  return false;
}

int cps_chain_own(const CpsCollider* colliders, int32_t a, int32_t b, CpsTouch* touches, int count) {
  const CpsCollider *p = &colliders[a], *q = &colliders[b];
  const double length = 2.0 * (p->joined != 0 ? p : q)->geom->half_length;
  int kept = 0;
  for (int i = 0; i < count; i++) {
    if (!owns(p, q, &touches[i], count, 0) || !owns(q, p, &touches[i], count, 1)) continue;
    if (is_there(touches, kept, &touches[i], length)) continue;
    if (kept != i) touches[kept] = touches[i];
    kept++;
  }
  return kept;
}
