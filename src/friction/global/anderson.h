// Anderson acceleration of a fixed-point iteration. The equations are in anderson.c.
#ifndef CAPSTAN_FRICTION_GLOBAL_ANDERSON_H
#define CAPSTAN_FRICTION_GLOBAL_ANDERSON_H

#include "core/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { CPS_ANDERSON_MOST = 8 };

typedef struct CpsAnderson {
  int64_t size;
  const double* scale;  // weight of each entry in norms; owned by the caller
  int count, next;      // stored differences, and the slot of the next one
  bool begun;           // f and g hold a previous iteration
  double least;         // smallest ||f|| since the last restart
  double *f, *g;
  double *df[CPS_ANDERSON_MOST], *dg[CPS_ANDERSON_MOST];
} CpsAnderson;

// Allocates the buffers; false if memory runs out.
bool cps_anderson_create(CpsArena* arena, int64_t size, const double* scale, CpsAnderson* anderson);
// Discards all iterations, for a changed map.
void cps_anderson_restart(CpsAnderson* anderson);
// Replaces x, whose image is G(x), by the next iterate.
void cps_anderson_step(CpsAnderson* anderson, const double* G, double* x);

#endif
