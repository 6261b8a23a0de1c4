// The contacts of a problem, the data derived from W, and the accessors. Each form of W has its own file: from_matrix.c
// (blocks, CSR, CSC), from_bodies.c (matrix-free), from_sparse.c (large members), from_global.c (M, H, f, w).
#include "friction/build.h"
#include "friction/refill.h"

#include "core/error.h"
#include "core/simd.h"
#include "friction/law.h"
#include "friction/mass_factor.h"
#include "friction/rigid.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Loops over fewer contacts stay in the calling thread.
enum { FEW = 256 };

static const int CONTACTS_COOKIE = 0x0c0517ac;

// Matrices from practice carry single-precision rounding (relative -9e-8 was seen); a larger deviation is a mistake.
static const double INDEFINITE_SLACK = 1e-6;

CpsContactsDef cps_contacts_def_default(void) {
  return (CpsContactsDef){.dim = 3, .cookie = CONTACTS_COOKIE};
}

// 0 x is 0 for finite x and NaN otherwise, so the sum needs no branch.
CPS_HOT static bool all_finite(const double* x, int64_t count) {
  CpsVec4 sum = {0};
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    CpsVec4 four;
    memcpy(&four, x + i, sizeof four);
    sum += 0.0 * four;
  }
  double rest = 0.0;
  for (; i < count; ++i) rest += 0.0 * x[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest == 0.0;
}

int64_t cps_build_find_bad(const double* x, int64_t count) {
  if (all_finite(x, count)) return -1;
  for (int64_t i = 0; i < count; ++i) {
    if (!isfinite(x[i])) return i;
  }
  return -1;
}

static int compare_columns(const void* a, const void* b) {
  int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
  return (x > y) - (x < y);
}

void cps_build_sort_columns(int32_t* columns, int64_t count) {
  qsort(columns, (size_t)count, sizeof *columns, compare_columns);
}

static bool is_dim(int32_t dim) {
  return dim == 2 || dim == 3 || dim == 6;
}

static CpsStatus check_contact(const CpsContactsDef* contacts, int32_t i, CpsError* error) {
  if (contacts->dim == 0 && !is_dim(contacts->dims[i])) {
    return cps_fail(error, CPS_BAD_DATA, "contact %" PRId32 " has dimension %" PRId32 "; it must be 2, 3 or 6", i,
                    contacts->dims[i]);
  }
  CpsLaw law = contacts->laws ? contacts->laws[i] : CPS_LAW_COULOMB;
  if (law != CPS_LAW_COULOMB && law != CPS_LAW_CONVEX && law != CPS_LAW_BILATERAL && law != CPS_LAW_FREE) {
    return cps_fail(error, CPS_BAD_DATA, "contact %" PRId32 " has the unknown law %d", i, (int)law);
  }
  if (law == CPS_LAW_BILATERAL || law == CPS_LAW_FREE) return CPS_OK;
  if (!contacts->mu) return cps_fail(error, CPS_BAD_ARGUMENT, "mu is NULL but contact %" PRId32 " needs it", i);
  if (!(contacts->mu[i] >= 0.0) || !isfinite(contacts->mu[i])) {
    return cps_fail(error, CPS_BAD_DATA, "contact %" PRId32 " has mu = %g; it must be finite and not negative", i,
                    contacts->mu[i]);
  }
  return CPS_OK;
}

static CpsStatus check_sign(const double* x, int32_t count, const char* name, CpsError* error) {
  for (int32_t i = 0; x && i < count; ++i) {
    if (x[i] >= 0.0 && isfinite(x[i])) continue;
    return cps_fail(error, CPS_BAD_DATA, "contact %" PRId32 " has the %s %g; it must be finite and not negative", i,
                    name, x[i]);
  }
  return CPS_OK;
}

