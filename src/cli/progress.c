#define _XOPEN_SOURCE 700  // SA_RESTART

#include "cli/progress.h"

#include "cli/command.h"

#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

// Shorter work needs no progress line, and a line that changes faster cannot be read.
#define FIRST_DRAW_SECONDS 0.2
#define NEXT_DRAW_SECONDS 0.1

// A second signal this soon belongs to the same request: `timeout` signals the command and its process group, and any
// thread may receive either signal. A second Ctrl-C is never this fast.
#define ECHO_NANOSECONDS 500000000

static volatile sig_atomic_t interrupted = 0;
static _Atomic int64_t first_interrupt = 0;  // its time; 0 if there was none
static void (*_Atomic tell)(void);           // NULL initially

static int64_t nanoseconds(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 1;
  return 1000000000 * (int64_t)now.tv_sec + (int64_t)now.tv_nsec + 1;
}

// Only async-signal-safe functions from here on.
static void note_interrupt(int signal_number) {
  const int64_t now = nanoseconds();
  int64_t first = 0;
  interrupted = 1;
  if (atomic_compare_exchange_strong(&first_interrupt, &first, now)) {
    void (*told)(void) = tell;
    if (told) told();
    return;
  }
  if (now - first < ECHO_NANOSECONDS) return;
  signal(signal_number, SIG_DFL);
  raise(signal_number);  // delivered when the handler returns
}

static void quit(int signal_number) {
  static const char sentence[] = "capstan: interrupted before the first step; nothing was written\n";
  (void)signal_number;
  ssize_t written = write(STDERR_FILENO, sentence, sizeof sentence - 1);
  (void)written;
  _exit(CPS_EXIT_INTERRUPTED);
}

static void handle(void (*handler)(int)) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < 3; ++i) {
    // ignored signals (nohup) stay ignored
    if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(signals[i], &action, NULL);
  }
}

void cps_interrupt_quit(void) {
  handle(quit);
}

void cps_interrupt_catch(void) {
  handle(note_interrupt);
}

void cps_interrupt_tell(void (*told)(void)) {
  tell = told;
  if (told) handle(note_interrupt);
}

bool cps_interrupt_seen(void) {
  return interrupted != 0;
}

bool cps_interrupt_asked(void* data) {
  (void)data;
  return interrupted != 0;
}

double cps_wall_clock(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0.0;
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cps_progress_begin(CpsProgressLine* line, const char* label, double tolerance, bool quiet) {
  line->label = label;
  line->tolerance = tolerance;
  line->shown = !quiet && isatty(STDERR_FILENO);
  line->drawn = false;
  line->next_draw = cps_wall_clock() + FIRST_DRAW_SECONDS;
  line->residual = NAN;
  line->sample_count = 0;
  line->stride = 1;
  line->seen = 0;
}

void cps_progress_end(CpsProgressLine* line) {
  if (line->drawn) fputs("\r\033[K", stderr);
  line->drawn = false;
}

void cps_progress_sample(CpsProgressLine* line, double iteration, double residual, double seconds) {
  if (!(residual >= 0.0) || !isfinite(residual)) return;
  if (line->sample_count == CPS_SAMPLE_MAX) {
    int kept = 0;
    for (int k = 0; k < CPS_SAMPLE_MAX; k += 2, ++kept) {
      line->iteration[kept] = line->iteration[k];
      line->sampled[kept] = line->sampled[k];
      line->seconds[kept] = line->seconds[k];
    }
    line->sample_count = kept;
    line->stride *= 2;
  }
  int at = line->sample_count++;
  line->iteration[at] = iteration;
  line->sampled[at] = residual;
  line->seconds[at] = seconds;
}

// One write for the whole line, so that it does not flicker.
static void draw(CpsProgressLine* line, const CpsProgress* progress) {
  char residual[64] = "";
  if (isfinite(line->residual)) {
    snprintf(residual, sizeof residual, "  residual %.1e (goal %.0e)", line->residual, line->tolerance);
  }
  char text[320];
  snprintf(text, sizeof text, "\r\033[K%.120s  %lld it%s  %.1f s  Ctrl-C stops", line->label,
           (long long)progress->iteration, residual, progress->seconds);
  fputs(text, stderr);
  line->drawn = true;
}

bool cps_progress_report(const CpsProgress* progress, void* data) {
  CpsProgressLine* line = data;
  if (isfinite(progress->residual)) {
    line->residual = progress->residual;
    if (line->seen++ % line->stride == 0) {
      cps_progress_sample(line, (double)progress->iteration, progress->residual, progress->seconds);
    }
  }
  if (line->shown) {
    double now = cps_wall_clock();
    if (now >= line->next_draw) {
      draw(line, progress);
      line->next_draw = now + NEXT_DRAW_SECONDS;
    }
  }
  return !interrupted;
}
