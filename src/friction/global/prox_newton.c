// Semismooth Newton on the projection form of a proximal subproblem.
//
// Proximal subproblem: the law holds between r and  w = u + (weight/xi_i)(r - c),  u = W r + b, c the centre. With
// rho_i = xi_i / (1 + weight) it is the zero of
//
//   F_i(r) = r_i - P_i(x_i),    x_i = r_i - rho_i w_i                                                              (1)
//
//   coulomb    P(x) = (n, projection of x_T on the disc of radius mu n),  n = max(0, x_N)    (Alart & Curnier 1991) (2)
//   convex     P(x) = projection of x on K_mu
//   bilateral  P(x) = x
//   free       P(x) = 0
//
// With A_i = P_i'(x_i) and G_i = rho_i A_i the Newton matrix is
//
//   dF_i/dr_j = G_i W_ij,    dF_i/dr_i = G_i W_ii + I - A_i + (weight/xi_i) G_i                                     (3)
//
// If A_i = 0 (take-off), the row reads dr_i = -r_i and the contact leaves the linear system. Blocks of dimension 2 and
// 6 enter the matrix as one padded or two coupled sub-blocks of size 3.
//
// Not guaranteed: (1) is only piecewise smooth and the step may be poor far from the solution.
#include "friction/global/prox_newton.h"

#include "core/error.h"
#include "friction/law.h"

#include <math.h>
#include <string.h>

static int sub_blocks(int d) {
  return d <= 3 ? 1 : 2;
}

// Pattern of A: one sub-block per pair of sub-blocks of W's blocks.
static bool lay_out(CpsProxNewton* newton, CpsArena* arena) {
  const CpsProblem* p = newton->problem;
  const CpsBlockMatrix* W = &newton->W;
  CpsBlockMatrix* A = &newton->A;
  int32_t n = p->contact_count;
  newton->first = CPS_TAKE(arena, int32_t, (int64_t)n + 1);
  if (!newton->first) return false;
  newton->first[0] = 0;
  for (int32_t i = 0; i < n; ++i) newton->first[i + 1] = newton->first[i] + sub_blocks(cps_contact_dim(p, i));
  *A = (CpsBlockMatrix){.rows = newton->first[n], .dim = 3};
  if (p->dim == 3 || p->dim == 2) {
    A->start = W->start;
    A->col = W->col;
  } else {
    int64_t count = 0;
    for (int32_t i = 0; i < n; ++i) {
      for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
        count += (int64_t)sub_blocks(cps_contact_dim(p, i)) * sub_blocks(cps_contact_dim(p, W->col[k]));
      }
    }
    A->start = CPS_TAKE(arena, int64_t, (int64_t)A->rows + 1);
    A->col = CPS_TAKE(arena, int32_t, count);
    if (!A->start || !A->col) return false;
    count = 0;
    for (int32_t i = 0; i < n; ++i) {
      for (int32_t s = newton->first[i]; s < newton->first[i + 1]; ++s) {
        A->start[s] = count;
        for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
          int32_t j = W->col[k];
          for (int32_t t = newton->first[j]; t < newton->first[j + 1]; ++t) A->col[count++] = t;
        }
      }
    }
    A->start[A->rows] = count;
  }
  return true;
}

CpsStatus cps_prox_newton_create(CpsSolve* solve, CpsProxNewton* newton) {
  const CpsProblem* p = solve->problem;
  CpsArena* arena = solve->arena;
  CpsBlockMatrix W;
  *newton = (CpsProxNewton){.problem = p, .arena = arena};
  bool ok = cps_problem_explicit_W(p, arena, &W) && cps_block_matrix_complete(&W, arena, &newton->W) &&
            lay_out(newton, arena);
  if (ok) {
    newton->active = CPS_TAKE(arena, bool, newton->A.rows);
    newton->x = CPS_TAKE(arena, double, 3 * (int64_t)newton->A.rows);
    newton->G = CPS_TAKE(arena, double, cps_diag_at(p, p->contact_count));
    newton->lu = cps_block_lu_create(&newton->A, arena);
    ok = newton->active && newton->x && newton->G && newton->lu;
  }
  return ok ? CPS_OK : cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for the Newton matrix");
}

// x_i of (1).
static void argument(const CpsProblem* p, int32_t i, const double* r, const double* u, const double* c, double weight,
                     double* x) {
  double rho = p->xi[i] / (1.0 + weight), s = weight / p->xi[i];
  int64_t o = p->offset[i];
  int d = cps_contact_dim(p, i);
  for (int k = 0; k < d; ++k) x[k] = r[o + k] - rho * (u[o + k] + s * (r[o + k] - c[o + k]));
}

// P of (2) for a Coulomb contact.
static void project_coulomb(int d, double mu, double* x) {
  if (!(x[0] > 0.0)) {
    for (int k = 0; k < d; ++k) x[k] = 0.0;
    return;
  }
  double t = cps_law_tangent_norm(d, x);
  if (t <= mu * x[0]) return;
  for (int k = 1; k < d; ++k) x[k] *= mu * x[0] / t;
}

