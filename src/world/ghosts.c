// Contacts of lines that are only possible: they must not push.
//
// A contact bounds the motion by the tangent plane at the nearest points, u_N >= -gap / h. What passes beside something round
// or behind an edge at high speed crosses that plane without ever touching: the plane is a wall that is not there. So where a
// contact would push, the two are moved along the straight ways of the velocities before and without impulses, W = h u, by
// conservative advancement
//
//   t <- t + D(t) / |W|,                                                                                               (1)
//
// D their distance. If they stay apart on both ways, by more than a part of the radius and by how far their points may leave
// these ways (reach), there is no contact. Should impulses of others bring them together all the same, passes.c sees it.
#include "world/world.h"

#include "contact/chain.h"
#include "geometry/pairs.h"

#include <math.h>

static const double CLEAR = 0.05, FAST = 0.5;  // in radii
enum { MOST = 100 };

// Whether a, translated along `way`, keeps the distance `clear` from b.
static bool stays_clear(const CpsCollider* a, const CpsCollider* b, CpsVec3 way, double clear) {
  const double length = cps_vec3_norm(way);
  CpsConvex one, other;
  CpsTouch touches[CPS_TOUCH_MAX];
  cps_place(a->geom, &a->pose, &one);
  cps_place(b->geom, &b->pose, &other);
  double t = 0.0;
  for (int k = 0; k < MOST; ++k) {
    one.pose.position = cps_vec3_axpy(a->pose.position, t, way);
    const int count = cps_collide_placed(&one, &other, length * (1.0 - t) + clear, touches);
    if (count == 0) return true;
    double gap = touches[0].gap;
    for (int i = 1; i < count; ++i) gap = fmin(gap, touches[i].gap);
    if (gap <= clear) return false;
    if (t >= 1.0) return true;
    t = fmin(1.0, t + gap / length);  // (1)
  }
  return false;
}

bool cps_contact_is_ghost(const CpsStep* step, const CpsCollider* a, const CpsCollider* b, const CpsStepContact* t) {
  if (!cps_is_line_piece(a) && !cps_is_line_piece(b)) return false;
  const double h = step->model.h, r = cps_is_line_piece(a) ? a->geom->radius : b->geom->radius;
  const double clear = CLEAR * r + a->reach + b->reach;
  const double closing = h * fmin(t->before[0], t->free[0]);
  // only contacts that are open, would push, and close fast: slow ones keep the contacts that they will need
  if (t->touch.gap <= clear || t->touch.gap + closing >= 0.0 || closing > -FAST * r) return false;
  const double* u[2] = {t->before, t->free};
  for (int k = 0; k < 2; ++k) {
    const CpsVec3 way = cps_mat3_apply_transposed(t->frame, cps_vec3(h * u[k][0], h * u[k][1], h * u[k][2]));
    if (!stays_clear(a, b, way, clear)) return false;
  }
  return true;
}
