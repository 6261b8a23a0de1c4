// The last digits of contact forces: (2) of explain.c by Newton's method in the strains.
//
// Every contact has a compliance c > 0, so that forces follow from strains, and what remains is the minimum of one function:
//
//   r_i(y) = P_K(-(G y)_i / c_i),      f(y) = 1/2 |y - a|^2 + 1/2 sum c_i |r_i|^2,      f' = y - a - G^T r                     (1)
//
// with a = y_w - y_0. It is strictly convex. Its second derivative is I + G^T (D/c) G with D_i = P_K' at -(G y)_i / c_i, symmetric with
// eigenvalues from 0 to 1. With S = D^(1/2), a step needs one block for each contact that carries, and none for the others:
//
//   (I + G^T S c^-1 S G)^-1 = I - G^T S (c + S G G^T S)^-1 S G                                                                 (2)
//
// Each step goes to the minimum along its line, so that f falls wherever it began. Near the solution, whole steps are taken and
// digits double. Sweeps need thousands of rounds instead, because G G^T is singular and contacts chain the strands.
//
// Not guaranteed: few steps where c is far below the compliance of the fibres. f then consists of many small pieces.
#include "inverse/explain.h"

#include "friction/law.h"
#include "sparse/cholesky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 60, SEARCHES = 30 };
static const double FLAT = 1e-3;  // the derivative along a line, over that at its start: the minimum is found

typedef struct Newton {
  CpsExplain* e;
  CpsArena memory, factored;  // of all arrays; of a factor, its matrix and the analysis
  double *y, *d, *g;          // strains, step, f'
  double *Gy, *Gd, *r;
  double *S, *SG;    // of contacts; only those that carry have them
  int32_t* carrier;  // the contacts that carry, ascending
  int32_t carrier_count;
  int32_t *kept, kept_count;  // those of the factor
  int32_t *first, *on;        // those of each fibre, as places in `carrier`
  CpsBlockMatrix A;           // of (2), lower triangle
  CpsCholesky* factor;
  double *x, *work;
} Newton;

static double dot(int64_t count, const double* a, const double* b) {
  double sum = 0.0;
  for (int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// r at y + t d
static void find_forces(const Newton* n, double t) {
  const CpsExplain* e = n->e;
  for (int32_t k = 0; k < e->holding_count; ++k) {
    double* r = n->r + 3 * (ptrdiff_t)k;
    const double *u = n->Gy + 3 * (ptrdiff_t)k, *v = n->Gd + 3 * (ptrdiff_t)k;
    const double scale = e->law[k] == CPS_LAW_FREE ? 0.0 : -1.0 / e->compliance[k];
    for (int a = 0; a < 3; ++a) r[a] = scale * (u[a] + t * v[a]);
    cps_law_project_cone(3, e->mu[k], r);
  }
}

// Along the step: d.(y + t d - a) - (G d).r
static double slope(const Newton* n, double linear, double square, double t) {
  find_forces(n, t);
  return linear + t * square - dot(3 * (int64_t)n->e->holding_count, n->Gd, n->r);
}

// The minimum along the step, by false position (Illinois): the slope never falls.
static double search(const Newton* n) {
  double linear = 0.0;
  for (int64_t i = 0; i < n->e->size; ++i) linear += n->d[i] * (n->y[i] - n->e->aim[i]);
  const double square = dot(n->e->size, n->d, n->d), start = slope(n, linear, square, 0.0), flat = FLAT * fabs(start);
  double low = 0.0, high = 1.0, at_low = start, at_high = slope(n, linear, square, 1.0), t = 1.0;
  if (!(at_high > flat)) return 1.0;
  int last = 0;
  for (int k = 0; k < SEARCHES; ++k) {
    t = low - at_low * (high - low) / (at_high - at_low);
    const double at = slope(n, linear, square, t);
    if (fabs(at) <= flat) break;
    if (at < 0.0) {
      low = t, at_low = at;
      if (last < 0) at_high *= 0.5;
      last = -1;
    } else {
      high = t, at_high = at;
      if (last > 0) at_low *= 0.5;
      last = 1;
    }
  }
  return t;
}

// S at x: inside the cone 1; outside, 1 along the nearest generator, sqrt(mu r_N / |x_T|) around the axis, 0 across. False: all of it is 0.
static bool find_root(double mu, const double* x, double* S) {
  const double t = hypot(x[1], x[2]);
  if (mu * t <= -x[0]) return false;
  memset(S, 0, 9 * sizeof *S);
  if (t <= mu * x[0]) {
    S[0] = S[4] = S[8] = 1.0;
    return true;
  }
  const double q = 1.0 / (1.0 + mu * mu), l = sqrt(q), around = sqrt(mu * q * (x[0] + mu * t) / t);
  const double w[3] = {l, l * mu * x[1] / t, l * mu * x[2] / t}, z[3] = {0.0, -x[2] / t, x[1] / t};
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) S[3 * a + b] = w[a] * w[b] + around * z[a] * z[b];
  }
  return true;
}

