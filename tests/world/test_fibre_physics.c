// labels: release
// Invariants of fibres in a world with any model: momentum, energy, symmetry, lengths, rest and convergence.
#include "things/fibres.h"

#include "rod_helpers.h"

static CpsVec3 at(const CpsWorld* world, CpsFibreId id, double s) {
  CpsFibrePoint point;
  assert_int_equal(cps_world_fibre_at(world, id, s, &point), CPS_OK);
  return point.position;
}

static void total_momentum(const CpsWorld* world, CpsVec3* linear, CpsVec3* angular) {
  *linear = *angular = cps_vec3(0, 0, 0);
  for (int32_t i = 0; i < cps_world_fibres(world)->model.count; ++i) {
    const CpsRod* rod = &cps_world_fibres(world)->fibres[i].rod;
    CpsVec3 p, L;
    rod->type->momentum(rod, &p, &L);
    *linear = cps_vec3_add(*linear, p);
    *angular = cps_vec3_add(*angular, L);
  }
}

// The explicit scheme takes many steps; under a sanitizer fibre_motion covers it.
static bool is_left_out(int model) {
  return SANITIZED && model == CPS_ROD_CORDE_EXPLICIT;
}

static double total_energy(const CpsWorld* world) {
  CpsEnergy e = cps_world_energy(world);
  return e.kinetic + e.potential + e.elastic;
}

// Two free rods fly against each other crosswise and wrap about one another: whatever their contacts do is equal and
// opposite. The scheme itself keeps linear momentum to rounding, angular momentum to first order; impulses act on the two
// centrelines, two radii apart, which are 2 % of the half length.
static void internal_contacts_keep_momentum(void** state) {
  (void)state;
  for (int m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    if (is_left_out(m)) continue;
    CpsWorldDef settings = cps_world_def_default();
    settings.gravity = cps_vec3(0, 0, 0);
    settings.step = 1e-3 / substeps_of((CpsRodModel)m);
    CpsWorld* world = make_world(&settings);
    CpsFibreDef one = rod_at((CpsRodModel)m, 0.0, 0.0), other = rod_at((CpsRodModel)m, 0.0, 0.0);
    other.root_pose = (CpsPose){{-0.07, 0.01, 0.006}, {1.0, 0.0, 0.0, 0.0}};
    CpsFibreId a = add(world, &one), b = add(world, &other);
    CpsError error;
    assert_int_equal(cps_world_set_fibre_velocity(world, a, cps_vec3(0.1, 0, 0.4), cps_vec3(0, 0, 0), &error), CPS_OK);
    assert_int_equal(cps_world_set_fibre_velocity(world, b, cps_vec3(0, 0.2, -0.4), cps_vec3(0, 0, 1), &error), CPS_OK);
    CpsVec3 p0, L0, p1, L1;
    total_momentum(world, &p0, &L0);
    int touching = steps_with_contacts(world, 150 * substeps_of((CpsRodModel)m));
    total_momentum(world, &p1, &L1);
    double mass = 0.0;
    for (int i = 0; i < 2; ++i) mass += cps_world_fibres(world)->fibres[i].mass;
    double drift = cps_vec3_norm(cps_vec3_sub(p1, p0)) / (mass * 0.4);
    double turn = cps_vec3_norm(cps_vec3_sub(L1, L0)) / (mass * 0.4 * 0.1);
    assert_true(touching > 0);
    // rounding; constant lengths inside the mass hold to 1e-9
    assert_below(drift, (CpsRodModel)m == CPS_ROD_DER_INEXTENSIBLE ? 1e-8 : 1e-12);
    assert_below(turn, 2e-2);
    cps_world_destroy(world);
  }
}

