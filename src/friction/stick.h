// W_ii of one contact in a form that decides take-off and sticking.
//
// With u = (W r)_i + b_i, the velocity at the present r_i, and W_ii = [w_N row; row^T W_TT] symmetric:
//
//   take-off   u_N - (w_N r_N + row.r_T) >= 0:   r_i <- 0                                                          (1)
//   stick      r_i <- r_i - W_ii^-1 u, kept if it is in the cone                                                   (2)
//
// (2) is solved by the Schur complement Wbar = W_TT - row^T row / w_N, whose adjugate and determinant are stored.
// Because it corrects r_i, it is as accurate as u.
#ifndef CAPSTAN_FRICTION_STICK_H
#define CAPSTAN_FRICTION_STICK_H

#include <stdbool.h>

typedef struct CpsStickBlock {
  double w_N, inv_w_N;
  double row[2];   // W_NT
  double adj[3];   // adj(Wbar): (0,0), (0,1), (1,1)
  double inv_det;  // of Wbar; 0 if the block is badly conditioned and left to the general solver
} CpsStickBlock;

// The block of W, its upper triangle row by row.
static inline CpsStickBlock cps_stick_block(const double W[6], double trace) {
  const double well_conditioned = 1e-6;  // smallest eigenvalue relative to the trace
  CpsStickBlock block = {.w_N = W[0], .row = {W[1], W[2]}};
  if (!(W[0] > well_conditioned * trace)) return block;
  block.inv_w_N = 1.0 / W[0];
  double a = W[3] - W[1] * W[1] * block.inv_w_N, b = W[4] - W[1] * W[2] * block.inv_w_N;
  double d = W[5] - W[2] * W[2] * block.inv_w_N, det = a * d - b * b;
  block.adj[0] = d;
  block.adj[1] = -b;
  block.adj[2] = a;
  // det / (a + d) is below the smallest eigenvalue of Wbar
  if (det > well_conditioned * trace * (a + d)) block.inv_det = 1.0 / det;
  return block;
}

// (2); false if it leaves the cone or the block is badly conditioned.
static inline bool cps_stick_in_cone(const CpsStickBlock* k, double mu, const double* u, double* r) {
  double part = u[0] * k->inv_w_N, h0 = u[1] - k->row[0] * part, h1 = u[2] - k->row[1] * part;
  double t0 = -(k->adj[0] * h0 + k->adj[1] * h1) * k->inv_det, t1 = -(k->adj[1] * h0 + k->adj[2] * h1) * k->inv_det;
  double x0 = r[0] - (u[0] + k->row[0] * t0 + k->row[1] * t1) * k->inv_w_N, x1 = r[1] + t0, x2 = r[2] + t1;
  double limit = mu * x0;
  if (!(k->inv_det > 0.0 && x0 > 0.0 && x1 * x1 + x2 * x2 <= limit * limit)) return false;
  r[0] = x0;
  r[1] = x1;
  r[2] = x2;
  return true;
}

// (1) and (2); false if neither holds.
static inline bool cps_stick_or_release(const CpsStickBlock* k, double mu, const double* u, double* r) {
  double b_N = u[0] - (k->w_N * r[0] + k->row[0] * r[1] + k->row[1] * r[2]);
  if (b_N >= 0.0) {
    r[0] = r[1] = r[2] = 0.0;
    return true;
  }
  return cps_stick_in_cone(k, mu, u, r);
}

#endif
