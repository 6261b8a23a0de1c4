// Steps that make energy: a light rope with a heavy load has waves that are faster than a long step. At theta < 1, and for models on which
// ties act to first order only, their motion grows from step to step. The step says so: nothing that was made out of nothing is silent.
#include "capstan/tie.h"
#include "world/world_helpers.h"

#include <string.h>

// A load on 20 g of rope that hangs from a pin, set swinging at 0.1 m/s.
static CpsWorld* hang(CpsRodModel model, double theta, double step, double mass) {
  CpsWorldDef def = cps_world_def_default();
  def.theta = theta;
  def.step = step;
  CpsWorld* world = make_world(&def);
  CpsFibreDef rope = cps_fibre_def_default();
  rope.model = model;
  rope.name = "rope";
  rope.length = 1.0;
  rope.elements = 20;
  rope.radius = 2.66e-3;
  rope.density = 900.0;
  rope.bending[0] = rope.bending[1] = rope.twisting = 1e-7;
  rope.root.kind = CPS_END_PINNED;
  rope.contact_radius = 0.0;
  rope.root_pose.rotation = (CpsQuat){sqrt(0.5), 0.0, sqrt(0.5), 0.0};  // along -z
  CpsFibreId fibre;
  assert_int_equal(cps_world_add_fibre(world, &rope, &fibre, NULL), CPS_OK);
  CpsBodyDef load = box_at((CpsVec3){0.1, 0.1, 0.1}, 0.0, 0.0, -1.05);
  load.mass = mass;
  load.velocity = (CpsVec3){0.1, 0.0, 0.0};
  CpsTieDef knot = cps_tie_def_default();
  knot.a = cps_anchor_fibre(fibre, 1.0);
  knot.b = cps_anchor_body(add_body(world, &load), (CpsVec3){0.0, 0.0, 0.05});
  assert_int_equal(cps_world_add_tie(world, &knot, NULL, NULL), CPS_OK);
  return world;
}

// Energy in motion and in elastic energy over what was there and what the fall gave.
static double excess(const CpsWorld* world) {
  CpsEnergy e = cps_world_energy(world);
  return (e.kinetic + e.elastic) / (e.start - e.potential);
}

// Steps until one says that energy came from nothing, or 2 s; returns how much too much there was then, 0: nobody said anything.
static double told_at(CpsWorld* world) {
  while (cps_world_time(world) < 2.0) {
    CpsError error = {{0}};
    CpsStepInfo info;
    CpsStatus status = cps_world_step(world, &info, &error);
    if (status == CPS_OK) {
      assert_true(info.made == 0.0);
      continue;
    }
    assert_int_equal(status, CPS_NOT_CONVERGED);
    assert_int_equal(info.status, CPS_NOT_CONVERGED);
    assert_true(info.unsolved > 0 && info.made > 0.0);
    if (!strstr(error.text, " is unstable at t = ") || !strstr(error.text, "came from nothing"))
      fail_msg("%s", error.text);
    return excess(world);
  }
  return 0.0;
}

// The load of the second is quiet for 0.9 s, then its rope blows up within five steps.
static void energy_from_nothing_is_told(void** state) {
  (void)state;
  const struct {
    CpsRodModel model;
    double theta, mass, before;  // s
  } cases[] = {{CPS_ROD_SUPER_HELIX, 1.0, 4.0, 0.3},
               {CPS_ROD_MASS_SPRING, 0.5, 4.0, 0.95},
               {CPS_ROD_DER_INEXTENSIBLE, 0.5, 40.0, 1.0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    CpsWorld* world = hang(cases[i].model, cases[i].theta, 5e-3, cases[i].mass);
    const double share = told_at(world);
    print_message("case %d: told at t = %g s, %.3g times the energy that was there\n", (int)i, cps_world_time(world),
                  share);
    assert_true(share != 0.0);
    assert_true(cps_world_time(world) < cases[i].before);
    cps_world_destroy(world);
  }
}

static void what_is_quiet_goes_on(void** state) {
  (void)state;
  const CpsRodModel models[] = {CPS_ROD_MASS_SPRING, CPS_ROD_CORDE, CPS_ROD_DER, CPS_ROD_DER_INEXTENSIBLE};
  for (size_t i = 0; i < sizeof models / sizeof *models; ++i) {
    CpsWorld* world = hang(models[i], 1.0, 5e-3, 40.0);
    CpsError error = {{0}};
    while (cps_world_time(world) < 1.0) {
      if (cps_world_step(world, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
      assert_below(excess(world), 1.0 + 1e-6);
    }
    cps_world_destroy(world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_from_nothing_is_told),
      cmocka_unit_test(what_is_quiet_goes_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
