// What each contact does at a solution and how far it is from its law: one function for a solve, for a step of a world and
// for the problem that was saved from it.
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

// u: the velocity of r, shift included. `tolerance`: what was asked. The arrays are taken from the arena. pool: NULL, or
// threads to share the work; they change no bit. False: not enough memory.
bool cps_contacts_measure(const CpsProblem* problem, CpsArena* arena, CpsPool* pool, const double* r, const double* u,
                          double tolerance, CpsContactReport* report);

// The report of the last solve with an info; its arrays are there until the next solve.
const CpsContactReport* cps_workspace_report(const CpsWorkspace* workspace);

// Whether many rigid bodies stand still under the impulses of the last solve (balance.h): under the guess, whose bits were kept, or
// under some that were looked for. That is done in solves that are polished. By products with W it costs as much as several hundred
// sweeps at most, by factors a part of what so many `steps` of a simulation cost. 1: what stood still in the last step is balanced
// once more, by products alone. 0: the next solve does not look.
typedef enum CpsRest { CPS_REST_NONE = 0, CPS_REST_KEPT, CPS_REST_FOUND } CpsRest;
void cps_workspace_seek_rest(CpsWorkspace* workspace, int32_t steps);
CpsRest cps_workspace_rest(const CpsWorkspace* workspace);

// To be called from time to time, between solves, of which the last one's report is lost: gives back memory that was not needed since
// the last call.
void cps_workspace_age(CpsWorkspace* workspace);
// The same with all of it.
void cps_workspace_forget(CpsWorkspace* workspace);

// cps_workspace_solve() from a guess that is kept, bit for bit, if its residual is at most `accept` >= options->tolerance. What is
// solved is solved to the tolerance; reached or not, a residual of at most `accept` is CPS_OK. It continues with what the last solve
// found out about the problem, if `same`: that was of the same matrix.
CpsStatus cps_workspace_solve_near(CpsWorkspace* workspace, const CpsProblem* problem, const CpsSolveOptions* options,
                                   double accept, bool same, double* r, CpsSolveInfo* info, CpsError* error);

#endif
