// Identities that hold at every solution (docs/theory/law.md), each with its largest violation.
//
//   r_N >= 0,  u_N >= 0,  r_N u_N = 0,  ||r_T|| <= mu r_N                                        (1)
//   u_T parallel to r_T,  r.u = -mu r_N ||u_T||,  r.u~ = 0 with u~ = u + mu ||u_T|| e           (2)
//   r.(u + b)/2 = r.u - r.W r/2 <= 0: impulses dissipate energy                                 (3)
//
// Lengths are divided by R = max ||r_i|| and V = max ||b_i||, products by R V, the energy by n R V; 0/0 is 0. (3) needs a symmetric positive semi-definite
// W, no shift, and dissipative laws; it is 0 if the problem has a shift or cohesion. (1) and (2) apply to the arguments of the law (rheology.h).
#include "core/arena.h"
#include "friction/law.h"
#include "friction/rheology.h"

#include <math.h>

typedef struct Contact {
  int d;
  double mu;
  const double* r;
  const double* u;
} Contact;

static double dot(int d, const double* x, const double* y) {
  double sum = 0.0;
  for (int k = 0; k < d; k++) sum += x[k] * y[k];
  return sum;
}

static double norm(int d, const double* x) {
  return sqrt(dot(d, x, x));
}

static double largest_block(const CpsProblem* problem, const double* x) {
  double largest = 0.0;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    largest = fmax(largest, norm(cps_contact_dim(problem, i), x + problem->offset[i]));
  }
  return largest;
}

static void raise(double* largest, double violation, double scale) {
  if (violation > 0.0) *largest = fmax(*largest, violation / scale);  // scale > 0 if there is any violation
}

// || u_T - (u_T.r_T / ||r_T||^2) r_T ||, the part of u_T perpendicular to r_T: 0 if r_T vanishes, when the law makes no statement.
static double across(const Contact* c) {
  double r_squared = dot(c->d - 1, c->r + 1, c->r + 1), sum = 0.0;
  if (!(r_squared > 0.0)) return 0.0;
  double along = dot(c->d - 1, c->u + 1, c->r + 1) / r_squared;
  for (int k = 1; k < c->d; k++) {
    double x = c->u[k] - along * c->r[k];
    sum += x * x;
  }
  return sqrt(sum);
}

static void check_coulomb(const Contact* c, double R, double V, CpsIdentities* out) {
  double u_T = cps_law_tangent_norm(c->d, c->u), r_T = cps_law_tangent_norm(c->d, c->r);
  double power = dot(c->d, c->r, c->u);
  raise(&out->normal_impulse, -c->r[0], R);
  raise(&out->normal_velocity, -c->u[0], V);
  raise(&out->complementarity, fabs(c->r[0] * c->u[0]), R * V);
  raise(&out->cone, r_T - c->mu * c->r[0], R);
  raise(&out->alignment, across(c) * r_T, R * V);  // weighted: a vanishing r_T has no direction
  raise(&out->dissipation, fabs(power + c->mu * c->r[0] * u_T), R * V);
  raise(&out->orthogonality, fabs(power + c->mu * u_T * c->r[0]), R * V);
}

static void check_convex(const Contact* c, double R, double V, CpsIdentities* out) {
  raise(&out->cone, cps_law_tangent_norm(c->d, c->r) - c->mu * c->r[0], R);
  raise(&out->orthogonality, fabs(dot(c->d, c->r, c->u)), R * V);
}

CpsStatus cps_problem_identities(const CpsProblem* problem, const double* r, CpsIdentities* identities) {
  if (!problem || !r || !identities) return CPS_BAD_ARGUMENT;
  CpsArena arena = {0};
  double* u = CPS_TAKE(&arena, double, problem->row_count);
  if (!u || !cps_problem_velocity_of(problem, r, problem->b, u)) {
    cps_arena_free(&arena);
    return CPS_NO_MEMORY;
  }
  double* s = CPS_TAKE(&arena, double, problem->row_count);
  if (!s) {
    cps_arena_free(&arena);
    return CPS_NO_MEMORY;
  }
  cps_rheology_seen(problem, r, u, s);
  double R = largest_block(problem, s), V = fmax(largest_block(problem, problem->b), 0.0);
  if (!(V > 0.0)) V = largest_block(problem, u);
  CpsIdentities out = {0};
  double energy = 0.0;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    int64_t first = problem->offset[i];
    Contact c = {cps_contact_dim(problem, i), problem->mu[i], s + first, u + first};
    if (problem->law[i] == CPS_LAW_COULOMB) check_coulomb(&c, R, V, &out);
    if (problem->law[i] == CPS_LAW_CONVEX) check_convex(&c, R, V, &out);
    energy += 0.5 * (dot(c.d, r + first, c.u) + dot(c.d, r + first, problem->b + first));
  }
  if (!problem->has_shift && !problem->cohesion) raise(&out.energy, energy, R * V * (double)problem->contact_count);
  *identities = out;
  cps_arena_free(&arena);
  return CPS_OK;
}
