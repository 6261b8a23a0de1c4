// Each allocation of a sheet fails once: it is refused cleanly. Evaluations allocate nothing.
#include "failing_memory.h"

#include <string.h>

#include "model/sheet_drag.h"
#include "sheet_setup.h"

static void a_sheet_without_memory_is_refused(void** state) {
  (void)state;
  Rectangle r = make_rectangle(MESH_CROSSED, 1.0, 1.0, 4, 4);
  CpsSheetDef def = sheet_of_rectangle(&r);
  const int32_t held[] = {0, 1};
  CpsPin pin = cps_pin_default();
  pin.vertices = held, pin.vertex_count = 2;
  def.pins = &pin, def.pin_count = 1;
  int count = 0;
  for (;; ++count) {
    CpsSheetElastic* s = NULL;
    CpsError error = {{0}};
    fail_allocation(count);
    CpsStatus status = cps_sheet_check(&def, &error);
    if (status == CPS_OK) status = cps_sheet_elastic_create(&def, &s, &error);
    stop_failing();
    if (status == CPS_OK) {
      cps_sheet_elastic_destroy(s);
      if (!allocation_failed) break;
      continue;  // an arena asks again for less
    }
    assert_int_equal(status, CPS_NO_MEMORY);
    assert_non_null(strstr(error.text, "not enough memory"));
    assert_null(s);
  }
  assert_true(count > 20);
  free_rectangle(&r);
}

static void evaluations_allocate_nothing(void** state) {
  (void)state;
  Rectangle r = make_rectangle(MESH_CROSSED, 1.0, 1.0, 4, 4);
  for (int law = 0; law < CPS_BENDING_LAW_COUNT; ++law) {
    CpsSheetDef def = sheet_of_rectangle(&r);
    def.bending_law = (CpsBendingLaw)law;
    CpsSheetElastic* s = make_elastic(&def);
    CpsVec3 *x = shaken(s, 0.05, 1), *g = zero_vectors(s);
    double* value = zero_blocks(s);
    CpsSheetAir air = {1.2, 1.0, 0.1, {1.0, 0.0, 0.0}};
    CpsSheetLook look;
    fail_allocation(0);
    cps_sheet_energy(s, NULL, x);
    cps_sheet_gradient(s, NULL, x, g);
    cps_sheet_hessian(s, NULL, x, CPS_HESSIAN_CLAMPED, 1.0, 1.0, value);
    cps_sheet_hessian(s, NULL, x, CPS_HESSIAN_EXACT, 1.0, 1.0, value);
    cps_sheet_drag(s, NULL, &air, x, g, g);
    cps_sheet_drag_matrix(s, NULL, &air, x, g, 1.0, value);
    cps_sheet_look(s, x, 0, &look);
    cps_sheet_step_bound(s, x, g);
    stop_failing();
    assert_false(allocation_failed);
    free(x);
    free(g);
    free(value);
    cps_sheet_elastic_destroy(s);
  }
  free_rectangle(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(a_sheet_without_memory_is_refused, fail_one),
      cmocka_unit_test_setup(a_sheet_without_memory_is_refused, fail_the_rest),
      cmocka_unit_test_setup(evaluations_allocate_nothing, fail_the_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
