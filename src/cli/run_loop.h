// The loop of `capstan run`: steps, frames, problems, until the end or Ctrl-C.
#ifndef CAPSTAN_CLI_RUN_LOOP_H
#define CAPSTAN_CLI_RUN_LOOP_H

#include "capstan/result.h"
#include "cli/run_report.h"

typedef struct CpsRunLoop {
  const CpsScene* scene;
  CpsWorld* world;
  CpsResultWriter* writer;
  double end;                  // simulated time to reach, s
  bool resumed;                // the file has frames already
  bool dropped;                // the last of them was undone, so the world is not at a frame
  bool quiet;                  // no progress bar
  bool talk;                   // report broken ties on stdout
  bool estimate;               // say on stdout how long it will take
  bool safe;                   // out: there is a frame to resume from
  int64_t problem_every;       // save the problem of steps whose number is a multiple; 0: never
  const char* problem_prefix;  // folder and start of the names of these files
  // kept by the loop
  CpsRunTotals totals;
  int64_t moving_steps;  // steps of this run with a large island in motion
  double unsolved_time;  // end of the first unsolved step, NaN if there is none
  CpsError unsolved;     // the world's message about it
  CpsRunJerk jerk;       // the step of this run after which there was most energy from nothing
  double created;        // CpsStepInfo.created and drained, the largest of this run
  double drained;
  CpsRunSpin spin;      // angular momentum lost in free flight, of this run
  int64_t stopped;      // groups stopped to prevent a crossing, in this run
  CpsRunPasses passes;  // the first fibres that passed through something in this run
} CpsRunLoop;

// Whether a run at `time` has reached `end`; sums of steps round, so a tolerance of a thousandth of a step applies.
bool cps_run_reached(double time, double end, double step);

// Whether a frame is scheduled at the end of a step between two times; `interval` 0: at every step.
bool cps_run_frame_is_due(double before, double after, double interval, double step);

// Runs. @return CPS_OK: at the end, every frame is safe; CPS_INTERRUPTED: stopped by Ctrl-C, every frame is safe; < 0: an error,
// and the frames so far are safe
CpsStatus cps_run_loop(CpsRunLoop* loop, CpsError* error);

#endif
