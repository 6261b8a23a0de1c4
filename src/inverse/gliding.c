// Contacts without friction in the stability of fibres: they hold along the normal only, and their force turns where the fibre glides to
// the side.
//
// With g the gap of the material points that touch, the energy of a fibre under a normal force N has the part
//
//   -N d2g/dx2,     d2g/dx2 = c >= 0 to the side b = n x t across the fibre                                         (1)
//
// along the fibre nothing changes, because its contact moves on to the next point. On an obstacle c is the curvature of the surfaces
// at the distance of the axis: 1/(R + r) on a ball, 0 on a plane and on a cylinder that lies across, 1/r on an edge. It is a second
// difference of the gap, so that obstacles of any shape have one. Between two fibres with axes D apart at the angle phi,
//
//   g = D + (b.(x_a - x_b))^2 cos^2 phi / 2 D,      (b.(x_a - x_b))^2 <= 2 (b.x_a)^2 + 2 (b.x_b)^2                  (2)
//
// so that each fibre bears -2 N cos^2 phi / D. Where each is stable with that, both are together. The contrary is not true: contacts
// that would be stable may be given up for it.
#include "inverse/explain.h"

#include "geometry/pairs.h"

#include <math.h>

static const double APART = 1e-2;  // of the radius: places of the difference

// The gap of a ball in the place of the axis.
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

// How much the gap grows to the side, 1/m.
static double curvature_of(const CpsWorld* world, const CpsStepContact* t, CpsVec3 axis, double radius, CpsVec3 side) {
  const CpsObstacle* o = &world->obstacles[t->obstacle];
  const CpsPiece* piece = &o->pieces.piece[t->spot_b.piece];
  const CpsPose pose = cps_pose_multiply(o->now, piece->pose);
  const double apart = APART * radius;
  CpsConvex part;
  cps_place(piece->geom, &pose, &part);
  const double left = gap_at(&part, cps_vec3_axpy(axis, -apart, side), radius);
  const double right = gap_at(&part, cps_vec3_axpy(axis, apart, side), radius);
  return fmax(0.0, (left + right - 2.0 * gap_at(&part, axis, radius)) / (apart * apart));
}

static CpsVec3 tangent_of(const CpsFibre* fibre, double s) {
  const CpsMat3 frame = fibre->rod.type->at(&fibre->rod, s).frame;
  return cps_vec3(frame.m[0], frame.m[3], frame.m[6]);
}

void cps_explain_glide(const CpsExplain* e, const CpsHolding* holding, int side, double normal, CpsRodTouch* touch) {
  const CpsStepContact* t = &e->step->contacts.contact[holding->contact];
  const CpsFibre* own = e->held[holding->fibre[side]].fibre;
  const CpsVec3 n = t->touch.normal, along = tangent_of(own, touch->s);
  touch->glides = true;
  touch->normal = n;
  touch->side = cps_vec3_unit(cps_vec3_cross(n, along));
  if (holding->fibre[1 - side] < 0) {
    const CpsVec3 axis = cps_vec3_axpy(t->touch.point_a, own->radius, n);
    touch->slip = normal * curvature_of(e->world, t, axis, own->radius, touch->side);
    return;
  }
  const CpsFibre* other = e->held[holding->fibre[1 - side]].fibre;
  const CpsSpot* spot = side == 0 ? &t->spot_b : &t->spot_a;
  const double turn = cps_vec3_dot(along, tangent_of(other, spot->arc));
  const double apart = own->radius + other->radius + t->touch.gap;
  touch->slip = 2.0 * normal * turn * turn / apart;
}