// Rods fall on a floor and on each other, e = 0: the energy of the world decreases in every step. With explicit forces each
// vibration raises and lowers the energy; it is then never more than at the start.
static void energy_never_grows(void** state) {
  (void)state;
  for (int m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    if (is_left_out(m)) continue;
    CpsWorldDef settings = cps_world_def_default();
    settings.step = 1e-3 / substeps_of((CpsRodModel)m);
    CpsWorld* world = make_world(&settings);
    add_floor(world);
    for (int i = 0; i < 3; ++i) {
      CpsFibreDef def = rod_at((CpsRodModel)m, 0.01 * i, 0.02 + 0.02 * i);
      double angle = 0.8 * i;
      def.root_pose.rotation = cps_quat_multiply(cps_quat_exp(cps_vec3(0.1, 0, angle)), def.root_pose.rotation);
      def.root_pose.position = cps_vec3_add(cps_vec3(0.01 * i, 0, 0.03 + 0.03 * i),
                                            cps_quat_rotate(def.root_pose.rotation, cps_vec3(-0.1, 0, 0)));
      add(world, &def);
    }
    double first = total_energy(world), last = first, rise = 0.0;
    int touching = 0;
    for (int i = 0; i < 300 * substeps_of((CpsRodModel)m); ++i) {
      touching += steps_with_contacts(world, 1);
      double now = total_energy(world);
      rise = fmax(rise, now - (m == CPS_ROD_CORDE_EXPLICIT ? first : last));
      last = now;
    }
    assert_true(touching > 50);
    assert_below(rise, 1e-6 * first);
    cps_world_destroy(world);
  }
}

// Two rods, each the other one turned by half a turn about z, fall on a ball between them and on the floor. Explicit forces
// let rods ring undamped, and ringing rods that hit something tell rounding from nothing after a tenth of a second.
static void what_is_symmetric_stays_symmetric(void** state) {
  (void)state;
  for (int m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    if (is_left_out(m)) continue;
    CpsWorldDef settings = cps_world_def_default();
    settings.step = 1e-3 / substeps_of((CpsRodModel)m);
    settings.solver.tolerance = 1e-12;
    CpsWorld* world = make_world(&settings);
    add_floor(world);
    CpsObstacleDef ball = cps_obstacle_def_default();
    ball.shape = cps_sphere(0.03);
    ball.pose.position = cps_vec3(0, 0, 0.02);
    add_obstacle(world, &ball);
    CpsFibreDef one = rod_at((CpsRodModel)m, 0.0, 0.0), other = one;
    one.root_pose = (CpsPose){{0.01, 0.002, 0.06}, {1, 0, 0, 0}};
    other.root_pose = (CpsPose){{-0.01, -0.002, 0.06}, {0, 0, 0, 1}};
    CpsFibreId a = add(world, &one), b = add(world, &other);
    int touching = steps_with_contacts(world, m == CPS_ROD_CORDE_EXPLICIT ? 60 * substeps_of((CpsRodModel)m) : 250);
    double worst = 0.0;
    for (int i = 0; i <= 10; ++i) {
      CpsVec3 x = at(world, a, 0.02 * i), y = at(world, b, 0.02 * i);
      worst = fmax(worst, cps_vec3_norm(cps_vec3_sub(x, cps_vec3(-y.x, -y.y, y.z))));
    }
    assert_true(touching > 100);
    // a half turn rounds sine and cosine; the solver stops at 1e-12 of the impulses
    assert_below(worst, 1e-11);
    cps_world_destroy(world);
  }
}

// The points of an element differ by the integral of unit tangents, also after contacts.
static void super_models_keep_their_length(void** state) {
  (void)state;
  static const double NODE[] = {0.019855071751231884, 0.10166676129318664, 0.2372337950418355, 0.40828267875217511};
  static const double WEIGHT[] = {0.050614268145188129, 0.11119051722668724, 0.15685332293894363, 0.181341891689181};
  for (int m = 0; m < SUPER_COUNT; ++m) {
    CpsWorldDef settings = cps_world_def_default();
    CpsWorld* world = make_world(&settings);
    CpsObstacleDef ball = cps_obstacle_def_default();
    ball.shape = cps_sphere(0.03);
    add_obstacle(world, &ball);
    CpsFibreDef def = rod_at((CpsRodModel)m, 0.005, 0.04);
    CpsFibreId id = add(world, &def);
    assert_true(steps_with_contacts(world, 200) > 50);
    double size = def.length / def.elements, bent = 0.0;
    for (int e = 0; e < def.elements; ++e) {
      CpsVec3 sum = at(world, id, size * e);
      for (int i = 0; i < 8; ++i) {
        double x = i < 4 ? NODE[i] : 1.0 - NODE[7 - i];
        CpsFibrePoint point;
        assert_int_equal(cps_world_fibre_at(world, id, size * (e + x), &point), CPS_OK);
        bent = fmax(bent, cps_vec3_norm(point.curvature));
        CpsVec3 t = cps_quat_rotate(point.frame, cps_vec3(1, 0, 0));
        sum = cps_vec3_axpy(sum, size * WEIGHT[i < 4 ? i : 7 - i], t);
      }
      assert_below(cps_vec3_norm(cps_vec3_sub(at(world, id, size * (e + 1)), sum)), 1e-12);
    }
    assert_true(bent > 1.0);
    cps_world_destroy(world);
  }
}

