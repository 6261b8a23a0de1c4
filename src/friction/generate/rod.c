// Super-helix kinematics with Stumpff functions c_n(y) = sum_j (-y)^j / (2j + n)!, for a piece of length a of element
// i:
//
//   v = a k_i, y = |v|^2, e = e_x:   w(v) = c1 e + c2 v×e + c3 v (v.e),   E(v) = exp [v]x                          (1)
//   x <- x + a R w,   R <- R E                                                                                    (2)
//   J <- J - [a R w]x Th,   J_i += a^2 R dw/dv,   Th_i += a R (I + c2 [v]x + c3 [v]x^2)                             (3)
//   dw/dv = 2 (c1' e + c2' v×e + c3' v (v.e)) v^T - c2 [e]x + c3 (v e^T + (v.e) I),  c_n' = (n c_{n+2} - c_{n+1})/2 (4)
//
// J is dx/dk and Th the rotation of the frame, both 3 x dofs. Source: super-helices (Bertails et al. 2006) in the
// division-free form cited in docs/reference/generated-problems.md. A point depends on the preceding elements only.
#include "friction/generate/rod.h"

#include <string.h>

// c[1] … c[5]
static void stumpff(double y, double c[6]) {
  if (y < 1.0) {
    // ten terms of the series reach rounding for y < 1; the lower functions follow by c_n = 1/n! - y c_{n+2}
    double term4 = 1.0 / 24.0, term5 = 1.0 / 120.0;
    c[4] = c[5] = 0.0;
    for (int j = 0; j < 10; ++j) {
      c[4] += term4;
      c[5] += term5;
      term4 *= -y / ((2.0 * j + 5.0) * (2.0 * j + 6.0));
      term5 *= -y / ((2.0 * j + 6.0) * (2.0 * j + 7.0));
    }
    c[3] = 1.0 / 6.0 - y * c[5];
    c[2] = 0.5 - y * c[4];
    c[1] = 1.0 - y * c[3];
  } else {
    double root = sqrt(y);
    c[1] = sin(root) / root;
    c[2] = (1.0 - cos(root)) / y;
    c[3] = (1.0 - c[1]) / y;
    c[4] = (0.5 - c[2]) / y;
    c[5] = (1.0 / 6.0 - c[3]) / y;
  }
}

static void add_block(double* J, int dofs, int column, double scale, CpsMat3 A) {
  for (int row = 0; row < 3; ++row)
    for (int k = 0; k < 3; ++k) J[row * dofs + column + k] += scale * A.m[3 * row + k];
}

// J <- J - [d]x Th on the first `columns` columns
static void carry(double* J, const double* Th, int dofs, int columns, CpsVec3 d) {
  for (int k = 0; k < columns; ++k) {
    CpsVec3 moved = cps_vec3_cross(d, cps_vec3(Th[k], Th[dofs + k], Th[2 * dofs + k]));
    J[k] -= moved.x;
    J[dofs + k] -= moved.y;
    J[2 * dofs + k] -= moved.z;
  }
}

void cps_rod_at(const CpsRod* rod, double s, CpsVec3* x, CpsVec3* tangent, double* J) {
  const CpsVec3 e = cps_vec3(1.0, 0.0, 0.0);
  const CpsMat3 identity = cps_mat3_identity();
  int dofs = rod->dofs, elements = dofs / 3;
  double element_length = rod->length / elements;
  double Th[3 * CPS_ROD_DOFS_MAX];
  CpsMat3 R = rod->frame;
  *x = rod->root;
  if (J) {
    memset(Th, 0, sizeof(double) * 3 * (size_t)dofs);
    memset(J, 0, sizeof(double) * 3 * (size_t)dofs);
  }
  for (int i = 0; i < elements && s > i * element_length; ++i) {
    double a = fmin(s - i * element_length, element_length);
    CpsVec3 v = cps_vec3_scale(a, cps_vec3(rod->k[3 * i], rod->k[3 * i + 1], rod->k[3 * i + 2]));
    double c[6];
    stumpff(cps_vec3_dot(v, v), c);
    CpsVec3 v_cross_e = cps_vec3_cross(v, e);
    CpsVec3 w = cps_vec3_axpy(cps_vec3_axpy(cps_vec3_scale(c[1], e), c[2], v_cross_e), c[3] * v.x, v);
    CpsVec3 d = cps_vec3_scale(a, cps_mat3_apply(R, w));
    CpsMat3 cross = cps_mat3_cross(v), cross2 = cps_mat3_multiply(cross, cross);
    if (J) {
      double c1 = 0.5 * (c[3] - c[2]), c2 = 0.5 * (2.0 * c[4] - c[3]), c3 = 0.5 * (3.0 * c[5] - c[4]);
      CpsVec3 slope = cps_vec3_axpy(cps_vec3_axpy(cps_vec3_scale(c1, e), c2, v_cross_e), c3 * v.x, v);
      CpsMat3 dw = cps_mat3_outer(cps_vec3_scale(2.0, slope), v);
      dw = cps_mat3_axpy(dw, -c[2], cps_mat3_cross(e));
      dw = cps_mat3_axpy(dw, c[3], cps_mat3_outer(v, e));
      dw = cps_mat3_axpy(dw, c[3] * v.x, identity);
      CpsMat3 turn = cps_mat3_axpy(cps_mat3_axpy(identity, c[2], cross), c[3], cross2);
      carry(J, Th, dofs, 3 * i, d);
      add_block(J, dofs, 3 * i, a * a, cps_mat3_multiply(R, dw));
      add_block(Th, dofs, 3 * i, a, cps_mat3_multiply(R, turn));
    }
    *x = cps_vec3_add(*x, d);
    R = cps_mat3_multiply(R, cps_mat3_axpy(cps_mat3_axpy(identity, c[1], cross), c[2], cross2));
  }
  *tangent = cps_vec3(R.m[0], R.m[3], R.m[6]);
}
