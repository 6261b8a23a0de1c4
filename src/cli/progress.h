// Monitors a solve: a progress line on a terminal, Ctrl-C, and the samples of a convergence plot.
#ifndef CAPSTAN_CLI_PROGRESS_H
#define CAPSTAN_CLI_PROGRESS_H

#include "capstan/solve.h"

#define CPS_SAMPLE_MAX 2048

typedef struct CpsProgressLine {
  const char* label;  // name of the work, shown at the front of the line
  double tolerance;   // shown as the goal
  bool shown;         // stderr is a terminal and --quiet was not given
  bool drawn;         // there is a line to be wiped
  double next_draw;   // wall-clock seconds
  double residual;    // last one that was evaluated
  // every stride-th measured iteration; when the arrays are full every second one is dropped and the stride doubles
  int sample_count;
  int64_t stride, seen;
  double iteration[CPS_SAMPLE_MAX], sampled[CPS_SAMPLE_MAX], seconds[CPS_SAMPLE_MAX];
} CpsProgressLine;

// Forgets the samples and starts a new line. `quiet` shows none.
void cps_progress_begin(CpsProgressLine* line, const char* label, double tolerance, bool quiet);
// Clears the line.
void cps_progress_end(CpsProgressLine* line);
// A CpsProgressFn whose data is the line; asks to stop after Ctrl-C.
bool cps_progress_report(const CpsProgress* progress, void* data);
// Adds the last point of a curve, measured by the caller.
void cps_progress_sample(CpsProgressLine* line, double iteration, double residual, double seconds);

// Until cps_interrupt_catch() is called, Ctrl-C, SIGTERM and SIGHUP end the command at once, with a message and the exit code of an
// interruption. For a start-up phase in which nothing is written yet.
void cps_interrupt_quit(void);
// From now on the first Ctrl-C (or SIGTERM) sets a flag; another one at least half a second later ends the program at once.
void cps_interrupt_catch(void);
// The same; `told`, which may call only what a signal handler may, is called once, at the first. NULL: no longer.
void cps_interrupt_tell(void (*told)(void));
bool cps_interrupt_seen(void);
// The same as a CpsCancelFn; data is not read.
bool cps_interrupt_asked(void* data);

// Seconds of a monotonic clock.
double cps_wall_clock(void);

#endif
