#include "core/clock.h"

#include <time.h>

static double read_clock(clockid_t id) {
  struct timespec t;
  if (clock_gettime(id, &t) != 0) return 0.0;
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double cps_clock_cpu(void) {
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}
double cps_clock_wall(void) {
  return read_clock(CLOCK_MONOTONIC);
}