double cps_prox_newton_map(const CpsProxNewton* newton, const double* r, const double* u, const double* centre,
                           double weight, double* F) {
  const CpsProblem* p = newton->problem;
  double sum = 0.0;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int d = cps_contact_dim(p, i);
    int64_t o = p->offset[i];
    double x[CPS_DIM_MAX] = {0};
    if (p->law[i] != CPS_LAW_FREE) argument(p, i, r, u, centre, weight, x);
    if (p->law[i] == CPS_LAW_COULOMB) {
      project_coulomb(d, p->mu[i], x);
    } else if (p->law[i] == CPS_LAW_CONVEX) {
      cps_law_project_cone(d, p->mu[i], x);
    }
    for (int k = 0; k < d; ++k) {
      F[o + k] = r[o + k] - x[k];
      sum += F[o + k] * F[o + k];
    }
  }
  return sqrt(sum);
}

static void set_identity(int d, double* A) {
  memset(A, 0, (size_t)(d * d) * sizeof *A);
  for (int k = 0; k < d; ++k) A[k * d + k] = 1.0;
}

// Tangential block of a derivative: along t t^T + across (I - t t^T), t the unit direction of x_T.
static void set_tangent(int d, const double* t, double along, double across, double* A) {
  for (int a = 1; a < d; ++a) {
    for (int b = 1; b < d; ++b) A[a * d + b] = (along - across) * t[a] * t[b] + (a == b ? across : 0.0);
  }
}

// A = P'(x) for a Coulomb or convex contact; false where it vanishes.
static bool projection_derivative(CpsLaw law, int d, double mu, const double* x, double* A) {
  double t = cps_law_tangent_norm(d, x), direction[CPS_DIM_MAX];
  bool coulomb = law == CPS_LAW_COULOMB;
  if (coulomb ? !(x[0] > 0.0) : mu * t <= -x[0]) return false;
  if (t <= mu * x[0]) {
    set_identity(d, A);
    return true;
  }
  for (int k = 1; k < d; ++k) direction[k] = x[k] / t;
  // coulomb: n = x_N, P_T = mu n t.  convex: n = (x_N + mu ||x_T||) / (1 + mu^2), P_T = mu n t
  double q = coulomb ? 1.0 : 1.0 / (1.0 + mu * mu), n = coulomb ? x[0] : q * (x[0] + mu * t);
  A[0] = q;
  for (int k = 1; k < d; ++k) {
    A[k] = coulomb ? 0.0 : q * mu * direction[k];
    A[k * d] = q * mu * direction[k];
  }
  set_tangent(d, direction, coulomb ? 0.0 : q * mu * mu, mu * n / t, A);
  return true;
}

// Position in A of the first sub-block of block k = (i, j) of W in row s of A.
static int64_t place_of(const CpsProxNewton* newton, int32_t s, int32_t j, int64_t k) {
  if (newton->A.start == newton->W.start) return k;
  int64_t place = newton->A.start[s];
  while (newton->A.col[place] != newton->first[j]) ++place;
  return place;
}

// Row i of (3) for one block of W: B = G W_ij (+ the diagonal part), spread over the sub-blocks of A.
static void store_block(CpsProxNewton* newton, int32_t i, int32_t j, int64_t k, const double* B) {
  int di = cps_contact_dim(newton->problem, i), dj = cps_contact_dim(newton->problem, j);
  for (int a = 0; a < di; a += 3) {
    int32_t s = newton->first[i] + a / 3;
    double* value = newton->A.value + 9 * place_of(newton, s, j, k);
    for (int row = 0; row < 3 && a + row < di; ++row) {
      for (int b = 0; b < dj; ++b) value[9 * (b / 3) + 3 * row + b % 3] = B[(a + row) * dj + b];
    }
    if (i == j && di == 2) value[8] = 1.0;  // the padding of a block of dimension 2
  }
}

// Fills the rows of contact i in A and its right side -F_i - G_i sum over leaving contacts j of W_ij step_j.
static void fill_row(CpsProxNewton* newton, int32_t i, double diagonal, const double* A_i, const double* F,
                     const double* step) {
  const CpsProblem* p = newton->problem;
  const CpsBlockMatrix* W = &newton->W;
  const double* G = newton->G + cps_diag_at(p, i);
  int d = cps_contact_dim(p, i);
  double pull[CPS_DIM_MAX] = {0};
  for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
    int32_t j = W->col[k];
    int dj = cps_contact_dim(p, j);
    const double* w = W->value + W->at[k];
    if (!newton->active[newton->first[j]]) {
      const double* s = step + p->offset[j];
      for (int a = 0; a < d; ++a) {
        for (int b = 0; b < dj; ++b) pull[a] += w[a * dj + b] * s[b];
      }
      continue;
    }
    double B[CPS_DIM_MAX * CPS_DIM_MAX];
    for (int a = 0; a < d; ++a) {
      for (int b = 0; b < dj; ++b) {
        double sum = 0.0;
        for (int c = 0; c < d; ++c) sum += G[a * d + c] * w[c * dj + b];
        if (i == j) sum += (a == b) - A_i[a * d + b] + diagonal * G[a * d + b];
        B[a * dj + b] = sum;
      }
    }
    store_block(newton, i, j, k, B);
  }
  double* x = newton->x + 3 * (int64_t)newton->first[i];
  x[2] = 0.0;  // the padding of a block of dimension 2
  for (int a = 0; a < d; ++a) {
    double sum = -F[p->offset[i] + a];
    for (int c = 0; c < d; ++c) sum -= G[a * d + c] * pull[c];
    x[a] = sum;
  }
}

