// Every method on every problem file, against a table of what is expected to fail and why. Shared by the quick and the
// long program (test_methods_on_data.c, test_methods_on_data_long.c).
//
// All limits are counts of iterations, so that the outcome does not depend on the load of the machine.
#ifndef CAPSTAN_TESTS_FRICTION_DATA_TABLE_H
#define CAPSTAN_TESTS_FRICTION_DATA_TABLE_H

#include "capstan/capstan.h"
#include "friction/law.h"
#include "friction/problem.h"
#include "friction/residual.h"
#include "test_helpers.h"

#ifdef CAPSTAN_IO
#include "capstan/fclib.h"
#endif

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

typedef enum Outcome {
  FAILS,      // a success is an error too: the table must stay true
  CONVERGES,  // an exception from a FAILS on all files
  MAY_FAIL    // within a factor of a few of the limit, where rounding decides
} Outcome;

typedef struct Declared {
  CpsMethod method;
  const char* file;  // beginning of its name; NULL: all files
  Outcome outcome;
  const char* reason;
} Declared;

typedef struct Expectations {
  const char* folder;  // under SHARED_DATA
  double tolerance;
  const int64_t* limits;  // iterations by method; 0: the method is left out
  const Declared* declared;
  int declared_count;
  int32_t least_contacts, most_contacts;  // files outside are left out; 0: no bound
} Expectations;

#ifdef CAPSTAN_IO

enum { MOST_FILES = 64 };
typedef struct DataFiles {
  char name[MOST_FILES][128];
  int count;
} DataFiles;

static int compare_names(const void* a, const void* b) {
  return strcmp(a, b);
}

// The problem files of a folder of SHARED_DATA, sorted; none where it is missing.
static inline void find_files(const char* folder, DataFiles* files) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", SHARED_DATA, folder);
  files->count = 0;
  DIR* open = opendir(path);
  if (!open) return;
  for (struct dirent* entry; (entry = readdir(open));) {
    size_t length = strlen(entry->d_name);
    if (length < 6 || length > 127 || strcmp(entry->d_name + length - 5, ".hdf5") != 0) continue;
    assert_true(files->count < MOST_FILES);
    memcpy(files->name[files->count++], entry->d_name, length + 1);
  }
  closedir(open);
  qsort(files->name, (size_t)files->count, sizeof files->name[0], compare_names);
}

static inline bool is_of(const Declared* declared, CpsMethod method, const char* file) {
  if (declared->method != method) return false;
  return !declared->file || strncmp(declared->file, file, strlen(declared->file)) == 0;
}

// The first line that fits; lines for all files stand last.
static inline const Declared* find_declared(const Expectations* e, CpsMethod method, const char* file) {
  for (int k = 0; k < e->declared_count; ++k) {
    if (is_of(&e->declared[k], method, file)) return &e->declared[k];
  }
  return NULL;
}

// max_i ||x_i||
static inline double largest_block(const CpsProblem* p, const double* x) {
  double largest = 0.0;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    double sum = 0.0;
    for (int64_t k = p->offset[i]; k < p->offset[i + 1]; ++k) sum += x[k] * x[k];
    largest = fmax(largest, sqrt(sum));
  }
  return largest;
}

// What a residual e says about the identities. With p = P_K(r - xi u~) and ||r - p|| <= E = e (R + B):
//   r is within E of K, and xi u~ within E of its dual cone, p.(xi u~ + p - r) = 0.
// Hence, U = max ||u~||, m = 1 + mu, x = 1/xi, all the largest:
//   r_N >= -E,  ||r_T|| - mu r_N <= m E,  u_N >= -m x E,  |r.u~| <= E (U + x (R + E)) =: D,
//   |r_N u_N| <= D + m E (2 U + x R),  sin of the angle between r_T and u_T from 1 - cos, which the two sums bound,
//   r.(u + b)/2 <= n (D + m E U) if W is positive semi-definite.
// Rounding adds a few 1e-16 of the same products; a hundredth of the tolerance covers it.
static inline bool identities_follow(const CpsProblem* p, const double* r, double tolerance, const char* what) {
  int64_t rows = p->row_count;
  double *u = malloc((size_t)rows * sizeof *u), mu = 0.0, x = 0.0, U = 0.0, shifted[CPS_DIM_MAX];
  assert_non_null(u);
  cps_problem_law_velocity(p, r, u);
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int d = cps_contact_dim(p, i);
    cps_law_desaxce((CpsLaw)p->law[i], d, p->mu[i], u + p->offset[i], shifted);
    double t = cps_law_tangent_norm(d, shifted);
    U = fmax(U, hypot(shifted[0], t));
    mu = fmax(mu, p->mu[i]);
    x = fmax(x, 1.0 / p->xi[i]);
  }
  double R = largest_block(p, r), V = largest_block(p, p->b), m = 1.0 + mu;
  if (!(V > 0.0)) V = largest_block(p, u);
  free(u);
  double E = 1.01 * tolerance * cps_residual_scale(p, r), D = E * (U + x * (R + E));
  double product = D + m * E * (2.0 * U + x * R);
  CpsIdentities found;
  assert_int_equal(cps_problem_identities(p, r, &found), CPS_OK);
  const struct {
    const char* name;
    double violation, bound;
  } checks[] = {{"r_N >= 0", found.normal_impulse * R, E},
                {"u_N >= 0", found.normal_velocity * V, m * x * E},
                {"r_N u_N = 0", found.complementarity * R * V, product},
                {"||r_T|| <= mu r_N", found.cone * R, m * E},
                {"u_T parallel to r_T", found.alignment * R * V, sqrt(2.0 * R * U * product)},
                {"r.u = -mu r_N ||u_T||", found.dissipation * R * V, D},
                {"r.u~ = 0", found.orthogonality * R * V, D},
                {"energy", found.energy * R * V, product}};
  bool ok = true;
  for (size_t k = 0; k < sizeof checks / sizeof *checks; ++k) {
    if (R > 0.0 ? checks[k].violation <= checks[k].bound : k != 1 || checks[k].violation <= checks[k].bound) continue;
    print_error("%s: %s is violated by %g, which the residual bounds by %g\n", what, checks[k].name,
                checks[k].violation, checks[k].bound);
    ok = false;
  }
  return ok;
}

