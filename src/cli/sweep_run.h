// Runs the cases of a sweep, several at a time, each in its own process.
#ifndef CAPSTAN_CLI_SWEEP_RUN_H
#define CAPSTAN_CLI_SWEEP_RUN_H

#include "cli/sweep_folder.h"

enum { CPS_SWEEP_JOBS = 256 };

typedef struct CpsSweepRun {
  const CpsSweep* sweep;
  int64_t jobs;               // processes at a time, 1 to CPS_SWEEP_JOBS
  int64_t threads;            // of each
  double seconds, megabytes;  // caps of each; 0: none
  int64_t share, shares;      // only the cases share, share + shares, … (share from 0)
  bool retry;                 // run failed cases again
  bool show;                  // a progress line on stderr
} CpsSweepRun;

// Outcome of the cases of the share.
typedef struct CpsSweepCount {
  int64_t cases;      // of the share
  int64_t sound;      // every step solved
  int64_t unsound;    // finished, but unsound (unsolved steps, crossings): exit code 1
  int64_t failed;     // any other end
  int64_t elsewhere;  // another process is working on them
  int64_t before;     // of the first three: were over before
  double seconds;     // wall clock of this call
  bool interrupted;   // a signal came: some are not over
} CpsSweepCount;

// Runs the unfinished cases. Signals are passed on to the processes, which stop so that they can be resumed later.
CpsStatus cps_sweep_run(const CpsSweepRun* run, CpsSweepCount* count, CpsError* error);

// Whether an exit code belongs to a case with a usable result.
bool cps_sweep_has_result(const CpsSweepEnd* end);

#endif
