// Energies and stresses of solids. With I = F : F, J = det F, C = dJ/dF the cofactors, mu and lambda Lamé's constants of E and nu:
//
//   neo-hookean          W = mu/2 (I - 3) - mu ln J + lambda/2 ln^2 J                                                 (1)
//   stable-neo-hookean   W = mu'/2 (I - 3) + lambda'/2 (J - alpha)^2 - mu'/2 ln(I + 1) + constant                     (2)
//                        mu' = 4/3 mu, lambda' = lambda + 5/6 mu, alpha = 1 + 3 mu' / 4 lambda'
//   corotated            W = mu |F - R|^2 + lambda/2 tr^2(R^T F - 1),  R the rotation of F                             (3)
//
// (2) is the law of Smith, de Goes and Kim (2018) with constants that give E and nu at small strains. (1) and (2) have the form
// f(I) + g(J), so P = 2 f' F + g' C.
#include "model/solid_law.h"

#include <string.h>

static const char* const NAMES[CPS_SOLID_LAW_COUNT] = {
    [CPS_SOLID_STABLE_NEO_HOOKEAN] = "stable-neo-hookean",
    [CPS_SOLID_NEO_HOOKEAN] = "neo-hookean",
    [CPS_SOLID_COROTATED] = "corotated",
};

const char* cps_solid_law_name(CpsSolidLaw law) {
  return (int)law >= 0 && law < CPS_SOLID_LAW_COUNT ? NAMES[law] : NULL;
}

bool cps_solid_law_find(const char* name, CpsSolidLaw* law) {
  for (int i = 0; name && i < CPS_SOLID_LAW_COUNT; ++i) {
    if (strcmp(name, NAMES[i]) != 0) continue;
    if (law) *law = (CpsSolidLaw)i;
    return true;
  }
  return false;
}

CpsSolidMatter cps_solid_matter(const CpsSolidRegion* r) {
  double mu = 0.5 * r->young / (1.0 + r->poisson);
  double lambda = r->young * r->poisson / ((1.0 + r->poisson) * (1.0 - 2.0 * r->poisson));
  CpsSolidMatter m = {.law = r->law, .mu = mu, .lambda = lambda, .density = r->density, .damping = r->damping};
  if (r->law == CPS_SOLID_STABLE_NEO_HOOKEAN) {
    m.mu = 4.0 / 3.0 * mu;
    m.lambda = lambda + 5.0 / 6.0 * mu;
    m.alpha = 1.0 + 0.75 * m.mu / m.lambda;
    m.rest_energy = 0.5 * m.lambda * (1.0 - m.alpha) * (1.0 - m.alpha) - 0.5 * m.mu * log(4.0);
  }
  return m;
}

double cps_mat3_det(const CpsMat3* A) {
  const double* a = A->m;
  return a[0] * (a[4] * a[8] - a[5] * a[7]) + a[1] * (a[5] * a[6] - a[3] * a[8]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
}

static CpsMat3 cofactors(const CpsMat3* A) {
  CpsVec3 r[3], c[3];
  for (int i = 0; i < 3; ++i) r[i] = cps_vec3_get(A->m + 3 * i);
  for (int i = 0; i < 3; ++i) c[i] = cps_vec3_cross(r[(i + 1) % 3], r[(i + 2) % 3]);
  return (CpsMat3){{c[0].x, c[0].y, c[0].z, c[1].x, c[1].y, c[1].z, c[2].x, c[2].y, c[2].z}};
}

static double corotated(const CpsSolidMatter* m, const CpsMat3* F, CpsMat3* P) {
  CpsMat3 U, V;
  double s[3];
  cps_mat3_svd(F, &U, s, &V);
  double trace = s[0] + s[1] + s[2] - 3.0, W = 0.5 * m->lambda * trace * trace;
  for (int i = 0; i < 3; ++i) W += m->mu * (s[i] - 1.0) * (s[i] - 1.0);
  if (P) {
    CpsMat3 R = cps_mat3_multiply(U, cps_mat3_transposed(V));
    *P = cps_mat3_axpy(cps_mat3_scale(2.0 * m->mu, *F), m->lambda * trace - 2.0 * m->mu, R);
  }
  return W;
}

double cps_solid_stress(const CpsSolidMatter* m, const CpsMat3* F, CpsMat3* P) {
  if (m->law == CPS_SOLID_COROTATED) return corotated(m, F, P);
  double I = 0.0, J = cps_mat3_det(F), W, f, g;  // f = 2 f', g = g'
  for (int i = 0; i < 9; ++i) I += F->m[i] * F->m[i];
  if (m->law == CPS_SOLID_NEO_HOOKEAN) {
    double L = J > 0.0 ? log(J) : -INFINITY;
    W = J > 0.0 ? 0.5 * m->mu * (I - 3.0) - m->mu * L + 0.5 * m->lambda * L * L : INFINITY;
    f = m->mu;
    g = (m->lambda * L - m->mu) / J;
  } else {
    W = 0.5 * m->mu * (I - 3.0 - log(I + 1.0)) + 0.5 * m->lambda * (J - m->alpha) * (J - m->alpha) - m->rest_energy;
    f = m->mu * (1.0 - 1.0 / (I + 1.0));
    g = m->lambda * (J - m->alpha);
  }
  if (P) *P = cps_mat3_axpy(cps_mat3_scale(f, *F), g, cofactors(F));
  return W;
}
