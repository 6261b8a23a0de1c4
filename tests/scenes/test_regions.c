// labels: memory
// Parts of a solid of other matter.
#include "capstan/solid.h"
#include "scenes/scene_world.h"
#include "vertices.h"

#include <string.h>

// Half of a bar is ten times as stiff. Pulled at its end it gets longer by F / A (L1 / E1 + L2 / E2), its middle moves by F L1 / A E1, and
// a region that weighs twice as much is in its mass.
static void a_bar_of_two_halves_is_two_springs_in_a_row(void** state) {
  (void)state;
  const double H = 1e-2, L = 8.0 * H, A = H * H / 4.0, F = 0.02, E = 1e5;
  Overrides o = {0};
  override(&o, "solids.block.regions=[{near: [-4 cm, 0, 0], radius: 4 cm, young: 1 MPa, density: 2000 kg/m3}]");
  override(&o, "solids.block.pins=[{side: -x}]");
  override(&o, "solids.block.mass_damping=100 Hz");
  override(&o, "across=2");
  override(&o, "solids.block.contact=false");
  override(&o, "force=%g", F);
  override(&o,
           "gravity=[0, 0, -1e-3]");  // until it is pulled nothing moves but by rounding, which settles against this
  CpsWorld* world = open_scene("squeeze.yaml", &o);
  CpsSolidInfo info;
  assert_int_equal(cps_world_solid_info(world, cps_world_solid(world, 0), &info), CPS_OK);
  assert_near(info.mass, 1500.0 * L * A, 1e-12);
  Run run = run_until(world, 0.5);
  CpsVec3 x[500];
  assert_int_equal(vertices_of(world, cps_thing_solid(cps_world_solid(world, 0)), x, NULL), CPS_OK);
  // six nodes of the section in the middle and of one a height before the end, where the load is even again
  double middle = 0.0, far = 0.0;
  for (int k = 0; k < 3; ++k) {
    for (int j = 0; j < 2; ++j) {
      const CpsVec3* row = x + (k * 2 + j) * 17;
      middle += (k == 1 ? 0.25 : 0.125) * row[8].x;
      far += (k == 1 ? 0.25 : 0.125) * (row[14].x - (L / 2.0 - H));
    }
  }
  print_message("the middle moved by %.5f mm, the end by %.5f mm\n", 1e3 * middle, 1e3 * far);
  assert_near(middle, F / A * (L / 2.0) / (10.0 * E), 1e-3 * middle);
  assert_near(far, F / A * (L / 2.0 / (10.0 * E) + (L / 2.0 - H) / E), 1e-3 * far);
  assert_int_equal(run.unsolved, 0);
  cps_world_destroy(world);
}

// One message with the place.
static void a_region_without_tetrahedra_is_refused(void** state) {
  (void)state;
  const char* text = "solids.block.regions=[{near: [1 m, 0, 0], radius: 1 cm}]";
  char path[512];
  CpsError error = {{0}};
  CpsScene* scene = NULL;
  snprintf(path, sizeof path, "%s/scenes/squeeze.yaml", SOURCE_DIR);
  assert_int_equal(cps_scene_load(path, &text, 1, &scene, &error), CPS_BAD_DATA);
  print_message("%s\n", error.text);
  assert_non_null(strstr(error.text, "no tetrahedron has its middle within this region"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bar_of_two_halves_is_two_springs_in_a_row),
      cmocka_unit_test(a_region_without_tetrahedra_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
