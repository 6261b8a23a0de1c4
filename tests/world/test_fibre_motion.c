// labels: release
// Fibres in a world: held ends, pulls and contacts, for each model of a rod.
#include "world/fibre_helpers.h"

// The root of a fibre on a moving and rotating obstacle follows the obstacle.
static void a_root_follows_its_obstacle(void** state) {
  (void)state;
  for (int m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    CpsWorld* world = make_for((CpsRodModel)m, 1);
    CpsObstacleDef head = cps_obstacle_def_default();
    head.shape = cps_sphere(0.05);
    head.motion = (CpsMotion){
        .kind = CPS_MOTION_SINE, .amplitude = {0.05, 0, 0.02}, .rotation_amplitude = {0, 0.5, 0.3}, .frequency = 2.0};
    CpsObstacleId on = add_obstacle(world, &head);
    CpsFibreDef def = thread_of((CpsRodModel)m);
    def.root_pose.position = (CpsVec3){0.05, 0.0, 0.0};
    def.root = (CpsFibreEnd){.kind = CPS_END_CLAMPED, .obstacle = on};
    def.contact_radius = 0.0;
    CpsFibreId id = add_fibre(world, &def);
    int steps = m == CPS_ROD_CORDE_EXPLICIT ? 2000 : 100;
    for (int i = 0; i < steps; ++i) {
      must(cps_world_step(world, NULL, &must_error));
      CpsPose pose;
      assert_int_equal(cps_world_obstacle_pose(world, on, &pose), CPS_OK);
      CpsFibrePoint root = fibre_at(world, id, 0.0);
      double w = pose.rotation.w, x = pose.rotation.x, y = pose.rotation.y, z = pose.rotation.z;
      // R (0.05, 0, 0) + p, R the matrix of the quaternion
      assert_near(root.position.x, pose.position.x + 0.05 * (1 - 2 * (y * y + z * z)), 1e-12);
      assert_near(root.position.y, pose.position.y + 0.05 * 2 * (x * y + w * z), 1e-12);
      assert_near(root.position.z, pose.position.z + 0.05 * 2 * (x * z - w * y), 1e-12);
    }
    // and it moved along: a rod of these lengths does not fly apart
    CpsFibrePoint tip = fibre_at(world, id, 0.2), root = fibre_at(world, id, 0.0);
    CpsVec3 d = {tip.position.x - root.position.x, tip.position.y - root.position.y, tip.position.z - root.position.z};
    assert_below(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), 0.2 * 1.05);
    cps_world_destroy(world);
  }
}

// A spring pulls the tip of a hanging fibre down by F. At the end nothing is stretched: the tip is below the root, and the spring
// reports its force.
static void a_pull_holds_the_tip(void** state) {
  (void)state;
  for (int m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    if (m == CPS_ROD_CORDE_EXPLICIT) continue;  // a second of its steps takes long
    if (SANITIZED && m % 3 != 0) continue;
    CpsWorld* world = make_for((CpsRodModel)m, 1);
    CpsFibreDef def = thread_of((CpsRodModel)m);
    def.drag = 0.2;
    def.root.kind = CPS_END_PINNED;
    CpsFibreId id = add_fibre(world, &def);
    CpsPullDef pull = cps_pull_def_default();
    pull.at.thing = cps_thing_fibre(id);
    pull.at.s = 0.2;
    pull.stiffness = 10.0;
    pull.damping = 0.1;
    pull.target = (CpsVec3){0.0, 0.0, -0.22};
    CpsPullId name;
    must(cps_world_add_pull(world, &pull, &name, &must_error));
    step(world, 1200);
    CpsVec3 tip = fibre_at(world, id, 0.2).position, force;
    assert_near(tip.x, 0.0, 1e-3);
    assert_near(tip.y, 0.0, 1e-3);
    assert_int_equal(cps_world_pull_force(world, name, &force), CPS_OK);
    assert_near(force.z, 10.0 * (-0.22 - tip.z), 1e-6);
    // inextensible models: 0.2 m below the root
    if (m < CPS_ROD_MASS_SPRING || m == CPS_ROD_DER_INEXTENSIBLE) assert_near(tip.z, -0.2, 1e-3);
    must(cps_world_move_pull(world, name, (CpsVec3){0.22, 0.0, 0.0}, &must_error));
    step(world, 1200);
    assert_true(fibre_at(world, id, 0.2).position.x > 0.15);
    must(cps_world_remove_pull(world, name, &must_error));
    assert_int_equal(cps_world_pull_force(world, name, &force), CPS_BAD_ARGUMENT);
    cps_world_destroy(world);
  }
}