// fill_row for the common case of contacts of dimension 3 only.
static void fill_row_3(CpsProxNewton* newton, int32_t i, double diagonal, const double* A_i, const double* F,
                       const double* step) {
  const CpsBlockMatrix* W = &newton->W;
  const double* G = newton->G + 9 * (int64_t)i;
  double pull[3] = {0};
  for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
    int32_t j = W->col[k];
    const double* w = W->value + 9 * k;
    if (!newton->active[j]) {
      const double* s = step + 3 * (int64_t)j;
      for (int a = 0; a < 3; ++a) pull[a] += w[3 * a] * s[0] + w[3 * a + 1] * s[1] + w[3 * a + 2] * s[2];
      continue;
    }
    double* B = newton->A.value + 9 * k;
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) B[3 * a + b] = G[3 * a] * w[b] + G[3 * a + 1] * w[3 + b] + G[3 * a + 2] * w[6 + b];
    }
    if (i != j) continue;
    for (int e = 0; e < 9; ++e) B[e] += (e % 4 == 0) - A_i[e] + diagonal * G[e];
  }
  double* x = newton->x + 3 * (int64_t)i;
  for (int a = 0; a < 3; ++a) {
    x[a] = -F[3 * (int64_t)i + a] - (G[3 * a] * pull[0] + G[3 * a + 1] * pull[1] + G[3 * a + 2] * pull[2]);
  }
}

bool cps_prox_newton_derivative(const CpsProblem* p, int32_t i, const double* r, const double* u, const double* c,
                                double weight, double* A_i) {
  int d = cps_contact_dim(p, i);
  double x[CPS_DIM_MAX];
  switch ((CpsLaw)p->law[i]) {
    case CPS_LAW_FREE:
      return false;
    case CPS_LAW_BILATERAL:
      set_identity(d, A_i);
      return true;
    case CPS_LAW_COULOMB:
    case CPS_LAW_CONVEX:
      break;
  }
  argument(p, i, r, u, c, weight, x);
  return projection_derivative((CpsLaw)p->law[i], d, p->mu[i], x, A_i);
}

CpsBlockLuResult cps_prox_newton_step(CpsProxNewton* newton, const double* r, const double* u, const double* centre,
                                      double weight, const double* F, double* step) {
  const CpsProblem* p = newton->problem;
  CpsBlockMatrix* A = &newton->A;
  // not before the first step: callers often only want the cost of a step
  if (!A->value) A->value = CPS_TAKE_ZERO(newton->arena, double, 9 * A->start[A->rows]);
  if (!A->value) return CPS_BLOCK_LU_NO_MEMORY;
  // which contacts leave, and G; the array of G holds A_i until the division by rho below
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int64_t o = p->offset[i];
    int d = cps_contact_dim(p, i);
    double* G = newton->G + cps_diag_at(p, i);
    bool stays = cps_prox_newton_derivative(p, i, r, u, centre, weight, G);
    for (int32_t s = newton->first[i]; s < newton->first[i + 1]; ++s) newton->active[s] = stays;
    for (int k = 0; k < d && !stays; ++k) step[o + k] = -F[o + k];
  }
  for (int32_t i = 0; i < p->contact_count; ++i) {
    if (!newton->active[newton->first[i]]) continue;
    int d = cps_contact_dim(p, i);
    double A_i[CPS_DIM_MAX * CPS_DIM_MAX], *G = newton->G + cps_diag_at(p, i), rho = p->xi[i] / (1.0 + weight);
    for (int e = 0; e < d * d; ++e) {
      A_i[e] = G[e];
      G[e] *= rho;
    }
    if (p->dim == 3) {
      fill_row_3(newton, i, weight / p->xi[i], A_i, F, step);
    } else {
      fill_row(newton, i, weight / p->xi[i], A_i, F, step);
    }
  }
  CpsBlockLuResult result = cps_block_lu_solve(newton->lu, newton->active, newton->x);
  if (result != CPS_BLOCK_LU_OK) return result;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    if (!newton->active[newton->first[i]]) continue;
    const double* x = newton->x + 3 * (int64_t)newton->first[i];
    for (int k = 0; k < cps_contact_dim(p, i); ++k) step[p->offset[i] + k] = x[k];
  }
  return CPS_BLOCK_LU_OK;
}
