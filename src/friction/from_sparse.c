// Problems with large members, created and refilled. sparse_build.c builds their parts.
#include "core/error.h"
#include "friction/build.h"
#include "friction/refill.h"
#include "friction/sparse_part.h"

// All parts after the contacts, which p holds already.
static CpsStatus fill(CpsProblem* p, const CpsSparseForm* form, CpsCholesky* factor, CpsPool* pool, CpsError* error) {
  CpsFactoredForm small = form->small;
  if (form->node_count < 0) return cps_fail(error, CPS_BAD_DATA, "the number of nodes is negative");
  if (small.body_count == 0 && !small.contact_start) {
    small.contact_start = CPS_TAKE_ZERO(&p->arena, int64_t, (int64_t)p->contact_count + 1);
    if (!small.contact_start) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for the Jacobian blocks");
  }
  if (form->node_count == 0) {
    CpsStatus status = cps_build_factors(p, &small, false, error);
    return status == CPS_OK ? cps_build_complete(p, pool, error) : status;
  }
  if (small.H != small.Y) return cps_fail(error, CPS_BAD_ARGUMENT, "H and Y of the small members must be one array");
  CpsStatus status = cps_build_plain_factors(p, &small, false, error);
  if (status == CPS_OK) status = cps_sparse_build(p, form, factor, pool, error);
  return status == CPS_OK ? cps_build_complete(p, pool, error) : status;
}

CpsStatus cps_problem_from_sparse(const CpsContactsDef* contacts, const CpsSparseForm* form, CpsProblem** problem,
                                  CpsError* error) {
  if (!problem || !form) return cps_fail(error, CPS_BAD_ARGUMENT, "problem or form is NULL");
  CpsProblem* p;
  CpsStatus status = cps_build_contacts(contacts, &p, error);
  if (status != CPS_OK) return status;
  status = fill(p, form, NULL, NULL, error);
  if (status == CPS_OK) {
    *problem = p;
  } else {
    cps_problem_destroy(p);
  }
  return status;
}

CpsStatus cps_problem_refill_sparse(CpsProblem* problem, const CpsContactsDef* contacts, const CpsSparseForm* form,
                                    CpsError* error) {
  return cps_problem_refill_sparse_on(problem, contacts, form, NULL, NULL, error);
}

CpsStatus cps_problem_refill_sparse_on(CpsProblem* problem, const CpsContactsDef* contacts, const CpsSparseForm* form,
                                       CpsCholesky* factor, CpsPool* pool, CpsError* error) {
  if (!problem || !form) return cps_fail(error, CPS_BAD_ARGUMENT, "problem or form is NULL");
  if (problem->has_W || problem->global) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "only a problem made from bodies or the sparse form can be refilled");
  }
  CpsStatus status = cps_build_fill(problem, contacts, false, error);
  if (status != CPS_OK) return status;
  status = fill(problem, form, factor, pool, error);
  if (status != CPS_OK) cps_build_clear(problem);
  return status;
}

CpsStatus cps_problem_sparse_form(const CpsProblem* problem, CpsSparseForm* form) {
  if (!problem || !form) return CPS_BAD_ARGUMENT;
  const CpsSparsePart* s = problem->sparse;
  const CpsFactors* F = &problem->factors;
  if (!s) return CPS_UNSUPPORTED;
  *form = (CpsSparseForm){.small = {.body_count = F->body_count,
                                    .body_dofs = F->body_dofs,
                                    .contact_start = F->contact_start,
                                    .body = F->body,
                                    .H = F->H,
                                    .Y = F->Y},
                          .node_count = s->node_count,
                          .M_start = s->M_start,
                          .M_column = s->M_column,
                          .M_value = s->M_value,
                          .node_start = s->node_start,
                          .node = s->node,
                          .A = s->A};
  return CPS_OK;
}

int32_t cps_problem_node_count(const CpsProblem* problem) {
  return problem && problem->sparse ? problem->sparse->node_count : 0;
}
