// Primal-dual interior point for  min 1/2 r^T S r + q.r,  r_i in C_i  (conic.h (1)).
//
// With r = T x the cones become K = { x_0 >= ||x_1|| } and the diagonal of A = T S T about 1. With z the velocity:
//
//   z = A x + c,   x, z in K,   x o z = 0        (R^d blocks: z = 0)                                              (1)
//   F x = F^-1 z = lambda                         Nesterov-Todd scaling, soc.c                                    (2)
//   A dx - dz = -(1 - sigma)(A x + c - z),   lambda o (F dx + F^-1 dz) = d                                        (3)
//   predictor:  d = -lambda o lambda,  sigma = 0                                                                  (4)
//   corrector:  d = -lambda o lambda - (F dx_a) o (F^-1 dz_a) + sigma m e,  sigma = (1 - alpha_a)^3,  m = x.z/n   (5)
//   (A + F^2) dx = -(1 - sigma)(A x + c - z) + F (lambda \ d),   dz = F (lambda \ d) - F^2 dx                     (6)
//
// Mehrotra's predictor-corrector (1992) with the scaling of Nesterov and Todd 1997, as in Andersen, Roos, Terlaky 2003,
// sections 3-4; x and z take the same step because (1) couples them. S may be singular. The directions of a sliding
// pair x, z agree only to the root of the gap, and rounding swamps margins below 1e-12: on its own the method reliably
// reaches an error of 1e-6 of the impulses; callers add a few projected gradient steps if they need more. Not
// guaranteed: if a subproblem is unbounded below, x grows; the iterate of least error is returned.
#include "friction/global/conic_ip.h"

#include "friction/law.h"

#include <math.h>
#include <string.h>

static const int max_iterations = 60;
// Fraction of the distance to the boundary that a step covers.
static const double step_back = 0.995;
// Smallest share gamma of the gap in any cone during a cold start. A first guess may start with less.
static const double share = 1e-3;

static bool has_cone(const CpsProblem* problem, int32_t i) {
  return problem->law[i] == CPS_LAW_COULOMB || problem->law[i] == CPS_LAW_CONVEX;
}

CpsStatus cps_conic_ip_create(CpsSolve* solve, const CpsConic* conic, CpsConicForm form, CpsConicIp* ip) {
  memset(ip, 0, sizeof *ip);
  ip->conic = conic;
  const CpsProblem* problem = conic->problem;
  if (!cps_conic_rows_create(solve, true, &ip->rows)) return cps_conic_no_memory(solve);
  CpsStatus status = cps_conic_kkt_create(solve, conic, &ip->rows, form, &ip->kkt);
  if (status != CPS_OK) return status;
  int64_t n = ip->rows.count;
  double* memory = CPS_TAKE_ZERO(solve->arena, double, 9 * n);
  ip->F = CPS_TAKE(solve->arena, CpsSocScaling, problem->contact_count);
  ip->F2 = CPS_TAKE_ZERO(solve->arena, double, ip->kkt.F2_first[problem->contact_count] + 1);
  if (!memory || !ip->F || !ip->F2) return cps_conic_no_memory(solve);
  ip->x = memory;
  ip->z = memory + n;
  ip->c = memory + 2 * n;
  ip->g = memory + 3 * n;
  ip->dx = memory + 4 * n;
  ip->dz = memory + 5 * n;
  ip->rhs = memory + 6 * n;
  ip->best = memory + 7 * n;
  ip->best_z = memory + 8 * n;
  return CPS_OK;
}

void cps_conic_ip_destroy(CpsConicIp* ip) {
  cps_conic_kkt_destroy(&ip->kkt);
}

// A cold start at the size of c, or the guess pushed inside the cones by the size of its error; returns true for the
// latter.
static bool first_point(CpsConicIp* ip, const double* r, const double* q) {
  const CpsProblem* problem = ip->conic->problem;
  const CpsConicRows* rows = &ip->rows;
  double size = 0.0, guess = 0.0;
  for (int64_t k = 0; k < rows->count; k++) {
    ip->x[k] = r[rows->row[k]] / rows->t[k];
    ip->c[k] = q[rows->row[k]] * rows->t[k];
    size = fmax(size, fabs(ip->c[k]));
    guess = fmax(guess, fabs(ip->x[k]));
  }
  if (!(size > 0.0)) size = guess > 0.0 ? guess : 1.0;
  cps_conic_kkt_multiply(&ip->kkt, ip->x, ip->g);
  double error = 0.0;  // of the guess, in scaled units: || x - P(x - g) ||
  for (int32_t i = 0; i < problem->contact_count; i++) {
    int d = (int)(rows->first[i + 1] - rows->first[i]);
    double x[CPS_DIM_MAX], e = 0.0;
    int64_t at = rows->first[i];
    for (int k = 0; k < d; k++) {
      ip->g[at + k] += ip->c[at + k];
      x[k] = ip->x[at + k] - ip->g[at + k];
    }
    if (has_cone(problem, i) && d > 0) cps_law_project_cone(d, 1.0, x);
    for (int k = 0; k < d; k++) e += (ip->x[at + k] - x[k]) * (ip->x[at + k] - x[k]);
    error = fmax(error, sqrt(e));
  }
  bool warm = guess > 0.0 && error < 0.1 * fmax(size, guess);
  double margin = warm ? error : size;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    int d = (int)(rows->first[i + 1] - rows->first[i]);
    int64_t at = rows->first[i];
    if (!has_cone(problem, i)) {
      for (int k = 0; k < d; k++) ip->z[at + k] = 0.0;
      continue;
    }
    for (int k = 0; k < d; k++) {
      if (!warm) ip->x[at + k] = 0.0;
      ip->z[at + k] = warm ? ip->g[at + k] : 0.0;
    }
    ip->x[at] += fmax(0.0, margin - cps_soc_margin(d, ip->x + at));
    ip->z[at] += fmax(0.0, margin - cps_soc_margin(d, ip->z + at));
  }
  return warm;
}

