// labels: release
// Sheets in flight, soft as rubber or stiff as a board, with random velocities: the rounds of each step end at any stiffness, and no
// step has to be shortened for that. From 1e6 N/m on, the remaining gain is lost in the rounding of the elastic energy long before
// the velocities are exact, and a line search that trusts that energy stalls.
#include "core/random.h"
#include "core/vec3.h"
#include "vertices.h"
#include "world/sheet_helpers.h"
#include "world/world_helpers.h"

enum { CELLS = 8, STEPS = 40, SEEDS = SANITIZED ? 1 : 3 };

static double between(CpsRandom* random, double low, double high) {
  return low + (high - low) * cps_random_uniform(random);
}

static void fly(double stretch, int seed, int* unsolved, int* halvings, double* worst) {
  CpsRandom random = cps_random_seed((uint64_t)seed + 1);
  CpsWorldDef def = cps_world_def_default();
  def.step = 2e-3;
  def.gravity = cps_vec3(0.0, 0.0, seed % 2 == 1 ? -9.81 : 0.0);
  CpsWorld* world = make_world(&def);
  Rectangle r =
      make_rectangle(CELLS, CELLS, cps_vec3(-0.15, -0.15, 0.0), cps_vec3(0.3, 0.0, 0.0), cps_vec3(0.0, 0.3, 0.0));
  CpsSheetDef sheet = sheet_of_rectangle(&r);
  sheet.thickness = 1e-3;
  sheet.stretch[0] = sheet.stretch[1] = stretch;
  sheet.bending[0] = sheet.bending[1] = 1e-5;
  CpsSheetId id;
  must(cps_world_add_sheet(world, &sheet, &id, &must_error));
  CpsVec3 v[(CELLS + 1) * (CELLS + 1)];
  for (int i = 0; i < r.vertex_count; ++i) {
    v[i] = cps_vec3(between(&random, 0.0, 2.0), between(&random, 1.0, 3.0), between(&random, 0.0, 6.0));
  }
  must(set_vertices(world, cps_thing_sheet(id), NULL, v, &must_error));
  for (int k = 0; k < STEPS; ++k) {
    CpsStepInfo info;
    CpsError error;
    if (cps_world_step(world, &info, &error) < 0) fail_msg("%s", error.text);
    *unsolved += info.unsolved;
    *halvings += info.halvings;
    *worst = fmax(*worst, cps_world_energy(world).error);
  }
  cps_world_destroy(world);
  free_rectangle(&r);
}

static void stiff_sheets_settle_in_flight(void** state) {
  (void)state;
  for (int e = 3; e <= 7; ++e) {
    int unsolved = 0, halvings = 0;
    double worst = 0.0;
    for (int seed = 0; seed < SEEDS; ++seed) fly(pow(10.0, e), seed, &unsolved, &halvings, &worst);
    print_message("1e%d N/m: %d of %d steps unsolved, %d halved, books to %.1g\n", e, unsolved, SEEDS * STEPS, halvings,
                  worst);
    assert_int_equal(unsolved, 0);
    assert_int_equal(halvings, 0);
    assert_below(worst, 1e-9);  // what the rounds leave is in the books
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(stiff_sheets_settle_in_flight)};
  return cmocka_run_group_tests_name("world/stiff_sheets", tests, NULL, NULL);
}