// Edges of the inextensible discrete rods, also after contacts; other models are not tested.
static void discrete_rods_keep_their_length(void** state) {
  (void)state;
  static const CpsRodModel MODELS[] = {CPS_ROD_DER_INEXTENSIBLE, CPS_ROD_DER_PROJECTED};
  for (int m = 0; m < 2; ++m) {
    CpsWorldDef settings = cps_world_def_default();
    CpsWorld* world = make_world(&settings);
    CpsObstacleDef ball = cps_obstacle_def_default();
    ball.shape = cps_sphere(0.03);
    add_obstacle(world, &ball);
    CpsFibreDef def = rod_at(MODELS[m], 0.005, 0.04);
    CpsFibreId id = add(world, &def);
    double worst = 0.0;
    int touching = 0;
    for (int i = 0; i < 200; ++i) {
      touching += steps_with_contacts(world, 1);
      CpsFibreInfo info;
      assert_int_equal(cps_world_fibre_info(world, id, &info), CPS_OK);
      worst = fmax(worst, fabs(info.stored_length / info.length - 1.0));
    }
    assert_true(touching > 50);
    assert_below(worst, 1e-8);
    cps_world_destroy(world);
  }
}

// Straight rods that lie on the floor in their natural shape, parallel and a radius apart.
static void what_lies_still_stays_still(void** state) {
  (void)state;
  for (int m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    if (is_left_out(m)) continue;
    CpsWorldDef settings = cps_world_def_default();
    settings.step = 1e-3 / substeps_of((CpsRodModel)m);
    CpsWorld* world = make_world(&settings);
    add_floor(world);
    CpsFibreId id[3];
    for (int i = 0; i < 3; ++i) {
      CpsFibreDef def = rod_at((CpsRodModel)m, 0.01 * i, 2e-3);
      id[i] = add(world, &def);
    }
    steps_with_contacts(world, 200 * substeps_of((CpsRodModel)m));
    CpsVec3 before = at(world, id[1], 0.13);
    int touching = steps_with_contacts(world, 200);
    double moved = cps_vec3_norm(cps_vec3_sub(at(world, id[1], 0.13), before));
    assert_int_equal(touching, 200);
    assert_below(moved, 1e-15);
    cps_world_destroy(world);
  }
}

// A tree on a clamped trunk lets its branches fall on the floor: contacts on branches hold, and only take energy.
static void branches_lie_on_the_floor(void** state) {
  (void)state;
  CpsFibreBranch branches[4];
  for (int32_t i = 0; i < 4; ++i) {
    branches[i] = (CpsFibreBranch){.parent = i < 3 ? -1 : 0,
                                   .at = 1 + i % 3,
                                   .rotation = cps_quat_exp(cps_vec3(0, 0, 1.0 - 0.7 * i)),
                                   .elements = 5,
                                   .length = 0.2,
                                   .radius = 1.5e-3,
                                   .curvature = {NAN, NAN, NAN}};
  }
  CpsWorldDef settings = cps_world_def_default();
  CpsWorld* world = make_world(&settings);
  add_floor(world);
  CpsFibreDef def = rod_at(CPS_ROD_SUPER_HELIX_RECURSIVE, 0.0, 0.05);
  def.root.kind = CPS_END_CLAMPED;
  def.branch_count = 4;
  def.branches = branches;
  def.contact_radius = 2e-3;
  CpsFibreId id = add(world, &def);
  double last = total_energy(world), lowest = INFINITY;
  int touching = 0;
  for (int i = 0; i < 400; ++i) {
    touching += steps_with_contacts(world, 1);
    double now = total_energy(world);
    assert_below(now, last + 1e-12);
    last = now;
  }
  assert_true(touching > 200);
  for (int i = 0; i < 400; ++i) lowest = fmin(lowest, at(world, id, 0.2 + 0.8 * (i + 0.5) / 400).z);
  // pieces are chords of the curve, 2 cm long: where its curvature is 5/m it hangs through by 5 (2 cm)^2 / 8
  assert_near(lowest, def.contact_radius, 2.5e-4);
  cps_world_destroy(world);
}

