// Rods for the tests of fibres in a world.
#ifndef CAPSTAN_TESTS_WORLD_ROD_HELPERS_H
#define CAPSTAN_TESTS_WORLD_ROD_HELPERS_H

#include "core/quat.h"
#include "world_helpers.h"

enum { SUPER_COUNT = 3 };  // the first models are super-models

// The explicit scheme needs steps of 0.1 ms for the rod below and cannot take its damping.
static inline int substeps_of(CpsRodModel model) {
  return model == CPS_ROD_CORDE_EXPLICIT ? 10 : 1;
}

// A soft straight rod along y, its middle at x, 0, z.
static inline CpsFibreDef rod_at(CpsRodModel model, double x, double z) {
  CpsFibreDef def = cps_fibre_def_default();
  def.model = model;
  def.elements = model == CPS_ROD_SUPER_HELIX || model == CPS_ROD_SUPER_HELIX_RECURSIVE ? 6 : 10;
  def.length = 0.2;
  def.radius = 2e-3;
  def.young = 1e7;
  if (model == CPS_ROD_CORDE_EXPLICIT) def.damping = 0.0;
  double half = sqrt(0.5);
  def.root_pose = (CpsPose){{x, -0.1, z}, {half, 0.0, 0.0, half}};
  return def;
}

static inline CpsFibreId add(CpsWorld* world, const CpsFibreDef* def) {
  CpsFibreId id;
  CpsError error;
  if (cps_world_add_fibre(world, def, &id, &error) != CPS_OK) fail_msg("%s", error.text);
  return id;
}

// Steps that may leave an island unsolved but do not fail; counts those with contacts.
static inline int steps_with_contacts(CpsWorld* world, int count) {
  int touching = 0;
  for (int i = 0; i < count; ++i) {
    CpsStepInfo info;
    CpsError error;
    if (cps_world_step(world, &info, &error) < 0) fail_msg("step %d: %s", i, error.text);
    touching += info.contacts > 0;
  }
  return touching;
}

#endif
