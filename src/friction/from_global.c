// The global form, reduced by elimination of v.
//
//   M v = H^T r + f,   u = H v + w                                                            (1)
//   W = H M^-1 H^T,    b = w + H M^-1 f                                                       (2)
//
// M is block-diagonal with one block per body B (bodies.h). With H_iB the columns of contact i that belong to B, and
// Y_iB = H_iB M_B^-T
//
//   W_ij = sum over B of H_iB Y_jB^T                                                          (3)
//
// so the work proceeds body by body. M need not be symmetric; then W is not symmetric either and is kept as it is.
#include "core/error.h"
#include "friction/bodies.h"
#include "friction/build.h"
#include "friction/global_sparse.h"
#include "friction/sparse_part.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct CpsGlobalPart {
  CpsBodies bodies;
  int64_t* H_row_start;
  int32_t* H_col;
  double* H_value;
  double* f;
};

// Pairs of contact and body: one term per pair, listed by contact and by body.
typedef struct Terms {
  int64_t* contact_start;  // contact_count + 1
  int32_t* body;           // ascending in a contact
  int64_t* body_start;     // body_count + 1
  int32_t* body_term;      // the terms of each body, in the order of their contacts
  int32_t* contact;        // contact of each term
} Terms;

static CpsStatus no_memory(CpsError* error) {
  return cps_fail(error, CPS_NO_MEMORY, "not enough memory for the global form");
}

static CpsStatus check_H(const CpsProblem* p, const CpsGlobalForm* global, CpsError* error) {
  int64_t m = global->M.dof_count;
  if (m > 0 && !global->f) return cps_fail(error, CPS_BAD_ARGUMENT, "f is NULL");
  if (p->row_count > 0 && !global->H_row_start) return cps_fail(error, CPS_BAD_ARGUMENT, "H_row_start is NULL");
  int64_t bad = cps_build_find_bad(global->f, m);
  if (bad >= 0) return cps_fail(error, CPS_BAD_DATA, "f of degree of freedom %" PRId64 " is %g", bad, global->f[bad]);
  if (p->row_count == 0) return CPS_OK;
  const int64_t* start = global->H_row_start;
  if (start[0] != 0) return cps_fail(error, CPS_BAD_DATA, "the rows of H do not start at 0");
  for (int32_t i = 0; i < p->contact_count; i++) {
    for (int64_t row = p->offset[i]; row < p->offset[i + 1]; row++) {
      if (start[row + 1] < start[row]) {
        return cps_fail(error, CPS_BAD_DATA, "row %" PRId64 " of H (contact %" PRId32 ") has a negative length", row,
                        i);
      }
      if (start[row + 1] > 0 && (!global->H_col || !global->H_value)) {
        return cps_fail(error, CPS_BAD_ARGUMENT, "H_col or H_value is NULL");
      }
      for (int64_t k = start[row]; k < start[row + 1]; k++) {
        if (global->H_col[k] < 0 || global->H_col[k] >= m) {
          return cps_fail(error, CPS_BAD_DATA,
                          "H of contact %" PRId32 " names degree of freedom %" PRId32 ", there are %" PRId64, i,
                          global->H_col[k], m);
        }
        if (!isfinite(global->H_value[k])) {
          return cps_fail(error, CPS_BAD_DATA, "H of contact %" PRId32 " holds %g at degree of freedom %" PRId32, i,
                          global->H_value[k], global->H_col[k]);
        }
      }
    }
  }
  return CPS_OK;
}

static bool copy_global(const CpsProblem* p, const CpsGlobalForm* global, CpsArena* arena, CpsGlobalPart* part) {
  int64_t rows = p->row_count, m = global->M.dof_count;
  int64_t entries = rows > 0 ? global->H_row_start[rows] : 0;
  part->H_row_start = CPS_TAKE_ZERO(arena, int64_t, rows + 1);
  part->H_col = CPS_TAKE(arena, int32_t, entries);
  part->H_value = CPS_TAKE(arena, double, entries);
  part->f = CPS_TAKE(arena, double, m);
  if (!part->H_row_start || !part->H_col || !part->H_value || !part->f) return false;
  if (rows > 0) memcpy(part->H_row_start, global->H_row_start, (size_t)(rows + 1) * sizeof(int64_t));
  if (entries > 0) memcpy(part->H_col, global->H_col, (size_t)entries * sizeof(int32_t));
  if (entries > 0) memcpy(part->H_value, global->H_value, (size_t)entries * sizeof(double));
  if (m > 0) memcpy(part->f, global->f, (size_t)m * sizeof(double));
  return true;
}

