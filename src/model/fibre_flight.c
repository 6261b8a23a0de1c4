// Change of the spin of a fibre in free flight over one step. Uniform gravity has no moment about the centre of mass c, so
//
//   L = sum m (x - c) × v                                                                                             (1)
//
// is constant while the fibre is free of contacts, holds, pulls and air drag. Any change is an error of the scheme
// (theta = 1 loses (h w)^2 of a spin w in each step). It is reported relative to
//
//   L_most = sqrt(T tr I),                                                                                             (2)
//
// T the kinetic energy about c, I the inertia. For a thin rod in pure rotation this is |L|; it is larger if the rod also vibrates.
#include "model/fibres.h"

#include <math.h>

// Motion about the centre of mass with less than this fraction of the kinetic energy is ignored: it is a difference of large numbers.
static const double NOTHING = 1e-8;

static bool is_flying(const CpsFibre* f) {
  const CpsRodSpec* spec = &f->rod.spec;
  return spec->root == CPS_END_FREE && spec->tip == CPS_END_FREE && f->rod.pull_count == 0 && !(spec->drag > 0.0);
}

static CpsVec3 spin_of(const CpsFibre* f, CpsVec3 first, CpsVec3* linear) {
  CpsVec3 angular;
  f->rod.type->momentum(&f->rod, linear, &angular);
  return cps_vec3_sub(angular, cps_vec3_cross(cps_vec3_scale(1.0 / f->mass, first), *linear));
}

static CpsMat3 inertia_of(const CpsFibre* f, CpsVec3* first) {
  CpsMat3 second = {0};
  *first = cps_vec3(0.0, 0.0, 0.0);
  cps_fibre_inertia(f, first, &second);
  return second;
}

void cps_fibre_take_off(CpsFibre* f) {
  f->flight = (CpsFlight){0};
  if (!is_flying(f)) return;
  CpsVec3 first, linear;
  const CpsMat3 I = inertia_of(f, &first);
  f->flight.spin = spin_of(f, first, &linear);
  CpsRodEnergy e;
  f->rod.type->energy(&f->rod, cps_vec3(0.0, 0.0, 0.0), &e);
  const double inner = e.kinetic - 0.5 * cps_vec3_dot(linear, linear) / f->mass;
  if (!(inner > NOTHING * e.kinetic)) return;
  const double about = I.m[0] + I.m[4] + I.m[8] - 2.0 * cps_vec3_dot(first, first) / f->mass;
  f->flight.most = sqrt(fmax(inner * about, 0.0));
}

void cps_fibre_land(CpsFibre* f) {
  if (!(f->flight.most > 0.0) || f->pushed > 0.0) return;
  CpsVec3 first, linear;
  inertia_of(f, &first);
  const CpsVec3 lost = cps_vec3_sub(spin_of(f, first, &linear), f->flight.spin);
  f->flight.lost = cps_vec3_norm(lost) / f->flight.most;
}
