// Second derivatives of the laws of solids in the frame of F = U diag(s) V^T. An isotropic W has six modes in closed form, for each
// pair of axes i, j with k the third, and three that mix the stretches:
//
//   twist    U (e_i e_j^T - e_j e_i^T) V^T / sqrt 2,   value (W_i + W_j) / (s_i + s_j)                                 (1)
//   flip     U (e_i e_j^T + e_j e_i^T) V^T / sqrt 2,   value (W_i - W_j) / (s_i - s_j)                                 (2)
//   stretch  U diag(a) V^T,   a eigenvectors of A_ij = d^2 W / d s_i d s_j                                             (3)
//
// For W = f(I) + g(J) the quotients are 2 f' + g' s_k and 2 f' - g' s_k, free of divisions; for the corotated law
// 2 mu + (2 lambda tr - 4 mu) / (s_i + s_j) and 2 mu.
//
// Modes without resistance to rotation are different. A rotation of a strained element by w about axis k is
// dF = w U (s_j e_i e_j^T - s_i e_j e_i^T) V^T, a pure twist only if s_i = s_j. With n^2 = s_i^2 + s_j^2 the pair retains
//
//   shear    U (s_i e_i e_j^T + s_j e_j e_i^T) V^T / n                                                                 (4)
//   value    flip (s_i + s_j)^2 / 2 n^2 + twist (s_i - s_j)^2 / 2 n^2,   both clamped: what (1) and (2) have along it  (5)
#include "model/solid_law.h"

// The rotation is undefined where two stretches are opposite: their sum is bounded away from 0.
static const double LEAST_SUM = 1e-6;
// Leading minors below this fraction of the product of their factors may be rounding errors.
static const double CLEAR = 1e-12;

static void corotated(const CpsSolidMatter* m, const double s[3], CpsSolidValues* v) {
  double trace = s[0] + s[1] + s[2] - 3.0;
  for (int k = 0; k < 3; ++k) {
    double sum = s[(k + 1) % 3] + s[(k + 2) % 3];
    if (fabs(sum) < LEAST_SUM) sum = copysign(LEAST_SUM, sum);
    v->twist[k] = 2.0 * m->mu + (2.0 * m->lambda * trace - 4.0 * m->mu) / sum;
    v->flip[k] = 2.0 * m->mu;
  }
  for (int i = 0; i < 9; ++i) v->A.m[i] = m->lambda + (i % 4 == 0 ? 2.0 * m->mu : 0.0);
}

CpsSolidSlopes cps_solid_slopes(const CpsSolidMatter* m, double I, double J) {
  if (m->law == CPS_SOLID_NEO_HOOKEAN) {
    const double L = log(J);
    return (CpsSolidSlopes){
        .f1 = m->mu, .g1 = (m->lambda * L - m->mu) / J, .g2 = (m->lambda * (1.0 - L) + m->mu) / (J * J)};
  }
  const double part = 1.0 / (I + 1.0);
  return (CpsSolidSlopes){m->mu * (1.0 - part), 2.0 * m->mu * part * part, m->lambda * (J - m->alpha), m->lambda};
}

static void invariants(const CpsSolidMatter* m, const double s[3], CpsSolidValues* v) {
  double I = s[0] * s[0] + s[1] * s[1] + s[2] * s[2], J = s[0] * s[1] * s[2];
  const CpsSolidSlopes d = cps_solid_slopes(m, I, J);
  for (int k = 0; k < 3; ++k) {
    v->twist[k] = d.f1 + d.g1 * s[k];
    v->flip[k] = d.f1 - d.g1 * s[k];
  }
  const double c[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      double mixed = i == j ? d.f1 : d.g1 * s[3 - i - j];
      v->A.m[3 * i + j] = mixed + d.f2 * s[i] * s[j] + d.g2 * c[i] * c[j];
    }
  }
}

