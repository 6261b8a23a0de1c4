// Input and output of every whole-problem method.
//
// A method takes all its buffers from `arena` and frees none of them. It improves r and calls cps_solve_check() (or
// cps_solve_tick() when a residual is too expensive) once per iteration; when that returns false, it returns CPS_OK.
// solve.c then measures the best r again and fills in the report.
#ifndef CAPSTAN_FRICTION_GLOBAL_METHOD_H
#define CAPSTAN_FRICTION_GLOBAL_METHOD_H

#include "capstan/solve.h"
#include "core/arena.h"
#include "core/pool.h"
#include "friction/local/local.h"
#include "friction/problem.h"

typedef struct CpsSolve {
  const CpsProblem* problem;
  const CpsSolveOptions* options;
  CpsArena* arena;
  CpsPool* pool;    // NULL with one thread
  CpsError* error;  // for a negative status; may be NULL
  // counters incremented by the methods
  int64_t inner_iterations;
  int64_t factorisations;
  int64_t local_calls, local_failures, local_fallbacks, local_unsolved;
  int64_t outside_bytes;  // peak memory held outside of the arena
  // kept by solve.c
  int64_t iterations;
  double best_residual;  // of best_r, infinity before the first check
  double* best_r;
  double* u_scratch;  // row_count
  double* v_scratch;  // without W: velocities of the bodies, or the scratch of large members; otherwise NULL
  struct CpsMassFactor** factor;        // of the primal methods' system; the workspace keeps it between solves
  struct CpsRestFactor* rest;           // of the standstill, likewise
  struct CpsClusterWorkers** clusters;  // memory for clusters, likewise
  double* rho;                          // final value of the splitting in the previous solve; 0: unknown
  double scale;                         // max_i ||r_i|| + max_i xi_i ||b_i|| of the last measured r
  double start_cpu;
  CpsStatus stop;  // why check or tick returned false
  bool u_is_best;  // u_scratch is the velocity of best_r
  bool v_is_best;  // rigid bodies: v_scratch is that of best_r
  // set by the methods
  bool symmetrised;
  bool no_solution;  // a certificate was found
} CpsSolve;

// Ends an iteration. Measures r by the common residual (u: its velocity W r + b if the caller has it, else NULL), keeps
// the best r, calls the progress function. A u that is solve->u_scratch must be up to date: the report uses it as the
// velocity of r. Returns false when the method must stop: converged, iteration or time limit, interrupted. *residual_out
// (may be NULL) gets the residual.
bool cps_solve_check(CpsSolve* solve, const double* r, const double* u, double* residual_out);
// Ends an iteration without measuring. Returns false at a limit or an interrupt, never for convergence.
bool cps_solve_tick(CpsSolve* solve);
// Was the solve interrupted? For inner loops of several seconds: they end early, and cps_solve_check() stops the method.
bool cps_solve_cancelled(const CpsSolve* solve);
// out = W x + b, b NULL: zero; uses the threads of the solve.
void cps_solve_apply_W(CpsSolve* solve, const double* x, const double* b, double* out);
// Like cps_solve_check, but counts no iteration and calls no progress function: measures a candidate.
bool cps_solve_offer(CpsSolve* solve, const double* r, const double* u, double* residual_out);

typedef struct CpsMethodEntry {
  CpsMethodInfo info;
  // r in: first guess, out: last iterate. Returns CPS_OK (even if it stops unconverged) or an error < 0 with a message
  // in solve->error.
  CpsStatus (*run)(CpsSolve* solve, double* r);
  bool sparse;  // supports large members; other methods work on the W these represent
} CpsMethodEntry;

// Methods that need a sparse factorisation: a build without one lists them but cannot run them.
#ifdef CAPSTAN_DIRECT
#define CPS_DIRECT_AVAILABLE true
#define CPS_DIRECT(run) (run)
#else
#define CPS_DIRECT_AVAILABLE false
#define CPS_DIRECT(run) NULL
#endif

// Runs a method without support for large members on the W they represent, formed by solves within the method's time.
CpsStatus cps_solve_on_W(CpsSolve* solve, CpsStatus (*run)(CpsSolve* solve, double* r), double* r);

extern const CpsMethodEntry cps_method_auto;
extern const CpsMethodEntry cps_method_gs;
extern const CpsMethodEntry cps_method_gs_parallel;
extern const CpsMethodEntry cps_method_newton_ac;
extern const CpsMethodEntry cps_method_newton_fb;
extern const CpsMethodEntry cps_method_cadoux_dual;
extern const CpsMethodEntry cps_method_cadoux_primal;
extern const CpsMethodEntry cps_method_desaxce;
extern const CpsMethodEntry cps_method_cpg;
extern const CpsMethodEntry cps_method_psor;
extern const CpsMethodEntry cps_method_lemke;
extern const CpsMethodEntry cps_method_mcp;
extern const CpsMethodEntry cps_method_staggered;
extern const CpsMethodEntry cps_method_admm;
extern const CpsMethodEntry cps_method_apgd;
extern const CpsMethodEntry cps_method_convex;
extern const CpsMethodEntry cps_method_proximal;
extern const CpsMethodEntry cps_method_primal_newton;
extern const CpsMethodEntry cps_method_nodal;
extern const CpsMethodEntry cps_method_splitting;

#define CPS_ALL_LAWS                                                                             \
  (CPS_LAW_BIT(CPS_LAW_COULOMB) | CPS_LAW_BIT(CPS_LAW_CONVEX) | CPS_LAW_BIT(CPS_LAW_BILATERAL) | \
   CPS_LAW_BIT(CPS_LAW_FREE))

// The table, by CpsMethod (solve.c).
const CpsMethodEntry* cps_method_entry(CpsMethod method);

#endif
