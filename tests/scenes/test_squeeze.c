// A block between plates that is pulled at one end: how much of it slips, and how far its end gives way.
#include "capstan/solid.h"
#include "scenes/scene_world.h"
#include "vertices.h"

#include <stdlib.h>

// Squeezed by 2 % without growing wider, the plates press with p = 0.02 E everywhere, and friction on both of them holds up to f = 2 mu p w
// on each length. Pulled with F, the block slips over F / f, so that friction acts F / 2f from its end on the average, and a section
// at s from the end has moved by f (F / f - s)^2 / 2 E A.
static void a_block_between_plates_slips_as_far_as_friction_must(void** state) {
  (void)state;
  const double H = 1e-2, L = 8.0 * H, w = H / 4.0, E = 1e5, F = 0.04, mu = 0.1;
  const double f = 2.0 * mu * 0.02 * E * w, slip = F / f;
  assert_near(slip, 4.0 * H, 1e-12);
  Overrides o = {0};
  override(&o, "across=2");
  CpsWorld* world = open_scene("squeeze.yaml", &o);
  Run run = run_until(world, 0.5);
  const double before = cps_world_time(world);
  run_step(world, &run);
  const double h = cps_world_time(world) - before;
  double press = 0.0, hold = 0.0, moment = 0.0, full = L / 2.0;
  for (int32_t i = 0; i < cps_world_contact_count(world); ++i) {
    const CpsContact c = cps_world_contact(world, i);
    const double sign = c.side[0].thing.kind == CPS_THING_SOLID ? -1.0 : 1.0;
    const double t = sign / h * (c.impulse[0] * c.normal.x + c.impulse[1] * c.tangent1.x + c.impulse[2] * c.tangent2.x);
    press += 0.5 * c.impulse[0] / h;
    hold += t, moment += t * (L / 2.0 - c.side[0].point.x);
    if (t > 0.99 * mu * c.impulse[0] / h) full = fmin(full, c.side[0].point.x);
  }
  print_message("p A = %.5f N, friction %.5f N at %.3f H from the end, all of it used over %.2f H\n", press, hold,
                moment / hold / H, (L / 2.0 - full) / H);
  assert_near(press, 0.02 * E * L * w, 1e-3 * press);
  assert_near(hold, F, 1e-4 * F);  // it rests
  assert_near(moment / hold, 0.5 * slip, 0.02 * slip);
  assert_near(L / 2.0 - full, slip, H);  // to the last node but one, which friction holds in part
  CpsVec3 x[500], v[500];
  assert_int_equal(vertices_of(world, cps_thing_solid(cps_world_solid(world, 0)), x, v), CPS_OK);
  double mean = 0.0;  // of the six nodes of the section at H from the end, those at the plates with half the weight
  for (int k = 0; k < 3; ++k) {
    for (int j = 0; j < 2; ++j) mean += (k == 1 ? 0.25 : 0.125) * (x[(k * 2 + j) * 17 + 14].x - (L / 2.0 - H));
  }
  print_message("one height from the end it has moved by %.4f mm\n", 1e3 * mean);
  assert_near(mean, f * (slip - H) * (slip - H) / (2.0 * E * w * H), 0.05 * mean);
  assert_int_equal(run.unsolved, 0);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_between_plates_slips_as_far_as_friction_must),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
