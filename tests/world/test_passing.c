// labels: release
// No rope gets through anything in silence: each model of a rod thrown at each kind of target once, the short form of
// passing_long.
#include "passing.h"

enum { SCENES = SANITIZED ? 28 : 9 * TARGETS };

static void no_rope_gets_through_anything_in_silence(void** state) {
  (void)state;
  throw_all(2000, 2000 + SCENES);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_rope_gets_through_anything_in_silence)};
  return cmocka_run_group_tests_name("world/passing", tests, NULL, NULL);
}
