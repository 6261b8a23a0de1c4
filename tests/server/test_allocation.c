// A server when memory runs out is made whole or refused.
#include "failing_memory.h"

#include "server/served.h"

enum { ATTEMPTS = 400 };

static int begin(void** state) {
  if (make_scratch(state) != 0) return 1;
  make_balls(scratch_path("balls.h5"));
  return 0;
}

static void a_server_that_cannot_be_made_leaves_nothing(void** state) {
  (void)state;
  const char* path = scratch_path("balls.h5");
  CpsViewOptions options = cps_view_options_default();
  int refused = 0;
  allocation_failed = true;
  for (int number = 0; allocation_failed; ++number) {
    assert_true(number < ATTEMPTS);
    CpsView* view = NULL;
    CpsError error = {""};
    fail_allocation(number);
    CpsStatus status = cps_view_create(path, &options, &view, &error);
    stop_failing();
    // a text that could not be read is taken for a damaged one
    assert_true(status == CPS_OK || status == CPS_NO_MEMORY || status == CPS_BAD_FORMAT || status == CPS_FILE_ERROR);
    assert_true(status == CPS_OK ? view != NULL : !view && error.text[0] != '\0');
    refused += status != CPS_OK;
    cps_view_destroy(view);
  }
  assert_true(refused > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_server_that_cannot_be_made_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, begin, remove_scratch);
}
