// One contact under the law `convex`, from its block in stick.h:  r in K_mu,  u in K_mu^*,  r.u = 0.                    (1)
//
// With u = (W r)_i + b_i, the velocity at the present r_i, and b the velocity without the contact's own impulse:
//
//   take-off   b_N >= mu ||b_T||:   r_i <- 0                                                                          (2)
//   stick      r_i <- r_i - W_ii^-1 u, kept if it is in the cone                                                      (3)
//   boundary   r = t v,  v = (1, mu n),  ||n|| = 1:   u.v = 0,  u.v' = 0,  v' = (0, mu n'),  n' = n turned by 90 degrees (4)
//
// The best impulse along v has t = -b.v / v.W v, which leaves one equation for the direction n(theta),
//
//   g = (b_T.n') A - (b.v) C = 0,   A = v.W v,  C = v.W v' / mu                                                       (5)
//   dg/dtheta = -(b_T.n) A + mu (b_T.n') C - (b.v) (mu (n'.W_TT n' - n.W_TT n) - row.n)
//
// g has the sign of the derivative of the energy -(b.v)^2 / 2A along the boundary. Newton's method on g starts from the direction of
// the present r_i. (1) is the optimality condition of a convex problem: t > 0 with u_T.n <= 0 is the solution, whatever the start. If
// Newton's method does not find it, local/enum_convex.c takes over.
#ifndef CAPSTAN_FRICTION_CONE_H
#define CAPSTAN_FRICTION_CONE_H

#include "friction/stick.h"

#include <math.h>

// b of the contact from u and r.
static inline void cps_cone_free_velocity(const CpsStickBlock* k, const double* u, const double* r, double* b) {
  const double part = u[0] * k->inv_w_N, aa = k->adj[2], ab = -k->adj[1], bb = k->adj[0];  // Wbar
  b[0] = u[0] - (k->w_N * r[0] + k->row[0] * r[1] + k->row[1] * r[2]);
  const double back = b[0] * k->inv_w_N - part;
  b[1] = u[1] + k->row[0] * back - (aa * r[1] + ab * r[2]);
  b[2] = u[2] + k->row[1] * back - (ab * r[1] + bb * r[2]);
}

// (4) and (5) from b; on false, r is unchanged.
static inline bool cps_cone_slip(const CpsStickBlock* k, double mu, const double* b, double* r) {
  const double aa = k->adj[2] + k->row[0] * k->row[0] * k->inv_w_N, ab = k->row[0] * k->row[1] * k->inv_w_N - k->adj[1];
  const double bb = k->adj[0] + k->row[1] * k->row[1] * k->inv_w_N;  // W_TT
  double n0 = r[1], n1 = r[2], size = n0 * n0 + n1 * n1;
  // a direction without descent is not a starting point
  if (!(size > 0.0 && b[0] * sqrt(size) + mu * (b[1] * n0 + b[2] * n1) < 0.0)) {
    n0 = -b[1], n1 = -b[2], size = n0 * n0 + n1 * n1;
    if (!(size > 0.0)) n0 = size = 1.0;
  }
  bool settled = false;
  for (int iteration = 0; iteration < 16; ++iteration) {
    const double inverse = 1.0 / sqrt(size);
    n0 *= inverse, n1 *= inverse;
    const double Tn0 = aa * n0 + ab * n1, Tn1 = ab * n0 + bb * n1, nTn = n0 * Tn0 + n1 * Tn1;
    const double along = k->row[0] * n0 + k->row[1] * n1, across = k->row[1] * n0 - k->row[0] * n1;
    const double b_n = b[1] * n0 + b[2] * n1, b_m = b[2] * n0 - b[1] * n1;
    const double A = k->w_N + mu * (2.0 * along + mu * nTn), C = across + mu * (n0 * Tn1 - n1 * Tn0);
    const double b_v = b[0] + mu * b_n;
    if (settled) {
      const double t = -b_v / A;
      if (!(t > 0.0 && t < INFINITY && b_n + t * (along + mu * nTn) <= 0.0)) return false;
      r[0] = t;
      r[1] = mu * t * n0;
      r[2] = mu * t * n1;
      return true;
    }
    // n'.W_TT n' = tr W_TT - n.W_TT n
    const double g = b_m * A - b_v * C, slope = mu * b_m * C - b_n * A - b_v * (mu * (aa + bb - 2.0 * nTn) - along);
    // where the energy is not convex in theta, still go downhill
    const double turn = slope > 0.0 ? -g / slope : copysign(0.5, -g);
    // Newton's steps converge quadratically: the error after this one is its square
    settled = fabs(turn) <= 1e-8;
    const double old = n0;
    n0 -= turn * n1;
    n1 += turn * old;
    size = 1.0 + turn * turn;
  }
  return false;
}

// (2) to (4); false if none applies.
static inline bool cps_cone_solve(const CpsStickBlock* k, double mu, const double* u, double* r) {
  if (!(k->inv_det > 0.0 && mu > 0.0)) return false;
  double b[3];
  cps_cone_free_velocity(k, u, r, b);
  if (b[0] >= 0.0 && b[0] * b[0] >= mu * mu * (b[1] * b[1] + b[2] * b[2])) {
    r[0] = r[1] = r[2] = 0.0;
    return true;
  }
  return cps_stick_in_cone(k, mu, u, r) || cps_cone_slip(k, mu, b, r);
}

#endif
