// Stress in a tetrahedron.
//
//   Cauchy's stress  T = P F^T / J                                                                                      (1)
//   von Mises        s^2 = ((T_xx - T_yy)^2 + (T_yy - T_zz)^2 + (T_zz - T_xx)^2) / 2 + 3 (T_xy^2 + T_yz^2 + T_zx^2)     (2)
#include "model/solid_elastic.h"

#include <math.h>

double cps_solid_look(const CpsSolidElastic* s, const CpsVec3* x, int32_t t, double stress[6]) {
  CpsMat3 F = cps_solid_deformation(s, x, t), P;
  const double J = cps_mat3_det(&F);
  cps_solid_stress(&s->matter[s->region[t]], &F, &P);
  CpsMat3 T = cps_mat3_multiply(P, cps_mat3_transposed(F));
  static const int PLACE[6] = {0, 4, 8, 1, 5, 2};
  for (int i = 0; i < 6; ++i) stress[i] = J != 0.0 ? T.m[PLACE[i]] / J : 0.0;
  return J;
}

double cps_stress_von_mises(const double stress[6]) {
  if (!stress) return NAN;
  double sum = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double apart = stress[i] - stress[(i + 1) % 3], shear = stress[3 + i];
    sum += 0.5 * apart * apart + 3.0 * shear * shear;
  }
  return sqrt(sum);
}
