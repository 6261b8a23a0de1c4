// labels: release
// Springs that pull at points of bodies: closed forms, any stiffness, energy balance.
#include "world/world_helpers.h"

#include <stdlib.h>

static CpsPullId pull_at(CpsWorld* world, CpsBodyId body, CpsVec3 point, double stiffness, double damping,
                         CpsVec3 target) {
  CpsPullDef def = cps_pull_def_default();
  def.at.thing = cps_thing_body(body);
  def.at.point = point;
  def.stiffness = stiffness;
  def.damping = damping;
  def.target = target;
  CpsPullId id;
  must(cps_world_add_pull(world, &def, &id, &must_error));
  return id;
}

static CpsVec3 force_of(const CpsWorld* world, CpsPullId id) {
  CpsVec3 force;
  assert_int_equal(cps_world_pull_force(world, id, &force), CPS_OK);
  return force;
}

// A mass on a damped spring comes to rest m g / k below the target, and the spring carries its weight.
static void a_hanging_body_stretches_its_spring(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = make_world(&def);
  CpsBodyDef ball = ball_at(0.1, 0, 0, 1);
  ball.mass = 2.0;
  CpsBodyId id = add_body(world, &ball);
  CpsPullId pull = pull_at(world, id, (CpsVec3){0, 0, 0}, 400.0, 60.0, (CpsVec3){0, 0, 1});
  step(world, 3000);
  // e^(-15 * 3) of the way is left
  assert_near(state_of(world, id).pose.position.z, 1.0 - 2.0 * 9.81 / 400.0, 1e-12);
  assert_near(force_of(world, pull).z, 2.0 * 9.81, 1e-9);
  cps_world_destroy(world);
}

// theta = 1/2: the energy of an oscillator is kept, its period is 2 pi sqrt(m / k) (1 + (w h)^2 / 24 to second order).
static void an_oscillator_keeps_its_period_and_energy(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  def.theta = 0.5;
  def.gravity = (CpsVec3){0, 0, 0};
  CpsWorld* world = make_world(&def);
  CpsBodyDef ball = ball_at(0.1, 1.1, 0, 0);
  ball.mass = 2.0;
  CpsBodyId id = add_body(world, &ball);
  (void)pull_at(world, id, (CpsVec3){0, 0, 0}, 200.0, 0.0, (CpsVec3){1, 0, 0});
  double last = 0.1, first_zero = NAN, w = 10.0;
  int zeros = 0;
  double at = 0.0;
  while (zeros < 21) {
    step(world, 1);
    CpsBodyState s = state_of(world, id);
    double x = s.pose.position.x - 1.0, energy = 100.0 * x * x + s.velocity.x * s.velocity.x;
    assert_near(energy, 1.0, 1e-12);
    if (x * last < 0.0) {
      at = cps_world_time(world) - 1e-3 * x / (x - last);
      if (zeros++ == 0) first_zero = at;
    }
    last = x;
  }
  // tan(w' h / 2) = w h / 2; zeros are found by a line through two points: third order in h
  double period = (at - first_zero) / 10.0, exact = 6.283185307179586 / (2.0 / 1e-3 * atan(0.5 * w * 1e-3));
  assert_near(period, exact, 1e-8);
  cps_world_destroy(world);
}

// For any stiffness and any corner: the point reaches the target in one step, and stays stable afterwards.
static void no_stiffness_is_too_large(void** state) {
  (void)state;
  const double stiffness[] = {1e3, 1e6, 1e9, 1e15, 1e60};
  for (int k = 0; k < 5; ++k) {
    CpsWorldDef def = cps_world_def_default();
    CpsWorld* world = make_world(&def);
    CpsBodyDef box = box_at((CpsVec3){0.3, 0.2, 0.1}, 0, 0, 0);
    CpsBodyId id = add_body(world, &box);
    CpsVec3 corner = {0.15, 0.1, 0.05}, target = {0.16, 0.11, 0.06};
    (void)pull_at(world, id, corner, stiffness[k], 0.0, target);
    double fastest = 0.0;
    for (int i = 0; i < 4000; ++i) {
      step(world, 1);
      CpsBodyState s = state_of(world, id);
      fastest = fmax(fastest, fabs(s.velocity.x) + fabs(s.velocity.y) + fabs(s.velocity.z));
      if (i > 3000) assert_below(fabs(s.velocity.x) + fabs(s.velocity.y) + fabs(s.velocity.z), 3.0);
    }
    // 1 cm in a step of 1 ms
    assert_below(fastest, 3.0 * 10.0);
    assert_below(cps_world_energy(world).error, 1e-9);
    cps_world_destroy(world);
  }
}

