// Many results with changed bytes: none crashes the reader.
// labels: long memory
#include "io/result/damage.h"

enum { SEEDS = 60, EACH = 300 };

static void no_changed_byte_crashes_the_reader(void** state) {
  (void)state;
  int refused = 0;
  for (uint64_t seed = 100; seed < 100 + SEEDS; ++seed) refused += change_bytes(seed, EACH);
  print_message("%d of %d damaged results were refused, the others read\n", refused, SEEDS * EACH);
  assert_true(refused > SEEDS);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_changed_byte_crashes_the_reader)};
  return cmocka_run_group_tests(tests, set_up, remove_scratch);
}
