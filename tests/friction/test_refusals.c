// Every public function refuses input that breaks its contract, with the right status and a message, and leaves its
// outputs as they were.
#include "capstan/capstan.h"

#include "test_helpers.h"

#include <stdlib.h>
#include <string.h>

// Two sliding contacts, coupled.
enum { N = 2, ROWS = 6, BLOCKS = 4 };
typedef struct Input {
  int32_t dims[N], rows[BLOCKS], cols[BLOCKS];
  CpsLaw laws[N];
  double mu[N], b[ROWS], shift[ROWS], blocks[BLOCKS * 9];
  int64_t start[ROWS + 1];
  int32_t index[ROWS * ROWS];
  double value[ROWS * ROWS];
  int32_t body_dofs[N], body[N];
  int64_t contact_start[N + 1];
  double H[N * 9], f[ROWS];
  int64_t H_start[ROWS + 1];
  int32_t H_col[ROWS * 3];
  CpsContactsDef contacts;
} Input;

static Input good_input(void) {
  Input in = {.dims = {3, 3},
              .rows = {0, 0, 1, 1},
              .cols = {0, 1, 0, 1},
              .mu = {0.5, 0.5},
              .b = {-1, 3, 4, -1, 3, 4},
              .body_dofs = {3, 3},
              .body = {0, 1},
              .contact_start = {0, 1, 2}};
  for (int k = 0; k < ROWS; ++k) {
    bool off = k >= 3;
    in.blocks[(off ? 27 : 0) + 4 * (k % 3)] = 2.0;
    in.H[(off ? 9 : 0) + 4 * (k % 3)] = 1.0;
    for (int j = 0; j < ROWS; ++j) {
      in.index[k * ROWS + j] = j;
      in.value[k * ROWS + j] = j == k ? 2.0 : 0.0;
    }
    for (int j = 0; j < 3; ++j) in.H_col[k * 3 + j] = j + (off ? 3 : 0);
  }
  for (int k = 0; k <= ROWS; ++k) {
    in.start[k] = (int64_t)k * ROWS;
    in.H_start[k] = (int64_t)k * 3;
  }
  in.contacts = cps_contacts_def_default();
  in.contacts.count = N;
  return in;
}

static void join(Input* in) {
  in->contacts.mu = in->mu;
  in->contacts.b = in->b;
  in->contacts.laws = in->laws;
  in->contacts.shift = in->shift;
  in->contacts.dims = in->dims;
}

typedef CpsStatus (*Build)(const Input* in, CpsProblem** problem, CpsError* error);

static CpsStatus from_blocks(const Input* in, CpsProblem** problem, CpsError* error) {
  return cps_problem_from_blocks(&in->contacts, BLOCKS, in->rows, in->cols, in->blocks, problem, error);
}
static CpsStatus from_csr(const Input* in, CpsProblem** problem, CpsError* error) {
  return cps_problem_from_csr(&in->contacts, in->start, in->index, in->value, problem, error);
}
static CpsStatus from_csc(const Input* in, CpsProblem** problem, CpsError* error) {
  return cps_problem_from_csc(&in->contacts, in->start, in->index, in->value, problem, error);
}
static CpsFactoredForm factored_form(const Input* in) {
  return (CpsFactoredForm){N, in->body_dofs, in->contact_start, in->body, in->H, in->H};
}
static CpsStatus from_bodies(const Input* in, CpsProblem** problem, CpsError* error) {
  CpsFactoredForm form = factored_form(in);
  return cps_problem_from_bodies(&in->contacts, &form, problem, error);
}
static CpsGlobalForm global_form(const Input* in) {
  return (CpsGlobalForm){
      {.kind = CPS_MASS_DENSE_BLOCKS, .dof_count = ROWS, .body_count = N, .body_dofs = in->body_dofs, .value = in->H},
      in->H_start,
      in->H_col,
      in->H,
      in->f};
}
static CpsStatus from_global(const Input* in, CpsProblem** problem, CpsError* error) {
  CpsGlobalForm form = global_form(in);
  return cps_problem_from_global(&in->contacts, &form, CPS_FORM_FACTORED, problem, error);
}
static CpsStatus from_global_W(const Input* in, CpsProblem** problem, CpsError* error) {
  CpsGlobalForm form = global_form(in);
  return cps_problem_from_global(&in->contacts, &form, CPS_FORM_W, problem, error);
}

