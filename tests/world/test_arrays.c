// A world as plain arrays gives the same data as the calls for single objects, at any stride.
#include "core/vec3.h"
#include "world/fibre_helpers.h"
#include "world/sheet_helpers.h"

enum { ROOM = 256 };

// An entry of an engine that keeps other data next to ours.
typedef struct Entry {
  double value[4];
  double other;
} Entry;

static const CpsThing BODIES = {CPS_THING_BODY, 0, 0}, FIBRES = {CPS_THING_FIBRE, 0, 0},
                      SHEETS = {CPS_THING_SHEET, 0, 0}, OBSTACLES = {CPS_THING_OBSTACLE, 0, 0};

typedef struct Things {
  CpsWorld* world;
  CpsBodyId body[4];
  CpsFibreId fibre[2];
  CpsSheetId sheet[2];
  CpsObstacleId obstacle[2];
} Things;

// Bodies, a tree, a thread and two sheets, some of them removed, after a few steps.
static Things make_things(void) {
  CpsWorldDef def = cps_world_def_default();
  Things t = {.world = make_world(&def)};
  t.obstacle[0] = add_floor(t.world);
  CpsObstacleDef mill = cps_obstacle_def_default();
  mill.shape = cps_sphere(0.1);
  mill.pose.position = (CpsVec3){9, 0, 3};
  mill.motion = (CpsMotion){.kind = CPS_MOTION_VELOCITY, .velocity = {1, 0, 0}, .angular_velocity = {0, 0, 2}};
  t.obstacle[1] = add_obstacle(t.world, &mill);
  for (int i = 0; i < 4; ++i) {
    CpsBodyDef box = box_at((CpsVec3){0.1, 0.2, 0.3}, i, 0, 0.149);
    box.angular_velocity = (CpsVec3){0.1, 0.2, 0.3 * i};
    box.centre = (CpsVec3){0.01, 0, 0};
    t.body[i] = add_body(t.world, &box);
  }
  must(cps_world_remove_body(t.world, t.body[1], &must_error));
  CpsFibreDef thread = thread_of(CPS_ROD_DER);
  thread.root_pose = (CpsPose){{0, 3, 1}, {1, 0, 0, 0}};
  t.fibre[0] = add_fibre(t.world, &thread);
  CpsFibreDef tree = thread_of(CPS_ROD_SUPER_HELIX_RECURSIVE);
  CpsFibreBranch branch = {.parent = -1, .at = 1, .elements = 3, .length = 0.1, .radius = 1e-3};
  branch.curvature.x = NAN;
  tree.branch_count = 1;
  tree.branches = &branch;
  tree.root_pose = (CpsPose){{0, 5, 1}, {1, 0, 0, 0}};
  t.fibre[1] = add_fibre(t.world, &tree);
  for (int i = 0; i < 2; ++i) {
    Rectangle r = make_rectangle(2 + i, 2, (CpsVec3){i, 7, 1}, (CpsVec3){0.2, 0, 0}, (CpsVec3){0, 0.2, 0});
    CpsSheetDef cloth = sheet_of_rectangle(&r);
    must(cps_world_add_sheet(t.world, &cloth, &t.sheet[i], &must_error));
    free_rectangle(&r);
  }
  step(t.world, 5);
  return t;
}

static int64_t read_into(const CpsWorld* world, CpsThing thing, CpsQuantity quantity, Entry out[ROOM]) {
  for (int i = 0; i < ROOM; ++i) out[i] = (Entry){{NAN, NAN, NAN, NAN}, -1.0};
  int64_t count = cps_world_array_count(world, thing, quantity);
  assert_true(count < ROOM);
  assert_int_equal(cps_world_array(world, thing, quantity, out->value, sizeof *out), CPS_OK);
  for (int64_t i = 0; i < ROOM; ++i) {
    assert_true(out[i].other == -1.0);
    for (int k = 0; k < 4; ++k)
      assert_true(isnan(out[i].value[k]) == (i >= count || k >= cps_quantity_width(quantity)));
  }
  return count;
}

