// The cases of a sweep: the values of each varied key, and their combinations.
//
// VALUES of "KEY=VALUES" are a list, "0.1,0.2,0.5"; a range with both ends, "0.1:0.6:0.1"; a range in factors,
// "1e-4:1e-1:x10"; or, for a Latin hypercube, the ends alone, "0.1:0.6". A unit may follow the last number of a range.
#ifndef CAPSTAN_CLI_SWEEP_PLAN_H
#define CAPSTAN_CLI_SWEEP_PLAN_H

#include "capstan/base.h"

enum { CPS_SWEEP_AXES = 16, CPS_SWEEP_CASES = 100000 };

// One key and its values.
typedef struct CpsSweepAxis {
  char key[128];
  char unit[32];    // of a range, "deg"; "" for a list
  char** values;    // texts as the scene reads them, without the unit; of a range without step: none
  int32_t count;    // of values
  bool open;        // a range without step
  double from, to;  // of it
} CpsSweepAxis;

typedef struct CpsSweepPlan {
  CpsSweepAxis axes[CPS_SWEEP_AXES];
  int32_t axis_count;
  int64_t case_count;
  char** texts;  // case_count x axis_count values, without units; allocated
} CpsSweepPlan;

// How the cases are made.
typedef struct CpsSweepChoice {
  const char* const* vary;  // "KEY=VALUES"
  int32_t vary_count;
  int64_t seeds;         // > 0: a last key `seed` with the values 1 to seeds
  int64_t samples;       // > 0: a Latin hypercube of that many cases instead of the grid; seeds multiply them
  uint64_t sample_seed;  // of the hypercube
} CpsSweepChoice;

// Reads the values and lists the cases, with the last key changing fastest. `error` names the invalid option.
CpsStatus cps_sweep_plan(CpsSweepPlan* plan, const CpsSweepChoice* choice, CpsError* error);
void cps_sweep_plan_free(CpsSweepPlan* plan);

// The value of a key in a case, without its unit.
const char* cps_sweep_value(const CpsSweepPlan* plan, int64_t number, int32_t axis);
// "KEY=VALUE UNIT" as --set expects it. False if it does not fit.
bool cps_sweep_set(const CpsSweepPlan* plan, int64_t number, int32_t axis, char* text, size_t size);

#endif
