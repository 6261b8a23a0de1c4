// Polishing a solution: a sweep for a first guess that was good enough, and rest to rounding accuracy (docs/theory/rest.md).
//
// If every loaded contact sticks, the law is a linear system. Let S be the contacts with an impulse:
//
//   u_S + W_SS dr_S = 0,    r_S + dr_S in K                                                                        (1)
//
// W_SS is positive semi-definite and, for bodies at rest, (1) is consistent. Conjugate gradients from dr = 0 with the preconditioner xi solve it
// without forming a matrix and find the solution nearest to r. If that leaves a cone although other solutions do not (redundant contacts: r is not
// unique), the search restarts further inside the cones, weighted by the normal impulses. The answer is projected on the cones, measured by the common
// residual, and kept only if it is better.
//
// Counts of operations bound the work: small problems are solved to rounding immediately; larger ones take fewer
// iterations per solve, and the warm starts of a simulation continue them; the largest keep the result of their sweep.
//
// Not guaranteed: an improvement. W is assumed symmetric; otherwise the iteration may fail and its result is discarded.
#include "friction/polish.h"

#include "core/error.h"
#include "friction/global/gs_loop.h"
#include "friction/law.h"
#include "friction/residual.h"
#include "friction/rigid.h"
#include "friction/standstill.h"

#include <math.h>
#include <string.h>

// Residuals below the first are rounding and cannot improve. Below the second a sweep suffices.
static const double ROUNDING = 1e-15, NEAR_ROUNDING = 1e-14;

// Creep up to this many times the tolerance may be rest solved too roughly; a faster contact slides.
static const double CREEP = 100.0;

// Reduction of friction, relative to its limit, before (1) is solved again. The first with the preconditioner xi, the
// others with the normal impulses.
static const double INSIDE[] = {0.0, 0.0, 1e-4, 1e-3, 1e-2, 1e-1, 0.5};
enum { INSIDE_COUNT = sizeof INSIDE / sizeof *INSIDE };

// Reduction of the residual of (1) after which the next round takes over.
static const double ENOUGH = 1e-10;
// Growth of its square that stops conjugate gradients: with mass ratios of 10^4 it does grow temporarily.
static const double GROWTH = 1e16;

enum {
  RIGID_VALUES = 36,     // numbers in the rows of a contact of two rigid bodies
  ROUNDS = 8,            // solutions of (1)
  BUDGET = 100000,       // iterations times contacts, plus twice the iterations of the solve;
  BUDGET_LARGE = 10000,  // the same over FEW contacts;
  LEAST_ITERATIONS = 8,  // with fewer, the step is skipped
  FEW = 500,             // contacts up to which creep is examined,
  HARD = 20,             // or iterations from which it is examined
  MOST = 15000,          // contacts; beyond, conjugate gradients take as long as the solve and rarely succeed
};

typedef struct Rest {
  CpsSolve* solve;
  const CpsProblem* problem;
  bool* moves;     // in S
  double* weight;  // preconditioner, per contact
  double *r, *dr, *best, *g, *p, *Wp;
  double *u,
      *z;  // in the memory of Wp: u is not needed once g is known, W p once added to g, and z once added to p
} Rest;

static bool take_rest(CpsSolve* solve, Rest* rest) {
  const CpsProblem* p = solve->problem;
  double** rows[] = {&rest->r, &rest->dr, &rest->best, &rest->g, &rest->p, &rest->Wp};
  rest->solve = solve;
  rest->problem = p;
  rest->moves = CPS_TAKE(solve->arena, bool, p->contact_count);
  rest->weight = CPS_TAKE(solve->arena, double, p->contact_count);
  bool all = rest->moves && rest->weight;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
    *rows[k] = CPS_TAKE(solve->arena, double, p->row_count);
    all = all && *rows[k];
  }
  rest->u = rest->z = rest->Wp;
  return all;
}