static void assert_entry(const Entry* e, CpsVec3 v) {
  assert_true(e->value[0] == v.x && e->value[1] == v.y && e->value[2] == v.z);
}

static void arrays_of_bodies_are_their_states(void** state) {
  (void)state;
  Things t = make_things();
  Entry x[ROOM], q[ROOM], v[ROOM], w[ROOM];
  assert_int_equal(read_into(t.world, BODIES, CPS_QUANTITY_POSITION, x), 3);
  read_into(t.world, BODIES, CPS_QUANTITY_ORIENTATION, q);
  read_into(t.world, BODIES, CPS_QUANTITY_VELOCITY, v);
  assert_int_equal(read_into(t.world, BODIES, CPS_QUANTITY_ANGULAR_VELOCITY, w), 3);
  for (int i = 0; i < 3; ++i) {
    CpsBodyState s = state_of(t.world, cps_world_body(t.world, i));
    assert_entry(&x[i], s.pose.position);
    assert_entry(&v[i], s.velocity);
    assert_entry(&w[i], s.angular_velocity);
    assert_true(q[i].value[0] == s.pose.rotation.w && q[i].value[1] == s.pose.rotation.x &&
                q[i].value[2] == s.pose.rotation.y && q[i].value[3] == s.pose.rotation.z);
  }
  assert_int_equal(read_into(t.world, cps_thing_body(t.body[2]), CPS_QUANTITY_POSITION, v), 1);
  assert_entry(&v[0], (CpsVec3){x[1].value[0], x[1].value[1], x[1].value[2]});
  assert_int_equal(read_into(t.world, OBSTACLES, CPS_QUANTITY_POSITION, x), 2);
  read_into(t.world, OBSTACLES, CPS_QUANTITY_ORIENTATION, q);
  CpsPose pose;
  must(cps_world_obstacle_pose(t.world, t.obstacle[1], &pose));
  assert_entry(&x[1], pose.position);
  assert_true(q[1].value[0] == pose.rotation.w && q[1].value[3] == pose.rotation.z && q[1].value[3] > 0.0);
  cps_world_destroy(t.world);
}

static void arrays_of_fibres_and_sheets_are_their_points(void** state) {
  (void)state;
  Things t = make_things();
  Entry x[ROOM], v[ROOM];
  // 13 ends of 12 segments, then 5 of the trunk and 4 of its branch
  assert_int_equal(read_into(t.world, FIBRES, CPS_QUANTITY_POSITION, x), 13 + 5 + 4);
  assert_int_equal(read_into(t.world, FIBRES, CPS_QUANTITY_VELOCITY, v), 13 + 5 + 4);
  for (int i = 0; i <= 12; ++i) {
    CpsFibrePoint p = fibre_at(t.world, t.fibre[0], 0.2 * i / 12);
    assert_entry(&x[i], p.position);
    assert_entry(&v[i], p.velocity);
  }
  for (int i = 0; i < 4; ++i) assert_entry(&x[13 + i], fibre_at(t.world, t.fibre[1], 0.2 * i / 4).position);
  CpsFibreInfo tree;
  must(cps_world_fibre_info(t.world, t.fibre[1], &tree));
  assert_entry(&x[13 + 8], fibre_at(t.world, t.fibre[1], tree.length).position);
  assert_int_equal(read_into(t.world, cps_thing_fibre(t.fibre[1]), CPS_QUANTITY_POSITION, v), 9);
  assert_memory_equal(v[8].value, x[21].value, 3 * sizeof(double));
  assert_int_equal(cps_world_array_count(t.world, FIBRES, CPS_QUANTITY_ORIENTATION), 0);
  assert_int_equal(read_into(t.world, SHEETS, CPS_QUANTITY_POSITION, x), 9 + 12);
  assert_int_equal(read_into(t.world, SHEETS, CPS_QUANTITY_VELOCITY, v), 9 + 12);
  for (int i = 0; i < 12; ++i) {
    CpsVertexState vertex;
    must(cps_world_vertex(t.world, cps_thing_sheet(t.sheet[1]), i, &vertex));
    assert_entry(&x[9 + i], vertex.position);
    assert_entry(&v[9 + i], vertex.velocity);
  }
  cps_world_destroy(t.world);
}

