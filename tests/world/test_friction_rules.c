// Which friction a contact gets, and anisotropic friction.
#include "world/world_helpers.h"

static const double G = 9.81;

// Slows down a block from 1 m/s for a tenth of a second and reads mu from the deceleration.
static double measured_mu(CpsWorld* world, CpsBodyId id) {
  CpsBodyState s = state_of(world, id);
  s.velocity = (CpsVec3){1.0, 0, 0};
  must(cps_world_set_body_state(world, id, &s, &must_error));
  step(world, 50);
  return (1.0 - state_of(world, id).velocity.x) / (G * 0.05);
}

// The value of the world, the material, the pair, the body: each overrides the one before.
static void the_most_specific_value_wins(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  def.mu = 0.1;
  CpsWorld* world = make_world(&def);
  CpsMaterialId wood, ice;
  must(cps_world_add_material(world, (CpsPair){NAN, NAN}, &wood, &must_error));
  must(cps_world_add_material(world, (CpsPair){0.2, NAN}, &ice, &must_error));
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  floor.material = ice;
  add_obstacle(world, &floor);
  CpsBodyDef block = box_at((CpsVec3){0.4, 0.4, 0.05}, 0, 0, 0.025);
  block.material = wood;
  CpsBodyId id = add_body(world, &block);
  const double tolerance = 1e-5;  // solver tolerance against a deceleration of about 1 m/s^2
  assert_near(measured_mu(world, id), 0.2, tolerance);
  must(cps_world_set_pair(world, ice, wood, (CpsPair){0.3, NAN}, &must_error));
  assert_near(measured_mu(world, id), 0.3, tolerance);
  must(cps_world_remove_body(world, id, &must_error));
  block.mu = 0.4;
  id = add_body(world, &block);
  assert_near(measured_mu(world, id), 0.4, tolerance);
  must(cps_world_remove_body(world, id, &must_error));
  block.mu = NAN;
  block.material = 0;
  id = add_body(world, &block);  // material 0 means nothing: that of the ice
  assert_near(measured_mu(world, id), 0.2, tolerance);
  cps_world_destroy(world);
}

static void halve(CpsContactQuery* query, void* data) {
  ++*(int*)data;
  query->mu *= 0.5;
}

static void spoil(CpsContactQuery* query, void* data) {
  (void)data;
  query->mu = NAN;
}

static void a_callback_has_the_last_word(void** state) {
  (void)state;
  int calls = 0;
  CpsWorldDef def = cps_world_def_default();
  def.mu = 0.4;
  def.friction = halve;
  def.friction_data = &calls;
  CpsWorld* world = make_world(&def);
  add_floor(world);
  CpsBodyDef block = box_at((CpsVec3){0.4, 0.4, 0.05}, 0, 0, 0.025);
  CpsBodyId id = add_body(world, &block);
  assert_near(measured_mu(world, id), 0.2, 1e-5);
  assert_int_equal(calls, 4 * 50);  // four corners
  def.friction = spoil;
  must(cps_world_configure(world, &def, &must_error));
  uint64_t before = cps_world_hash(world);
  CpsError error;
  assert_int_equal(cps_world_step(world, NULL, &error), CPS_BAD_DATA);
  assert_true(error.text[0] != 0);
  assert_true(cps_world_hash(world) == before);
  cps_world_destroy(world);
}

// A block with a grain: slides with mu along it, with mu_across at right angles, and in between the force is the point of
// the ellipse whose outer normal is opposite to the velocity (greatest dissipation).
static void friction_with_a_grain_is_an_ellipse(void** state) {
  (void)state;
  const double mu1 = 0.2, mu2 = 0.6, h = 1e-4;
  for (int k = 0; k <= 6; ++k) {
    double angle = k * 0.25;
    CpsWorldDef def = cps_world_def_default();
    def.step = h;
    def.solver.tolerance = 1e-10;
    CpsWorld* world = make_world(&def);
    add_floor(world);
    CpsBodyDef block = ball_at(0.1, 0, 0, 0.1);
    block.fixed_rotation = true;
    block.mu = mu1;
    block.mu_across = mu2;
    block.grain = (CpsVec3){0, 1, 0};
    block.velocity = (CpsVec3){sin(angle), cos(angle), 0};  // angle from the grain
    CpsBodyId id = add_body(world, &block);
    step(world, 1);
    CpsVec3 v = state_of(world, id).velocity;
    double ax = (v.x - block.velocity.x) / h, ay = (v.y - block.velocity.y) / h;
    // implicit: the velocity at the end of the step counts
    double speed = sqrt(mu1 * mu1 * v.y * v.y + mu2 * mu2 * v.x * v.x);
    assert_near(ay, -G * mu1 * mu1 * v.y / speed, 1e-6);
    assert_near(ax, -G * mu2 * mu2 * v.x / speed, 1e-6);
    CpsContact c = cps_world_contact(world, 0);
    assert_near(c.mu, mu1, 0.0);
    assert_near(c.mu_across, mu2, 1e-15);
    double x = c.impulse[1] / (mu1 * c.impulse[0]), y = c.impulse[2] / (mu2 * c.impulse[0]);
    assert_near(x * x + y * y, 1.0, 1e-9);
    assert_int_equal(c.status, CPS_CONTACT_SLIDE);
    cps_world_destroy(world);
  }
}

// It holds on a slope between the two friction angles if the grain lies across the slope, and slides if it lies along.
static void the_grain_decides_what_holds(void** state) {
  (void)state;
  for (int across = 0; across < 2; ++across) {
    CpsWorldDef def = cps_world_def_default();
    double slope = 0.4;
    def.gravity = (CpsVec3){G * sin(slope), 0, -G * cos(slope)};
    CpsWorld* world = make_world(&def);
    add_floor(world);
    CpsBodyDef block = box_at((CpsVec3){0.2, 0.2, 0.05}, 0, 0, 0.025);
    block.mu = 0.2;
    block.mu_across = 0.6;
    block.grain = across ? (CpsVec3){0, 1, 0} : (CpsVec3){1, 0, 0};
    CpsBodyId id = add_body(world, &block);
    step(world, 200);
    double x = state_of(world, id).pose.position.x;
    if (across) {
      assert_near(x, 0.0, 1e-12);
    } else {
      assert_near(x, 0.5 * G * (sin(slope) - 0.2 * cos(slope)) * 0.2 * 0.201, 1e-5);
    }
    cps_world_destroy(world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_most_specific_value_wins),
      cmocka_unit_test(a_callback_has_the_last_word),
      cmocka_unit_test(friction_with_a_grain_is_an_ellipse),
      cmocka_unit_test(the_grain_decides_what_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
