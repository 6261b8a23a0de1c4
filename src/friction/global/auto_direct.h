// The part of `auto` that factors matrices. In a build without the direct methods it is never chosen.
#ifndef CAPSTAN_FRICTION_GLOBAL_AUTO_DIRECT_H
#define CAPSTAN_FRICTION_GLOBAL_AUTO_DIRECT_H

#include "friction/global/gs_loop.h"

#ifdef CAPSTAN_DIRECT
#include "friction/global/prox_loop.h"

typedef struct CpsAutoDirect {
  bool asked;     // the fields below are set
  bool possible;  // the factors fit
  double cost;    // of a whole solve, in units of one 3 x 3 block times a vector
  CpsProximal proximal;
} CpsAutoDirect;

// Is the proximal method cheaper than `cost`, the expected cost of the remaining sweeps of `loop`, after `spent`? Both infinite:
// the sweeps creep. The first call that might return true orders the matrix.
CpsStatus cps_auto_direct_beats(CpsSolve* solve, CpsAutoDirect* direct, const CpsGsLoop* loop, double cost,
                                double spent, bool* beats);
// Solves from r, and from other starts when it stalls, until the solve ends; an expensive solve ends when it stalls. *go: the solve is
// not over, and sweeps may continue from the best impulses.
CpsStatus cps_auto_direct_run(CpsSolve* solve, CpsAutoDirect* direct, CpsGsLoop* loop, double* r, bool* go);
// If the whole problem is not to be factored: solves the remaining contacts and counts them (auto_cluster.h).
CpsStatus cps_auto_direct_cluster(CpsSolve* solve, CpsAutoDirect* direct, CpsGsLoop* loop, int32_t* members);

#else

typedef struct CpsAutoDirect {
  bool asked;
} CpsAutoDirect;

static inline CpsStatus cps_auto_direct_beats(CpsSolve* solve, CpsAutoDirect* direct, const CpsGsLoop* loop,
                                              double cost, double spent, bool* beats) {
  (void)solve;
  (void)direct;
  (void)loop;
  (void)cost;
  (void)spent;
  *beats = false;
  return CPS_OK;
}

static inline CpsStatus cps_auto_direct_run(CpsSolve* solve, CpsAutoDirect* direct, CpsGsLoop* loop, double* r,
                                            bool* go) {
  (void)solve;
  (void)direct;
  (void)loop;
  (void)r;
  *go = false;
  return CPS_OK;
}

static inline CpsStatus cps_auto_direct_cluster(CpsSolve* solve, CpsAutoDirect* direct, CpsGsLoop* loop,
                                                int32_t* members) {
  (void)solve;
  (void)direct;
  (void)loop;
  *members = 0;
  return CPS_OK;
}

#endif
#endif
