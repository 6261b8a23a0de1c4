#include "cli/run_progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/bar.h"
#include "cli/progress.h"
#include "cli/run_report.h"

#define PART_SIZE 64

// The parts of the line, in order.
enum { TIME, BAR, SHARE, CONTACTS, NU, RESIDUAL, PACE, LEFT, PART_COUNT };

// Parts to leave out in narrow terminals, besides shortening the bar.
static const struct Layout {
  int bar;            // characters of the bar
  unsigned left_out;  // parts, a sum of 1u << part
} layouts[] = {
    {28, 0},
    {16, 0},
    {10, 0},
    {10, 1u << NU},
    {10, 1u << NU | 1u << PACE},
    {10, 1u << NU | 1u << PACE | 1u << RESIDUAL},
    {10, 1u << NU | 1u << PACE | 1u << RESIDUAL | 1u << CONTACTS},
    {0, 1u << BAR | 1u << NU | 1u << PACE | 1u << RESIDUAL | 1u << CONTACTS},
    {0, 1u << BAR | 1u << NU | 1u << PACE | 1u << RESIDUAL | 1u << CONTACTS | 1u << LEFT},
};
enum { LAYOUT_COUNT = sizeof layouts / sizeof layouts[0] };

// Writes the progress line with at most `columns` columns for a pace in simulated seconds per second; the least
// important parts are left out first.
static void compose(const CpsRunProgress* bar, const CpsStepInfo* info, double pace, int columns, char* text,
                    size_t size) {
  char parts[PART_COUNT][PART_SIZE] = {{0}};
  char bar_text[3 * 28 + 4];
  char time[32];
  double share = bar->end > bar->start ? (info->time - bar->start) / (bar->end - bar->start) : 1.0;
  share = fmin(fmax(share, 0.0), 1.0);
  snprintf(parts[TIME], PART_SIZE, "%7s", cps_run_time_text(info->time, time));
  snprintf(parts[SHARE], PART_SIZE, " %.0f %%", floor(100.0 * share + 1e-6));
  snprintf(parts[CONTACTS], PART_SIZE, "  contacts %d", (int)info->contacts);
  if (info->contacts > 0) {
    snprintf(parts[NU], PART_SIZE, " (nu %.2f)", info->nu);
    snprintf(parts[RESIDUAL], PART_SIZE, "  residual %.0e in %lld it", info->residual, (long long)info->iterations);
  }
  if (pace > 0.0) {
    snprintf(parts[PACE], PART_SIZE, "  %.2g%s real time", pace, bar->unicode ? "\u00d7" : "x");
    cps_bar_write_left((bar->end - info->time) / pace, parts[LEFT], PART_SIZE);
  }
  for (int i = 0; i < LAYOUT_COUNT; ++i) {
    cps_bar_write(bar->unicode, share, layouts[i].bar, bar_text, sizeof bar_text);
    text[0] = '\0';
    for (int part = 0; part < PART_COUNT; ++part) {
      if (layouts[i].left_out & 1u << part) continue;
      if (part == BAR) cps_bar_append(text, size, " ");
      cps_bar_append(text, size, part == BAR ? bar_text : parts[part]);
    }
    if (cps_bar_width(text) <= columns) return;
  }
}

void cps_run_progress_begin(CpsRunProgress* bar, double start, double end, double now, bool quiet) {
  *bar = (CpsRunProgress){.shown = !quiet && isatty(STDERR_FILENO), .unicode = cps_bar_unicode()};
  bar->start = start;
  bar->end = end;
  bar->next_draw = cps_wall_clock() + CPS_BAR_FIRST_SECONDS;
  bar->pace_wall[0] = cps_wall_clock();
  bar->pace_time[0] = now;
  bar->pace_count = 1;
}

void cps_run_progress_step(CpsRunProgress* bar, const CpsStepInfo* info) {
  if (!bar->shown) return;
  double wall = cps_wall_clock();
  if (wall < bar->next_draw) return;
  bar->next_draw = wall + CPS_BAR_NEXT_SECONDS;
  double pace = (info->time - bar->pace_time[0]) / (wall - bar->pace_wall[0]);
  if (bar->pace_count == CPS_RUN_PACE_MAX) {
    memmove(bar->pace_wall, bar->pace_wall + 1, (CPS_RUN_PACE_MAX - 1) * sizeof bar->pace_wall[0]);
    memmove(bar->pace_time, bar->pace_time + 1, (CPS_RUN_PACE_MAX - 1) * sizeof bar->pace_time[0]);
    --bar->pace_count;
  }
  bar->pace_wall[bar->pace_count] = wall;
  bar->pace_time[bar->pace_count++] = info->time;
  char text[512];
  compose(bar, info, pace, cps_bar_columns() - 1, text, sizeof text);
  fprintf(stderr, "\r\033[K%s", text);
  fflush(stderr);
  bar->drawn = true;
}

void cps_run_progress_end(CpsRunProgress* bar) {
  if (bar->drawn) fputs("\r\033[K", stderr);
  bar->drawn = false;
}
