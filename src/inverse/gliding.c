// Contacts without friction in the stability of fibres: they hold along the normal only, and their force turns where the fibre glides.
//
// With g the gap, the energy of fibres under a normal force N has the part -N d2g/dx2. The gap of two points that touch has
//
//   d2g = dx.H dx,       H >= 0 across the normal n                                                                (1)
//
// On an obstacle H is the curvature of its surface at the distance of the axis: 1/(R + r) on a ball, and across a cylinder, 0 on a plane,
// 1/r on an edge. It is found by second differences of the gap, so that obstacles of any shape have it. The contact moves on to the
// nearest point of the fibre, with t its tangent and k its curvature, which is at most |k| away from the obstacle,
//
//   d2g <= dx.H dx - (n.dt + t.H dx)^2 / (t.H t + |k|)                                                             (2)
//
// Between two fibres with axes D apart,
//
//   d2g = |dx_a - dx_b|^2 / D <= (2 |dx_a|^2 + 2 |dx_b|^2) / D      across the normal                              (3)
//
// so that each fibre bears -2 N / D. Where each is stable with that, all are together. The opposite is not true: contacts that would be
// stable may be given up.
#include "inverse/explain.h"

#include "geometry/pairs.h"

#include <math.h>

static const double APART = 1e-2;  // relative to the radius: distance of points in the finite difference
static const double END = 1e-6;    // relative to the length: a contact this near to an end stays at the end
static const double FLAT = 1e-3;   // curvature relative to that of the length

// The gap of a ball centred on the axis.
static double gap_at(const CpsConvex* part, CpsVec3 centre, double radius) {
  const CpsGeom ball = {
      .kind = CPS_SHAPE_SPHERE, .radius = radius, .both_sides = true, .inner_radius = radius, .outer_radius = radius};
  const CpsPose pose = {centre, cps_quat_identity()};
  CpsConvex one;
  CpsTouch touches[CPS_TOUCH_MAX];
  cps_place(&ball, &pose, &one);
  const int count = cps_collide_placed(&one, part, radius, touches);
  double gap = radius;
  for (int i = 0; i < count; ++i) gap = fmin(gap, touches[i].gap);
  return gap;
}

// Entries 11, 22 and 12 of H, 1/m, in two perpendicular unit directions across the normal.
static void curvature_of(const CpsWorld* world, const CpsStepContact* t, CpsVec3 axis, double radius,
                         const CpsVec3 across[2], double H[3]) {
  const CpsObstacle* o = &world->obstacles[t->obstacle];
  const CpsPiece* piece = &o->pieces.piece[t->spot_b.piece];
  const CpsPose pose = cps_pose_multiply(o->now, piece->pose);
  const double apart = APART * radius;
  CpsConvex part;
  cps_place(piece->geom, &pose, &part);
  const double here = gap_at(&part, axis, radius);
  const CpsVec3 ways[3] = {across[0], across[1], cps_vec3_unit(cps_vec3_add(across[0], across[1]))};
  for (int k = 0; k < 3; ++k) {
    const double left = gap_at(&part, cps_vec3_axpy(axis, -apart, ways[k]), radius);
    const double right = gap_at(&part, cps_vec3_axpy(axis, apart, ways[k]), radius);
    H[k] = (left + right - 2.0 * here) / (apart * apart);
  }
  H[2] -= 0.5 * (H[0] + H[1]);
}

static void add_turn(CpsRodTouch* touch, CpsVec3 along, CpsVec3 slope, double stiffness) {
  touch->turn[touch->turn_count].along = along;
  touch->turn[touch->turn_count].slope = slope;
  touch->turn[touch->turn_count++].stiffness = stiffness;
}

// (1) by its principal directions, none of which is assumed to hold; and (2).
static void glide_on_obstacle(const CpsWorld* world, const CpsStepContact* t, const CpsFibre* own, double N,
                              CpsRodTouch* touch) {
  const CpsVec3 n = touch->normal, none = {0.0, 0.0, 0.0};
  const CpsVec3 across[2] = {cps_vec3_get(t->frame.m + 3), cps_vec3_get(t->frame.m + 6)};
  double H[3];
  curvature_of(world, t, cps_vec3_axpy(t->touch.point_a, own->radius, n), own->radius, across, H);
  const double mean = 0.5 * (H[0] + H[1]), half = 0.5 * (H[0] - H[1]), angle = 0.5 * atan2(H[2], half);
  const double c[2] = {fmax(mean + hypot(half, H[2]), 0.0), fmax(mean - hypot(half, H[2]), 0.0)};
  const CpsVec3 first = cps_vec3_axpy(cps_vec3_scale(cos(angle), across[0]), sin(angle), across[1]);
  const CpsVec3 second = cps_vec3_axpy(cps_vec3_scale(-sin(angle), across[0]), cos(angle), across[1]);
  add_turn(touch, first, none, -N * c[0]);
  add_turn(touch, second, none, -N * c[1]);
  const double L = own->rod.spec.length;
  if (touch->s < END * L || touch->s > (1.0 - END) * L) return;
  const CpsRodPoint at = own->rod.type->at(&own->rod, touch->s);
  const CpsVec3 tangent = cps_vec3(at.frame.m[0], at.frame.m[3], at.frame.m[6]);
  const double one = c[0] * cps_vec3_dot(first, tangent), two = c[1] * cps_vec3_dot(second, tangent);
  const CpsVec3 Ht = cps_vec3_axpy(cps_vec3_scale(one, first), two, second);
  const double tHt = cps_vec3_dot(tangent, Ht);
  if (tHt * L > FLAT) add_turn(touch, Ht, n, N / (tHt + hypot(at.curvature.y, at.curvature.z)));
}

void cps_explain_glide(const CpsExplain* e, const CpsHolding* holding, int side, double N, CpsRodTouch* touch) {
  const CpsStepContact* t = &e->step->contacts.contact[holding->contact];
  const CpsFibre* own = e->held[holding->fibre[side]].fibre;
  touch->glides = true;
  touch->normal = t->touch.normal;
  if (holding->fibre[1 - side] < 0) {
    glide_on_obstacle(e->world, t, own, N, touch);
    return;
  }
  const double apart = own->radius + e->held[holding->fibre[1 - side]].fibre->radius + t->touch.gap;
  for (int k = 1; k < 3; ++k) {
    add_turn(touch, cps_vec3_get(t->frame.m + 3 * k), cps_vec3(0.0, 0.0, 0.0), -2.0 * N / apart);
  }
}
