// Damped Newton on the mixed complementarity form of Coulomb's law, in place of PATH (Dirkse and Ferris 1995), which
// Renouf et al. 2005 (section 7) used.
//
//   F_r(r_i, u_i, l_i) = 0,  F_l(r_i, u_i, l_i) = 0 for every contact (mcp_function.h),  u = W r + b           (1)
//
// with one unknown l_i per contact beside r_i. Its row is eliminated contact by contact, as dF_l/dl > 0:
//
//   (D W + E) dr = -f,   D = F_r,u - F_r,l F_l,u / F_l,l,   E, f likewise                                      (2)
//   dl = -(F_l + F_l,r dr + F_l,u W dr) / F_l,l
//
// The step length is halved until the merit q = 1/2 ||F||^2 is below the largest of the last few (a non-monotone
// Armijo rule, Grippo, Lampariello and Lucidi 1986; PATH's stabilisation is non-monotone too):
//
//   q(alpha) <= (1 - 2 sigma alpha) max q_{k-j},   j = 0 … 4,   sigma = 1e-4                                   (3)
//
// PATH additionally has pivotal steps along a path of the normal map, and crashing. Not guaranteed: convergence. The
// law `convex` has another mixed form and is refused.
#include "friction/global/method.h"

#ifdef CAPSTAN_DIRECT
#include "core/error.h"
#include "friction/global/mcp_function.h"
#include "friction/global/newton_system.h"
#include "friction/residual.h"

#include <math.h>

enum { HALVINGS_MAX = 30, MEMORY = 5, POOR_STEPS_MAX = 10, ESCAPES_MAX = 12 };
static const double SIGMA = 1e-4;
static const double SHIFT_MAX = 1e-1;
// Of the largest impulse: smaller impulses are not scaled up, because the derivative by r_N would grow without bound.
static const double WEIGHT_MIN = 1e-3;

typedef struct Mcp {
  CpsNewtonSystem system;
  const CpsProblem* problem;
  double *l, *dl, *weight;  // per contact
  double *u, *d, *Wd;       // per row
  double *F_l, *Fl_l;       // of the last evaluation
  double *Fl_r, *Fl_u;
} Mcp;

static bool create(CpsSolve* solve, Mcp* x) {
  const CpsProblem* p = solve->problem;
  CpsArena* arena = solve->arena;
  *x = (Mcp){.problem = p};
  x->l = CPS_TAKE(arena, double, p->contact_count);
  x->dl = CPS_TAKE(arena, double, p->contact_count);
  x->weight = CPS_TAKE(arena, double, p->contact_count);
  x->F_l = CPS_TAKE(arena, double, p->contact_count);
  x->Fl_l = CPS_TAKE(arena, double, p->contact_count);
  x->u = CPS_TAKE(arena, double, p->row_count);
  x->d = CPS_TAKE(arena, double, p->row_count);
  x->Wd = CPS_TAKE(arena, double, p->row_count);
  x->Fl_r = CPS_TAKE(arena, double, p->row_count);
  x->Fl_u = CPS_TAKE(arena, double, p->row_count);
  return cps_newton_system_create(solve, &x->system) && x->l && x->dl && x->weight && x->F_l && x->Fl_l && x->u &&
         x->d && x->Wd && x->Fl_r && x->Fl_u;
}

static double squares(int d, const CpsMcpValue* value) {
  double q = 0.5 * value->F_l * value->F_l;
  for (int k = 0; k < d; k++) q += 0.5 * value->F_r[k] * value->F_r[k];
  return q;
}

// (2) of one contact
static void eliminate(Mcp* x, int32_t i, const CpsMcpValue* value) {
  const CpsProblem* p = x->problem;
  int d = cps_contact_dim(p, i);
  double *f = x->system.f + p->offset[i], *D = x->system.D + cps_diag_at(p, i), *E = x->system.E + cps_diag_at(p, i);
  x->F_l[i] = value->F_l;
  x->Fl_l[i] = value->dFl_dl;
  for (int a = 0; a < d; a++) {
    double ratio = value->dFr_dl[a] / value->dFl_dl;
    f[a] = value->F_r[a] - ratio * value->F_l;
    x->Fl_r[p->offset[i] + a] = value->dFl_dr[a];
    x->Fl_u[p->offset[i] + a] = value->dFl_du[a];
    for (int c = 0; c < d; c++) {
      D[a * d + c] = value->dFr_du[a * d + c] - ratio * value->dFl_du[c];
      E[a * d + c] = value->dFr_dr[a * d + c] - ratio * value->dFl_dr[c];
    }
  }
}

// Fills the system at (r, l); returns the merit.
static double evaluate(Mcp* x, const double* r) {
  const CpsProblem* p = x->problem;
  double q = 0.0, weight_min = WEIGHT_MIN * cps_residual_scale(p, r);
  cps_problem_law_velocity(p, r, x->u);
  for (int32_t i = 0; i < p->contact_count; i++) {
    int64_t k = p->offset[i];
    CpsMcpValue value;
    x->weight[i] = fmax(weight_min, cps_mcp_weight(p->mu[i], r + k, x->l[i]));
    cps_mcp_function((CpsLaw)p->law[i], cps_contact_dim(p, i), p->mu[i], p->xi[i], x->weight[i], r + k, x->u + k,
                     x->l[i], &value);
    eliminate(x, i, &value);
    q += squares(cps_contact_dim(p, i), &value);
  }
  return q;
}

