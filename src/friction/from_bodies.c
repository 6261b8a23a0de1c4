// Problems that never form W: contacts with their Jacobian blocks per body, W_ij = sum_B H_iB Y_jB^T.
#include "core/error.h"
#include "core/simd.h"
#include "friction/build.h"
#include "friction/rigid.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static CpsStatus check_terms(const CpsProblem* p, const CpsFactoredForm* form, int64_t* value_count, CpsError* error) {
  if (form->body_count < 0) return cps_fail(error, CPS_BAD_DATA, "the number of bodies is negative");
  if (form->body_count > 0 && !form->body_dofs) return cps_fail(error, CPS_BAD_ARGUMENT, "body_dofs is NULL");
  for (int32_t body = 0; body < form->body_count; ++body) {
    if (form->body_dofs[body] < 1) {
      return cps_fail(error, CPS_BAD_DATA, "body %" PRId32 " has %" PRId32 " degrees of freedom", body,
                      form->body_dofs[body]);
    }
  }
  if (!form->contact_start || form->contact_start[0] != 0) {
    return cps_fail(error, CPS_BAD_DATA, "contact_start is NULL or does not begin with 0");
  }
  if (form->contact_start[p->contact_count] > INT32_MAX) {
    return cps_fail(error, CPS_UNSUPPORTED, "%" PRId64 " terms of contacts and bodies are too many",
                    form->contact_start[p->contact_count]);
  }
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int64_t first = form->contact_start[i], last = form->contact_start[i + 1];
    if (last < first) return cps_fail(error, CPS_BAD_DATA, "contact_start decreases at contact %" PRId32, i);
    if (last > first && (!form->body || !form->H || !form->Y)) {
      return cps_fail(error, CPS_BAD_ARGUMENT, "body, H or Y is NULL");
    }
    for (int64_t t = first; t < last; ++t) {
      int32_t body = form->body[t];
      if (body < 0 || body >= form->body_count) {
        return cps_fail(error, CPS_BAD_DATA, "contact %" PRId32 " names body %" PRId32 " of %" PRId32, i, body,
                        form->body_count);
      }
      for (int64_t s = first; s < t; ++s) {
        if (form->body[s] == body) {
          return cps_fail(error, CPS_BAD_DATA, "contact %" PRId32 " names body %" PRId32 " twice", i, body);
        }
      }
      int64_t size = (int64_t)cps_contact_dim(p, i) * form->body_dofs[body];
      if (cps_build_find_bad(form->H + *value_count, size) >= 0 ||
          (form->Y != form->H && cps_build_find_bad(form->Y + *value_count, size) >= 0)) {
        return cps_fail(error, CPS_BAD_DATA, "H or Y of contact %" PRId32 " and body %" PRId32 " is not finite", i,
                        body);
      }
      *value_count += size;
    }
  }
  return CPS_OK;
}

// The lists body -> terms, in the order of the contacts.
void cps_build_index_bodies(CpsProblem* p) {
  CpsFactors* F = &p->factors;
  int64_t term_count = F->contact_start[p->contact_count];
  memset(F->body_start, 0, ((size_t)F->body_count + 2) * sizeof(int64_t));
  for (int64_t t = 0; t < term_count; ++t) F->body_start[F->body[t] + 2]++;
  for (int32_t body = 0; body < F->body_count; ++body) F->body_start[body + 2] += F->body_start[body + 1];
  for (int32_t i = 0; i < p->contact_count; ++i) {
    for (int64_t t = F->contact_start[i]; t < F->contact_start[i + 1]; ++t) {
      F->term_contact[t] = i;
      F->body_term[F->body_start[F->body[t] + 1]++] = (int32_t)t;
    }
  }
}