// Fills S and the preconditioner: xi, or the normal impulse, which distributes the change of r in proportion to the room
// in each cone. False if a loaded contact slides faster than an error of the solution can explain; with many contacts
// also if most of them creep: inside its cone a contact is no faster than the tolerance, so those slide.
static bool all_stick(const CpsSolve* solve, Rest* rest, bool weighted) {
  const CpsProblem* p = solve->problem;
  double zero = solve->options->tolerance * cps_residual_scale(p, rest->r);
  // after a cheap solve with many contacts, a few sliding ones would make it fail in every step
  double creep = p->contact_count <= FEW || solve->iterations >= HARD ? CREEP * zero : zero;
  int32_t loaded = 0, creeping = 0;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int d = cps_contact_dim(p, i);
    const double *r = rest->r + p->offset[i], *u = rest->u + p->offset[i];
    double size = 0.0;
    for (int k = 0; k < d; ++k) size = fmax(size, fabs(r[k]));
    rest->weight[i] = weighted ? r[0] : p->xi[i];
    rest->moves[i] = p->law[i] == CPS_LAW_BILATERAL || (p->law[i] != CPS_LAW_FREE && size > 0.0);
    if (p->law[i] == CPS_LAW_BILATERAL || !(size > zero)) continue;
    double speed = p->xi[i] * cps_law_tangent_norm(d, u);
    if (speed > creep) return false;
    loaded++;
    creeping += speed > zero;
  }
  return p->contact_count <= FEW || 2 * creeping <= loaded;
}

// r_T <- (1 - inside) mu r_N r_T/||r_T|| if it is longer.
static void pull_inside(Rest* rest, double inside) {
  const CpsProblem* p = rest->problem;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    double* r = rest->r + p->offset[i];
    int d = cps_contact_dim(p, i);
    double t = cps_law_tangent_norm(d, r), limit = (1.0 - inside) * p->mu[i] * r[0];
    if (!rest->moves[i] || p->law[i] == CPS_LAW_BILATERAL || !(t > limit)) continue;
    for (int k = 1; k < d; ++k) r[k] *= limit / t;
  }
}

// Keeps the rows of x in S, z = xi x; returns x.z
static double restrict_to_S(const Rest* rest, double* x, double* z) {
  const CpsProblem* p = rest->problem;
  double sum = 0.0;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int64_t o = p->offset[i];
    int d = cps_contact_dim(p, i);
    for (int k = 0; k < d; ++k) {
      if (!rest->moves[i]) x[o + k] = 0.0;
      z[o + k] = rest->weight[i] * x[o + k];
      sum += x[o + k] * z[o + k];
    }
  }
  return sum;
}

static double dot(int64_t count, const double* x, const double* y) {
  double sum = 0.0;
  for (int64_t k = 0; k < count; ++k) sum += x[k] * y[k];
  return sum;
}

// Conjugate gradients on (1); rest->best gets the dr with the smallest residual.
// Returns the number of iterations.
static int64_t solve_stick(Rest* rest, int64_t iterations) {
  const CpsProblem* p = rest->problem;
  int64_t rows = p->row_count;
  size_t bytes = (size_t)rows * sizeof(double);
  memset(rest->dr, 0, bytes);
  memset(rest->best, 0, bytes);
  for (int64_t k = 0; k < rows; ++k) rest->g[k] = -rest->u[k];
  double gz = restrict_to_S(rest, rest->g, rest->z), smallest = gz, enough = ENOUGH * ENOUGH * gz;
  memcpy(rest->p, rest->z, bytes);
  int64_t n = 0;
  for (; n < iterations && gz > enough; ++n) {
    cps_solve_apply_W(rest->solve, rest->p, NULL, rest->Wp);
    double curvature = dot(rows, rest->p, rest->Wp);
    if (!(curvature > 0.0)) break;
    double step = gz / curvature;
    for (int64_t k = 0; k < rows; ++k) {
      rest->dr[k] += step * rest->p[k];
      rest->g[k] -= step * rest->Wp[k];
    }
    double before = gz;
    gz = restrict_to_S(rest, rest->g, rest->z);
    // the residual of an inconsistent semi-definite system grows without bound
    if (!(gz < GROWTH * smallest)) break;
    if (gz < smallest) {
      smallest = gz;
      memcpy(rest->best, rest->dr, bytes);
    }
    for (int64_t k = 0; k < rows; ++k) rest->p[k] = rest->z[k] + gz / before * rest->p[k];
  }
  return n;
}

// r <- r + dr, projected on the cones; true if a contact had left its cone.
static bool move(Rest* rest) {
  const CpsProblem* p = rest->problem;
  bool left = false;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    double* r = rest->r + p->offset[i];
    int d = cps_contact_dim(p, i);
    for (int k = 0; k < d; ++k) r[k] += rest->best[p->offset[i] + k];
    if (!rest->moves[i] || p->law[i] == CPS_LAW_BILATERAL || cps_law_in_cone(d, p->mu[i], r, 0.0)) continue;
    cps_law_project_cone(d, p->mu[i], r);
    left = true;
  }
  return left;
}

