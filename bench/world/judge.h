// Any engine's step put through Capstan's measure of the friction law.
//
// From the contacts, the bodies and the velocities before the step the problem u = W r + b is built,
//
//   W = H M^-1 H^T,   b = H (v + h g),   shift_N = bias of the contact,                                             (1)
//
// and the engine's impulses are its r. A second figure tells whether they are all that acted: the largest difference
// between the velocities after the step and v + h g + M^-1 H^T r, relative to the largest change of velocity.
#ifndef CAPSTAN_BENCH_WORLD_JUDGE_H
#define CAPSTAN_BENCH_WORLD_JUDGE_H

#include "world/engine.h"

typedef struct CpsBenchVerdict {
  int32_t contacts;
  double residual;     // CpsResidual.natural
  double unexplained;  // see above
  double overlap;      // largest, as the engine saw it before the step, m
} CpsBenchVerdict;

// before: states before the step that `world` just made. Returns false (and says why on stderr) on an error.
bool cps_bench_judge(const CpsBenchEngine* engine, const void* world, const CpsBenchScene* scene,
                     const CpsBenchState* before, CpsBenchVerdict* verdict);

#endif
