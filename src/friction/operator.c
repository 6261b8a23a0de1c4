// W as an operator: products with W in any of its forms, and W written out.
//
//   explicit      (W x)_i = sum_j W_ij x_j                                                                        (1)
//   matrix-free   v_B = sum_j Y_jB^T x_j,   (W x)_i = sum_B H_iB v_B                                               (2)
//
// sparse_operator.c has the part of large members in (2).
#include "core/simd.h"
#include "friction/build.h"
#include "friction/problem.h"
#include "friction/refill.h"
#include "friction/sparse_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Degrees of freedom of a body processed at a time in (2), so that no heap buffer is needed.
enum { CHUNK = 128 };
// Products with fewer contacts stay in the calling thread.
enum { FEW = 256 };

// v += Y^T x for m columns of a block of three rows, `width` apart.
CPS_HOT static void add_block_3(int m, int width, const double* Y, const double* x, double* v) {
  const double x0 = x[0], x1 = x[1], x2 = x[2];
  int k = 0;
  for (; k + 4 <= m; k += 4) {
    CpsVec4 y0, y1, y2, sum;
    memcpy(&sum, v + k, sizeof sum);
    memcpy(&y0, Y + k, sizeof y0);
    memcpy(&y1, Y + width + k, sizeof y1);
    memcpy(&y2, Y + 2 * width + k, sizeof y2);
    sum += x0 * y0 + x1 * y1 + x2 * y2;
    memcpy(v + k, &sum, sizeof sum);
  }
  for (; k < m; ++k) v[k] += x0 * Y[k] + x1 * Y[width + k] + x2 * Y[2 * width + k];
}

void cps_factors_add(const CpsProblem* problem, int32_t i, const double* x, double* v) {
  const CpsFactors* F = &problem->factors;
  int d = cps_contact_dim(problem, i);
  for (int64_t t = F->contact_start[i]; t < F->contact_start[i + 1]; ++t) {
    int m = F->body_dofs[F->body[t]];
    double* vB = v + F->body_offset[F->body[t]];
    const double* Y = F->Y + cps_term_at(F, t);
    if (d == 3) {
      add_block_3(m, m, Y, x, vB);
    } else {
      for (int a = 0; a < d; ++a) {
        for (int k = 0; k < m; ++k) vB[k] += x[a] * Y[a * m + k];
      }
    }
  }
}

// out += H v for m columns of a block of three rows, `width` apart, in four partial sums per row.
CPS_HOT static void multiply_block_3(int m, int width, const double* H, const double* v, double* out) {
  CpsVec4 s0 = {0}, s1 = {0}, s2 = {0};
  int k = 0;
  for (; k + 4 <= m; k += 4) {
    CpsVec4 h0, h1, h2, x;
    memcpy(&x, v + k, sizeof x);
    memcpy(&h0, H + k, sizeof h0);
    memcpy(&h1, H + width + k, sizeof h1);
    memcpy(&h2, H + 2 * width + k, sizeof h2);
    s0 += h0 * x;
    s1 += h1 * x;
    s2 += h2 * x;
  }
  double t0 = (s0[0] + s0[1]) + (s0[2] + s0[3]), t1 = (s1[0] + s1[1]) + (s1[2] + s1[3]),
         t2 = (s2[0] + s2[1]) + (s2[2] + s2[3]);
  for (; k < m; ++k) {
    t0 += H[k] * v[k];
    t1 += H[width + k] * v[k];
    t2 += H[2 * width + k] * v[k];
  }
  out[0] += t0;
  out[1] += t1;
  out[2] += t2;
}

void cps_factors_velocity(const CpsProblem* problem, int32_t i, const double* v, double* out) {
  const CpsFactors* F = &problem->factors;
  int d = cps_contact_dim(problem, i);
  memset(out, 0, (size_t)d * sizeof *out);
  for (int64_t t = F->contact_start[i]; t < F->contact_start[i + 1]; ++t) {
    int m = F->body_dofs[F->body[t]];
    const double* vB = v + F->body_offset[F->body[t]];
    const double* H = F->H + cps_term_at(F, t);
    if (d == 3) {
      multiply_block_3(m, m, H, vB, out);
    } else {
      for (int a = 0; a < d; ++a) {
        for (int k = 0; k < m; ++k) out[a] += H[a * m + k] * vB[k];
      }
    }
  }
}

typedef struct Pushing {
  const CpsProblem* problem;
  const double* x;
  double* v;
} Pushing;

