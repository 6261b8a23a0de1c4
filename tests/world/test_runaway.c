// Steps that make energy: a light rope with a heavy load has waves that are faster than a long step. At theta < 1, and for models on which
// ties act to first order only, their motion grows from step to step. That is said, or the step is halved, before it has carried
// the load away.
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

static void energy_from_nothing_is_refused_with_a_sentence(void** state) {
  (void)state;
  const struct {
    CpsRodModel model;
    double theta, mass;
  } cases[] = {
      {CPS_ROD_SUPER_HELIX, 0.5, 40.0},   {CPS_ROD_SUPER_HELIX, 1.0, 4.0}, {CPS_ROD_SUPER_HELIX_RECURSIVE, 1.0, 40.0},
      {CPS_ROD_SUPER_CLOTHOID, 0.7, 4.0}, {CPS_ROD_MASS_SPRING, 0.5, 4.0}, {CPS_ROD_DER, 0.5, 4.0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    CpsWorld* world = hang(cases[i].model, cases[i].theta, 5e-3, cases[i].mass);
    CpsStatus status = CPS_OK;
    CpsError error = {{0}};
    while (status >= 0 && cps_world_time(world) < 2.0) {
      status = cps_world_step(world, NULL, &error);
      // a quarter more than was there, and than gravity gives in one step
      assert_below(excess(world), 1.35);
    }
    assert_int_equal(status, CPS_BAD_DATA);
    if (!strstr(error.text, "became unstable at t =") || !strstr(error.text, "came from nothing"))
      fail_msg("%s", error.text);
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
      if (cps_world_step(world, NULL, &error) < 0) fail_msg("%s", error.text);
      assert_below(excess(world), 1.0 + 1e-6);
    }
    cps_world_destroy(world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_from_nothing_is_refused_with_a_sentence),
      cmocka_unit_test(what_is_quiet_goes_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