// `borrow`: H remains the caller's array.
static bool copy_factors(CpsProblem* p, const CpsFactoredForm* form, int64_t value_count, bool borrow) {
  CpsFactors* F = &p->factors;
  CpsArena* arena = &p->arena;
  int64_t terms = form->contact_start[p->contact_count];
  F->body_count = form->body_count;
  F->body_dofs = CPS_TAKE(arena, int32_t, form->body_count);
  F->body_offset = CPS_TAKE(arena, int64_t, (int64_t)form->body_count + 1);
  F->contact_start = CPS_TAKE(arena, int64_t, (int64_t)p->contact_count + 1);
  F->body = CPS_TAKE(arena, int32_t, terms);
  F->at = CPS_TAKE(arena, int64_t, terms + 1);
  F->H = borrow ? (double*)form->H : CPS_TAKE(arena, double, value_count);
  // in mass-normalised coordinates M = I and Y = H: one array halves the memory and the traffic of a sweep
  bool same =
      form->Y == form->H || value_count == 0 || memcmp(form->H, form->Y, (size_t)value_count * sizeof(double)) == 0;
  F->Y = same ? F->H : CPS_TAKE(arena, double, value_count);
  F->body_start = CPS_TAKE(arena, int64_t, (int64_t)form->body_count + 2);
  F->body_term = CPS_TAKE(arena, int32_t, terms);
  F->term_contact = CPS_TAKE(arena, int32_t, terms);
  if (!F->body_dofs || !F->body_offset || !F->contact_start || !F->body || !F->at ||
      (value_count > 0 && (!F->H || !F->Y)) || !F->body_start || !F->body_term || !F->term_contact) {
    return false;
  }
  int64_t dofs = 0, value = 0;
  for (int32_t body = 0; body < form->body_count; ++body) {
    F->body_dofs[body] = form->body_dofs[body];
    F->body_offset[body] = dofs;
    dofs += form->body_dofs[body];
  }
  F->body_offset[form->body_count] = dofs;
  p->dof_count = dofs;
  memcpy(F->contact_start, form->contact_start, ((size_t)p->contact_count + 1) * sizeof(int64_t));
  for (int32_t i = 0; i < p->contact_count; ++i) {
    for (int64_t t = form->contact_start[i]; t < form->contact_start[i + 1]; ++t) {
      F->body[t] = form->body[t];
      F->at[t] = value;
      value += (int64_t)cps_contact_dim(p, i) * form->body_dofs[form->body[t]];
    }
  }
  F->at[terms] = value;
  if (value_count > 0 && !borrow) {
    memcpy(F->H, form->H, (size_t)value_count * sizeof(double));
    if (!same) memcpy(F->Y, form->Y, (size_t)value_count * sizeof(double));
  }
  cps_build_index_bodies(p);
  return true;
}

static CpsStatus fill_factors(CpsProblem* p, const CpsFactoredForm* factored, bool borrow, CpsError* error) {
  int64_t value_count = 0;
  CpsStatus status = check_terms(p, factored, &value_count, error);
  if (status != CPS_OK) return status;
  return copy_factors(p, factored, value_count, borrow && factored->H == factored->Y)
             ? CPS_OK
             : cps_fail(error, CPS_NO_MEMORY, "not enough memory for the Jacobian blocks");
}

CpsStatus cps_build_factors(CpsProblem* p, const CpsFactoredForm* factored, bool borrow, CpsError* error) {
  if (p->compliance && !p->compliant) return cps_build_compliant_factors(p, factored, error);
  // rigid.h fills in xi itself and does not support dashpots
  if (p->dashpot) return fill_factors(p, factored, borrow, error);
  return cps_rigid_fill(p, factored, borrow) ? CPS_OK : fill_factors(p, factored, borrow, error);
}

CpsStatus cps_build_plain_factors(CpsProblem* p, const CpsFactoredForm* factored, bool borrow, CpsError* error) {
  if (p->compliance && !p->compliant) return cps_build_compliant_factors(p, factored, error);
  return fill_factors(p, factored, borrow, error);
}