// v_B of the bodies [first, last). Every thread traverses the terms in order and processes those of its bodies: rows are
// read as a stream, and sums do not depend on the number of threads.
static void push_bodies(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Pushing* work = data;
  const CpsProblem* p = work->problem;
  const CpsFactors* F = &p->factors;
  memset(work->v + F->body_offset[first], 0, (size_t)(F->body_offset[last] - F->body_offset[first]) * sizeof *work->v);
  for (int64_t t = 0; t < F->contact_start[p->contact_count]; ++t) {
    int32_t body = F->body[t], j = F->term_contact[t];
    if (body < first || body >= last) continue;
    int m = F->body_dofs[body];
    const double *x = work->x + p->offset[j], *Y = F->Y + cps_term_at(F, t);
    double* v = work->v + F->body_offset[body];
    if (cps_contact_dim(p, j) == 3) {
      if (x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0) continue;  // most contacts of fibres are open
      add_block_3(m, m, Y, x, v);
      continue;
    }
    for (int a = 0; a < cps_contact_dim(p, j); ++a, Y += m) {
      for (int k = 0; k < m; ++k) v[k] += x[a] * Y[k];
    }
  }
}

void cps_factors_push(const CpsProblem* problem, CpsPool* pool, const double* x, double* v) {
  Pushing work = {problem, x, v};
  cps_pool_run(problem->contact_count < FEW ? NULL : pool, problem->factors.body_count, push_bodies, &work);
}

typedef struct Pulling {
  const CpsProblem* problem;
  const double *v, *b;
  double* u;
} Pulling;

static void pull_contacts(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Pulling* work = data;
  const CpsProblem* p = work->problem;
  for (int64_t i = first; i < last; ++i) {
    double* u = work->u + p->offset[i];
    cps_factors_velocity(p, (int32_t)i, work->v, u);
    for (int a = 0; work->b && a < cps_contact_dim(p, (int32_t)i); ++a) u[a] += work->b[p->offset[i] + a];
  }
}

void cps_factors_velocities(const CpsProblem* problem, CpsPool* pool, const double* v, const double* b, double* u) {
  Pulling work = {problem, v, b, u};
  cps_pool_run(problem->contact_count < FEW ? NULL : pool, problem->contact_count, pull_contacts, &work);
}

// (2) for the dofs [first, last) of one body: v = sum_j Y_j^T x_j, out_i += H_i v.
static void apply_body_chunk(const CpsProblem* p, int32_t body, int first, int last, const double* x, double* out) {
  const CpsFactors* F = &p->factors;
  int m = F->body_dofs[body], count = last - first;
  double v[CHUNK] = {0};
  for (int64_t s = F->body_start[body]; s < F->body_start[body + 1]; ++s) {
    int64_t t = F->body_term[s];
    int32_t j = F->term_contact[t];
    const double *xj = x + p->offset[j], *Y = F->Y + cps_term_at(F, t) + first;
    if (cps_contact_dim(p, j) == 3) {
      add_block_3(count, m, Y, xj, v);
      continue;
    }
    for (int a = 0; a < cps_contact_dim(p, j); ++a, Y += m) {
      for (int k = 0; k < count; ++k) v[k] += xj[a] * Y[k];
    }
  }
  for (int64_t s = F->body_start[body]; s < F->body_start[body + 1]; ++s) {
    int64_t t = F->body_term[s];
    int32_t i = F->term_contact[t];
    const double* H = F->H + cps_term_at(F, t) + first;
    double* out_i = out + p->offset[i];
    if (cps_contact_dim(p, i) == 3) {
      multiply_block_3(count, m, H, v, out_i);
      continue;
    }
    for (int a = 0; a < cps_contact_dim(p, i); ++a, H += m) {
      for (int k = 0; k < count; ++k) out_i[a] += H[k] * v[k];
    }
  }
}

void cps_problem_apply_W(const CpsProblem* problem, const double* x, double* out) {
  if (problem->has_W) {
    cps_block_matrix_multiply(&problem->W, x, out);
    return;
  }
  memset(out, 0, (size_t)problem->row_count * sizeof *out);
  for (int32_t body = 0; body < problem->factors.body_count; ++body) {
    int m = problem->factors.body_dofs[body];
    for (int first = 0; first < m; first += CHUNK) {
      apply_body_chunk(problem, body, first, first + CHUNK < m ? first + CHUNK : m, x, out);
    }
  }
}

void cps_problem_law_velocity(const CpsProblem* problem, const double* r, double* u) {
  cps_problem_apply_W(problem, r, u);
  for (int64_t k = 0; k < problem->row_count; ++k) u[k] += problem->b[k];
}

void cps_problem_row_velocity(const CpsProblem* problem, int32_t i, const double* r, double* u_i) {
  cps_block_matrix_row_multiply(&problem->W, i, r, u_i);
  const double* b = problem->b + problem->offset[i];
  for (int k = 0; k < cps_contact_dim(problem, i); ++k) u_i[k] += b[k];
}

bool cps_problem_velocity_of(const CpsProblem* problem, const double* r, const double* b, double* u) {
  if (problem->sparse) {
    double* scratch = malloc((size_t)cps_sparse_scratch_count(problem) * sizeof *scratch);
    if (!scratch) return false;
    cps_sparse_apply_W(problem, NULL, r, b, scratch, u);
    free(scratch);
    return true;
  }
  cps_problem_apply_W(problem, r, u);
  for (int64_t k = 0; k < problem->row_count; ++k) u[k] += b[k];
  return true;
}

