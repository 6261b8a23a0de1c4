// Elimination of v from the global form: W = H M^-1 H^T and b = w + H M^-1 f, for every kind of M and both forms.
#include "capstan/capstan.h"
#include "test_helpers.h"

#ifdef CAPSTAN_IO
#include "capstan/fclib.h"
#endif

#include "sparse/dense.h"

#include <stdlib.h>
#include <string.h>

// Two rods of 70 dofs (large enough for the sparse factorisation) and a grain of 6; 9 contacts of dimensions 2, 3, 6.
enum { BODIES = 3, DOFS = 146, CONTACTS = 9, BAND = 3, ROWS = 32 };
static const int32_t BODY_DOFS[BODIES] = {70, 6, 70};
static const int32_t BODY_FIRST[BODIES] = {0, 70, 76};
static const int32_t DIMS[CONTACTS] = {3, 2, 6, 3, 3, 6, 3, 3, 3};

// Entry (i, j) of M: banded, diagonally dominant; `skew` makes it unsymmetric.
static double mass_entry(int body, int i, int j, double skew) {
  if (abs(i - j) > BAND) return 0.0;
  double unit = i % 3 == 2 ? 1e-4 : 1.0;  // rotations have another unit than displacements
  double other = j % 3 == 2 ? 1e-4 : 1.0;
  double value = i == j ? 2.0 + 0.1 * (body + i % 5) : 0.2 * cos(i + j + body) + (i < j ? skew : -skew);
  return value * sqrt(unit * other);
}

typedef struct Fixture {
  double M[DOFS * DOFS];  // dense, what everything is compared with
  double dense[2 * 70 * 70 + 36];
  double band[DOFS * (BAND + 1)];
  int32_t bandwidth[BODIES];
  int64_t col_start[DOFS + 1];
  int32_t row[2 * DOFS * 8];
  double value[2 * DOFS * 8];
  int64_t H_row_start[ROWS + 1];
  int32_t H_col[ROWS * 16];
  double H_value[ROWS * 16];
  double H[ROWS * DOFS];
  double f[DOFS], w[ROWS], mu[CONTACTS];
  CpsContactsDef contacts;
  CpsGlobalForm global;
} Fixture;

static void fill_mass(Fixture* x, double skew) {
  double* dense = x->dense;
  memset(x->M, 0, sizeof x->M);
  for (int B = 0; B < BODIES; B++) {
    x->bandwidth[B] = BAND;
    for (int i = 0; i < BODY_DOFS[B]; i++) {
      for (int j = 0; j < BODY_DOFS[B]; j++) {
        double value = mass_entry(B, i, j, skew);
        *dense++ = value;
        x->M[(BODY_FIRST[B] + i) * DOFS + BODY_FIRST[B] + j] = value;
      }
      for (int k = 0; k <= BAND; k++) {
        int j = i - BAND + k;
        // what lies outside of the matrix is ignored, whatever it is
        x->band[(BODY_FIRST[B] + i) * (BAND + 1) + k] = j >= 0 ? mass_entry(B, i, j, skew) : NAN;
      }
    }
  }
  int64_t k = 0;
  for (int j = 0; j < DOFS; j++) {
    x->col_start[j] = k;
    for (int i = DOFS - 1; i >= 0; i--) {  // unsorted, and the diagonal in two halves that must be added
      double value = x->M[i * DOFS + j];
      if (value == 0.0) continue;
      x->row[k] = i;
      x->value[k++] = i == j ? 0.5 * value : value;
      if (i != j) continue;
      x->row[k] = i;
      x->value[k++] = 0.5 * value;
    }
  }
  x->col_start[DOFS] = k;
}

