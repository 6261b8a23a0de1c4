// Sweeps of Gauss-Seidel over all contacts, in their order or by colours. Shared by `gs`, `gs-parallel` and `auto`.
#ifndef CAPSTAN_FRICTION_GLOBAL_GS_LOOP_H
#define CAPSTAN_FRICTION_GLOBAL_GS_LOOP_H

#include "friction/global/colouring.h"
#include "friction/global/domains.h"
#include "friction/global/gs_sweep.h"
#include "friction/global/momentum.h"
#include "friction/global/runs.h"
#include "friction/global/spots.h"

// What each worker keeps for itself, on cache lines of its own.
typedef struct CpsGsWorker {
  _Alignas(64) CpsGsCounts counts;
  double worst;  // largest error seen before an update, in impulse units
} CpsGsWorker;

typedef struct CpsGsLoop {
  CpsGs gs;
  CpsPool* pool;  // NULL: everything in the calling thread
  bool rigid;     // contacts of rigid bodies, swept by gs_rigid.c in the lists of `domains`
  CpsDomains domains;
  int32_t one[2];           // of a single domain
  CpsSpots spots;           // with momentum: what is left to sweep
  const CpsDomains* lists;  // at work: all contacts, or those of the spots
  int32_t phase;            // first list of the phase at work
  bool in_runs;             // contacts that lie well in memory, swept in `runs`
  CpsRuns runs;
  CpsColouring colouring;  // otherwise; one colour with all contacts in their order if the loop is not coloured
  int32_t* awake;          // contacts of the colour at work that do not rest
  CpsGsWorker* worker;
  int workers;
  bool freeze;
  double small;   // changes and impulses below are not seen at the tolerance asked for
  int32_t* rest;  // sweeps that each contact still sits out
  int sweeps;     // of one cps_gs_loop_sweep(): over every run one after the other
  double* r;      // the caller's
  double* u;
  CpsMomentum momentum;  // none, unless it was asked for
} CpsGsLoop;

// `coloured`: contacts by colour or by domains, on the threads of the solve; otherwise one after the other in their order.
CpsStatus cps_gs_loop_create(CpsSolve* solve, CpsLocal local, bool failsafe, bool coloured, double* r, CpsGsLoop* loop);
// Gives the sweeps that follow momentum (momentum.h). Nothing rests then: an impulse that moves by its momentum alone would not
// be seen. `narrow`: sweeps of rigid bodies visit only the spots that are left (spots.h).
CpsStatus cps_gs_loop_accelerate(CpsSolve* solve, bool narrow, CpsGsLoop* loop);
// r was changed outside of the sweeps: makes what belongs to it fit, and wakes every contact.
void cps_gs_loop_refresh(CpsGsLoop* loop);
// One sweep, or loop->sweeps of them; returns the largest error that a contact had before its update, in impulse units.
double cps_gs_loop_sweep(CpsGsLoop* loop);
// The same, at most as many as the solve may still take; those but the last are added to its iterations.
double cps_gs_loop_advance(CpsSolve* solve, CpsGsLoop* loop);
// Measures r by the common residual and counts an iteration, like cps_solve_check().
bool cps_gs_loop_measure(CpsSolve* solve, CpsGsLoop* loop, double* residual);
// Wakes every contact: what rests too early would not be seen again by the estimate.
void cps_gs_loop_wake(CpsGsLoop* loop);
// Sweeps until the solve says stop.
void cps_gs_loop_run(CpsSolve* solve, CpsGsLoop* loop);
// Has a contact that nothing else can help been shown to have no solution?
bool cps_gs_loop_certificate(const CpsGsLoop* loop);
// Adds the workers' counts to the solve's.
void cps_gs_loop_finish(CpsSolve* solve, CpsGsLoop* loop);

#endif
