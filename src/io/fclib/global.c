// Writing a problem with large members as /fclib_global:  M v = H r + f,  u = H^T v + w.
//
// The dofs are those of the nodes, three each, and then those of the small members, whose mass is the identity. f = 0 and w = b:
// what the forces of the step do is in b already. M and H go out as compressed rows (nz = -2), rows of H are dofs.
#include "io/fclib/global.h"

#include <limits.h>
#include <stdlib.h>

typedef struct Entries {
  int64_t rows, columns, count;
  int64_t* start;  // rows + 2 while it is filled, rows + 1 afterwards
  int32_t* column;
  double* value;
} Entries;

static void free_entries(Entries* e) {
  free(e->start);
  free(e->column);
  free(e->value);
}

// Called twice: first counts the entries of each row, then places them.
static void put(Entries* e, int64_t row, int64_t column, double value) {
  if (!e->column) {
    e->start[row + 2]++;
    return;
  }
  int64_t at = e->start[row + 1]++;
  e->column[at] = (int32_t)column;
  e->value[at] = value;
}

static void put_mass(const CpsSparseForm* form, Entries* e) {
  for (int64_t i = 0; i < form->node_count; ++i) {
    for (int64_t k = form->M_start[i]; k < form->M_start[i + 1]; ++k) {
      int64_t j = form->M_column[k];
      for (int q = 0; q < 9; ++q) {
        double value = form->M_value[9 * k + q];
        put(e, 3 * i + q / 3, 3 * j + q % 3, value);
        if (i != j) put(e, 3 * j + q % 3, 3 * i + q / 3, value);
      }
    }
  }
  for (int64_t i = 3 * (int64_t)form->node_count; i < e->rows; ++i) put(e, i, i, 1.0);
}

static void put_rows(const CpsProblem* problem, const CpsSparseForm* form, const int64_t* body_first, Entries* e) {
  const int64_t* offset = cps_problem_offsets(problem);
  const double *A = form->A, *G = form->small.H;
  for (int32_t i = 0; i < cps_problem_contact_count(problem); ++i) {
    int64_t d = offset[i + 1] - offset[i];
    for (int64_t t = form->node_start[i]; t < form->node_start[i + 1]; ++t, A += 3 * d) {
      for (int64_t q = 0; q < 3 * d; ++q) put(e, 3 * (int64_t)form->node[t] + q % 3, offset[i] + q / 3, A[q]);
    }
    for (int64_t t = form->small.contact_start[i]; t < form->small.contact_start[i + 1]; ++t) {
      int64_t m = form->small.body_dofs[form->small.body[t]];
      for (int64_t q = 0; q < m * d; ++q) put(e, body_first[form->small.body[t]] + q % m, offset[i] + q / m, G[q]);
      G += m * d;
    }
  }
}

static bool gather(const CpsProblem* problem, const CpsSparseForm* form, const int64_t* body_first, bool mass,
                   Entries* e) {
  e->start = calloc((size_t)e->rows + 2, sizeof *e->start);
  if (!e->start) return false;
  for (int pass = 0; pass < 2; ++pass) {
    if (mass) {
      put_mass(form, e);
    } else {
      put_rows(problem, form, body_first, e);
    }
    if (pass == 1) return true;
    for (int64_t i = 0; i < e->rows; ++i) e->start[i + 2] += e->start[i + 1];
    e->count = e->start[e->rows + 1];
    e->column = malloc(((size_t)e->count + 1) * sizeof *e->column);
    e->value = malloc(((size_t)e->count + 1) * sizeof *e->value);
    if (!e->column || !e->value || e->count > INT_MAX) return false;
  }
  return true;
}

static bool write_matrix(hid_t file, const char* group, const Entries* e) {
  char name[64];
  int* start = malloc(((size_t)e->rows + 1) * sizeof *start);
  if (!start) return false;
  for (int64_t i = 0; i <= e->rows; ++i) start[i] = (int)e->start[i];
  const struct {
    const char* name;
    int64_t value;
  } sizes[] = {{"nzmax", e->count}, {"m", e->rows}, {"n", e->columns}, {"nz", -2}};
  bool done = cps_h5_make_group(file, group);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes && done; ++k) {
    (void)snprintf(name, sizeof name, "%s/%s", group, sizes[k].name);
    done = cps_h5_write_int(file, name, (int)sizes[k].value);
  }
  (void)snprintf(name, sizeof name, "%s/p", group);
  done = done && cps_h5_write_ints(file, name, start, (int)e->rows + 1);
  (void)snprintf(name, sizeof name, "%s/i", group);
  done = done && cps_h5_write_ints(file, name, e->column, (int)e->count);
  (void)snprintf(name, sizeof name, "%s/x", group);
  done = done && cps_h5_write_doubles(file, name, e->value, (int)e->count);
  free(start);
  return done;
}

static bool write_vectors(hid_t file, const CpsProblem* problem, int64_t dofs) {
  double* f = calloc((size_t)dofs + 1, sizeof *f);
  bool done = f && cps_h5_make_group(file, "/fclib_global/vectors") &&
              cps_h5_write_doubles(file, "/fclib_global/vectors/f", f, (int)dofs) &&
              cps_h5_write_doubles(file, "/fclib_global/vectors/w", cps_problem_b_shifted(problem),
                                   (int)cps_problem_row_count(problem)) &&
              cps_h5_write_doubles(file, "/fclib_global/vectors/mu", cps_problem_mu(problem),
                                   cps_problem_contact_count(problem));
  free(f);
  return done;
}

static bool write_info(hid_t file, const char* title) {
  return cps_h5_make_group(file, "/fclib_global/info") &&
         cps_h5_write_text(file, "/fclib_global/info/title", title ? title : "") &&
         cps_h5_write_text(file, "/fclib_global/info/description", "written by Capstan") &&
         cps_h5_write_text(file, "/fclib_global/info/math_info", "");
}

bool cps_fclib_write_global(hid_t file, const CpsProblem* problem, int dim, const char* title) {
  CpsSparseForm form;
  if (cps_problem_sparse_form(problem, &form) != CPS_OK) return false;
  int64_t* body_first = malloc(((size_t)form.small.body_count + 1) * sizeof *body_first);
  if (!body_first) return false;
  int64_t dofs = 3 * (int64_t)form.node_count;
  for (int32_t body = 0; body < form.small.body_count; ++body) {
    body_first[body] = dofs;
    dofs += form.small.body_dofs[body];
  }
  Entries M = {.rows = dofs, .columns = dofs}, H = {.rows = dofs, .columns = cps_problem_row_count(problem)};
  bool done = dofs < INT_MAX && gather(problem, &form, body_first, true, &M) &&
              gather(problem, &form, body_first, false, &H) && cps_h5_make_group(file, "/fclib_global") &&
              cps_h5_write_int(file, "/fclib_global/spacedim", dim) && write_matrix(file, "/fclib_global/M", &M) &&
              write_matrix(file, "/fclib_global/H", &H) && write_vectors(file, problem, dofs) &&
              write_info(file, title);
  free_entries(&M);
  free_entries(&H);
  free(body_first);
  return done;
}
