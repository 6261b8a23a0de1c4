// Overlapping objects are found, named, and moved apart without velocities.
#include <string.h>

#include "capstan/tie.h"
#include "world/fibre_helpers.h"

static CpsWorld* empty(void) {
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = NULL;
  assert_int_equal(cps_world_create(&def, &world, NULL), CPS_OK);
  return world;
}

static CpsBodyId add_ball(CpsWorld* world, double radius, CpsVec3 at) {
  CpsBodyDef def = cps_body_def_default();
  CpsBodyId id;
  def.shape = cps_sphere(radius);
  def.position = at;
  assert_int_equal(cps_world_add_body(world, &def, &id, NULL), CPS_OK);
  return id;
}

static void add_ground(CpsWorld* world) {
  CpsObstacleDef def = cps_obstacle_def_default();
  def.shape = cps_plane();
  assert_int_equal(cps_world_add_obstacle(world, &def, NULL, NULL), CPS_OK);
}

// Two balls of 0.1 m whose centres are 0.15 m apart, one 0.02 m deep in the floor.
static void overlaps_are_listed_by_depth_for_their_size(void** state) {
  (void)state;
  CpsWorld* world = empty();
  add_ground(world);
  CpsBodyId a = add_ball(world, 0.1, (CpsVec3){0, 0, 0.08}), b = add_ball(world, 0.1, (CpsVec3){0.15, 0, 0.5});
  add_ball(world, 0.1, (CpsVec3){0, 0, 0.5});
  add_ball(world, 0.1, (CpsVec3){2.0, 0, 0.1});  // touches, no more
  assert_int_equal(cps_world_find_overlaps(world, NULL), CPS_OK);
  assert_int_equal(cps_world_overlap_count(world), 2);
  CpsOverlap first = cps_world_overlap(world, 0), second = cps_world_overlap(world, 1);
  assert_near(first.depth, 0.05, 1e-12);
  assert_near(first.left, 0.05, 1e-12);
  assert_near(first.radius, 0.1, 1e-12);
  assert_near(first.point.x, 0.075, 1e-12);
  assert_int_equal(first.side[0].thing.index, b.index);
  assert_near(second.depth, 0.02, 1e-12);
  assert_int_equal(second.side[0].thing.index, a.index);
  assert_int_equal(second.side[1].thing.kind, CPS_THING_OBSTACLE);
  assert_true(cps_world_overlap(world, 2).depth == 0.0 && cps_world_overlap(world, -1).depth == 0.0);
  cps_world_destroy(world);
}