static void arrays_of_contacts_are_the_contacts(void** state) {
  (void)state;
  Things t = make_things();
  int32_t count = cps_world_contact_count(t.world);
  assert_true(count > 0 && count < ROOM);
  double point[ROOM][6], normal[ROOM][3], gap[ROOM][2];
  CpsVec3 impulse[ROOM], velocity[ROOM];
  must(cps_world_contact_array(t.world, CPS_CONTACT_QUANTITY_POINT, point[0], sizeof point[0]));
  must(cps_world_contact_array(t.world, CPS_CONTACT_QUANTITY_NORMAL, normal[0], sizeof normal[0]));
  must(cps_world_contact_array(t.world, CPS_CONTACT_QUANTITY_IMPULSE, &impulse->x, sizeof *impulse));
  must(cps_world_contact_array(t.world, CPS_CONTACT_QUANTITY_VELOCITY, &velocity->x, sizeof *velocity));
  must(cps_world_contact_array(t.world, CPS_CONTACT_QUANTITY_GAP, gap[0], sizeof gap[0]));
  double pushed = 0.0;
  for (int32_t i = 0; i < count; ++i) {
    CpsContact c = cps_world_contact(t.world, i);
    assert_memory_equal(point[i], &c.side[0].point, sizeof(CpsVec3));
    assert_memory_equal(point[i] + 3, &c.side[1].point, sizeof(CpsVec3));
    assert_memory_equal(normal[i], &c.normal, sizeof(CpsVec3));
    assert_true(gap[i][0] == c.gap);
    assert_near(cps_vec3_dot(impulse[i], c.normal), c.impulse[0], 1e-12);
    assert_near(cps_vec3_dot(impulse[i], c.tangent2), c.impulse[2], 1e-12);
    assert_near(cps_vec3_dot(velocity[i], c.tangent1), c.velocity[1], 1e-12);
    pushed += c.impulse[0];
  }
  assert_true(pushed > 0.0);
  cps_world_destroy(t.world);
}

static void labels_of_contacts_are_those_of_the_contacts(void** state) {
  (void)state;
  Things t = make_things();
  const int32_t count = cps_world_contact_count(t.world);
  static CpsContact all[ROOM];
  assert_int_equal(cps_world_contacts(t.world, all, ROOM), count);
  assert_int_equal(cps_world_contacts(t.world, NULL, 0), count);
  int32_t status[ROOM], thing[ROOM][6], part[ROOM][2], island[ROOM], feature[ROOM];
  double place[ROOM][6], friction[ROOM][2], residual[ROOM];
  must(cps_world_contact_labels(t.world, CPS_CONTACT_LABEL_STATUS, status, sizeof *status));
  must(cps_world_contact_labels(t.world, CPS_CONTACT_LABEL_THING, thing[0], sizeof *thing));
  must(cps_world_contact_labels(t.world, CPS_CONTACT_LABEL_PART, part[0], sizeof *part));
  must(cps_world_contact_labels(t.world, CPS_CONTACT_LABEL_ISLAND, island, sizeof *island));
  must(cps_world_contact_labels(t.world, CPS_CONTACT_LABEL_FEATURE, feature, sizeof *feature));
  must(cps_world_contact_array(t.world, CPS_CONTACT_QUANTITY_PLACE, place[0], sizeof *place));
  must(cps_world_contact_array(t.world, CPS_CONTACT_QUANTITY_FRICTION, friction[0], sizeof *friction));
  must(cps_world_contact_array(t.world, CPS_CONTACT_QUANTITY_RESIDUAL, residual, sizeof *residual));
  for (int32_t i = 0; i < count; ++i) {
    const CpsContact c = cps_world_contact(t.world, i);
    assert_int_equal(status[i], c.status);
    assert_int_equal(island[i], c.island);
    assert_int_equal((uint32_t)feature[i], c.feature);
    assert_true(friction[i][0] == c.mu && friction[i][1] == c.mu_across && residual[i] == c.residual);
    for (int k = 0; k < 2; ++k) {
      const CpsThing named = {(CpsThingKind)thing[i][3 * k], thing[i][3 * k + 1], (uint32_t)thing[i][3 * k + 2]};
      assert_true(cps_thing_is(named, c.side[k].thing));
      assert_true(cps_thing_is(all[i].side[k].thing, c.side[k].thing));
      assert_int_equal(part[i][k], c.side[k].part);
      assert_memory_equal(place[i] + 3 * k, &c.side[k].place, sizeof(CpsVec3));
    }
  }
  cps_world_destroy(t.world);
}

