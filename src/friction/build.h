// Steps shared by the builders of a CpsProblem.
#ifndef CAPSTAN_FRICTION_BUILD_H
#define CAPSTAN_FRICTION_BUILD_H

#include "core/pool.h"
#include "friction/problem.h"

// Checks the contacts and creates a problem with them but without W. *problem is NULL on failure.
CpsStatus cps_build_contacts(const CpsContactsDef* contacts, CpsProblem** problem, CpsError* error);
// Empties p and keeps its memory for the next problem.
void cps_build_clear(CpsProblem* p);
// cps_build_contacts() into the memory of p, replacing its contacts. `borrow`: b and mu are not copied and must outlive them. On
// failure p has no contacts.
CpsStatus cps_build_fill(CpsProblem* p, const CpsContactsDef* contacts, bool borrow, CpsError* error);
// Checks the blocks of the bodies and copies them into a problem with contacts. `borrow`: H is not copied and must
// outlive the problem's contacts (only if H and Y are one array). On failure p is incomplete.
CpsStatus cps_build_factors(CpsProblem* p, const CpsFactoredForm* factored, bool borrow, CpsError* error);
// The same for bodies of any kind; never uses the form of rigid.h.
CpsStatus cps_build_plain_factors(CpsProblem* p, const CpsFactoredForm* factored, bool borrow, CpsError* error);
// The same with an additional body for each compliant contact (compliance.c).
CpsStatus cps_build_compliant_factors(CpsProblem* p, const CpsFactoredForm* factored, CpsError* error);
// The lists body -> terms, in the order of the contacts.
void cps_build_index_bodies(CpsProblem* p);
// Fills diag, xi and the asymmetry from W or the factors, and refuses a W that clearly is not positive semi-definite.
// Destroys the problem and sets it to NULL on failure.
CpsStatus cps_build_finish(CpsProblem** problem, CpsError* error);
// The same, but on failure the problem stays with the caller. pool: threads to share the work, or NULL.
CpsStatus cps_build_complete(CpsProblem* problem, CpsPool* pool, CpsError* error);
// xi_i = d_i / tr W_ii, plus the dashpot; a block with zero trace gets the mean of the others.
void cps_build_fill_xi(CpsProblem* p);
// Index of the first NaN or infinite entry, -1 if all are finite.
int64_t cps_build_find_bad(const double* x, int64_t count);
// Sorts the block columns of a row.
void cps_build_sort_columns(int32_t* columns, int64_t count);
// Pattern and values of W = sum_B H_B Y_B^T; memory from the arena. False if memory runs out.
bool cps_build_W_from_factors(const CpsProblem* problem, CpsArena* arena, CpsBlockMatrix* W);

#endif
