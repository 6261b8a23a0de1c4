// Reduces problems with dashpots or cohesion to problems without.
//
// With s = r + D u + c, D = diag(d_i), c = c_i e in the normal row, the law holds for (u + shift, s). Three ways lead
// from u = W r + b to a problem in s:
//
//   no dashpot       u = W s + (b - W c): another b                                                                   (1)
//   large members    u = W' s + b',  W' = (I + W D)^-1 W = A (M + A^T D A)^-1 A^T,  b' = (I - W' D)(b - W c):          (2)
//                    a dashpot is a term of the mass matrix
//   other forms      each dashpot is a contact of its own on the same rows, bilateral, with the impulse t and the       (3)
//                    compliance 1/d:  u + t/d = 0,  u = W (s + t) + b - W c,  r = s + t - c
//
// All three are exact: without splitting and without lag. For one contact both (2) and (3) give the block W (I + d W)^-1. With
// (3) Gauss-Seidel sweeps converge slowly if d W is large; methods that solve linear systems are unaffected.
#include "friction/rheology.h"

#include "core/error.h"
#include "friction/build.h"
#include "friction/law.h"
#include "friction/refill.h"
#include "friction/sparse_part.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void cps_rheology_free(CpsRheology* rheology) {
  cps_problem_destroy(rheology->problem);
  cps_arena_free(&rheology->arena);
}

static double dashpot(const CpsProblem* p, int32_t i) {
  return p->dashpot ? p->dashpot[i] : 0.0;
}

static double cohesion(const CpsProblem* p, int32_t i) {
  return p->cohesion ? p->cohesion[i] : 0.0;
}

void cps_rheology_seen(const CpsProblem* p, const double* r, const double* u, double* s) {
  for (int32_t i = 0; i < p->contact_count; ++i) {
    const double d = dashpot(p, i);
    for (int64_t k = p->offset[i]; k < p->offset[i + 1]; ++k) s[k] = r[k] + d * (u[k] - (p->b[k] - p->b_plain[k]));
    s[p->offset[i]] += cohesion(p, i);
  }
}

static CpsStatus no_memory(CpsError* error) {
  return cps_fail(error, CPS_NO_MEMORY, "not enough memory for the dashpots of contacts");
}

// b - W c
static double* b_without_tension(const CpsProblem* p, CpsArena* arena) {
  double *c = CPS_TAKE_ZERO(arena, double, p->row_count), *b = CPS_TAKE(arena, double, p->row_count);
  if (!c || !b) return NULL;
  if (!p->cohesion) {
    if (p->row_count > 0) memcpy(b, p->b_plain, (size_t)p->row_count * sizeof *b);
    return b;
  }
  for (int32_t i = 0; i < p->contact_count; ++i) c[p->offset[i]] = -cohesion(p, i);
  return cps_problem_velocity_of(p, c, p->b_plain, b) ? b : NULL;
}

static double* shift_of(const CpsProblem* p, CpsArena* arena, int64_t rows) {
  double* shift = CPS_TAKE_ZERO(arena, double, rows);
  for (int64_t k = 0; shift && k < p->row_count; ++k) shift[k] = p->b[k] - p->b_plain[k];
  return shift;
}

// The contacts in s, followed by `more`; arrays of the arena.
static bool contacts_of(const CpsProblem* p, CpsArena* arena, int32_t more, const int32_t* twin, CpsContactsDef* def) {
  const int64_t n = (int64_t)p->contact_count + more;
  int32_t* dims = CPS_TAKE(arena, int32_t, n);
  CpsLaw* laws = CPS_TAKE(arena, CpsLaw, n);
  double* mu = CPS_TAKE_ZERO(arena, double, n);
  if (!dims || !laws || !mu) return false;
  for (int64_t k = 0; k < n; ++k) {
    const int32_t i = k < p->contact_count ? (int32_t)k : twin[k - p->contact_count];
    dims[k] = cps_contact_dim(p, i);
    laws[k] = k < p->contact_count ? (CpsLaw)p->law[i] : CPS_LAW_BILATERAL;
    mu[k] = k < p->contact_count ? p->mu[i] : 0.0;
  }
  *def = cps_contacts_def_default();
  def->count = (int32_t)n;
  def->dim = 0;
  def->dims = dims;
  def->laws = laws;
  def->mu = mu;
  def->dof_count = p->dof_count;
  def->trust_W = true;
  return true;
}

