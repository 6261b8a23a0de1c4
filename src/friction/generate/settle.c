// A few time steps of the generated bodies, so that the problem resembles one from a simulation.
//
// Bodies placed at random approach and slide wherever they touch; after a few steps most contacts persist and b is
// small at sticking contacts. In each step
//
//   v <- v + dv + M^-1 H^T r                                      loads, and the impulses of the previous step   (1)
//   r_i <- P_K(r_i - u~_i / tr W_ii),   v <- v + M^-1 H^T (change of r_i)    for i = 1 … n, a few times over      (2)
//
// with u = H v + w, u~ De Saxce's velocity and P_K the projection on the cone. (2) is a rough projected Gauss-Seidel
// sweep: it need not converge, because the problem is that of the step after the last, b = H (v + dv) + w, for any v.
#include "friction/generate/generated.h"
#include "friction/law.h"

enum { SETTLING_STEPS = 8, SETTLING_SWEEPS = 10 };

typedef struct Settling {
  const CpsGenerated* made;
  int64_t* at;        // first value of each term in H and Y
  int64_t* velocity;  // first entry of each body in v
} Settling;

// u = H v + w of one contact
static void relative_velocity(const Settling* s, int32_t i, double u[3]) {
  const CpsGenerated* made = s->made;
  for (int row = 0; row < 3; ++row) u[row] = made->b[3 * (int64_t)i + row];
  for (int64_t term = made->contact_start[i]; term < made->contact_start[i + 1]; ++term) {
    int32_t dofs = made->body_dofs[made->body[term]];
    const double* v = made->v + s->velocity[made->body[term]];
    const double* H = made->H + s->at[term];
    for (int row = 0; row < 3; ++row)
      for (int32_t k = 0; k < dofs; ++k) u[row] += H[row * dofs + k] * v[k];
  }
}

// v += M^-1 H^T change
static void push(const Settling* s, int32_t i, const double change[3]) {
  const CpsGenerated* made = s->made;
  for (int64_t term = made->contact_start[i]; term < made->contact_start[i + 1]; ++term) {
    int32_t dofs = made->body_dofs[made->body[term]];
    double* v = made->v + s->velocity[made->body[term]];
    const double* Y = made->Y + s->at[term];
    for (int row = 0; row < 3; ++row)
      for (int32_t k = 0; k < dofs; ++k) v[k] += Y[row * dofs + k] * change[row];
  }
}

// Equation (2) for one contact; xi = 1 / tr W_ii.
static void relax(const Settling* s, int32_t i, double mu, double xi, double r[3]) {
  double u[3], change[3];
  relative_velocity(s, i, u);
  u[0] += mu * hypot(u[1], u[2]);
  for (int k = 0; k < 3; ++k) {
    change[k] = -r[k];
    r[k] -= xi * u[k];
  }
  cps_law_project_cone(3, mu, r);
  for (int k = 0; k < 3; ++k) change[k] += r[k];
  push(s, i, change);
}

static double inverse_trace(const Settling* s, int32_t i) {
  const CpsGenerated* made = s->made;
  double trace = 0.0;
  for (int64_t k = s->at[made->contact_start[i]]; k < s->at[made->contact_start[i + 1]]; ++k)
    trace += made->H[k] * made->Y[k];
  return 1.0 / trace;
}

bool cps_generated_settle(CpsGenerated* made, double mu) {
  int32_t n = made->contact_count;
  int64_t term_count = made->contact_start[n], dof_count = 0;
  Settling s = {.made = made,
                .at = CPS_TAKE(&made->arena, int64_t, term_count + 1),
                .velocity = CPS_TAKE(&made->arena, int64_t, made->body_count)};
  double* xi = CPS_TAKE(&made->arena, double, n);
  double* r = CPS_TAKE_ZERO(&made->arena, double, 3 * (int64_t)n);
  if (!s.at || !s.velocity || !xi || !r) return false;
  for (int32_t k = 0; k < made->body_count; ++k) {
    s.velocity[k] = dof_count;
    dof_count += made->body_dofs[k];
  }
  s.at[0] = 0;
  for (int64_t term = 0; term < term_count; ++term)
    s.at[term + 1] = s.at[term] + 3 * (int64_t)made->body_dofs[made->body[term]];
  for (int32_t i = 0; i < n; ++i) xi[i] = inverse_trace(&s, i);

  for (int step = 0; step < SETTLING_STEPS; ++step) {
    for (int64_t k = 0; k < dof_count; ++k) made->v[k] += made->dv[k];
    for (int32_t i = 0; i < n; ++i) push(&s, i, r + 3 * (int64_t)i);
    for (int sweep = 0; sweep < SETTLING_SWEEPS; ++sweep)
      for (int32_t i = 0; i < n; ++i) relax(&s, i, mu, xi[i], r + 3 * (int64_t)i);
  }
  for (int64_t k = 0; k < dof_count; ++k) made->v[k] += made->dv[k];
  for (int32_t i = 0; i < n; ++i) {
    double u[3];
    relative_velocity(&s, i, u);
    for (int row = 0; row < 3; ++row) made->b[3 * (int64_t)i + row] = u[row];
  }
  return true;
}