// Distinct bodies of contact i in ascending order; with body == NULL only counts them. `seen`: the last contact that
// met each body.
static int64_t contact_bodies(const CpsProblem* p, const CpsGlobalPart* g, int32_t i, int32_t* seen, int32_t* body) {
  int64_t count = 0;
  for (int64_t k = g->H_row_start[p->offset[i]]; k < g->H_row_start[p->offset[i + 1]]; k++) {
    int32_t B = g->bodies.body_of[g->H_col[k]];
    if (seen[B] == i) continue;
    seen[B] = i;
    if (body) {
      int64_t place = count;
      for (; place > 0 && body[place - 1] > B; place--) body[place] = body[place - 1];
      body[place] = B;
    }
    count++;
  }
  return count;
}

// The lists move to `keep`: a factored problem retains them.
static bool find_terms(const CpsProblem* p, const CpsGlobalPart* g, CpsArena* keep, CpsArena* scratch, Terms* t) {
  int32_t n = p->contact_count, body_count = g->bodies.count;
  int32_t* seen = CPS_TAKE(scratch, int32_t, body_count);
  t->contact_start = CPS_TAKE(keep, int64_t, (int64_t)n + 1);
  t->body_start = CPS_TAKE_ZERO(keep, int64_t, (int64_t)body_count + 1);
  if (!seen || !t->contact_start || !t->body_start) return false;
  for (int32_t B = 0; B < body_count; B++) seen[B] = -1;
  t->contact_start[0] = 0;
  for (int32_t i = 0; i < n; i++) t->contact_start[i + 1] = t->contact_start[i] + contact_bodies(p, g, i, seen, NULL);
  int64_t terms = t->contact_start[n];
  if (terms > INT32_MAX) return false;
  t->body = CPS_TAKE(keep, int32_t, terms);
  t->body_term = CPS_TAKE(keep, int32_t, terms);
  t->contact = CPS_TAKE(keep, int32_t, terms);
  int64_t* next = CPS_TAKE(scratch, int64_t, body_count);
  if (!t->body || !t->body_term || !t->contact || !next) return false;
  for (int32_t B = 0; B < body_count; B++) seen[B] = -1;
  for (int32_t i = 0; i < n; i++) contact_bodies(p, g, i, seen, t->body + t->contact_start[i]);
  for (int64_t k = 0; k < terms; k++) t->body_start[t->body[k] + 1]++;
  for (int32_t B = 0; B < body_count; B++) {
    t->body_start[B + 1] += t->body_start[B];
    next[B] = t->body_start[B];
  }
  for (int32_t i = 0; i < n; i++) {
    for (int64_t k = t->contact_start[i]; k < t->contact_start[i + 1]; k++) {
      t->contact[k] = i;
      t->body_term[next[t->body[k]]++] = (int32_t)k;
    }
  }
  return true;
}

// H_iB as a dense d_i x m_B block.
static void gather_H(const CpsProblem* p, const CpsGlobalPart* g, int32_t i, int32_t B, double* H) {
  int64_t m = g->bodies.dofs[B];
  int d = cps_contact_dim(p, i);
  memset(H, 0, (size_t)(d * m) * sizeof(double));
  for (int a = 0; a < d; a++) {
    int64_t row = p->offset[i] + a;
    for (int64_t k = g->H_row_start[row]; k < g->H_row_start[row + 1]; k++) {
      int32_t dof = g->H_col[k];
      if (g->bodies.body_of[dof] == B) H[a * m + g->bodies.local_of[dof]] += g->H_value[k];
    }
  }
}

