// Messages of the command about fibres that passed through something in a run.
#ifndef CAPSTAN_CLI_PASS_REPORT_H
#define CAPSTAN_CLI_PASS_REPORT_H

#include "capstan/result.h"
#include "cli/json.h"

enum { CPS_PASSES_LISTED = 8 };

// The first of the places where the centreline of a fibre passed through something.
typedef struct CpsRunPasses {
  int32_t listed;
  double time[CPS_PASSES_LISTED];  // end of the step, s
  CpsPass pass[CPS_PASSES_LISTED];
} CpsRunPasses;

// Records the crossings of the last step, which ended at `time`, while there is room.
void cps_passes_add(CpsRunPasses* passes, const CpsWorld* world, double time);
// A warning with the first places by name: "  rope passed through peg at (0, 0, 0.02) m, t = 12 ms"; nothing where `total` is 0.
void cps_passes_print(FILE* out, const CpsRunPasses* passes, const CpsScene* scene, int64_t total);
// "passes": the same as a list of objects.
void cps_passes_json(CpsJson* json, const CpsRunPasses* passes, const CpsScene* scene);

#endif
