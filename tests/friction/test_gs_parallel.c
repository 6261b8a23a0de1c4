// Gauss-Seidel by colours: colours that hold their promise, the exact law, and the same bits for any number of threads.
// labels: threads
#include "capstan/generate.h"
#include "friction/global/colouring.h"
#include "sample_problems.h"

static bool share_a_body(const CpsProblem* p, int32_t i, int32_t j) {
  const CpsFactors* f = &p->factors;
  for (int64_t k = f->contact_start[i]; k < f->contact_start[i + 1]; k++) {
    for (int64_t l = f->contact_start[j]; l < f->contact_start[j + 1]; l++) {
      if (f->body[k] == f->body[l]) return true;
    }
  }
  return false;
}

static bool coupled(const CpsProblem* p, int32_t i, int32_t j) {
  if (!p->has_W) return share_a_body(p, i, j);
  return cps_block_matrix_find(&p->W, i, j) >= 0 || cps_block_matrix_find(&p->W, j, i) >= 0;
}

static void check_colouring(const CpsProblem* p) {
  CpsArena arena = {0};
  CpsColouring colouring;
  assert_true(cps_colouring_make(p, &arena, &colouring));
  int* seen = calloc((size_t)p->contact_count + 1, sizeof *seen);
  assert_non_null(seen);
  assert_int_equal(colouring.start[0], 0);
  assert_int_equal(colouring.start[colouring.count], p->contact_count);
  for (int32_t c = 0; c < colouring.count; c++) {
    assert_true(colouring.start[c] < colouring.start[c + 1]);
    for (int32_t a = colouring.start[c]; a < colouring.start[c + 1]; a++) {
      seen[colouring.contact[a]]++;
      for (int32_t b = colouring.start[c]; b < a; b++) {
        assert_true(colouring.contact[b] < colouring.contact[a]);
        assert_false(coupled(p, colouring.contact[a], colouring.contact[b]));
      }
    }
  }
  for (int32_t i = 0; i < p->contact_count; i++) assert_int_equal(seen[i], 1);
  free(seen);
  cps_arena_free(&arena);
}

static void contacts_of_one_colour_are_not_coupled(void** state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    SampleDef def = {.contacts = 200, .bodies = 60, .dim = 3, .dofs = 6, .mu = 0.5, .seed = 3, .form_W = form == 1};
    CpsProblem* problem = sample_bodies(def);
    check_colouring(problem);
    cps_problem_destroy(problem);
  }
}

