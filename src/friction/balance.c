// Impulses that hold many rigid bodies at rest.
//
// A solution to a tolerance leaves small velocities that add up from step to step: a heap creeps. Where a heap can rest,
// some impulses balance its weight,
//
//   W_SS r_S + b_S = 0,   r_i in K_i,   S the contacts that are closed                                              (1)
//
// b excludes the shift, so (1) constrains velocities, not gaps: the gaps of a heap, some 1e-10 m, cannot all close at once,
// and with them (1) would be inconsistent. A contact counts as closed if the impulse that closes its gap within the step is
// within the tolerance; a solution of (1) then satisfies the law to the tolerance.
//
// (1) has three times as many rows as the bodies of a heap need, so its solutions form a large set. Alternating projections
// find one: onto the linear system by conjugate gradients with the preconditioner xi, which find the nearest solution in the
// norm of xi^-1, and onto the cones, slightly tightened so that the next round stays inside. A rough solution of the linear
// system shows which contacts leave their cones; it is refined only when none does.
//
// If this fails because contacts rest on the boundary of their cones, a factorisation looks for impulses inside them (interior.h).
//
// Not guaranteed: that (1) has a solution, nor that the search finds it.
#include "friction/balance.h"

#include "core/error.h"
#include "friction/interior.h"
#include "friction/law.h"
#include "friction/residual.h"
#include "friction/rigid.h"

#include <math.h>
#include <string.h>

enum {
  LEAST_CONTACTS = 500,
  ROUNDS = 100,            // rounds of projections
  PATIENCE = 4,            // rounds without progress before giving up
  MOST_ITERATIONS = 1500,  // conjugate gradient iterations in all rounds together
};
// Largest velocity that counts as zero, as an impulse relative to the scale of residuals; and the target.
static const double STILL = 1e-12, SOUGHT = 0.1;
// Up to this many times faster, a heap may still be at rest.
static const double NEARLY = 10.0;
// Reduction of the residual of (1) before the cones are examined.
static const double ROUGH = 1e-2;
// Reduction of friction, relative to its limit, where a contact leaves its cone.
static const double INSIDE = 1e-2;
// Violation of the cones in a round, relative to the best round so far: above this there is no progress.
static const double GAIN = 0.8;
// Slip, in tolerances, too large to be an error of the solution; and slip at which no search starts.
static const double SLIDES = 1.0, SLIDES_FAST = 30.0;
// Share of the tolerance available to a gap.
static const double CLOSED = 0.5;

typedef struct Balance {
  CpsSolve* solve;
  double scale;
  bool* moves;  // in S
  double *r, *dr, *g, *p, *Wp;
} Balance;

bool cps_balance_fits(const CpsProblem* p) {
  return !p->sparse && !p->has_W && p->factors.pair && p->all_coulomb && p->contact_count > LEAST_CONTACTS;
}

static const double* best_velocity(CpsSolve* solve) {
  if (!solve->u_is_best) cps_solve_apply_W(solve, solve->best_r, solve->problem->b, solve->u_scratch);
  solve->u_is_best = true;
  return solve->u_scratch;
}

bool cps_balance_holds(CpsSolve* solve, bool strictly) {
  const CpsProblem* p = solve->problem;
  const double *u = best_velocity(solve), still = (strictly ? 1.0 : NEARLY) * STILL * solve->scale;
  for (int64_t i = 0; i < p->contact_count; ++i, u += 3) {
    const double *b = p->b + 3 * i, *plain = p->b_plain + 3 * i;
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
      double speed = u[k] - (b[k] - plain[k]);
      square += speed * speed;
    }
    if (!(p->xi[i] * p->xi[i] * square <= still * still)) return false;
  }
  return true;
}

// Working data of the projections.
static bool take(CpsSolve* solve, Balance* a) {
  const CpsProblem* p = solve->problem;
  double** rows[] = {&a->dr, &a->g, &a->p, &a->Wp};
  bool all = true;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
    *rows[k] = CPS_TAKE(solve->arena, double, p->row_count);
    all = all && *rows[k];
  }
  return all;
}

