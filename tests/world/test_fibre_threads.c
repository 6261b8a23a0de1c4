// labels: threads
// Fibres of every model in one heap: the bits of the state are the same for any number of threads.
#include "rod_helpers.h"

#include <stdlib.h>

// A heap of rods of all models, with contacts among them: the bytes of the state after some steps.
static unsigned char* heap_after(int threads, int steps, size_t* size) {
  CpsWorldDef settings = cps_world_def_default();
  settings.threads = threads;
  settings.step = 2e-3;
  CpsWorld* world = make_world(&settings);
  add_floor(world);
  for (int i = 0; i < 2 * MODEL_COUNT; ++i) {
    CpsFibreDef def = rod_at(MODELS[i % MODEL_COUNT], 0.0, 0.0);
    CpsQuat turn = cps_quat_exp(cps_vec3(0.05 * (i % 3), 0, 0.7 * i));
    def.root_pose.rotation = cps_quat_multiply(turn, def.root_pose.rotation);
    def.root_pose.position = cps_vec3_add(cps_vec3(0.005 * (i % 4), 0.004 * (i % 3), 0.02 + 0.008 * i),
                                          cps_quat_rotate(def.root_pose.rotation, cps_vec3(-0.1, 0, 0)));
    add(world, &def);
  }
  assert_true(steps_with_contacts(world, steps) > 0);
  *size = cps_world_state_size(world);
  unsigned char* bytes = malloc(*size);
  assert_non_null(bytes);
  assert_int_equal(cps_world_save(world, bytes, *size, NULL), CPS_OK);
  cps_world_destroy(world);
  return bytes;
}

static void the_bits_do_not_depend_on_threads(void** state) {
  (void)state;
  const int steps = 60;
  size_t size, other_size;
  unsigned char* one = heap_after(1, steps, &size);
  for (int threads = 2; threads <= 3; ++threads) {
    unsigned char* other = heap_after(threads, steps, &other_size);
    assert_int_equal(size, other_size);
    assert_memory_equal(one, other, size);
    free(other);
  }
  free(one);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_bits_do_not_depend_on_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
