// Every allocation fails once, alone or with all that follow it: the call then returns CPS_NO_MEMORY and changes
// nothing, or does without that memory and gives its usual answer. Under AddressSanitizer this also says that nothing
// leaks.
#include "capstan/capstan.h"
#include "failing_memory.h"

#include "test_helpers.h"

#include <stdlib.h>
#include <string.h>

#ifdef CAPSTAN_DIRECT
#include <SuiteSparse_config.h>
#endif

// A chain of bodies, each pressed on the next: contact i is between bodies i and i + 1.
enum { N = 12, ROWS = 3 * N, BODIES = N + 1, TERMS = 2 * N, ATTEMPTS = 2000 };
typedef struct Chain {
  double mu[N], b[ROWS], H[TERMS * 9], Y[TERMS * 9], mass[BODIES * 9], f[BODIES * 3];
  int32_t body_dofs[BODIES], body[TERMS], col[TERMS * 9], band[BODIES];
  int64_t contact_start[N + 1], row_start[ROWS + 1], mass_start[BODIES * 3 + 1];
  int32_t mass_row[BODIES * 9];
  CpsContactsDef contacts;
  // W in blocks and in CSR, copied out of the factored form
  double W[ROWS * 9];
  int64_t W_start[ROWS + 1];
  int32_t W_col[ROWS * 9], block_row[3 * N], block_col[3 * N];
  double blocks[3 * N * 9];
  int64_t block_count;
} Chain;

static Chain chain;

static void fill_W(void) {
  CpsFactoredForm form = {BODIES, chain.body_dofs, chain.contact_start, chain.body, chain.H, chain.Y};
  CpsProblem* p = NULL;
  assert_int_equal(cps_problem_from_bodies(&chain.contacts, &form, &p, NULL), CPS_OK);
  assert_true(cps_problem_W_entry_count(p) <= ROWS * 9);
  assert_int_equal(cps_problem_W_csr(p, chain.W_start, chain.W_col, chain.W), CPS_OK);
  cps_problem_destroy(p);
  for (int32_t i = 0; i < N; ++i) {
    for (int64_t k = chain.W_start[3 * i]; k < chain.W_start[3 * i + 1]; k += 3, ++chain.block_count) {
      chain.block_row[chain.block_count] = i;
      chain.block_col[chain.block_count] = chain.W_col[k] / 3;
      for (int a = 0; a < 3; ++a) {
        const double* row = chain.W + chain.W_start[3 * i + a] + (k - chain.W_start[3 * i]);
        memcpy(chain.blocks + chain.block_count * 9 + (int64_t)a * 3, row, 3 * sizeof(double));
      }
    }
  }
}

static int make_chain(void** state) {
  (void)state;
  for (int body = 0; body < BODIES; ++body) {
    chain.body_dofs[body] = 3;
    for (int k = 0; k < 3; ++k) {
      chain.mass[body * 9 + 4 * k] = 1.0;
      chain.mass_start[body * 3 + k] = (body * 3 + k) * 3;
      chain.f[body * 3 + k] = k == 0 ? -1.0 - 0.1 * body : 0.3;
      for (int j = 0; j < 3; ++j) chain.mass_row[body * 9 + k * 3 + j] = body * 3 + j;
    }
  }
  chain.mass_start[BODIES * 3] = BODIES * 9;
  for (int i = 0; i < N; ++i) {
    chain.mu[i] = 0.3 + 0.05 * i;
    chain.contact_start[i + 1] = 2 * (i + 1);
    for (int side = 0; side < 2; ++side) {
      chain.body[2 * i + side] = i + side;
      for (int k = 0; k < 3; ++k) {
        chain.H[(2 * i + side) * 9 + 4 * k] = chain.Y[(2 * i + side) * 9 + 4 * k] = side == 0 ? 1.0 : -1.0;
        for (int j = 0; j < 3; ++j) chain.col[(3 * i + k) * 6 + side * 3 + j] = (i + side) * 3 + j;
      }
    }
    for (int k = 0; k < 3; ++k) {
      chain.row_start[3 * i + k + 1] = (3 * i + k + 1) * 6;
      chain.b[3 * i + k] = k == 0 ? -1.0 : 0.2 * k + 0.1 * i;
    }
  }
  chain.contacts = cps_contacts_def_default();
  chain.contacts.count = N;
  chain.contacts.mu = chain.mu;
  chain.contacts.b = chain.b;
  fill_W();
#ifdef CAPSTAN_DIRECT
  SuiteSparse_config.malloc_func = __wrap_malloc;
  SuiteSparse_config.calloc_func = __wrap_calloc;
  SuiteSparse_config.realloc_func = __wrap_realloc;
#endif
  return 0;
}

