#include "cli/rest_report.h"

#include "capstan/inverse.h"
#include "capstan/tie.h"

#include <math.h>

enum { LISTED = 10 };              // fibres listed by name; the rest are counted
static const double ROUGH = 0.01;  // mean distance from the strands that is visible, relative to the length

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

// Ties of inverted fibres: they carry no load but pull.
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

void cps_doubts_count(const CpsWorld* world, int32_t counts[CPS_DOUBTS]) {
  for (int k = 0; k < CPS_DOUBTS; ++k) counts[k] = 0;
  for (int32_t i = 0; i < cps_world_fibre_count(world); ++i) {
    counts[cps_world_fibre_doubt(world, cps_world_fibre(world, i))]++;
  }
}

static void print_need(FILE* out, const CpsWorld* world, CpsFibreId id, const char* else_) {
  CpsFibreRest rest;
  if (cps_world_fibre_rest(world, id, &rest) != CPS_OK) return;
  if (rest.least_factor < INFINITY) {
    fprintf(out, "needs %.3gx the stiffness%s\n", rest.least_factor, else_);
  } else {
    fprintf(out, "would not be stable with any stiffness\n");
  }
}

static bool is_clamped(const CpsWorld* world, CpsFibreId id) {
  CpsFibreInfo info;
  return cps_world_fibre_info(world, id, &info) == CPS_OK && info.root == CPS_END_CLAMPED && info.tip == CPS_END_FREE;
}

static void print_doubt(FILE* out, const CpsWorld* world, CpsFibreId id, CpsFibreDoubt doubt) {
  const CpsWorldDef def = cps_world_settings(world);
  switch (doubt) {
    case CPS_DOUBT_UNSTABLE:
      print_need(out, world, id, "");
      break;
    case CPS_DOUBT_STEP:
      if (def.theta < 1.0) {
        fprintf(out, "is moved by time steps of %g ms at theta = %g; use theta = 1\n", 1e3 * def.step, def.theta);
      } else {
        print_need(out, world, id, ", or more damping, or the time step moves it");
      }
      break;
    case CPS_DOUBT_LOADED:
      fprintf(out, "touches an object that is neither inverted nor an obstacle, which will push it\n");
      break;
    case CPS_DOUBT_TIED:
      fprintf(out, "has a tie, which may pull on it\n");
      break;
    case CPS_DOUBT_UNKNOWN:
      if (def.theta < 1.0 && is_clamped(world, id)) {
        fprintf(out, "is carried by contacts at theta = %g, so its stability is not known; use theta = 1\n", def.theta);
      } else {
        fprintf(out, "has a root that is not clamped or a tip that is held, so its stability is not known\n");
      }
      break;
    case CPS_DOUBT_NONE:
      break;
  }
}

void cps_doubts_print(FILE* out, const char* before, const CpsScene* scene, const CpsWorld* world,
                      CpsFibreDoubt first) {
  int32_t count = 0;
  for (int32_t i = 0; i < cps_world_fibre_count(world); ++i) {
    const CpsFibreId id = cps_world_fibre(world, i);
    const CpsFibreDoubt doubt = cps_world_fibre_doubt(world, id);
    if (doubt < first || ++count > LISTED) continue;
    fprintf(out, "%s%s ", before, cps_scene_fibre_name(scene, i));
    print_doubt(out, world, id, doubt);
  }
  if (count > LISTED)
    fprintf(out, "%sand %d more (`capstan invert --json` lists all)\n", before, (int)(count - LISTED));
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
  int32_t doubts[CPS_DOUBTS], first = 0;
  cps_doubts_count(world, doubts);
  if (doubts[CPS_DOUBT_UNSTABLE] > 0) {
    while (cps_world_fibre_doubt(world, cps_world_fibre(world, first)) != CPS_DOUBT_UNSTABLE) ++first;
    fprintf(out, "warning: %d of %d fibres are unstable in their current shape and will move: %s%s",
            (int)doubts[CPS_DOUBT_UNSTABLE], (int)info.fibre_count, cps_scene_fibre_name(scene, first),
            doubts[CPS_DOUBT_UNSTABLE] > 1 ? " and others" : "");
    if (doubts[CPS_DOUBT_STEP] == 0) fprintf(out, "; %.3g times the stiffness would stabilise all", info.least_factor);
    fprintf(out, " (more elements help in tight curls)\n");
  }
  if (doubts[CPS_DOUBT_STEP] > 0) {
    fprintf(out, "warning: the time step will move %d of %d fibres that would be stable:\n",
            (int)doubts[CPS_DOUBT_STEP], (int)info.fibre_count);
  }
  if (info.loose_count > 0) {
    fprintf(
        out,
        "warning: fibres at rest carry only themselves, each other and obstacles; %d contact%s with other objects may "
        "move them\n",
        (int)info.loose_count, info.loose_count > 1 ? "s" : "");
  }
  cps_pulled_print(out, "warning: ", world);
  cps_doubts_print(out, "  ", scene, world, CPS_DOUBT_STEP);
}
