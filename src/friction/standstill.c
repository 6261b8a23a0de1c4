// Brings many resting rigid bodies to a standstill.
//
// One sweep per step leaves the slow modes of a pile unchanged: to these modes the contacts are dead loads, and under dead loads a
// wall is an inverted pendulum. Errors grow like exp(t sqrt(g / L)) for any step, and 1e-16 m become micrometres in ten seconds. So
// once bodies have begun to move, a factorisation that resolves all modes (rest_factor.h) makes their velocities zero:
//
//   u_i = 0 for i in S,   r_i in K_i;   S = { i : r_i,N > 0 }                                                     (1)
//
// Among the solutions, the method takes the one with the smallest change of r in the norm of
//
//   D_i^-1,   D_i = r_i,N (1 - (||r_i,T|| / mu_i r_i,N)^2)                                                         (2)
//
// A contact near the boundary of its cone changes little, so few leave it. Those are projected back, and (1) is solved again with new
// weights; after a slow solve also with a larger margin between friction and its limit. The result is measured by the common residual
// and kept only if that is smaller.
//
// Not guaranteed: that (1) has a solution. Near the limit of friction, or if a contact slides, it has none.
#include "friction/standstill.h"

#include "core/error.h"
#include "friction/law.h"
#include "friction/residual.h"
#include "friction/rest_factor.h"

#include <math.h>
#include <string.h>

enum {
  LEAST_CONTACTS = 500,  // polish.c and refine.c handle fewer
  MANY_CONTACTS = 2000,
  MOST_CONTACTS = 20000,
  ROUNDS = 3,  // rounds per attempt
  HARD = 20,   // iterations of a solve from which all attempts are made; below, only the first
};
// Bound on the operations of a factorisation: about the cost of ten steps of a simulation. A standing pile needs one in some fifty
// steps. Above the bound, operations are counted: half of a step per contact.
static const double OPERATIONS = 3e8, OPERATIONS_COUNTED = 15000.0;
// Creep, in units of the tolerance: above the first a contact slides, below the second it is at rest; the third applies above
// MANY_CONTACTS, whose factorisation takes longer than a step.
static const double SLIDES = 1.0, STILL = 1e-4, STILL_MANY = 1e-3;
// Weight of motion along a normal. Four contacts of a face over gaps that do not lie in a plane cannot all come to rest: this
// motion cannot be removed, dies out as the gaps close, and is no reason to try.
static const double NORMAL = 0.1;
// Slip, relative to negligible slip, below which another round does not justify its factorisation.
static const double SETTLED = 0.01;
// Target residual, and the number of contacts from which it grows in proportion, as rounding does.
static const double FINE = 1e-14, FINE_CONTACTS = 20.0;

// Reduction of friction relative to its limit.
static const double INSIDE[] = {1e-6, 1e-2, 0.1};
enum { TRIES = sizeof INSIDE / sizeof *INSIDE };

typedef struct Standstill {
  CpsSolve* solve;
  double zero;   // tolerance as an impulse
  double still;  // negligible motion
  bool* moves;   // in S
  double *weight, *r, *u, *dr;
} Standstill;

// Largest velocity of a loaded contact, with the weighted normal part, and of its tangential part alone, as impulses.
static void find_motion(Standstill* s, double* motion, double* slip) {
  const CpsProblem* p = s->solve->problem;
  const double *r = s->solve->best_r, *u = s->solve->u_scratch;
  if (!s->solve->u_is_best) cps_solve_apply_W(s->solve, r, p->b, s->solve->u_scratch);
  s->solve->u_is_best = true;
  *motion = *slip = 0.0;
  for (int64_t i = 0; i < p->contact_count; ++i, r += 3, u += 3) {
    if (!(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] > s->zero * s->zero)) continue;
    double along = p->xi[i] * cps_law_tangent_norm(3, u);
    *motion = fmax(*motion, fmax(along, NORMAL * p->xi[i] * fabs(u[0])));
    *slip = fmax(*slip, along);
  }
}

