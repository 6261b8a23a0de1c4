// Strands of real files hang as they were combed, whoever carries whom; taken as natural shapes they sag. The same bits for any
// number of threads.
// labels: threads release
#include "io/scratch.h"
#include "scenes/groom_still.h"

#include "capstan/hair.h"

static void grooms_hang_as_they_were_combed(void** state) {
  (void)state;
  for (int g = 0; g < 2; ++g) {
    const int count = SHORTER ? 30 : g == 0 ? 120 : 150;  // two of these would buckle under forces that squeeze them
    CpsWorld* world = open_groom(g, count, false, "", 0);
    if (!world) skip();
    int32_t contacts, others;
    double first, sagging;
    const int32_t unstable = cps_world_last_inversion(world).unstable_count;
    const double moved = still_for(world, SHORTER ? 0.02 : 0.12, &contacts, &first);
    cps_world_destroy(world);
    world = open_groom(g, count, false, ", natural: as-placed", 0);
    const double sagged = still_for(world, SHORTER ? 0.02 : 0.04, &others, &sagging);
    print_message("%d contacts: drift %.1e L, as placed %.1e L; kinetic energy of the first step %.1e J, %.1e J\n",
                  (int)contacts, moved, sagged, first, sagging);
    assert_true(SHORTER || contacts > 5);
    // whatever contacts would unsettle carries nothing: a strand of the second file is stable only without its contacts
    assert_int_equal(unstable, 0);
    assert_true(moved < 1e-10);
    assert_true(sagged > 1e-3);
    assert_true(first < 1e-15 * sagging);
    cps_world_destroy(world);
  }
}

// Forces of an inversion start the first solve, and are its solution; so are those of an inversion of what was inverted and stiffened.
static void the_first_step_starts_at_its_solution(void** state) {
  (void)state;
  for (int g = 0; g < 2; ++g) {
    CpsWorld* world = open_groom(g, SHORTER ? 60 : 400, false, ", natural: as-placed", 1);
    if (!world) skip();
    CpsInvertOptions options = cps_invert_options_default();
    options.stiffen = true;
    options.stiffen_most = 100.0;
    for (int k = 0; k < 2; ++k) {
      CpsError error;
      CpsInvertInfo info;
      CpsStepInfo stepped;
      assert_int_equal(cps_world_invert(world, &options, &info, &error), CPS_OK);
      assert_true(SHORTER || info.carrying_count > 50);
      for (int i = 0; i < 3; ++i) {
        assert_int_equal(cps_world_step(world, &stepped, &error), CPS_OK);
        assert_true(stepped.residual <= 1e-10);
      }
    }
    cps_world_destroy(world);
  }
}

// Thousands of contacts that chain strands: 200 sweeps alone end at 2.7e-4.
static void forces_of_a_groom_reach_their_tolerance(void** state) {
  (void)state;
  CpsWorld* world = open_groom_touching(0, 500, false, ", natural: as-placed", 1, "0.5 mm");
  if (!world) skip();
  CpsInvertOptions options = cps_invert_options_default();
  CpsInvertInfo info;
  CpsError error;
  options.stability = false;
  assert_int_equal(cps_world_invert(world, &options, &info, &error), CPS_OK);
  print_message("%d contacts: residual %.1e after %d sweeps and %d steps\n", (int)info.contact_count, info.residual,
                (int)info.sweeps, (int)info.steps);
  assert_true(info.contact_count > 2000);
  assert_true(info.residual <= options.tolerance && options.tolerance <= 1e-6);
  assert_true(info.sweeps < options.max_sweeps);
  assert_true(info.steps < 30);  // 13 with the right derivative, 60 and more with a wrong one
  assert_true(info.balance <= 1e-12);
  cps_world_destroy(world);
}

// Twenty strands on a head of 9.5 units, y upwards, ten units long: centimetres.
static void write_groom(const char* path) {
  enum { COUNT = 20, POINTS = 6 };
  CpsVec3 points[COUNT * POINTS];
  int64_t first[COUNT + 1];
  for (int i = 0; i <= COUNT; ++i) first[i] = (int64_t)POINTS * i;
  for (int i = 0; i < COUNT; ++i) {
    const double a = 2.4 * i, up = 0.05 * i, out = sqrt(1.0 - up * up);
    for (int k = 0; k < POINTS; ++k) {
      points[POINTS * i + k] =
          (CpsVec3){(9.5 + 0.1 * k) * out * cos(a), 150.0 + 9.5 * up - 2.0 * k, (9.5 + 0.1 * k) * out * sin(a)};
    }
  }
  CpsHair hair = {.strand_count = COUNT, .point_count = COUNT * POINTS, .first = first, .points = points};
  assert_int_equal(cps_hair_write(path, &hair, NULL), CPS_OK);
}

// A file of strands is a scene by itself: its unit and axes are told from the head, and it hangs as it was combed until the head turns.
static void a_file_of_strands_is_a_scene(void** state) {
  (void)state;
  const char* path = scratch_path("whole.hair");
  write_groom(path);
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsError error = {{0}};
  if (cps_scene_load(path, NULL, 0, &scene, &error) != CPS_OK || cps_scene_build(scene, 0, &world, &error) != CPS_OK) {
    fail_msg("%s", error.text);
  }
  cps_scene_destroy(scene);
  assert_int_equal(cps_world_fibre_count(world), 20);
  assert_int_equal(cps_world_obstacle_count(world), 1);
  CpsVec3 placed[2], turned[2];
  assert_int_equal(cps_world_fibre_points(world, cps_world_fibre(world, 3), 2, placed), CPS_OK);
  assert_near(placed[0].z, 1.50 + 0.095 * 0.15, 1e-4);
  assert_near(placed[1].z, placed[0].z - 0.1, 1e-3);
  int32_t contacts;
  double first;
  assert_true(still_for(world, 0.9, &contacts, &first) < 1e-10);
  while (cps_world_time(world) < 1.75) assert_true(cps_world_step(world, NULL, &error) >= 0);
  assert_int_equal(cps_world_fibre_points(world, cps_world_fibre(world, 3), 2, turned), CPS_OK);
  // half-way the head has turned by 45 degrees about its axis
  const double before = atan2(placed[0].y, placed[0].x), after = atan2(turned[0].y, turned[0].x);
  assert_near(remainder(after - before, 2.0 * 3.14159265358979), 0.25 * 3.14159265358979, 1e-2);
  cps_world_destroy(world);
}

static void threads_change_no_bits_of_a_groom(void** state) {
  (void)state;
  uint64_t hash[3];
  for (int t = 0; t < 3; ++t) {
    CpsWorld* world = open_groom(1, 100, true, "", 1 << t);
    if (!world) skip();
    CpsError error;
    assert_int_equal(cps_world_step(world, NULL, &error), CPS_OK);
    hash[t] = cps_world_hash(world);
    cps_world_destroy(world);
  }
  assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_of_strands_is_a_scene),
      cmocka_unit_test(grooms_hang_as_they_were_combed),
      cmocka_unit_test(forces_of_a_groom_reach_their_tolerance),
      cmocka_unit_test(the_first_step_starts_at_its_solution),
      cmocka_unit_test(threads_change_no_bits_of_a_groom),
  };
#ifdef __SANITIZE_THREAD__
  cmocka_set_test_filter("threads_*");  // the others run in one thread
#endif
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
