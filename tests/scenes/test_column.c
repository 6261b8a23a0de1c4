// The column of eight elastic balls: with theta = 1/2 each step changes the total energy by (u+ + u-).r / 2 = 0 if its
// impacts are solved exactly, however many balls touch at once.
#include "scenes/scene_world.h"

// The largest relative change of the total energy.
static double energy_drift(const char* method, double theta, double restitution, Run* run) {
  Overrides o = {0};
  override(&o, "solver.method=%s", method);
  override(&o, "time.theta=%g", theta);
  override(&o, "restitution=%g", restitution);
  CpsWorld* world = open_scene("column.yaml", &o);
  double worst = 0.0, end = SHORTER ? 0.6 : 3.0;
  *run = (Run){0};
  while (cps_world_time(world) < end) {
    run_step(world, run);
    CpsEnergy e = cps_world_energy(world);
    worst = fmax(worst, fabs(e.kinetic + e.potential - e.start) / e.start);
  }
  cps_world_destroy(world);
  assert_true(run->contacts_max >= 5);  // impacts of many balls at once did happen
  return worst;
}

static bool is_there(const char* name) {
  CpsSolveOptions options = cps_solve_options_default();
  return cps_solve_options_set_method(&options, name) == CPS_OK && cps_method_info(options.method)->available;
}

// 1e-10 is asked at a tolerance of 1e-13.
static void elastic_balls_keep_their_energy_with(const char* method) {
  if (!is_there(method)) skip();
  Run run;
  assert_below(energy_drift(method, 0.5, 1.0, &run), 1e-10);
  assert_int_equal(run.unsolved, 0);
}

static void elastic_balls_keep_their_energy_with_gs(void** state) {
  (void)state;
  elastic_balls_keep_their_energy_with("gs");
}

static void elastic_balls_keep_their_energy_with_lemke(void** state) {
  (void)state;
  elastic_balls_keep_their_energy_with("lemke");
}

static void elastic_balls_keep_their_energy_with_mcp(void** state) {
  (void)state;
  elastic_balls_keep_their_energy_with("mcp");
}

// cpg may stop above 1e-13 when many balls touch; the steps it does not solve are said, and the energy still holds.
static void cpg_keeps_the_energy_and_says_where_it_stopped_early(void** state) {
  (void)state;
  Run run;
  assert_below(energy_drift("cpg", 0.5, 1.0, &run), 1e-10);
  assert_below((double)run.unsolved, 20.0);
}

// theta = 1 is no longer exact, and balls that are not elastic lose what they should.
static void other_schemes_and_balls_change_the_energy(void** state) {
  (void)state;
  Run run;
  assert_true(energy_drift("gs", 1.0, 1.0, &run) > 1e-4);
  assert_true(energy_drift("gs", 0.5, 0.9, &run) > 0.05);
  assert_below(run.books_error, 1e-12);  // rounding of a sum of 3000 steps
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elastic_balls_keep_their_energy_with_gs),
      cmocka_unit_test(elastic_balls_keep_their_energy_with_lemke),
      cmocka_unit_test(elastic_balls_keep_their_energy_with_mcp),
      cmocka_unit_test(cpg_keeps_the_energy_and_says_where_it_stopped_early),
      cmocka_unit_test(other_schemes_and_balls_change_the_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
