// Anderson's acceleration of a fixed point iteration. The equations are in anderson.c.
#ifndef CAPSTAN_FRICTION_GLOBAL_ANDERSON_H
#define CAPSTAN_FRICTION_GLOBAL_ANDERSON_H

#include "core/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { CPS_ANDERSON_MOST = 8 };

typedef struct CpsAnderson {
  int64_t size;
  const double* scale;  // of each number in norms; the caller's
  int count, next;      // differences that are known, and where the next goes
  bool begun;           // f and g are those of an iteration before
  double least;         // smallest ||f|| since the last restart
  double *f, *g;
  double *df[CPS_ANDERSON_MOST], *dg[CPS_ANDERSON_MOST];
} CpsAnderson;

// Takes the memory; false if it is short.
bool cps_anderson_create(CpsArena* arena, int64_t size, const double* scale, CpsAnderson* anderson);
// Forgets all iterations, for a map that has changed.
void cps_anderson_restart(CpsAnderson* anderson);
// x with G(x) becomes the next x.
void cps_anderson_step(CpsAnderson* anderson, const double* G, double* x);

#endif
