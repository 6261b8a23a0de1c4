// Tables and figures of the benchmark of the world.
#ifndef CAPSTAN_BENCH_WORLD_REPORT_H
#define CAPSTAN_BENCH_WORLD_REPORT_H

#include <stdio.h>

#include "world/curve.h"
#include "world/measure.h"

enum { CPS_BENCH_TARGETS = 16, CPS_BENCH_TARGET_LENGTH = 200 };

typedef struct CpsBenchReport {
  const char* directory;
  FILE *rest, *curve, *targets;
  double bullet_cpu;  // of the scene at hand, NaN before Bullet was measured
  bool ok;
} CpsBenchReport;

bool cps_bench_report_open(CpsBenchReport* report, const char* directory);
void cps_bench_report_row(CpsBenchReport* report, const CpsBenchCase* c, const CpsBenchEntry* entry,
                          const CpsBenchRow* row);
bool cps_bench_report_curves(CpsBenchReport* report, const CpsBenchCase* c, const CpsBenchCurve* curves, int count);
bool cps_bench_report_close(CpsBenchReport* report);

#endif