// Finds S and the start, and the fastest slip of a loaded contact in tolerances, infinity if none is loaded. A moving contact without
// impulse is not in S: friction could hold it if the two bodies were pressed together, and the law would be satisfied, but nothing presses
// them.
// moves is not in S: pressed together, its two things could be held by friction and the law obeyed, but nothing presses them.
static double start(Balance* a) {
  const CpsProblem* p = a->solve->problem;
  const double zero = a->solve->options->tolerance * a->scale, *u = best_velocity(a->solve);
  memcpy(a->r, a->solve->best_r, (size_t)p->row_count * sizeof(double));
  double slip = 0.0;
  bool loaded = false;
  for (int64_t i = 0; i < p->contact_count; ++i, u += 3) {
    double* r = a->r + 3 * i;
    const double along = p->xi[i] * cps_law_tangent_norm(3, u);
    const bool carries = r[0] > zero;
    a->moves[i] = p->xi[i] * fabs(p->b[3 * i] - p->b_plain[3 * i]) <= CLOSED * zero &&
                  (carries || fmax(along, p->xi[i] * fabs(u[0])) <= SLIDES_FAST * zero);
    if (!a->moves[i]) r[0] = r[1] = r[2] = 0.0;
    if (!carries) continue;
    slip = fmax(slip, along / zero);
    loaded = true;
  }
  return loaded ? slip : INFINITY;
}

// Keeps the rows of x in S; returns the sum of xi x^2 and the largest xi |x|.
static double restrict_to_S(const Balance* a, double* x, double* largest) {
  const CpsProblem* p = a->solve->problem;
  double sum = 0.0, most = 0.0;
  for (int64_t i = 0; i < p->contact_count; ++i, x += 3) {
    if (!a->moves[i]) x[0] = x[1] = x[2] = 0.0;
    double square = p->xi[i] * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    sum += square;
    most = cps_larger(most, p->xi[i] * square);
  }
  *largest = sqrt(most);
  return sum;
}

static double dot(int64_t count, const double* x, const double* y) {
  double sum = 0.0;
  for (int64_t k = 0; k < count; ++k) sum += x[k] * y[k];
  return sum;
}

// One conjugate gradient iteration on (1). False: W_SS is not positive along p.
static bool iterate(Balance* a, double* gz, double* largest) {
  const CpsProblem* p = a->solve->problem;
  cps_solve_apply_W(a->solve, a->p, NULL, a->Wp);
  double curvature = dot(p->row_count, a->p, a->Wp), before = *gz;
  if (!(curvature > 0.0)) return false;
  double step = *gz / curvature;
  for (int64_t k = 0; k < p->row_count; ++k) {
    a->dr[k] += step * a->p[k];
    a->g[k] -= step * a->Wp[k];
  }
  *gz = restrict_to_S(a, a->g, largest);
  for (int64_t i = 0; i < p->contact_count; ++i) {
    for (int64_t k = 3 * i; k < 3 * i + 3; ++k) a->p[k] = p->xi[i] * a->g[k] + *gz / before * a->p[k];
  }
  return true;
}

// Total violation of the cones by r + dr.
static double leaving(const Balance* a) {
  const CpsProblem* p = a->solve->problem;
  double sum = 0.0;
  for (int64_t i = 0; i < p->contact_count; ++i) {
    double r[3], on[3];
    for (int k = 0; k < 3; ++k) on[k] = r[k] = a->r[3 * i + k] + a->dr[3 * i + k];
    if (!a->moves[i] || cps_law_in_cone(3, p->mu[i], r, 0.0)) continue;
    cps_law_project_cone(3, p->mu[i], on);
    for (int k = 0; k < 3; ++k) sum += fabs(on[k] - r[k]);
  }
  return sum;
}

