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
// Each step goes to the minimum along its line, so that f falls from any start. Near the solution, whole steps are taken and
// digits double. Sweeps need thousands of rounds instead, because G G^T is singular and contacts chain the strands.
//
// Not guaranteed: few steps where c is far below the compliance of the fibres. f then consists of many small pieces.
#include "inverse/explain.h"

#include "friction/law.h"
#include "sparse/cholesky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 60, SEARCHES = 30, PIECE = 256 };
static const double FLAT = 1e-3;   // slope along a line, relative to its start, at which the minimum is found
static const double SPARE = 1.15;  // nodes of the factor, relative to the contacts that carry load
static const double FEW = 0.05;    // relative to the nodes: so many new ones are appended to the elimination order

typedef struct CpsNewton {
  CpsExplain* e;
  CpsArena factored;  // the factor, its matrix and the analysis
  double *d, *g;      // step, f'
  double *Gy, *Gd, *r;
  double* piece;   // sums over PIECE contacts each
  double *S, *SG;  // by contact; only set for those that carry load
  bool* carries;
  // Contacts of the factor, ascending: those that carry load, and some that did. A few change in each step, and an
  // analysis costs as much as a factorisation.
  int32_t *node, node_count, *place;  // place: index of a contact among the nodes, -1 if it is not one
  int32_t *order, order_count, late;  // the last elimination order, as contacts; how many were appended to it
  int32_t *first, *on;                // nodes of each fibre
  CpsBlockMatrix A;                   // of (2), lower triangle
  CpsCholesky* factor;
  double *x, *work;
} CpsNewton;