CpsStatus cps_problem_from_bodies(const CpsContactsDef* contacts, const CpsFactoredForm* factored, CpsProblem** problem,
                                  CpsError* error) {
  if (!problem || !factored) return cps_fail(error, CPS_BAD_ARGUMENT, "problem or factored is NULL");
  CpsProblem* p;
  CpsStatus status = cps_build_contacts(contacts, &p, error);
  if (status != CPS_OK) return status;
  status = cps_build_factors(p, factored, false, error);
  if (status != CPS_OK) {
    cps_problem_destroy(p);
    return status;
  }
  status = cps_build_finish(&p, error);
  if (status == CPS_OK) *problem = p;
  return status;
}

// C += H Y^T with H (di x m), Y (dj x m), over the columns from `first`.
static void add_product(int di, int dj, int first, int m, const double* H, const double* Y, double* C) {
  for (int a = 0; a < di; ++a) {
    for (int c = 0; c < dj; ++c) {
      double sum = 0.0;
      for (int k = first; k < m; ++k) sum += H[a * m + k] * Y[c * m + k];
      C[a * dj + c] += sum;
    }
  }
}

// The same for three rows each, in four partial sums: a rope of 400 segments is one body with 1200 degrees of freedom.
CPS_HOT static void add_product_3(int first, int m, const double* H, const double* Y, double* C) {
  CpsVec4 s00 = {0}, s01 = {0}, s02 = {0}, s10 = {0}, s11 = {0}, s12 = {0}, s20 = {0}, s21 = {0}, s22 = {0};
  int k = first;
  for (; k + 4 <= m; k += 4) {
    CpsVec4 h0, h1, h2, y;
    memcpy(&h0, H + k, sizeof h0);
    memcpy(&h1, H + m + k, sizeof h1);
    memcpy(&h2, H + 2 * m + k, sizeof h2);
    memcpy(&y, Y + k, sizeof y);
    s00 += h0 * y, s10 += h1 * y, s20 += h2 * y;
    memcpy(&y, Y + m + k, sizeof y);
    s01 += h0 * y, s11 += h1 * y, s21 += h2 * y;
    memcpy(&y, Y + 2 * m + k, sizeof y);
    s02 += h0 * y, s12 += h1 * y, s22 += h2 * y;
  }
  const CpsVec4 sum[9] = {s00, s01, s02, s10, s11, s12, s20, s21, s22};
  for (int e = 0; e < 9; ++e) C[e] += (sum[e][0] + sum[e][1]) + (sum[e][2] + sum[e][3]);
  if (k < m) add_product(3, 3, k, m, H, Y, C);
}

// The first nonzero column of each term, rounded down to a multiple of four so that sums are grouped as without the
// skipping. A rod factored from root to tip has only zeros before the position of the contact.
static void find_first_columns(const CpsProblem* p, int32_t* first) {
  const CpsFactors* F = &p->factors;
  for (int64_t t = 0; t < F->contact_start[p->contact_count]; ++t) {
    int m = F->body_dofs[F->body[t]], d = cps_contact_dim(p, F->term_contact[t]), k = m;
    for (int a = 0; a < d; ++a) {
      int c = 0;
      while (c < k && F->H[cps_term_at(F, t) + a * m + c] == 0.0) ++c;
      k = c;
    }
    first[t] = k - k % 4;
  }
}

// Contacts that share a body with contact i (including i), each once, ascending, into `list`; returns their number.
static int64_t neighbours(const CpsProblem* p, int32_t i, int32_t* seen, int32_t* list) {
  const CpsFactors* F = &p->factors;
  int64_t count = 0;
  seen[i] = i;
  list[count++] = i;
  for (int64_t t = F->contact_start[i]; t < F->contact_start[i + 1]; ++t) {
    for (int64_t s = F->body_start[F->body[t]]; s < F->body_start[F->body[t] + 1]; ++s) {
      int32_t j = F->term_contact[F->body_term[s]];
      if (seen[j] != i) {
        seen[j] = i;
        list[count++] = j;
      }
    }
  }
  cps_build_sort_columns(list, count);
  return count;
}