static double merit_at(const Mcp* x, const double* r, double alpha) {
  const CpsProblem* p = x->problem;
  double q = 0.0;
  for (int32_t i = 0; i < p->contact_count; i++) {
    int d = cps_contact_dim(p, i);
    double trial_r[CPS_DIM_MAX], trial_u[CPS_DIM_MAX];
    CpsMcpValue value;
    for (int k = 0; k < d; k++) {
      trial_r[k] = r[p->offset[i] + k] + alpha * x->d[p->offset[i] + k];
      trial_u[k] = x->u[p->offset[i] + k] + alpha * x->Wd[p->offset[i] + k];
    }
    cps_mcp_function((CpsLaw)p->law[i], d, p->mu[i], p->xi[i], x->weight[i], trial_r, trial_u,
                     x->l[i] + alpha * x->dl[i], &value);
    q += squares(d, &value);
  }
  return q;
}

static void step_of_l(Mcp* x) {
  const CpsProblem* p = x->problem;
  for (int32_t i = 0; i < p->contact_count; i++) {
    double sum = x->F_l[i];
    for (int64_t k = p->offset[i]; k < p->offset[i + 1]; k++) sum += x->Fl_r[k] * x->d[k] + x->Fl_u[k] * x->Wd[k];
    x->dl[i] = -sum / x->Fl_l[i];
  }
}

// (3); falls back on the best step seen
static double line_search(const Mcp* x, const double* r, double reference) {
  double best = 0.0, best_q = INFINITY, alpha = 1.0;
  for (int k = 0; k < HALVINGS_MAX; k++, alpha *= 0.5) {
    double q = merit_at(x, r, alpha);
    if (q < best_q) {
      best_q = q;
      best = alpha;
    }
    if (q <= (1.0 - 2.0 * SIGMA * alpha) * reference) break;
  }
  return best > 0.0 ? best : alpha;
}

static void iterate(CpsSolve* solve, Mcp* x, double* r) {
  const CpsProblem* p = x->problem;
  cps_problem_law_velocity(p, r, x->u);
  for (int32_t i = 0; i < p->contact_count; i++) {
    double sum = 0.0;
    for (int64_t k = p->offset[i] + 1; k < p->offset[i + 1]; k++) sum += x->u[k] * x->u[k];
    x->l[i] = p->law[i] == CPS_LAW_COULOMB && p->mu[i] > 0.0 ? p->xi[i] * sqrt(sum) : 0.0;
  }
  double memory[MEMORY], best_q = evaluate(x, r);
  for (int k = 0; k < MEMORY; k++) memory[k] = best_q;
  int poor_steps = 0, escapes = 0;
  int64_t count = 0;
  for (bool go = cps_solve_offer(solve, r, x->u, NULL); go; count++) {
    double slope = 0.0, reference = 0.0;
    cps_newton_system_direction(solve, &x->system, x->d, x->Wd, &slope);
    if (x->system.no_memory || !(slope < 0.0)) return;
    step_of_l(x);
    for (int k = 0; k < MEMORY; k++) reference = fmax(reference, memory[k]);
    double alpha = line_search(x, r, reference);
    for (int64_t k = 0; k < p->row_count; k++) r[k] += alpha * x->d[k];
    for (int32_t i = 0; i < p->contact_count; i++) x->l[i] += alpha * x->dl[i];
    double q = evaluate(x, r);
    memory[count % MEMORY] = q;
    go = isfinite(q) && cps_solve_check(solve, r, x->u, NULL);
    // without progress the shift grows, and in the end is dropped
    bool good = q < 0.9 * best_q;
    if (good) x->system.shift = x->system.shift > 1e-9 ? 0.1 * x->system.shift : 0.0;
    poor_steps = good ? 0 : poor_steps + 1;
    escapes = good ? 0 : escapes;
    best_q = fmin(best_q, q);
    if (poor_steps > 0 && poor_steps % POOR_STEPS_MAX == 0) {
      x->system.shift = x->system.shift < SHIFT_MAX ? fmin(SHIFT_MAX, fmax(1e-4, 10.0 * x->system.shift)) : 0.0;
      if (++escapes > ESCAPES_MAX) return;
    }
  }
}

static CpsStatus run(CpsSolve* solve, double* r) {
  Mcp x;
  bool ready = create(solve, &x);
  if (ready) iterate(solve, &x, r);
  cps_newton_system_destroy(&x.system);
  return ready && !x.system.no_memory
             ? CPS_OK
             : cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for the Newton system");
}
#endif

const CpsMethodEntry cps_method_mcp = {
    .info = {.name = "mcp",
             .summary = "damped Newton on the mixed complementarity form, in the place of PATH",
             .reference = "Trinkle, Pang, Sudarsky, Lo 1997; Renouf, Acary, Dumont 2005",
             .laws = CPS_LAW_BIT(CPS_LAW_COULOMB) | CPS_LAW_BIT(CPS_LAW_BILATERAL) | CPS_LAW_BIT(CPS_LAW_FREE),
             .exact = true,
             .available = CPS_DIRECT_AVAILABLE},
    .run = CPS_DIRECT(run),
};
