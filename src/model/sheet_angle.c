// Angle of a hinge. With E = b - a, l = |E|, normals N1 = E x (c - a), N2 = -E x (d - b):
//
//   theta = atan2(l-component of N2 x N1 along E, N1.N2)                                                        (1)
//   g_c = l N1/|N1|^2,   g_d = l N2/|N2|^2                                                                      (2)
//   g_a = -(1 - s_c) g_c - (1 - s_d) g_d,   g_b = -s_c g_c - s_d g_d,   s_p = (p - a).E / l^2                   (3)
//
// (2) rotates a flap about its edge; (3) follows because a translation or rotation of all four points must not change the angle
// (Bridson et al. 2003). The second derivatives are those of (2) and (3), term by term. They are symmetric because theta is a
// scalar function, not by construction.
#include "model/sheet_angle.h"

enum { A, B, C, D };

double cps_hinge_angle(const CpsVec3 x[4]) {
  CpsVec3 E = cps_vec3_sub(x[B], x[A]);
  CpsVec3 N1 = cps_vec3_cross(E, cps_vec3_sub(x[C], x[A])), N2 = cps_vec3_cross(cps_vec3_sub(x[D], x[B]), E);
  double l = cps_vec3_norm(E);
  return atan2(cps_vec3_dot(cps_vec3_cross(N2, N1), E) / (l > 0.0 ? l : 1.0), cps_vec3_dot(N1, N2));
}

double cps_hinge_gradient(const CpsVec3 x[4], CpsVec3 gradient[4]) {
  CpsVec3 E = cps_vec3_sub(x[B], x[A]), c = cps_vec3_sub(x[C], x[A]), d = cps_vec3_sub(x[D], x[A]);
  CpsVec3 N1 = cps_vec3_cross(E, c), N2 = cps_vec3_cross(d, E);
  double ll = cps_vec3_dot(E, E), l = sqrt(ll);
  double sc = cps_vec3_dot(c, E) / ll, sd = cps_vec3_dot(d, E) / ll;
  CpsVec3 gc = cps_vec3_scale(l / cps_vec3_dot(N1, N1), N1), gd = cps_vec3_scale(l / cps_vec3_dot(N2, N2), N2);
  gradient[A] = cps_vec3_add(cps_vec3_scale(sc - 1.0, gc), cps_vec3_scale(sd - 1.0, gd));
  gradient[B] = cps_vec3_add(cps_vec3_scale(-sc, gc), cps_vec3_scale(-sd, gd));
  gradient[C] = gc;
  gradient[D] = gd;
  return atan2(cps_vec3_dot(cps_vec3_cross(N2, N1), E) / l, cps_vec3_dot(N1, N2));
}

// One flap: derivatives of g = l N/|N|^2 and of s with respect to a, b and its tip p; N = side E x (p - a).
typedef struct Flap {
  CpsVec3 g;
  double s;
  CpsMat3 dg[3];  // with respect to a, b, p
  CpsVec3 ds[3];
} Flap;

static Flap make_flap(CpsVec3 a, CpsVec3 b, CpsVec3 p, double side) {
  Flap f;
  CpsVec3 E = cps_vec3_sub(b, a), q = cps_vec3_sub(p, a), N = cps_vec3_scale(side, cps_vec3_cross(E, q));
  double ll = cps_vec3_dot(E, E), l = sqrt(ll), nn = cps_vec3_dot(N, N);
  f.g = cps_vec3_scale(l / nn, N);
  f.s = cps_vec3_dot(q, E) / ll;
  // d(N/|N|^2) = (I - 2 N N^T/|N|^2)/|N|^2 dN
  CpsMat3 turn = cps_mat3_axpy(cps_mat3_scale(l / nn, cps_mat3_identity()), -2.0 * l / (nn * nn), cps_mat3_outer(N, N));
  CpsMat3 by_b = cps_mat3_cross(cps_vec3_scale(-side, q)), by_p = cps_mat3_cross(cps_vec3_scale(side, E));
  CpsMat3 length = cps_mat3_outer(cps_vec3_scale(1.0 / (nn * l), N), E);  // N/|N|^2 dl
  f.dg[1] = cps_mat3_axpy(cps_mat3_multiply(turn, by_b), 1.0, length);
  f.dg[2] = cps_mat3_multiply(turn, by_p);
  f.dg[0] = cps_mat3_scale(-1.0, cps_mat3_axpy(f.dg[1], 1.0, f.dg[2]));
  f.ds[2] = cps_vec3_scale(1.0 / ll, E);
  f.ds[1] = cps_vec3_scale(1.0 / ll, cps_vec3_axpy(q, -2.0 * f.s, E));
  f.ds[0] = cps_vec3_scale(-1.0, cps_vec3_add(f.ds[1], f.ds[2]));
  return f;
}

void cps_hinge_hessian(const CpsVec3 x[4], CpsMat3 hessian[4][4]) {
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) hessian[i][j] = (CpsMat3){{0}};
  }
  for (int side = 0; side < 2; ++side) {
    int tip = side == 0 ? C : D;
    Flap f = make_flap(x[A], x[B], x[tip], side == 0 ? 1.0 : -1.0);
    const int column[3] = {A, B, tip};
    for (int k = 0; k < 3; ++k) {
      int j = column[k];
      CpsMat3 moved = cps_mat3_outer(f.g, f.ds[k]);
      hessian[tip][j] = cps_mat3_axpy(hessian[tip][j], 1.0, f.dg[k]);
      hessian[A][j] = cps_mat3_axpy(cps_mat3_axpy(hessian[A][j], f.s - 1.0, f.dg[k]), 1.0, moved);
      hessian[B][j] = cps_mat3_axpy(cps_mat3_axpy(hessian[B][j], -f.s, f.dg[k]), -1.0, moved);
    }
  }
}
