// labels: threads
// Runs of contacts that lie side by side: which may be swept at once, and that threads change no bit.
#include "friction/global/gs_loop.h"

#include "capstan/capstan.h"
#include "core/random.h"
#include "test_helpers.h"

#include <stdlib.h>
#include <string.h>

enum { CONTACTS = 12 * CPS_RUN_CONTACTS - 300 };  // the last run is shorter

// A ring of bodies with a contact between neighbours. Where contacts are numbered along it, a run shares its first and its
// last body with its neighbours and no other; otherwise they are shuffled.
static CpsProblem* ring(bool shuffled) {
  double* mu = malloc(CONTACTS * sizeof *mu);
  double* b = malloc(3 * CONTACTS * sizeof *b);
  double* H = calloc(2 * CONTACTS * 9, sizeof *H);
  int32_t* dofs = malloc(CONTACTS * sizeof *dofs);
  int32_t* body = malloc(2 * CONTACTS * sizeof *body);
  int64_t* start = malloc((CONTACTS + 1) * sizeof *start);
  int32_t* place = malloc(CONTACTS * sizeof *place);
  assert_true(mu && b && H && dofs && body && start && place);
  CpsRandom random = cps_random_seed(1);
  for (int32_t i = 0; i < CONTACTS; ++i) {
    int32_t j = shuffled ? (int32_t)(cps_random_uniform(&random) * (i + 1)) : i;
    place[i] = place[j];
    place[j] = i;
  }
  for (int32_t i = 0; i < CONTACTS; ++i) {
    int32_t at = place[i];
    mu[i] = 0.3;
    dofs[i] = 3;
    start[i] = 2 * (int64_t)i;
    body[2 * i] = at;
    body[2 * i + 1] = (at + 1) % CONTACTS;
    for (int k = 0; k < 3; ++k) {
      b[3 * i + k] = (at * (7 + k)) % 11 - (k == 0 ? 9.0 : 5.0);
      H[18 * i + 4 * k] = -1.0;
      H[18 * i + 9 + 4 * k] = 1.0;
    }
  }
  start[CONTACTS] = 2 * (int64_t)CONTACTS;
  CpsContactsDef def = cps_contacts_def_default();
  def.count = CONTACTS;
  def.mu = mu;
  def.b = b;
  const CpsFactoredForm form = {CONTACTS, dofs, start, body, H, H};
  CpsProblem* problem = NULL;
  assert_int_equal(cps_problem_from_bodies(&def, &form, &problem, NULL), CPS_OK);
  free(mu);
  free(b);
  free(H);
  free(dofs);
  free(body);
  free(start);
  free(place);
  return problem;
}

// 12 runs in a ring: two colours, red and black.
static void runs_of_one_colour_share_no_body(void** state) {
  (void)state;
  CpsProblem* problem = ring(false);
  CpsArena arena = {0};
  CpsRuns runs;
  assert_true(cps_runs_make(problem, &arena, &runs));
  assert_int_equal(runs.count, 12);
  assert_int_equal(runs.colour_count, 2);
  assert_true(cps_runs_are_local(&runs));
  const int32_t expected[12] = {0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11};
  assert_memory_equal(runs.run, expected, sizeof expected);
  assert_int_equal(runs.start[1], 6);
  assert_int_equal(runs.start[2], 12);
  cps_arena_free(&arena);
  cps_problem_destroy(problem);
}

// A run of a thousand shuffled contacts has 160 bodies in common with each other run.
static void contacts_in_no_order_make_no_runs(void** state) {
  (void)state;
  CpsProblem* problem = ring(true);
  CpsArena arena = {0};
  CpsRuns runs;
  assert_true(cps_runs_make(problem, &arena, &runs));
  assert_int_equal(runs.colour_count, 12);
  assert_false(cps_runs_are_local(&runs));
  cps_arena_free(&arena);
  cps_problem_destroy(problem);
}

static void solve(const CpsProblem* problem, int threads, int max_iterations, double* r, CpsSolveInfo* info) {
  CpsSolveOptions options = cps_solve_options_default();
  options.method = CPS_METHOD_GS_PARALLEL;
  options.local = CPS_LOCAL_ENUM;
  options.tolerance = 1e-6;
  options.max_iterations = max_iterations;
  options.threads = threads;
  memset(r, 0, 3 * CONTACTS * sizeof *r);
  assert_int_equal(cps_problem_solve(problem, &options, r, info, NULL), CPS_NOT_CONVERGED);
}

// A ring of thousands is not solved in 41 sweeps, but much nearer to it than at first.
static void sweeps_over_runs_have_the_same_bits_for_any_threads(void** state) {
  (void)state;
  CpsProblem* problem = ring(false);
  double *first = calloc(3 * CONTACTS, sizeof *first), *r = malloc(3 * CONTACTS * sizeof *r);
  assert_true(first && r);
  CpsResidual before, after;
  assert_int_equal(cps_problem_residual(problem, first, &before), CPS_OK);
  CpsSolveInfo info, first_info;
  solve(problem, 1, 41, first, &first_info);
  assert_int_equal(cps_problem_residual(problem, first, &after), CPS_OK);
  assert_below(after.natural, 0.1 * before.natural);
  for (int threads = 2; threads <= 3; ++threads) {
    solve(problem, threads, 41, r, &info);
    assert_memory_equal(first, r, 3 * CONTACTS * sizeof *r);
    assert_int_equal(info.iterations, first_info.iterations);
    assert_int_equal(info.local_calls, first_info.local_calls);
  }
  free(first);
  free(r);
  cps_problem_destroy(problem);
}

// Each run is swept twice before the next one; both count, and an odd limit is kept.
static void both_sweeps_over_a_run_are_iterations(void** state) {
  (void)state;
  CpsProblem* problem = ring(false);
  double* r = malloc(3 * CONTACTS * sizeof *r);
  assert_non_null(r);
  CpsSolveInfo info;
  for (int limit = 1; limit <= 4; ++limit) {
    solve(problem, 1, limit, r, &info);
    assert_int_equal(info.iterations, limit);
    assert_in_range(info.local_calls, CONTACTS, (int64_t)limit * CONTACTS);
  }
  free(r);
  cps_problem_destroy(problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_of_one_colour_share_no_body),
      cmocka_unit_test(contacts_in_no_order_make_no_runs),
      cmocka_unit_test(sweeps_over_runs_have_the_same_bits_for_any_threads),
      cmocka_unit_test(both_sweeps_over_a_run_are_iterations),
  };
  keep_to_threads("*_threads");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
