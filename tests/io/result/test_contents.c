// What users look for in a result: masses, and files that are mostly frames, not saved states.
#include <math.h>

#include "io/result/runs.h"

static const double PI = 3.14159265358979323846;

static void read_masses(hid_t file, const char* name, double* masses, hsize_t count) {
  hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  assert_true(dataset >= 0);
  hid_t space = H5Dget_space(dataset);
  assert_int_equal(H5Sget_simple_extent_npoints(space), count);
  assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, masses) >= 0);
  H5Sclose(space);
  H5Dclose(dataset);
}

// Balls of water, a brick with a capsule through its top, and a round hair, with the default densities.
static void masses_are_in_the_result(void** state) {
  (void)state;
  const char* path = scratch_path("masses.h5");
  make_result(path, 2);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  double body[4], fibre[1];
  read_masses(file, "/bodies/mass", body, 4);
  read_masses(file, "/fibres/mass", fibre, 1);
  H5Fclose(file);
  const double ball = 1000.0 * 4.0 / 3.0 * PI * 1e-3;
  for (int i = 0; i < 3; ++i) assert_near(body[i], ball, 1e-12 * ball);
  // parts that overlap count twice: the sum of both
  const double capsule = PI * 0.02 * 0.02 * 0.1 + 4.0 / 3.0 * PI * 0.02 * 0.02 * 0.02;
  assert_near(body[3], 1000.0 * (0.2 * 0.1 * 0.05 + capsule), 1e-12);
  const double hair = cps_fibre_def_default().density * PI * 2e-3 * 2e-3 * 0.2;
  assert_near(fibre[0], hair, 1e-12 * hair);
}

// Forty balls that fall, sixty frames: what a resume needs is the smaller part of the file.
static void states_do_not_fill_half_of_a_result(void** state) {
  (void)state;
  char scene[8192];
  size_t length = (size_t)snprintf(scene, sizeof scene,
                                   "time: {step: 4 ms, end: 0.48 s}\noutput: {frames: 8 ms, contacts: true}\n"
                                   "obstacles: {floor: {plane: {}}}\nbodies:\n");
  for (int i = 0; i < 40; ++i) {
    length += (size_t)snprintf(scene + length, sizeof scene - length,
                               "  b%d: {sphere: {radius: 5 cm}, position: [%g, %g, %g]}\n", i, 0.11 * (i % 4),
                               0.003 * i, 0.06 + 0.105 * (i / 4));
  }
  const char* path = scratch_path("states.h5");
  Run run = {0};
  assert_ok(cps_scene_parse(scene, length, "balls.yaml", NULL, 0, &run.scene, &run.error), run.error);
  assert_ok(cps_scene_build(run.scene, 1, &run.world, &run.error), run.error);
  start_run(&run, path);
  advance_to(&run, 61);
  assert_ok(cps_result_finish(run.writer, &run.error), run.error);
  free_run(&run);

  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  hsize_t size;
  H5Fget_filesize(file, &size);
  hid_t bytes = H5Dopen2(file, "/state/bytes", H5P_DEFAULT);
  assert_true(bytes >= 0);
  const hsize_t states = H5Dget_storage_size(bytes);
  H5Dclose(bytes);
  H5Fclose(file);
  print_message("states %llu of %llu bytes\n", (unsigned long long)states, (unsigned long long)size);
  assert_true(states > 0 && states < size / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(masses_are_in_the_result),
      cmocka_unit_test(states_do_not_fill_half_of_a_result),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
