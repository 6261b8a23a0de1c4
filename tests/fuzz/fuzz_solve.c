// Small problems of any dimension, law and matrix, every method: no crash, finite impulses, a status that agrees with
// the residual measured again here, and nothing touched by a refused call.
#include "bytes.h"

#include <capstan/capstan.h>
#include <string.h>

enum { CONTACTS = 5, ROWS = CONTACTS * CPS_DIM_MAX, DOFS = 12 };

typedef struct Draft {
  int32_t n, dims[CONTACTS];
  int rows, offset[CONTACTS + 1];
  CpsLaw laws[CONTACTS];
  double mu[CONTACTS], b[ROWS], shift[ROWS], W[ROWS * ROWS];
  double H[ROWS * DOFS], mass[DOFS * DOFS];
  int dofs;
} Draft;

static void draw_contacts(Bytes* bytes, Draft* p) {
  static const int32_t DIMS[] = {3, 2, 6};
  static const CpsLaw LAWS[] = {CPS_LAW_COULOMB, CPS_LAW_COULOMB,   CPS_LAW_COULOMB, CPS_LAW_CONVEX,
                                CPS_LAW_CONVEX,  CPS_LAW_BILATERAL, CPS_LAW_FREE};
  static const double MU[] = {0.3, 0.0, 0.5, 1.0, 10.0, 1e-9, 1e9, 1e-200};
  p->n = next_below(bytes, CONTACTS + 1);
  int uniform = next_below(bytes, 4), law = next_below(bytes, 8);
  double scale = next_scale(bytes);
  for (int32_t i = 0; i < p->n; ++i) {
    p->dims[i] = DIMS[uniform < 3 ? uniform : next_below(bytes, 3)];
    p->laws[i] = LAWS[law < 7 ? law : next_below(bytes, 7)];
    p->mu[i] = MU[next_below(bytes, 8)];
    p->offset[i] = p->rows;
    for (int k = 0; k < p->dims[i]; ++k, ++p->rows) {
      p->b[p->rows] = scale * next_number(bytes);
      p->shift[p->rows] = scale * next_number(bytes);
    }
  }
  p->offset[p->n] = p->rows;
}

// H and a diagonally dominant M, for the forms that hold these.
static void draw_bodies(Bytes* bytes, Draft* p) {
  p->dofs = 1 + next_below(bytes, DOFS);
  for (int k = 0; k < p->rows * p->dofs; ++k) p->H[k] = next_number(bytes);
  for (int i = 0; i < p->dofs; ++i) {
    for (int j = 0; j < p->dofs; ++j) p->mass[i * p->dofs + j] = i == j ? 1.0 + next_byte(bytes) : 0.0;
  }
}

// W = H H^T is positive semi-definite, of rank `dofs`; then perhaps unsymmetric, or any matrix at all.
static void draw_W(Bytes* bytes, Draft* p) {
  int kind = next_below(bytes, 4);
  double scale = next_scale(bytes);
  for (int i = 0; i < p->rows; ++i) {
    for (int j = 0; j < p->rows; ++j) {
      double sum = 0.0;
      for (int k = 0; k < p->dofs; ++k) sum += p->H[i * p->dofs + k] * p->H[j * p->dofs + k];
      if (kind == 1) sum += 1e-3 * next_number(bytes);
      if (kind == 2) sum += next_number(bytes);
      if (kind == 3) sum = i == j ? fabs(next_number(bytes)) : 0.0;
      p->W[i * p->rows + j] = scale * sum;
    }
  }
}

static CpsStatus build_from_blocks(const CpsContactsDef* contacts, const Draft* p, CpsProblem** problem,
                                   CpsError* error) {
  static double values[ROWS * ROWS];
  int32_t rows[CONTACTS * CONTACTS], cols[CONTACTS * CONTACTS];
  int64_t blocks = 0, at = 0;
  for (int32_t i = 0; i < p->n; ++i) {
    for (int32_t j = 0; j < p->n; ++j, ++blocks) {
      rows[blocks] = i;
      cols[blocks] = j;
      for (int a = p->offset[i]; a < p->offset[i + 1]; ++a) {
        for (int c = p->offset[j]; c < p->offset[j + 1]; ++c) values[at++] = p->W[a * p->rows + c];
      }
    }
  }
  return cps_problem_from_blocks(contacts, blocks, rows, cols, values, problem, error);
}

static CpsStatus build_from_global(const CpsContactsDef* contacts, const Draft* p, CpsForm form, CpsProblem** problem,
                                   CpsError* error) {
  int64_t start[ROWS + 1];
  static int32_t col[ROWS * DOFS];
  int32_t dofs = p->dofs;
  double f[DOFS] = {0};
  for (int i = 0; i <= p->rows; ++i) start[i] = (int64_t)i * dofs;
  for (int k = 0; k < p->rows * dofs; ++k) col[k] = k % dofs;
  CpsGlobalForm global = {
      .M = {.kind = CPS_MASS_DENSE_BLOCKS, .dof_count = dofs, .body_count = 1, .body_dofs = &dofs, .value = p->mass},
      .H_row_start = start,
      .H_col = col,
      .H_value = p->H,
      .f = f};
  return cps_problem_from_global(contacts, &global, form, problem, error);
}