// Cost of a product with W, in contacts of two rigid bodies. If W is not formed, the cost of a fibre's contact is the
// number of degrees of freedom of the fibre.
static double product_cost(const CpsProblem* p) {
  if (p->has_W || p->factors.pair) return p->contact_count;
  double values = (double)cps_term_at(&p->factors, p->factors.contact_start[p->contact_count]);
  return fmax(p->contact_count, values / RIGID_VALUES);
}

static CpsStatus polish_rest(CpsSolve* solve) {
  const CpsProblem* p = solve->problem;
  Rest rest;
  int64_t most = 3 * (int64_t)p->contact_count + 12;  // (1) has no more eigenvalues; some for rounding
  double budget = p->contact_count > FEW ? BUDGET_LARGE : BUDGET, cost = product_cost(p);
  int64_t left_over = (int64_t)(budget / (cost + 1.0)) + 2 * solve->iterations;
  if (left_over < LEAST_ITERATIONS || p->contact_count > MOST) return CPS_OK;
  if (!take_rest(solve, &rest)) return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory to polish");
  int inside = 0;
  for (int round = 0; round < ROUNDS && solve->best_residual > NEAR_ROUNDING && left_over >= LEAST_ITERATIONS;
       ++round) {
    memcpy(rest.r, solve->best_r, (size_t)p->row_count * sizeof(double));
    if (solve->u_is_best) {
      memcpy(rest.u, solve->u_scratch, (size_t)p->row_count * sizeof(double));
    } else {
      cps_solve_apply_W(solve, rest.r, p->b, rest.u);
    }
    if (!all_stick(solve, &rest, inside > 0)) return CPS_OK;
    if (INSIDE[inside] > 0.0) {
      pull_inside(&rest, INSIDE[inside]);
      cps_solve_apply_W(solve, rest.r, p->b, rest.u);
    }
    double before = solve->best_residual;
    left_over -= solve_stick(&rest, left_over < most ? left_over : most);
    bool left = move(&rest);
    (void)cps_solve_offer(solve, rest.r, NULL, NULL);
    solve->inner_iterations++;
    if (solve->best_residual < 0.5 * before) {
      inside = 0;
    } else if (!left || ++inside == INSIDE_COUNT) {
      break;
    }
  }
  return CPS_OK;
}

// One sweep from the first guess.
static CpsStatus sweep(CpsSolve* solve) {
  const CpsProblem* p = solve->problem;
  double* r = CPS_TAKE(solve->arena, double, p->row_count);
  if (!r) return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory to polish");
  memcpy(r, solve->best_r, (size_t)p->row_count * sizeof *r);
  CpsGsLoop loop;
  CpsStatus status = cps_gs_loop_create(solve, CPS_LOCAL_ENUM, false, false, r, &loop);
  if (status != CPS_OK) return status;
  (void)cps_gs_loop_sweep(&loop);
  cps_gs_loop_finish(solve, &loop);
  solve->iterations++;
  if (loop.rigid) {
    // v was recomputed before the sweep, and is as accurate after one
    cps_rigid_velocity(p, solve->pool, loop.gs.v, p->b, solve->u_scratch);
    (void)cps_solve_offer(solve, r, solve->u_scratch, NULL);
  } else {
    (void)cps_solve_offer(solve, r, NULL, NULL);
  }
  return CPS_OK;
}

CpsStatus cps_polish(CpsSolve* solve, bool guess) {
  if (!(solve->best_residual > ROUNDING)) return CPS_OK;
  // a product with W costs half a factorisation there: Newton's method (refine.c) is cheaper than conjugate gradients
  if (solve->problem->sparse) return CPS_OK;
  const CpsArenaMark mark = cps_arena_mark(solve->arena);
  CpsStatus status = guess ? sweep(solve) : CPS_OK;
  cps_arena_release(solve->arena, mark);
  if (status == CPS_OK) status = cps_standstill(solve);
  cps_arena_release(solve->arena, mark);
  if (status == CPS_OK) status = polish_rest(solve);
  cps_arena_release(solve->arena, mark);
  return status;
}
