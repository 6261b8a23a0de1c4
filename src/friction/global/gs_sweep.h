// Shared by sequential and parallel Gauss-Seidel: the update of one contact.
//
//   b_i + sum_{j != i} W_ij r_j  ->  local solver  ->  r_i       (Daviet et al. 2011, Algorithm 1, its sign corrected)
#ifndef CAPSTAN_FRICTION_GLOBAL_GS_SWEEP_H
#define CAPSTAN_FRICTION_GLOBAL_GS_SWEEP_H

#include "friction/global/method.h"

// Counters of one worker, added up at the end so that workers do not share a cache line.
typedef struct CpsGsCounts {
  int64_t calls, failures, fallbacks, unsolved;
  int64_t certificates;  // proofs of no solution for uncoupled contacts
} CpsGsCounts;

typedef struct CpsGsPacked CpsGsPacked;  // gs_packed.h

typedef struct CpsGs {
  const CpsProblem* problem;
  CpsPool* pool;  // for work other than sweeps
  const CpsLocalSolver* local;
  bool failsafe;  // enumerate where `local` fails
  CpsLocalSettings settings;
  int cache_stride;  // doubles per contact of the local solver's cache, 0: none
  double* cache;
  int enum_stride;  // the same for the enumeration, if it is the fail-safe
  double* enum_cache;
  const bool* degenerate;  // W_ii is singular: an impulse may grow without bound; NULL: not checked
  double* v;               // matrix-free: velocities of the bodies, sum_i Y_i^T r_i; NULL with an explicit W
  CpsGsPacked* packed;     // rows in single precision, with their own v, for the updates; NULL: those of the problem
} CpsGs;

// Settings of the local solver. Its tolerance is well below the global one, so as not to spoil convergence (Daviet et
// al. 2011, section 7.3).
CpsLocalSettings cps_gs_settings(const CpsSolveOptions* options);
// Allocates the buffers and fills the caches and, for a matrix-free problem, v for the given r.
CpsStatus cps_gs_prepare(CpsSolve* solve, CpsLocal local, bool failsafe, const double* r, CpsGs* gs);
// Recomputes v from r (rounding drifts over thousands of sweeps). Does nothing with an explicit W.
void cps_gs_refresh(CpsGs* gs, const double* r);
// Solves contact i and stores r_i. `u_i` (d entries): the velocity of the contact before the update, (W r)_i + b_i with
// the old r_i. Returns ||r_i - r_i old||.
double cps_gs_update(const CpsGs* gs, int32_t i, double* r, double* u_i, CpsGsCounts* counts);
// Adds the counts to the solve's.
void cps_gs_report(CpsSolve* solve, const CpsGsCounts* counts);

// Freezing (Daviet et al. 2011, section 6): a contact with a settled or weak impulse rests for a few sweeps.
enum { CPS_GS_REST = 10 };

#endif
