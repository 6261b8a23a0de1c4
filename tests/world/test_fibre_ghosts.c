// An object that passes beside another does not touch it: possible contacts of fibres do not push.
#include "capstan/fibre.h"
#include "core/quat.h"
#include "world_helpers.h"

static const double RADIUS = 3e-3, PEG = 0.02, SPEED = 20.0, CLEARANCE = 1e-3;

// A straight rope along y flies along x over the top of something, at a clearance.
static CpsFibreId fly(CpsWorld* world, CpsRodModel model, double height) {
  const CpsVec3 points[2] = {{-0.1, -0.15, height}, {-0.1, 0.15, height}};
  CpsFibreDef def = cps_fibre_def_default();
  CpsFibreId id;
  def.model = model;
  def.elements = model <= CPS_ROD_SUPER_CLOTHOID ? 5 : 10;
  def.points = points;
  def.point_count = 2;
  def.radius = RADIUS;
  def.young = 1e6;
  if (model == CPS_ROD_CORDE_EXPLICIT) def.damping = 0.0;
  must(cps_world_add_fibre(world, &def, &id, &must_error));
  must(cps_world_set_fibre_velocity(world, id, cps_vec3(SPEED, 0, 0), cps_vec3(0, 0, 0), &must_error));
  return id;
}

static CpsWorld* empty(CpsRodModel model) {
  CpsWorldDef def = cps_world_def_default();
  def.gravity = cps_vec3(0, 0, 0);
  if (model == CPS_ROD_CORDE_EXPLICIT) def.step = 2e-4;
  return make_world(&def);
}

// Position of a point of the rope after 10 ms, relative to its start.
static void check_straight(CpsWorld* world, CpsFibreId id, double height, CpsRodModel model) {
  while (cps_world_time(world) < 0.01 - 1e-9) must(cps_world_step(world, NULL, &must_error));
  for (int k = 0; k <= 10; ++k) {
    CpsFibrePoint p;
    must(cps_world_fibre_at(world, id, 0.03 * k, &p));
    // nothing pushed it: it is where its velocity took it, up to rounding
    if (fabs(p.position.z - height) > 1e-9 || fabs(p.position.x - (-0.1 + SPEED * 0.01)) > 1e-9) {
      print_error("%s\n", cps_rod_model_name(model));
    }
    assert_near(p.position.z, height, 1e-9);
    assert_near(p.position.x, -0.1 + SPEED * 0.01, 1e-9);
  }
  cps_world_destroy(world);
}

static void a_rope_clears_a_peg_by_a_millimetre(void** state) {
  (void)state;
  for (int m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    CpsWorld* world = empty((CpsRodModel)m);
    CpsObstacleDef peg = cps_obstacle_def_default();
    peg.shape = cps_cylinder(PEG, 0.5);
    peg.pose.rotation = cps_quat_exp(cps_vec3(0.5 * acos(-1.0), 0, 0));
    add_obstacle(world, &peg);
    double height = PEG + RADIUS + CLEARANCE;
    check_straight(world, fly(world, (CpsRodModel)m, height), height, (CpsRodModel)m);
  }
}

static void a_rope_clears_the_edge_of_a_box(void** state) {
  (void)state;
  CpsWorld* world = empty(CPS_ROD_DER);
  CpsObstacleDef box = cps_obstacle_def_default();
  box.shape = cps_box(cps_vec3(0.04, 0.5, 0.04));
  add_obstacle(world, &box);
  double height = 0.02 + RADIUS + CLEARANCE;
  check_straight(world, fly(world, CPS_ROD_DER, height), height, CPS_ROD_DER);
}

static void a_rope_clears_a_body_and_another_rope(void** state) {
  (void)state;
  CpsWorld* world = empty(CPS_ROD_DER);
  CpsBodyDef ball = ball_at(PEG, 0, 0, 0);
  CpsBodyId id = add_body(world, &ball);
  double height = PEG + RADIUS + CLEARANCE;
  // lies along x below the way of the first
  const CpsVec3 points[2] = {{-0.05, 0.1, PEG - RADIUS}, {0.05, 0.1, PEG - RADIUS}};
  CpsFibreDef other = cps_fibre_def_default();
  other.model = CPS_ROD_DER;
  other.elements = 10;
  other.points = points;
  other.point_count = 2;
  other.radius = RADIUS;
  must(cps_world_add_fibre(world, &other, NULL, &must_error));
  CpsFibreId rope = fly(world, CPS_ROD_DER, height);
  while (cps_world_time(world) < 0.01 - 1e-9) must(cps_world_step(world, NULL, &must_error));
  CpsBodyState state_now;
  must(cps_world_body_state(world, id, &state_now));
  assert_near(cps_vec3_norm(state_now.velocity), 0.0, 1e-12);
  check_straight(world, rope, height, CPS_ROD_DER);
}

// The same rope lower by a millimetre and a half touches, and is pushed up.
static void a_rope_that_does_not_clear_it_is_caught(void** state) {
  (void)state;
  CpsWorld* world = empty(CPS_ROD_DER);
  CpsObstacleDef peg = cps_obstacle_def_default();
  peg.shape = cps_cylinder(PEG, 0.5);
  peg.pose.rotation = cps_quat_exp(cps_vec3(0.5 * acos(-1.0), 0, 0));
  add_obstacle(world, &peg);
  CpsFibreId rope = fly(world, CPS_ROD_DER, PEG + RADIUS - 0.5 * CLEARANCE);
  while (cps_world_time(world) < 0.01 - 1e-9) {
    CpsStepInfo info;
    assert_true(cps_world_step(world, &info, NULL) >= 0);
    assert_int_equal(info.crossings, 0);
  }
  CpsFibrePoint p;
  must(cps_world_fibre_at(world, rope, 0.15, &p));
  assert_true(p.position.z > PEG + RADIUS);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rope_clears_a_peg_by_a_millimetre),
      cmocka_unit_test(a_rope_clears_the_edge_of_a_box),
      cmocka_unit_test(a_rope_clears_a_body_and_another_rope),
      cmocka_unit_test(a_rope_that_does_not_clear_it_is_caught),
  };
  return cmocka_run_group_tests_name("world/fibre_ghosts", tests, NULL, NULL);
}
