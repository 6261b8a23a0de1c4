#include "cli/tie_report.h"

#include "capstan/tie.h"

enum { LISTED = 10 };                  // all are counted
static const double FAR_APART = 1e-3;  // m; less may be the rounding of a scene

void cps_ties_print_start(FILE* out, const CpsScene* scene, const CpsWorld* world) {
  int32_t far = 0;
  for (int32_t i = 0; i < cps_world_tie_count(world); ++i) {
    CpsTieState now;
    if (cps_world_tie_state(world, cps_world_tie(world, i), &now) != CPS_OK || !(now.apart > FAR_APART)) continue;
    if (++far > LISTED) continue;
    fprintf(out, "warning: the points of tie `%s` are %.3g m out of place and are brought together with a jerk\n",
            cps_scene_tie_name(scene, i), now.apart);
  }
  if (far > LISTED) fprintf(out, "  and those of %d more ties\n", (int)(far - LISTED));
}
