#include "cli/pass_report.h"

#include <inttypes.h>

#include "cli/overlap_report.h"
#include "cli/run_report.h"

void cps_passes_add(CpsRunPasses* passes, const CpsWorld* world, double time) {
  const int32_t count = cps_world_pass_count(world);
  for (int32_t i = 0; i < count && passes->listed < CPS_PASSES_LISTED; ++i) {
    passes->time[passes->listed] = time;
    passes->pass[passes->listed++] = cps_world_pass(world, i);
  }
}

void cps_passes_print(FILE* out, const CpsRunPasses* passes, const CpsScene* scene, int64_t total) {
  char time[32];
  if (total == 0) return;
  fprintf(out, "warning: objects passed through each other in %" PRId64 " place%s%s\n", total, total == 1 ? "" : "s",
          passes->listed > 0 ? ":" : "");
  for (int32_t i = 0; i < passes->listed; ++i) {
    const CpsPass* pass = &passes->pass[i];
    const CpsThing what = pass->side[0].thing, through = pass->side[1].thing;
    fprintf(out, "  %s passed through %s at ", cps_scene_thing_name(scene, what),
            cps_thing_is(what, through) ? "itself" : cps_scene_thing_name(scene, through));
    cps_point_print(out, pass->point);
    fprintf(out, ", t = %s\n", cps_run_time_text(passes->time[i], time));
  }
  if (passes->listed > 0 && total > passes->listed) fprintf(out, "  and %" PRId64 " more\n", total - passes->listed);
}

void cps_passes_json(CpsJson* json, const CpsRunPasses* passes, const CpsScene* scene) {
  cps_json_open(json, "passes", '[');
  for (int32_t i = 0; i < passes->listed; ++i) {
    const CpsPass* pass = &passes->pass[i];
    cps_json_open(json, NULL, '{');
    cps_json_number(json, "time", passes->time[i]);
    cps_sides_json(json, scene, pass->side);
    cps_point_json(json, pass->point);
    cps_json_close(json, '}');
  }
  cps_json_close(json, ']');
}
