// The cantilever of explicit CORDE, which needs some hundred thousand steps to come to rest.
// labels: long
#include "scenes/cantilever.h"

// 20 segments of a thicker rod; steps of 0.8 of those at which it would blow up, (5) in corde.c
static void an_explicit_corde_rod_hangs_like_the_elastica(void** state) {
  (void)state;
  static Reference table;
  read_reference("cantilever_H_over_W_vs_Gamma.csv", &table);
  for (int exponent = -3; exponent <= 2; ++exponent) {
    const double* row = row_of(&table, exponent);
    Overrides o = {0};
    override(&o, "fibres.rod.model=corde-explicit");
    override(&o, "elements=20");
    override(&o, "radius=1.5 mm");
    override(&o, "fraction=%g", 0.8 * sqrt(1.0 + row[0]) / (sqrt(8.0) * 200.0 * 20.0));
    assert_near(hang(row[0], &o) / row[3], 1.0, 0.01);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_explicit_corde_rod_hangs_like_the_elastica),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