static void find_rows(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Newton* n = data;
  const CpsExplain* e = n->e;
  for (int64_t i = first; i < last; ++i) {
    const int32_t k = n->carrier[i];
    const double *S = n->S + 9 * (ptrdiff_t)k, *G = e->G + e->value_start[k];
    double* SG = n->SG + e->value_start[k];
    for (int64_t t = e->term_start[k]; t < e->term_start[k + 1]; ++t) {
      const int32_t m = cps_held_columns(&e->held[e->term_held[t]]);
      for (int a = 0; a < 3; ++a, SG += m, S += 3) {
        for (int32_t j = 0; j < m; ++j) SG[j] = S[0] * G[j] + S[1] * G[m + j] + S[2] * G[2 * m + j];
      }
      G += 3 * (ptrdiff_t)m;
      S -= 9;
    }
  }
}

// Who carries, and S G.
static void find_carriers(Newton* n) {
  const CpsExplain* e = n->e;
  n->carrier_count = 0;
  for (int32_t k = 0; k < e->holding_count; ++k) {
    double x[3];
    for (int a = 0; a < 3; ++a) x[a] = -n->Gy[3 * (ptrdiff_t)k + a] / e->compliance[k];
    if (e->law[k] == CPS_LAW_FREE || !find_root(e->mu[k], x, n->S + 9 * (ptrdiff_t)k)) continue;
    n->carrier[n->carrier_count++] = k;
  }
  cps_pool_run(e->world->pool, n->carrier_count, find_rows, n);
}

// The contacts of each fibre that carry, ascending.
static void find_fibres(const Newton* n) {
  const CpsExplain* e = n->e;
  memset(n->first, 0, ((size_t)e->count + 2) * sizeof *n->first);
  for (int32_t i = 0; i < n->carrier_count; ++i) {
    const int32_t k = n->carrier[i];
    for (int64_t t = e->term_start[k]; t < e->term_start[k + 1]; ++t) n->first[e->term_held[t] + 2]++;
  }
  for (int32_t i = 0; i <= e->count; ++i) n->first[i + 1] += n->first[i];
  for (int32_t i = 0; i < n->carrier_count; ++i) {
    const int32_t k = n->carrier[i];
    for (int64_t t = e->term_start[k]; t < e->term_start[k + 1]; ++t) n->on[n->first[e->term_held[t] + 1]++] = i;
  }
}

static int compare(const void* a, const void* b) {
  const int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
  return (x > y) - (x < y);
}

// Pattern of the lower triangle: contacts that share a fibre.
static bool lay_out(Newton* n) {
  const CpsExplain* e = n->e;
  const int32_t count = n->carrier_count;
  int64_t most = 0, used = 0;
  for (int32_t h = 0; h < e->count; ++h) {
    const int64_t own = n->first[h + 1] - n->first[h];
    most += own * (own + 1) / 2;
  }
  CpsBlockMatrix* A = &n->A;
  *A = (CpsBlockMatrix){.rows = count, .dim = 3};
  A->start = CPS_TAKE(&n->factored, int64_t, count + 1);
  A->col = CPS_TAKE(&n->factored, int32_t, most);
  int32_t* seen = CPS_TAKE(&n->factored, int32_t, count);
  if (!A->start || !A->col || !seen) return false;
  for (int32_t i = 0; i < count; ++i) seen[i] = -1;
  for (int32_t i = 0; i < count; ++i) {
    A->start[i] = used;
    for (int64_t t = e->term_start[n->carrier[i]]; t < e->term_start[n->carrier[i] + 1]; ++t) {
      const int32_t h = e->term_held[t];
      for (int32_t s = n->first[h]; s < n->first[h + 1] && n->on[s] <= i; ++s) {
        if (seen[n->on[s]] == i) continue;
        seen[n->on[s]] = i;
        A->col[used++] = n->on[s];
      }
    }
    qsort(A->col + A->start[i], (size_t)(used - A->start[i]), sizeof *A->col, compare);
  }
  A->start[count] = used;
  A->value = CPS_TAKE(&n->factored, double, 9 * used);
  return A->value != NULL;
}