// b += H_B M_B^-1 f_B for every contact of body B; x: scratch of m_B.
static void add_free_velocity(CpsProblem* p, const CpsGlobalPart* g, const Terms* t, const CpsBodySolver* solver,
                              double* x) {
  int32_t B = solver->body;
  const int32_t* dof = g->bodies.dof + g->bodies.offset[B];
  for (int32_t l = 0; l < g->bodies.dofs[B]; l++) x[l] = g->f[dof[l]];
  cps_body_solve(solver, x);
  for (int64_t k = t->body_start[B]; k < t->body_start[B + 1]; k++) {
    int32_t i = t->contact[t->body_term[k]];
    for (int64_t row = p->offset[i]; row < p->offset[i + 1]; row++) {
      double sum = 0.0;
      for (int64_t e = g->H_row_start[row]; e < g->H_row_start[row + 1]; e++) {
        if (g->bodies.body_of[g->H_col[e]] == B) sum += g->H_value[e] * x[g->bodies.local_of[g->H_col[e]]];
      }
      p->b_plain[row] += sum;
      if (p->b != p->b_plain) p->b[row] += sum;
    }
  }
}

// Visits every contact j that shares a body with i, once each: counts them and, if next is given, appends i to row j.
static int64_t visit_neighbours(const Terms* t, int32_t i, int32_t* seen, int64_t* next, int32_t* col) {
  int64_t count = 1;
  seen[i] = i;
  if (next) col[next[i]++] = i;
  for (int64_t k = t->contact_start[i]; k < t->contact_start[i + 1]; k++) {
    for (int64_t l = t->body_start[t->body[k]]; l < t->body_start[t->body[k] + 1]; l++) {
      int32_t j = t->contact[t->body_term[l]];
      if (seen[j] == i) continue;
      seen[j] = i;
      if (next) col[next[j]++] = i;
      count++;
    }
  }
  return count;
}

// Pattern of W: contacts i and j share a body. It is symmetric, so appending i in ascending order to each row j leaves
// every row sorted.
static bool lay_out_W(CpsProblem* p, const Terms* t, CpsArena* scratch) {
  CpsBlockMatrix* W = &p->W;
  int32_t n = p->contact_count;
  int32_t* seen = CPS_TAKE(scratch, int32_t, n);
  int64_t* next = CPS_TAKE(scratch, int64_t, n);
  W->rows = n;
  W->dim = p->dim;
  W->offset = p->offset;
  W->start = CPS_TAKE(&p->arena, int64_t, (int64_t)n + 1);
  if (!seen || !next || !W->start) return false;
  for (int32_t i = 0; i < n; i++) seen[i] = -1;
  W->start[0] = 0;
  for (int32_t i = 0; i < n; i++) {
    next[i] = W->start[i];
    W->start[i + 1] = W->start[i] + visit_neighbours(t, i, seen, NULL, NULL);
  }
  int64_t count = W->start[n];
  W->col = CPS_TAKE(&p->arena, int32_t, count);
  W->at = CPS_TAKE(&p->arena, int64_t, count + 1);
  if (!W->col || !W->at) return false;
  for (int32_t i = 0; i < n; i++) seen[i] = -1;
  for (int32_t i = 0; i < n; i++) visit_neighbours(t, i, seen, next, W->col);
  int64_t values = 0;
  for (int32_t i = 0; i < n; i++) {
    for (int64_t k = W->start[i]; k < W->start[i + 1]; k++) {
      W->at[k] = values;
      values += (int64_t)cps_contact_dim(p, i) * cps_contact_dim(p, W->col[k]);
    }
  }
  W->at[count] = values;
  W->value = CPS_TAKE_ZERO(&p->arena, double, values);
  return W->value != NULL;
}

// W_ij += H_iB Y_jB^T for every contact i of body B, H read sparse.
static void add_column_of_W(CpsProblem* p, const CpsGlobalPart* g, const Terms* t, int32_t B, int32_t j,
                            const double* Y) {
  int64_t m = g->bodies.dofs[B];
  int d_j = cps_contact_dim(p, j);
  for (int64_t k = t->body_start[B]; k < t->body_start[B + 1]; k++) {
    int32_t i = t->contact[t->body_term[k]];
    double* W_ij = p->W.value + p->W.at[cps_block_matrix_find(&p->W, i, j)];
    for (int a = 0; a < cps_contact_dim(p, i); a++) {
      int64_t row = p->offset[i] + a;
      for (int64_t e = g->H_row_start[row]; e < g->H_row_start[row + 1]; e++) {
        int32_t dof = g->H_col[e];
        if (g->bodies.body_of[dof] != B) continue;
        const double* y = Y + g->bodies.local_of[dof];
        for (int c = 0; c < d_j; c++) W_ij[a * d_j + c] += g->H_value[e] * y[c * m];
      }
    }
  }
}

