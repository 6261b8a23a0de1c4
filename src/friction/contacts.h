// Status and residual of each contact at a solution: one function for a solve, a step of a world and the problem saved
// from it.
#ifndef CAPSTAN_FRICTION_CONTACTS_H
#define CAPSTAN_FRICTION_CONTACTS_H

#include "capstan/solve.h"
#include "core/arena.h"
#include "core/pool.h"

typedef struct CpsContactReport {
  CpsContactStatus* status;  // of each contact
  double* residual;          // of each contact, relative to its island
  double worst;              // the largest of them
  int32_t takeoff, stick, slide;
  double largest_r, driving;  // max ||r_i||, max xi_i ||b_i||
} CpsContactReport;

// u: the velocity of r, including the shift. `tolerance`: as requested. The arrays come from the arena. pool: threads to
// share the work, or NULL; results do not depend on it. False: memory runs out.
bool cps_contacts_measure(const CpsProblem* problem, CpsArena* arena, CpsPool* pool, const double* r, const double* u,
                          double tolerance, CpsContactReport* report);

// The report of the last solve with an info; its arrays remain valid until the next solve.
const CpsContactReport* cps_workspace_report(const CpsWorkspace* workspace);

// Whether many rigid bodies are at rest under the impulses of the last solve (balance.h): under the guess, whose bits were kept, or
// under impulses from a search. Only polished solves search. Products with W cost at most as much as several hundred sweeps,
// factorisations a share of the cost of this many `steps` of a simulation. 1: bodies at rest in the last step are balanced once
// more, by products only. 0: the next solve does not search.
typedef enum CpsRest { CPS_REST_NONE = 0, CPS_REST_KEPT, CPS_REST_FOUND } CpsRest;
void cps_workspace_seek_rest(CpsWorkspace* workspace, int32_t steps);
CpsRest cps_workspace_rest(const CpsWorkspace* workspace);

// Call from time to time between solves; the report of the last solve is lost. Frees memory unused since the previous call.
void cps_workspace_age(CpsWorkspace* workspace);
// The same, but frees all of it.
void cps_workspace_forget(CpsWorkspace* workspace);

// cps_workspace_solve() from a guess that is kept, bit for bit, if its residual is at most `accept` >= options->tolerance. A solve
// aims at the tolerance, but any residual of at most `accept` is CPS_OK. With `same`, the matrix is that of the last solve, and what
// that solve learned about the problem is used again.
CpsStatus cps_workspace_solve_near(CpsWorkspace* workspace, const CpsProblem* problem, const CpsSolveOptions* options,
                                   double accept, bool same, double* r, CpsSolveInfo* info, CpsError* error);

#endif
