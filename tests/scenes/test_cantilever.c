// The cantilever of every model against the elastica: height over width of the equilibrium over five decades of gamma.
#include "scenes/cantilever.h"

// 30 elements leave at most 0.75 % (the models of points, at gamma = 100, whose bend is a tenth of the length long). The
// elements of super-helices and super-clothoids would do with fewer.
static void check(const char* model, double step_fraction) {
  static Reference table;
  read_reference("cantilever_H_over_W_vs_Gamma.csv", &table);
  for (int exponent = -3; exponent <= 2; exponent += SHORTER ? 5 : 1) {
    const double* row = row_of(&table, exponent);
    Overrides o = {0};
    override(&o, "fibres.rod.model=%s", model);
    override(&o, "fraction=%g", step_fraction);
    double found = hang(row[0], &o);
    if (!(fabs(found / row[3] - 1.0) < 0.01)) print_error("%s at gamma = %g:\n", model, row[0]);
    assert_near(found / row[3], 1.0, 0.01);
  }
}

static void a_super_helix_hangs_like_the_elastica(void** state) {
  (void)state;
  check("super-helix", 0.05);
}

static void a_recursive_super_helix_hangs_like_the_elastica(void** state) {
  (void)state;
  check("super-helix-recursive", 0.05);
}

static void a_super_clothoid_hangs_like_the_elastica(void** state) {
  (void)state;
  check("super-clothoid", 0.05);
}

static void a_mass_spring_chain_hangs_like_the_elastica(void** state) {
  (void)state;
  check("mass-spring", 0.05);
}

static void a_corde_rod_hangs_like_the_elastica(void** state) {
  (void)state;
  check("corde", 0.05);
}

static void a_discrete_elastic_rod_hangs_like_the_elastica(void** state) {
  (void)state;
  check("der", 0.05);
}

static void an_inextensible_discrete_rod_hangs_like_the_elastica(void** state) {
  (void)state;
  check("der-inextensible", 0.05);
}

static void a_projected_discrete_rod_hangs_like_the_elastica(void** state) {
  (void)state;
  check("der-projected", 0.05);
}

// More elements, less error: of second order in their length.
static void halving_the_elements_of_a_super_helix_quarters_its_error(void** state) {
  (void)state;
  static Reference table;
  read_reference("cantilever_H_over_W_vs_Gamma.csv", &table);
  const double* row = row_of(&table, 0);
  double error[2];
  for (int k = 0; k < 2; ++k) {
    Overrides o = {0};
    override(&o, "elements=%d", k == 0 ? 5 : 10);
    error[k] = hang(row[0], &o) / row[3] - 1.0;
  }
  assert_near(error[0] / error[1], 4.0, 0.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_super_helix_hangs_like_the_elastica),
      cmocka_unit_test(a_recursive_super_helix_hangs_like_the_elastica),
      cmocka_unit_test(a_super_clothoid_hangs_like_the_elastica),
      cmocka_unit_test(a_mass_spring_chain_hangs_like_the_elastica),
      cmocka_unit_test(a_corde_rod_hangs_like_the_elastica),
      cmocka_unit_test(a_discrete_elastic_rod_hangs_like_the_elastica),
      cmocka_unit_test(an_inextensible_discrete_rod_hangs_like_the_elastica),
      cmocka_unit_test(a_projected_discrete_rod_hangs_like_the_elastica),
      cmocka_unit_test(halving_the_elements_of_a_super_helix_quarters_its_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