static CpsStatus build_blocks(CpsProblem** p) {
  return cps_problem_from_blocks(&chain.contacts, chain.block_count, chain.block_row, chain.block_col, chain.blocks, p,
                                 NULL);
}
static CpsStatus build_csr(CpsProblem** p) {
  return cps_problem_from_csr(&chain.contacts, chain.W_start, chain.W_col, chain.W, p, NULL);
}
static CpsStatus build_csc(CpsProblem** p) {
  return cps_problem_from_csc(&chain.contacts, chain.W_start, chain.W_col, chain.W, p, NULL);
}
static CpsStatus build_bodies(CpsProblem** p) {
  CpsFactoredForm form = {BODIES, chain.body_dofs, chain.contact_start, chain.body, chain.H, chain.Y};
  return cps_problem_from_bodies(&chain.contacts, &form, p, NULL);
}
static CpsStatus build_global(CpsMassKind kind, CpsForm form, CpsProblem** p) {
  static double H[ROWS * 6];
  for (int i = 0; i < N; ++i) {
    for (int k = 0; k < 3; ++k) {
      for (int j = 0; j < 6; ++j) H[(3 * i + k) * 6 + j] = j % 3 == k ? (j < 3 ? 1.0 : -1.0) : 0.0;
    }
  }
  static double diagonal[BODIES * 3];
  for (int k = 0; k < BODIES * 3; ++k) diagonal[k] = 1.0;
  CpsGlobalForm global = {.M = {.kind = kind,
                                .dof_count = BODIES * 3,
                                .body_count = BODIES,
                                .body_dofs = chain.body_dofs,
                                .bandwidth = chain.band,
                                .value = kind == CPS_MASS_BANDED ? diagonal : chain.mass,
                                .col_start = chain.mass_start,
                                .row = chain.mass_row},
                          .H_row_start = chain.row_start,
                          .H_col = chain.col,
                          .H_value = H,
                          .f = chain.f};
  return cps_problem_from_global(&chain.contacts, &global, form, p, NULL);
}
static CpsStatus build_dense(CpsProblem** p) {
  return build_global(CPS_MASS_DENSE_BLOCKS, CPS_FORM_W, p);
}
static CpsStatus build_banded(CpsProblem** p) {
  return build_global(CPS_MASS_BANDED, CPS_FORM_FACTORED, p);
}
#ifdef CAPSTAN_DIRECT
static CpsStatus build_sparse(CpsProblem** p) {
  return build_global(CPS_MASS_SPARSE, CPS_FORM_W, p);
}
#endif
static CpsStatus build_fibres(CpsProblem** p) {
  CpsGenerateDef def = cps_generate_def_default();
  def.contact_count = 30;
  return cps_problem_generate(&def, p, NULL);
}
static CpsStatus build_stack(CpsProblem** p) {
  CpsGenerateDef def = cps_generate_def_default();
  def.kind = CPS_GENERATE_STACK;
  def.contact_count = 30;
  def.form = CPS_FORM_W;
  return cps_problem_generate(&def, p, NULL);
}
static CpsStatus build_spheres(CpsProblem** p) {
  CpsGenerateDef def = cps_generate_def_default();
  def.kind = CPS_GENERATE_SPHERES;
  def.contact_count = 30;
  return cps_problem_generate(&def, p, NULL);
}

static void builders_survive_the_failure_of_each_allocation(void** state) {
  (void)state;
  CpsStatus (*const builders[])(CpsProblem**) = {build_blocks, build_csr,   build_csc,
                                                 build_bodies, build_dense, build_banded,
#ifdef CAPSTAN_DIRECT
                                                 build_sparse,
#endif
                                                 build_fibres, build_stack, build_spheres};
  for (size_t k = 0; k < sizeof builders / sizeof *builders; ++k) {
    int number = 0, refused = 0;
    for (allocation_failed = true; allocation_failed; ++number) {
      assert_true(number < ATTEMPTS);
      char place;
      CpsProblem *sentinel = (CpsProblem*)(void*)&place, *p = sentinel;
      fail_allocation(number);
      CpsStatus status = builders[k](&p);
      stop_failing();
      if (status == CPS_OK) {
        assert_true(cps_problem_contact_count(p) > 0);
        cps_problem_destroy(p);
      } else {
        assert_int_equal(status, CPS_NO_MEMORY);
        assert_ptr_equal(p, sentinel);
        refused++;
      }
    }
    assert_true(refused > 0 || !keep_failing);
  }
}