// S with friction reduced below its limit, and the weights.
static void weigh(Standstill* s, double inside) {
  const CpsProblem* p = s->solve->problem;
  for (int64_t i = 0; i < p->contact_count; ++i) {
    double *r = s->r + 3 * i, tangent = cps_law_tangent_norm(3, r), limit = (1.0 - inside) * p->mu[i] * r[0];
    s->moves[i] = r[0] > 0.0;
    for (int k = 1; k < 3 && tangent > limit; ++k) r[k] *= limit / tangent;
    double share = limit > 0.0 ? fmin(tangent, limit) / (p->mu[i] * r[0]) : 0.0;
    s->weight[i] = s->moves[i] ? r[0] * (1.0 - share * share) : 0.0;
  }
}

// One solution of (1), projected on the cones.
static bool move(Standstill* s) {
  const CpsProblem* p = s->solve->problem;
  if (!cps_rest_factor_make(s->solve, s->moves, s->weight)) return false;
  s->solve->factorisations++;
  cps_solve_apply_W(s->solve, s->r, p->b, s->u);
  cps_rest_factor_solve(s->solve, s->moves, s->weight, s->u, s->dr);
  for (int64_t i = 0; i < p->contact_count; ++i) {
    double* r = s->r + 3 * i;
    for (int k = 0; k < 3; ++k) r[k] += s->dr[3 * i + k];
    if (s->moves[i] && !cps_law_in_cone(3, p->mu[i], r, 0.0)) cps_law_project_cone(3, p->mu[i], r);
  }
  return true;
}

// Repeats rounds as long as each leaves less than a tenth of the residual. False: the target is met, or no gain is possible.
static bool attempt(Standstill* s, double inside) {
  const CpsProblem* p = s->solve->problem;
  double before = s->solve->best_residual, now, motion, slip, fine = FINE * fmax(1.0, p->contact_count / FINE_CONTACTS);
  memcpy(s->r, s->solve->best_r, (size_t)p->row_count * sizeof(double));
  for (int round = 0; round < ROUNDS; ++round, before = now) {
    weigh(s, inside);
    if (!move(s)) return false;
    (void)cps_solve_offer(s->solve, s->r, NULL, &now);
    s->solve->inner_iterations++;
    if (now <= fine) return false;
    if (!(now < 0.1 * before)) break;
    find_motion(s, &motion, &slip);
    if (slip <= SETTLED * s->still) return false;
  }
  return true;
}

static bool take(CpsSolve* solve, Standstill* s) {
  const CpsProblem* p = solve->problem;
  s->moves = CPS_TAKE(solve->arena, bool, p->contact_count);
  s->weight = CPS_TAKE(solve->arena, double, p->contact_count);
  s->r = CPS_TAKE(solve->arena, double, p->row_count);
  s->u = CPS_TAKE(solve->arena, double, p->row_count);
  s->dr = CPS_TAKE(solve->arena, double, p->row_count);
  return s->moves && s->weight && s->r && s->u && s->dr;
}

CpsStatus cps_standstill(CpsSolve* solve) {
  const CpsProblem* p = solve->problem;
  double motion, slip;
  bool possible;
  if (!p->factors.pair || !p->all_coulomb || p->contact_count <= LEAST_CONTACTS || p->contact_count > MOST_CONTACTS) {
    return CPS_OK;
  }
  Standstill s = {.solve = solve, .zero = solve->options->tolerance * cps_residual_scale(p, solve->best_r)};
  find_motion(&s, &motion, &slip);
  s.still = (p->contact_count > MANY_CONTACTS ? STILL_MANY : STILL) * s.zero;
  if (slip > SLIDES * s.zero || motion <= s.still) return CPS_OK;
  CpsStatus status = cps_rest_factor_prepare(solve, OPERATIONS, OPERATIONS_COUNTED * p->contact_count, &possible);
  if (status != CPS_OK || !possible) return status;
  bool room = take(solve, &s);
  int tries = solve->iterations >= HARD ? TRIES : 1;
  for (int k = 0; room && k < tries && attempt(&s, INSIDE[k]); ++k) {
    find_motion(&s, &motion, &slip);
    if (motion <= s.still) break;
  }
  return room ? CPS_OK : cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory to polish");
}
