// Reading and writing problem files with every allocation of ours failing once, alone or with all that follow it.
// (Allocations inside libhdf5 are its own affair: it is a shared library and does not come through here.)
#include "capstan/fclib.h"
#include "capstan/generate.h"
#include "failing_memory.h"

#include "test_helpers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ATTEMPTS = 2000, CONTACTS = 20 };

static char folder[] = "/tmp/capstan-test-XXXXXX";
static char path[64];
static CpsProblem* problem;  // matrix-free, so that the writer must form W

static CpsStatus write_it(const double* r) {
  return cps_fclib_write(path, problem, r, r, "title", NULL);
}

static int set_up(void** state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  (void)snprintf(path, sizeof path, "%s/p.hdf5", folder);
  CpsGenerateDef def = cps_generate_def_default();
  def.contact_count = CONTACTS;
  return cps_problem_generate(&def, &problem, NULL);
}

static int tear_down(void** state) {
  (void)state;
  cps_problem_destroy(problem);
  (void)unlink(path);
  return rmdir(folder);  // fails if something half-written was left behind
}

static void a_write_that_fails_leaves_the_old_file(void** state) {
  (void)state;
  int64_t rows = cps_problem_row_count(problem);
  double* r = calloc((size_t)rows, sizeof *r);
  double* found = calloc((size_t)rows, sizeof *found);
  assert_true(r && found);
  r[0] = 1.0;
  assert_int_equal(write_it(r), CPS_OK);
  int number = 0, refused = 0;
  for (allocation_failed = true; allocation_failed; ++number) {
    assert_true(number < ATTEMPTS);
    double old = r[0];
    r[0] += 1.0;
    fail_allocation(number);
    CpsStatus status = write_it(r);
    stop_failing();
    assert_true(status == CPS_OK || status == CPS_NO_MEMORY);
    assert_int_equal(cps_fclib_read_solution(path, rows, found, NULL, NULL), CPS_OK);
    if (status != CPS_OK) {
      r[0] = old;
      refused++;
    }
    assert_true(found[0] == r[0]);
  }
  assert_true(refused > 0 || !keep_failing);
  free(r);
  free(found);
}

static void a_read_that_fails_gives_nothing(void** state) {
  (void)state;
  int64_t rows = cps_problem_row_count(problem);
  double* zero = calloc((size_t)rows, sizeof *zero);
  double* r = calloc((size_t)rows, sizeof *r);
  assert_true(zero && r);
  zero[0] = 5.0;
  assert_int_equal(write_it(zero), CPS_OK);
  for (int which = 0; which < 2; ++which) {
    int number = 0, refused = 0;
    for (allocation_failed = true; allocation_failed; ++number) {
      assert_true(number < ATTEMPTS);
      CpsProblem* p = NULL;
      CpsStatus status;
      r[0] = 0.0;
      fail_allocation(number);
      if (which == 0) {
        status = cps_fclib_read(path, CPS_FORM_W, &p, NULL, NULL);
      } else {
        status = cps_fclib_read_solution(path, rows, r, NULL, NULL);
      }
      stop_failing();
      if (status == CPS_OK) {
        assert_int_equal(cps_problem_contact_count(p), which == 0 ? cps_problem_contact_count(problem) : 0);
        assert_true(which == 0 || r[0] == 5.0);
        cps_problem_destroy(p);
      } else {
        assert_int_equal(status, CPS_NO_MEMORY);
        assert_null(p);
        assert_true(r[0] == 0.0);
        refused++;
      }
    }
    assert_true(refused > 0 || !keep_failing);
  }
  free(zero);
  free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(a_write_that_fails_leaves_the_old_file, fail_one),
      cmocka_unit_test_setup(a_write_that_fails_leaves_the_old_file, fail_the_rest),
      cmocka_unit_test_setup(a_read_that_fails_gives_nothing, fail_one),
      cmocka_unit_test_setup(a_read_that_fails_gives_nothing, fail_the_rest),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
