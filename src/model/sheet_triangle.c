// A triangle as a membrane of constant strain. With F = [f_1 f_2], f_a = sum_i b_i[a] x_i, and a law S(E):
//
//   dE_ab = (f_a.df_b + f_b.df_a)/2,    d psi = S : dE,    g_i = A sum_ab b_i[a] S_ab f_b                                (1)
//   H_(a,b) = sum over strains e, e' of (dE_e/df_a) dS_e/dE_e' (dE_e'/df_b)^T + S_ab I                                  (2)
//
// as 2 x 2 blocks of 3 x 3. The component of each df normal to the triangle involves only S. That 2 x 2 matrix and the 4 x 4 matrix of
// the in-plane components are clamped separately, and the clamped H of (2) is positive semi-definite if they are.
#include <math.h>
#include <string.h>

#include "model/sheet_membrane.h"
#include "sparse/dense.h"

static const double TINY = 1e-13;  // negative eigenvalues below this fraction of the trace are rounding errors

CpsTriangleShape cps_triangle_shape(const CpsVec2 rest[3]) {
  CpsTriangleShape shape;
  double twice = (rest[1].x - rest[0].x) * (rest[2].y - rest[0].y) - (rest[1].y - rest[0].y) * (rest[2].x - rest[0].x);
  for (int i = 0; i < 3; ++i) {
    CpsVec2 p = rest[(i + 1) % 3], q = rest[(i + 2) % 3];
    shape.b[i][0] = (p.y - q.y) / twice;
    shape.b[i][1] = (q.x - p.x) / twice;
  }
  shape.area = 0.5 * twice;
  return shape;
}

// f_a from differences, so a translation adds no more than the rounding of these differences.
static void columns(const CpsTriangleShape* shape, const CpsVec3 x[3], CpsVec3 f[2]) {
  CpsVec3 e = cps_vec3_sub(x[1], x[0]), d = cps_vec3_sub(x[2], x[0]);
  for (int a = 0; a < 2; ++a) f[a] = cps_vec3_axpy(cps_vec3_scale(shape->b[1][a], e), shape->b[2][a], d);
}

static void strain_of(const CpsVec3 f[2], double strain[3]) {
  strain[0] = 0.5 * (cps_vec3_dot(f[0], f[0]) - 1.0);
  strain[1] = 0.5 * (cps_vec3_dot(f[1], f[1]) - 1.0);
  strain[2] = cps_vec3_dot(f[0], f[1]);
}

void cps_triangle_strain(const CpsTriangleShape* shape, const CpsVec3 x[3], double strain[3]) {
  CpsVec3 f[2];
  columns(shape, x, f);
  strain_of(f, strain);
}

// The gradients of (1): P = F S, with the columns f of F.
static void spread(const CpsTriangleShape* shape, const CpsVec3 f[2], const double S[3], CpsVec3 gradient[3]) {
  CpsVec3 P1 = cps_vec3_add(cps_vec3_scale(S[0], f[0]), cps_vec3_scale(S[2], f[1]));
  CpsVec3 P2 = cps_vec3_add(cps_vec3_scale(S[2], f[0]), cps_vec3_scale(S[1], f[1]));
  for (int i = 1; i < 3; ++i) {
    gradient[i] = cps_vec3_scale(shape->area,
                                 cps_vec3_add(cps_vec3_scale(shape->b[i][0], P1), cps_vec3_scale(shape->b[i][1], P2)));
  }
  gradient[0] = cps_vec3_scale(-1.0, cps_vec3_add(gradient[1], gradient[2]));
}

double cps_membrane_force(const CpsMembrane* membrane, const CpsTriangleShape* shape, const CpsVec3 x[3],
                          CpsVec3 gradient[3]) {
  CpsVec3 f[2];
  double strain[3];
  columns(shape, x, f);
  strain_of(f, strain);
  CpsMembraneStress s = cps_membrane_stress(membrane, strain);
  if (gradient) spread(shape, f, s.S, gradient);
  return shape->area * s.energy;
}

// The positive part of a symmetric n x n matrix, n <= 4, row-major. A positive matrix is unchanged.
static void clamp(int n, double* H) {
  double trial[16], trace = 0.0;
  for (int i = 0; i < n; ++i) trace += fabs(H[n * i + i]);
  memcpy(trial, H, (size_t)(n * n) * sizeof *H);
  for (int i = 0; i < n; ++i) trial[n * i + i] += TINY * trace;
  if (trace == 0.0 || cps_dense_cholesky_factor(n, trial, 0.0)) return;
  double value[4], V[16];
  memcpy(trial, H, (size_t)(n * n) * sizeof *H);
  cps_dense_symmetric_eigen(n, trial, value, V);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (int k = 0; k < n; ++k) sum += V[n * i + k] * fmax(value[k], 0.0) * V[n * j + k];
      H[n * i + j] = H[n * j + i] = sum;
    }
  }
}

