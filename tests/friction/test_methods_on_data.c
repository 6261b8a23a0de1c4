// Every method on every problem in shared/data/fclib at 1e-4, exact methods on the smaller ones at 1e-8, and the
// default method on all of them and on the generated ones; slow pairs of the first (over 250 contacts) in `make test-long`. The rest, at 1e-8, is in test_methods_on_data_long.c.
// labels: whole
#include "data_table.h"

// With the sanitizers a solve takes about ten times as long; the slow pairs are left to the release build.
enum { SLOW = !SANITIZED, MOST_CONTACTS = SANITIZED ? 80 : 0 };

static const int64_t LIMITS[CPS_METHOD_COUNT] = {
    [CPS_METHOD_AUTO] = 10000,        [CPS_METHOD_GS] = 2000,          [CPS_METHOD_GS_PARALLEL] = 2000,
    [CPS_METHOD_NEWTON_AC] = 800,     [CPS_METHOD_NEWTON_FB] = 200,    [CPS_METHOD_CADOUX_DUAL] = 100,
    [CPS_METHOD_CADOUX_PRIMAL] = 100, [CPS_METHOD_DESAXCE] = 4000,     [CPS_METHOD_CPG] = 4000,
    [CPS_METHOD_PSOR] = 1000,         [CPS_METHOD_LEMKE] = 200 * SLOW, [CPS_METHOD_MCP] = 150 * SLOW,
    [CPS_METHOD_STAGGERED] = 200,     [CPS_METHOD_ADMM] = 100,         [CPS_METHOD_APGD] = 200,
    [CPS_METHOD_CONVEX] = 10,         [CPS_METHOD_PROXIMAL] = 10000,
};

static const Declared AT_1E4[] = {
    {CPS_METHOD_GS, "RockPile", MAY_FAIL,
     "over-constrained (rank 743 of 1389), mu = 1: the sweeps end in a cycle whose residual is about 1e-4"},
    {CPS_METHOD_GS_PARALLEL, "RockPile", MAY_FAIL, "the same cycle"},
    {CPS_METHOD_NEWTON_AC, "RockPile", FAILS, "rank 743 of 1389: the damped steps end by themselves at 9e-3"},
    {CPS_METHOD_NEWTON_FB, "RockPile", FAILS, "rank 743 of 1389: needs about 500 damped steps"},
    {CPS_METHOD_MCP, "RockPile", FAILS, "rank 743 of 1389: needs about 440 damped steps"},
    {CPS_METHOD_MCP, "KaplasTower", FAILS, "over-constrained: needs about 200 damped steps"},
    {CPS_METHOD_DESAXCE, "RockPile", FAILS, "over-constrained: first-order method, needs about 6000 steps"},
    {CPS_METHOD_CPG, "RockPile", MAY_FAIL, "over-constrained: first-order method, needs about 5000 steps"},
    {CPS_METHOD_STAGGERED, "RockPile", FAILS, "mu = 1: slow, 1.1e-4 after 550 steps"},
    {CPS_METHOD_PSOR, "BoxesStack1", CONVERGES, "nothing slides: inside the cone facets do not matter"},
    {CPS_METHOD_PSOR, "Confeti-ex13-4contact", CONVERGES,
     "mu = 0.04: the error of the facets is small against xi ||b||"},
    {CPS_METHOD_PSOR, "G2L_GFC3D_TwoRods1", CONVERGES, "r = 0 is within the tolerance"},
    {CPS_METHOD_PSOR, "G2L_Spheres-i099", MAY_FAIL, "few of its contacts slide, with small impulses"},
    {CPS_METHOD_PSOR, "KaplasTower", CONVERGES, "nothing slides"},
    {CPS_METHOD_PSOR, NULL, FAILS, "faceted law: the exact residual stays at the error of the four facets"},
    {CPS_METHOD_LEMKE, "BoxesStack1", CONVERGES, "nothing slides: inside the cone facets do not matter"},
    {CPS_METHOD_LEMKE, "Confeti-ex13-4contact", CONVERGES,
     "mu = 0.04: the error of the facets is small against xi ||b||"},
    {CPS_METHOD_LEMKE, "G2L_GFC3D_TwoRods1", CONVERGES, "r = 0 is within the tolerance"},
    {CPS_METHOD_LEMKE, NULL, FAILS, "faceted law; on the larger problems the pivots allowed do not suffice either"},
    {CPS_METHOD_CONVEX, "BoxesStack1", CONVERGES, "nothing slides: De Saxce's shift vanishes"},
    {CPS_METHOD_CONVEX, "KaplasTower", CONVERGES, "nothing slides: De Saxce's shift vanishes"},
    {CPS_METHOD_CONVEX, "G2L_GFC3D_TwoRods1", CONVERGES, "r = 0 is within the tolerance"},
    {CPS_METHOD_CONVEX, NULL, FAILS, "relaxed law: sliding contacts lift off"},
};

static void every_method_on_every_file_at_1e_4(void** state) {
  (void)state;
  check_expectations(&(Expectations){.folder = "fclib",
                                     .tolerance = 1e-4,
                                     .limits = LIMITS,
                                     .declared = AT_1E4,
                                     .declared_count = sizeof AT_1E4 / sizeof *AT_1E4,
                                     .most_contacts = run_whole() ? 0
                                                      : SANITIZED ? MOST_CONTACTS
                                                                  : 250});
}

// Up to twelve contacts no exact method fails.
static void exact_methods_on_small_files_at_1e_8(void** state) {
  (void)state;
  int64_t limits[CPS_METHOD_COUNT];
  for (int m = 0; m < CPS_METHOD_COUNT; ++m) limits[m] = cps_method_info((CpsMethod)m)->exact ? LIMITS[m] : 0;
  check_expectations(&(Expectations){.folder = "fclib", .tolerance = 1e-8, .limits = limits, .most_contacts = 12});
}

// One setting, all problems, no exception.
static void the_default_never_fails(void** state) {
  (void)state;
  int64_t limits[CPS_METHOD_COUNT] = {[CPS_METHOD_AUTO] = cps_solve_options_default().max_iterations};
  const char* const folders[] = {"fclib", "generated"};
  for (int k = 0; k < 2; ++k) {
    for (double tolerance = 1e-4; tolerance > 1e-9; tolerance *= 1e-4) {
      check_expectations(&(Expectations){
          .folder = folders[k], .tolerance = tolerance, .limits = limits, .most_contacts = MOST_CONTACTS});
    }
  }
}

static void proximal_fails_on_no_file_either(void** state) {
  (void)state;
  int64_t limits[CPS_METHOD_COUNT] = {[CPS_METHOD_PROXIMAL] = LIMITS[CPS_METHOD_PROXIMAL]};
  check_expectations(
      &(Expectations){.folder = "fclib", .tolerance = 1e-8, .limits = limits, .most_contacts = MOST_CONTACTS});
}

int main(void) {
#ifndef CAPSTAN_DIRECT
  print_message("[  SKIPPED ] the tables are those of a build with the direct methods\n");
  return 0;
#endif
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_on_every_file_at_1e_4),
      cmocka_unit_test(exact_methods_on_small_files_at_1e_8),
      cmocka_unit_test(the_default_never_fails),
      cmocka_unit_test(proximal_fails_on_no_file_either),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
