// Nothing gets through a sheet: each kind of thing thrown a few times, the short form of sheet_throws_long.
#include "world/sheet_throws.h"

// The sanitizers make a step ten times as long.
#ifdef __SANITIZE_ADDRESS__
enum { SCENES = THINGS };
#else
enum { SCENES = 4 * THINGS };
#endif

static void nothing_gets_through_a_sheet(void** state) {
  (void)state;
  throw_all(0, SCENES);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_gets_through_a_sheet)};
  return cmocka_run_group_tests_name("world/sheet_throws", tests, NULL, NULL);
}