// (3): W written out, with duplicate rows and columns for contacts with dashpots.
static CpsStatus extend_W(const CpsProblem* p, CpsArena* arena, const CpsContactsDef* def, const int32_t* twin_of,
                          CpsProblem** out, CpsError* error) {
  const CpsBlockMatrix* W = &p->W;
  int64_t count = 0, values = 0;
  for (int pass = 0; pass < 2; ++pass) {
    int32_t *rows = CPS_TAKE(arena, int32_t, count), *cols = CPS_TAKE(arena, int32_t, count);
    double* value = CPS_TAKE(arena, double, values);
    if (!rows || !cols || !value) return no_memory(error);
    count = values = 0;
    for (int32_t i = 0; i < p->contact_count; ++i) {
      for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
        const int32_t j = W->col[k];
        const int d = cps_contact_dim(p, i), size = d * cps_contact_dim(p, j);
        for (int copy = 0; copy < 4; ++copy) {
          const int32_t row = copy & 1 ? twin_of[i] : i, column = copy & 2 ? twin_of[j] : j;
          if (row < 0 || column < 0) continue;
          if (pass == 1) {
            rows[count] = row;
            cols[count] = column;
            memcpy(value + values, W->value + W->at[k], (size_t)size * sizeof *value);
            for (int a = 0; copy == 3 && i == j && a < d; ++a) value[values + a * (d + 1)] += 1.0 / p->dashpot[i];
          }
          ++count;
          values += size;
        }
      }
    }
    if (pass == 1) return cps_problem_from_blocks(def, count, rows, cols, value, out, error);
  }
  return CPS_OK;
}

// (3): a twin touches the bodies of its contact and has its own compliance.
static CpsStatus extend_bodies(const CpsProblem* p, CpsArena* arena, CpsContactsDef* def, int32_t twins,
                               const int32_t* twin, CpsProblem** out, CpsError* error) {
  const CpsFactors* F = &p->factors;
  const int32_t n = p->contact_count;
  int64_t terms = 0, values = 0;
  for (int32_t k = 0; k < n + twins; ++k) {
    const int32_t i = k < n ? k : twin[k - n];
    terms += F->contact_start[i + 1] - F->contact_start[i];
    for (int64_t t = F->contact_start[i]; t < F->contact_start[i + 1]; ++t) {
      values += (int64_t)cps_contact_dim(p, i) * F->body_dofs[F->body[t]];
    }
  }
  int64_t* start = CPS_TAKE(arena, int64_t, (int64_t)n + twins + 1);
  int32_t* body = CPS_TAKE(arena, int32_t, terms);
  double *H = CPS_TAKE(arena, double, values), *compliance = CPS_TAKE_ZERO(arena, double, (int64_t)n + twins);
  double* Y = F->Y == F->H ? H : CPS_TAKE(arena, double, values);
  if (!start || !body || !H || !Y || !compliance) return no_memory(error);
  terms = values = 0;
  for (int32_t k = 0; k < n + twins; ++k) {
    const int32_t i = k < n ? k : twin[k - n];
    start[k] = terms;
    if (k >= n) compliance[k] = 1.0 / p->dashpot[i];
    for (int64_t t = F->contact_start[i]; t < F->contact_start[i + 1]; ++t) {
      const int64_t size = (int64_t)cps_contact_dim(p, i) * F->body_dofs[F->body[t]];
      body[terms++] = F->body[t];
      memcpy(H + values, F->H + cps_term_at(F, t), (size_t)size * sizeof *H);
      if (Y != H) memcpy(Y + values, F->Y + cps_term_at(F, t), (size_t)size * sizeof *Y);
      values += size;
    }
  }
  start[n + twins] = terms;
  def->compliance = compliance;
  const CpsFactoredForm form = {F->body_count, F->body_dofs, start, body, H, Y};
  return cps_problem_from_bodies(def, &form, out, error);
}