// Contacts of every two of four bodies, several of each: more than 64 colours. Bodies that nothing touches change no colour; with many of them
// colours are kept in lists, without in sets of bits.
static void free_bodies_change_no_colour(void** state) {
  (void)state;
  enum { EACH = 40, COUNT = 6 * EACH };
  static double H[COUNT * 2 * 9], b[COUNT * 3], mu[COUNT];
  static int32_t body[2 * COUNT], dofs[4000];
  static int64_t start[COUNT + 1];
  int32_t k = 0;
  for (int32_t i = 0; i < 6 * EACH; i++, k += 2) {
    static const int32_t PAIR[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    body[k] = PAIR[i % 6][0];
    body[k + 1] = PAIR[i % 6][1];
    start[i + 1] = k + 2;
    mu[i] = 0.5;
  }
  for (int32_t i = 0; i < 2 * COUNT; i++) H[9 * i] = H[9 * i + 4] = H[9 * i + 8] = i % 2 ? -1.0 : 1.0;
  for (int i = 0; i < 4000; i++) dofs[i] = 3;
  CpsContactsDef def = cps_contacts_def_default();
  def.count = COUNT;
  def.b = b;
  def.mu = mu;
  CpsColouring colouring[2];
  CpsArena arena[2] = {{0}};
  for (int many = 0; many < 2; many++) {
    const CpsFactoredForm form = {many ? 4000 : 4, dofs, start, body, H, H};
    CpsProblem* problem;
    assert_int_equal(cps_problem_from_bodies(&def, &form, &problem, NULL), CPS_OK);
    check_colouring(problem);
    assert_true(cps_colouring_make(problem, &arena[many], &colouring[many]));
    cps_problem_destroy(problem);
  }
  assert_true(colouring[0].count > 64);
  assert_int_equal(colouring[0].count, colouring[1].count);
  assert_memory_equal(colouring[0].contact, colouring[1].contact, COUNT * sizeof(int32_t));
  for (int many = 0; many < 2; many++) cps_arena_free(&arena[many]);
}

// W_01 is stored, W_10 is not: contact 0 reads r_1, so they may not be solved at once.
static void a_one_sided_coupling_counts(void** state) {
  (void)state;
  CpsContactsDef def = cps_contacts_def_default();
  double b[6] = {-1, 0, 0, -1, 0, 0}, mu[2] = {0.5, 0.5};
  double values[27] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  int32_t rows[3] = {0, 0, 1}, cols[3] = {0, 1, 1};
  def.count = 2;
  def.b = b;
  def.mu = mu;
  for (int swap = 0; swap < 2; swap++) {
    CpsProblem* problem;
    assert_int_equal(cps_problem_from_blocks(&def, 3, swap ? cols : rows, swap ? rows : cols, values, &problem, NULL),
                     CPS_OK);
    CpsArena arena = {0};
    CpsColouring colouring;
    assert_true(cps_colouring_make(problem, &arena, &colouring));
    assert_int_equal(colouring.count, 2);
    cps_arena_free(&arena);
    cps_problem_destroy(problem);
  }
}

static void analytic_contacts_are_solved_exactly(void** state) {
  (void)state;
  assert_solves_sample_cases(CPS_METHOD_GS_PARALLEL);
}

static void a_certificate_of_no_solution_is_passed_on(void** state) {
  (void)state;
  const double W[9] = {1, 2, 0, 2, 4, 0, 0, 0, 1}, b[3] = {-1, 0, 0};
  CpsProblem* problem = sample_one(3, W, b, 1.0);
  CpsSolveOptions options = sample_options(CPS_METHOD_GS_PARALLEL, 1e-8);
  options.max_iterations = 50;
  double r[3] = {0, 0, 0};
  CpsSolveInfo info;
  assert_int_equal(cps_problem_solve(problem, &options, r, &info, NULL), CPS_NO_SOLUTION);
  assert_true(info.local_unsolved > 0);
  cps_problem_destroy(problem);
}

// Solves with 1 to 4 threads and compares everything that is not a time, bit by bit.
static void check_same_bits(const CpsProblem* problem, CpsSolveOptions options) {
  size_t bytes = (size_t)cps_problem_row_count(problem) * sizeof(double);
  double* first = malloc(bytes);
  double* r = malloc(bytes);
  assert_true(first && r);
  CpsSolveInfo first_info = {0}, info;
  for (int threads = 1; threads <= 4; threads++) {
    options.threads = threads;
    memset(r, 0, bytes);
    CpsStatus status = cps_problem_solve(problem, &options, r, &info, NULL);
    assert_true(status >= 0);
    if (threads == 1) {
      memcpy(first, r, bytes);
      first_info = info;
      double largest = 0.0;
      for (size_t k = 0; k < bytes / sizeof *r; k++) largest = fmax(largest, fabs(r[k]));
      assert_true(largest > 0.0);
      continue;
    }
    assert_memory_equal(r, first, bytes);
    assert_int_equal(status, first_info.status);
    assert_memory_equal(&info.residual, &first_info.residual, sizeof info.residual);
    assert_int_equal(info.iterations, first_info.iterations);
    assert_int_equal(info.local_calls, first_info.local_calls);
    assert_int_equal(info.local_failures, first_info.local_failures);
    assert_int_equal(info.local_fallbacks, first_info.local_fallbacks);
  }
  free(first);
  free(r);
}

static void the_bits_do_not_depend_on_the_threads(void** state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    for (int freeze = 0; freeze < 2; freeze++) {
      SampleDef def = {.contacts = 300, .bodies = 200, .dim = 3, .dofs = 6, .mu = 0.4, .seed = 11, .form_W = form == 1};
      CpsProblem* problem = sample_bodies(def);
      CpsSolveOptions options = sample_options(CPS_METHOD_GS_PARALLEL, 1e-8);
      options.freeze = freeze == 1;
      options.max_iterations = 30;
      check_same_bits(problem, options);
      cps_problem_destroy(problem);
    }
  }
}