// The rows of S G of a contact and a fibre.
static const double* rows_of(const Newton* n, int32_t k, int32_t fibre) {
  const CpsExplain* e = n->e;
  const double* SG = n->SG + e->value_start[k];
  const int32_t head = e->term_held[e->term_start[k]];
  return head == fibre ? SG : SG + 3 * (ptrdiff_t)cps_held_columns(&e->held[head]);
}

// block += P Q^T, both of three rows: nine sums side by side, so that none waits for itself.
static void add_products(int32_t m, const double* restrict P, const double* restrict Q, double* restrict block) {
  double s[9] = {0};
  for (int32_t j = 0; j < m; ++j) {
    const double p0 = P[j], p1 = P[m + j], p2 = P[2 * m + j], q0 = Q[j], q1 = Q[m + j], q2 = Q[2 * m + j];
    s[0] += p0 * q0, s[1] += p0 * q1, s[2] += p0 * q2;
    s[3] += p1 * q0, s[4] += p1 * q1, s[5] += p1 * q2;
    s[6] += p2 * q0, s[7] += p2 * q1, s[8] += p2 * q2;
  }
  for (int k = 0; k < 9; ++k) block[k] += s[k];
}

// c + S G G^T S
static void fill(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Newton* n = data;
  const CpsExplain* e = n->e;
  const CpsBlockMatrix* A = &n->A;
  for (int64_t i = first; i < last; ++i) {
    const int32_t k = n->carrier[i];
    double *values = A->value + 9 * A->start[i], *own = A->value + 9 * (A->start[i + 1] - 1);
    memset(values, 0, 9 * (size_t)(A->start[i + 1] - A->start[i]) * sizeof *values);
    own[0] = own[4] = own[8] = e->compliance[k];
    for (int64_t t = e->term_start[k]; t < e->term_start[k + 1]; ++t) {
      const int32_t h = e->term_held[t], m = cps_held_columns(&e->held[h]);
      const double* mine = rows_of(n, k, h);
      int64_t at = A->start[i];
      for (int32_t s = n->first[h]; s < n->first[h + 1] && n->on[s] <= i; ++s) {
        while (A->col[at] != n->on[s]) ++at;
        add_products(m, mine, rows_of(n, n->carrier[n->on[s]], h), A->value + 9 * at);
      }
    }
  }
}

// The pattern and its analysis, if others carry than before.
static bool analyse(Newton* n) {
  const size_t bytes = (size_t)n->carrier_count * sizeof *n->carrier;
  if (n->factor && n->kept_count == n->carrier_count && memcmp(n->kept, n->carrier, bytes) == 0) return true;
  memcpy(n->kept, n->carrier, bytes);
  n->kept_count = n->carrier_count;
  cps_arena_reset(&n->factored);
  find_fibres(n);
  CpsArena scratch = {0};
  const CpsCholeskyOptions options = {.order = CPS_CHOLESKY_AMD, .pool = n->e->world->pool};
  n->factor = lay_out(n) ? cps_cholesky_create(&n->A, &options, &n->factored, &scratch) : NULL;
  cps_arena_free(&scratch);
  n->x = CPS_TAKE(&n->factored, double, 3 * (int64_t)n->carrier_count);
  n->work = CPS_TAKE(&n->factored, double, 3 * (int64_t)n->carrier_count);
  return n->factor && n->x && n->work;
}