static bool lay_out_factors(CpsProblem* p, const CpsGlobalPart* g, const Terms* t) {
  CpsFactors* F = &p->factors;
  int64_t terms = t->contact_start[p->contact_count], values = 0;
  F->body_count = g->bodies.count;
  F->body_dofs = g->bodies.dofs;
  F->body_offset = g->bodies.offset;
  F->contact_start = t->contact_start;
  F->body = t->body;
  F->body_start = t->body_start;
  F->body_term = t->body_term;
  F->term_contact = t->contact;
  F->at = CPS_TAKE(&p->arena, int64_t, terms + 1);
  if (!F->at) return false;
  for (int64_t k = 0; k < terms; k++) {
    F->at[k] = values;
    values += (int64_t)cps_contact_dim(p, t->contact[k]) * F->body_dofs[t->body[k]];
  }
  F->at[terms] = values;
  F->H = CPS_TAKE(&p->arena, double, values);
  F->Y = CPS_TAKE(&p->arena, double, values);
  return F->H && F->Y;
}

// (2) and (3), body by body.
static CpsStatus eliminate(CpsProblem* p, const CpsGlobalPart* g, CpsForm form, CpsArena* scratch, CpsError* error) {
  Terms t = {0};
  if (!find_terms(p, g, form == CPS_FORM_W ? scratch : &p->arena, scratch, &t)) return no_memory(error);
  p->has_W = form == CPS_FORM_W;
  if (!(p->has_W ? lay_out_W(p, &t, scratch) : lay_out_factors(p, g, &t))) return no_memory(error);
  int32_t largest = 0;
  for (int32_t B = 0; B < g->bodies.count; B++) largest = g->bodies.dofs[B] > largest ? g->bodies.dofs[B] : largest;
  double* Y_scratch = CPS_TAKE(scratch, double, (int64_t)largest* CPS_DIM_MAX);
  if (!Y_scratch) return no_memory(error);
  for (int32_t B = 0; B < g->bodies.count; B++) {
    int64_t m = g->bodies.dofs[B];
    CpsBodySolver solver;
    CpsStatus status = cps_body_open(&g->bodies, B, &solver, error);
    if (status != CPS_OK) return status;
    add_free_velocity(p, g, &t, &solver, Y_scratch);
    for (int64_t k = t.body_start[B]; k < t.body_start[B + 1]; k++) {
      int64_t term = t.body_term[k];
      int32_t j = t.contact[term];
      double* Y = p->has_W ? Y_scratch : p->factors.Y + cps_term_at(&p->factors, term);
      gather_H(p, g, j, B, Y);
      if (!p->has_W) {
        memcpy(p->factors.H + cps_term_at(&p->factors, term), Y, (size_t)(m * cps_contact_dim(p, j)) * sizeof(double));
      }
      for (int a = 0; a < cps_contact_dim(p, j); a++) cps_body_solve(&solver, Y + a * m);
      if (p->has_W) add_column_of_W(p, g, &t, B, j, Y);
    }
    cps_body_close(&solver);
  }
  return CPS_OK;
}

static CpsStatus build(CpsProblem* p, const CpsGlobalForm* global, CpsForm form, CpsArena* scratch, CpsError* error) {
  CpsGlobalPart* g = CPS_TAKE_ZERO(&p->arena, CpsGlobalPart, 1);
  if (!g) return no_memory(error);
  CpsStatus status = cps_bodies_create(&global->M, &p->arena, &g->bodies, error);
  if (status == CPS_OK) status = check_H(p, global, error);
  if (status != CPS_OK) return status;
  if (!copy_global(p, global, &p->arena, g)) return no_memory(error);
  p->global = g;
  p->dof_count = global->M.dof_count;
  status = eliminate(p, g, form, scratch, error);
  if (status != CPS_OK) return status;
  int64_t bad = cps_build_find_bad(p->b, p->row_count);
  int64_t terms = p->has_W ? p->W.start[p->contact_count] : p->factors.contact_start[p->contact_count];
  bool finite = bad < 0 && (p->has_W ? cps_build_find_bad(p->W.value, p->W.at[terms])
                                     : cps_build_find_bad(p->factors.Y, cps_term_at(&p->factors, terms))) < 0;
  if (!finite) return cps_fail(error, CPS_BAD_DATA, "M^-1 is so large that W or b overflows");
  return CPS_OK;
}