static void fill_fixture(Fixture* x, double skew) {
  memset(x, 0, sizeof *x);
  fill_mass(x, skew);
  int64_t k = 0;
  int row = 0;
  for (int c = 0; c < CONTACTS; c++) {
    x->mu[c] = 0.1 * c;
    for (int a = 0; a < DIMS[c]; a++, row++) {
      x->H_row_start[row] = k;
      x->w[row] = sin(row);
      for (int e = 0; e < 6; e++) {
        // body c % 3 and, except for contact 8, the next one
        int B = e < 3 || c == 8 ? c % 3 : (c + 1) % 3;
        int32_t dof = BODY_FIRST[B] + (7 * c + 3 * e + a) % BODY_DOFS[B];
        x->H_col[k] = dof;
        x->H_value[k] = cos(1.0 + row + 2.0 * e);
        x->H[row * DOFS + dof] += x->H_value[k++];
      }
    }
  }
  x->H_row_start[ROWS] = k;
  for (int i = 0; i < DOFS; i++) x->f[i] = sin(3.0 * i);
  x->contacts = cps_contacts_def_default();
  x->contacts.count = CONTACTS;
  x->contacts.dim = 0;
  x->contacts.dims = DIMS;
  x->contacts.mu = x->mu;
  x->contacts.b = x->w;
  x->global = (CpsGlobalForm){.H_row_start = x->H_row_start, .H_col = x->H_col, .H_value = x->H_value, .f = x->f};
  x->global.M = (CpsMass){.dof_count = DOFS, .body_count = BODIES, .body_dofs = BODY_DOFS, .bandwidth = x->bandwidth};
  x->global.M.col_start = x->col_start;
  x->global.M.row = x->row;
}

static void choose_kind(Fixture* x, CpsMassKind kind) {
  x->global.M.kind = kind;
  x->global.M.value = kind == CPS_MASS_DENSE_BLOCKS ? x->dense : kind == CPS_MASS_BANDED ? x->band : x->value;
}

// X = M^-1 [H^T f], column by column, by one dense LU of the whole M.
static void solve_reference(const Fixture* x, double* W, double* b) {
  static double LU[DOFS * DOFS];
  int pivot[DOFS];
  double column[DOFS];
  memcpy(LU, x->M, sizeof LU);
  assert_true(cps_dense_lu_factor(DOFS, LU, pivot));
  for (int j = 0; j <= ROWS; j++) {
    memcpy(column, j < ROWS ? x->H + j * DOFS : x->f, sizeof column);
    cps_dense_lu_solve(DOFS, LU, pivot, column);
    for (int i = 0; i < ROWS; i++) {
      double sum = 0.0;
      for (int l = 0; l < DOFS; l++) sum += x->H[i * DOFS + l] * column[l];
      if (j < ROWS) W[i * ROWS + j] = sum;
      if (j == ROWS) b[i] = x->w[i] + sum;
    }
  }
}

static void compare_with_dense(Fixture* x, CpsMassKind kind, CpsForm form) {
  static double W_reference[ROWS * ROWS], W[ROWS * ROWS];
  double b_reference[ROWS], r[ROWS], v[DOFS];
  solve_reference(x, W_reference, b_reference);
  double scale = 0.0;
  for (int k = 0; k < ROWS * ROWS; k++) scale = fmax(scale, fabs(W_reference[k]));
  choose_kind(x, kind);
  CpsProblem* problem = NULL;
  CpsError error;
  assert_int_equal(cps_problem_from_global(&x->contacts, &x->global, form, &problem, &error), CPS_OK);
  assert_string_equal(error.text, "");
  assert_int_equal(cps_problem_has_W(problem), form == CPS_FORM_W);

  int64_t row_start[ROWS + 1];
  int64_t entries = cps_problem_W_entry_count(problem);
  int32_t* col = malloc((size_t)entries * sizeof *col);
  double* value = malloc((size_t)entries * sizeof *value);
  assert_int_equal(cps_problem_W_csr(problem, row_start, col, value), CPS_OK);
  memset(W, 0, sizeof W);
  for (int i = 0; i < ROWS; i++) {
    for (int64_t k = row_start[i]; k < row_start[i + 1]; k++) W[i * ROWS + col[k]] += value[k];
  }
  free(col);
  free(value);
  // condition number of the scaled M below 10; rounding of about 100 products
  for (int k = 0; k < ROWS * ROWS; k++) assert_near(W[k], W_reference[k], 1e-13 * scale);
  double b_scale = 0.0;
  for (int i = 0; i < ROWS; i++) b_scale = fmax(b_scale, fabs(b_reference[i]));
  for (int i = 0; i < ROWS; i++) assert_near(cps_problem_b(problem)[i], b_reference[i], 1e-13 * b_scale);

  // M v = H^T r + f for the v that is given back
  for (int i = 0; i < ROWS; i++) r[i] = cos(2.0 * i);
  assert_int_equal(cps_problem_dof_velocity(problem, r, v), CPS_OK);
  for (int l = 0; l < DOFS; l++) {
    double left = 0.0, right = x->f[l], size = fabs(x->f[l]);
    for (int k = 0; k < DOFS; k++) left += x->M[l * DOFS + k] * v[k];
    for (int i = 0; i < ROWS; i++) right += x->H[i * DOFS + l] * r[i];
    for (int i = 0; i < ROWS; i++) size += fabs(x->H[i * DOFS + l] * r[i]);
    assert_near(left, right, 1e-13 * (size + 100.0));  // v reaches 1e4 where M has entries of 1e-4
  }
  // and u = H v + w is the velocity of the reduced problem
  double u[ROWS];
  assert_int_equal(cps_problem_velocity(problem, r, u), CPS_OK);
  for (int i = 0; i < ROWS; i++) {
    double sum = x->w[i];
    for (int l = 0; l < DOFS; l++) sum += x->H[i * DOFS + l] * v[l];
    assert_near(u[i], sum, 1e-12 * (scale * ROWS + b_scale));
  }
  cps_problem_destroy(problem);
}