static void bad_arrays_are_refused(void** state) {
  (void)state;
  Things t = make_things();
  double out[4 * ROOM] = {7.0};
  CpsWorld* world = t.world;
  assert_int_equal(cps_world_array(NULL, BODIES, CPS_QUANTITY_POSITION, out, 24), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_array(world, BODIES, CPS_QUANTITY_POSITION, NULL, 24), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_array(world, BODIES, CPS_QUANTITY_POSITION, out, 23), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_array(world, BODIES, CPS_QUANTITY_POSITION, out, 28), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_array(world, BODIES, CPS_QUANTITY_ORIENTATION, out, 24), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_array(world, BODIES, (CpsQuantity)99, out, 64), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_array(world, cps_thing_body(t.body[1]), CPS_QUANTITY_POSITION, out, 24), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_array(world, cps_thing_fibre(t.fibre[0]), CPS_QUANTITY_ORIENTATION, out, 32),
                   CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_array(world, (CpsThing){CPS_THING_OTHER, 0, 0}, CPS_QUANTITY_POSITION, out, 24), CPS_OK);
  assert_int_equal(cps_world_array_count(NULL, BODIES, CPS_QUANTITY_POSITION), 0);
  assert_int_equal(cps_world_array_count(world, BODIES, (CpsQuantity)-1), 0);
  assert_int_equal(cps_world_contact_array(world, CPS_CONTACT_QUANTITY_POINT, out, 24), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_contact_array(world, (CpsContactQuantity)8, out, 48), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_contact_array(NULL, CPS_CONTACT_QUANTITY_GAP, out, 8), CPS_BAD_ARGUMENT);
  int32_t label[ROOM] = {7};
  assert_int_equal(cps_world_contact_labels(world, CPS_CONTACT_LABEL_THING, label, 20), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_contact_labels(world, CPS_CONTACT_LABEL_STATUS, label, 6), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_contact_labels(world, CPS_CONTACT_LABEL_STATUS, NULL, 4), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_contact_labels(world, (CpsContactLabel)5, label, 64), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_contact_labels(NULL, CPS_CONTACT_LABEL_STATUS, label, 4), CPS_BAD_ARGUMENT);
  assert_true(out[0] == 7.0 && label[0] == 7);
  cps_world_destroy(world);
}

