// Impulses under which many rigid bodies stand still.
//
// A solution to a tolerance leaves velocities, which add up from step to step: a heap creeps. Where it can rest, there are
// impulses that balance its weight,
//
//   W_SS r_S + b_S = 0,   r_i in K_i,   S the contacts that are closed                                              (1)
//
// b without the shift, so that velocities are meant and not gaps: the gaps of a heap, some 1e-10 m, cannot all close at once,
// and with them (1) is not consistent. A contact counts as closed if the impulse with which its gap would close within the
// step is no larger than what the tolerance lets pass; so the law holds to the tolerance under a solution of (1).
//
// A heap has three times as many rows in (1) as its bodies need, so that (1) has a large set of solutions. One is found by
// projecting in turn: on the linear system by conjugate gradients with the preconditioner xi, which find the solution that
// is nearest in the norm of xi^-1, and on the cones, a little further in so that the next round stays inside. The first digits
// of the linear system tell which contacts leave their cones; the others are found once none does.
//
// Where that finds none, because contacts rest on the rim of their cones, one inside them is looked for by factors (interior.h).
//
// Not guaranteed: that (1) has a solution, nor that one is found.
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
  ROUNDS = 100,            // of projections
  PATIENCE = 4,            // rounds without progress after which they are given up
  MOST_ITERATIONS = 1500,  // of conjugate gradients in all of them
};
// Velocity that is none, as an impulse, in parts of the scale of residuals; and what is sought.
static const double STILL = 1e-12, SOUGHT = 0.1;
// So many times faster, something may still stand.
static const double NEARLY = 10.0;
// Reduction of the remainder of (1) after which the cones are examined.
static const double ROUGH = 1e-2;
// How far, relative to its limit, friction is taken back where a contact leaves its cone.
static const double INSIDE = 1e-2;
// By what contacts leave their cones in a round, in parts of the best round before: above this there is no progress.
static const double GAIN = 0.8;
// Slip, in tolerances, that is more than an error of the solution; and from which on nothing is looked for.
static const double SLIDES = 1.0, SLIDES_FAST = 30.0;
// Part of the tolerance that a gap may take.
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

// What projections need.
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

// S and the start; the fastest slip of a loaded contact, in tolerances, or infinity if none is loaded. A contact that carries nothing and
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

// x <- its rows of S; the sum of xi x^2, and the largest xi |x|.
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

// One iteration of conjugate gradients on (1). False: W_SS is not positive along p.
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

// By what r + dr leaves the cones in all.
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

// r <- r + dr, on the cones.
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

// A round: dr to the first digits and, as long as nothing leaves its cone, to the last. *left: how far contacts did leave.
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

// (1) by projecting in turn.
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
  // not the best of all that were seen: those move
  solve->best_residual = INFINITY;
  (void)cps_solve_offer(solve, a.r, NULL, NULL);
  return CPS_OK;
}