// One solve from zero; returns whether all is as it should be.
static inline bool check_solve(const Expectations* e, const CpsProblem* p, CpsMethod method, const char* file) {
  char what[256];
  snprintf(what, sizeof what, "%s on %s at %g", cps_method_info(method)->name, file, e->tolerance);
  size_t rows = (size_t)p->row_count;
  double* r = calloc(rows, sizeof *r);
  assert_non_null(r);
  CpsSolveOptions options = cps_solve_options_default();
  options.method = method;
  options.tolerance = e->tolerance;
  options.max_iterations = e->limits[method];
  CpsSolveInfo info;
  CpsError error;
  CpsStatus status = cps_problem_solve(p, &options, r, &info, &error);
  if (status < 0) fail_msg("%s: %s", what, error.text);
  CpsResidual residual;
  assert_int_equal(cps_problem_residual(p, r, &residual), CPS_OK);
  bool ok = true, converged = status == CPS_OK;
  // what the report says of r is what anyone measures
  ok = ok && info.status == status && info.residual == residual.natural && info.residual_siconos == residual.siconos;
  ok = ok && converged == (residual.natural <= e->tolerance);
  for (size_t k = 0; k < rows; ++k) ok = ok && isfinite(r[k]);
  if (!ok) print_error("%s: the report does not fit the impulses\n", what);
  if (converged && cps_method_info(method)->exact) ok = identities_follow(p, r, e->tolerance, what) && ok;
  const Declared* declared = find_declared(e, method, file);
  bool may_fail = declared && declared->outcome != CONVERGES;
  bool must_fail = declared && declared->outcome == FAILS;
  if (converged ? must_fail : !may_fail) {
    print_error("%s: residual %.1e after %lld iterations, but %s%s\n", what, residual.natural,
                (long long)info.iterations, must_fail ? "declared to fail: " : "nothing is declared",
                must_fail ? declared->reason : "");
    ok = false;
  }
  free(r);
  return ok;
}

static inline void check_expectations(const Expectations* e) {
  static DataFiles files;
  find_files(e->folder, &files);
  if (files.count == 0) {
    print_message("no problem files in %s/%s\n", SHARED_DATA, e->folder);
    skip();
  }
  int wrong = 0;
  for (int f = 0; f < files.count; ++f) {
    char path[1200];
    snprintf(path, sizeof path, "%s/%s/%s", SHARED_DATA, e->folder, files.name[f]);
    CpsProblem* p = NULL;
    CpsError error;
    if (cps_fclib_read(path, CPS_FORM_W, &p, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
    bool inside = p->contact_count >= e->least_contacts && (!e->most_contacts || p->contact_count <= e->most_contacts);
    for (int m = 0; m < CPS_METHOD_COUNT && inside; ++m) {
      if (!cps_method_info((CpsMethod)m)->available || e->limits[m] == 0) continue;
      wrong += !check_solve(e, p, (CpsMethod)m, files.name[f]);
    }
    cps_problem_destroy(p);
  }
  // a line about a file that is not there means nothing
  for (int k = 0; k < e->declared_count; ++k) {
    bool found = false;
    for (int f = 0; f < files.count; ++f) found = found || is_of(&e->declared[k], e->declared[k].method, files.name[f]);
    if (!found) print_error("declared for a file that is not there: %s\n", e->declared[k].file);
    wrong += !found;
  }
  assert_int_equal(wrong, 0);
}

#else

static inline void check_expectations(const Expectations* e) {
  print_message("this build cannot read the problem files of %s\n", e->folder);
  skip();
}

#endif
#endif
