// Small decompositions by Jacobi rotations. The singular values are found by rotating the columns of F until they are orthogonal
// (Hestenes), which keeps small ones accurate.
#include "model/solid_law.h"

enum { SWEEPS = 30 };
static const double ENOUGH = 1e-15;  // cosine between two orthogonal columns

static CpsVec3 column(const CpsMat3* A, int i) {
  return cps_vec3(A->m[i], A->m[3 + i], A->m[6 + i]);
}

static void set_column(CpsMat3* A, int i, CpsVec3 a) {
  A->m[i] = a.x, A->m[3 + i] = a.y, A->m[6 + i] = a.z;
}

// Columns p and q of A times [c s; -s c].
static void turn(CpsMat3* A, int p, int q, double c, double s) {
  for (int i = 0; i < 9; i += 3) {
    double x = A->m[i + p], y = A->m[i + q];
    A->m[i + p] = c * x - s * y;
    A->m[i + q] = s * x + c * y;
  }
}

// c and s that make the off-diagonal entry b of [a b; b d] zero.
static void angle_of(double a, double b, double d, double* c, double* s) {
  double zeta = (d - a) / (2.0 * b);
  double t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
  *c = 1.0 / sqrt(1.0 + t * t);
  *s = t * *c;
}

static void swap(CpsMat3* A, CpsMat3* V, double s[3], int p, int q) {
  CpsVec3 a = column(A, p), v = column(V, p);
  double n = s[p];
  set_column(A, p, column(A, q));
  set_column(V, p, column(V, q));
  s[p] = s[q];
  set_column(A, q, cps_vec3_scale(-1.0, a));
  set_column(V, q, cps_vec3_scale(-1.0, v));
  s[q] = n;
}

void cps_mat3_svd(const CpsMat3* F, CpsMat3* U, double s[3], CpsMat3* V) {
  CpsMat3 A = *F;
  *V = cps_mat3_identity();
  bool turned = true;
  for (int sweep = 0; sweep < SWEEPS && turned; ++sweep) {
    turned = false;
    for (int p = 0; p < 2; ++p) {
      for (int q = p + 1; q < 3; ++q) {
        CpsVec3 x = column(&A, p), y = column(&A, q);
        double a = cps_vec3_dot(x, x), b = cps_vec3_dot(x, y), d = cps_vec3_dot(y, y), c, w;
        if (!(fabs(b) > ENOUGH * sqrt(a * d))) continue;
        angle_of(a, b, d, &c, &w);
        turn(&A, p, q, c, w);
        turn(V, p, q, c, w);
        turned = true;
      }
    }
  }
  for (int i = 0; i < 3; ++i) s[i] = cps_vec3_norm(column(&A, i));
  if (s[0] < s[1]) swap(&A, V, s, 0, 1);
  if (s[1] < s[2]) swap(&A, V, s, 1, 2);
  if (s[0] < s[1]) swap(&A, V, s, 0, 1);
  // U: for a column of zero length, any direction orthogonal to the others
  CpsMat3 frame = cps_mat3_frame(s[0] > 0.0 ? cps_vec3_scale(1.0 / s[0], column(&A, 0)) : cps_vec3(1.0, 0.0, 0.0),
                                 s[1] > 0.0 ? column(&A, 1) : cps_vec3(0.0, 1.0, 0.0));
  *U = cps_mat3_transposed(frame);
  s[2] = cps_vec3_dot(column(U, 2), column(&A, 2));
}

void cps_mat3_eigen(const CpsMat3* M, double value[3], CpsMat3* V) {
  CpsMat3 A = *M;
  *V = cps_mat3_identity();
  for (int sweep = 0; sweep < SWEEPS; ++sweep) {
    double off = fabs(A.m[1]) + fabs(A.m[2]) + fabs(A.m[5]);
    if (!(off > 0.0)) break;
    for (int p = 0; p < 2; ++p) {
      for (int q = p + 1; q < 3; ++q) {
        double a = A.m[4 * p], b = A.m[3 * p + q], d = A.m[4 * q], c, s;
        if (!(fabs(b) > 1e-17 * (fabs(a) + fabs(d)))) {
          A.m[3 * p + q] = A.m[3 * q + p] = 0.0;
          continue;
        }
        angle_of(a, b, d, &c, &s);
        turn(&A, p, q, c, s);
        A = cps_mat3_transposed(A);
        turn(&A, p, q, c, s);
        A.m[3 * p + q] = A.m[3 * q + p] = 0.0;
        turn(V, p, q, c, s);
      }
    }
  }
  for (int i = 0; i < 3; ++i) value[i] = A.m[4 * i];
}