static CpsStatus check_contacts(const CpsContactsDef* contacts, CpsError* error) {
  if (!contacts) return cps_fail(error, CPS_BAD_ARGUMENT, "contacts is NULL");
  if (contacts->cookie != CONTACTS_COOKIE) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "contacts was not initialised by cps_contacts_def_default()");
  }
  if (contacts->count < 0) return cps_fail(error, CPS_BAD_DATA, "the number of contacts is negative");
  if (contacts->dim != 0 && !is_dim(contacts->dim)) {
    return cps_fail(error, CPS_BAD_DATA, "dimension %" PRId32 " is not 2, 3, 6 or 0 (mixed)", contacts->dim);
  }
  if (contacts->dim == 0 && contacts->count > 0 && !contacts->dims) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "dims is NULL but dim is 0 (mixed)");
  }
  if (contacts->count > 0 && !contacts->b) return cps_fail(error, CPS_BAD_ARGUMENT, "b is NULL");
  if (contacts->dof_count < 0) return cps_fail(error, CPS_BAD_DATA, "the number of degrees of freedom is negative");
  for (int32_t i = 0; i < contacts->count; ++i) {
    CpsStatus status = check_contact(contacts, i, error);
    if (status != CPS_OK) return status;
  }
  CpsStatus status = check_sign(contacts->compliance, contacts->count, "compliance", error);
  if (status == CPS_OK) status = check_sign(contacts->dashpot, contacts->count, "dashpot", error);
  return status == CPS_OK ? check_sign(contacts->cohesion, contacts->count, "cohesion", error) : status;
}

// `borrow`: b remains the caller's array, and so does mu unless some law ignores it.
static bool take_contact_arrays(CpsProblem* p, const CpsContactsDef* contacts, int64_t diag_count, bool borrow) {
  int64_t n = p->contact_count;
  p->law = CPS_TAKE(&p->arena, uint8_t, n);
  p->mu = borrow && !contacts->laws ? (double*)contacts->mu : CPS_TAKE(&p->arena, double, n);
  p->xi = CPS_TAKE(&p->arena, double, n);
  p->b_plain = borrow ? (double*)contacts->b : CPS_TAKE(&p->arena, double, p->row_count);
  p->b = contacts->shift ? CPS_TAKE(&p->arena, double, p->row_count) : p->b_plain;
  p->diag = CPS_TAKE_ZERO(&p->arena, double, diag_count);
  return p->law && (n == 0 || (p->mu && p->b_plain && p->b)) && p->xi && p->diag;
}

// Offsets of rows and of diagonal blocks; returns the number of values of the latter, -1 if memory runs out.
static int64_t lay_out(CpsProblem* p, const CpsContactsDef* contacts) {
  int64_t n = p->contact_count, values = 0;
  p->offset = CPS_TAKE(&p->arena, int64_t, n + 1);
  p->diag_offset = p->dim ? NULL : CPS_TAKE(&p->arena, int64_t, n + 1);
  if (!p->offset || (!p->dim && !p->diag_offset)) return -1;
  for (int32_t i = 0; i < n; ++i) {
    int64_t d = contacts->dim ? contacts->dim : contacts->dims[i];
    p->offset[i] = p->row_count;
    if (!p->dim) p->diag_offset[i] = values;
    p->row_count += d;
    values += d * d;
  }
  p->offset[n] = p->row_count;
  if (!p->dim) p->diag_offset[n] = values;
  return values;
}

// A mixed problem whose contacts all agree takes the uniform path.
static int32_t common_dim(const CpsContactsDef* contacts) {
  if (contacts->dim) return contacts->dim;
  for (int32_t i = 1; i < contacts->count; ++i) {
    if (contacts->dims[i] != contacts->dims[0]) return 0;
  }
  return contacts->count > 0 ? contacts->dims[0] : 3;
}

static CpsStatus check_rows(const CpsProblem* p, const double* x, const char* name, CpsError* error) {
  int64_t bad = cps_build_find_bad(x, p->row_count);
  if (bad < 0) return CPS_OK;
  int32_t i = 0;
  while (p->offset[i + 1] <= bad) ++i;
  return cps_fail(error, CPS_BAD_DATA, "%s of contact %" PRId32 " is %g; it must be finite", name, i, x[bad]);
}

void cps_build_clear(CpsProblem* p) {
  CpsArena arena = p->arena;
  cps_arena_reset(&arena);
  *p = (CpsProblem){.arena = arena, .dim = 3, .masses = p->masses};
  p->offset = p->empty;
  p->factors.body_offset = p->factors.contact_start = p->factors.at = p->factors.body_start = p->empty;
}

// Dashpots or cohesion, if any contact that reads them has some; otherwise *out stays NULL. False: memory runs out.
static bool copy_rheology(CpsProblem* p, const double* from, bool cones, double** out) {
  bool any = false;
  double* to = NULL;
  for (int pass = 0; pass < 2; ++pass) {
    for (int32_t i = 0; i < p->contact_count; ++i) {
      const bool cone = p->law[i] == CPS_LAW_COULOMB || p->law[i] == CPS_LAW_CONVEX;
      const double value = cone || (!cones && p->law[i] == CPS_LAW_FREE) ? from[i] : 0.0;
      any = any || value > 0.0;
      if (to) to[i] = value;
    }
    if (!any) return true;
    if (pass == 0) to = CPS_TAKE(&p->arena, double, p->contact_count);
    if (!to) return false;
  }
  *out = to;
  return true;
}

