// Problems: builders agree with each other, residuals and statuses by hand, and the analytic problems through every
// exact method.
#include "dense_problem.h"
#include "sample_problems.h"

#include <string.h>

// Six contacts of dimensions 2, 3, 6, 2, 3, 6 and a W with holes, in all the forms that a builder takes.
enum { N = 6, ROWS = 22, ENTRIES = ROWS * ROWS };
typedef struct Forms {
  int32_t dims[N];
  double mu[N], b[ROWS], dense[ENTRIES];
  int64_t offset[N + 1];
  int64_t block_count, csr_start[ROWS + 1], csc_start[ROWS + 1];
  int32_t block_row[N * N], block_col[N * N], csr_col[ENTRIES], csc_row[ENTRIES];
  double blocks[ENTRIES], csr[ENTRIES], csc[ENTRIES];
  CpsContactsDef def;
} Forms;
static Forms f;

static bool coupled(int i, int j) {
  return i == j || (i + 2 * j) % 3 != 0;  // not the same for (i, j) and (j, i)
}

static int contact_of(int row) {
  int i = 0;
  while (f.offset[i + 1] <= row) ++i;
  return i;
}

static int make_forms(void** state) {
  (void)state;
  static const int32_t DIMS[] = {2, 3, 6};
  CpsRandom random = cps_random_seed(21);
  for (int i = 0; i < N; ++i) {
    f.dims[i] = DIMS[i % 3];
    f.mu[i] = 0.1 * (i + 1);
    f.offset[i + 1] = f.offset[i] + f.dims[i];
  }
  for (int p = 0; p < ROWS; ++p) {
    f.b[p] = cps_random_normal(&random);
    for (int q = 0; q < ROWS; ++q) {
      double value = cps_random_normal(&random) + (p == q ? 20.0 : 0.0);
      f.dense[p * ROWS + q] = coupled(contact_of(p), contact_of(q)) ? value : 0.0;
    }
  }
  int64_t used = 0;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      if (!coupled(i, j)) continue;
      f.block_row[f.block_count] = i;
      f.block_col[f.block_count++] = j;
      for (int64_t p = f.offset[i]; p < f.offset[i + 1]; ++p) {
        for (int64_t q = f.offset[j]; q < f.offset[j + 1]; ++q) f.blocks[used++] = f.dense[p * ROWS + q];
      }
    }
  }
  int64_t csr = 0, csc = 0;
  for (int p = 0; p < ROWS; ++p) {
    f.csr_start[p] = csr;
    f.csc_start[p] = csc;
    for (int q = 0; q < ROWS; ++q) {
      if (f.dense[p * ROWS + q] != 0.0) {
        f.csr_col[csr] = q;
        f.csr[csr++] = f.dense[p * ROWS + q];
      }
      if (f.dense[q * ROWS + p] != 0.0) {
        f.csc_row[csc] = q;
        f.csc[csc++] = f.dense[q * ROWS + p];
      }
    }
  }
  f.csr_start[ROWS] = csr;
  f.csc_start[ROWS] = csc;
  f.def = cps_contacts_def_default();
  f.def.count = N;
  f.def.dim = 0;
  f.def.dims = f.dims;
  f.def.mu = f.mu;
  f.def.b = f.b;
  return 0;
}

// The W of a problem, dense; its CSR must be sorted and fit its own count.
static void read_W(const CpsProblem* problem, double* W) {
  int64_t start[ROWS + 1], count = cps_problem_W_entry_count(problem);
  int32_t col[ENTRIES];
  double value[ENTRIES];
  assert_true(count >= 0 && count <= ENTRIES);
  assert_int_equal(cps_problem_W_csr(problem, start, col, value), CPS_OK);
  assert_int_equal(start[0], 0);
  assert_int_equal(start[ROWS], count);
  memset(W, 0, ENTRIES * sizeof *W);
  for (int p = 0; p < ROWS; ++p) {
    for (int64_t k = start[p]; k < start[p + 1]; ++k) {
      assert_true(k == start[p] || col[k - 1] < col[k]);
      W[p * ROWS + col[k]] = value[k];
    }
  }
}

