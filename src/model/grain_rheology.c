// Contact stresses of grains beyond constant friction: viscosity, cohesion, and friction that grows with the inertial number.
//
// mu(I): with the shear rate g and the pressure p of the last step, the law has the friction mu of slow flow. The increase,
// (mu_fast - mu) p / (1 + I_0 / I) with I = g d / sqrt(p / rho), is a viscosity (as in flow_force.c)
//
//   eta = (mu_fast - mu) p / (g + I_0 sqrt(p / rho) / d)                                                            (1)
//
// which keeps velocities implicit.
#include "model/grains.h"

static const double TOUCH = 0.99;  // of the maximal fraction: looser grains do not touch

static bool is_touching(const CpsGrains* m, int32_t p) {
  return m->fraction[p] > TOUCH * m->group[m->group_of[p]].fraction_max;
}

// 2 |Dev D| with |t|^2 = t:t / 2: the rate of a simple shear.
static double shear_rate(const CpsGrains* m, int32_t p) {
  const double* C = m->C[p].m;
  const double third = (C[0] + C[4] + C[8]) / m->grid.dim;
  double sum = 0.0;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      const bool spans = m->grid.dim == 3 || (a != 1 && b != 1);
      const double D = 0.5 * (C[3 * a + b] + C[3 * b + a]) - (a == b ? third : 0.0);
      if (spans) sum += D * D;
    }
  }
  return sqrt(2.0 * sum);
}

double cps_grains_viscosity(const CpsGrains* m, int32_t p) {
  const CpsGrainGroup* group = &m->group[m->group_of[p]];
  if (!is_touching(m, p)) return 0.0;
  if (!(group->grain > 0.0)) return group->viscosity;
  const double pressure = m->fraction[p] * cps_tensor_pressure(m->grid.dim, m->stress[p][0]);
  if (!(pressure > 0.0)) return group->viscosity;
  const double slow = group->I_0 * sqrt(pressure * m->volume[p] / m->mass[p]) / group->grain;
  return group->viscosity + (group->mu_fast - group->mu) * pressure / (shear_rate(m, p) + slow);
}

double cps_grains_cohesion(const CpsGrains* m, int32_t p) {
  return is_touching(m, p) ? m->group[m->group_of[p]].cohesion : 0.0;
}
