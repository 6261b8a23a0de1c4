// Loads on a rod at rest, and changes of its stiffness.
#include "model/rod_statics.h"

#include "core/error.h"

#include <math.h>

static const double ROUNDING = 1e-9;  // relative to the load, and to its moment

CpsRodLoad cps_rod_load(const CpsRod* rod, CpsVec3 gravity, int32_t pull_count, const CpsRodPull* pulls) {
  return (CpsRodLoad){
      .gravity = rod->spec.gravity ? gravity : cps_vec3(0.0, 0.0, 0.0), .pull_count = pull_count, .pulls = pulls};
}

CpsVec3 cps_rod_pull_force(const CpsRod* rod, const CpsRodPull* pull) {
  CpsVec3 way = cps_vec3_sub(pull->target, rod->type->at(rod, pull->s).position);
  return cps_vec3_axpy(pull->force, pull->stiffness, way);
}

CpsVec3 cps_rod_touch_moment(const CpsRod* rod, const CpsRodTouch* touch) {
  return cps_vec3_cross(cps_vec3_sub(touch->point, rod->type->at(rod, touch->s).position), touch->force);
}

double cps_rod_largest(int32_t n, const double* g, const double* unit) {
  double largest = 0.0;
  for (int32_t i = 0; i < n; ++i) {
    const double part = g[i] == 0.0 ? 0.0 : fabs(g[i]) / unit[i];
    if (!(part <= largest)) largest = isnan(part) ? INFINITY : part;
  }
  return largest;
}

double cps_rod_load_size(const CpsRod* rod, const CpsRodLoad* load) {
  double mass = 0.0, sum = 0.0;
  for (int32_t b = 0; b < rod->spec.branch_count; ++b) {
    const CpsRodBranch* branch = &rod->spec.branch[b];
    mass += (b == 0 ? cps_rod_trunk_taper(&rod->spec, 2) : 1.0) * branch->line_density * branch->length;
  }
  for (int32_t i = 0; i < load->pull_count; ++i) sum += cps_vec3_norm(cps_rod_pull_force(rod, &load->pulls[i]));
  for (int32_t i = 0; i < load->touch_count; ++i) sum += cps_vec3_norm(load->touches[i].force);
  return sum + mass * cps_vec3_norm(load->gravity);
}

CpsStatus cps_rod_check_lack(const CpsRod* rod, const CpsRodLoad* load, const CpsRodLack* lack, CpsError* error) {
  if (load->lack) {
    *load->lack = *lack;
    return CPS_OK;
  }
  const double size = cps_rod_load_size(rod, load), F = cps_vec3_norm(lack->force), M = cps_vec3_norm(lack->moment);
  if (F <= ROUNDING * size && M <= ROUNDING * size * rod->spec.length) return CPS_OK;
  if (rod->spec.root == CPS_END_PINNED) {
    return cps_fail(error, CPS_NO_SOLUTION, "its root is pinned and would have to take a moment of %g N m: clamp it",
                    M);
  }
  return cps_fail(error, CPS_NO_SOLUTION, "its root is free and would have to take %g N and %g N m: clamp it", F, M);
}

void cps_rod_stiffen(CpsRod* rod, double factor) {
  for (int32_t b = 0; b < rod->spec.branch_count; ++b) {
    CpsRodBranch* branch = &rod->spec.branch[b];
    for (int k = 0; k < 3; ++k) branch->stiffness[k] = factor * branch->defined[k];
  }
  rod->spec.stretch = factor * rod->spec.stretch_defined;
  rod->stiffened = factor;
  if (rod->type->statics && rod->type->statics->restiffen) rod->type->statics->restiffen(rod);
}