// Error of x in impulse units, with g = A x + c
static double measure(const CpsConicIp* ip) {
  const CpsProblem* problem = ip->conic->problem;
  const CpsConicRows* rows = &ip->rows;
  double error = 0.0;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    int d = (int)(rows->first[i + 1] - rows->first[i]);
    if (d == 0) continue;
    double r[CPS_DIM_MAX] = {0}, g[CPS_DIM_MAX] = {0};
    for (int k = 0; k < d; k++) {
      int64_t at = rows->first[i] + k;
      r[k] = rows->t[at] * ip->x[at];
      g[k] = ip->g[at] / rows->t[at];
    }
    CpsLaw law = has_cone(problem, i) ? CPS_LAW_CONVEX : CPS_LAW_BILATERAL;
    double e = cps_law_error(law, cps_contact_dim(problem, i), problem->mu[i], problem->xi[i], r, g);
    if (!(e <= error)) error = e;
  }
  return error;
}

// (2) for every cone; F2 stays 0 for R^d blocks
static bool scale_all(CpsConicIp* ip) {
  const CpsProblem* problem = ip->conic->problem;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    if (!has_cone(problem, i)) continue;
    int64_t at = ip->rows.first[i];
    int d = (int)(ip->rows.first[i + 1] - at);
    if (!cps_soc_scaling(d, ip->x + at, ip->z + at, &ip->F[i])) return false;
    cps_soc_square(&ip->F[i], d, ip->F2 + ip->kkt.F2_first[i]);
  }
  return true;
}

// F (lambda \ d) of (4), which is -z, or of (5); `target` = sigma m, and dx, dz hold the predictor for (5)
static void centre(const CpsConicIp* ip, int32_t i, bool corrector, double target, double* p) {
  int64_t at = ip->rows.first[i];
  int d = (int)(ip->rows.first[i + 1] - at);
  if (!corrector) {
    for (int k = 0; k < d; k++) p[k] = -ip->z[at + k];
    return;
  }
  double lambda[CPS_DIM_MAX], a[CPS_DIM_MAX], b[CPS_DIM_MAX], rhs[CPS_DIM_MAX];
  cps_soc_scale(&ip->F[i], d, ip->x + at, lambda);
  cps_soc_scale(&ip->F[i], d, ip->dx + at, a);
  cps_soc_unscale(&ip->F[i], d, ip->dz + at, b);
  cps_soc_product(d, a, b, rhs);
  for (int k = 0; k < d; k++) rhs[k] = -rhs[k];
  rhs[0] += target;
  cps_soc_divide(d, lambda, rhs, rhs);
  cps_soc_scale(&ip->F[i], d, rhs, p);
  for (int k = 0; k < d; k++) p[k] -= ip->z[at + k];  // F (lambda \ lambda o lambda) = F lambda = z
}

// (6); p is kept in dz until dx is known
static void newton(CpsConicIp* ip, bool corrector, double sigma, double m) {
  const CpsProblem* problem = ip->conic->problem;
  const CpsConicRows* rows = &ip->rows;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    int64_t at = rows->first[i];
    int d = (int)(rows->first[i + 1] - at);
    double p[CPS_DIM_MAX] = {0};
    if (has_cone(problem, i)) centre(ip, i, corrector, sigma * m, p);
    for (int k = 0; k < d; k++) {
      ip->rhs[at + k] = p[k] - (1.0 - sigma) * (ip->g[at + k] - ip->z[at + k]);
      ip->dz[at + k] = p[k];
    }
  }
  cps_conic_kkt_solve(&ip->kkt, ip->F2, ip->rhs, ip->dx);
  for (int32_t i = 0; i < problem->contact_count; i++) {
    int64_t at = rows->first[i];
    int d = (int)(rows->first[i + 1] - at);
    const double* F2 = ip->F2 + ip->kkt.F2_first[i];
    for (int a = 0; a < d; a++) {
      for (int b = 0; b < d; b++) ip->dz[at + a] -= F2[a * d + b] * ip->dx[at + b];
    }
  }
}

