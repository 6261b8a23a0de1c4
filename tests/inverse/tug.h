// Shapes that are inverted a little stiffer or softer than they must be, and tugged at.
#ifndef CAPSTAN_TESTS_TUG_H
#define CAPSTAN_TESTS_TUG_H

#include "inverse_helpers.h"

static inline double least_factor(CpsWorld* world, CpsFibreId id) {
  CpsFibreStability s;
  must(cps_world_fibre_stability(world, id, &s, &must_error));
  return s.least_factor;
}

// The farthest that a rod is from where it was drawn after its tip was tugged at.
static inline double after_tug(CpsRodModel model, const CpsFibreDef* def, double factor, double seconds,
                               double* before_end) {
  CpsWorld* world = still_world(0.01);
  CpsFibreDef stiff = *def;
  stiff.model = model;
  for (int a = 0; a < 2; ++a) stiff.bending[a] *= factor;
  stiff.twisting *= factor;
  stiff.stretching *= factor;
  stiff.damping = 0.05;
  CpsFibreId id = add_fibre(world, &stiff);
  CpsVec3 drawn[PLACES], now[PLACES];
  look(world, id, drawn);
  invert(world);
  CpsPullDef tug = cps_pull_def_default();
  tug.at.thing = cps_thing_fibre(id);
  tug.at.s = def->length;
  tug.until = 0.1;
  tug.force = (CpsVec3){3e-6, 4e-6, 2e-6};
  must(cps_world_add_pull(world, &tug, NULL, &must_error));
  // the farthest in the third and in the last quarter of the time: what swings is not always far
  double most[4] = {0.0};
  for (int quarter = 0; quarter < 4; ++quarter) {
    for (int k = 0; k < 20; ++k) {
      step(world, (int)(seconds / 0.01) / 80);
      look(world, id, now);
      most[quarter] = fmax(most[quarter], farthest(drawn, now, PLACES));
    }
  }
  *before_end = most[2];
  const double end = most[3];
  cps_world_destroy(world);
  return end;
}

// Drawn shapes, every so many of them: 2 % above the least factor a tug dies out, 2 % below it grows. How many are wrong.
static inline int wrong_of_shapes(int count, int every) {
  uint64_t seed = 3;
  int shapes = 0, tried = 0, wrong = 0;
  while (shapes < count) {
    CpsVec3 drawn[SHAPE_POINTS];
    CpsFibreDef def = clamped(CPS_ROD_SUPER_HELIX_RECURSIVE, 5);
    draw_shape(&seed, 3.0, def.length, drawn);
    def.curvature = drawn;
    def.curvature_count = SHAPE_POINTS;
    def.root_pose.rotation = draw_rotation(&seed);
    CpsWorld* world = still_world(0.01);
    CpsFibreId id = add_fibre(world, &def);
    invert(world);
    const double f = least_factor(world, id);
    cps_world_destroy(world);
    if (f < 0.02) continue;  // it hangs: nothing is too soft for it
    if (shapes++ % every != 0) continue;
    ++tried;
    double above[2], below[2];
    above[1] = after_tug(CPS_ROD_SUPER_HELIX_RECURSIVE, &def, 1.02 * f, 40.0, &above[0]);
    below[1] = after_tug(CPS_ROD_SUPER_HELIX_RECURSIVE, &def, 0.98 * f, 40.0, &below[0]);
    const bool dies = above[1] < 0.9 * above[0] || above[1]<1e-6 * def.length, grows = below[1]> 1.1 * below[0] ||
                      below[1] > 1e-2 * def.length;
    if (!dies || !grows) {
      ++wrong;
      print_error("shape %d, factor %g: above %g then %g, below %g then %g\n", shapes, f, above[0], above[1], below[0],
                  below[1]);
    }
  }
  print_message("%d of %d shapes right\n", tried - wrong, tried);
  return wrong;
}

#endif
