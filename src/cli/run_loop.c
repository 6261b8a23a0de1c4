// A frame is written at the start, at the first step at or past each multiple of the frame interval, and at the end.
// Which steps these are follows from the times before and after a step alone, so a resumed run picks the same ones. A
// last frame that is none of them (Ctrl-C, an end in between) is removed by the run that resumes from it.
#include "cli/run_loop.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "capstan/tie.h"
#include "cli/bar.h"
#include "cli/progress.h"
#include "cli/run_estimate.h"
#include "cli/run_problem.h"
#include "cli/run_progress.h"
#include "cli/run_report.h"

// Fraction of a step by which equal times may differ: a sum of 1e6 steps is wrong by less than 1e-4 of a step.
#define TIME_SLACK 1e-3

bool cps_run_reached(double time, double end, double step) {
  return time >= end - TIME_SLACK * step;
}

bool cps_run_frame_is_due(double before, double after, double interval, double step) {
  if (!(interval > 0.0)) return true;
  double slack = TIME_SLACK * step;
  return floor((after + slack) / interval) > floor((before + slack) / interval);
}

// One step with its reports and files. `began`: start time on the clock, less the duration of earlier runs.
static CpsStatus advance(CpsRunLoop* loop, double began, CpsStepInfo* info, CpsError* error) {
  CpsError sentence = {""};
  CpsStatus status = cps_world_step(loop->world, info, &sentence);
  if (status < 0 || status == CPS_INTERRUPTED) {
    *error = sentence;
    return status;
  }
  if (status > 0 && isnan(loop->unsolved_time)) {
    loop->unsolved_time = info->time;
    loop->unsolved = sentence;
  }
  if (info->crossings > 0) cps_passes_add(&loop->passes, loop->world, info->time);
  CpsEnergy energy = cps_world_energy(loop->world);
  cps_run_totals_add(&loop->totals, info, &energy);
  loop->moving_steps += info->moving > 0;
  loop->stopped += info->stopped;
  if (info->excess > loop->jerk.excess) loop->jerk = (CpsRunJerk){info->excess, info->time};
  loop->created = fmax(loop->created, info->created);
  loop->drained = fmax(loop->drained, info->drained);
  loop->spin.sum += info->spin_lost;
  if (info->spin_lost > loop->spin.worst) {
    loop->spin.worst = info->spin_lost;
    loop->spin.fibre = info->spinning;
  }
  loop->totals.wall_seconds = cps_wall_clock() - began;  // time that the user waits, including writing
  status = cps_result_add_step(loop->writer, loop->world, info, error);
  if (status == CPS_OK && loop->problem_every > 0 && info->index % loop->problem_every == 0 &&
      cps_world_problem_rows(loop->world) > 0) {
    status = cps_run_save_problem(loop->world, info, loop->problem_prefix, error);
  }
  return status;
}

// Reports ties that broke in the step; ties broken earlier carry no load.
static void say_what_broke(const CpsRunLoop* loop, CpsRunProgress* bar, const CpsStepInfo* info) {
  if (info->broken == 0 || !loop->talk) return;
  cps_run_progress_end(bar);
  for (int32_t i = 0; i < cps_world_tie_count(loop->world); ++i) {
    CpsTieState now;
    if (cps_world_tie_state(loop->world, cps_world_tie(loop->world, i), &now) != CPS_OK || !now.broken) continue;
    CpsVec3 f = now.force;
    double force = sqrt(f.x * f.x + f.y * f.y + f.z * f.z);
    if (!(force > now.breaking)) continue;
    printf("tie `%s` broke at t = %.6g s, %.6g N > %.6g N\n", cps_scene_tie_name(loop->scene, i), info->time, force,
           now.breaking);
  }
  fflush(stdout);
}

static void say_how_long(CpsRunLoop* loop, CpsRunEstimate* estimate, CpsRunProgress* bar, double time) {
  if (!loop->estimate || !cps_run_estimate_look(estimate, cps_wall_clock(), time, loop->end)) return;
  char text[64], window[64] = "first second", span[32];
  if (estimate->window >= 2.0 * CPS_ESTIMATE_AFTER) {
    snprintf(window, sizeof window, "last %s", cps_run_time_text(estimate->window, span));
  }
  cps_bar_write_left(estimate->left, text, sizeof text);
  cps_run_progress_end(bar);
  printf("about %s at the pace of the %s, %.2g times real time\n", text + strlen("  "), window, estimate->pace);
  fflush(stdout);
}

CpsStatus cps_run_loop(CpsRunLoop* loop, CpsError* error) {
  double interval = cps_scene_info(loop->scene).frame_interval;
  double step = cps_scene_world_def(loop->scene).step;
  double time = cps_world_time(loop->world);
  CpsStepInfo info = {.time = time, .step = step, .index = cps_world_step_count(loop->world)};
  CpsStatus status = CPS_OK;
  bool written = !loop->dropped;  // the state is in a frame
  double began = cps_wall_clock() - loop->totals.wall_seconds;
  loop->unsolved_time = NAN;
  if (!loop->resumed) {
    status = cps_result_write(loop->writer, loop->world, &info, &loop->totals, error);
    if (status != CPS_OK) return status;
  }
  loop->safe = true;
  CpsRunEstimate estimate = cps_run_estimate_begin(cps_wall_clock(), time);
  CpsRunProgress bar;
  cps_run_progress_begin(&bar, loop->resumed ? 0.0 : time, loop->end, time, loop->quiet);
  while (status == CPS_OK && !cps_run_reached(time, loop->end, step) && !cps_interrupt_seen()) {
    double before = time;
    status = advance(loop, began, &info, error);
    if (status != CPS_OK) break;
    time = info.time;
    written = cps_run_frame_is_due(before, time, interval, step);
    if (written) status = cps_result_write(loop->writer, loop->world, &info, &loop->totals, error);
    say_what_broke(loop, &bar, &info);
    say_how_long(loop, &estimate, &bar, time);
    cps_run_progress_step(&bar, &info);
  }
  cps_run_progress_end(&bar);
  // an error leaves the world unchanged: that state is worth keeping, too
  if (!written && status != CPS_FILE_ERROR) {
    CpsError second;
    CpsStatus last = cps_result_write(loop->writer, loop->world, &info, &loop->totals, &second);
    if (status >= 0 && last != CPS_OK) {
      *error = second;
      return last;
    }
  }
  if (status != CPS_OK) return status;
  return cps_run_reached(time, loop->end, step) ? CPS_OK : CPS_INTERRUPTED;
}
