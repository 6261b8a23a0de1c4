// labels: release
// Spurious energy. The tension of a light rope with a heavy load is stiff, and its waves are faster than a step: a first-order step
// for either creates energy. Crates that swing on ropes of every implicit model gain none (docs/theory/ties.md). A rod with explicit
// forces still does, and the step reports it: no spurious energy goes unreported.
#include "capstan/tie.h"
#include "world/world.h"
#include "world/world_helpers.h"

#include <string.h>

static const double PI = 3.14159265358979323846;

// 20 g of rope, pinned at its root.
static CpsFibreDef rope_of(CpsRodModel model) {
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
  return rope;
}

// A load on a rope that hangs down, set swinging at 0.1 m/s.
static CpsWorld* hang(CpsRodModel model, double theta, double step, double mass) {
  CpsWorldDef def = cps_world_def_default();
  def.theta = theta;
  def.step = step;
  CpsWorld* world = make_world(&def);
  CpsFibreDef rope = rope_of(model);
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

static void energy_from_nothing_is_told(void** state) {
  (void)state;
  // an explicit rod, far beyond its longest step: mass, step, and the time by which it must be told
  const double cases[][3] = {{4.0, 5e-3, 0.1}, {4.0, 1e-4, 1e-3}, {40.0, 1e-4, 1e-3}, {40.0, 1e-5, 1e-4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    CpsWorld* world = hang(CPS_ROD_CORDE_EXPLICIT, 0.5, cases[i][1], cases[i][0]);
    const double share = told_at(world);
    print_message("case %d: told at t = %g s, %.3g times the energy that was there\n", (int)i, cps_world_time(world),
                  share);
    assert_true(share != 0.0);
    assert_true(cps_world_time(world) < cases[i][2]);
    cps_world_destroy(world);
  }
}

// Whether the alarm goes off within 100 steps of an empty world whose books have 1 J, with 1 + made J in it for so many steps.
static bool alarm_for(double made, int steps) {
  const CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = make_world(&def);
  CpsStep step = {.world = world, .model = {.h = 1e-3}};
  world->energy.start = 1.0;
  bool told = false;
  for (int i = 0; i < 100; ++i) {
    world->last_energy = i < steps ? 1.0 + made : 1.0;
    told = told || cps_step_energy_made(&step) > 0.0;
  }
  world->last_energy = 0.0;
  cps_world_destroy(world);
  return told;
}

// A jump that stays shows no trend: as much energy again, for good. A jerk that is taken away again, and what an undamped motion keeps of a small
// one, are not accused, but one that makes ten times as much as there was is, even for a single step.
static void a_jump_that_stays_is_told(void** state) {
  (void)state;
  assert_true(alarm_for(1.1, 100));
  assert_true(alarm_for(7.5, 100));
  assert_false(alarm_for(1.1, 40));
  assert_false(alarm_for(0.9, 100));
  assert_false(alarm_for(9.5, 40));
  assert_true(alarm_for(10.5, 1));
}

// The most energy from nothing in any step of two hairs that collide at 20 m/s, relative to what there was.
static double most_excess(CpsRodModel model, bool mend) {
  CpsWorldDef def = cps_world_def_default();
  def.step = 5e-4;
  def.gravity = (CpsVec3){0, 0, 0};
  def.mend = mend;
  CpsWorld* world = make_world(&def);
  for (int i = 0; i < 2; ++i) {
    CpsFibreDef hair = cps_fibre_def_default();
    hair.model = model;
    hair.elements = 12;
    hair.length = 0.2;
    hair.radius = 5e-5;
    hair.young = 3e9;
    hair.root_pose =
        i == 0 ? (CpsPose){{-0.1, 0, 0.005}, {1, 0, 0, 0}} : (CpsPose){{0, -0.1, -0.005}, {sqrt(0.5), 0, 0, sqrt(0.5)}};
    CpsFibreId id;
    assert_int_equal(cps_world_add_fibre(world, &hair, &id, NULL), CPS_OK);
    assert_int_equal(
        cps_world_set_fibre_velocity(world, id, (CpsVec3){0, 0, i == 0 ? -10 : 10}, (CpsVec3){0, 0, 0}, NULL), CPS_OK);
  }
  double most = 0.0;
  while (cps_world_time(world) < 9.9e-3) {
    CpsStepInfo info;
    assert_int_equal(cps_world_step(world, &info, NULL), CPS_OK);
    most = fmax(most, info.excess);
  }
  cps_world_destroy(world);
  return most;
}

// The contact stretches the hairs in one step, to more energy than they had, which damping then takes. That is no trend, but a step that is
// not mended says so. By default it is tried in half the time until it is none. Super-helices, whose length is constant, store none.
static void a_jerk_is_halved_or_told(void** state) {
  (void)state;
  const double told = most_excess(CPS_ROD_DER, false), halved = most_excess(CPS_ROD_DER, true);
  print_message("der: excess %.2g, mended %.2g\n", told, halved);
  assert_true(told > 0.25);
  assert_true(halved == 0.0);
  assert_true(most_excess(CPS_ROD_SUPER_HELIX, false) == 0.0);
}

// A hair is swept aside by a bar. Its edges turn by up to a radian in a step, are longer after it and store more than the bar has done,
// which damping takes again: 18 times the energy that there was in 0.1 s at theta = 1/2 and 1 ms, half of it at theta = 1.
static void a_bar_that_sweeps_a_hair_creates_nothing(void** state) {
  (void)state;
  for (int i = 0; i < 4; ++i) {
    CpsWorldDef def = cps_world_def_default();
    def.step = i % 2 == 0 ? 1e-3 : 4e-3;
    def.theta = i / 2 == 0 ? 1.0 : 0.5;
    CpsWorld* world = make_world(&def);
    CpsObstacleDef bar = cps_obstacle_def_default();
    bar.shape = cps_cylinder(3e-3, 0.5);
    bar.pose = (CpsPose){{-0.1, 0, -0.15}, {sqrt(0.5), sqrt(0.5), 0, 0}};
    bar.motion = (CpsMotion){.kind = CPS_MOTION_VELOCITY, .velocity = {4, 0, 0}};
    bar.mu = 0.3;
    add_obstacle(world, &bar);
    CpsFibreDef hair = cps_fibre_def_default();
    hair.model = CPS_ROD_DER;
    hair.elements = 24;
    hair.length = 0.25;
    hair.radius = 5e-4;
    hair.young = 1e8;
    hair.mu = 0.3;
    hair.root.kind = CPS_END_CLAMPED;
    hair.root_pose = (CpsPose){{0, 0, 0}, {sqrt(0.5), 0, sqrt(0.5), 0}};
    CpsFibreId id;
    assert_int_equal(cps_world_add_fibre(world, &hair, &id, NULL), CPS_OK);
    double most = 0.0;
    int32_t contacts = 0;
    while (cps_world_time(world) < 0.1) {
      CpsStepInfo info;
      CpsError error;
      if (cps_world_step(world, &info, &error) != CPS_OK) fail_msg("%s", error.text);
      most = fmax(most, info.created);
      contacts += info.contacts;
    }
    print_message("h %g ms, theta %g: created %.2g, %d contacts\n", 1e3 * def.step, def.theta, most, (int)contacts);
    assert_true(contacts > 10);
    assert_true(most == 0.0);
    cps_world_destroy(world);
  }
}

// A light, stiff rope that is thrown at a floor that throws it back: 13 times its energy came from nothing in steps of 1 ms, at theta = 1, and
// 2500 times at theta = 1/2 beside a sheet.
static void a_rope_that_hits_the_floor_gains_nothing(void** state) {
  (void)state;
  static const CpsRodModel MODELS[] = {CPS_ROD_MASS_SPRING, CPS_ROD_CORDE, CPS_ROD_DER, CPS_ROD_SUPER_HELIX};
  for (int i = 0; i < 16; ++i) {
    CpsWorldDef def = cps_world_def_default();
    def.step = i % 2 == 0 ? 1e-3 : 2e-3;
    def.theta = i / 2 % 2 == 0 ? 1.0 : 0.5;
    CpsWorld* world = make_world(&def);
    CpsObstacleDef floor = cps_obstacle_def_default();
    floor.shape = cps_plane();
    floor.mu = 0.9;
    floor.restitution = 0.53;
    add_obstacle(world, &floor);
    CpsFibreDef rope = cps_fibre_def_default();
    rope.model = MODELS[i / 4];
    rope.length = 0.3;
    rope.elements = 10;
    rope.radius = 0.64e-3;
    rope.young = 9e7;
    rope.root_pose = (CpsPose){{-0.15, 0, 0.1}, {cos(0.003), 0, sin(0.003), 0}};
    CpsFibreId id;
    assert_int_equal(cps_world_add_fibre(world, &rope, &id, NULL), CPS_OK);
    assert_int_equal(cps_world_set_fibre_velocity(world, id, (CpsVec3){0, -2.9, -3.0}, (CpsVec3){0, 0, 0}, NULL),
                     CPS_OK);
    double most = 0.0;
    while (cps_world_time(world) < 0.15) {
      CpsStepInfo info;
      CpsError error;
      if (cps_world_step(world, &info, &error) != CPS_OK) fail_msg("%s", error.text);
      most = fmax(most, info.excess);
    }
    print_message("model %d, h %g ms, theta %g: excess %.2g\n", (int)rope.model, 1e3 * def.step, def.theta, most);
    assert_true(most == 0.0);
    cps_world_destroy(world);
  }
}

static const CpsRodModel SOUND[] = {
    CPS_ROD_SUPER_HELIX, CPS_ROD_SUPER_HELIX_RECURSIVE, CPS_ROD_SUPER_CLOTHOID, CPS_ROD_MASS_SPRING, CPS_ROD_CORDE,
    CPS_ROD_DER,         CPS_ROD_DER_INEXTENSIBLE,      CPS_ROD_DER_PROJECTED};
enum { SOUND_COUNT = sizeof SOUND / sizeof *SOUND };

// A crate that does not turn, on the rope, both let go at an angle: a pendulum of length 1 m.
static CpsWorld* swing(CpsRodModel model, double theta, double step, double mass, double angle, CpsBodyId* crate) {
  CpsWorldDef def = cps_world_def_default();
  def.theta = theta;
  def.step = step;
  CpsWorld* world = make_world(&def);
  CpsFibreDef rope = rope_of(model);
  const double turn = 0.25 * PI - 0.5 * angle;  // half of that from x to the rope
  rope.root_pose.rotation = (CpsQuat){cos(turn), 0.0, sin(turn), 0.0};
  CpsFibreId fibre;
  assert_int_equal(cps_world_add_fibre(world, &rope, &fibre, NULL), CPS_OK);
  CpsBodyDef load = box_at((CpsVec3){0.1, 0.1, 0.1}, sin(angle), 0.0, -cos(angle) - 0.05);
  load.mass = mass;
  load.fixed_rotation = true;
  *crate = add_body(world, &load);
  CpsTieDef knot = cps_tie_def_default();
  knot.a = cps_anchor_fibre(fibre, 1.0);
  knot.b = cps_anchor_body(*crate, (CpsVec3){0.0, 0.0, 0.05});
  assert_int_equal(cps_world_add_tie(world, &knot, NULL, NULL), CPS_OK);
  return world;
}

// What came from nothing, relative to `scale`.
static double gain(const CpsWorld* world, double scale) {
  CpsEnergy e = cps_world_energy(world);
  // the energy balance closes to rounding, however stiff the tension is
  assert_below(e.error, 1e-11);
  return (e.kinetic + e.potential + e.elastic - e.start) / scale;
}

// Loads of 10 to 1000 times the mass of the rope, steps of 1 and 4 ms, both ends of theta. At theta = 1/2 ropes that do not stretch keep
// the energy of the swing; those that do lose what they stretch by at first, 8 % of it for the heaviest.
static void a_crate_on_a_rope_gains_nothing(void** state) {
  (void)state;
  double most = -INFINITY, least = INFINITY;
  for (int k = 0; k < SOUND_COUNT; ++k) {
    for (int i = 0; i < 8; ++i) {
      // the long steps with three loads, the short ones with the heaviest
      const double h = i < 6 ? 4e-3 : 1e-3, theta = i % 2 == 0 ? 0.5 : 1.0,
                   ratio = i < 2   ? 10.0
                           : i < 4 ? 100.0
                                   : 1000.0;
      const double mass = ratio * 0.02, angle = 0.3, scale = mass * 9.81 * (1.0 - cos(angle));
      const bool stretches = SOUND[k] == CPS_ROD_MASS_SPRING || SOUND[k] == CPS_ROD_CORDE || SOUND[k] == CPS_ROD_DER;
      CpsBodyId crate;
      CpsWorld* world = swing(SOUND[k], theta, h, mass, angle, &crate);
      double worst = -INFINITY, last = 0.0;
      while (cps_world_time(world) < (i < 6 ? 1.0 : 0.25)) {
        CpsError error = {{0}};
        if (cps_world_step(world, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
        last = gain(world, scale);
        worst = fmax(worst, last);
      }
      assert_below(worst, 1e-5);
      if (theta == 0.5 && !stretches) {
        most = fmax(most, worst);
        least = fmin(least, last);
        assert_true(last > -1e-3);
      }
      cps_world_destroy(world);
    }
  }
  print_message("at theta = 1/2 ropes of constant length gain at most %.2g of the swing, and lose %.2g\n", most,
                -least);
}

// The crate begins with 0.1 m/s, the rope at rest: waves that no step of this length can follow. What a jerk makes of the energy at once is of
// the order of the step; it does not grow.
static void waves_of_a_jerk_do_not_grow(void** state) {
  (void)state;
  const double masses[] = {4.0, 40.0}, steps[] = {1e-3, 5e-3};
  for (int k = 0; k < SOUND_COUNT; ++k) {
    for (int i = 0; i < 4; ++i) {
      const double mass = masses[i % 2], h = steps[i / 2];
      CpsWorld* world = hang(SOUND[k], 0.5, h, mass);
      while (cps_world_time(world) < (i < 2 ? 0.4 : 1.5)) {
        CpsError error = {{0}};
        if (cps_world_step(world, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
        assert_below(gain(world, 0.5 * mass * 0.01), 5.0 * h);
      }
      cps_world_destroy(world);
    }
  }
}

// Half a period between two passes through the lowest point. A rod of mass m with a load M at its end has
//
//   T = 2 pi sqrt((L / g) (M + m/3) / (M + m/2)) (1 + a^2 / 16 + 11 a^4 / 3072)
static void the_period_is_that_of_a_pendulum(void** state) {
  (void)state;
  const CpsRodModel models[] = {CPS_ROD_SUPER_HELIX_RECURSIVE, CPS_ROD_SUPER_CLOTHOID, CPS_ROD_DER_INEXTENSIBLE};
  const double a = 0.3, m = 900.0 * PI * 2.66e-3 * 2.66e-3, M = 2.0, h = 2e-3;
  const double closed =
      2.0 * PI * sqrt((M + m / 3.0) / (M + m / 2.0) / 9.81) * (1.0 + a * a / 16.0 + 11.0 * pow(a, 4.0) / 3072.0);
  for (size_t k = 0; k < sizeof models / sizeof *models; ++k) {
    CpsBodyId crate;
    CpsWorld* world = swing(models[k], 0.5, h, M, a, &crate);
    double pass[2], before = 1.0;
    for (int count = 0; count < 2;) {
      step(world, 1);
      const double x = state_of(world, crate).pose.position.x;
      if (x * before < 0.0) pass[count++] = cps_world_time(world) - h * x / (x - before);
      before = x;
    }
    const double period = 2.0 * (pass[1] - pass[0]);
    print_message("%s: period %.6f s, closed form %.6f s\n", cps_rod_model_name(models[k]), period, closed);
    // the trapezoidal rule has a period that is too long by (omega h)^2 / 12 = 3e-6; the knot adds as much
    assert_near(period, closed, 1e-4 * closed);
    cps_world_destroy(world);
  }
}

// The tension of the next step is in a saved state.
static void a_resumed_swing_has_the_same_bits(void** state) {
  (void)state;
  CpsBodyId crate;
  CpsWorld *one = swing(CPS_ROD_SUPER_HELIX, 0.5, 4e-3, 20.0, 0.3, &crate),
           *two = swing(CPS_ROD_SUPER_HELIX, 0.5, 4e-3, 20.0, 0.3, &crate);
  step(one, 20);
  copy_state(one, two);
  step(one, 5);
  step(two, 5);
  assert_true(cps_world_hash(one) == cps_world_hash(two));
  cps_world_destroy(one);
  cps_world_destroy(two);
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

// A bent rod of few elements that bounces on its end swings that end round at hundreds of radians a second. Its velocities where the rod
// is now were taken for those with which its other parts come down, and thrown back: twenty times the energy in one step.
static void a_bent_rod_that_bounces_gains_nothing(void** state) {
  (void)state;
  static const CpsVec3 arc = {0.0, 0.0, 4.935};
  const CpsRodModel models[] = {CPS_ROD_SUPER_HELIX, CPS_ROD_SUPER_HELIX_RECURSIVE, CPS_ROD_SUPER_CLOTHOID};
  for (int i = 0; i < 18; ++i) {
    CpsWorldDef def = cps_world_def_default();
    def.step = i / 9 ? 1e-3 : 5e-4;
    def.mu = 0.0;
    def.restitution = 0.9;
    CpsWorld* world = make_world(&def);
    add_floor(world);
    CpsFibreDef rod = cps_fibre_def_default();
    rod.model = models[i % 3];
    rod.elements = 3;
    rod.length = 0.68;
    rod.radius = 1.125e-3;
    rod.young = 4.33e6;
    rod.natural = &arc, rod.natural_count = 1;
    const double tilt = -0.004 - 0.02 * (i / 3 % 3);
    rod.root_pose = (CpsPose){{0.0, 0.0, 0.05}, {cos(tilt), 0.0, sin(tilt), 0.0}};
    CpsFibreId id;
    assert_int_equal(cps_world_add_fibre(world, &rod, &id, NULL), CPS_OK);
    assert_int_equal(
        cps_world_set_fibre_velocity(world, id, (CpsVec3){-0.16, -0.46, -5.8}, (CpsVec3){0.0, 0.0, 0.0}, NULL), CPS_OK);
    double most = 0.0;
    CpsError error = {{0}};
    while (cps_world_time(world) < 0.05 - 1e-9) {
      if (cps_world_step(world, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
      most = fmax(most, excess(world));
    }
    print_message("%s, tilted by %g, %g ms: %.4f times the energy\n", cps_rod_model_name(models[i % 3]), tilt,
                  1e3 * def.step, most);
    assert_below(most, 1.0 + 5e-3);  // what keeping the angular momentum may lend (theory/fibres.md)
    cps_world_destroy(world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_jump_that_stays_is_told),
      cmocka_unit_test(a_jerk_is_halved_or_told),
      cmocka_unit_test(a_bar_that_sweeps_a_hair_creates_nothing),
      cmocka_unit_test(a_rope_that_hits_the_floor_gains_nothing),
      cmocka_unit_test(energy_from_nothing_is_told),
      cmocka_unit_test(a_crate_on_a_rope_gains_nothing),
      cmocka_unit_test(waves_of_a_jerk_do_not_grow),
      cmocka_unit_test(the_period_is_that_of_a_pendulum),
      cmocka_unit_test(a_resumed_swing_has_the_same_bits),
      cmocka_unit_test(what_is_quiet_goes_on),
      cmocka_unit_test(a_bent_rod_that_bounces_gains_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