static void assert_holds_dense(CpsProblem* problem) {
  double W[ENTRIES];
  read_W(problem, W);
  assert_memory_equal(W, f.dense, sizeof W);
  assert_memory_equal(cps_problem_offsets(problem), f.offset, sizeof f.offset);
  assert_memory_equal(cps_problem_b(problem), f.b, sizeof f.b);
  assert_memory_equal(cps_problem_mu(problem), f.mu, sizeof f.mu);
  assert_true(cps_problem_has_W(problem));
  assert_int_equal(cps_problem_row_count(problem), ROWS);
  cps_problem_destroy(problem);
}

static void builders_of_a_matrix_give_the_same_bits(void** state) {
  (void)state;
  CpsProblem* p = NULL;
  assert_int_equal(cps_problem_from_blocks(&f.def, f.block_count, f.block_row, f.block_col, f.blocks, &p, NULL),
                   CPS_OK);
  assert_holds_dense(p);
  assert_int_equal(cps_problem_from_csr(&f.def, f.csr_start, f.csr_col, f.csr, &p, NULL), CPS_OK);
  assert_holds_dense(p);
  assert_int_equal(cps_problem_from_csc(&f.def, f.csc_start, f.csc_row, f.csc, &p, NULL), CPS_OK);
  assert_holds_dense(p);
}

// Entries in falling order, each in two halves (exact): sorted and added up by the builder.
static void repeated_and_unsorted_entries_are_added(void** state) {
  (void)state;
  static int64_t start[ROWS + 1];
  static int32_t index[2 * ENTRIES], row[2 * N * N], col[2 * N * N];
  static double value[2 * ENTRIES];
  CpsProblem* p = NULL;
  int64_t used = 0;
  for (int line = 0; line < ROWS; ++line) {
    start[line] = used;
    for (int half = 0; half < 2; ++half) {
      for (int64_t k = f.csr_start[line + 1]; k-- > f.csr_start[line];) {
        index[used] = f.csr_col[k];
        value[used++] = 0.5 * f.csr[k];
      }
    }
  }
  start[ROWS] = used;
  assert_int_equal(cps_problem_from_csr(&f.def, start, index, value, &p, NULL), CPS_OK);
  assert_holds_dense(p);

  used = 0;
  for (int line = 0; line < ROWS; ++line) {
    start[line] = used;
    for (int half = 0; half < 2; ++half) {
      for (int64_t k = f.csc_start[line + 1]; k-- > f.csc_start[line];) {
        index[used] = f.csc_row[k];
        value[used++] = 0.5 * f.csc[k];
      }
    }
  }
  start[ROWS] = used;
  assert_int_equal(cps_problem_from_csc(&f.def, start, index, value, &p, NULL), CPS_OK);
  assert_holds_dense(p);

  // blocks: the whole list in order, then again backwards
  int64_t blocks = 0, end = 0;
  used = 0;
  for (int64_t k = 0; k < f.block_count; ++k) {
    row[blocks] = f.block_row[k];
    col[blocks++] = f.block_col[k];
    for (int e = 0; e < f.dims[f.block_row[k]] * f.dims[f.block_col[k]]; ++e) value[used++] = 0.5 * f.blocks[end++];
  }
  for (int64_t k = f.block_count; k-- > 0;) {
    row[blocks] = f.block_row[k];
    col[blocks++] = f.block_col[k];
    int size = f.dims[f.block_row[k]] * f.dims[f.block_col[k]];
    end -= size;
    for (int e = 0; e < size; ++e) value[used++] = 0.5 * f.blocks[end + e];
  }
  assert_int_equal(cps_problem_from_blocks(&f.def, blocks, row, col, value, &p, NULL), CPS_OK);
  assert_holds_dense(p);
}