// (2): d = -f''^-1 f'
static CpsStatus find_step(Newton* n) {
  const CpsExplain* e = n->e;
  for (int64_t i = 0; i < e->size; ++i) n->d[i] = -n->g[i];
  find_carriers(n);
  if (n->carrier_count == 0) return CPS_OK;
  if (!analyse(n)) return CPS_NO_MEMORY;
  cps_pool_run(e->world->pool, n->carrier_count, fill, n);
  if (cps_cholesky_factor(n->factor, n->A.value) >= 0) return CPS_NOT_CONVERGED;
  for (int32_t i = 0; i < n->carrier_count; ++i) {
    const int32_t k = n->carrier[i];
    double* x = n->x + 3 * (ptrdiff_t)i;
    x[0] = x[1] = x[2] = 0.0;
    for (int64_t t = e->term_start[k]; t < e->term_start[k + 1]; ++t) {
      const CpsHeld* h = &e->held[e->term_held[t]];
      cps_explain_add_rows(cps_held_columns(h), rows_of(n, k, e->term_held[t]), n->d + h->y, x);
    }
  }
  cps_cholesky_solve(n->factor, 1, n->x, n->work);
  for (int32_t i = 0; i < n->carrier_count; ++i) {
    const int32_t k = n->carrier[i];
    const double* x = n->x + 3 * (ptrdiff_t)i;
    for (int64_t t = e->term_start[k]; t < e->term_start[k + 1]; ++t) {
      const CpsHeld* h = &e->held[e->term_held[t]];
      const int32_t m = cps_held_columns(h);
      const double* SG = rows_of(n, k, e->term_held[t]);
      double* d = n->d + h->y;
      for (int32_t j = 0; j < m; ++j) d[j] -= x[0] * SG[j] + x[1] * SG[m + j] + x[2] * SG[2 * m + j];
    }
  }
  return CPS_OK;
}

// f' at y, from r there.
static void find_gradient(const Newton* n) {
  const CpsExplain* e = n->e;
  memset(n->g, 0, (size_t)e->size * sizeof *n->g);
  cps_explain_scatter(e, n->r, n->g);
  for (int64_t i = 0; i < e->size; ++i) n->g[i] = n->y[i] - e->aim[i] - n->g[i];
}

static bool take(Newton* n) {
  const CpsExplain* e = n->e;
  const int64_t count = e->holding_count, rows = 3 * count;
  CpsArena* a = &n->memory;
  n->y = CPS_TAKE(a, double, e->size);
  n->d = CPS_TAKE(a, double, e->size);
  n->g = CPS_TAKE(a, double, e->size);
  n->Gy = CPS_TAKE(a, double, rows);
  n->Gd = CPS_TAKE_ZERO(a, double, rows);
  n->r = CPS_TAKE(a, double, rows);
  n->S = CPS_TAKE(a, double, 3 * rows);
  n->SG = CPS_TAKE(a, double, e->value_start[count]);
  n->carrier = CPS_TAKE(a, int32_t, count);
  n->kept = CPS_TAKE(a, int32_t, count);
  n->first = CPS_TAKE(a, int32_t, e->count + 2);
  n->on = CPS_TAKE(a, int32_t, e->term_start[count]);
  return n->y && n->d && n->g && n->Gy && n->Gd && n->r && n->S && n->SG && n->carrier && n->kept && n->first && n->on;
}

CpsStatus cps_explain_refine(CpsExplain* e, const CpsProblem* problem, double tolerance, double* residual,
                             int64_t* steps) {
  Newton n = {.e = e};
  const int64_t rows = 3 * (int64_t)e->holding_count;
  CpsStatus status = take(&n) ? CPS_OK : CPS_NO_MEMORY;
  if (status == CPS_OK) {
    memcpy(n.y, e->aim, (size_t)e->size * sizeof *n.y);
    cps_explain_scatter(e, e->r, n.y);
    cps_explain_gather(e, n.y, n.Gy);
  }
  for (int k = 0; status == CPS_OK && *residual > tolerance && k < STEPS; ++k) {
    find_forces(&n, 0.0);
    find_gradient(&n);
    status = find_step(&n);
    if (status != CPS_OK) break;
    cps_explain_gather(e, n.d, n.Gd);
    const double t = search(&n);
    for (int64_t i = 0; i < e->size; ++i) n.y[i] += t * n.d[i];
    for (int64_t i = 0; i < rows; ++i) n.Gy[i] += t * n.Gd[i];
    ++*steps;
    if (t < 1.0) continue;  // far from the solution
    // after a whole step, the search ended at its forces
    CpsResidual now = {0};
    status = cps_problem_residual(problem, n.r, &now);
    if (status != CPS_OK || !(now.natural < *residual)) continue;
    *residual = now.natural;
    memcpy(e->r, n.r, (size_t)rows * sizeof *e->r);
  }
  cps_arena_free(&n.memory);
  cps_arena_free(&n.factored);
  return status == CPS_NOT_CONVERGED ? CPS_OK : status;
}