// A force at an arm turns a body as arm x force, and its point is in the axes of the shape.
static void an_arm_makes_a_torque(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  def.gravity = (CpsVec3){0, 0, 0};
  CpsWorld* world = make_world(&def);
  CpsBodyDef box = box_at((CpsVec3){0.4, 0.2, 0.1}, 0, 0, 0);
  box.mass = 3.0;
  // a quarter turn about z: x of the shape is y of the world
  box.rotation = (CpsQuat){0.70710678118654752, 0, 0, 0.70710678118654752};
  CpsBodyId id = add_body(world, &box);
  CpsPullDef pull = cps_pull_def_default();
  pull.at.thing = cps_thing_body(id);
  pull.at.point = (CpsVec3){0.2, 0, 0};
  pull.force = (CpsVec3){6, 0, 0};
  must(cps_world_add_pull(world, &pull, NULL, &must_error));
  step(world, 1);
  CpsBodyState s = state_of(world, id);
  // arm 0.2 along y, force 6 along x: torque -1.2 about z; I_z = m (a^2 + b^2) / 12 = 0.05. The arm is the mean of those
  // before and after, which are at an angle of h times half of the spin.
  double angle = 0.5e-3 * 1.2 / 0.05 * 1e-3;
  assert_near(s.velocity.x, 6.0 / 3.0 * 1e-3, 1e-15);
  assert_near(s.angular_velocity.z, -1.2 / 0.05 * 1e-3 * 0.5 * (1.0 + cos(angle)), 1e-17);
  assert_near(s.angular_velocity.x, 0.0, 1e-15);
  cps_world_destroy(world);
}

// A heavy top with its axis level on a pivot that is a stiff spring: a disc of radius 5 cm, 10 cm from the pivot.
typedef struct Top {
  CpsWorld* world;
  CpsBodyId id;
  double precession;  // m g l / (I_3 spin), rad/s: exact where the axis is level
} Top;

static Top make_top(double theta, double damping, bool floor) {
  const double R = 0.05, l = 0.1, spin = 200.0;
  CpsWorldDef def = cps_world_def_default();
  def.step = 5e-4;
  def.theta = theta;
  Top top = {.world = make_world(&def), .precession = 2.0 * 9.81 * l / (R * R * spin)};
  CpsBodyDef disc = cps_body_def_default();
  disc.shape = cps_cylinder(R, 0.02);
  disc.mass = 1.0;
  disc.position = (CpsVec3){l, 0, 0};
  disc.rotation = (CpsQuat){0.70710678118654752, 0, 0.70710678118654752, 0};
  disc.angular_velocity = (CpsVec3){spin, 0, top.precession};
  disc.velocity = (CpsVec3){0, top.precession * l, 0};
  top.id = add_body(top.world, &disc);
  (void)pull_at(top.world, top.id, (CpsVec3){0, 0, -l}, 1e6, damping, (CpsVec3){0, 0, 0});
  if (floor) {
    CpsObstacleDef plane = cps_obstacle_def_default();
    plane.shape = cps_plane();
    plane.pose.position.z = -0.05;
    plane.mu = 0.1;
    add_obstacle(top.world, &plane);
  }
  return top;
}

static double energy_of(const CpsWorld* world) {
  CpsEnergy e = cps_world_energy(world);
  return e.kinetic + e.potential + e.elastic;
}

// theta = 1/2 keeps the energy of a spinning body on an undamped spring to rounding (Newton's method leaves 1e-15 of the 25 J in
// each step; a first-order rotation of the arm gained 90 J in this time). theta = 1 never gains energy, and the top precesses at
// the textbook rate: within 0.2 %, where 1e-5 and 5e-4 are measured.
static void a_heavy_top_precesses_and_keeps_its_energy(void** state) {
  (void)state;
  const double thetas[] = {0.5, 0.5, 0.75, 1.0}, dampings[] = {0.0, 100.0, 0.0, 100.0},
               tolerance[] = {1e-4, 1e-4, 2e-3, 2e-3};
  for (int k = 0; k < 4; ++k) {
    Top top = make_top(thetas[k], dampings[k], false);
    double start = energy_of(top.world), last = start, azimuth = 0.0, before = 0.0;
    for (int i = 0; i < 20000; ++i) {
      step(top.world, 1);
      CpsVec3 x = state_of(top.world, top.id).pose.position;
      double now = atan2(x.y, x.x), energy = energy_of(top.world);
      azimuth += remainder(now - before, 6.283185307179586);
      before = now;
      if (k == 0) assert_near(energy, start, 1e-10);
      assert_below(energy - last, 1e-10);
      last = energy;
    }
    assert_near(azimuth / (10.0 * top.precession), 1.0, tolerance[k]);
    assert_below(cps_world_energy(top.world).error, 1e-11);
    cps_world_destroy(top.world);
  }
}