CpsStatus cps_problem_velocity(const CpsProblem* problem, const double* r, double* u) {
  if (!problem || !r || !u) return CPS_BAD_ARGUMENT;
  return cps_problem_velocity_of(problem, r, problem->b_plain, u) ? CPS_OK : CPS_NO_MEMORY;
}

CpsStatus cps_problem_sparse_velocity(const CpsProblem* problem, const double* r, double* v, double* z, double* work) {
  if (!problem || (!r && problem->row_count > 0)) return CPS_BAD_ARGUMENT;
  if (problem->has_W) return CPS_UNSUPPORTED;
  const CpsFactors* F = &problem->factors;
  if ((problem->sparse && (!v || !work)) || (F->body_count > 0 && !z)) return CPS_BAD_ARGUMENT;
  int64_t at = 0;
  for (int32_t body = 0; body < F->body_count; ++body) {  // without the gaps that F->body_offset may have
    int m = F->body_dofs[body];
    double* to = z + at;
    memset(to, 0, (size_t)m * sizeof *to);
    for (int64_t k = F->body_start[body]; k < F->body_start[body + 1]; ++k) {
      int64_t t = F->body_term[k];
      int32_t i = F->term_contact[t];
      for (int a = 0; a < cps_contact_dim(problem, i); ++a) {
        double x = r[problem->offset[i] + a];
        for (int c = 0; c < m; ++c) to[c] += F->Y[cps_term_at(F, t) + (int64_t)a * m + c] * x;
      }
    }
    at += m;
  }
  if (problem->sparse) cps_sparse_push(problem, r, v, work);
  return CPS_OK;
}

void cps_problem_nodes(const CpsProblem* problem, const double* r, double* v, double* work) {
  cps_sparse_push(problem, r, v, work);
}

bool cps_contact_is_isolated(const CpsProblem* problem, int32_t i) {
  if (problem->has_W) {
    // a stored zero block does not couple
    const CpsBlockMatrix* W = &problem->W;
    for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
      for (int64_t e = W->at[k]; e < W->at[k + 1] && W->col[k] != i; ++e) {
        if (W->value[e] != 0.0) return false;
      }
    }
    return true;
  }
  const CpsFactors* F = &problem->factors;
  for (int64_t t = F->contact_start[i]; t < F->contact_start[i + 1]; ++t) {
    if (F->body_start[F->body[t] + 1] - F->body_start[F->body[t]] > 1) return false;
  }
  return !problem->sparse || cps_sparse_is_isolated(problem, i);
}

bool cps_problem_explicit_W(const CpsProblem* problem, CpsArena* arena, CpsBlockMatrix* W) {
  if (problem->sparse) return cps_sparse_explicit_W(problem, arena, NULL, W);
  if (!problem->has_W) return cps_build_W_from_factors(problem, arena, W);
  *W = problem->W;
  return true;
}

// W of a matrix-free problem in a separate arena, for functions that need it once.
static bool borrow_W(const CpsProblem* problem, CpsArena* arena, CpsBlockMatrix* W) {
  *arena = (CpsArena){0};
  if (cps_problem_explicit_W(problem, arena, W)) return true;
  cps_arena_free(arena);
  return false;
}

int64_t cps_problem_W_entry_count(const CpsProblem* problem) {
  if (!problem) return 0;
  CpsArena arena;
  CpsBlockMatrix W;
  if (!borrow_W(problem, &arena, &W)) return -1;
  int64_t count = W.at[W.start[W.rows]];
  cps_arena_free(&arena);
  return count;
}

CpsStatus cps_problem_W_csr(const CpsProblem* problem, int64_t* row_start, int32_t* col, double* value) {
  if (!problem || !row_start || !col || !value) return CPS_BAD_ARGUMENT;
  CpsArena arena;
  CpsBlockMatrix W;
  if (!borrow_W(problem, &arena, &W)) return CPS_NO_MEMORY;
  int64_t count = 0;
  for (int32_t i = 0; i < W.rows; ++i) {
    int d = cps_contact_dim(problem, i);
    for (int a = 0; a < d; ++a) {
      row_start[W.offset[i] + a] = count;
      for (int64_t k = W.start[i]; k < W.start[i + 1]; ++k) {
        int32_t j = W.col[k];
        int dj = cps_contact_dim(problem, j);
        for (int c = 0; c < dj; ++c, ++count) {
          col[count] = (int32_t)(W.offset[j] + c);
          value[count] = W.value[W.at[k] + a * dj + c];
        }
      }
    }
  }
  row_start[problem->row_count] = count;
  cps_arena_free(&arena);
  return CPS_OK;
}