static void the_bits_do_not_depend_on_the_threads_with_any_local_solver(void** state) {
  (void)state;
  SampleDef def = {.contacts = 150, .bodies = 120, .dim = 3, .dofs = 6, .mu = 0.4, .seed = 5, .form_W = false};
  CpsProblem* problem = sample_bodies(def);
  for (int local = 0; local < CPS_LOCAL_COUNT; local++) {
    if (cps_local_info((CpsLocal)local) == NULL) continue;
    CpsSolveOptions options = sample_options(CPS_METHOD_GS_PARALLEL, 1e-8);
    options.local = (CpsLocal)local;
    options.max_iterations = 15;
    check_same_bits(problem, options);
  }
  cps_problem_destroy(problem);
}

static void generated_problems_give_the_same_bits(void** state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    for (int form = 0; form < 2; form++) {
      CpsGenerateDef def = cps_generate_def_default();
      def.kind = (CpsGenerateKind)kind;
      def.contact_count = 200;
      def.form = form == 0 ? CPS_FORM_W : CPS_FORM_FACTORED;
      CpsProblem* problem;
      assert_int_equal(cps_problem_generate(&def, &problem, NULL), CPS_OK);
      check_colouring(problem);
      CpsSolveOptions options = sample_options(CPS_METHOD_GS_PARALLEL, 1e-6);
      options.max_iterations = 15;
      check_same_bits(problem, options);
      cps_problem_destroy(problem);
    }
  }
}

// u is unique where r need not be; both methods and both forms reach it.
static void it_agrees_with_the_sequential_method_on_both_forms(void** state) {
  (void)state;
  SampleDef def = {.contacts = 40, .bodies = 40, .dim = 3, .dofs = 6, .mu = 0.3, .seed = 21};
  double u[3][120];
  for (int k = 0; k < 3; k++) {
    def.form_W = k < 2;
    CpsProblem* problem = sample_bodies(def);
    CpsSolveOptions options = sample_options(k == 0 ? CPS_METHOD_GS : CPS_METHOD_GS_PARALLEL, 1e-11);
    options.threads = 1 + k;
    double r[120] = {0};
    assert_int_equal(cps_problem_solve(problem, &options, r, NULL, NULL), CPS_OK);
    assert_int_equal(cps_problem_velocity(problem, r, u[k]), CPS_OK);
    cps_problem_destroy(problem);
  }
  // residual 1e-11 times the condition of the random W, below 1e3
  for (int c = 0; c < 120; c++) {
    assert_near(u[1][c], u[0][c], 1e-7);
    assert_near(u[2][c], u[0][c], 1e-7);
  }
}

static void no_contacts_is_a_problem_too(void** state) {
  (void)state;
  CpsContactsDef def = cps_contacts_def_default();
  double none = 0.0;
  def.b = &none;
  def.mu = &none;
  CpsProblem* problem;
  assert_int_equal(cps_problem_from_blocks(&def, 0, NULL, NULL, NULL, &problem, NULL), CPS_OK);
  CpsSolveOptions options = sample_options(CPS_METHOD_GS_PARALLEL, 1e-8);
  options.threads = 2;
  assert_int_equal(cps_problem_solve(problem, &options, &none, NULL, NULL), CPS_OK);
  cps_problem_destroy(problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_of_one_colour_are_not_coupled),
      cmocka_unit_test(free_bodies_change_no_colour),
      cmocka_unit_test(a_one_sided_coupling_counts),
      cmocka_unit_test(analytic_contacts_are_solved_exactly),
      cmocka_unit_test(a_certificate_of_no_solution_is_passed_on),
      cmocka_unit_test(the_bits_do_not_depend_on_the_threads),
      cmocka_unit_test(the_bits_do_not_depend_on_the_threads_with_any_local_solver),
      cmocka_unit_test(generated_problems_give_the_same_bits),
      cmocka_unit_test(it_agrees_with_the_sequential_method_on_both_forms),
      cmocka_unit_test(no_contacts_is_a_problem_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
