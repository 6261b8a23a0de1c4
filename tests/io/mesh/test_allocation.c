// Reading meshes with every allocation failing once, alone or with all that follow it.
#include "failing_memory.h"
#include "io/mesh/samples.h"

enum { ATTEMPTS = 200 };

static void meshes_are_refused_when_memory_fails(void** state) {
  (void)state;
  for (int i = 0; i < SAMPLES; ++i) {
    const Sample sample = get_sample(i);
    CpsStatus status = CPS_NO_MEMORY;
    int attempt = 0;
    for (; status != CPS_OK && attempt < ATTEMPTS; ++attempt) {
      CpsMeshFile mesh = {0};
      CpsError error;
      fail_allocation(attempt);
      status = cps_mesh_file_parse(sample.bytes, sample.size, "f", &mesh, &error);
      stop_failing();
      if (status == CPS_OK) {
        assert_false(allocation_failed);
      } else {
        assert_true(allocation_failed && error.text[0]);
        assert_null(mesh.vertices);
        // a block that could not be unpacked for want of memory is called damaged
        assert_true(status == CPS_NO_MEMORY || (status == CPS_BAD_FORMAT && i == 9));
      }
      cps_mesh_file_free(&mesh);
    }
    assert_in_range(attempt, 3, ATTEMPTS - 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(meshes_are_refused_when_memory_fails, fail_one),
      cmocka_unit_test_setup(meshes_are_refused_when_memory_fails, fail_the_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
