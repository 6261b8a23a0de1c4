// An interrupt is looked for inside the inner loops of methods whose single iterations may take seconds: without that a run that is told
// to stop would only do so much later.
#include "capstan/capstan.h"
#include "capstan/generate.h"

#include "test_helpers.h"

#include <stdlib.h>

typedef struct Polls {
  int64_t count, stop_at;  // 0: never
} Polls;

static bool count_polls(void* data) {
  Polls* polls = data;
  polls->count++;
  return polls->stop_at > 0 && polls->count >= polls->stop_at;
}

// Inner iterations between two looks, at most. An interior point may end without one and start again with two.
static const struct {
  CpsMethod method;
  int64_t most;
} METHODS[] = {{CPS_METHOD_PROXIMAL, 1},
               {CPS_METHOD_ADMM, 5},
               {CPS_METHOD_CADOUX_DUAL, 2},
               {CPS_METHOD_CADOUX_PRIMAL, 2},
               {CPS_METHOD_APGD, 1}};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

static CpsSolveInfo solve(const CpsProblem* problem, CpsMethod method, Polls* polls) {
  CpsSolveOptions options = cps_solve_options_default();
  CpsSolveInfo info = {0};
  double* r = calloc((size_t)cps_problem_row_count(problem), sizeof *r);
  assert_non_null(r);
  options.method = method;
  options.cancel = count_polls;
  options.cancel_data = polls;
  assert_true(cps_problem_solve(problem, &options, r, &info, NULL) >= 0);
  free(r);
  return info;
}

static void inner_loops_look_for_an_interrupt(void** state) {
  (void)state;
  CpsGenerateDef def = cps_generate_def_default();
  CpsProblem* problem = NULL;
  def.kind = CPS_GENERATE_SPHERES;
  def.contact_count = 100;
  def.seed = 1;
  assert_int_equal(cps_problem_generate(&def, &problem, NULL), CPS_OK);
  for (int m = 0; m < METHOD_COUNT; ++m) {
    const char* name = cps_method_info(METHODS[m].method)->name;
    if (!cps_method_info(METHODS[m].method)->available) continue;
    Polls polls = {0};
    CpsSolveInfo info = solve(problem, METHODS[m].method, &polls);
    print_message("%-13s %ld iterations, %ld inside, %ld looks\n", name, (long)info.iterations,
                  (long)info.inner_iterations, (long)polls.count);
    // a look after each iteration would not be enough
    assert_true(info.inner_iterations > METHODS[m].most * info.iterations);
    assert_true(METHODS[m].most * polls.count >= info.inner_iterations);
    // and what is seen ends the solve there
    Polls early = {.stop_at = 2};
    info = solve(problem, METHODS[m].method, &early);
    assert_int_equal(info.status, CPS_INTERRUPTED);
    assert_true(info.inner_iterations <= 3 * METHODS[m].most);
  }
  cps_problem_destroy(problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(inner_loops_look_for_an_interrupt)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
