// Saving and loading: a loaded world continues with the same bits. Any number of threads gives the same bits.
// labels: threads
#include "world/sheet_helpers.h"
#include "world/world_helpers.h"

#include <stdlib.h>
#include <string.h>

static CpsWorld* make_heap(int threads, bool adaptive) {
  CpsWorldDef def = cps_world_def_default();
  def.step = 2e-3;
  def.threads = threads;
  def.adaptive = adaptive;
  CpsWorld* world = make_world(&def);
  add_heap(world, 10);
  return world;
}

static void run(CpsWorld* world, int steps) {
  for (int i = 0; i < steps; ++i) assert_true(cps_world_step(world, NULL, NULL) >= 0);
}

static void a_loaded_world_goes_on_with_the_same_bits(void** state) {
  (void)state;
  for (int adaptive = 0; adaptive < 2; ++adaptive) {
    CpsWorld *whole = make_heap(1, adaptive), *first = make_heap(1, adaptive), *second = make_heap(1, adaptive);
    run(whole, 60);
    run(first, 35);
    copy_state(first, second);
    run(second, 25);
    assert_true(cps_world_hash(second) == cps_world_hash(whole));
    CpsEnergy a = cps_world_energy(whole), b = cps_world_energy(second);
    assert_memory_equal(&a, &b, sizeof a);
    cps_world_destroy(whole);
    cps_world_destroy(first);
    cps_world_destroy(second);
  }
}

// A strip that a ball and a thread fall on. The thread lies along it and joins nodes that are far from each other.
static CpsWorld* make_mixture(void) {
  CpsWorldDef def = cps_world_def_default();
  def.step = 2e-3;
  def.solver.method = CPS_METHOD_PRIMAL_NEWTON;
  CpsWorld* world = make_world(&def);
  add_floor(world);
  Rectangle r = make_rectangle(16, 2, (CpsVec3){0.0, 0.0, 2e-3}, (CpsVec3){0.2, 0.0, 0.0}, (CpsVec3){0.0, 0.03, 0.0});
  CpsSheetDef sheet = sheet_of_rectangle(&r);
  assert_int_equal(cps_world_add_sheet(world, &sheet, NULL, NULL), CPS_OK);
  free_rectangle(&r);
  CpsBodyDef ball = ball_at(0.03, 0.11, 0.01, 0.036);
  ball.velocity = (CpsVec3){0.2, 0.1, -1.0};
  add_body(world, &ball);
  CpsFibreDef thread = cps_fibre_def_default();
  thread.length = 0.2;
  thread.elements = 3;
  thread.radius = 2e-3;
  thread.root_pose.position = (CpsVec3){0.0, 0.02, 6e-3};
  assert_int_equal(cps_world_add_fibre(world, &thread, NULL, NULL), CPS_OK);
  return world;
}

// Steps made before a state is loaded leave no trace in the world: orders of elimination, warm starts, caches.
static void a_world_that_went_on_and_is_set_back_repeats_itself(void** state) {
  (void)state;
  CpsWorld* world = make_mixture();
  const size_t size = cps_world_state_size(world);
  void* start = malloc(size);
  assert_non_null(start);
  assert_int_equal(cps_world_save(world, start, size, NULL), CPS_OK);
  uint64_t hash[12];
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 12; ++i) {
      run(world, 1);
      if (round == 0) hash[i] = cps_world_hash(world);
      assert_true(cps_world_hash(world) == hash[i]);
    }
    assert_int_equal(cps_world_load(world, start, size, NULL), CPS_OK);
  }
  free(start);
  cps_world_destroy(world);
}

static void threads_change_no_bit(void** state) {
  (void)state;
  uint64_t hash[3];
  for (int threads = 1; threads <= 3; ++threads) {
    CpsWorld* world = make_heap(threads, false);
    run(world, 60);
    hash[threads - 1] = cps_world_hash(world);
    cps_world_destroy(world);
  }
  assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
}

// Every cut and every changed byte of the header is refused, or loads something finite; nothing crashes.
static void damaged_states_are_refused(void** state) {
  (void)state;
  CpsWorld *world = make_heap(1, false), *other = make_heap(1, false);
  run(world, 30);
  size_t size = cps_world_state_size(world);
  unsigned char* bytes = malloc(size);
  must(cps_world_save(world, bytes, size, &must_error));
  uint64_t before = cps_world_hash(other);
  CpsError error;
  for (size_t cut = 0; cut < size; cut += cut < 300 ? 1 : 97) {
    assert_true(cps_world_load(other, bytes, cut, &error) < 0);
    assert_true(error.text[0] != 0);
  }
  bytes[0] ^= 1;
  assert_int_equal(cps_world_load(other, bytes, size, &error), CPS_BAD_FORMAT);
  bytes[0] ^= 1;
  double nan = NAN;
  // a position of a body: after the header, past the generation
  unsigned char* copy = malloc(size);
  for (size_t at = 0; at + sizeof nan <= size; at += 8) {
    memcpy(copy, bytes, size);
    memcpy(copy + at, &nan, sizeof nan);
    CpsStatus status = cps_world_load(other, copy, size, NULL);
    if (status == CPS_OK) {
      CpsBodyState s = state_of(other, cps_world_body(other, 0));
      assert_true(isfinite(s.pose.position.x) && isfinite(s.velocity.x));
      must(cps_world_load(other, bytes, size, &must_error));
    }
  }
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* empty = make_world(&def);
  assert_int_equal(cps_world_load(empty, bytes, size, &error), CPS_BAD_FORMAT);
  assert_true(before != cps_world_hash(other));
  assert_int_equal(cps_world_save(world, bytes, size - 1, &error), CPS_BAD_ARGUMENT);
  free(copy);
  free(bytes);
  cps_world_destroy(empty);
  cps_world_destroy(world);
  cps_world_destroy(other);
}

// The step count comes first after the magic and the number of bytes: at its end the next step would overflow it.
static void a_state_with_counters_at_their_end_is_refused(void** state) {
  (void)state;
  CpsWorld* world = make_heap(1, false);
  run(world, 2);
  size_t size = cps_world_state_size(world);
  unsigned char* bytes = malloc(size);
  must(cps_world_save(world, bytes, size, &must_error));
  int64_t count, last = INT64_MAX;
  memcpy(&count, bytes + 16, sizeof count);
  assert_int_equal(count, 2);
  memcpy(bytes + 16, &last, sizeof last);
  uint64_t before = cps_world_hash(world);
  CpsError error = {""};
  assert_int_equal(cps_world_load(world, bytes, size, &error), CPS_BAD_DATA);
  assert_true(error.text[0] != 0 && cps_world_hash(world) == before);
  free(bytes);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_state_with_counters_at_their_end_is_refused),
      cmocka_unit_test(a_loaded_world_goes_on_with_the_same_bits),
      cmocka_unit_test(a_world_that_went_on_and_is_set_back_repeats_itself),
      cmocka_unit_test(threads_change_no_bit),
      cmocka_unit_test(damaged_states_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