// One body with ROWS dofs that every contact touches: H = I (a contact's rows of it), Y = the rows of W^T.
static void bodies_stand_for_the_same_matrix(void** state) {
  (void)state;
  static double H[ROWS * ROWS], Y[ROWS * ROWS];
  int32_t dofs = ROWS, body[N] = {0};
  int64_t start[N + 1];
  for (int i = 0; i <= N; ++i) start[i] = i;
  for (int p = 0; p < ROWS; ++p) {
    H[p * ROWS + p] = 1.0;
    for (int q = 0; q < ROWS; ++q) Y[p * ROWS + q] = f.dense[q * ROWS + p];
  }
  CpsFactoredForm form = {1, &dofs, start, body, H, Y};
  CpsProblem *bodies = NULL, *formed = NULL;
  assert_int_equal(cps_problem_from_bodies(&f.def, &form, &bodies, NULL), CPS_OK);
  assert_false(cps_problem_has_W(bodies));
  double W[ENTRIES], r[ROWS], u[ROWS], v[ROWS];
  read_W(bodies, W);
  // sums in which all terms but one are zero: exact
  for (int k = 0; k < ENTRIES; ++k) assert_near(W[k], f.dense[k], 0.0);
  assert_int_equal(cps_problem_from_csr(&f.def, f.csr_start, f.csr_col, f.csr, &formed, NULL), CPS_OK);
  for (int k = 0; k < ROWS; ++k) r[k] = sin(1.0 + k);
  assert_int_equal(cps_problem_velocity(bodies, r, u), CPS_OK);
  assert_int_equal(cps_problem_velocity(formed, r, v), CPS_OK);
  // sums of 22 terms up to 20, in another order
  for (int k = 0; k < ROWS; ++k) assert_near(u[k], v[k], 1e-13);
  CpsResidual a, b;
  assert_int_equal(cps_problem_residual(bodies, r, &a), CPS_OK);
  assert_int_equal(cps_problem_residual(formed, r, &b), CPS_OK);
  assert_near(a.natural, b.natural, 1e-13);
  assert_near(a.siconos, b.siconos, 1e-13);
  assert_int_equal(a.worst_contact, b.worst_contact);
  cps_problem_destroy(bodies);
  cps_problem_destroy(formed);
}

static void a_matrix_copied_out_builds_the_same_problem(void** state) {
  (void)state;
  CpsGenerateDef generate = cps_generate_def_default();
  generate.contact_count = 60;
  generate.form = CPS_FORM_W;
  CpsProblem *p = NULL, *q = NULL;
  assert_int_equal(cps_problem_generate(&generate, &p, NULL), CPS_OK);
  int64_t rows = cps_problem_row_count(p), count = cps_problem_W_entry_count(p);
  int64_t *start = malloc((size_t)(rows + 1) * sizeof *start), *start2 = malloc((size_t)(rows + 1) * sizeof *start2);
  int32_t *col = malloc((size_t)count * sizeof *col), *col2 = malloc((size_t)count * sizeof *col2);
  double *value = malloc((size_t)count * sizeof *value), *value2 = malloc((size_t)count * sizeof *value2);
  assert_true(start && start2 && col && col2 && value && value2);
  assert_int_equal(cps_problem_W_csr(p, start, col, value), CPS_OK);
  CpsContactsDef def = cps_contacts_def_default();
  def.count = cps_problem_contact_count(p);
  def.mu = cps_problem_mu(p);
  def.b = cps_problem_b(p);
  assert_int_equal(cps_problem_from_csr(&def, start, col, value, &q, NULL), CPS_OK);
  assert_int_equal(cps_problem_W_entry_count(q), count);
  assert_int_equal(cps_problem_W_csr(q, start2, col2, value2), CPS_OK);
  assert_memory_equal(start, start2, (size_t)(rows + 1) * sizeof *start);
  assert_memory_equal(col, col2, (size_t)count * sizeof *col);
  assert_memory_equal(value, value2, (size_t)count * sizeof *value);
  free(start);
  free(start2);
  free(col);
  free(col2);
  free(value);
  free(value2);
  cps_problem_destroy(p);
  cps_problem_destroy(q);
}

static CpsProblem* diagonal_problem(int32_t count, int32_t dim, const double* diagonal, CpsLaw law, const double* b,
                                    double mu_all) {
  DenseProblem dense = {0};
  for (int i = 0; i < count; ++i) dense_problem_add_contact(&dense, dim, law, mu_all);
  for (int k = 0; k < dense.rows; ++k) {
    dense.W[k * dense.rows + k] = diagonal[k];
    dense.b[k] = b[k];
  }
  return dense_problem_build(&dense);
}

static void assert_residual(CpsProblem* p, const double* r, double natural, double siconos, int32_t worst) {
  CpsResidual residual;
  assert_int_equal(cps_problem_residual(p, r, &residual), CPS_OK);
  // a few roundings of numbers of order one
  assert_near(residual.natural, natural, 1e-15);
  assert_near(residual.siconos, siconos, 1e-15);
  assert_int_equal(residual.worst_contact, worst);
  cps_problem_destroy(p);
}