// H of (2) in the frame (t1, t2) of the plane, index 2 a + component, and S for the normal component.
static void plane_hessian(const CpsMembraneStress* s, double f[2][2], double H[16]) {
  // rows: strains E11, E22, 2 E12; columns: f_1x f_1y f_2x f_2y
  double B[3][4] = {{f[0][0], f[0][1], 0.0, 0.0}, {0.0, 0.0, f[1][0], f[1][1]}, {f[1][0], f[1][1], f[0][0], f[0][1]}};
  double TB[3][4];
  for (int e = 0; e < 3; ++e) {
    for (int j = 0; j < 4; ++j) {
      TB[e][j] = s->tangent[e][0] * B[0][j] + s->tangent[e][1] * B[1][j] + s->tangent[e][2] * B[2][j];
    }
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) H[4 * i + j] = B[0][i] * TB[0][j] + B[1][i] * TB[1][j] + B[2][i] * TB[2][j];
  }
  for (int i = 0; i < 2; ++i) {
    H[4 * i + i] += s->S[0];
    H[4 * (2 + i) + 2 + i] += s->S[1];
    H[4 * i + 2 + i] += s->S[2];
    H[4 * (2 + i) + i] += s->S[2];
  }
}

// sum over components of H_(a,b) in the frame t[0], t[1] and of S_ab n n^T
static CpsMat3 world_block(const double H[16], const double S[4], int a, int b, const CpsVec3 t[2], CpsVec3 n) {
  CpsMat3 out = cps_mat3_scale(S[2 * a + b], cps_mat3_outer(n, n));
  for (int i = 0; i < 2; ++i) {
    CpsVec3 row = cps_vec3_add(cps_vec3_scale(H[4 * (2 * a + i) + 2 * b], t[0]),
                               cps_vec3_scale(H[4 * (2 * a + i) + 2 * b + 1], t[1]));
    out = cps_mat3_axpy(out, 1.0, cps_mat3_outer(t[i], row));
  }
  return out;
}

// The rotation of f = U R, rows of both the columns of F in its plane.
static void turn_of(double f[2][2]) {
  const double c = f[0][0] + f[1][1], s = f[0][1] - f[1][0], size = hypot(c, s);
  f[0][0] = f[1][1] = size > 0.0 ? c / size : 1.0;
  f[0][1] = size > 0.0 ? s / size : 0.0;
  f[1][0] = -f[0][1];
}

// The columns of F in the plane (t1, t2) of the triangle; its normal.
static CpsVec3 lay_flat(const CpsVec3 column[2], CpsVec3 t[2], double f[2][2]) {
  CpsVec3 n = cps_vec3_unit(cps_vec3_cross(column[0], column[1]));
  CpsMat3 frame = cps_mat3_frame(n, column[0]);
  t[0] = (CpsVec3){frame.m[3], frame.m[4], frame.m[5]};
  t[1] = (CpsVec3){frame.m[6], frame.m[7], frame.m[8]};
  for (int a = 0; a < 2; ++a) {
    for (int i = 0; i < 2; ++i) f[a][i] = cps_vec3_dot(column[a], t[i]);
  }
  return n;
}

void cps_triangle_turned(const CpsTriangleShape* shape, const CpsVec3 x[3], CpsVec3 turned[2]) {
  CpsVec3 column[2], t[2];
  double f[2][2];
  columns(shape, x, column);
  lay_flat(column, t, f);
  turn_of(f);
  for (int a = 0; a < 2; ++a) turned[a] = cps_vec3_axpy(cps_vec3_scale(f[a][0], t[0]), f[a][1], t[1]);
}

// (2) at rest without S, times u: rates of strain, stress, and (1).
void cps_membrane_resist(const double tangent[3][3], const CpsTriangleShape* shape, const CpsVec3 turned[2],
                         const CpsVec3 u[3], CpsVec3 force[3]) {
  CpsVec3 df[2];
  double S[3];
  columns(shape, u, df);
  const double rate[3] = {cps_vec3_dot(turned[0], df[0]), cps_vec3_dot(turned[1], df[1]),
                          cps_vec3_dot(turned[0], df[1]) + cps_vec3_dot(turned[1], df[0])};
  for (int e = 0; e < 3; ++e) S[e] = tangent[e][0] * rate[0] + tangent[e][1] * rate[1] + tangent[e][2] * rate[2];
  spread(shape, turned, S, force);
}

void cps_membrane_hessian(const CpsMembrane* membrane, const CpsTriangleShape* shape, const CpsVec3 x[3],
                          CpsHessianKind kind, CpsMat3 hessian[6]) {
  CpsVec3 column[2], t[2];
  double strain[3] = {0.0}, H[16], f[2][2];
  columns(shape, x, column);
  if (kind != CPS_HESSIAN_TURNED) strain_of(column, strain);
  CpsMembraneStress s = cps_membrane_stress(membrane, strain);
  CpsVec3 n = lay_flat(column, t, f);
  double S[4] = {s.S[0], s.S[2], s.S[2], s.S[1]};
  if (kind == CPS_HESSIAN_TURNED) turn_of(f);
  plane_hessian(&s, f, H);
  if (kind == CPS_HESSIAN_CLAMPED) {
    clamp(4, H);
    clamp(2, S);
  }
  CpsMat3 block[2][2];
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 2; ++b) block[a][b] = world_block(H, S, a, b, t, n);
  }
  for (int i = 0, k = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j, ++k) {
      CpsMat3 sum = {{0}};
      for (int a = 0; a < 2; ++a) {
        for (int b = 0; b < 2; ++b)
          sum = cps_mat3_axpy(sum, shape->area * shape->b[i][a] * shape->b[j][b], block[a][b]);
      }
      hessian[k] = sum;
    }
  }
}