static CpsStatus extend(const CpsProblem* p, CpsArena* arena, CpsSeen* seen, CpsError* error) {
  const int32_t n = p->contact_count;
  int32_t *twin = CPS_TAKE(arena, int32_t, n), *twin_of = CPS_TAKE(arena, int32_t, n), twins = 0;
  if (!twin || !twin_of) return no_memory(error);
  int64_t rows = p->row_count;
  for (int32_t i = 0; i < n; ++i) {
    twin_of[i] = dashpot(p, i) > 0.0 ? n + twins : -1;
    if (twin_of[i] < 0) continue;
    twin[twins++] = i;
    rows += cps_contact_dim(p, i);
  }
  CpsContactsDef def;
  double *b = CPS_TAKE(arena, double, rows), *plain = b_without_tension(p, arena), *shift = shift_of(p, arena, rows);
  if (!contacts_of(p, arena, twins, twin, &def) || !b || !plain || !shift) return no_memory(error);
  if (p->row_count > 0) memcpy(b, plain, (size_t)p->row_count * sizeof *b);
  int64_t at = p->row_count;
  for (int32_t k = 0; k < twins; ++k) {
    for (int64_t row = p->offset[twin[k]]; row < p->offset[twin[k] + 1]; ++row) b[at++] = plain[row];
  }
  def.b = b;
  def.shift = shift;
  seen->twin_count = twins;
  seen->twin = twin;
  return p->has_W ? extend_W(p, arena, &def, twin_of, &seen->problem, error)
                  : extend_bodies(p, arena, &def, twins, twin, &seen->problem, error);
}

// The contacts with dashpots of each node, in order.
typedef struct Touched {
  int64_t* start;
  int32_t* contact;
  int32_t* seen;  // by row: the last row that wrote a column
} Touched;

static bool list_touched(const CpsProblem* p, CpsArena* arena, Touched* t) {
  const CpsSparsePart* s = p->sparse;
  int64_t terms = s->node_start[p->contact_count];
  t->start = CPS_TAKE_ZERO(arena, int64_t, (int64_t)s->node_count + 2);
  t->contact = CPS_TAKE(arena, int32_t, terms);
  t->seen = CPS_TAKE(arena, int32_t, s->node_count);
  if (!t->start || !t->contact || !t->seen) return false;
  for (int pass = 0; pass < 2; ++pass) {
    for (int32_t i = 0; i < p->contact_count; ++i) {
      if (!(dashpot(p, i) > 0.0)) continue;
      for (int64_t k = s->node_start[i]; k < s->node_start[i + 1]; ++k) {
        if (pass == 0) {
          t->start[s->node[k] + 2]++;
        } else {
          t->contact[t->start[s->node[k] + 1]++] = i;
        }
      }
    }
    for (int32_t k = 0; pass == 0 && k < s->node_count; ++k) t->start[k + 2] += t->start[k + 1];
  }
  for (int32_t k = 0; k < s->node_count; ++k) t->seen[k] = -1;
  return true;
}

// Columns of a row of M + A^T D A, ascending; returns how many. `column` may be NULL.
static int64_t row_columns(const CpsSparsePart* s, Touched* t, int32_t row, int32_t mark, int32_t* column) {
  int64_t count = 0;
  for (int64_t k = s->M_start[row]; k < s->M_start[row + 1]; ++k) {
    t->seen[s->M_column[k]] = mark;
    if (column) column[count] = s->M_column[k];
    ++count;
  }
  for (int64_t q = t->start[row]; q < t->start[row + 1]; ++q) {
    const int32_t i = t->contact[q];
    for (int64_t k = s->node_start[i]; k < s->node_start[i + 1]; ++k) {
      if (s->node[k] > row || t->seen[s->node[k]] == mark) continue;
      t->seen[s->node[k]] = mark;
      if (column) column[count] = s->node[k];
      ++count;
    }
  }
  if (column) cps_build_sort_columns(column, count);
  return count;
}