// Overlaps that were taken as given are no failure of a step, until they get deeper; those of others and of other kinds are.
static void what_was_given_counts_where_it_gets_deeper(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = NULL;
  CpsStepInfo info;
  def.gravity = (CpsVec3){0, 0, 0};
  def.projection = false;  // it would move the balls apart
  assert_int_equal(cps_world_create(&def, &world, NULL), CPS_OK);
  CpsBodyId a = add_ball(world, 0.1, (CpsVec3){0, 0, 0});
  add_ball(world, 0.1, (CpsVec3){0.05, 0, 0});
  assert_int_equal(cps_world_keep_overlaps(NULL, CPS_THING_BODY, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_keep_overlaps(world, CPS_THING_FIBRE, NULL), CPS_OK);
  assert_int_equal(cps_world_overlap_count(world), 1);
  assert_int_equal(cps_world_step(world, &info, NULL), CPS_OK);
  assert_near(info.deepest.depth, 0.15, 1e-9);
  assert_int_equal(cps_world_keep_overlaps(world, CPS_THING_BODY, NULL), CPS_OK);
  assert_int_equal(cps_world_step(world, &info, NULL), CPS_OK);
  assert_true(info.deepest.depth == 0.0);
  assert_true(info.penetration > 0.14);
  // another pair, less deep
  add_ball(world, 0.1, (CpsVec3){0, 1, 0});
  add_ball(world, 0.1, (CpsVec3){0, 1.18, 0});
  assert_int_equal(cps_world_step(world, &info, NULL), CPS_OK);
  assert_near(info.deepest.depth, 0.02, 1e-6);
  // and the first one, moved deeper by 2 cm
  CpsBodyState now;
  cps_world_body_state(world, a, &now);
  now.pose.position.x += 0.02;
  assert_int_equal(cps_world_set_body_state(world, a, &now, NULL), CPS_OK);
  assert_int_equal(cps_world_step(world, &info, NULL), CPS_OK);
  assert_near(info.deepest.depth, 0.17, 1e-9);
  cps_world_destroy(world);
}

// Each of sixty balls in a row gives way to all before it: pushes must get from end to end. 51 pairs were left when rows were five
// times softer and sweeps half as many.
static void a_long_row_comes_apart(void** state) {
  (void)state;
  CpsWorld* world = empty();
  for (int i = 0; i < 60; ++i) add_ball(world, 0.1, (CpsVec3){0.15 * i, 0, 0});
  assert_int_equal(cps_world_separate(world, NULL), CPS_OK);
  assert_int_equal(cps_world_overlap_count(world), 59);
  for (int i = 0; i < 59; ++i) assert_true(cps_world_overlap(world, i).left == 0.0);
  cps_world_destroy(world);
}

// Positions move, momentum and velocities do not; the lighter of two gives way.
static void bodies_are_moved_apart_without_velocities(void** state) {
  (void)state;
  CpsWorld* world = empty();
  CpsBodyId small = add_ball(world, 0.05, (CpsVec3){0, 0, 0}), large = add_ball(world, 0.1, (CpsVec3){0.1, 0, 0});
  CpsBodyState before = {0}, after = {0}, other = {0};
  cps_world_body_state(world, small, &before);
  before.velocity = (CpsVec3){1.0, 2.0, 3.0};
  assert_int_equal(cps_world_set_body_state(world, small, &before, NULL), CPS_OK);
  assert_int_equal(cps_world_separate(world, NULL), CPS_OK);
  assert_int_equal(cps_world_overlap_count(world), 1);
  assert_true(cps_world_overlap(world, 0).left == 0.0);
  cps_world_body_state(world, small, &after);
  cps_world_body_state(world, large, &other);
  assert_true(after.velocity.x == 1.0 && after.velocity.y == 2.0 && after.velocity.z == 3.0);
  // centres at least the sum of radii apart, and not by much more: 2 % of the smaller
  double apart = other.centre.x - after.centre.x;
  assert_true(apart >= 0.15 - 1e-4 && apart < 0.151);
  // the centre of mass stays: displacements are inverse to the masses, 1 to 8
  assert_near(after.centre.x * after.mass + other.centre.x * other.mass, 0.1 * other.mass, 1e-9);
  cps_world_destroy(world);
}

// Coincident balls under the floor come out of each other and of it; a step then finds next to nothing.
static void what_coincides_comes_apart(void** state) {
  (void)state;
  CpsWorld* world = empty();
  add_ground(world);
  for (int i = 0; i < 3; ++i) add_ball(world, 0.1, (CpsVec3){0, 0, -0.05});
  assert_int_equal(cps_world_separate(world, NULL), CPS_OK);
  CpsStepInfo info;
  assert_true(cps_world_step(world, &info, NULL) >= 0);
  assert_true(info.penetration < 0.02 * 0.1);
  cps_world_destroy(world);
}

// A ball in a slot that is too narrow by 1 cm cannot be helped, and that is said.
static void what_cannot_be_undone_is_left(void** state) {
  (void)state;
  CpsWorld* world = empty();
  for (int i = 0; i < 2; ++i) {
    CpsObstacleDef def = cps_obstacle_def_default();
    def.shape = cps_box((CpsVec3){0.2, 4.0, 4.0});
    def.pose.position = (CpsVec3){i == 0 ? -0.195 : 0.195, 0, 0};
    assert_int_equal(cps_world_add_obstacle(world, &def, NULL, NULL), CPS_OK);
  }
  add_ball(world, 0.1, (CpsVec3){0, 0, 0});
  CpsError error = {""};
  assert_int_equal(cps_world_separate(world, &error), CPS_NOT_CONVERGED);
  assert_non_null(strstr(error.text, "could not be removed"));
  assert_true(cps_world_overlap(world, 0).left > 0.004 && !cps_world_overlap(world, 0).held);
  cps_world_destroy(world);
}

static CpsFibreId add_rod(CpsWorld* world, CpsRodModel model, CpsEndKind root, double y, double z) {
  CpsFibreDef def = cps_fibre_def_default();
  CpsFibreId id;
  def.model = model;
  def.elements = 16;
  def.length = 0.2;
  def.radius = 2e-3;
  def.root_pose = (CpsPose){{0, y, z}, {1, 0, 0, 0}};
  def.root.kind = root;
  assert_int_equal(cps_world_add_fibre(world, &def, &id, NULL), CPS_OK);
  return id;
}

// A free fibre is carried aside as it is: no elastic energy to speak of, whatever the model.
static void free_fibres_are_moved_and_not_bent(void** state) {
  (void)state;
  static const CpsRodModel MODELS[] = {CPS_ROD_SUPER_HELIX, CPS_ROD_SUPER_CLOTHOID,  CPS_ROD_MASS_SPRING, CPS_ROD_CORDE,
                                       CPS_ROD_DER,         CPS_ROD_DER_INEXTENSIBLE};
  for (size_t m = 0; m < sizeof MODELS / sizeof *MODELS; ++m) {
    CpsWorld* world = empty();
    CpsFibreId a = add_rod(world, MODELS[m], CPS_END_FREE, 0, 0);
    add_rod(world, MODELS[m], CPS_END_FREE, 1e-3, 0);
    assert_int_equal(cps_world_separate(world, NULL), CPS_OK);
    CpsFibreInfo info;
    assert_int_equal(cps_world_fibre_info(world, a, &info), CPS_OK);
    assert_true(info.kinetic == 0.0);
    // bending it by one radius at its middle would take 48 EI r^2 / (2 L^3) = 0.2 mJ with these numbers
    if (info.elastic > 1e-5) print_error("model %d: %g J\n", (int)MODELS[m], info.elastic);
    assert_true(info.elastic < 1e-5);
    CpsStepInfo step;
    assert_true(cps_world_step(world, &step, NULL) >= 0);
    assert_true(step.deepest.depth < 0.05 * 2e-3);
    cps_world_destroy(world);
  }
}

// Fibres that are clamped 1 mm apart and 4 mm thick: nothing separates their roots. They are told of, do not touch there, and
// the simulation goes on: half a second of it used to end after 14 ms.
static void clamped_inside_each_other_they_go_on(void** state) {
  (void)state;
  CpsWorld* world = empty();
  CpsFibreId a = add_rod(world, CPS_ROD_SUPER_HELIX, CPS_END_CLAMPED, 0, 0);
  add_rod(world, CPS_ROD_SUPER_HELIX, CPS_END_CLAMPED, 1e-3, 0);
  add_rod(world, CPS_ROD_SUPER_HELIX, CPS_END_CLAMPED, 0.5e-3, 0.9e-3);
  assert_true(cps_world_separate(world, NULL) >= 0);
  assert_int_equal(cps_world_overlap_count(world), 3);
  for (int i = 0; i < 3; ++i) assert_true(cps_world_overlap(world, i).held && cps_world_overlap(world, i).left > 1e-3);
  CpsPose root;
  assert_int_equal(cps_world_fibre_end_pose(world, a, 0, &root), CPS_OK);
  assert_near(root.position.y, 0.0, 1e-12);
  for (int i = 0; i < 100; ++i) {
    CpsStepInfo info;
    CpsError error = {""};
    CpsStatus status = cps_world_step(world, &info, &error);
    if (status != CPS_OK) print_error("%s\n", error.text);
    assert_int_equal(status, CPS_OK);
    assert_true(info.deepest.depth < 0.5 * 2e-3);
  }
  cps_world_destroy(world);
}

// The step says what was deepest, for the size of the two: the small ball in the floor, not the large ones in each other.
static void a_step_names_its_deepest_penetration(void** state) {
  (void)state;
  CpsWorld* world = empty();
  add_ground(world);
  add_ball(world, 1.0, (CpsVec3){0, 0, 10});
  add_ball(world, 1.0, (CpsVec3){1.98, 0, 10});
  CpsBodyId small = add_ball(world, 0.02, (CpsVec3){5, 6, 0.01});
  CpsStepInfo info;
  assert_true(cps_world_step(world, &info, NULL) >= 0);
  assert_near(info.penetration, 0.02, 1e-12);
  assert_near(info.deepest.depth, 0.01, 1e-12);
  assert_near(info.deepest.radius, 0.02, 1e-12);
  assert_int_equal(info.deepest.side[0].thing.index, small.index);
  assert_int_equal(info.deepest.side[1].thing.kind, CPS_THING_OBSTACLE);
  assert_near(info.deepest.point.x, 5.0, 1e-12);
  cps_world_destroy(world);
}

static bool always(void* data) {
  ++*(int*)data;
  return true;
}

// A step that is cancelled leaves the world as it was, to the bit.
static void a_cancelled_step_changes_nothing(void** state) {
  (void)state;
  CpsWorld* world = empty();
  add_ground(world);
  add_ball(world, 0.1, (CpsVec3){0, 0, 0.1});
  for (int i = 0; i < 3; ++i) assert_int_equal(cps_world_step(world, NULL, NULL), CPS_OK);
  uint64_t hash = cps_world_hash(world);
  CpsWorldDef def = cps_world_settings(world);
  int asked = 0;
  def.cancel = always;
  def.cancel_data = &asked;
  assert_int_equal(cps_world_configure(world, &def, NULL), CPS_OK);
  assert_int_equal(cps_world_step(world, NULL, NULL), CPS_INTERRUPTED);
  assert_true(asked > 0 && cps_world_hash(world) == hash && cps_world_step_count(world) == 3);
  def.cancel = NULL;
  assert_int_equal(cps_world_configure(world, &def, NULL), CPS_OK);
  assert_int_equal(cps_world_step(world, NULL, NULL), CPS_OK);
  cps_world_destroy(world);
}

static void bad_calls_are_refused(void** state) {
  (void)state;
  CpsError error = {""};
  assert_int_equal(cps_world_find_overlaps(NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_separate(NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_overlap_count(NULL), 0);
  assert_true(cps_world_overlap(NULL, 0).depth == 0.0);
  CpsWorld* world = empty();
  assert_int_equal(cps_world_separate(world, &error), CPS_OK);
  assert_int_equal(cps_world_overlap_count(world), 0);
  cps_world_destroy(world);
}

// A train of three boxes, coupled by a ball joint and a rod, begins inside a wall: it is moved as a train.
static void what_is_tied_is_moved_apart_together(void** state) {
  (void)state;
  CpsWorldDef world_def = cps_world_def_default();
  CpsWorld* world = make_world(&world_def);
  CpsObstacleDef wall = cps_obstacle_def_default();
  wall.shape = cps_box((CpsVec3){0.1, 1.0, 1.0});
  must(cps_world_add_obstacle(world, &wall, NULL, &must_error));
  CpsBodyId box[3];
  for (int i = 0; i < 3; ++i) {
    CpsBodyDef def = cps_body_def_default();
    def.shape = cps_box((CpsVec3){0.1, 0.1, 0.1});
    def.position = (CpsVec3){0.07 + 0.18 * i, 0.0, 0.0};
    must(cps_world_add_body(world, &def, &box[i], &must_error));
  }
  CpsTieDef tie = cps_tie_def_default();
  tie.a = cps_anchor_body(box[0], (CpsVec3){0.09, 0.0, 0.0});
  tie.b = cps_anchor_body(box[1], (CpsVec3){-0.09, 0.0, 0.0});
  CpsTieId id[2];
  must(cps_world_add_tie(world, &tie, &id[0], &must_error));
  tie.kind = CPS_TIE_ROD;
  tie.a = cps_anchor_body(box[1], (CpsVec3){0.0, 0.0, 0.0});
  tie.b = cps_anchor_body(box[2], (CpsVec3){0.0, 0.0, 0.0});
  must(cps_world_add_tie(world, &tie, &id[1], &must_error));
  must(cps_world_separate(world, &must_error));
  CpsBodyState last;
  assert_int_equal(cps_world_body_state(world, box[2], &last), CPS_OK);
  assert_true(last.pose.position.x > 0.43 + 0.029);
  for (int i = 0; i < 2; ++i) {
    CpsTieState now;
    assert_int_equal(cps_world_tie_state(world, id[i], &now), CPS_OK);
    // without ties in the sweeps the first is 30 mm apart
    print_message("apart %.1e m\n", now.apart);
    assert_true(now.apart < 1e-5);
  }
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(overlaps_are_listed_by_depth_for_their_size),
      cmocka_unit_test(what_was_given_counts_where_it_gets_deeper),
      cmocka_unit_test(a_long_row_comes_apart),
      cmocka_unit_test(bodies_are_moved_apart_without_velocities),
      cmocka_unit_test(what_coincides_comes_apart),
      cmocka_unit_test(what_cannot_be_undone_is_left),
      cmocka_unit_test(free_fibres_are_moved_and_not_bent),
      cmocka_unit_test(clamped_inside_each_other_they_go_on),
      cmocka_unit_test(a_step_names_its_deepest_penetration),
      cmocka_unit_test(a_cancelled_step_changes_nothing),
      cmocka_unit_test(what_is_tied_is_moved_apart_together),
      cmocka_unit_test(bad_calls_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