// A free tree whose two branches hang down lands on their tips: as far from the floor as branches are thick, which the trunk is not. The
// last pieces of branches once ended at the roots of the next ones, and the tips went through the floor.
static void a_tree_lands_on_the_tips_of_its_branches(void** state) {
  (void)state;
  CpsFibreBranch branches[2];
  for (int32_t i = 0; i < 2; ++i) {
    branches[i] = (CpsFibreBranch){.parent = -1,
                                   .at = 2 * i,
                                   .rotation = cps_quat_exp(cps_vec3(0.3 - 0.6 * i, 1.5, 0.0)),
                                   .elements = 3,
                                   .length = 0.08,
                                   .radius = 1.5e-3,
                                   .curvature = {NAN, NAN, NAN}};
  }
  CpsWorldDef settings = cps_world_def_default();
  CpsWorld* world = make_world(&settings);
  add_floor(world);
  CpsFibreDef def = cps_fibre_def_default();
  def.model = CPS_ROD_SUPER_HELIX_RECURSIVE;
  def.elements = 4;
  def.radius = 3e-3;
  def.young = 2e7;
  def.root_pose.position.z = 0.1;
  def.branch_count = 2;
  def.branches = branches;
  CpsFibreId id = add(world, &def);
  double lowest = INFINITY;
  for (int i = 0; i < 300; ++i) {
    (void)steps_with_contacts(world, 1);
    for (int k = 0; k <= 100; ++k) {
      const double s = nextafter(def.length + 0.16 * k / 100, 0.0);
      lowest = fmin(lowest, at(world, id, s).z);
    }
  }
  print_message("lowest %.3f mm\n", 1e3 * lowest);
  assert_near(lowest, 1.5e-3, 5e-4);  // pieces are chords, and the tips arrive at 1 m/s
  cps_world_destroy(world);
}

// A clamped rod with a curl falls and swings: its position after 0.1 s.
static void swing(CpsRodModel model, double h, CpsVec3 points[11]) {
  static const CpsVec3 NATURAL = {0.0, 3.0, 1.0};
  CpsWorldDef settings = cps_world_def_default();
  settings.step = h;
  CpsWorld* world = make_world(&settings);
  CpsFibreDef def = rod_at(model, 0.0, 0.0);
  def.natural_count = 1;
  def.natural = &NATURAL;
  def.root.kind = CPS_END_CLAMPED;
  def.contact_radius = 0.0;
  CpsFibreId id = add(world, &def);
  step(world, (int)lround(0.1 / h));
  assert_int_equal(cps_world_fibre_points(world, id, 11, points), CPS_OK);
  cps_world_destroy(world);
}

static double distance(const CpsVec3* a, const CpsVec3* b) {
  double worst = 0.0;
  for (int i = 0; i < 11; ++i) worst = fmax(worst, cps_vec3_norm(cps_vec3_sub(a[i], b[i])));
  return worst;
}

// First order or better: the difference between a step and its half halves with the step.
static void halving_the_step_halves_the_error(void** state) {
  (void)state;
  if (SANITIZED) skip();  // no code but that of the others
  for (int m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    CpsVec3 x[3][11];
    for (int k = 0; k < 3; ++k) swing((CpsRodModel)m, 2.5e-4 / substeps_of((CpsRodModel)m) / (1 << k), x[k]);
    double coarse = distance(x[0], x[1]), fine = distance(x[1], x[2]);
    assert_true(coarse > 1e-6);
    // 1/2 in the limit; stretching that is not yet resolved makes it smaller, terms of second order a little larger
    assert_below(fine, 0.56 * coarse);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(internal_contacts_keep_momentum),   cmocka_unit_test(energy_never_grows),
      cmocka_unit_test(what_is_symmetric_stays_symmetric), cmocka_unit_test(super_models_keep_their_length),
      cmocka_unit_test(branches_lie_on_the_floor),         cmocka_unit_test(a_tree_lands_on_the_tips_of_its_branches),
      cmocka_unit_test(halving_the_step_halves_the_error), cmocka_unit_test(what_lies_still_stays_still),
      cmocka_unit_test(discrete_rods_keep_their_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
