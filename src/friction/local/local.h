// A single contact:  u = W r + b,  (u, r) satisfies the law.  One file per solver, all behind this table.
#ifndef CAPSTAN_FRICTION_LOCAL_LOCAL_H
#define CAPSTAN_FRICTION_LOCAL_LOCAL_H

#include "capstan/solve.h"

typedef struct CpsLocalProblem {
  int dim;  // 2 … CPS_DIM_MAX
  CpsLaw law;
  double mu;
  double xi;        // dim / tr W, the natural scale impulse / velocity
  const double* W;  // dim x dim row-major
  const double* b;  // dim: velocity without this contact's own impulse, shift included
} CpsLocalProblem;

typedef struct CpsLocalSettings {
  double tolerance;      // on the contact's error e (law.h), relative to ||r|| + xi ||b||
  int max_iterations;    // of the solver's own loop
  int facets;            // pyramid
  CpsFacets facet_kind;  // pyramid
} CpsLocalSettings;

typedef enum CpsLocalResult {
  CPS_LOCAL_SOLVED = 0,      // to the tolerance (faceted or diagonal models: under their own law)
  CPS_LOCAL_FAILED = 1,      // r is the best iterate found
  CPS_LOCAL_NO_SOLUTION = 2  // certified; r is the best iterate found
} CpsLocalResult;

typedef struct CpsLocalSolver {
  CpsLocalInfo info;
  // Doubles of per-contact data that depend only on W, mu and the law; NULL: none.
  int (*cache_size)(int dim);
  // Fills that cache from W, mu, law (b is not read).
  void (*prepare)(const CpsLocalProblem* problem, double* cache);
  // r in: first guess, out: solution. `cache` as prepared, or NULL: the solver then works without it.
  CpsLocalResult (*solve)(const CpsLocalProblem* problem, const double* cache, const CpsLocalSettings* settings,
                          double* r);
} CpsLocalSolver;

extern const CpsLocalSolver cps_local_mfb;
extern const CpsLocalSolver cps_local_ac;
extern const CpsLocalSolver cps_local_ac_damped;
extern const CpsLocalSolver cps_local_enum;
extern const CpsLocalSolver cps_local_duriez06;
extern const CpsLocalSolver cps_local_duriez08;
extern const CpsLocalSolver cps_local_pyramid;
extern const CpsLocalSolver cps_local_radial;

// The table, by CpsLocal (local.c).
const CpsLocalSolver* cps_local_solver(CpsLocal local);
// Bilateral and free blocks, and Coulomb or convex ones with mu = 0, which every solver delegates here (simple.c).
// Returns true if it was one of those (*result: the outcome).
bool cps_local_solve_simple(const CpsLocalProblem* problem, double* r, CpsLocalResult* result);
// Error e of r relative to ||r|| + xi ||b|| (0/0 = 0).
double cps_local_error(const CpsLocalProblem* problem, const double* r);
// u = W r + b
void cps_local_velocity(const CpsLocalProblem* problem, const double* r, double* u);

#endif
