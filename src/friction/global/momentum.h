// Momentum for sweeps: each starts from a point beyond the last one, in the direction in which the sweeps have moved.
#ifndef CAPSTAN_FRICTION_GLOBAL_MOMENTUM_H
#define CAPSTAN_FRICTION_GLOBAL_MOMENTUM_H

#include "friction/global/method.h"

typedef struct CpsMomentum {
  const CpsProblem* problem;  // NULL: no momentum
  CpsPool* pool;
  double* r;                // the impulses that are swept
  double* v;                // velocities of the bodies that go with them; NULL: the sweeps keep none
  int64_t v_count;          // entries of v
  double *last_r, *last_v;  // what the sweep before left
  double* start;            // where the sweep at work began
  double* part;             // sums of the parts of a loop
  double theta;             // 0: the next sweep starts where the last one ended
  int64_t sweeps;           // made so far
  int32_t restarts;         // the same
  int32_t calm;             // sweeps that are still made with little momentum
  double weight;            // beta of the sweep at work
  const int32_t* contact;   // contacts that the sweeps visit, count of them; NULL: all. The others have no momentum.
  int32_t count;
  double least;  // smallest square of a sweep's change since the last restart
} CpsMomentum;

// @param v  body velocities of r, kept by the sweeps; NULL with an explicit W
// Returns false if memory runs out.
bool cps_momentum_create(CpsSolve* solve, CpsPool* pool, double* r, double* v, CpsMomentum* momentum);
// Moves r and v to where the next sweep starts.
void cps_momentum_begin(CpsMomentum* momentum);
// The sweep is over: decides whether the momentum is kept.
void cps_momentum_end(CpsMomentum* momentum);
// Around a change of r or v from outside, the rounding of v included: the direction stays as it is. (Otherwise the change would count
// as a movement, and be repeated by every sweep that follows.)
void cps_momentum_hold(CpsMomentum* momentum);
void cps_momentum_release(CpsMomentum* momentum);
// Forgets the direction.
void cps_momentum_reset(CpsMomentum* momentum);

#endif