static const Build BUILDERS[] = {from_blocks, from_csr, from_csc, from_bodies, from_global, from_global_W};
enum { BUILDER_COUNT = sizeof BUILDERS / sizeof *BUILDERS };

// The call fails with the status, says why in one message, and does not touch *problem.
static void assert_refused(Build build, const Input* in, CpsStatus expected, const char* what) {
  char place;
  CpsProblem *sentinel = (CpsProblem*)(void*)&place, *problem = sentinel;
  CpsError error;
  memset(&error, 0, sizeof error);
  CpsStatus status = build(in, &problem, &error);
  if (status != expected) print_error("%s: '%s' (%s)\n", what, cps_status_string(status), error.text);
  assert_int_equal(status, expected);
  assert_ptr_equal(problem, sentinel);
  assert_true(strlen(error.text) > 0);
  assert_null(strchr(error.text, '\n'));
  assert_int_equal(build(in, &problem, NULL), expected);
}

static void the_good_input_is_accepted_by_every_builder(void** state) {
  (void)state;
  for (int k = 0; k < BUILDER_COUNT; ++k) {
    Input in = good_input();
    join(&in);
    CpsProblem* problem = NULL;
    CpsError error = {"not empty"};
    assert_int_equal(BUILDERS[k](&in, &problem, &error), CPS_OK);
    assert_string_equal(error.text, "");
    assert_int_equal(cps_problem_row_count(problem), ROWS);
    cps_problem_destroy(problem);
  }
}

static void builders_refuse_contacts_that_make_no_sense(void** state) {
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < BUILDER_COUNT; ++k) {
    Build build = BUILDERS[k];
    for (int which = 0; which < 3; ++which) {
      Input in = good_input();
      join(&in);
      in.b[4] = bad[which];
      assert_refused(build, &in, CPS_BAD_DATA, "b not finite");
      in = good_input();
      join(&in);
      in.mu[1] = bad[which];
      assert_refused(build, &in, CPS_BAD_DATA, "mu not finite");
      in = good_input();
      join(&in);
      in.shift[0] = bad[which];
      assert_refused(build, &in, CPS_BAD_DATA, "shift not finite");
    }
    Input in = good_input();
    join(&in);
    in.mu[0] = -1e-300;
    assert_refused(build, &in, CPS_BAD_DATA, "mu < 0");
    in = good_input();
    join(&in);
    in.laws[1] = (CpsLaw)7;
    assert_refused(build, &in, CPS_BAD_DATA, "unknown law");
    in = good_input();
    join(&in);
    in.b[2] = in.shift[2] = 1e308;
    assert_refused(build, &in, CPS_BAD_DATA, "b + shift overflows");
  }
}

static void builders_refuse_a_contacts_struct_that_breaks_the_contract(void** state) {
  (void)state;
  for (int k = 0; k < BUILDER_COUNT; ++k) {
    Build build = BUILDERS[k];
    Input in = good_input();
    join(&in);
    in.contacts.cookie = 0;
    assert_refused(build, &in, CPS_BAD_ARGUMENT, "never initialised");
    in = good_input();
    join(&in);
    in.contacts.b = NULL;
    assert_refused(build, &in, CPS_BAD_ARGUMENT, "b NULL");
    in = good_input();
    join(&in);
    in.contacts.mu = NULL;
    assert_refused(build, &in, CPS_BAD_ARGUMENT, "mu NULL");
    in = good_input();
    join(&in);
    in.contacts.dim = 0;
    in.contacts.dims = NULL;
    assert_refused(build, &in, CPS_BAD_ARGUMENT, "dims NULL");
    in = good_input();
    join(&in);
    in.contacts.dim = 4;
    assert_refused(build, &in, CPS_BAD_DATA, "dimension 4");
    in = good_input();
    join(&in);
    in.contacts.dim = 0;
    in.dims[1] = 5;
    assert_refused(build, &in, CPS_BAD_DATA, "dimension 5 of one");
    in = good_input();
    join(&in);
    in.contacts.count = -1;
    assert_refused(build, &in, CPS_BAD_DATA, "negative count");
    in = good_input();
    join(&in);
    in.contacts.dof_count = -1;
    assert_refused(build, &in, CPS_BAD_DATA, "negative dofs");
  }
}

