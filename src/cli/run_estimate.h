// Estimates the duration of a run from its recent pace. Scenes slow down as contacts increase, so the estimate is updated. Nothing is
// printed for a short run or an unchanged estimate. The caller provides the clock.
#ifndef CAPSTAN_CLI_RUN_ESTIMATE_H
#define CAPSTAN_CLI_RUN_ESTIMATE_H

#include <stdbool.h>

#define CPS_ESTIMATE_AFTER 1.0  // seconds of a run after which the remaining time is reported, if it is
#define CPS_ESTIMATE_FROM 10.0  // this long at least;
#define CPS_ESTIMATE_NEXT 4.0   // factor between the times after the start at which it is examined,
#define CPS_ESTIMATE_WRONG 1.5  // and said again if the run will take so much longer than was said

typedef struct CpsRunEstimate {
  double began;       // on the clock, s
  double wall, time;  // of the last look: on the clock, and simulated
  double next;        // seconds after the beginning at which to look again
  double said;        // seconds that the whole run was said to take; 0: nothing was said
  // of the last look
  double window;  // seconds on the clock
  double pace;    // simulated seconds in a second
  double left;    // seconds
} CpsRunEstimate;

static inline CpsRunEstimate cps_run_estimate_begin(double wall, double time) {
  return (CpsRunEstimate){.began = wall, .wall = wall, .time = time, .next = CPS_ESTIMATE_AFTER};
}

// Whether a message is due at a simulated time of a run that ends at `end`.
static inline bool cps_run_estimate_look(CpsRunEstimate* e, double wall, double time, double end) {
  const double all = wall - e->began;
  if (all < e->next || !(time > e->time)) return false;
  e->window = wall - e->wall;
  e->pace = (time - e->time) / e->window;
  e->left = (end - time) / e->pace;
  e->next = CPS_ESTIMATE_NEXT * all;
  e->wall = wall;
  e->time = time;
  if (e->left < CPS_ESTIMATE_FROM || all + e->left < CPS_ESTIMATE_WRONG * e->said) return false;
  e->said = all + e->left;
  return true;
}

#endif