// Contacts report what touches what, and where; the tangle comes to rest on the floor, and nothing passes through anything.
static void a_tangle_comes_to_rest(void** state) {
  (void)state;
  if (SANITIZED) skip();  // the same tangle moves in fibres, for a shorter time
  for (int m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    if (m == CPS_ROD_CORDE_EXPLICIT) continue;  // a second of its steps takes long
    CpsWorld* world = make_tangle((CpsRodModel)m, 1);
    int crossings = 0, fibre_pairs = 0, bodies = 0, floor = 0;
    double lowest = INFINITY, energy = INFINITY;
    for (int i = 0; i < 800; ++i) {
      CpsStepInfo info;
      assert_true(cps_world_step(world, &info, NULL) >= 0);
      crossings += info.crossings;
      for (int32_t k = 0; k < cps_world_contact_count(world); ++k) {
        CpsContact c = cps_world_contact(world, k);
        CpsThingKind a = c.side[0].thing.kind, b = c.side[1].thing.kind;
        if (a == CPS_THING_FIBRE && b == CPS_THING_FIBRE) fibre_pairs++;
        if (a == CPS_THING_BODY && b == CPS_THING_FIBRE) bodies++;
        if (a == CPS_THING_FIBRE && b == CPS_THING_OBSTACLE) floor++;
        for (const CpsSide* side = c.side; side < c.side + 2; ++side) {
          if (side->thing.kind != CPS_THING_FIBRE) continue;
          assert_true(side->place.x >= 0.0 && side->place.x <= 0.2 * (1 + 1e-12));
        }
        lowest = fmin(lowest, c.gap);
      }
      CpsEnergy e = cps_world_energy(world);
      double now = e.kinetic + e.potential + e.elastic;
      // nothing drives it: the energy does not grow beyond what linearisation leaves, a thousandth of the drop
      if (i > 0 && now > energy + 1e-3 * 8e-5) fail_msg("%s: step %d gains", cps_rod_model_name((CpsRodModel)m), i);
      energy = now;
    }
    assert_int_equal(crossings, 0);
    assert_true(fibre_pairs > 0 && bodies > 0 && floor > 0);
    assert_true(lowest > -5e-4);  // half a radius at the first impact
    // friction stops what slides at v within v / (mu g), milliseconds: what still moves rolls
    double slip = 0.0;
    for (int32_t k = 0; k < cps_world_contact_count(world); ++k) {
      CpsContact c = cps_world_contact(world, k);
      if (c.impulse[0] > 0.0) slip = fmax(slip, hypot(c.velocity[1], c.velocity[2]));
    }
    if (!(slip < 2e-4)) fail_msg("%s: something slides at %g", cps_rod_model_name((CpsRodModel)m), slip);
    for (int k = 0; k < 3; ++k) {
      double speed = fibre_speed(world, cps_world_fibre(world, k), 0.2);
      // nothing but other threads keeps a round one from rolling on the floor; they fell at 0.7 m/s, and roll at 3 mm/s or less
      if (!(speed < 5e-3)) fail_msg("%s: fibre %d moves at %g", cps_rod_model_name((CpsRodModel)m), k, speed);
    }
    cps_world_destroy(world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_root_follows_its_obstacle),
      cmocka_unit_test(a_pull_holds_the_tip),
      cmocka_unit_test(a_tangle_comes_to_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
