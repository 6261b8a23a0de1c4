// Gauss-Seidel sweeps over all contacts, in order or by colours. Shared by `gs`, `gs-parallel` and `auto`.
#ifndef CAPSTAN_FRICTION_GLOBAL_GS_LOOP_H
#define CAPSTAN_FRICTION_GLOBAL_GS_LOOP_H

#include "friction/global/colouring.h"
#include "friction/global/domains.h"
#include "friction/global/gs_sweep.h"
#include "friction/global/momentum.h"
#include "friction/global/runs.h"
#include "friction/global/spots.h"

// Data of one worker, on its own cache lines.
typedef struct CpsGsWorker {
  _Alignas(64) CpsGsCounts counts;
  double worst;  // largest error seen before an update, in impulse units
} CpsGsWorker;

typedef struct CpsGsLoop {
  CpsGs gs;
  CpsPool* pool;  // NULL: all work in the calling thread
  bool rigid;     // contacts of rigid bodies, swept by gs_rigid.c in the lists of `domains`
  CpsDomains domains;
  int32_t one[2];           // of a single domain
  CpsSpots spots;           // with momentum: the remaining spots
  const CpsDomains* lists;  // in use: all contacts, or those of the spots
  int32_t phase;            // first list of the current phase
  bool in_runs;             // contacts well ordered in memory, swept in `runs`
  CpsRuns runs;
  CpsColouring colouring;  // otherwise; one colour with all contacts in their order if the loop is not coloured
  int32_t* awake;          // awake contacts of the current colour
  CpsGsWorker* worker;
  int workers;
  bool freeze;
  double small;   // smaller changes and impulses do not matter at the requested tolerance
  int32_t* rest;  // remaining sweeps of each contact's rest
  int sweeps;     // per cps_gs_loop_sweep(): over every run in turn
  double* r;      // the caller's
  double* u;
  CpsMomentum momentum;  // inactive unless requested
} CpsGsLoop;

// `coloured`: contacts by colour or by domains, on the threads of the solve; otherwise one after the other in order.
CpsStatus cps_gs_loop_create(CpsSolve* solve, CpsLocal local, bool failsafe, bool coloured, double* r, CpsGsLoop* loop);
// Enables momentum for the following sweeps (momentum.h). No contact rests then: a change by momentum alone would go unnoticed.
// `narrow`: sweeps of rigid bodies visit only the remaining spots (spots.h).
CpsStatus cps_gs_loop_accelerate(CpsSolve* solve, bool narrow, CpsGsLoop* loop);
// Call after changing r outside of the sweeps: updates the dependent data and wakes every contact.
void cps_gs_loop_refresh(CpsGsLoop* loop);
// One sweep, or loop->sweeps of them; returns the largest error of a contact before its update, in impulse units.
double cps_gs_loop_sweep(CpsGsLoop* loop);
// The same, limited by the remaining iterations of the solve; all but the last are added to its iterations.
double cps_gs_loop_advance(CpsSolve* solve, CpsGsLoop* loop);
// Measures r by the common residual and counts an iteration, like cps_solve_check().
bool cps_gs_loop_measure(CpsSolve* solve, CpsGsLoop* loop, double* residual);
// Wakes every contact: the estimate cannot see a contact that rests too early.
void cps_gs_loop_wake(CpsGsLoop* loop);
// Sweeps until the solve ends.
void cps_gs_loop_run(CpsSolve* solve, CpsGsLoop* loop);
// Has a contact been proved to have no solution, whatever the others do?
bool cps_gs_loop_certificate(const CpsGsLoop* loop);
// Adds the counts of the workers to those of the solve.
void cps_gs_loop_finish(CpsSolve* solve, CpsGsLoop* loop);

#endif