// W = I, b = (0, 3, 4), mu = 1/2, r = (2, 0, 0): u = (2, 3, 4), ||r|| + xi ||b|| = 7.
//   coulomb    u~ = (4.5, 3, 4), r - u~ = (-2.5, -3, -4) is in the polar cone: e = ||r|| = 2
//   convex     r - u = (0, -3, -4), P = (2, -0.6, -0.8): e = 1
//   bilateral  e = ||u|| = sqrt(29)
//   free       e = ||r|| = 2
static void residuals_by_hand_under_each_law(void** state) {
  (void)state;
  const double W[3] = {1.0, 1.0, 1.0}, b[3] = {0.0, 3.0, 4.0}, r[3] = {2.0, 0.0, 0.0};
  assert_residual(diagonal_problem(1, 3, W, CPS_LAW_COULOMB, b, 0.5), r, 2.0 / 7.0, 2.0 / 5.0, 0);
  assert_residual(diagonal_problem(1, 3, W, CPS_LAW_CONVEX, b, 0.5), r, 1.0 / 7.0, 1.0 / 5.0, 0);
  assert_residual(diagonal_problem(1, 3, W, CPS_LAW_BILATERAL, b, 0.5), r, sqrt(29.0) / 7.0, sqrt(29.0) / 5.0, 0);
  assert_residual(diagonal_problem(1, 3, W, CPS_LAW_FREE, b, 0.5), r, 2.0 / 7.0, 2.0 / 5.0, 0);
}

// r = 0 and b = (-1, 0, …): e = xi, divided by xi: 1 in every dimension; with xi = 1 it is 1 / ||b|| too.
static void an_unanswered_blow_has_residual_one(void** state) {
  (void)state;
  const double W[6] = {1.0, 3.0, 2.0, 5.0, 4.0, 0.5}, b[6] = {-1.0}, r[6] = {0};
  const int32_t dims[] = {2, 3, 6};
  for (int k = 0; k < 3; ++k) {
    assert_residual(diagonal_problem(1, dims[k], W, CPS_LAW_COULOMB, b, 0.3), r, 1.0, 1.0, 0);
  }
}

static void nothing_over_nothing_is_nothing(void** state) {
  (void)state;
  const double I[3] = {1.0, 1.0, 1.0}, zero[6] = {0};
  assert_residual(diagonal_problem(1, 3, I, CPS_LAW_COULOMB, zero, 0.5), zero, 0.0, 0.0, 0);
  assert_residual(diagonal_problem(2, 3, zero, CPS_LAW_COULOMB, zero, 0.5), zero, 0.0, 0.0, 0);
}

// W_11 = 2 I has xi = 1/2 and W_22 = 0 takes the mean, 1/2 too; both zero: 1.
//   r = 0, b_N = -1 and -4: e = (xi, 4 xi), divided by 4 xi
static void a_vanishing_diagonal_block_takes_the_mean(void** state) {
  (void)state;
  const double W[6] = {2.0, 2.0, 2.0, 0.0, 0.0, 0.0}, zero[6] = {0}, b[6] = {-1.0, 0.0, 0.0, -4.0, 0.0, 0.0};
  // siconos: sqrt(1 + 16) / sqrt(17)
  assert_residual(diagonal_problem(2, 3, W, CPS_LAW_COULOMB, b, 0.5), zero, 1.0, 1.0, 1);
  assert_residual(diagonal_problem(2, 3, zero, CPS_LAW_COULOMB, b, 0.5), zero, 1.0, 1.0, 1);
  // r = (2, 0, 0 | 1, 0, 0): u = (3, 0, 0 | -4, 0, 0). e_1 = min(2, 3 xi) = 1.5, e_2 = 4 xi = 2, scale 2 + 4 xi = 4
  const double r[6] = {2.0, 0.0, 0.0, 1.0, 0.0, 0.0};
  assert_residual(diagonal_problem(2, 3, W, CPS_LAW_COULOMB, b, 0.5), r, 0.5, sqrt(4.0 + 16.0) / sqrt(17.0), 1);
}