// (4) and (5) instead of (1) and (2).
static void leave_turns_alone(const double s[3], CpsSolidValues* v) {
  for (int k = 0; k < 3; ++k) {
    const double si = s[(k + 1) % 3], sj = s[(k + 2) % 3], square = si * si + sj * sj;
    if (!(square > 0.0)) {  // a line or a point: (4) is not defined, and a twist is still a turn
      v->twist[k] = 0.0;
      continue;
    }
    v->own[k] = si * si / square;
    v->cross[k] = si * sj / square;
    v->flip[k] = v->flip[k] * (0.5 + v->cross[k]) + v->twist[k] * (0.5 - v->cross[k]);
    v->twist[k] = 0.0;
  }
}

static void find_values(const CpsSolidMatter* m, const double s[3], CpsHessianKind kind, CpsSolidValues* v) {
  for (int k = 0; k < 3; ++k) v->own[k] = v->cross[k] = 0.5;
  if (m->law == CPS_SOLID_COROTATED) {
    corotated(m, s, v);
  } else {
    invariants(m, s, v);
  }
  for (int k = 0; kind != CPS_HESSIAN_EXACT && k < 3; ++k) {
    v->twist[k] = fmax(v->twist[k], 0.0);
    v->flip[k] = fmax(v->flip[k], 0.0);
  }
  if (kind == CPS_HESSIAN_TURNED) leave_turns_alone(s, v);
}

// Whether a symmetric matrix is clearly positive definite, by its leading minors.
static bool is_positive(const CpsMat3* A) {
  const double* a = A->m;
  const double minor = a[0] * a[4] - a[1] * a[1];
  return a[0] > 0.0 && minor > CLEAR * a[0] * a[4] && cps_mat3_det(A) > CLEAR * minor * a[8];
}

void cps_solid_values(const CpsSolidMatter* m, const double s[3], CpsHessianKind kind, CpsSolidValues* out) {
  find_values(m, s, kind, out);
  if (kind == CPS_HESSIAN_EXACT || is_positive(&out->A)) return;
  double value[3];
  CpsMat3 a, sum = {{0.0}};
  cps_mat3_eigen(&out->A, value, &a);
  for (int k = 0; k < 3; ++k) {
    const CpsVec3 v = cps_vec3(a.m[k], a.m[3 + k], a.m[6 + k]);
    sum = cps_mat3_axpy(sum, fmax(value[k], 0.0), cps_mat3_outer(v, v));
  }
  out->A = sum;
}

static CpsVec3 column(const CpsMat3* A, int i) {
  return cps_vec3(A->m[i], A->m[3 + i], A->m[6 + i]);
}

void cps_solid_modes(const CpsSolidMatter* m, const CpsMat3* F, CpsHessianKind kind, CpsSolidModes* out) {
  CpsMat3 U, V, a;
  double s[3];
  CpsSolidValues v;
  cps_mat3_svd(F, &U, s, &V);
  find_values(m, s, kind, &v);
  cps_mat3_eigen(&v.A, out->value, &a);
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    CpsMat3 ij = cps_mat3_outer(column(&U, i), column(&V, j)), ji = cps_mat3_outer(column(&U, j), column(&V, i));
    out->value[3 + k] = v.twist[k];
    out->value[6 + k] = v.flip[k];
    double c = sqrt(v.own[k]), d = copysign(sqrt(1.0 - v.own[k]), v.cross[k]);
    // the smaller of the two from their product: in a flat element, 1 - own suffers from cancellation
    if (v.own[k] > 0.5) d = v.cross[k] / c;
    if (v.own[k] < 0.5) c = v.cross[k] / d;
    out->D[3 + k] = cps_mat3_axpy(cps_mat3_scale(d, ij), -c, ji);
    out->D[6 + k] = cps_mat3_axpy(cps_mat3_scale(c, ij), d, ji);
    CpsMat3 D = cps_mat3_scale(a.m[k], cps_mat3_outer(column(&U, 0), column(&V, 0)));
    D = cps_mat3_axpy(D, a.m[3 + k], cps_mat3_outer(column(&U, 1), column(&V, 1)));
    out->D[k] = cps_mat3_axpy(D, a.m[6 + k], cps_mat3_outer(column(&U, 2), column(&V, 2)));
  }
  for (int k = 0; kind != CPS_HESSIAN_EXACT && k < 9; ++k) out->value[k] = fmax(out->value[k], 0.0);
}