// The same top with its rim rubbing on a floor: contacts of a body under a pull. The energy balance closes, and the only gain is
// what contacts do to the rotation of an arm, which is of second order in h.
static void a_top_that_rubs_on_a_floor_gains_nothing(void** state) {
  (void)state;
  const double thetas[] = {0.5, 1.0};
  for (int k = 0; k < 2; ++k) {
    Top top = make_top(thetas[k], 0.0, true);
    double start = energy_of(top.world), most = start;
    int touched = 0;
    for (int i = 0; i < 4000; ++i) {
      step(top.world, 1);
      most = fmax(most, energy_of(top.world));
      touched += cps_world_contact_count(top.world) > 0;
      assert_below(cps_world_energy(top.world).error, 1e-11);
    }
    assert_true(touched > 10);
    assert_below(most - start, 1e-10);
    assert_true(energy_of(top.world) < start);
    cps_world_destroy(top.world);
  }
}

// Pressed onto a floor by a spring through it: the floor carries weight and spring, and the body does not sink.
static void contacts_feel_the_spring(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = make_world(&def);
  add_floor(world);
  CpsBodyDef ball = ball_at(0.1, 0, 0, 0.1);
  ball.mass = 1.0;
  CpsBodyId id = add_body(world, &ball);
  CpsPullId pull = pull_at(world, id, (CpsVec3){0, 0, 0}, 1e4, 10.0, (CpsVec3){0, 0, -0.1});
  step(world, 50);
  assert_near(force_of(world, pull).z, -1e4 * 0.2, 1e-5);
  assert_int_equal(cps_world_contact_count(world), 1);
  assert_near(cps_world_contact(world, 0).impulse[0], 1e-3 * (9.81 + 2000.0), 1e-6);
  assert_near(state_of(world, id).pose.position.z, 0.1, 1e-8);
  cps_world_destroy(world);
}

// Pulls in a heap with impacts, friction and a moving target, for three theta: the energy balance closes.
static void the_books_close_with_pulls(void** state) {
  (void)state;
  const double thetas[] = {0.5, 0.8, 1.0};
  for (int k = 0; k < 3; ++k) {
    CpsWorldDef def = cps_world_def_default();
    def.theta = thetas[k];
    def.step = 2e-3;
    CpsWorld* world = make_world(&def);
    add_heap(world, 12);
    CpsPullDef pull = cps_pull_def_default();
    pull.at.thing = cps_thing_body(cps_world_body(world, 3));
    pull.at.point = (CpsVec3){0.05, 0, 0};
    pull.stiffness = 500.0;
    pull.damping = 2.0;
    pull.target = (CpsVec3){0.2, 0.2, 0.3};
    pull.motion = (CpsMotion){.kind = CPS_MOTION_SINE, .amplitude = {0.1, 0.1, 0.1}, .frequency = 2.0};
    must(cps_world_add_pull(world, &pull, NULL, &must_error));
    pull.at.thing = cps_thing_body(cps_world_body(world, 4));
    pull.until = 0.2;
    must(cps_world_add_pull(world, &pull, NULL, &must_error));
    (void)pull_at(world, cps_world_body(world, 4), (CpsVec3){0.05, 0.04, 0.045}, 1e4, 0.0, (CpsVec3){0, 0, 0.2});
    for (int i = 0; i < 200; ++i) {
      cps_world_step(world, NULL, NULL);
      // sums of thousands of terms, each rounded
      assert_below(cps_world_energy(world).error, 1e-11);
    }
    assert_true(cps_world_energy(world).external != 0.0);
    cps_world_destroy(world);
  }
}

