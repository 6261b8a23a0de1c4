// labels: long
// No rope passes through anything unreported: a thousand random scenes at speeds up to 20 m/s, with every model of a rod and
// every shape.
#include "passing.h"

static void no_rope_gets_through_anything_in_silence(void** state) {
  (void)state;
  throw_all(0, 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_rope_gets_through_anything_in_silence)};
  return cmocka_run_group_tests_name("world/passing_long", tests, NULL, NULL);
}
