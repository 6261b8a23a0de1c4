#include "cli/rest_report.h"

#include "capstan/inverse.h"
#include "capstan/tie.h"

enum { LISTED = 10 };              // fibres listed by name; the rest are counted
static const double ROUGH = 0.01;  // of the length: mean distance from the strands that is seen

CpsFitReport cps_fit_report(const CpsScene* scene, const CpsWorld* world) {
  CpsFitReport fit = {.worst = -1};
  for (int32_t i = 0; i < cps_world_fibre_count(world); ++i) {
    double mean, max;
    CpsFibreInfo info;
    if (!cps_scene_fibre_fit(scene, i, &mean, &max)) continue;
    if (cps_world_fibre_info(world, cps_world_fibre(world, i), &info) != CPS_OK) continue;
    fit.mean += (mean - fit.mean) / ++fit.count;
    fit.part += (mean / info.length - fit.part) / fit.count;
    if (fit.worst >= 0 && max <= fit.max) continue;
    fit.max = max;
    fit.worst = i;
  }
  return fit;
}

bool cps_fit_is_rough(const CpsFitReport* fit) {
  return fit->part > ROUGH;
}

void cps_skipped_print(FILE* out, const char* before, const CpsScene* scene) {
  const int64_t count = cps_scene_skipped_count(scene);
  for (int64_t i = 0; i < count && i < LISTED; ++i) {
    const CpsSceneSkipped skipped = cps_scene_skipped(scene, i);
    fprintf(out, "%sstrand %lld of %s is left out: it has %s\n", before, (long long)skipped.strand, skipped.file,
            skipped.finite ? "no length" : "numbers that are not finite");
  }
  if (count > LISTED) fprintf(out, "%s%lld more strands are left out\n", before, (long long)(count - LISTED));
}

void cps_refused_print(FILE* out, const char* before, const CpsScene* scene, const CpsWorld* world) {
  const int32_t count = cps_world_last_inversion(world).refused_count;
  int32_t listed = 0;
  for (int32_t i = 0; i < cps_world_fibre_count(world) && listed < LISTED && listed < count; ++i) {
    CpsFibreRest rest;
    if (cps_world_fibre_rest(world, cps_world_fibre(world, i), &rest) != CPS_OK || !rest.refused) continue;
    fprintf(out, "%s%s cannot rest in its current shape, which becomes its natural shape\n", before,
            cps_scene_fibre_name(scene, i));
    ++listed;
  }
  if (count > listed)
    fprintf(out, "%s%d more fibres cannot rest in their current shape\n", before, (int)(count - listed));
}

// Ties of fibres that were inverted: they carry nothing, and pull.
void cps_pulled_print(FILE* out, const char* before, const CpsWorld* world) {
  int32_t count = 0;
  for (int32_t i = 0; i < cps_world_tie_count(world); ++i) {
    CpsTieState tie;
    bool pulled = false;
    if (cps_world_tie_state(world, cps_world_tie(world, i), &tie) != CPS_OK || tie.broken) continue;
    for (int s = 0; s < 2; ++s) {
      CpsFibreRest rest;
      if (tie.thing[s].kind != CPS_THING_FIBRE) continue;
      const CpsFibreId id = {tie.thing[s].index, tie.thing[s].generation};
      pulled = pulled || (cps_world_fibre_rest(world, id, &rest) == CPS_OK && rest.inverted);
    }
    count += pulled;
  }
  if (count > 0) {
    fprintf(out, "%sties carry nothing in an inversion: %d tie%s may move fibres that are at rest without %s\n", before,
            (int)count, count > 1 ? "s" : "", count > 1 ? "them" : "it");
  }
}

void cps_rest_print(FILE* out, const CpsScene* scene, const CpsWorld* world) {
  const CpsInvertInfo info = cps_world_last_inversion(world);
  const CpsFitReport fit = cps_fit_report(scene, world);
  cps_skipped_print(out, "warning: ", scene);
  if (cps_fit_is_rough(&fit)) {
    fprintf(out, "warning: fibres are %.2g mm from the strands of their file on average: use more elements\n",
            1e3 * fit.mean);
  }
  cps_refused_print(out, "warning: ", scene, world);
  if (info.unstable_count > 0) {
    fprintf(out,
            "warning: %d of %d fibres are unstable in their current shape and will move: %s%s; %.3g times the "
            "stiffness would "
            "stabilise all (more elements help in tight curls)\n",
            (int)info.unstable_count, (int)info.fibre_count, cps_scene_fibre_name(scene, info.unstable.index),
            info.unstable_count > 1 ? " and others" : "", info.least_factor);
  }
  if (info.loose_count > 0) {
    fprintf(
        out,
        "warning: fibres at rest carry only themselves, each other and obstacles; %d contact%s with other objects may "
        "move them\n",
        (int)info.loose_count, info.loose_count > 1 ? "s" : "");
  }
  cps_pulled_print(out, "warning: ", world);
}