// Largest step, at most 1, that keeps x and z in their cones
static double max_step(const CpsConicIp* ip, double part) {
  const CpsProblem* problem = ip->conic->problem;
  double step = 1.0;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    if (!has_cone(problem, i)) continue;
    int64_t at = ip->rows.first[i];
    int d = (int)(ip->rows.first[i + 1] - at);
    step = fmin(step, part * cps_soc_max_step(d, ip->x + at, ip->dx + at));
    step = fmin(step, part * cps_soc_max_step(d, ip->z + at, ip->dz + at));
  }
  return step;
}

// Shortens a step until every cone keeps its share of the gap, (det x det z)^(1/2) >= gamma m, so that no cone is
// pressed against its boundary before the others
static double stay_central(const CpsConicIp* ip, double step) {
  const CpsProblem* problem = ip->conic->problem;
  for (int trial = 0; trial < 20; trial++, step *= 0.8) {
    double sum = 0.0, least = INFINITY;
    int64_t cones = 0;
    for (int32_t i = 0; i < problem->contact_count; i++) {
      if (!has_cone(problem, i)) continue;
      int64_t at = ip->rows.first[i];
      int d = (int)(ip->rows.first[i + 1] - at);
      double x[CPS_DIM_MAX], z[CPS_DIM_MAX];
      for (int k = 0; k < d; k++) {
        x[k] = ip->x[at + k] + step * ip->dx[at + k];
        z[k] = ip->z[at + k] + step * ip->dz[at + k];
        sum += x[k] * z[k];
      }
      least = fmin(least, cps_soc_determinant(d, x) * cps_soc_determinant(d, z));
      cones++;
    }
    double m = cones > 0 ? sum / (double)cones : 0.0;
    if (!(least < share * m * share * m)) break;
  }
  return step;
}

static void advance(CpsConicIp* ip, double step) {
  for (int64_t k = 0; k < ip->rows.count; k++) {
    ip->x[k] += step * ip->dx[k];
    ip->z[k] += step * ip->dz[k];
  }
}

// m = x.z/n over the cones
static double gap(const CpsConicIp* ip) {
  const CpsProblem* problem = ip->conic->problem;
  double sum = 0.0;
  int64_t cones = 0;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    if (!has_cone(problem, i)) continue;
    cones++;
    for (int64_t k = ip->rows.first[i]; k < ip->rows.first[i + 1]; k++) sum += ip->x[k] * ip->z[k];
  }
  return cones > 0 ? sum / (double)cones : 0.0;
}

// r and u~ of the best iterate
static void write_back(CpsConicIp* ip, const double* q, double* r, double* ut) {
  const CpsProblem* problem = ip->conic->problem;
  const CpsConicRows* rows = &ip->rows;
  for (int64_t k = 0; k < problem->row_count; k++) r[k] = 0.0;
  for (int64_t k = 0; k < rows->count; k++) r[rows->row[k]] = rows->t[k] * ip->best[k];
  if (!ut) return;
  cps_conic_apply(ip->conic, r, ut);
  for (int64_t k = 0; k < problem->row_count; k++) ut[k] += q[k];
  for (int32_t i = 0; i < problem->contact_count; i++) {
    if (!has_cone(problem, i)) continue;
    for (int64_t k = rows->first[i]; k < rows->first[i + 1]; k++) ut[rows->row[k]] = ip->best_z[k] / rows->t[k];
  }
}

double cps_conic_ip_run(CpsSolve* solve, CpsConicIp* ip, const double* q, double tolerance, double* r, double* ut) {
  int64_t n = ip->rows.count;
  size_t bytes = (size_t)n * sizeof(double);
  double best_error = INFINITY;
  int worse = 0;
  bool warm = first_point(ip, r, q);
  memcpy(ip->best, ip->x, bytes);
  memcpy(ip->best_z, ip->z, bytes);
  for (int k = 0; k < max_iterations; k++) {
    cps_conic_kkt_multiply(&ip->kkt, ip->x, ip->g);
    for (int64_t j = 0; j < n; j++) ip->g[j] += ip->c[j];
    double error = measure(ip);
    if (!(error < INFINITY)) break;
    if (error < best_error) {
      best_error = error;
      worse = 0;
      memcpy(ip->best, ip->x, bytes);
      memcpy(ip->best_z, ip->z, bytes);
    } else if (++worse > 15) {
      break;
    }
    if (best_error <= tolerance || (k > 0 && cps_solve_cancelled(solve)) || !scale_all(ip)) break;
    solve->inner_iterations++;
    solve->factorisations++;
    if (!cps_conic_kkt_factor(&ip->kkt, ip->F2)) break;
    newton(ip, false, 0.0, 0.0);
    double alpha = max_step(ip, 1.0), shortfall = 1.0 - alpha;
    newton(ip, true, shortfall * shortfall * shortfall, gap(ip));
    alpha = max_step(ip, step_back);
    if (!warm) alpha = stay_central(ip, alpha);
    if (!(alpha > 1e-12)) break;
    advance(ip, alpha);
  }
  write_back(ip, q, r, ut);
  return best_error;
}
