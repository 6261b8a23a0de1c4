#include "cli/rest_report.h"

#include "capstan/inverse.h"

void cps_rest_print(FILE* out, const CpsScene* scene, const CpsWorld* world) {
  const CpsInvertInfo info = cps_world_last_inversion(world);
  if (info.refused_count > 0) {
    fprintf(out,
            "warning: %d of %d fibres cannot rest in their current shape, which becomes their natural shape: %s%s\n",
            (int)info.refused_count, (int)info.fibre_count, cps_scene_fibre_name(scene, info.refused.index),
            info.refused_count > 1 ? " and others" : "");
  }
  if (info.unstable_count > 0) {
    fprintf(out,
            "warning: %d of %d fibres are unstable in their current shape and will move: %s%s; %.3g times the "
            "stiffness would "
            "stabilise all (more elements help in tight curls)\n",
            (int)info.unstable_count, (int)info.fibre_count, cps_scene_fibre_name(scene, info.unstable.index),
            info.unstable_count > 1 ? " and others" : "", info.least_factor);
  }
}