static CpsStatus build(Bytes* bytes, const Draft* p, CpsProblem** problem, CpsError* error) {
  CpsContactsDef contacts = cps_contacts_def_default();
  contacts.trust_W = true;  // an indefinite W must not crash a method either
  contacts.count = p->n;
  contacts.dim = 0;
  contacts.dims = p->dims;
  contacts.laws = p->laws;
  contacts.mu = p->mu;
  contacts.b = p->b;
  contacts.shift = next_below(bytes, 4) == 3 ? p->shift : NULL;
  switch (next_below(bytes, 10)) {
    case 8:
    case 9:
      return build_from_global(&contacts, p, CPS_FORM_SPARSE, problem, error);
    case 6:
      return build_from_global(&contacts, p, CPS_FORM_W, problem, error);
    case 7:
      return build_from_global(&contacts, p, CPS_FORM_FACTORED, problem, error);
    default:
      return build_from_blocks(&contacts, p, problem, error);
  }
}

static CpsSolveOptions draw_options(Bytes* bytes) {
  static const double TOLERANCES[] = {1e-8, 1e-4, 1e-12, 1e-15};
  CpsSolveOptions options = cps_solve_options_default();
  options.method = (CpsMethod)next_below(bytes, CPS_METHOD_COUNT);
  options.local = (CpsLocal)next_below(bytes, CPS_LOCAL_COUNT);
  options.local_failsafe = next_below(bytes, 2);
  options.tolerance = TOLERANCES[next_below(bytes, 4)];
  options.max_iterations = 1 + next_below(bytes, 60);
  options.facets = 4 + 2 * next_below(bytes, 5);
  options.facet_kind = (CpsFacets)next_below(bytes, 2);
  options.freeze = next_below(bytes, 2);
  options.threads = next_below(bytes, 16) == 15 ? 2 : 1;
  options.check_identities = next_below(bytes, 8) == 7;
  options.time_limit = 5.0;
  return options;
}

// The status against the residual, measured again from r alone.
static void check_answer(const CpsProblem* problem, const CpsSolveOptions* options, CpsStatus status, const double* r,
                         const CpsSolveInfo* info) {
  int64_t rows = cps_problem_row_count(problem);
  for (int64_t k = 0; k < rows; ++k) CHECK(isfinite(r[k]));
  CpsResidual residual;
  CHECK(cps_problem_residual(problem, r, &residual) == CPS_OK);
  CHECK((status == CPS_OK) == (residual.natural <= options->tolerance));
  CHECK(info->status == status);
  CHECK(info->residual == residual.natural);
  CHECK(info->takeoff + info->stick + info->slide == cps_problem_contact_count(problem));
}

static void solve(Bytes* bytes, const CpsProblem* problem, CpsSolveOptions options) {
  double r[ROWS], guess[ROWS];
  bool warm = next_below(bytes, 2);
  double scale = next_scale(bytes);
  for (int k = 0; k < ROWS; ++k) r[k] = warm ? scale * next_number(bytes) : 0.0;
  memcpy(guess, r, sizeof r);
  CpsSolveInfo info, untouched;
  memset(&info, 0xa5, sizeof info);
  memcpy(&untouched, &info, sizeof info);
  CpsError error;
  CpsStatus status = cps_problem_solve(problem, &options, r, &info, &error);
  if (status >= 0) {
    check_answer(problem, &options, status, r, &info);
    return;
  }
  // cadoux-primal takes a root of W and refuses an indefinite one, which trust_W lets in
  bool indefinite = status == CPS_BAD_DATA && options.method == CPS_METHOD_CADOUX_PRIMAL;
  CHECK(status == CPS_UNSUPPORTED || indefinite);
  CHECK(error.text[0] != '\0');
  CHECK(memcmp(r, guess, sizeof r) == 0);
  CHECK(memcmp(&info, &untouched, sizeof info) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  static Draft draft;
  memset(&draft, 0, sizeof draft);
  CpsSolveOptions options = draw_options(&bytes);
  draw_contacts(&bytes, &draft);
  draw_bodies(&bytes, &draft);
  draw_W(&bytes, &draft);
  CpsProblem* problem = NULL;
  CpsError error;
  CpsStatus status = build(&bytes, &draft, &problem, &error);
  if (status != CPS_OK) {
    CHECK(status == CPS_BAD_DATA || status == CPS_UNSUPPORTED);
    CHECK(problem == NULL && error.text[0] != '\0');
    return 0;
  }
  CpsProblemInfo info;
  CHECK(cps_problem_describe(problem, &info) == CPS_OK);
  solve(&bytes, problem, options);
  cps_problem_destroy(problem);
  return 0;
}
