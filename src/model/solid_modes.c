// Second derivatives of the laws of solids in the frame of F = U diag(s) V^T. An isotropic W has six modes in closed form, for each
// pair of axes i, j with k the third, and three that mix the stretches:
//
//   twist    U (e_i e_j^T - e_j e_i^T) V^T / sqrt 2,   value (W_i + W_j) / (s_i + s_j)                                 (1)
//   flip     U (e_i e_j^T + e_j e_i^T) V^T / sqrt 2,   value (W_i - W_j) / (s_i - s_j)                                 (2)
//   stretch  U diag(a) V^T,   a eigenvectors of A_ij = d^2 W / d s_i d s_j                                             (3)
//
// For W = f(I) + g(J) the quotients are 2 f' + g' s_k and 2 f' - g' s_k, without a division; for the corotated law
// 2 mu + (2 lambda tr - 4 mu) / (s_i + s_j) and 2 mu.
#include "model/solid_law.h"

// A rotation is not defined where two stretches are opposite: their sum is kept away from 0.
static const double LEAST_SUM = 1e-6;

// What (1) to (3) need, k the third axis: values of twist and flip of the pair that lacks axis k.
typedef struct Values {
  double twist[3], flip[3];
  CpsMat3 A;
} Values;

static void corotated(const CpsSolidMatter* m, const double s[3], Values* v) {
  double trace = s[0] + s[1] + s[2] - 3.0;
  for (int k = 0; k < 3; ++k) {
    double sum = s[(k + 1) % 3] + s[(k + 2) % 3];
    if (fabs(sum) < LEAST_SUM) sum = copysign(LEAST_SUM, sum);
    v->twist[k] = 2.0 * m->mu + (2.0 * m->lambda * trace - 4.0 * m->mu) / sum;
    v->flip[k] = 2.0 * m->mu;
  }
  for (int i = 0; i < 9; ++i) v->A.m[i] = m->lambda + (i % 4 == 0 ? 2.0 * m->mu : 0.0);
}

static void invariants(const CpsSolidMatter* m, const double s[3], Values* v) {
  double I = s[0] * s[0] + s[1] * s[1] + s[2] * s[2], J = s[0] * s[1] * s[2];
  double f1, f2, g1, g2;  // 2 f', 4 f'', g', g''
  if (m->law == CPS_SOLID_NEO_HOOKEAN) {
    double L = log(J);
    f1 = m->mu, f2 = 0.0;
    g1 = (m->lambda * L - m->mu) / J;
    g2 = (m->lambda * (1.0 - L) + m->mu) / (J * J);
  } else {
    f1 = m->mu * (1.0 - 1.0 / (I + 1.0)), f2 = 2.0 * m->mu / ((I + 1.0) * (I + 1.0));
    g1 = m->lambda * (J - m->alpha), g2 = m->lambda;
  }
  for (int k = 0; k < 3; ++k) {
    v->twist[k] = f1 + g1 * s[k];
    v->flip[k] = f1 - g1 * s[k];
  }
  const double c[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      double mixed = i == j ? f1 : g1 * s[3 - i - j];
      v->A.m[3 * i + j] = mixed + f2 * s[i] * s[j] + g2 * c[i] * c[j];
    }
  }
}

static CpsVec3 column(const CpsMat3* A, int i) {
  return cps_vec3(A->m[i], A->m[3 + i], A->m[6 + i]);
}

void cps_solid_modes(const CpsSolidMatter* m, const CpsMat3* F, CpsHessianKind kind, CpsSolidModes* out) {
  const double half = sqrt(0.5);
  CpsMat3 U, V, a;
  double s[3];
  Values v;
  cps_mat3_svd(F, &U, s, &V);
  if (m->law == CPS_SOLID_COROTATED) {
    corotated(m, s, &v);
  } else {
    invariants(m, s, &v);
  }
  cps_mat3_eigen(&v.A, out->value, &a);
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    CpsMat3 ij = cps_mat3_outer(column(&U, i), column(&V, j)), ji = cps_mat3_outer(column(&U, j), column(&V, i));
    out->value[3 + k] = kind == CPS_HESSIAN_TURNED ? 0.0 : v.twist[k];  // a twist alone is a turn
    out->value[6 + k] = v.flip[k];
    out->D[3 + k] = cps_mat3_scale(half, cps_mat3_axpy(ij, -1.0, ji));
    out->D[6 + k] = cps_mat3_scale(half, cps_mat3_axpy(ij, 1.0, ji));
    CpsMat3 D = cps_mat3_scale(a.m[k], cps_mat3_outer(column(&U, 0), column(&V, 0)));
    D = cps_mat3_axpy(D, a.m[3 + k], cps_mat3_outer(column(&U, 1), column(&V, 1)));
    out->D[k] = cps_mat3_axpy(D, a.m[6 + k], cps_mat3_outer(column(&U, 2), column(&V, 2)));
  }
  for (int k = 0; kind != CPS_HESSIAN_EXACT && k < 9; ++k) out->value[k] = fmax(out->value[k], 0.0);
}
