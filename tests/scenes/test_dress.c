// A dress on a figure that walks: every step is solved, nothing crosses, and no vertex is in the body.
#include "capstan/sheet.h"
#include "scenes/scene_world.h"
#include "vertices.h"

static void the_dress_follows_the_figure(void** state) {
  (void)state;
  Overrides o = {0};
  override(&o, "around=24");
  override(&o, "along=14");
  override(&o, "step=2 ms");
  CpsWorld* world = open_scene("dress.yaml", &o);
  Run run = run_until(world, SHORTER ? 0.05 : 0.3);
  static CpsVec3 x[24 * 15];
  CpsSheetInfo info;
  const CpsSheetId id = cps_world_sheet(world, 0);
  assert_int_equal(cps_world_sheet_info(world, id, &info), CPS_OK);
  assert_int_equal(info.vertex_count, 24 * 15);
  assert_int_equal(vertices_of(world, cps_thing_sheet(id), x, NULL), CPS_OK);
  // chest and hips sway together by 3 cm sin(2 pi 1.2 Hz t)
  const double sway = 0.03 * sin(2.0 * acos(-1.0) * 1.2 * cps_world_time(world));
  double nearest = INFINITY;
  for (int i = 0; i < info.vertex_count; ++i) {
    const double dx = x[i].x - sway, dz = x[i].z - 0.18;
    const double up = dz - fmin(0.12, fmax(-0.12, dz)), aside = dx - fmin(0.03, fmax(-0.03, dx));
    nearest = fmin(nearest, sqrt(dx * dx + x[i].y * x[i].y + up * up) - 0.11);
    nearest = fmin(nearest, sqrt(aside * aside + x[i].y * x[i].y + x[i].z * x[i].z) - 0.125);
  }
  print_message("%d contacts at most, %d unsolved, nearest vertex %.3f mm from the skin, hem at %.3f m\n",
                run.contacts_max, (int)run.unsolved, 1e3 * nearest, x[0].z);
  assert_int_equal(run.unsolved, 0);
  assert_int_equal(run.crossings, 0);
  assert_true(SHORTER || run.contacts_max > 30);
  assert_true(nearest > 0.9e-3);  // half of its thickness is 1 mm
  assert_below(run.books_error, 1e-8);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_dress_follows_the_figure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
