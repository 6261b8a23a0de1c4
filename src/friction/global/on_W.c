// A problem with large members and a method that needs W: the method works on a copy of the problem with W.
#include "core/error.h"
#include "friction/global/method.h"
#include "friction/sparse_part.h"

CpsStatus cps_solve_on_W(CpsSolve* solve, CpsStatus (*run)(CpsSolve* solve, double* r), double* r) {
  const CpsProblem* problem = solve->problem;
  CpsProblem dual = *problem;
  dual.sparse = NULL;
  dual.has_W = true;
  if (!cps_sparse_explicit_W(problem, solve->arena, solve->pool, &dual.W)) {
    return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for W");
  }
  solve->problem = &dual;
  CpsStatus status = run(solve, r);
  solve->problem = problem;
  solve->u_is_best = solve->v_is_best = false;  // the report is measured on the problem itself
  return status;
}