// Take-off, stick, slide and a tie; then with a tolerance so loose that nothing is left of the impulses.
static void statuses_by_hand(void** state) {
  (void)state;
  DenseProblem dense = {0};
  const CpsLaw laws[] = {CPS_LAW_COULOMB, CPS_LAW_COULOMB, CPS_LAW_COULOMB, CPS_LAW_BILATERAL, CPS_LAW_FREE};
  for (int i = 0; i < 5; ++i) dense_problem_add_contact(&dense, 3, laws[i], 0.5);
  for (int k = 0; k < 15; ++k) dense.W[k * 16] = 1.0;
  const double b[15] = {1.0, 2.0, 0.0, -1.0, 0.25, 0.0, -1.0, 1.5, 2.0, 3.0, 0.0, 1.0, 5.0, 5.0, 5.0};
  const double r[15] = {0.0, 0.0, 0.0, 1.0, -0.25, 0.0, 1.0, -0.3, -0.4, -3.0, 0.0, -1.0, 0.0, 0.0, 0.0};
  memcpy(dense.b, b, sizeof b);
  CpsProblem* p = dense_problem_build(&dense);
  CpsResidual residual;
  assert_int_equal(cps_problem_residual(p, r, &residual), CPS_OK);
  assert_below(residual.natural, 1e-16);
  CpsContactStatus statuses[5];
  const CpsContactStatus expected[] = {CPS_CONTACT_TAKEOFF, CPS_CONTACT_STICK, CPS_CONTACT_SLIDE, CPS_CONTACT_STICK,
                                       CPS_CONTACT_TAKEOFF};
  assert_int_equal(cps_problem_contact_statuses(p, r, 1e-8, statuses), CPS_OK);
  for (int i = 0; i < 5; ++i) assert_int_equal(statuses[i], expected[i]);
  assert_int_equal(cps_problem_contact_statuses(p, r, 10.0, statuses), CPS_OK);
  for (int i = 0; i < 5; ++i) assert_int_equal(statuses[i], i == 3 ? CPS_CONTACT_STICK : CPS_CONTACT_TAKEOFF);
  assert_int_equal(cps_problem_contact_statuses(p, r, 0.0, statuses), CPS_BAD_ARGUMENT);
  cps_problem_destroy(p);
}

// The analytic problems (docs/theory/one-contact.md): W, b, mu, then the exact r.
typedef struct Analytic {
  double W[9], b[3], mu, r[3];
} Analytic;
static const Analytic UNIQUE[] = {
    {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 5, -3}, 0.5, {0, 0, 0}},            // take-off
    {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 2, 0}, 0.5, {0, 0, 0}},             // grazing
    {{2, 0, 0, 0, 4, 0, 0, 0, 4}, {-2, 1, 0}, 0.5, {1, -0.25, 0}},        // stick
    {{1, 0, 0, 0, 2, 0, 0, 0, 2}, {-1, 3, 4}, 0.5, {1, -0.3, -0.4}},      // slide
    {{2, 1, 0, 1, 3, 0, 0, 0, 1}, {-4, 7, 1}, 0.0, {2, 0, 0}},            // no friction, coupled
    {{1, 0, 0, 0, 1, 0, 0, 0, 4}, {-1, 0.9, 2.4}, 0.5, {1, -0.3, -0.4}},  // anisotropic
    {{2, 1, 0, 1, 2, 0, 0, 0, 1}, {-3, 4, 0}, 0.5, {2, -1, 0}},           // normal and tangent coupled
};