static void set_laws(CpsProblem* p, const CpsContactsDef* contacts) {
  p->all_coulomb = true;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    CpsLaw law = contacts->laws ? contacts->laws[i] : CPS_LAW_COULOMB;
    p->all_coulomb = p->all_coulomb && law == CPS_LAW_COULOMB;
    p->law[i] = (uint8_t)law;
    if (p->mu != contacts->mu) p->mu[i] = law == CPS_LAW_COULOMB || law == CPS_LAW_CONVEX ? contacts->mu[i] : 0.0;
  }
}

static CpsStatus fill_contacts(CpsProblem* p, const CpsContactsDef* contacts, bool borrow, CpsError* error) {
  p->contact_count = contacts->count;
  p->dim = common_dim(contacts);
  p->dof_count = contacts->dof_count;
  int64_t diag_count = lay_out(p, contacts);
  if (diag_count < 0 || !take_contact_arrays(p, contacts, diag_count, borrow)) {
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for %" PRId32 " contacts", contacts->count);
  }
  CpsStatus status = check_rows(p, contacts->b, "b", error);
  if (status == CPS_OK && contacts->shift) status = check_rows(p, contacts->shift, "the shift", error);
  if (status != CPS_OK) return status;
  set_laws(p, contacts);
  if (p->row_count > 0 && !borrow) memcpy(p->b_plain, contacts->b, (size_t)p->row_count * sizeof(double));
  if (contacts->compliance) {
    p->compliance = CPS_TAKE(&p->arena, double, p->contact_count);
    if (!p->compliance) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for the compliance of contacts");
    memcpy(p->compliance, contacts->compliance, (size_t)p->contact_count * sizeof(double));
  }
  if ((contacts->dashpot && !copy_rheology(p, contacts->dashpot, false, &p->dashpot)) ||
      (contacts->cohesion && !copy_rheology(p, contacts->cohesion, true, &p->cohesion))) {
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for the dashpots of contacts");
  }
  if (!contacts->shift) return CPS_OK;
  for (int64_t k = 0; k < p->row_count; ++k) {
    p->b[k] = contacts->b[k] + contacts->shift[k];
    p->has_shift = p->has_shift || p->b[k] != p->b_plain[k];
  }
  return check_rows(p, p->b, "b plus the shift", error);
}

CpsStatus cps_problem_refill_b(CpsProblem* p, const CpsContactsDef* contacts, CpsError* error) {
  CpsStatus status = check_rows(p, contacts->b, "b", error);
  if (status != CPS_OK) return status;
  if (p->row_count > 0) memcpy(p->b_plain, contacts->b, (size_t)p->row_count * sizeof(double));
  for (int64_t k = 0; contacts->shift && k < p->row_count; ++k) p->b[k] = contacts->b[k] + contacts->shift[k];
  return check_rows(p, p->b, "b plus the shift", error);
}

CpsStatus cps_problem_refill_laws(CpsProblem* p, const CpsContactsDef* contacts, CpsError* error) {
  set_laws(p, contacts);
  return cps_problem_refill_b(p, contacts, error);
}

CpsStatus cps_build_fill(CpsProblem* p, const CpsContactsDef* contacts, bool borrow, CpsError* error) {
  cps_build_clear(p);
  CpsStatus status = check_contacts(contacts, error);
  if (status == CPS_OK) status = fill_contacts(p, contacts, borrow, error);
  if (status != CPS_OK) cps_build_clear(p);
  return status;
}

CpsStatus cps_build_contacts(const CpsContactsDef* contacts, CpsProblem** problem, CpsError* error) {
  *problem = NULL;
  CpsProblem* p = calloc(1, sizeof *p);
  if (!p) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a problem");
  CpsStatus status = cps_build_fill(p, contacts, false, error);
  if (status == CPS_OK) {
    *problem = p;
  } else {
    cps_problem_destroy(p);
  }
  return status;
}