static void builders_refuse_a_matrix_that_makes_no_sense(void** state) {
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int which = 0; which < 3; ++which) {
    for (int k = 0; k < BUILDER_COUNT; ++k) {
      Input in = good_input();
      join(&in);
      in.blocks[9] = in.value[3] = in.H[1] = bad[which];
      assert_refused(BUILDERS[k], &in, CPS_BAD_DATA, "not finite");
    }
  }
  for (int k = 0; k < BUILDER_COUNT; ++k) {
    Input in = good_input();
    join(&in);
    in.rows[2] = in.index[7] = in.body[1] = in.H_col[4] = 6;
    assert_refused(BUILDERS[k], &in, CPS_BAD_DATA, "index too large");
    in = good_input();
    join(&in);
    in.cols[2] = in.index[7] = in.body[1] = in.H_col[4] = -1;
    assert_refused(BUILDERS[k], &in, CPS_BAD_DATA, "index negative");
    in = good_input();
    join(&in);
    // places of two entries that add up to infinity
    in.rows[3] = in.cols[3] = 0;
    in.blocks[0] = in.blocks[27] = 1e308;
    in.index[1] = 0;
    in.value[0] = in.value[1] = 1e308;
    in.H[0] = 1e300;
    if (BUILDERS[k] == from_global || BUILDERS[k] == from_global_W) {
      continue;  // there M and H are both large and W is not
    }
    assert_refused(BUILDERS[k], &in, CPS_BAD_DATA, "overflows");
  }
}

static void an_indefinite_diagonal_block_is_named(void** state) {
  (void)state;
  Input in = good_input();
  join(&in);
  in.blocks[27] = -2.0;
  assert_refused(from_blocks, &in, CPS_BAD_DATA, "negative diagonal");
  CpsProblem* problem = NULL;
  CpsError error;
  (void)from_blocks(&in, &problem, &error);
  assert_non_null(strstr(error.text, "contact 1"));
}

// Two contacts, 2 I each and coupled by 3 I: every diagonal block is fine, the eigenvalue 2 - 3 is not. A caller who
// says so is trusted.
static void an_indefinite_coupling_is_refused_unless_W_is_trusted(void** state) {
  (void)state;
  const Build given[] = {from_blocks, from_csr, from_csc};
  for (int k = 0; k < 3; ++k) {
    Input in = good_input();
    join(&in);
    for (int a = 0; a < 3; ++a) {
      in.blocks[9 + 4 * a] = in.blocks[18 + 4 * a] = 3.0;
      in.value[a * ROWS + a + 3] = in.value[(a + 3) * ROWS + a] = 3.0;
    }
    assert_refused(given[k], &in, CPS_BAD_DATA, "an eigenvalue of -1");
    in.contacts.trust_W = true;
    CpsProblem* problem = NULL;
    assert_int_equal(given[k](&in, &problem, NULL), CPS_OK);
    cps_problem_destroy(problem);
  }
}

static void offsets_must_begin_at_zero_and_not_decrease(void** state) {
  (void)state;
  const Build with_offsets[] = {from_csr, from_csc, from_bodies, from_global, from_global_W};
  for (int k = 0; k < 5; ++k) {
    Input in = good_input();
    join(&in);
    in.start[0] = in.contact_start[0] = in.H_start[0] = 1;
    assert_refused(with_offsets[k], &in, CPS_BAD_DATA, "offsets begin with 1");
    in = good_input();
    join(&in);
    in.start[3] = in.H_start[3] = 1;
    in.contact_start[1] = 2;
    in.contact_start[2] = 1;
    assert_refused(with_offsets[k], &in, CPS_BAD_DATA, "offsets decrease");
  }
}

