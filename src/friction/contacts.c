// Status and residual of each contact, island by island (docs/theory/law.md):
//
//   e_i = || r_i - P_K(r_i - xi_i u~_i) ||,   residual_i = e_i / scale_k,   scale_k = max_j ||r_j|| + max_j xi_j ||b_j||    (1)
//
// with the maxima over the contacts j of the island k of contact i. Islands do not act on each other, so the reported
// status of a contact must not depend on the weights in another island. With
//
//   zero_k = max(tolerance, max_j residual_j, 1e-14) scale_k                                                       (2)
//
// a contact takes off if ||r_i|| <= zero_k, sticks if xi_i ||u_i,T|| <= zero_k, and slides otherwise.
#include "friction/contacts.h"

#include "friction/law.h"
#include "friction/problem.h"
#include "friction/rheology.h"

#include <math.h>
#include <stdlib.h>

// Accuracy limit of all results, regardless of the tolerance.
static const double ROUNDING = 1e-14;
// Threads share the work from this number of contacts on.
enum { MANY = 512 };

typedef struct Errors {
  const CpsProblem* problem;
  const double *r, *u;
  double* error;
} Errors;

static void find_errors(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Errors* work = data;
  const CpsProblem* p = work->problem;
  for (int64_t i = first; i < last; ++i) {
    const double *r = work->r + p->offset[i], *u = work->u + p->offset[i];
    int d = cps_contact_dim(p, (int32_t)i);
    work->error[i] = p->law[i] == CPS_LAW_COULOMB && d == 3
                         ? sqrt(cps_law_coulomb3_square(p->mu[i], p->xi[i], r, u))
                         : cps_law_error((CpsLaw)p->law[i], d, p->mu[i], p->xi[i], r, u);
  }
}

// Of an island: first the squares of the maxima in (1) and the largest e_i, then scale_k and zero_k.
typedef struct Island {
  double r, b, error;
  double scale, zero;
} Island;

static void find_scales(const CpsProblem* p, const int32_t* island, int32_t count, const double* r, const double* error,
                        double tolerance, Island* of) {
  for (int32_t i = 0; i < p->contact_count; ++i) {
    Island* k = &of[island[i]];
    k->r = cps_larger(k->r, cps_block_square(p, i, r));
    k->b = cps_larger(k->b, p->xi[i] * p->xi[i] * cps_block_square(p, i, p->b));
    // a comparison must not hide NaN
    if (!isnan(k->error) && !(error[i] <= k->error)) k->error = error[i];
  }
  for (int32_t n = 0; n < count; ++n) {
    Island* k = &of[n];
    k->scale = sqrt(k->r) + sqrt(k->b);
    double worst = k->error == 0.0 ? 0.0 : k->error / k->scale;
    k->zero = fmax(fmax(tolerance, isfinite(worst) ? worst : 0.0), ROUNDING) * k->scale;
  }
}

static CpsContactStatus find_status(const CpsProblem* p, int32_t i, const double* r, const double* u, double zero) {
  if (p->law[i] == CPS_LAW_BILATERAL) return CPS_CONTACT_STICK;
  if (cps_block_square(p, i, r) <= zero * zero) return CPS_CONTACT_TAKEOFF;
  // xi makes velocities comparable with impulses
  double slip = p->xi[i] * cps_law_tangent_norm(cps_contact_dim(p, i), u + p->offset[i]);
  return slip <= zero ? CPS_CONTACT_STICK : CPS_CONTACT_SLIDE;
}

bool cps_contacts_measure(const CpsProblem* problem, CpsArena* arena, CpsPool* pool, const double* r, const double* u,
                          double tolerance, CpsContactReport* report) {
  const CpsProblem* p = problem;
  int32_t count = 0;
  *report = (CpsContactReport){.status = CPS_TAKE(arena, CpsContactStatus, p->contact_count),
                               .residual = CPS_TAKE(arena, double, p->contact_count)};
  CpsArenaMark mark = cps_arena_mark(arena);
  int32_t* island = CPS_TAKE_ZERO(arena, int32_t, p->contact_count);
  if (!report->status || !report->residual || !island) return false;
  if (p->connected || p->contact_count == 1) {
    count = 1;
  } else if (!cps_problem_find_islands(p, arena, island, &count)) {
    return false;
  }
  Island* of = CPS_TAKE_ZERO(arena, Island, count);
  if (!of) return false;
  Errors errors = {p, r, u, report->residual};
  cps_pool_run(p->contact_count < MANY ? NULL : pool, p->contact_count, find_errors, &errors);
  find_scales(p, island, count, r, report->residual, tolerance, of);
  for (int32_t i = 0; i < p->contact_count; ++i) {
    const Island* k = &of[island[i]];
    double residual = report->residual[i] == 0.0 ? 0.0 : report->residual[i] / k->scale;
    report->residual[i] = isnan(residual) ? INFINITY : residual;
    report->worst = cps_larger(report->worst, report->residual[i]);
    CpsContactStatus status = find_status(p, i, r, u, k->zero);
    report->status[i] = status;
    report->takeoff += status == CPS_CONTACT_TAKEOFF;
    report->stick += status == CPS_CONTACT_STICK;
    report->slide += status == CPS_CONTACT_SLIDE;
  }
  for (int32_t k = 0; k < count; ++k) {
    report->largest_r = fmax(report->largest_r, sqrt(of[k].r));
    report->driving = fmax(report->driving, sqrt(of[k].b));
  }
  cps_arena_release(arena, mark);
  return true;
}

CpsStatus cps_problem_contacts(const CpsProblem* problem, const double* r, double tolerance, CpsContactStatus* statuses,
                               double* residuals) {
  if (!problem || !r || !(tolerance > 0.0)) return CPS_BAD_ARGUMENT;
  CpsArena arena = {0};
  CpsContactReport report;
  double *u = CPS_TAKE(&arena, double, problem->row_count), *s = CPS_TAKE(&arena, double, problem->row_count);
  bool ok = u && s && cps_problem_velocity_of(problem, r, problem->b, u);
  if (ok) cps_rheology_seen(problem, r, u, s);
  ok = ok && cps_contacts_measure(problem, &arena, NULL, s, u, tolerance, &report);
  for (int32_t i = 0; ok && i < problem->contact_count; ++i) {
    if (statuses) statuses[i] = report.status[i];
    if (residuals) residuals[i] = report.residual[i];
  }
  cps_arena_free(&arena);
  return ok ? CPS_OK : CPS_NO_MEMORY;
}

CpsStatus cps_problem_contact_statuses(const CpsProblem* problem, const double* r, double tolerance,
                                       CpsContactStatus* statuses) {
  return statuses ? cps_problem_contacts(problem, r, tolerance, statuses, NULL) : CPS_BAD_ARGUMENT;
}
