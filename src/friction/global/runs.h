// Runs of contacts adjacent in memory, swept more than once while they are in a cache, for problems without W.
//
// Runs that share a body get different colours, greedily in order; runs of one colour can be swept in parallel. They
// depend on the problem alone, never on the number of threads.
#ifndef CAPSTAN_FRICTION_GLOBAL_RUNS_H
#define CAPSTAN_FRICTION_GLOBAL_RUNS_H

#include "friction/problem.h"

enum {
  CPS_RUN_CONTACTS = 1000,  // per run: with their rows less than a megabyte
  CPS_RUN_SWEEPS = 2,       // over a run before the next one
};

typedef struct CpsRuns {
  int32_t count;  // runs; run k has contacts k CPS_RUN_CONTACTS … (k + 1) CPS_RUN_CONTACTS - 1, the last one fewer
  int32_t colour_count;
  int32_t* start;  // colour_count + 1: first entry of each colour in `run`
  int32_t* run;    // count: the runs by colour, ascending in each
} CpsRuns;

// Memory from the arena, linear in the bodies and runs. Returns false if memory runs out.
bool cps_runs_make(const CpsProblem* problem, CpsArena* arena, CpsRuns* runs);
// Are neighbouring contacts close in memory, so that each run is coupled to few others?
bool cps_runs_are_local(const CpsRuns* runs);

#endif
