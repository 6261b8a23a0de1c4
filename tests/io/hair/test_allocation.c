// Strands read, written, fitted and grown with every allocation of ours failing once, alone or with all that follow it.
#include "capstan/hair.h"
#include "capstan/scene.h"
#include "failing_memory.h"

#include "test_helpers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ATTEMPTS = 3000, POINTS = 12 };

static char folder[] = "/tmp/capstan-hair-XXXXXX";
static char path[64];
static CpsVec3 points[POINTS];
static int64_t first[3] = {0, 5, POINTS};

static CpsHair strands(void) {
  return (CpsHair){.strand_count = 2, .point_count = POINTS, .first = first, .points = points};
}

static int set_up(void** state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  (void)snprintf(path, sizeof path, "%s/x.hair", folder);
  for (int i = 0; i < POINTS; ++i) points[i] = (CpsVec3){0.01 * i, 0.02 * sin(0.4 * i), 0.0};
  CpsHair hair = strands();
  return cps_hair_write(path, &hair, NULL);
}

static int tear_down(void** state) {
  (void)state;
  (void)unlink(path);
  return rmdir(folder);  // fails if something half-written was left behind
}

static CpsStatus read_strands(void) {
  CpsHair hair = {0};
  CpsStatus status = cps_hair_read(path, &hair, NULL);
  if (status == CPS_OK) assert_int_equal(hair.strand_count, 2);
  if (status != CPS_OK) assert_null(hair.points);
  cps_hair_free(&hair);
  return status;
}

static CpsStatus write_strands(void) {
  CpsHair hair = strands();
  return cps_hair_write(path, &hair, NULL);
}

static CpsStatus fit_strand(void) {
  CpsVec3 k[3];
  CpsFibreFit fit;
  return cps_fibre_fit(points, POINTS, 3, k, &fit, NULL);
}

static CpsStatus fit_strands(void) {
  CpsVec3 k[3];
  CpsFibreFit fit;
  const int64_t begin[2] = {0, POINTS};
  return cps_fibre_fit_all(points, begin, 1, 3, 2, NULL, k, &fit, NULL, NULL);
}

static CpsStatus load(const char* text) {
  CpsScene* scene = NULL;
  CpsStatus status = cps_scene_parse(text, strlen(text), "x.yaml", NULL, 0, &scene, NULL);
  assert_true((status == CPS_OK) == (scene != NULL));
  cps_scene_destroy(scene);
  return status;
}

static CpsStatus grow_hair(void) {
  return load(
      "obstacles: {head: {sphere: {radius: 0.1}}}\n"
      "fibres: {a: {hair: {on: head, count: 3}}, b: {hair: {on: head, count: 3, style: curly}},\n"
      "  c: {hair: {on: head, count: 3, style: ponytail}}}\n");
}

static CpsStatus load_file(void) {
  char text[200];
  (void)snprintf(text, sizeof text, "fibres: {a: {hair: {file: %s}}}\n", path);
  return load(text);
}

static void memory_that_is_short_is_said(void** state) {
  (void)state;
  CpsStatus (*const calls[])(void) = {read_strands, write_strands, fit_strand, fit_strands, grow_hair, load_file};
  for (int c = 0; c < 5; ++c) {
    int number = 0, refused = 0;
    for (allocation_failed = true; allocation_failed; ++number) {
      assert_true(number < ATTEMPTS);
      fail_allocation(number);
      CpsStatus status = calls[c]();
      stop_failing();
      if (status != CPS_OK && status != CPS_NO_MEMORY) fail_msg("call %d, allocation %d: status %d", c, number, status);
      refused += status == CPS_NO_MEMORY;
    }
    assert_true(refused >= 2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(memory_that_is_short_is_said, fail_one),
      cmocka_unit_test_setup(memory_that_is_short_is_said, fail_the_rest),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
