// The contacts of the next step in the memory of the problem of the last one.
#ifndef CAPSTAN_FRICTION_REFILL_H
#define CAPSTAN_FRICTION_REFILL_H

#include "capstan/problem.h"
#include "core/pool.h"
#include "sparse/cholesky.h"

// cps_problem_refill_bodies() without a copy of H: if factored->H and factored->Y are one array, the problem reads it in
// place, and it must stay unchanged until the next refill or the end of the problem. pool: threads to share the work, or
// NULL; the bits do not depend on it.
CpsStatus cps_problem_refill_borrowed(CpsProblem* problem, const CpsContactsDef* contacts,
                                      const CpsFactoredForm* factored, CpsPool* pool, CpsError* error);

// Declares the contacts to be one island until the next refill, which saves the search.
void cps_problem_set_connected(CpsProblem* problem);

// cps_problem_refill_sparse() with the threads of a pool, which must outlive the problem or its next refill; so must
// `factor`, the factor of form's M if the caller has it, otherwise NULL.
CpsStatus cps_problem_refill_sparse_on(CpsProblem* problem, const CpsContactsDef* contacts, const CpsSparseForm* form,
                                       CpsCholesky* factor, CpsPool* pool, CpsError* error);

// The same contacts again with a new b.
CpsStatus cps_problem_refill_b(CpsProblem* problem, const CpsContactsDef* contacts, CpsError* error);

// The same with new laws and b; contacts keep their dimensions and their friction.
CpsStatus cps_problem_refill_laws(CpsProblem* problem, const CpsContactsDef* contacts, CpsError* error);

// Only the change of node velocities: v = M^-1 A^T r of a problem with large members. v and work: 3 nodes numbers.
void cps_problem_nodes(const CpsProblem* problem, const double* r, double* v, double* work);

#endif