// W_ij, the sum over shared bodies. If Y is H, the blocks below the diagonal are the transposes of those above: the same
// products in the same order.
static void fill_W(const CpsProblem* p, const int32_t* first, int64_t* place, CpsBlockMatrix* W) {
  const CpsFactors* F = &p->factors;
  const bool symmetric = F->Y == F->H;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    const int di = cps_contact_dim(p, i);
    for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) place[W->col[k]] = W->at[k];
    for (int64_t t = F->contact_start[i]; t < F->contact_start[i + 1]; ++t) {
      int32_t body = F->body[t];
      for (int64_t s = F->body_start[body]; s < F->body_start[body + 1]; ++s) {
        int64_t other = F->body_term[s];
        int32_t j = F->term_contact[other];
        if (symmetric && j < i) continue;
        const int dj = cps_contact_dim(p, j), m = F->body_dofs[body];
        // columns with zero Y may be skipped too, if Y is H
        int from = symmetric && first[other] > first[t] ? first[other] : first[t];
        const double *H = F->H + cps_term_at(F, t), *Y = F->Y + cps_term_at(F, other);
        if (di == 3 && dj == 3) {
          add_product_3(from, m, H, Y, W->value + place[j]);
        } else {
          add_product(di, dj, from, m, H, Y, W->value + place[j]);
        }
      }
    }
    for (int64_t k = W->start[i]; symmetric && k < W->start[i + 1] && W->col[k] < i; ++k) {
      const int dj = cps_contact_dim(p, W->col[k]);
      const double* above = W->value + W->at[cps_block_matrix_find(W, W->col[k], i)];
      for (int a = 0; a < di; ++a) {
        for (int c = 0; c < dj; ++c) W->value[W->at[k] + a * dj + c] = above[c * di + a];
      }
    }
  }
}

bool cps_build_W_from_factors(const CpsProblem* problem, CpsArena* arena, CpsBlockMatrix* W) {
  const CpsFactors* F = &problem->factors;
  int32_t n = problem->contact_count;
  *W = (CpsBlockMatrix){.rows = n, .dim = problem->dim, .offset = problem->offset};
  W->start = CPS_TAKE(arena, int64_t, (int64_t)n + 1);
  int32_t* seen = CPS_TAKE(arena, int32_t, n);
  int32_t* list = CPS_TAKE(arena, int32_t, n);
  int64_t* place = CPS_TAKE(arena, int64_t, n);
  int32_t* first = CPS_TAKE(arena, int32_t, F->contact_start[n]);
  if (!W->start || !seen || !list || !place || !first) return false;
  find_first_columns(problem, first);
  // count the blocks of each row, then list them
  for (int32_t i = 0; i < n; ++i) seen[i] = -1;
  W->start[0] = 0;
  for (int32_t i = 0; i < n; ++i) W->start[i + 1] = W->start[i] + neighbours(problem, i, seen, list);
  W->col = CPS_TAKE(arena, int32_t, W->start[n]);
  W->at = CPS_TAKE(arena, int64_t, W->start[n] + 1);
  if (!W->col || !W->at) return false;
  for (int32_t i = 0; i < n; ++i) seen[i] = -1;
  int64_t values = 0;
  for (int32_t i = 0; i < n; ++i) {
    neighbours(problem, i, seen, W->col + W->start[i]);
    for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
      W->at[k] = values;
      values += (int64_t)cps_contact_dim(problem, i) * cps_contact_dim(problem, W->col[k]);
    }
  }
  W->at[W->start[n]] = values;
  W->value = CPS_TAKE_ZERO(arena, double, values);
  if (!W->value) return false;
  fill_W(problem, first, place, W);
  return true;
}
