// Momentum for sweeps: each sweep starts beyond the last point, in the direction of the recent motion.
#ifndef CAPSTAN_FRICTION_GLOBAL_MOMENTUM_H
#define CAPSTAN_FRICTION_GLOBAL_MOMENTUM_H

#include "friction/global/method.h"

typedef struct CpsMomentum {
  const CpsProblem* problem;  // NULL: no momentum
  CpsPool* pool;
  double* r;                // the impulses that are swept
  double* v;                // velocities of the bodies belonging to r; NULL: the sweeps keep none
  int64_t v_count;          // entries of v
  double *last_r, *last_v;  // result of the previous sweep
  double* start;            // start of the current sweep
  double* part;             // sums of the parts of a loop
  double theta;             // 0: the next sweep starts where the last one ended
  int64_t sweeps;           // so far
  int32_t restarts;         // so far
  int32_t calm;             // remaining sweeps with little momentum
  double weight;            // beta of the current sweep
  const int32_t* contact;   // the `count` contacts visited by the sweeps, NULL: all. The others have no momentum.
  int32_t count;
  double least;  // smallest squared change of a sweep since the last restart
} CpsMomentum;

// @param v  body velocities of r, kept by the sweeps; NULL with an explicit W
// Returns false if memory runs out.
bool cps_momentum_create(CpsSolve* solve, CpsPool* pool, double* r, double* v, CpsMomentum* momentum);
// Moves r and v to the start of the next sweep.
void cps_momentum_begin(CpsMomentum* momentum);
// Call after each sweep: decides whether to keep the momentum.
void cps_momentum_end(CpsMomentum* momentum);
// Enclose a change of r or v from outside, including the rounding of v, in these calls to keep the direction unchanged. (Otherwise
// the change would count as motion, and every following sweep would repeat it.)
void cps_momentum_hold(CpsMomentum* momentum);
void cps_momentum_release(CpsMomentum* momentum);
// Discards the direction.
void cps_momentum_reset(CpsMomentum* momentum);

#endif
