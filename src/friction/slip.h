// One sliding contact, from its block of stick.h: the root of local/enum.c, eq. (3), from data already available.
//
// With u = (W r)_i + b_i, the velocity at the present r_i, Wbar and adj(Wbar) of stick.h:
//
//   b_N = u_N - (w_N r_N + row.r_T),   h = u_T - row u_N / w_N - Wbar r_T,   B = adj(Wbar) h                          (1)
//   q(alpha) = -b_N alpha^2 + (row.h - b_N tr Wbar) alpha + row.B - b_N det Wbar                                     (2)
//   F(alpha) = q(alpha) - (w_N / mu) ||B + alpha h|| = 0,   alpha > 0                                                (3)
//   r_T = -(B + alpha h) / (alpha^2 + alpha tr Wbar + det Wbar),   r_N = -(b_N + row.r_T) / w_N                      (4)
//
// Newton's method solves (3) on q / ||B + alpha h||, which is nearly linear, from the alpha of the present r and u. If three
// roots are possible, or an iterate becomes negative, the enumeration takes over.
#ifndef CAPSTAN_FRICTION_SLIP_H
#define CAPSTAN_FRICTION_SLIP_H

#include "friction/stick.h"

#include <math.h>

// Can q^2 - n2 alpha^2 - 2 n1 alpha - n0, with the coefficients of q, have more than one positive root? (Descartes' rule of
// signs on its five coefficients.)
static inline bool cps_slip_has_three_roots(double q2, double q1, double q0, double n2, double n1, double n0) {
  bool c0 = q0 * q0 >= n0, c1 = q1 * q0 >= n1, c2 = q1 * q1 + 2.0 * q2 * q0 >= n2, c3 = q2 * q1 >= 0.0;
  return !c3 + (c3 != c2) + (c2 != c1) + (c1 != c0) > 1;
}

// Replaces r by the sliding impulse. False: r is unchanged. u: neither take-off nor sticking holds.
static inline bool cps_slip(const CpsStickBlock* k, double mu, const double* u, double* r) {
  if (!(k->inv_det > 0.0 && mu > 0.0)) return false;
  double a = k->adj[2], b = -k->adj[1], d = k->adj[0], trace = a + d, det = a * d - b * b;
  double b_N = u[0] - (k->w_N * r[0] + k->row[0] * r[1] + k->row[1] * r[2]), part = u[0] * k->inv_w_N;
  double h0 = u[1] - k->row[0] * part - (a * r[1] + b * r[2]), h1 = u[2] - k->row[1] * part - (b * r[1] + d * r[2]);
  double B0 = d * h0 - b * h1, B1 = a * h1 - b * h0, kappa = k->w_N / mu;
  double q2 = -b_N, q1 = k->row[0] * h0 + k->row[1] * h1 - b_N * trace,
         q0 = k->row[0] * B0 + k->row[1] * B1 - b_N * det;
  double BB = B0 * B0 + B1 * B1, hB = h0 * B0 + h1 * B1, hh = h0 * h0 + h1 * h1, kappa2 = kappa * kappa;
  if (cps_slip_has_three_roots(q2, q1, q0, kappa2 * hh, kappa2 * hB, kappa2 * BB)) return false;
  double work = u[1] * r[1] + u[2] * r[2], square = r[1] * r[1] + r[2] * r[2];
  double alpha = work < 0.0 ? -work / square : fmax(0.0, (kappa * sqrt(hh) - q1) / q2 + hB / hh);
  bool settled = false;
  for (int iteration = 0; iteration < 12 && !settled; ++iteration) {
    double q = (q2 * alpha + q1) * alpha + q0, dq = 2.0 * q2 * alpha + q1, m = hh * alpha + hB;
    double nn = (m + hB) * alpha + BB;
    double next = alpha - (q - kappa * sqrt(nn)) * nn / (dq * nn - q * m);
    if (!(next > 0.0)) return false;
    // Newton's steps converge quadratically: the error after this one is its square
    settled = fabs(next - alpha) <= 1e-7 * (next + trace);
    alpha = next;
  }
  double factor = -1.0 / ((alpha + trace) * alpha + det);
  double x1 = factor * (B0 + alpha * h0), x2 = factor * (B1 + alpha * h1);
  double x0 = -(b_N + k->row[0] * x1 + k->row[1] * x2) * k->inv_w_N;
  if (!settled || !(x0 > 0.0 && x0 < INFINITY)) return false;
  r[0] = x0;
  r[1] = x1;
  r[2] = x2;
  return true;
}

#endif