static double dot(int64_t count, const double* a, const double* b) {
  double sum = 0.0;
  for (int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// Forces at y + t d, and (G d).r of each piece. Sums by pieces are the same for any number of threads.
typedef struct Trial {
  const CpsNewton* n;
  double t;
} Trial;

static void try_range(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Trial* trial = data;
  const CpsNewton* n = trial->n;
  const CpsExplain* e = n->e;
  const double t = trial->t;
  for (int64_t p = first; p < last; ++p) {
    const int64_t end = (p + 1) * PIECE < e->holding_count ? (p + 1) * PIECE : e->holding_count;
    double sum = 0.0;
    for (int64_t k = p * PIECE; k < end; ++k) {
      double* r = n->r + 3 * k;
      const double *u = n->Gy + 3 * k, *v = n->Gd + 3 * k;
      const double scale = e->law[k] == CPS_LAW_FREE ? 0.0 : -1.0 / e->compliance[k];
      for (int a = 0; a < 3; ++a) r[a] = scale * (u[a] + t * v[a]);
      cps_law_project_cone(3, e->mu[k], r);
      sum += v[0] * r[0] + v[1] * r[1] + v[2] * r[2];
    }
    n->piece[p] = sum;
  }
}

// r at y + t d; returns (G d).r
static double find_forces(const CpsNewton* n, double t) {
  const int64_t pieces = ((int64_t)n->e->holding_count + PIECE - 1) / PIECE;
  Trial trial = {n, t};
  cps_pool_run(n->e->world->pool, pieces, try_range, &trial);
  double sum = 0.0;
  for (int64_t p = 0; p < pieces; ++p) sum += n->piece[p];
  return sum;
}

// Slope along the step: d.(y + t d - a) - (G d).r
static double slope(const CpsNewton* n, double linear, double square, double t) {
  return linear + t * square - find_forces(n, t);
}

// The minimum along the step, by false position (Illinois method): the slope never decreases.
static double search(const CpsNewton* n) {
  double linear = 0.0;
  for (int64_t i = 0; i < n->e->size; ++i) linear += n->d[i] * (n->e->y[i] - n->e->aim[i]);
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

// S at x: inside the cone 1; outside, 1 along the nearest generator, sqrt(mu r_N / |x_T|) around the axis, 0 across. False if S is 0.
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

static void find_roots(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const CpsNewton* n = data;
  const CpsExplain* e = n->e;
  for (int64_t k = first; k < last; ++k) {
    double x[3];
    for (int a = 0; a < 3; ++a) x[a] = -n->Gy[3 * k + a] / e->compliance[k];
    n->carries[k] = e->law[k] != CPS_LAW_FREE && find_root(e->mu[k], x, n->S + 9 * k);
    if (!n->carries[k]) continue;
    const double *S = n->S + 9 * k, *G = e->G + e->value_start[k];
    double* SG = n->SG + e->value_start[k];
    for (int64_t t = e->term_start[k]; t < e->term_start[k + 1]; ++t) {
      const int32_t m = cps_held_columns(&e->held[e->term_held[t]]);
      for (int a = 0; a < 3; ++a, SG += m) {
        for (int32_t j = 0; j < m; ++j) SG[j] = S[3 * a] * G[j] + S[3 * a + 1] * G[m + j] + S[3 * a + 2] * G[2 * m + j];
      }
      G += 3 * (ptrdiff_t)m;
    }
  }
}

// Lists the nodes of each fibre, ascending.
static void find_fibres(const CpsNewton* n) {
  const CpsExplain* e = n->e;
  memset(n->first, 0, ((size_t)e->count + 2) * sizeof *n->first);
  for (int32_t i = 0; i < n->node_count; ++i) {
    const int32_t k = n->node[i];
    for (int64_t t = e->term_start[k]; t < e->term_start[k + 1]; ++t) n->first[e->term_held[t] + 2]++;
  }
  for (int32_t i = 0; i <= e->count; ++i) n->first[i + 1] += n->first[i];
  for (int32_t i = 0; i < n->node_count; ++i) {
    const int32_t k = n->node[i];
    for (int64_t t = e->term_start[k]; t < e->term_start[k + 1]; ++t) n->on[n->first[e->term_held[t] + 1]++] = i;
  }
}

static int compare(const void* a, const void* b) {
  const int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
  return (x > y) - (x < y);
}

// Pattern of the lower triangle: contacts that share a fibre.
static bool lay_out(CpsNewton* n) {
  const CpsExplain* e = n->e;
  const int32_t count = n->node_count;
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
    for (int64_t t = e->term_start[n->node[i]]; t < e->term_start[n->node[i] + 1]; ++t) {
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
static const double* rows_of(const CpsNewton* n, int32_t k, int32_t fibre) {
  const CpsExplain* e = n->e;
  const double* SG = n->SG + e->value_start[k];
  const int32_t head = e->term_held[e->term_start[k]];
  return head == fibre ? SG : SG + 3 * (ptrdiff_t)cps_held_columns(&e->held[head]);
}

// block += P Q^T, both of three rows: nine independent sums, so that none waits for its own result.
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

// Blocks of c + S G G^T S.
static void fill(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const CpsNewton* n = data;
  const CpsExplain* e = n->e;
  const CpsBlockMatrix* A = &n->A;
  for (int64_t i = first; i < last; ++i) {
    const int32_t k = n->node[i];
    double *values = A->value + 9 * A->start[i], *own = A->value + 9 * (A->start[i + 1] - 1);
    memset(values, 0, 9 * (size_t)(A->start[i + 1] - A->start[i]) * sizeof *values);
    own[0] = own[4] = own[8] = e->compliance[k];
    if (!n->carries[k]) continue;
    for (int64_t t = e->term_start[k]; t < e->term_start[k + 1]; ++t) {
      const int32_t h = e->term_held[t], m = cps_held_columns(&e->held[h]);
      const double* mine = rows_of(n, k, h);
      int64_t at = A->start[i];
      for (int32_t s = n->first[h]; s < n->first[h + 1] && n->on[s] <= i; ++s) {
        const int32_t other = n->node[n->on[s]];
        if (!n->carries[other]) continue;
        while (A->col[at] != n->on[s]) ++at;
        add_products(m, mine, rows_of(n, other, h), A->value + 9 * at);
      }
    }
  }
}

// Chooses nodes for all contacts that carry load. False if the current ones suffice.
static bool choose_nodes(CpsNewton* n) {
  const int32_t contacts = n->e->holding_count;
  int32_t carriers = 0, more = 0;
  for (int32_t k = 0; k < contacts; ++k) {
    carriers += n->carries[k];
    more += n->carries[k] && n->place[k] < 0;
  }
  if (n->factor && more == 0 && n->node_count <= SPARE * carriers) return false;
  const bool others = n->node_count + more <= SPARE * carriers;
  n->node_count = 0;
  for (int32_t k = 0; k < contacts; ++k) {
    const bool kept = n->carries[k] || (others && n->place[k] >= 0);
    n->place[k] = kept ? n->node_count : -1;
    if (kept) n->node[n->node_count++] = k;
  }
  return true;
}

// The last order without the contacts that left, and with new ones at its end. False if there are too many new ones.
static bool keep_order(CpsNewton* n, int32_t* given) {
  int32_t count = 0, late = 0;
  bool* ordered = CPS_TAKE_ZERO(&n->factored, bool, n->node_count);
  if (!ordered) return false;
  for (int32_t i = 0; i < n->order_count; ++i) {
    const int32_t at = n->place[n->order[i]];
    if (at < 0) continue;
    ordered[at] = true;
    given[count++] = at;
  }
  for (int32_t i = 0; i < n->node_count; ++i) {
    if (!ordered[i]) given[count++] = i, ++late;
  }
  n->late += late;
  return n->late <= FEW * n->node_count;
}

static bool analyse(CpsNewton* n) {
  if (!choose_nodes(n)) return true;
  cps_arena_reset(&n->factored);
  n->factor = NULL;
  if (n->node_count == 0) return true;
  find_fibres(n);
  CpsArena scratch = {0};
  int32_t* given = CPS_TAKE(&n->factored, int32_t, n->node_count);
  const bool kept = given && keep_order(n, given);
  const CpsCholeskyOptions options = {
      .order = kept ? CPS_CHOLESKY_GIVEN : CPS_CHOLESKY_AMD, .given = given, .pool = n->e->world->pool};
  CpsCholesky* factor = given && lay_out(n) ? cps_cholesky_create(&n->A, &options, &n->factored, &scratch) : NULL;
  cps_arena_free(&scratch);
  n->x = CPS_TAKE(&n->factored, double, 3 * (int64_t)n->node_count);
  n->work = CPS_TAKE(&n->factored, double, 3 * (int64_t)n->node_count);
  if (!factor || !n->x || !n->work) return false;
  if (!kept) n->late = 0;
  n->order_count = n->node_count;
  for (int32_t i = 0; i < n->node_count; ++i) n->order[i] = n->node[cps_cholesky_order(factor)[i]];
  n->factor = factor;
  return true;
}

static void gather_range(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const CpsNewton* n = data;
  const CpsExplain* e = n->e;
  for (int64_t i = first; i < last; ++i) {
    const int32_t k = n->node[i];
    double* x = n->x + 3 * i;
    x[0] = x[1] = x[2] = 0.0;
    for (int64_t t = e->term_start[k]; n->carries[k] && t < e->term_start[k + 1]; ++t) {
      const CpsHeld* h = &e->held[e->term_held[t]];
      cps_explain_add_rows(cps_held_columns(h), rows_of(n, k, e->term_held[t]), n->d + h->y, x);
    }
  }
}

static void scatter_range(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const CpsNewton* n = data;
  for (int64_t i = first; i < last; ++i) {
    const CpsHeld* h = &n->e->held[i];
    const int32_t m = cps_held_columns(h);
    double* restrict d = n->d + h->y;
    for (int32_t s = n->first[i]; s < n->first[i + 1]; ++s) {
      const int32_t k = n->node[n->on[s]];
      if (!n->carries[k]) continue;
      const double* restrict SG = rows_of(n, k, (int32_t)i), *x = n->x + 3 * (ptrdiff_t)n->on[s];
      for (int32_t j = 0; j < m; ++j) d[j] -= x[0] * SG[j] + x[1] * SG[m + j] + x[2] * SG[2 * m + j];
    }
  }
}

// The Newton step (2): d = -f''^-1 f'
static CpsStatus find_step(CpsNewton* n) {
  CpsExplain* e = n->e;
  CpsPool* pool = e->world->pool;
  for (int64_t i = 0; i < e->size; ++i) n->d[i] = -n->g[i];
  cps_pool_run(pool, e->holding_count, find_roots, n);
  if (!analyse(n)) return CPS_NO_MEMORY;
  if (n->node_count == 0) return CPS_OK;
  cps_pool_run(pool, n->node_count, fill, n);
  if (cps_cholesky_factor(n->factor, n->A.value) >= 0) return CPS_NOT_CONVERGED;
  cps_pool_run(pool, n->node_count, gather_range, n);
  cps_cholesky_solve(n->factor, 1, n->x, n->work);
  cps_pool_run(pool, e->count, scatter_range, n);
  return CPS_OK;
}

static CpsNewton* take(CpsExplain* e) {
  const int64_t count = e->holding_count, rows = 3 * count;
  CpsArena* a = e->arena;
  CpsNewton* n = CPS_TAKE_ZERO(a, CpsNewton, 1);
  if (!n) return NULL;
  n->e = e;
  n->d = CPS_TAKE(a, double, e->size);
  n->g = CPS_TAKE(a, double, e->size);
  n->Gy = CPS_TAKE(a, double, rows);
  n->Gd = CPS_TAKE_ZERO(a, double, rows);
  n->r = CPS_TAKE(a, double, rows);
  n->piece = CPS_TAKE(a, double, count / PIECE + 1);
  n->S = CPS_TAKE(a, double, 3 * rows);
  n->SG = CPS_TAKE(a, double, e->value_start[count]);
  n->carries = CPS_TAKE(a, bool, count);
  n->node = CPS_TAKE(a, int32_t, count);
  n->place = CPS_TAKE(a, int32_t, count);
  n->order = CPS_TAKE(a, int32_t, count);
  n->first = CPS_TAKE(a, int32_t, e->count + 2);
  n->on = CPS_TAKE(a, int32_t, e->term_start[count]);
  if (!(n->piece && n->d && n->g && n->Gy && n->Gd && n->r && n->S && n->SG && n->carries && n->node && n->place &&
        n->order && n->first && n->on))
    return NULL;
  for (int64_t k = 0; k < count; ++k) n->place[k] = -1;
  return n;
}

void cps_explain_forget(CpsExplain* e) {
  if (e->newton) cps_arena_free(&e->newton->factored);
}

CpsStatus cps_explain_refine(CpsExplain* e, double tolerance, double* residual, int64_t* steps) {
  const int64_t rows = 3 * (int64_t)e->holding_count;
  if (!e->newton) e->newton = take(e);
  CpsNewton* n = e->newton;
  if (!n) return CPS_NO_MEMORY;
  if (!e->refined) cps_explain_respond(e, e->r, e->y);
  cps_explain_gather(e, e->y, n->Gy);
  (void)find_forces(n, 0.0);
  CpsStatus status = CPS_OK;
  double t = 1.0;
  for (int k = 0;; ++k) {
    // r belongs to y; f' = y - z
    cps_explain_respond(e, n->r, e->z);
    for (int64_t i = 0; i < e->size; ++i) n->g[i] = e->y[i] - e->z[i];
    // after a shortened step, the solution is far
    const double now = t == 1.0 ? cps_explain_residual(e, n->r, e->z) : INFINITY;
    if (now < *residual) {
      *residual = now;
      memcpy(e->r, n->r, (size_t)rows * sizeof *e->r);
    }
    if (!(*residual > tolerance) || k == STEPS) break;
    status = find_step(n);
    if (status != CPS_OK) break;
    cps_explain_gather(e, n->d, n->Gd);
    t = search(n);
    for (int64_t i = 0; i < e->size; ++i) e->y[i] += t * n->d[i];
    for (int64_t i = 0; i < rows; ++i) n->Gy[i] += t * n->Gd[i];
    ++*steps;
  }
  e->refined = status == CPS_OK && *residual <= tolerance;
  return status == CPS_NOT_CONVERGED ? CPS_OK : status;
}
