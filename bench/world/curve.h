// The residual of one step from the same states, against the time of the step, for more and more sweeps.
#ifndef CAPSTAN_BENCH_WORLD_CURVE_H
#define CAPSTAN_BENCH_WORLD_CURVE_H

#include <stdio.h>

#include "world/measure.h"

enum { CPS_BENCH_CURVE_POINTS = 10 };

typedef struct CpsBenchCurve {
  const char* label;
  int count;
  double setting[CPS_BENCH_CURVE_POINTS];  // sweeps, or the tolerance
  double cpu[CPS_BENCH_CURVE_POINTS];      // ms of the whole step, the least of the repeats
  double solve[CPS_BENCH_CURVE_POINTS];    // ms without detection
  double residual[CPS_BENCH_CURVE_POINTS];
  int32_t contacts;
} CpsBenchCurve;

// One step from the middle of the case from r = 0, for each number of sweeps from 2 to `sweeps_max`, or, where the
// entry says so, for tolerances from 1e-1 to 1e-8.
bool cps_bench_curve(const CpsBenchCase* c, const CpsBenchEntry* entry, bool tolerances, int sweeps_max, int repeats,
                     CpsBenchCurve* curve);
// Smallest residual of a curve at no more than this time, and the time of its first point at or below this residual;
// NaN where there is none.
double cps_bench_curve_residual(const CpsBenchCurve* curve, double cpu);
double cps_bench_curve_time(const CpsBenchCurve* curve, double residual);

#endif