// The form CPS_FORM_SPARSE, if M allows it. p holds the contacts.
static CpsStatus keep_sparse(const CpsProblem* p, const CpsContactsDef* contacts, const CpsGlobalForm* global,
                             CpsProblem** problem, bool* kept, CpsError* error) {
  CpsStatus status = cps_bodies_check_sparse(&global->M, error);
  if (status == CPS_OK) status = check_H(p, global, error);
  return status == CPS_OK ? cps_global_sparse(contacts, global, problem, kept, error) : status;
}

CpsStatus cps_problem_from_global(const CpsContactsDef* contacts, const CpsGlobalForm* global, CpsForm form,
                                  CpsProblem** problem, CpsError* error) {
  if (!global || !problem) return cps_fail(error, CPS_BAD_ARGUMENT, "global or problem is NULL");
  if (form != CPS_FORM_W && form != CPS_FORM_FACTORED && form != CPS_FORM_SPARSE) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "unknown form %d", (int)form);
  }
  CpsProblem* p = NULL;
  CpsStatus status = cps_build_contacts(contacts, &p, error);
  if (status != CPS_OK) return status;
  if (form == CPS_FORM_SPARSE) {
    bool kept = false;
    if (global->M.kind == CPS_MASS_SPARSE) status = keep_sparse(p, contacts, global, problem, &kept, error);
    if (status != CPS_OK || kept) {
      cps_problem_destroy(p);
      return status;
    }
    form = CPS_FORM_W;
  }
  CpsArena scratch = {0};
  status = build(p, global, form, &scratch, error);
  cps_arena_free(&scratch);
  if (status != CPS_OK) {
    cps_problem_destroy(p);
    return status;
  }
  status = cps_build_finish(&p, error);
  if (status != CPS_OK) return status;
  *problem = p;
  return cps_succeed(error);
}

// v = M^-1 H^T r + M^-1 f
static CpsStatus sparse_dof_velocity(const CpsProblem* problem, const double* r, double* v) {
  CpsArena scratch = {0};
  int64_t m = 3 * (int64_t)problem->sparse->node_count;
  double* x = CPS_TAKE(&scratch, double, 2 * m);
  if (x) {
    cps_sparse_push(problem, r, x, x + m);
    for (int64_t k = 0; k < problem->dof_count; k++) v[k] = x[k] + problem->sparse->free[k];
  }
  cps_arena_free(&scratch);
  return x ? CPS_OK : CPS_NO_MEMORY;
}

CpsStatus cps_problem_dof_velocity(const CpsProblem* problem, const double* r, double* v) {
  if (!problem || (!r && problem->row_count > 0) || (!v && problem->dof_count > 0)) return CPS_BAD_ARGUMENT;
  const CpsGlobalPart* g = problem->global;
  if (problem->sparse && problem->sparse->free) return sparse_dof_velocity(problem, r, v);
  if (!g) return CPS_UNSUPPORTED;
  CpsArena scratch = {0};
  double *x = CPS_TAKE(&scratch, double, problem->dof_count), *y = CPS_TAKE(&scratch, double, problem->dof_count);
  CpsStatus status = x && y ? CPS_OK : CPS_NO_MEMORY;
  if (status == CPS_OK) {
    for (int64_t l = 0; l < problem->dof_count; l++) x[l] = g->f[l];
    for (int64_t row = 0; row < problem->row_count; row++) {
      for (int64_t k = g->H_row_start[row]; k < g->H_row_start[row + 1]; k++) x[g->H_col[k]] += g->H_value[k] * r[row];
    }
  }
  for (int32_t B = 0; B < g->bodies.count && status == CPS_OK; B++) {
    const int32_t* dof = g->bodies.dof + g->bodies.offset[B];
    int32_t m = g->bodies.dofs[B];
    CpsBodySolver solver;
    status = cps_body_open(&g->bodies, B, &solver, NULL);
    if (status != CPS_OK) break;
    for (int32_t l = 0; l < m; l++) y[l] = x[dof[l]];
    cps_body_solve(&solver, y);
    for (int32_t l = 0; l < m; l++) x[dof[l]] = y[l];
    cps_body_close(&solver);
  }
  // outputs stay unchanged on failure
  if (status == CPS_OK && problem->dof_count > 0) memcpy(v, x, (size_t)problem->dof_count * sizeof(double));
  cps_arena_free(&scratch);
  return status;
}
