// Running a solver in a child process with limits, and judging its answer by the common residual.
#ifndef CAPSTAN_BENCH_FRICTION_MEASURE_H
#define CAPSTAN_BENCH_FRICTION_MEASURE_H

#include "capstan/capstan.h"

// One solver with its settings on one problem.
typedef struct CpsBenchSolver {
  const char* name;
  // Solves from r = 0 to its own tolerance; seconds is CPU time of the solve alone. Returns false where it refuses.
  bool (*run)(const void* data, double tolerance, double* r, double* seconds, int64_t* iterations, int64_t* bytes);
  const void* data;
  bool tighten;  // lower its own tolerance until the common residual passes
} CpsBenchSolver;

typedef enum CpsBenchOutcome {
  CPS_BENCH_SOLVED = 0,
  CPS_BENCH_INACCURATE,  // it stopped, and the residual is above the tolerance
  CPS_BENCH_TIME,        // the time cap came first
  CPS_BENCH_CRASHED,     // it ended by a signal or by exit
  CPS_BENCH_REFUSED      // it does not handle the problem
} CpsBenchOutcome;

typedef struct CpsBenchResult {
  CpsBenchOutcome outcome;
  double seconds;        // median of the runs; NaN unless solved
  double residual;       // common residual of the last answer
  double own_tolerance;  // handed to the solver in the run that counts
  int run_count;
  int64_t iterations;
  int64_t bytes;  // as far as the solver reports it
} CpsBenchResult;

typedef struct CpsBenchLimits {
  double seconds;  // CPU time of one child
  int64_t bytes;   // its address space
  int runs;        // repetitions of a run that passed
} CpsBenchLimits;

// Forks for each try. The child runs the solver, judges r, and repeats the run if it passed.
CpsBenchResult cps_bench_measure(const CpsProblem* problem, const CpsBenchSolver* solver, double tolerance,
                                 const CpsBenchLimits* limits);
const char* cps_bench_outcome_name(CpsBenchOutcome outcome);

// A Capstan method by name, as data of cps_bench_run_capstan.
typedef struct CpsBenchCapstan {
  const CpsProblem* problem;
  const char* method;
  double time_limit;
} CpsBenchCapstan;
bool cps_bench_run_capstan(const void* data, double tolerance, double* r, double* seconds, int64_t* iterations,
                           int64_t* bytes);

#endif
