// The progress bar of a simulation, on a terminal only.
#ifndef CAPSTAN_CLI_RUN_PROGRESS_H
#define CAPSTAN_CLI_RUN_PROGRESS_H

#include "capstan/world.h"

#define CPS_RUN_PACE_MAX 32

typedef struct CpsRunProgress {
  bool shown;        // stderr is a terminal and --quiet was not given
  bool drawn;        // there is a line to be wiped
  bool unicode;      // the terminal shows more than ASCII
  double start;      // simulated time at which the bar is empty
  double end;        // simulated time at which it is full
  double next_draw;  // wall-clock seconds
  // recent redraws, which give the pace: earlier ones say little about the remaining time
  int pace_count;
  double pace_wall[CPS_RUN_PACE_MAX], pace_time[CPS_RUN_PACE_MAX];
} CpsRunProgress;

// Starts a bar over [start, end]; `now` is the simulated time a resumed run begins at.
void cps_run_progress_begin(CpsRunProgress* bar, double start, double end, double now, bool quiet);
// Redraws the bar, at most as often as a person can read.
void cps_run_progress_step(CpsRunProgress* bar, const CpsStepInfo* info);
// Clears the line.
void cps_run_progress_end(CpsRunProgress* bar);

#endif