// For data stored at equal distances, views show the numbers that arrays copy, at the same addresses as before a step.
static void views_have_the_numbers_of_arrays(void** state) {
  (void)state;
  Things t = make_things();
  CpsArrayView view, later;
  double copy[3 * ROOM];
  const struct {
    CpsThing thing;
    CpsQuantity quantity;
  } cases[] = {
      {cps_thing_body(t.body[2]), CPS_QUANTITY_CENTRE},     {cps_thing_body(t.body[2]), CPS_QUANTITY_VELOCITY},
      {cps_thing_fibre(t.fibre[0]), CPS_QUANTITY_POSITION}, {cps_thing_fibre(t.fibre[0]), CPS_QUANTITY_VELOCITY},
      {cps_thing_sheet(t.sheet[1]), CPS_QUANTITY_POSITION}, {cps_thing_sheet(t.sheet[1]), CPS_QUANTITY_VELOCITY}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    must(cps_world_view(t.world, cases[k].thing, cases[k].quantity, &view, &must_error));
    step(t.world, 1);
    must(cps_world_view(t.world, cases[k].thing, cases[k].quantity, &later, &must_error));
    assert_ptr_equal(view.data, later.data);
    must(cps_world_array(t.world, cases[k].thing, cases[k].quantity, copy, 3 * sizeof *copy));
    assert_int_equal(view.count, cps_world_array_count(t.world, cases[k].thing, cases[k].quantity));
    assert_true(view.width == 3 && view.type == CPS_NUMBER_DOUBLE);
    for (int64_t i = 0; i < 3 * view.count; ++i) {
      const double* at = (const double*)(const void*)((const char*)view.data + i / 3 * view.stride);
      assert_near(at[i % 3], copy[i], 1e-14);  // m, m/s: arrays interpolate between the ends of elements
    }
  }
  cps_world_destroy(t.world);
}

// Three of four bodies are not at equal distances, their positions are computed, two sheets lie apart; and arguments may be wrong.
static void views_of_what_is_scattered_are_refused(void** state) {
  (void)state;
  Things t = make_things();
  CpsArrayView view = {.count = 7};
  const CpsThing body = cps_thing_body(t.body[2]), gone = cps_thing_body(t.body[1]);
  assert_int_equal(cps_world_view(t.world, BODIES, CPS_QUANTITY_CENTRE, &view, NULL), CPS_UNSUPPORTED);
  assert_int_equal(cps_world_view(t.world, body, CPS_QUANTITY_POSITION, &view, NULL), CPS_UNSUPPORTED);
  assert_int_equal(cps_world_view(t.world, body, CPS_QUANTITY_ORIENTATION, &view, NULL), CPS_UNSUPPORTED);
  assert_int_equal(cps_world_view(t.world, SHEETS, CPS_QUANTITY_POSITION, &view, NULL), CPS_UNSUPPORTED);
  assert_int_equal(cps_world_view(t.world, OBSTACLES, CPS_QUANTITY_POSITION, &view, NULL), CPS_UNSUPPORTED);
  assert_int_equal(cps_world_view(t.world, cps_thing_fibre(t.fibre[1]), CPS_QUANTITY_POSITION, &view, NULL),
                   CPS_UNSUPPORTED);
  assert_int_equal(cps_world_view(t.world, gone, CPS_QUANTITY_CENTRE, &view, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_view(t.world, body, CPS_QUANTITY_FRACTION, &view, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_view(t.world, body, (CpsQuantity)99, &view, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_view(NULL, body, CPS_QUANTITY_CENTRE, &view, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_view(t.world, body, CPS_QUANTITY_CENTRE, NULL, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_contact_view(t.world, CPS_CONTACT_QUANTITY_POINT, &view, NULL), CPS_UNSUPPORTED);
  assert_int_equal(cps_world_contact_view(NULL, CPS_CONTACT_QUANTITY_GAP, &view, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_contact_view(t.world, (CpsContactQuantity)8, &view, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_contact_label_view(t.world, CPS_CONTACT_LABEL_PART, &view, NULL), CPS_UNSUPPORTED);
  assert_int_equal(cps_world_contact_label_view(t.world, (CpsContactLabel)5, &view, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_contact_label_view(NULL, CPS_CONTACT_LABEL_STATUS, &view, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(view.count, 7);
  assert_int_equal(cps_world_array_count(t.world, BODIES, CPS_QUANTITY_FRACTION), 0);
  cps_world_destroy(t.world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arrays_of_bodies_are_their_states),
      cmocka_unit_test(arrays_of_fibres_and_sheets_are_their_points),
      cmocka_unit_test(arrays_of_contacts_are_the_contacts),
      cmocka_unit_test(labels_of_contacts_are_those_of_the_contacts),
      cmocka_unit_test(bad_arrays_are_refused),
      cmocka_unit_test(views_have_the_numbers_of_arrays),
      cmocka_unit_test(views_of_what_is_scattered_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