// The answer of each method with all the memory it wants is the measure for the others.
static void solves_survive_the_failure_of_each_allocation(void** state) {
  (void)state;
  CpsProblem* problems[2] = {NULL, NULL};
  assert_int_equal(build_blocks(&problems[0]), CPS_OK);
  assert_int_equal(build_bodies(&problems[1]), CPS_OK);
  for (int m = 0; m < CPS_METHOD_COUNT; ++m) {
    const CpsMethodInfo* method = cps_method_info((CpsMethod)m);
    if (!method || !method->available) continue;
    for (int form = 0; form < 2; ++form) {
      CpsSolveOptions options = cps_solve_options_default();
      options.method = (CpsMethod)m;
      options.max_iterations = 40;
      options.tolerance = 1e-6;
      options.check_identities = true;
      options.threads = m == CPS_METHOD_GS_PARALLEL ? 2 : 1;
      double usual[ROWS] = {0};
      CpsStatus usually = cps_problem_solve(problems[form], &options, usual, NULL, NULL);
      assert_true(usually >= 0);
      int refused = 0, number = 0;
      for (allocation_failed = true; allocation_failed; ++number) {
        assert_true(number < ATTEMPTS);
        double r[ROWS] = {0}, zero[ROWS] = {0};
        fail_allocation(number);
        CpsSolveInfo info;
        CpsStatus status = cps_problem_solve(problems[form], &options, r, &info, NULL);
        stop_failing();
        if (status < 0) {
          if (status != CPS_NO_MEMORY) print_error("%s says '%s'\n", method->name, cps_status_string(status));
          assert_int_equal(status, CPS_NO_MEMORY);
          assert_memory_equal(r, zero, sizeof r);
          refused++;
        } else {
          CpsResidual residual;
          assert_int_equal(cps_problem_residual(problems[form], r, &residual), CPS_OK);
          assert_true((status == CPS_OK) == (residual.natural <= options.tolerance));
        }
        if (!allocation_failed) {
          assert_int_equal(status, usually);
          assert_memory_equal(r, usual, sizeof r);
        }
      }
      assert_true(refused > 0 || !keep_failing);
    }
  }
  cps_problem_destroy(problems[0]);
  cps_problem_destroy(problems[1]);
}

// A workspace that ran out of memory once serves the next solve as if nothing had been.
static void a_workspace_recovers(void** state) {
  (void)state;
  CpsProblem* p = NULL;
  assert_int_equal(build_blocks(&p), CPS_OK);
  CpsSolveOptions options = cps_solve_options_default();
  options.method = CPS_METHOD_GS;
  double usual[ROWS] = {0};
  assert_true(cps_problem_solve(p, &options, usual, NULL, NULL) >= 0);
  int number = 0;
  for (allocation_failed = true; allocation_failed; ++number) {
    assert_true(number < ATTEMPTS);
    CpsWorkspace* workspace = NULL;
    fail_allocation(number);
    CpsStatus status = cps_workspace_create(&workspace);
    if (status == CPS_OK) {
      double r[ROWS] = {0};
      (void)cps_workspace_solve(workspace, p, &options, r, NULL, NULL);
      stop_failing();
      double again[ROWS] = {0};
      assert_true(cps_workspace_solve(workspace, p, &options, again, NULL, NULL) >= 0);
      assert_memory_equal(again, usual, sizeof again);
    } else {
      assert_int_equal(status, CPS_NO_MEMORY);
      assert_null(workspace);
    }
    stop_failing();
    cps_workspace_destroy(workspace);
  }
  cps_problem_destroy(p);
}

static void measures_survive_the_failure_of_each_allocation(void** state) {
  (void)state;
  CpsProblem* p = NULL;
  assert_int_equal(build_bodies(&p), CPS_OK);
  const double r[ROWS] = {0};
  for (int which = 0; which < 7; ++which) {
    int refused = 0, number = 0;
    for (allocation_failed = true; allocation_failed; ++number) {
      assert_true(number < ATTEMPTS);
      CpsResidual residual;
      CpsContactStatus statuses[N];
      CpsIdentities identities;
      CpsProblemInfo info;
      int32_t island[N], count = -7;
      fail_allocation(number);
      CpsStatus status = CPS_OK;
      if (which == 0) status = cps_problem_residual(p, r, &residual);
      if (which == 1) status = cps_problem_contact_statuses(p, r, 1e-8, statuses);
      if (which == 2) status = cps_problem_identities(p, r, &identities);
      if (which == 3) status = cps_problem_describe(p, &info);
      if (which == 4) status = cps_problem_islands(p, island, &count);
      if (which == 5) status = cps_problem_W_csr(p, chain.W_start, chain.W_col, chain.W);
      if (which == 6 && cps_problem_W_entry_count(p) < 0) status = CPS_NO_MEMORY;
      stop_failing();
      refused += status != CPS_OK;
      assert_true(status == CPS_OK || status == CPS_NO_MEMORY);
      if (which == 4 && status != CPS_OK) assert_int_equal(count, -7);
    }
    assert_true(refused > 0 || !keep_failing);
  }
  cps_problem_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(builders_survive_the_failure_of_each_allocation, fail_one),
      cmocka_unit_test_setup(builders_survive_the_failure_of_each_allocation, fail_the_rest),
      cmocka_unit_test_setup(solves_survive_the_failure_of_each_allocation, fail_one),
      cmocka_unit_test_setup(solves_survive_the_failure_of_each_allocation, fail_the_rest),
      cmocka_unit_test_setup(a_workspace_recovers, fail_one),
      cmocka_unit_test_setup(a_workspace_recovers, fail_the_rest),
      cmocka_unit_test_setup(measures_survive_the_failure_of_each_allocation, fail_one),
      cmocka_unit_test_setup(measures_survive_the_failure_of_each_allocation, fail_the_rest),
  };
  return cmocka_run_group_tests(tests, make_chain, NULL);
}