static int64_t place_of(const int32_t* column, int64_t low, int64_t high, int32_t wanted) {
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (column[middle] < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// M + A^T D A
static bool damped_mass(const CpsProblem* p, CpsArena* arena, CpsSparseForm* form) {
  const CpsSparsePart* s = p->sparse;
  Touched t;
  int64_t* start = CPS_TAKE(arena, int64_t, (int64_t)s->node_count + 1);
  if (!start || !list_touched(p, arena, &t)) return false;
  start[0] = 0;
  for (int32_t i = 0; i < s->node_count; ++i) start[i + 1] = start[i] + row_columns(s, &t, i, i, NULL);
  int32_t* column = CPS_TAKE(arena, int32_t, start[s->node_count]);
  double* value = CPS_TAKE_ZERO(arena, double, 9 * start[s->node_count]);
  if (!column || !value) return false;
  for (int32_t k = 0; k < s->node_count; ++k) t.seen[k] = -1;
  for (int32_t i = 0; i < s->node_count; ++i) {
    (void)row_columns(s, &t, i, i, column + start[i]);
    for (int64_t k = s->M_start[i]; k < s->M_start[i + 1]; ++k) {
      double* to = value + 9 * place_of(column, start[i], start[i + 1], s->M_column[k]);
      memcpy(to, s->M_value + 9 * k, 9 * sizeof *to);
    }
  }
  for (int32_t i = 0; i < p->contact_count; ++i) {
    const double d = dashpot(p, i);
    if (!(d > 0.0)) continue;
    const int rows = cps_contact_dim(p, i);
    for (int64_t a = s->node_start[i]; a < s->node_start[i + 1]; ++a) {
      const int32_t row = s->node[a];
      for (int64_t b = s->node_start[i]; b < s->node_start[i + 1]; ++b) {
        if (s->node[b] > row) continue;
        double* to = value + 9 * place_of(column, start[row], start[row + 1], s->node[b]);
        const double *A = s->A + s->at[a], *B = s->A + s->at[b];
        for (int k = 0; k < rows; ++k) {
          for (int e = 0; e < 9; ++e) to[e] += d * A[3 * k + e / 3] * B[3 * k + e % 3];
        }
      }
    }
  }
  form->M_start = start;
  form->M_column = column;
  form->M_value = value;
  return true;
}

// (2)
static CpsStatus absorb(CpsRheology* rheology, const CpsProblem* p, CpsPool* pool, CpsSeen* seen, CpsError* error) {
  CpsArena* arena = &rheology->arena;
  CpsSparseForm form;
  CpsContactsDef def;
  CpsStatus status = cps_problem_sparse_form(p, &form);
  if (status != CPS_OK) return status;
  double *plain = b_without_tension(p, arena), *b = CPS_TAKE(arena, double, p->row_count);
  double *shift = shift_of(p, arena, p->row_count), *x = CPS_TAKE(arena, double, p->row_count);
  if (!plain || !b || !shift || !x || !contacts_of(p, arena, 0, NULL, &def) || !damped_mass(p, arena, &form)) {
    return no_memory(error);
  }
  def.dof_count = 0;
  def.b = plain;
  def.shift = shift;
  if (!rheology->problem) {
    status = cps_problem_from_sparse(&def, &form, &rheology->problem, error);
  } else {
    status = cps_problem_refill_sparse_on(rheology->problem, &def, &form, NULL, pool, error);
  }
  if (status != CPS_OK) return status;
  seen->problem = rheology->problem;
  seen->kept = true;
  // b' = b - W c - W' D (b - W c)
  for (int32_t i = 0; i < p->contact_count; ++i) {
    for (int64_t k = p->offset[i]; k < p->offset[i + 1]; ++k) x[k] = -dashpot(p, i) * plain[k];
  }
  if (!cps_problem_velocity_of(seen->problem, x, plain, b)) return no_memory(error);
  def.b = b;
  return cps_problem_refill_b(seen->problem, &def, error);
}

// (1)
static CpsStatus move(const CpsProblem* p, CpsArena* arena, CpsSeen* seen, CpsError* error) {
  double *plain = b_without_tension(p, arena), *b = CPS_TAKE(arena, double, p->row_count);
  if (!plain || !b) return no_memory(error);
  for (int64_t k = 0; k < p->row_count; ++k) b[k] = plain[k] + (p->b[k] - p->b_plain[k]);
  seen->copy = *p;
  seen->copy.cohesion = NULL;
  seen->copy.b_plain = plain;
  seen->copy.b = b;
  seen->problem = &seen->copy;
  seen->kept = true;
  return CPS_OK;
}

static CpsStatus check_dashpots(const CpsProblem* p, CpsError* error) {
  for (int32_t i = 0; i < p->contact_count; ++i) {
    if (!(dashpot(p, i) > 0.0)) continue;
    if (p->has_W && cps_block_matrix_find(&p->W, i, i) < 0) {
      return cps_fail(error, CPS_UNSUPPORTED, "contact %" PRId32 " has a dashpot but no block on the diagonal of W", i);
    }
    if (p->sparse && p->factors.contact_start[i + 1] > p->factors.contact_start[i]) {
      return cps_fail(error, CPS_UNSUPPORTED,
                      "contact %" PRId32
                      " has a dashpot and touches a small member: in the sparse form only contacts "
                      "between nodes may have one",
                      i);
    }
  }
  return CPS_OK;
}

CpsStatus cps_rheology_make(CpsRheology* rheology, const CpsProblem* p, CpsPool* pool, CpsSeen* seen, CpsError* error) {
  *seen = (CpsSeen){0};
  cps_arena_reset(&rheology->arena);
  if (!p->dashpot) return move(p, &rheology->arena, seen, error);
  const CpsStatus status = check_dashpots(p, error);
  if (status != CPS_OK) return status;
  if (p->sparse) return absorb(rheology, p, pool, seen, error);
  return extend(p, &rheology->arena, seen, error);
}

bool cps_rheology_enter(CpsRheology* rheology, const CpsProblem* p, const CpsSeen* seen, const double* r, double* x) {
  double* u = CPS_TAKE(&rheology->arena, double, p->row_count);
  if (!u || !cps_problem_velocity_of(p, r, p->b, u)) return false;
  cps_rheology_seen(p, r, u, x);
  int64_t at = p->row_count;
  for (int32_t k = 0; k < seen->twin_count; ++k) {
    const int32_t i = seen->twin[k];
    for (int64_t row = p->offset[i]; row < p->offset[i + 1]; ++row) {
      x[at++] = -p->dashpot[i] * (u[row] - (p->b[row] - p->b_plain[row]));
    }
  }
  return true;
}

bool cps_rheology_leave(CpsRheology* rheology, const CpsProblem* p, const CpsSeen* seen, const double* x, double* r) {
  for (int64_t k = 0; k < p->row_count; ++k) r[k] = x[k];
  for (int32_t i = 0; i < p->contact_count; ++i) r[p->offset[i]] -= cohesion(p, i);
  int64_t at = p->row_count;
  for (int32_t k = 0; k < seen->twin_count; ++k) {
    const int32_t i = seen->twin[k];
    for (int64_t row = p->offset[i]; row < p->offset[i + 1]; ++row) r[row] += x[at++];
  }
  if (!p->dashpot || seen->twin_count > 0) return true;
  double* u = CPS_TAKE(&rheology->arena, double, p->row_count);
  if (!u || !cps_problem_velocity_of(seen->problem, x, seen->problem->b_plain, u)) return false;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    for (int64_t k = p->offset[i]; k < p->offset[i + 1]; ++k) r[k] -= dashpot(p, i) * u[k];
  }
  return true;
}