static void null_arrays_of_a_matrix_are_refused(void** state) {
  (void)state;
  Input in = good_input();
  join(&in);
  CpsProblem* p = NULL;
  const CpsContactsDef* c = &in.contacts;
  assert_int_equal(cps_problem_from_blocks(NULL, 0, NULL, NULL, NULL, &p, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_from_blocks(c, BLOCKS, NULL, in.cols, in.blocks, &p, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_from_blocks(c, BLOCKS, in.rows, NULL, in.blocks, &p, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_from_blocks(c, BLOCKS, in.rows, in.cols, NULL, &p, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_from_blocks(c, -1, in.rows, in.cols, in.blocks, &p, NULL), CPS_BAD_DATA);
  assert_int_equal(cps_problem_from_blocks(c, BLOCKS, in.rows, in.cols, in.blocks, NULL, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_from_csr(c, NULL, in.index, in.value, &p, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_from_csr(c, in.start, NULL, in.value, &p, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_from_csr(c, in.start, in.index, NULL, &p, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_from_csr(c, in.start, in.index, in.value, NULL, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_from_csc(c, NULL, in.index, in.value, &p, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_from_csc(c, in.start, NULL, in.value, &p, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_from_csc(c, in.start, in.index, NULL, &p, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_from_csc(c, in.start, in.index, in.value, NULL, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_from_bodies(c, NULL, &p, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_from_global(c, NULL, CPS_FORM_W, &p, NULL), CPS_BAD_ARGUMENT);
  CpsFactoredForm bodies = factored_form(&in);
  assert_int_equal(cps_problem_from_bodies(c, &bodies, NULL, NULL), CPS_BAD_ARGUMENT);
  bodies.H = NULL;
  assert_int_equal(cps_problem_from_bodies(c, &bodies, &p, NULL), CPS_BAD_ARGUMENT);
  bodies = factored_form(&in);
  bodies.body_dofs = NULL;
  assert_int_equal(cps_problem_from_bodies(c, &bodies, &p, NULL), CPS_BAD_ARGUMENT);
  assert_null(p);
}

static void bodies_that_do_not_fit_are_refused(void** state) {
  (void)state;
  Input in = good_input();
  join(&in);
  in.body_dofs[0] = 0;
  assert_refused(from_bodies, &in, CPS_BAD_DATA, "a body without degrees of freedom");
  in = good_input();
  join(&in);
  in.contact_start[1] = 2;
  in.body[1] = 0;
  assert_refused(from_bodies, &in, CPS_BAD_DATA, "a body twice in a contact");
  in = good_input();
  join(&in);
  in.body_dofs[1] = 2;
  assert_refused(from_global, &in, CPS_BAD_DATA, "body dofs do not sum to m");
  in = good_input();
  join(&in);
  in.H[13] = 0.0;  // also an entry of the mass
  assert_refused(from_global, &in, CPS_BAD_DATA, "singular M");
}

static void global_forms_refuse_missing_arrays(void** state) {
  (void)state;
  Input in = good_input();
  join(&in);
  for (int missing = 0; missing < 6; ++missing) {
    CpsGlobalForm form = global_form(&in);
    if (missing == 0) form.M.body_dofs = NULL;
    if (missing == 1) form.M.value = NULL;
    if (missing == 2) form.H_row_start = NULL;
    if (missing == 3) form.H_col = NULL;
    if (missing == 4) form.H_value = NULL;
    if (missing == 5) form.f = NULL;
    CpsProblem* p = NULL;
    assert_int_equal(cps_problem_from_global(&in.contacts, &form, CPS_FORM_W, &p, NULL), CPS_BAD_ARGUMENT);
    assert_null(p);
  }
  CpsGlobalForm form = global_form(&in);
  CpsProblem* p = NULL;
  assert_int_equal(cps_problem_from_global(&in.contacts, &form, (CpsForm)9, &p, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_from_global(&in.contacts, &form, CPS_FORM_W, NULL, NULL), CPS_BAD_ARGUMENT);
  form.M.kind = (CpsMassKind)9;
  assert_int_equal(cps_problem_from_global(&in.contacts, &form, CPS_FORM_W, &p, NULL), CPS_BAD_ARGUMENT);
  form = global_form(&in);
  in.f[0] = NAN;
  assert_int_equal(cps_problem_from_global(&in.contacts, &form, CPS_FORM_W, &p, NULL), CPS_BAD_DATA);
  assert_null(p);
}

static CpsProblem* good_problem(void) {
  Input in = good_input();
  join(&in);
  CpsProblem* problem = NULL;
  assert_int_equal(from_blocks(&in, &problem, NULL), CPS_OK);
  return problem;
}

static void accessors_of_null_give_nothing(void** state) {
  (void)state;
  assert_int_equal(cps_problem_contact_count(NULL), 0);
  assert_int_equal(cps_problem_row_count(NULL), 0);
  assert_null(cps_problem_offsets(NULL));
  assert_null(cps_problem_laws(NULL));
  assert_null(cps_problem_mu(NULL));
  assert_null(cps_problem_b(NULL));
  assert_false(cps_problem_has_W(NULL));
  assert_int_equal(cps_problem_W_entry_count(NULL), 0);
  cps_problem_destroy(NULL);
  cps_workspace_destroy(NULL);
}

static void measures_refuse_null(void** state) {
  (void)state;
  CpsProblem* p = good_problem();
  double r[ROWS] = {0}, u[ROWS] = {42};
  CpsResidual residual;
  CpsContactStatus statuses[N];
  CpsIdentities identities;
  CpsProblemInfo info;
  int32_t island[N], count;
  int64_t start[ROWS + 1];
  int32_t col[ROWS * ROWS];
  double value[ROWS * ROWS];
  assert_int_equal(cps_problem_velocity(NULL, r, u), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_velocity(p, NULL, u), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_velocity(p, r, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_dof_velocity(NULL, r, u), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_dof_velocity(p, r, u), CPS_UNSUPPORTED);
  assert_near(u[0], 42, 0);
  assert_int_equal(cps_problem_residual(NULL, r, &residual), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_residual(p, NULL, &residual), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_residual(p, r, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_contact_statuses(NULL, r, 1e-8, statuses), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_contact_statuses(p, NULL, 1e-8, statuses), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_contact_statuses(p, r, 1e-8, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_contact_statuses(p, r, 0.0, statuses), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_contact_statuses(p, r, NAN, statuses), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_identities(NULL, r, &identities), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_identities(p, NULL, &identities), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_identities(p, r, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_describe(NULL, &info), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_describe(p, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_islands(NULL, island, &count), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_islands(p, NULL, &count), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_islands(p, island, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_W_csr(NULL, start, col, value), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_W_csr(p, NULL, col, value), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_W_csr(p, start, NULL, value), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_W_csr(p, start, col, NULL), CPS_BAD_ARGUMENT);
  cps_problem_destroy(p);
}

// An impulse that is not a number must never look like a solution.
static void the_residual_of_what_is_no_number_is_not_small(void** state) {
  (void)state;
  CpsProblem* p = good_problem();
  for (int k = 0; k < 2 * ROWS; ++k) {
    double r[ROWS] = {0};
    r[k % ROWS] = k < ROWS ? NAN : INFINITY;
    CpsResidual residual = {0};
    CpsStatus status = cps_problem_residual(p, r, &residual);
    assert_true(status < 0 || residual.natural > 1.0);
  }
  cps_problem_destroy(p);
}

static void assert_solve_refused(const CpsProblem* p, const CpsSolveOptions* options, CpsStatus expected) {
  double r[ROWS] = {1, 2, 3, 4, 5, 6}, before[ROWS];
  memcpy(before, r, sizeof r);
  CpsSolveInfo info, untouched;
  memset(&info, 0x5a, sizeof info);
  memcpy(&untouched, &info, sizeof info);
  CpsError error = {""};
  assert_int_equal(cps_problem_solve(p, options, r, &info, &error), expected);
  assert_true(strlen(error.text) > 0);
  assert_int_equal(cps_problem_solve(p, options, r, NULL, NULL), expected);
  CpsWorkspace* workspace = NULL;
  assert_int_equal(cps_workspace_create(&workspace), CPS_OK);
  assert_int_equal(cps_workspace_solve(workspace, p, options, r, &info, &error), expected);
  cps_workspace_destroy(workspace);
  assert_memory_equal(r, before, sizeof r);
  assert_memory_equal(&info, &untouched, sizeof info);
}

static void solve_refuses_options_out_of_range(void** state) {
  (void)state;
  CpsProblem* p = good_problem();
  CpsSolveOptions good = cps_solve_options_default(), bad;
#define REFUSED(field, value) (bad = good, bad.field = (value), assert_solve_refused(p, &bad, CPS_BAD_ARGUMENT))
  REFUSED(cookie, 0);
  REFUSED(method, CPS_METHOD_COUNT);
  REFUSED(method, (CpsMethod)-1);
  REFUSED(local, CPS_LOCAL_COUNT);
  REFUSED(local, (CpsLocal)-1);
  REFUSED(tolerance, 0.0);
  REFUSED(tolerance, -1e-8);
  REFUSED(tolerance, NAN);
  REFUSED(tolerance, INFINITY);
  REFUSED(max_iterations, 0);
  REFUSED(time_limit, -1.0);
  REFUSED(time_limit, NAN);
  REFUSED(threads, 0);
  REFUSED(threads, -2);
  REFUSED(facets, 2);
  REFUSED(facets, 5);
  REFUSED(facet_kind, (CpsFacets)2);
#undef REFUSED
  assert_solve_refused(p, NULL, CPS_BAD_ARGUMENT);
  assert_solve_refused(NULL, &good, CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_solve(p, &good, NULL, NULL, NULL), CPS_BAD_ARGUMENT);
  cps_problem_destroy(p);
}

static void a_first_guess_that_is_not_finite_is_refused(void** state) {
  (void)state;
  CpsProblem* p = good_problem();
  CpsSolveOptions options = cps_solve_options_default();
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 3; ++k) {
    double r[ROWS] = {0};
    r[ROWS - 1] = bad[k];
    assert_int_equal(cps_problem_solve(p, &options, r, NULL, NULL), CPS_BAD_DATA);
    assert_true(r[0] == 0.0 && !isfinite(r[ROWS - 1]));
  }
  cps_problem_destroy(p);
}

// What a method's line in the table does not list, the method refuses by name.
static void a_law_that_a_method_does_not_support_is_refused_by_name(void** state) {
  (void)state;
  for (int law = 0; law < 4; ++law) {
    Input in = good_input();
    join(&in);
    in.laws[1] = (CpsLaw)law;
    CpsProblem* p = NULL;
    assert_int_equal(from_blocks(&in, &p, NULL), CPS_OK);
    for (int m = 0; m < CPS_METHOD_COUNT; ++m) {
      const CpsMethodInfo* method = cps_method_info((CpsMethod)m);
      if (!method) continue;
      CpsSolveOptions options = cps_solve_options_default();
      options.method = (CpsMethod)m;
      CpsError error = {""};
      double r[ROWS] = {0};
      CpsStatus status = cps_problem_solve(p, &options, r, NULL, &error);
      if (!method->available || !(method->laws & CPS_LAW_BIT(law))) {
        assert_int_equal(status, CPS_UNSUPPORTED);
        assert_non_null(strstr(error.text, method->name));
      } else {
        assert_true(status >= 0);
      }
    }
    cps_problem_destroy(p);
  }
}

static void names_that_are_none_leave_the_options_alone(void** state) {
  (void)state;
  CpsSolveOptions options = cps_solve_options_default(), before = options;
  assert_int_equal(cps_solve_options_set_method(&options, "no such method"), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_solve_options_set_method(&options, ""), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_solve_options_set_method(&options, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_solve_options_set_method(NULL, "gs"), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_solve_options_set_local(&options, "mfb+"), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_solve_options_set_local(&options, "+enum"), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_solve_options_set_local(&options, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_solve_options_set_local(NULL, "mfb"), CPS_BAD_ARGUMENT);
  assert_memory_equal(&options, &before, sizeof options);
  assert_null(cps_method_info(CPS_METHOD_COUNT));
  assert_null(cps_method_info((CpsMethod)-1));
  assert_null(cps_local_info(CPS_LOCAL_COUNT));
  assert_null(cps_local_info((CpsLocal)-1));
  assert_null(cps_alias(-1));
  assert_null(cps_alias(INT32_MAX));
  assert_int_equal(cps_workspace_create(NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_workspace_solve(NULL, NULL, &options, NULL, NULL, NULL), CPS_BAD_ARGUMENT);
}

static void generators_refuse_definitions_out_of_range(void** state) {
  (void)state;
  CpsGenerateDef good = cps_generate_def_default(), bad;
  CpsProblem* p = NULL;
#define REFUSED(field, value)                                                                                 \
  (bad = good, bad.field = (value), assert_int_equal(cps_problem_generate(&bad, &p, NULL), CPS_BAD_ARGUMENT), \
   assert_null(p))
  REFUSED(cookie, 0);
  REFUSED(kind, (CpsGenerateKind)9);
  REFUSED(contact_count, 0);
  REFUSED(contact_count, -5);
  REFUSED(body_count, -1);
  REFUSED(dofs_per_rod, 2);
  REFUSED(dofs_per_rod, 4);
  REFUSED(dofs_per_rod, 303);
  REFUSED(mu, -0.1);
  REFUSED(mu, NAN);
  REFUSED(mu, INFINITY);
  REFUSED(form, (CpsForm)5);
#undef REFUSED
  assert_int_equal(cps_problem_generate(NULL, &p, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_generate(&good, NULL, NULL), CPS_BAD_ARGUMENT);
}

// Nothing touches nothing: an empty problem is solved, by every method.
static void a_problem_without_contacts_is_solved(void** state) {
  (void)state;
  CpsContactsDef contacts = cps_contacts_def_default();
  CpsProblem* p = NULL;
  assert_int_equal(cps_problem_from_blocks(&contacts, 0, NULL, NULL, NULL, &p, NULL), CPS_OK);
  for (int m = 0; m < CPS_METHOD_COUNT; ++m) {
    const CpsMethodInfo* method = cps_method_info((CpsMethod)m);
    if (!method || !method->available) continue;
    CpsSolveOptions options = cps_solve_options_default();
    options.method = (CpsMethod)m;
    double r = 42.0;
    CpsSolveInfo info;
    assert_int_equal(cps_problem_solve(p, &options, &r, &info, NULL), CPS_OK);
    assert_true(r == 42.0);
    assert_true(info.residual == 0.0);
    assert_int_equal(info.worst_contact, -1);
  }
  cps_problem_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_good_input_is_accepted_by_every_builder),
      cmocka_unit_test(builders_refuse_contacts_that_make_no_sense),
      cmocka_unit_test(builders_refuse_a_contacts_struct_that_breaks_the_contract),
      cmocka_unit_test(builders_refuse_a_matrix_that_makes_no_sense),
      cmocka_unit_test(an_indefinite_diagonal_block_is_named),
      cmocka_unit_test(an_indefinite_coupling_is_refused_unless_W_is_trusted),
      cmocka_unit_test(offsets_must_begin_at_zero_and_not_decrease),
      cmocka_unit_test(null_arrays_of_a_matrix_are_refused),
      cmocka_unit_test(bodies_that_do_not_fit_are_refused),
      cmocka_unit_test(global_forms_refuse_missing_arrays),
      cmocka_unit_test(accessors_of_null_give_nothing),
      cmocka_unit_test(measures_refuse_null),
      cmocka_unit_test(the_residual_of_what_is_no_number_is_not_small),
      cmocka_unit_test(solve_refuses_options_out_of_range),
      cmocka_unit_test(a_first_guess_that_is_not_finite_is_refused),
      cmocka_unit_test(a_law_that_a_method_does_not_support_is_refused_by_name),
      cmocka_unit_test(names_that_are_none_leave_the_options_alone),
      cmocka_unit_test(generators_refuse_definitions_out_of_range),
      cmocka_unit_test(a_problem_without_contacts_is_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