// Asked for 1e-10; W has a condition below ten and impulses are of order one, so that r is within 1e-8.
static void analytic_problems_have_their_answers_by_every_exact_method(void** state) {
  (void)state;
  for (int m = 0; m < CPS_METHOD_COUNT; ++m) {
    const CpsMethodInfo* method = cps_method_info((CpsMethod)m);
    if (!method->exact || !method->available) continue;
    CpsSolveOptions options = sample_options((CpsMethod)m, 1e-10);
    for (size_t k = 0; k < sizeof UNIQUE / sizeof *UNIQUE; ++k) {
      const Analytic* a = &UNIQUE[k];
      CpsProblem* p = sample_one(3, a->W, a->b, a->mu);
      double r[3] = {0};
      CpsError error;
      if (cps_problem_solve(p, &options, r, NULL, &error) != CPS_OK) {
        fail_msg("%s, problem %d: %s", method->name, (int)k + 1, error.text);
      }
      for (int e = 0; e < 3; ++e) assert_near(r[e], a->r[e], 1e-8);
      cps_problem_destroy(p);
    }
    // 8: singular W, a set of answers (1, t, -1/4)
    const double W8[9] = {1, 0, 0, 0, 0, 0, 0, 0, 1}, b8[3] = {-1, 0, 0.25};
    CpsProblem* p = sample_one(3, W8, b8, 0.5);
    double r[6] = {0};
    assert_int_equal(cps_problem_solve(p, &options, r, NULL, NULL), CPS_OK);
    assert_near(r[0], 1.0, 1e-8);
    assert_near(r[2], -0.25, 1e-8);
    assert_true(hypot(r[1], r[2]) <= 0.5 + 1e-8);
    cps_problem_destroy(p);
    // 10: three answers, any of them will do
    const double W10[9] = {1, 2, 0, 2, 4.5, 0, 0, 0, 1}, b10[3] = {1, 3, 0};
    p = sample_one(3, W10, b10, 1.0);
    const double starts[3] = {0.0, 0.9, 3.0};
    for (int s = 0; s < 3; ++s) {
      const double answers[3][3] = {{0, 0, 0}, {1, -1, 0}, {3, -2, 0}};
      double nearest = INFINITY;
      memset(r, 0, sizeof r);
      r[0] = starts[s];
      r[1] = -0.7 * starts[s];
      CpsError error;
      if (cps_problem_solve(p, &options, r, NULL, &error) != CPS_OK) {
        fail_msg("%s, problem 10 from %g: %s", method->name, starts[s], error.text);
      }
      for (int e = 0; e < 3; ++e) {
        nearest = fmin(nearest, hypot(hypot(r[0] - answers[e][0], r[1] - answers[e][1]), r[2]));
      }
      assert_below(nearest, 1e-7);  // W has a condition of 60 here
    }
    cps_problem_destroy(p);
    // 12: two copies of the sliding problem
    DenseProblem twice = {0};
    dense_problem_add_contact(&twice, 3, CPS_LAW_COULOMB, 0.5);
    dense_problem_add_contact(&twice, 3, CPS_LAW_COULOMB, 0.5);
    for (int a = 0; a < 6; ++a) {
      twice.b[a] = UNIQUE[3].b[a % 3];
      for (int b = 0; b < 6; ++b) twice.W[a * 6 + b] = UNIQUE[3].W[a % 3 * 3 + b % 3];
    }
    p = dense_problem_build(&twice);
    memset(r, 0, sizeof r);
    assert_int_equal(cps_problem_solve(p, &options, r, NULL, NULL), CPS_OK);
    for (int e = 0; e < 3; ++e) assert_near(r[e] + r[e + 3], UNIQUE[3].r[e], 1e-8);
    cps_problem_destroy(p);
  }
}

// 11: W with a condition of 1e8 has up to three sliding roots; a solution always exists, as W is regular.
static void any_root_of_an_ill_conditioned_contact_is_a_solution(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(11);
  for (int k = 0; k < 300; ++k) {
    double Q[9], W[9], b[3];
    const double S[3] = {1.0, 1e-4, 1e-8};
    for (int e = 0; e < 9; ++e) Q[e] = cps_random_normal(&random);
    for (int e = 0; e < 9; ++e) {
      W[e] = 0.0;
      for (int c = 0; c < 3; ++c) W[e] += Q[e / 3 * 3 + c] * S[c] * Q[e % 3 * 3 + c];
    }
    for (int e = 0; e < 3; ++e) b[e] = cps_random_normal(&random);
    CpsProblem* p = sample_one(3, W, b, 0.2 + cps_random_uniform(&random));
    const CpsMethod methods[] = {CPS_METHOD_GS, CPS_METHOD_GS, CPS_METHOD_AUTO};
    for (int m = 0; m < 3; ++m) {
      CpsSolveOptions options = sample_options(methods[m], 1e-10);
      if (m == 1) options.local = CPS_LOCAL_ENUM;
      double r[3] = {0};
      CpsError error;
      if (cps_problem_solve(p, &options, r, NULL, &error) != CPS_OK) fail_msg("draw %d, %d: %s", k, m, error.text);
    }
    cps_problem_destroy(p);
  }
}