// xi_i = d_i / tr W_ii, plus the dashpot; a block with zero trace gets the mean of the others.
void cps_build_fill_xi(CpsProblem* p) {
  double sum = 0.0;
  int32_t known = 0;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int d = cps_contact_dim(p, i);
    double trace = 0.0;
    for (int k = 0; k < d; ++k) trace += cps_contact_W(p, i)[k * d + k];
    p->xi[i] = trace > 0.0 ? d / trace : 0.0;
    if (!isfinite(p->xi[i])) p->xi[i] = 0.0;
    if (p->xi[i] > 0.0) {
      sum += p->xi[i];
      known++;
    }
  }
  for (int32_t i = 0; i < p->contact_count; ++i) {
    if (!(p->xi[i] > 0.0)) p->xi[i] = known > 0 && isfinite(sum) ? sum / known : 1.0;
    if (p->dashpot) p->xi[i] += p->dashpot[i];  // of W (I + d W)^-1
  }
}

// Finite entries may still add up to infinity.
static CpsStatus check_finite(const CpsProblem* p, CpsError* error) {
  int64_t n = p->contact_count;
  bool bad = cps_build_find_bad(p->diag, cps_diag_at(p, n)) >= 0;
  if (p->has_W && !bad) bad = cps_build_find_bad(p->W.value, p->W.at[p->W.start[n]]) >= 0;
  return bad ? cps_fail(error, CPS_BAD_DATA, "an entry of W is too large for a double") : CPS_OK;
}

// Necessary conditions for W to be positive semi-definite: W_kk >= 0 and W_kl^2 <= W_kk W_ll within a diagonal block.
static CpsStatus check_diagonal_blocks(const CpsProblem* p, CpsError* error) {
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int d = cps_contact_dim(p, i);
    const double* W = cps_contact_W(p, i);
    double largest = 0.0;
    for (int k = 0; k < d * d; ++k) largest = fmax(largest, fabs(W[k]));
    for (int k = 0; k < d; ++k) {
      for (int l = 0; l <= k; ++l) {
        double both = 0.5 * (W[k * d + l] + W[l * d + k]), diagonal = W[k * d + k] * W[l * d + l];
        bool negative = W[k * d + k] < -INDEFINITE_SLACK * largest;
        if (negative || (k != l && both * both > fmax(diagonal, 0.0) + INDEFINITE_SLACK * largest * largest)) {
          return cps_fail(error, CPS_BAD_DATA,
                          "W is not positive semi-definite: the diagonal block of contact %" PRId32 " is indefinite",
                          i);
        }
      }
    }
  }
  return CPS_OK;
}

static void diag_from_W(CpsProblem* p) {
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int64_t k = cps_block_matrix_find(&p->W, i, i);
    int64_t size = cps_diag_at(p, i + 1) - cps_diag_at(p, i);
    if (k >= 0) memcpy(p->diag + cps_diag_at(p, i), p->W.value + p->W.at[k], (size_t)size * sizeof(double));
  }
}

static void diag_range(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  CpsProblem* p = data;
  const CpsFactors* F = &p->factors;
  for (int64_t i = first; i < last; ++i) {
    int d = cps_contact_dim(p, (int32_t)i);
    double* W = p->diag + cps_diag_at(p, i);
    for (int64_t t = F->contact_start[i]; t < F->contact_start[i + 1]; ++t) {
      int m = F->body_dofs[F->body[t]];
      const double *H = F->H + cps_term_at(F, t), *Y = F->Y + cps_term_at(F, t);
      for (int a = 0; a < d; ++a) {
        for (int c = 0; c < d; ++c) {
          double sum = 0.0;
          for (int k = 0; k < m; ++k) sum += H[a * m + k] * Y[c * m + k];
          W[a * d + c] += sum;
        }
      }
    }
  }
}

static void diag_from_factors(CpsProblem* p, CpsPool* pool) {
  cps_pool_run(p->contact_count < FEW ? NULL : pool, p->contact_count, diag_range, p);
}

// max |W_ii - W_ii^T| / max |W_ii|, for W that is not formed.
static double diagonal_asymmetry(const CpsProblem* p) {
  double largest = 0.0, difference = 0.0;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int d = cps_contact_dim(p, i);
    const double* W = cps_contact_W(p, i);
    for (int a = 0; a < d; ++a) {
      for (int c = 0; c < d; ++c) {
        largest = fmax(largest, fabs(W[a * d + c]));
        difference = fmax(difference, fabs(W[a * d + c] - W[c * d + a]));
      }
    }
  }
  return largest > 0.0 ? difference / largest : 0.0;
}