// r <- r + dr, projected on the cones.
static void move(Balance* a) {
  const CpsProblem* p = a->solve->problem;
  for (int64_t i = 0; i < p->contact_count; ++i) {
    double* r = a->r + 3 * i;
    for (int k = 0; k < 3; ++k) r[k] += a->dr[3 * i + k];
    if (a->moves[i] && !cps_law_in_cone(3, p->mu[i], r, 0.0)) {
      cps_law_project_cone(3, (1.0 - INSIDE) * p->mu[i], r);
    }
  }
}

// A round: computes dr roughly and, as long as every contact stays in its cone, to full accuracy. *left: total violation of the cones.
static int64_t solve_round(Balance* a, int64_t most, double* left) {
  const CpsProblem* p = a->solve->problem;
  const double still = SOUGHT * STILL * a->scale;
  double largest;
  cps_solve_apply_W(a->solve, a->r, p->b_plain, a->g);
  for (int64_t k = 0; k < p->row_count; ++k) a->g[k] = -a->g[k];
  memset(a->dr, 0, (size_t)p->row_count * sizeof(double));
  double gz = restrict_to_S(a, a->g, &largest), rough = ROUGH * ROUGH * gz;
  for (int64_t i = 0; i < p->contact_count; ++i) {
    for (int64_t k = 3 * i; k < 3 * i + 3; ++k) a->p[k] = p->xi[i] * a->g[k];
  }
  *left = INFINITY;
  int64_t n = 0;
  for (bool looked = false; n < most && largest > still; ++n) {
    if (!iterate(a, &gz, &largest)) return n;
    if (looked || gz > rough) continue;
    looked = true;
    *left = leaving(a);
    if (*left > 0.0) return n + 1;
  }
  *left = largest > still ? INFINITY : leaving(a);
  return n;
}

// Solves (1) by alternating projections.
static bool project(Balance* a) {
  double left = INFINITY, best = INFINITY;
  int64_t iterations = MOST_ITERATIONS;
  for (int round = 0, idle = 0; round < ROUNDS && left > 0.0 && iterations > 0; ++round) {
    iterations -= solve_round(a, iterations, &left);
    idle = left < GAIN * best ? 0 : idle + 1;
    if (!isfinite(left) || idle > PATIENCE) return false;
    best = fmin(best, left);
    move(a);
  }
  return !(left > 0.0);
}

CpsStatus cps_balance_find(CpsSolve* solve, double operations, bool* found) {
  const CpsProblem* p = solve->problem;
  Balance a = {.solve = solve, .scale = cps_residual_scale(p, solve->best_r)};
  *found = false;
  a.moves = CPS_TAKE(solve->arena, bool, p->contact_count);
  a.r = CPS_TAKE(solve->arena, double, p->row_count);
  const CpsArenaMark taken = cps_arena_mark(solve->arena);
  if (!a.moves || !a.r || !take(solve, &a)) {
    return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory to look for rest");
  }
  const double slip = start(&a);
  if (slip > SLIDES_FAST) return CPS_OK;
  bool balanced = slip <= SLIDES && project(&a);
  cps_arena_release(solve->arena, taken);
  if (!balanced) {
    (void)start(&a);
    CpsStatus status = cps_interior_find(solve, a.moves, operations, SOUGHT * STILL * a.scale, a.r, &balanced);
    cps_arena_release(solve->arena, taken);
    if (status != CPS_OK || !balanced) return status;
  }
  a.g = CPS_TAKE(solve->arena, double, p->row_count);
  if (!a.g) return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory to look for rest");
  cps_solve_apply_W(solve, a.r, p->b, a.g);
  *found = cps_residual_measure(p, solve->pool, a.r, a.g, false).residual.natural <= solve->options->tolerance;
  if (!*found) return CPS_OK;
  // not the maximum over all contacts seen: some of those move
  solve->best_residual = INFINITY;
  (void)cps_solve_offer(solve, a.r, NULL, NULL);
  return CPS_OK;
}