// Painleve: pushing harder to stop the approach only makes it faster; and a contact that no impulse can move.
static void where_there_is_no_solution_the_solver_says_so(void** state) {
  (void)state;
  const double W[2][9] = {{1, 2, 0, 2, 4, 0, 0, 0, 1}, {0, 0, 0, 0, 1, 0, 0, 0, 1}}, b[3] = {-1, 0, 0};
  for (int k = 0; k < 2; ++k) {
    CpsProblem* p = sample_one(3, W[k], b, 1.0);
    for (int m = 0; m < 3; ++m) {
      CpsSolveOptions options = sample_options(m < 2 ? CPS_METHOD_GS : CPS_METHOD_AUTO, 1e-8);
      if (m == 1) options.local = CPS_LOCAL_ENUM;
      double r[3] = {0};
      CpsSolveInfo info;
      CpsError error = {0};
      assert_int_equal(cps_problem_solve(p, &options, r, &info, &error), CPS_NO_SOLUTION);
      assert_int_equal(info.status, CPS_NO_SOLUTION);
      assert_true(info.residual > 0.1);
      assert_true(error.text[0] != '\0');
    }
    // The others may follow an impulse that runs away, which makes the relative residual small; none may call it solved.
    for (int m = 0; m < CPS_METHOD_COUNT; ++m) {
      if (!cps_method_info((CpsMethod)m)->available) continue;
      CpsSolveOptions options = sample_options((CpsMethod)m, 1e-8);
      options.max_iterations = 300;
      double r[3] = {0};
      CpsStatus status = cps_problem_solve(p, &options, r, NULL, NULL);
      assert_true(status == CPS_NOT_CONVERGED || status == CPS_NO_SOLUTION);
      for (int e = 0; e < 3; ++e) assert_true(isfinite(r[e]));
    }
    cps_problem_destroy(p);
  }
}

// A contact that nothing else touches has no solution whatever the others do, also if W is stored full of zeros.
static void one_contact_without_solution_is_enough(void** state) {
  (void)state;
  const double W[9] = {1, 2, 0, 2, 4, 0, 0, 0, 1};
  DenseProblem dense = {0};
  for (int i = 0; i < 3; ++i) dense_problem_add_contact(&dense, 3, CPS_LAW_COULOMB, 1.0);
  for (int a = 0; a < 9; ++a) {
    dense.W[a * 10] = 1.0;
    dense.b[a] = a % 3 == 0 ? -1.0 : 0.0;
  }
  for (int e = 0; e < 9; ++e) dense.W[(3 + e / 3) * 9 + 3 + e % 3] = W[e];
  dense.W[0 * 9 + 6] = dense.W[6 * 9 + 0] = 0.5;  // the two others are coupled
  CpsProblem* p = dense_problem_build(&dense);
  const CpsMethod methods[] = {CPS_METHOD_AUTO, CPS_METHOD_GS, CPS_METHOD_GS_PARALLEL};
  for (int m = 0; m < 3; ++m) {
    CpsSolveOptions options = sample_options(methods[m], 1e-8);
    double r[9] = {0};
    assert_int_equal(cps_problem_solve(p, &options, r, NULL, NULL), CPS_NO_SOLUTION);
  }
  cps_problem_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(builders_of_a_matrix_give_the_same_bits),
      cmocka_unit_test(repeated_and_unsorted_entries_are_added),
      cmocka_unit_test(bodies_stand_for_the_same_matrix),
      cmocka_unit_test(a_matrix_copied_out_builds_the_same_problem),
      cmocka_unit_test(residuals_by_hand_under_each_law),
      cmocka_unit_test(an_unanswered_blow_has_residual_one),
      cmocka_unit_test(nothing_over_nothing_is_nothing),
      cmocka_unit_test(a_vanishing_diagonal_block_takes_the_mean),
      cmocka_unit_test(statuses_by_hand),
      cmocka_unit_test(analytic_problems_have_their_answers_by_every_exact_method),
      cmocka_unit_test(any_root_of_an_ill_conditioned_contact_is_a_solution),
      cmocka_unit_test(where_there_is_no_solution_the_solver_says_so),
      cmocka_unit_test(one_contact_without_solution_is_enough),
  };
  return cmocka_run_group_tests(tests, make_forms, NULL);
}
