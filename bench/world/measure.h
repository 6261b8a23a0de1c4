// One engine on one scene: while it settles and at rest.
#ifndef CAPSTAN_BENCH_WORLD_MEASURE_H
#define CAPSTAN_BENCH_WORLD_MEASURE_H

#include "world/engine.h"

// A scene with the two moments at which the engines are compared.
typedef struct CpsBenchCase {
  CpsBenchScene scene;
  int middle_step;            // the moment in the middle of settling
  int settle_steps;           // from the start to rest
  double settling_tolerance;  // of Capstan until rest
  double rest_tolerance;      // and then
  CpsBenchState* middle;      // states at that moment, the same for all engines
} CpsBenchCase;

// An engine with its settings.
typedef struct CpsBenchEntry {
  const char* label;
  const CpsBenchEngine* engine;
  CpsBenchSettings settings;  // at rest; until then with the tolerance of the case
} CpsBenchEntry;

// Times are of whole steps, in milliseconds.
typedef struct CpsBenchTimes {
  double cpu, wall;   // mean of a block of ten steps, the smallest of the blocks
  double solve;       // the same without detection, as the engine tells it
  double cpu_median;  // of the blocks
} CpsBenchTimes;

// One second of rest.
typedef struct CpsBenchRest {
  int32_t contacts;
  CpsBenchTimes times, times_2;   // the second with two threads, zero where the engine has none
  double residual, residual_max;  // median and maximum of five steps
  double overlap;                 // largest, m
  double drift;                   // largest displacement of a body in 100 steps, m
  int64_t heap_calls;             // in 100 steps
  int unsolved;                   // steps that were not solved to the tolerance
} CpsBenchRest;

typedef struct CpsBenchRow {
  CpsBenchTimes settling;    // the first 50 steps from the middle
  double settling_residual;  // median of five steps in between
  CpsBenchRest rest;         // as the engine comes
  CpsBenchRest plain;        // Capstan without polishing
  int64_t heap_bytes;        // held by the world when it comes to rest
} CpsBenchRow;

// Runs `entry` to the middle and keeps the states there.
bool cps_bench_prepare(CpsBenchCase* c, const CpsBenchEntry* entry);
bool cps_bench_measure_world(const CpsBenchCase* c, const CpsBenchEntry* entry, CpsBenchRow* row);
// Largest overlap of a state by Capstan's detection, the same yardstick for all engines, m.
double cps_bench_overlap(const CpsBenchScene* scene, const CpsBenchState* states);

int cps_bench_compare_doubles(const void* a, const void* b);

#endif