// Rigid bodies: W_ii is a sum of squares, symmetric and positive semi-definite by construction.
static CpsStatus complete_rigid(CpsProblem* p, CpsPool* pool, CpsError* error) {
  if (cps_rigid_complete(p, pool)) return cps_succeed(error);
  const CpsFactors* F = &p->factors;
  for (int64_t t = 0; t < F->contact_start[p->contact_count]; ++t) {
    if (cps_build_find_bad(F->H + cps_term_at(F, t), cps_term_at(F, t + 1) - cps_term_at(F, t)) < 0) continue;
    return cps_fail(error, CPS_BAD_DATA, "H or Y of contact %" PRId32 " and body %" PRId32 " is not finite",
                    F->term_contact[t], F->body[t]);
  }
  return cps_fail(error, CPS_BAD_DATA, "an entry of W is too large for a double");
}

// An explicit W includes the compliance of its contacts; bodies have it in their rows (compliance.c).
static CpsStatus add_compliance(CpsProblem* p, CpsError* error) {
  if (!p->compliance || p->compliant) return CPS_OK;
  if (!p->has_W) return cps_fail(error, CPS_UNSUPPORTED, "this form of a problem knows no compliance of contacts");
  for (int32_t i = 0; i < p->contact_count; ++i) {
    const int64_t k = cps_block_matrix_find(&p->W, i, i);
    const int d = cps_contact_dim(p, i);
    if (k < 0) return cps_fail(error, CPS_UNSUPPORTED, "W has no block on its diagonal for contact %" PRId32, i);
    for (int a = 0; a < d; ++a) p->W.value[p->W.at[k] + a * (d + 1)] += p->compliance[i];
  }
  p->compliant = true;
  return CPS_OK;
}

CpsStatus cps_build_complete(CpsProblem* p, CpsPool* pool, CpsError* error) {
  const CpsStatus added = add_compliance(p, error);
  if (added != CPS_OK) return added;
  if (p->factors.pair) return complete_rigid(p, pool, error);
  if (p->has_W) {
    diag_from_W(p);
    p->asymmetry = cps_block_matrix_asymmetry(&p->W);
  } else {
    diag_from_factors(p, pool);
    p->asymmetry = diagonal_asymmetry(p);
  }
  CpsStatus status = check_finite(p, error);
  if (status == CPS_OK) status = check_diagonal_blocks(p, error);
  if (status != CPS_OK) return status;
  cps_build_fill_xi(p);
  return cps_succeed(error);
}

CpsStatus cps_build_finish(CpsProblem** problem, CpsError* error) {
  CpsStatus status = cps_build_complete(*problem, NULL, error);
  if (status == CPS_OK) return status;
  cps_problem_destroy(*problem);
  *problem = NULL;
  return status;
}

CpsStatus cps_problem_set_cone_law(CpsProblem* problem, CpsLaw law) {
  if (!problem || (law != CPS_LAW_COULOMB && law != CPS_LAW_CONVEX)) return CPS_BAD_ARGUMENT;
  problem->all_coulomb = true;
  for (int32_t i = 0; i < problem->contact_count; ++i) {
    const bool cone = problem->law[i] == CPS_LAW_COULOMB || problem->law[i] == CPS_LAW_CONVEX;
    if (cone) problem->law[i] = (uint8_t)law;
    problem->all_coulomb = problem->all_coulomb && problem->law[i] == CPS_LAW_COULOMB;
  }
  return CPS_OK;
}

void cps_problem_destroy(CpsProblem* problem) {
  if (!problem) return;
  cps_masses_free(&problem->masses);
  cps_arena_free(&problem->arena);
  free(problem);
}

int32_t cps_problem_contact_count(const CpsProblem* problem) {
  return problem ? problem->contact_count : 0;
}
int64_t cps_problem_row_count(const CpsProblem* problem) {
  return problem ? problem->row_count : 0;
}
const int64_t* cps_problem_offsets(const CpsProblem* problem) {
  return problem ? problem->offset : NULL;
}
const uint8_t* cps_problem_laws(const CpsProblem* problem) {
  return problem ? problem->law : NULL;
}
const double* cps_problem_mu(const CpsProblem* problem) {
  return problem ? problem->mu : NULL;
}
const double* cps_problem_b(const CpsProblem* problem) {
  return problem ? problem->b_plain : NULL;
}
const double* cps_problem_b_shifted(const CpsProblem* problem) {
  return problem ? problem->b : NULL;
}
const double* cps_problem_dashpot(const CpsProblem* problem) {
  return problem ? problem->dashpot : NULL;
}
const double* cps_problem_cohesion(const CpsProblem* problem) {
  return problem ? problem->cohesion : NULL;
}
bool cps_problem_has_W(const CpsProblem* problem) {
  return problem && problem->has_W;
}