// A loaded state continues with the existing pulls, to the bit.
static void a_loaded_state_goes_on(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world[2];
  for (int k = 0; k < 2; ++k) {
    world[k] = make_world(&def);
    add_heap(world[k], 6);
    (void)pull_at(world[k], cps_world_body(world[k], 2), (CpsVec3){0.01, 0, 0}, 100.0, 1.0, (CpsVec3){0, 0, 0.5});
  }
  step(world[0], 50);
  copy_state(world[0], world[1]);
  for (int k = 0; k < 2; ++k) step(world[k], 50);
  assert_true(cps_world_hash(world[0]) == cps_world_hash(world[1]));
  for (int k = 0; k < 2; ++k) cps_world_destroy(world[k]);
}

static void bad_pulls_are_refused(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = make_world(&def);
  CpsBodyDef ball = ball_at(0.1, 0, 0, 1);
  CpsBodyId id = add_body(world, &ball);
  CpsFibreDef thread = cps_fibre_def_default();
  CpsFibreId fibre;
  must(cps_world_add_fibre(world, &thread, &fibre, &must_error));
  CpsPullDef pull = cps_pull_def_default();
  CpsError error;
  assert_int_equal(cps_world_add_pull(world, &pull, NULL, &error), CPS_BAD_ARGUMENT);
  pull.at.thing = cps_thing_body(id);
  pull.at.point.x = NAN;
  assert_int_equal(cps_world_add_pull(world, &pull, NULL, &error), CPS_BAD_DATA);
  pull.at.point.x = 0.0;
  pull.at.thing = cps_thing_obstacle((CpsObstacleId){0, 1});
  assert_int_equal(cps_world_add_pull(world, &pull, NULL, &error), CPS_UNSUPPORTED);
  assert_string_equal(error.text, "objects of kind `obstacle` cannot be pulled");
  pull.at = cps_anchor_fibre(fibre, 1.0);
  assert_int_equal(cps_world_add_pull(world, &pull, NULL, &error), CPS_BAD_DATA);
  pull.at = cps_anchor_body(id, (CpsVec3){0});
  pull.stiffness = 1e100;
  assert_int_equal(cps_world_add_pull(world, &pull, NULL, &error), CPS_BAD_DATA);
  pull.stiffness = 10.0;
  CpsPullId name;
  must(cps_world_add_pull(world, &pull, &name, &must_error));
  step(world, 2);
  must(cps_world_remove_body(world, id, &must_error));
  CpsVec3 force;
  assert_int_equal(cps_world_pull_force(world, name, &force), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_add_pull(world, &pull, NULL, &error), CPS_BAD_ARGUMENT);
  step(world, 2);
  cps_world_destroy(world);
}

// mu_everywhere: a block on a slope of 20 degrees stays with 0.4 and slides with 0.3, whatever its own friction.
static void friction_of_everything_is_set_at_once(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  def.gravity = (CpsVec3){9.81 * sin(0.349), 0, -9.81 * cos(0.349)};
  def.mu_everywhere = 0.4;
  CpsWorld* world = make_world(&def);
  add_floor(world);
  CpsBodyDef box = box_at((CpsVec3){0.2, 0.2, 0.1}, 0, 0, 0.05);
  box.mu = 0.1;
  box.mu_across = 0.05;
  CpsBodyId id = add_body(world, &box);
  step(world, 100);
  assert_near(state_of(world, id).pose.position.x, 0.0, 1e-9);
  def.mu_everywhere = 0.3;
  must(cps_world_configure(world, &def, &must_error));
  step(world, 100);
  assert_near(state_of(world, id).velocity.x, 9.81 * (sin(0.349) - 0.3 * cos(0.349)) * 0.1, 1e-6);
  def.mu_everywhere = -1.0;
  assert_int_equal(cps_world_configure(world, &def, NULL), CPS_BAD_DATA);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_hanging_body_stretches_its_spring),
      cmocka_unit_test(an_oscillator_keeps_its_period_and_energy),
      cmocka_unit_test(no_stiffness_is_too_large),
      cmocka_unit_test(an_arm_makes_a_torque),
      cmocka_unit_test(a_heavy_top_precesses_and_keeps_its_energy),
      cmocka_unit_test(a_top_that_rubs_on_a_floor_gains_nothing),
      cmocka_unit_test(contacts_feel_the_spring),
      cmocka_unit_test(the_books_close_with_pulls),
      cmocka_unit_test(a_loaded_state_goes_on),
      cmocka_unit_test(bad_pulls_are_refused),
      cmocka_unit_test(friction_of_everything_is_set_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
