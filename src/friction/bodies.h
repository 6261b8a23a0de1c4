// The implicit mass matrix of a global form, cut into bodies (diagonal blocks) and factored one by one.
#ifndef CAPSTAN_FRICTION_BODIES_H
#define CAPSTAN_FRICTION_BODIES_H

#include "capstan/problem.h"
#include "core/arena.h"

typedef enum CpsBodyKind { CPS_BODY_DENSE, CPS_BODY_BANDED, CPS_BODY_SPARSE } CpsBodyKind;

// Dense blocks hold P L U of the scaled D M D, banded ones L D L^T, large sparse ones D M D itself (factored when
// opened).
typedef struct CpsBodies {
  int32_t count;
  int64_t dof_count;
  CpsMassKind mass_kind;
  int32_t* dofs;       // m_B of each body
  int64_t* offset;     // count + 1: first place of each body in the arrays below
  int32_t* dof;        // the dofs, body after body
  int32_t* body_of;    // body of each dof
  int32_t* local_of;   // place of each dof inside its body
  uint8_t* kind;       // CpsBodyKind
  int32_t* bandwidth;  // banded: sub-diagonals, otherwise 0
  int64_t* at;         // count + 1: first entry of `value` (and of `row`) of each body
  double* value;
  double* scale;       // dense and sparse: D, one per dof
  int* pivot;          // dense: one per dof
  int64_t* col_start;  // sparse: dofs + 1 per body, from offset + body, relative to at
  int64_t* row;        // sparse: place inside the body
} CpsBodies;

// Checks and factors M; the arena owns the memory.
CpsStatus cps_bodies_create(const CpsMass* M, CpsArena* arena, CpsBodies* bodies, CpsError* error);

// Checks the arrays of a sparse M.
CpsStatus cps_bodies_check_sparse(const CpsMass* M, CpsError* error);

// One body prepared for solves. Several threads may open the same body at once.
typedef struct CpsBodySolver {
  const CpsBodies* bodies;
  int32_t body;
  void* lu;  // sparse: the factor
} CpsBodySolver;

// Returns CPS_OK, CPS_BAD_DATA if M_B is singular, CPS_NO_MEMORY, or CPS_UNSUPPORTED in a build without the direct methods.
CpsStatus cps_body_open(const CpsBodies* bodies, int32_t body, CpsBodySolver* solver, CpsError* error);
// x <- M_B^-1 x
void cps_body_solve(const CpsBodySolver* solver, double* x);
void cps_body_close(CpsBodySolver* solver);

#endif
