// The linear systems of the interior point of conic_ip.c: (A + F^2) dx = g, in the dual or the primal form.
#ifndef CAPSTAN_FRICTION_GLOBAL_CONIC_KKT_H
#define CAPSTAN_FRICTION_GLOBAL_CONIC_KKT_H

#include "friction/global/conic.h"
#include "sparse/ldl.h"

typedef enum CpsConicForm {
  CPS_CONIC_DUAL = 0,   // factors A + F^2, the unknown is the impulse
  CPS_CONIC_PRIMAL = 1  // factors [I L^T; L -F^2] with A = L L^T, the unknown is the velocity y = L^T x
} CpsConicForm;

// Unknowns of the interior point: contact rows except those that must vanish (free blocks, tangents with mu = 0).
typedef struct CpsConicRows {
  int64_t count;   // N
  int64_t* first;  // contact_count + 1: first unknown of each contact
  int64_t* row;    // row of the problem of each unknown
  double* t;       // r[row] = t x
} CpsConicRows;

typedef struct CpsConicKkt {
  CpsConicForm form;
  const CpsProblem* problem;
  const CpsConicRows* rows;
  // A in CSC, symmetric, rows ascending
  int64_t *A_start, *A_row;
  double* A_value;
  // the factored matrix
  int64_t size, root_count;
  int64_t *K_start, *K_row;
  double *K_base, *K_value;
  int64_t* F2_at;     // where F^2 of each contact goes in K_value: d x d indices per contact
  int64_t* F2_first;  // contact_count + 1
  double *rhs, *residual;
  int refinements;  // maximum number of refinement steps
  CpsLdl* ldl;
} CpsConicKkt;

// Scales the unknowns to make the diagonal of A about 1; with `unit_cones` also K_mu becomes { x_0 >= ||x_1|| }.
// Returns false if memory runs out.
bool cps_conic_rows_create(CpsSolve* solve, bool unit_cones, CpsConicRows* rows);

// Memory from the arena and SuiteSparse; destroy `kkt` on failure too. CPS_OK or an error < 0.
CpsStatus cps_conic_kkt_create(CpsSolve* solve, const CpsConic* conic, const CpsConicRows* rows, CpsConicForm form,
                               CpsConicKkt* kkt);
void cps_conic_kkt_destroy(CpsConicKkt* kkt);
// out = A x
void cps_conic_kkt_multiply(const CpsConicKkt* kkt, const double* x, double* out);
// Factors with F^2 given as d x d blocks, one after the other (at F2_first); false on failure.
bool cps_conic_kkt_factor(CpsConicKkt* kkt, const double* F2);
// dx = (A + F^2)^-1 g, with iterative refinement; dx must not alias g.
void cps_conic_kkt_solve(CpsConicKkt* kkt, const double* F2, const double* g, double* dx);

#endif
