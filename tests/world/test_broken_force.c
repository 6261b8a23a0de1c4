// The energy balance detects a wrong force. The elastic forces of a sheet are falsified on purpose. A wrong factor does work that
// differs from the change of the elastic energy, and stays in `scheme` for any step length. A force that differs from the one for
// which the step was solved leaves a residual of the equation in `linearisation`.
#include "model/sheet_elastic.h"
#include "vertices.h"
#include "world/sheet_helpers.h"

#include <math.h>

CpsSheetEnergy __real_cps_sheet_gradient(CpsSheetElastic* sheet, CpsPool* pool, const CpsVec3* x, CpsVec3* gradient);
CpsSheetEnergy __wrap_cps_sheet_gradient(CpsSheetElastic* sheet, CpsPool* pool, const CpsVec3* x, CpsVec3* gradient);

static double factor = 1.0;    // of all forces,
static double unsteady = 0.0;  // and part by which they differ from call to call

CpsSheetEnergy __wrap_cps_sheet_gradient(CpsSheetElastic* sheet, CpsPool* pool, const CpsVec3* x, CpsVec3* gradient) {
  CpsSheetEnergy energy = __real_cps_sheet_gradient(sheet, pool, x, gradient);
  factor *= 1.0 + unsteady;
  for (int32_t i = 0; i < sheet->mesh.node_count; ++i) gradient[i] = cps_vec3_scale(factor, gradient[i]);
  return energy;
}

typedef struct Books {
  double scheme, linearisation;  // relative to the elastic energy that came and went
} Books;

// A sheet that vibrates in flight for 20 ms: at theta = 1/2 and without damping, only the time steps lose energy.
static Books ring(double h, double wrong, double change) {
  CpsWorldDef def = cps_world_def_default();
  def.step = h;
  def.theta = 0.5;
  def.gravity = (CpsVec3){0.0, 0.0, 0.0};
  CpsWorld* world = NULL;
  assert_int_equal(cps_world_create(&def, &world, NULL), CPS_OK);
  Rectangle r = make_rectangle(6, 6, (CpsVec3){0.0, 0.0, 0.0}, (CpsVec3){0.3, 0.0, 0.0}, (CpsVec3){0.0, 0.3, 0.0});
  CpsSheetDef sheet = sheet_of_rectangle(&r);
  sheet.stretch[0] = sheet.stretch[1] = 200.0;
  sheet.stretch_damping = sheet.bending_damping = 0.0;
  CpsSheetId id;
  assert_int_equal(cps_world_add_sheet(world, &sheet, &id, NULL), CPS_OK);
  CpsVec3* v = calloc((size_t)r.vertex_count, sizeof *v);
  for (int i = 0; i < r.vertex_count; ++i) v[i] = (CpsVec3){0.5 * r.vertices[i].x, -0.3 * r.vertices[i].y, 0.0};
  assert_int_equal(set_vertices(world, cps_thing_sheet(id), NULL, v, NULL), CPS_OK);
  factor = wrong;
  unsteady = change;
  double turned = 0.0, last = 0.0;
  while (cps_world_time(world) < 0.02 - 1e-9) {
    (void)cps_world_step(world, NULL, NULL);
    const double now = cps_world_energy(world).elastic;
    turned += fabs(now - last);
    last = now;
  }
  factor = 1.0;
  unsteady = 0.0;
  const CpsEnergy e = cps_world_energy(world);
  cps_world_destroy(world);
  free_rectangle(&r);
  free(v);
  return (Books){fabs(e.scheme) / turned, fabs(e.linearisation) / turned};
}

static void the_books_find_a_wrong_force(void** state) {
  (void)state;
  const Books right = ring(1e-3, 1.0, 0.0), finer = ring(5e-4, 1.0, 0.0), wrong = ring(5e-4, 1.01, 0.0);
  const Books loose = ring(5e-4, 1.0, 1e-3);
  print_message("scheme %.1e, in half the step %.1e, with forces 1 %% too large %.1e\n", right.scheme, finer.scheme,
                wrong.scheme);
  print_message("rest of the equation %.1e, with forces that change under the step %.1e\n", finer.linearisation,
                loose.linearisation);
  assert_below(finer.scheme, 0.3 * right.scheme + 1e-9);  // second order
  assert_below(finer.scheme, 1e-3);
  assert_true(wrong.scheme > 100.0 * finer.scheme);
  assert_below(finer.linearisation, 1e-9);
  assert_true(loose.linearisation > 1e-5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_books_find_a_wrong_force),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