static void the_reduced_problem_is_the_dense_one(void** state) {
  (void)state;
  static Fixture x;
  fill_fixture(&x, 0.0);
  for (int kind = 0; kind < 3; kind++) {
    compare_with_dense(&x, (CpsMassKind)kind, CPS_FORM_W);
    compare_with_dense(&x, (CpsMassKind)kind, CPS_FORM_FACTORED);
  }
}

// Gyroscopic terms: M may be unsymmetric where it is stored in full.
static void an_unsymmetric_mass_matrix_gives_an_unsymmetric_W(void** state) {
  (void)state;
  static Fixture x;
  fill_fixture(&x, 0.1);
  compare_with_dense(&x, CPS_MASS_DENSE_BLOCKS, CPS_FORM_W);
  compare_with_dense(&x, CPS_MASS_DENSE_BLOCKS, CPS_FORM_FACTORED);
  compare_with_dense(&x, CPS_MASS_SPARSE, CPS_FORM_W);
  compare_with_dense(&x, CPS_MASS_SPARSE, CPS_FORM_FACTORED);
}

// A point mass m pressed on the ground: W = I/m, b = w + f/m.
static void a_point_mass_has_W_of_one_over_m(void** state) {
  (void)state;
  const double M[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, H[3] = {1, 1, 1}, f[3] = {-4, 2, 0}, w[3] = {0, 0, 1}, mu[1] = {0.5};
  const int64_t H_row_start[4] = {0, 1, 2, 3};
  const int32_t H_col[3] = {0, 1, 2}, dofs[1] = {3};
  CpsContactsDef contacts = cps_contacts_def_default();
  contacts.count = 1;
  contacts.mu = mu;
  contacts.b = w;
  CpsGlobalForm global = {.M = {.dof_count = 3, .body_count = 1, .body_dofs = dofs, .value = M},
                          .H_row_start = H_row_start,
                          .H_col = H_col,
                          .H_value = H,
                          .f = f};
  CpsProblem* problem = NULL;
  assert_int_equal(cps_problem_from_global(&contacts, &global, CPS_FORM_W, &problem, NULL), CPS_OK);
  const double b[3] = {-2, 1, 1}, r[3] = {4, -2, -2};
  double u[3], v[3];
  for (int k = 0; k < 3; k++) assert_near(cps_problem_b(problem)[k], b[k], 1e-15);
  assert_int_equal(cps_problem_velocity(problem, r, u), CPS_OK);
  for (int k = 0; k < 3; k++) assert_near(u[k], 0.0, 1e-15);  // r = -W^-1 b = -2 b
  assert_int_equal(cps_problem_dof_velocity(problem, r, v), CPS_OK);
  for (int k = 0; k < 3; k++) assert_near(v[k], -w[k], 1e-15);
  CpsProblemInfo info;
  assert_int_equal(cps_problem_describe(problem, &info), CPS_OK);
  assert_int_equal(info.dof_count, 3);
  assert_near(info.nu, 1.0, 0.0);
  cps_problem_destroy(problem);
}

static void refuse(const Fixture* x, CpsStatus expected, const char* word) {
  CpsProblem* problem = NULL;
  CpsError error;
  for (int form = 0; form < 2; form++) {
    assert_int_equal(cps_problem_from_global(&x->contacts, &x->global, (CpsForm)form, &problem, &error), expected);
    assert_null(problem);
    if (!strstr(error.text, word)) fail_msg("'%s' does not say '%s'", error.text, word);
  }
}

static void bad_data_is_refused_by_name(void** state) {
  (void)state;
  static Fixture x;
  fill_fixture(&x, 0.0);
  choose_kind(&x, CPS_MASS_DENSE_BLOCKS);
  x.f[17] = NAN;
  refuse(&x, CPS_BAD_DATA, "f of degree of freedom 17");
  x.f[17] = 0.0;
  x.H_col[6 * 5] = DOFS;  // row 5 belongs to contact 2
  refuse(&x, CPS_BAD_DATA, "contact 2 names degree of freedom 146");
  x.H_col[6 * 5] = 0;
  x.H_value[6 * 5] = INFINITY;
  refuse(&x, CPS_BAD_DATA, "contact 2 holds inf");
  x.H_value[6 * 5] = 1.0;
  x.H_row_start[4] = 100000;
  refuse(&x, CPS_BAD_DATA, "H");
  fill_fixture(&x, 0.0);
  choose_kind(&x, CPS_MASS_DENSE_BLOCKS);
  x.w[31] = NAN;
  refuse(&x, CPS_BAD_DATA, "contact 8");
  x.w[31] = 0.0;
  x.dense[70 * 70 + 6] = NAN;
  refuse(&x, CPS_BAD_DATA, "body 1 holds nan in row 1");
  for (int k = 0; k < 36; k++) x.dense[70 * 70 + k] = 1.0;
  refuse(&x, CPS_BAD_DATA, "body 1 is singular");
  x.global.M.dof_count = DOFS + 1;
  refuse(&x, CPS_BAD_DATA, "146 degrees of freedom together, not 147");
  x.global.M.dof_count = DOFS - 1;
  refuse(&x, CPS_BAD_DATA, "body 2");
}

static void bad_bands_and_columns_are_refused_by_name(void** state) {
  (void)state;
  static Fixture x;
  fill_fixture(&x, 0.0);
  choose_kind(&x, CPS_MASS_BANDED);
  x.bandwidth[1] = 6;
  refuse(&x, CPS_BAD_DATA, "bandwidth 6");
  x.bandwidth[1] = BAND;
  for (int k = 0; k <= BAND; k++) x.band[72 * (BAND + 1) + k] = 0.0;
  for (int i = 73; i <= 75; i++) x.band[i * (BAND + 1) + BAND - (i - 72)] = 0.0;
  refuse(&x, CPS_BAD_DATA, "body 1 is singular");
  choose_kind(&x, CPS_MASS_SPARSE);
  x.value[4] = NAN;
  refuse(&x, CPS_BAD_DATA, "column 0");
  x.value[4] = 1.0;
  x.row[4] = -1;
  refuse(&x, CPS_BAD_DATA, "row index -1");
  fill_fixture(&x, 0.0);
  choose_kind(&x, CPS_MASS_SPARSE);
  // a dof that nothing holds: its column becomes zero
  for (int64_t k = x.col_start[20]; k < x.col_start[21]; k++) x.value[k] = 0.0;
  refuse(&x, CPS_BAD_DATA, "singular in the part that holds degree of freedom 0");
  fill_fixture(&x, 0.0);
  choose_kind(&x, CPS_MASS_SPARSE);
  x.global.H_row_start = NULL;
  refuse(&x, CPS_BAD_ARGUMENT, "H_row_start");
  x.global.M.kind = (CpsMassKind)7;
  refuse(&x, CPS_BAD_ARGUMENT, "kind");
}

static void only_a_global_problem_has_dof_velocities(void** state) {
  (void)state;
  const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {1, 0, 0}, mu[1] = {0.5};
  const int32_t zero[1] = {0};
  CpsContactsDef contacts = cps_contacts_def_default();
  contacts.count = 1;
  contacts.mu = mu;
  contacts.b = b;
  CpsProblem* problem = NULL;
  assert_int_equal(cps_problem_from_blocks(&contacts, 1, zero, zero, W, &problem, NULL), CPS_OK);
  double v[3] = {7, 7, 7};
  assert_int_equal(cps_problem_dof_velocity(problem, b, v), CPS_UNSUPPORTED);
  assert_near(v[0], 7.0, 0.0);
  assert_int_equal(cps_problem_dof_velocity(NULL, b, v), CPS_BAD_ARGUMENT);
  cps_problem_destroy(problem);
}

static void a_problem_without_contacts_moves_freely(void** state) {
  (void)state;
  const double M[1] = {4}, f[1] = {2};
  const int32_t dofs[1] = {1};
  CpsContactsDef contacts = cps_contacts_def_default();
  CpsGlobalForm global = {.M = {.dof_count = 1, .body_count = 1, .body_dofs = dofs, .value = M}, .f = f};
  for (int form = 0; form < 2; form++) {
    CpsProblem* problem = NULL;
    double v[1];
    assert_int_equal(cps_problem_from_global(&contacts, &global, (CpsForm)form, &problem, NULL), CPS_OK);
    assert_int_equal(cps_problem_dof_velocity(problem, NULL, v), CPS_OK);
    assert_near(v[0], 0.5, 0.0);
    cps_problem_destroy(problem);
  }
}

#ifdef CAPSTAN_IO
static double largest_difference(const CpsProblem* a, const CpsProblem* b, double* scale) {
  // W applied to a fixed vector, and b: the patterns may differ by blocks of zeros
  int64_t rows = cps_problem_row_count(a);
  double* r = malloc((size_t)(3 * rows + 1) * sizeof *r);
  double *u = r + rows, *v = u + rows, difference = 0.0;
  for (int64_t k = 0; k < rows; k++) r[k] = cos((double)k);
  assert_int_equal(cps_problem_velocity(a, r, u), CPS_OK);
  assert_int_equal(cps_problem_velocity(b, r, v), CPS_OK);
  *scale = 0.0;
  for (int64_t k = 0; k < rows; k++) {
    difference = fmax(difference, fabs(u[k] - v[k]));
    difference = fmax(difference, fabs(cps_problem_b(a)[k] - cps_problem_b(b)[k]));
    *scale = fmax(*scale, fabs(u[k]));
  }
  free(r);
  return difference;
}

// The files of fclib_global and their counterparts G2L_... that Siconos reduced.
static void real_global_files_reduce_to_their_local_counterparts(void** state) {
  (void)state;
  static const char* const NAMES[] = {"Box_Stacks-i0122-82-5",
                                      "GFC3D_Example0",
                                      "GFC3D_Example1",
                                      "GFC3D_OneContact",
                                      "GFC3D_TwoRods1",
                                      "Spheres-i099-356-679",
                                      "spheres-in-a-box-98-i10000-256-10"};
  int compared = 0;
  for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++) {
    for (int form = 0; form < 2; form++) {
      char path[512];
      CpsProblem *global = NULL, *local = NULL;
      CpsError error;
      snprintf(path, sizeof path, "%s/fclib_global/%s.hdf5", SHARED_DATA, NAMES[k]);
      CpsStatus status = cps_fclib_read(path, (CpsForm)form, &global, NULL, &error);
      if (status == CPS_FILE_ERROR) continue;
      if (status != CPS_OK) fail_msg("%s", error.text);
      snprintf(path, sizeof path, "%s/fclib/G2L_%s.hdf5", SHARED_DATA, NAMES[k]);
      assert_int_equal(cps_fclib_read(path, CPS_FORM_W, &local, NULL, &error), CPS_OK);
      assert_int_equal(cps_problem_row_count(global), cps_problem_row_count(local));
      double scale, difference = largest_difference(global, local, &scale);
      if (!(difference <= 1e-9 * scale)) fail_msg("%s: %g of %g", NAMES[k], difference, scale);
      cps_problem_destroy(global);
      cps_problem_destroy(local);
      compared++;
    }
  }
  if (compared == 0) {
    print_message("skipped: no files in %s/fclib_global\n", SHARED_DATA);
    skip();
  }
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_point_mass_has_W_of_one_over_m),
      cmocka_unit_test(the_reduced_problem_is_the_dense_one),
      cmocka_unit_test(an_unsymmetric_mass_matrix_gives_an_unsymmetric_W),
      cmocka_unit_test(bad_data_is_refused_by_name),
      cmocka_unit_test(bad_bands_and_columns_are_refused_by_name),
      cmocka_unit_test(only_a_global_problem_has_dof_velocities),
      cmocka_unit_test(a_problem_without_contacts_moves_freely),
#ifdef CAPSTAN_IO
      cmocka_unit_test(real_global_files_reduce_to_their_local_counterparts),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
