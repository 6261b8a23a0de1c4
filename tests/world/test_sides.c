// A contact has two sides. Each names an object and a material point of it, which lies at the position of the contact.
#include "core/quat.h"
#include "vertices.h"
#include "world/fibre_helpers.h"
#include "world/sheet_helpers.h"

static const double EXACT = 1e-12;  // rounding of places of the order of a metre

static void assert_at(CpsVec3 a, CpsVec3 b, double tolerance) {
  assert_near(cps_vec3_norm(cps_vec3_sub(a, b)), 0.0, tolerance);
}

// Poses of bodies and obstacles at the beginning of a step.
typedef struct Poses {
  CpsPose body[8], obstacle[4];
} Poses;

static Poses poses_of(const CpsWorld* world) {
  Poses p = {0};
  for (int32_t i = 0; i < cps_world_body_count(world); ++i) {
    CpsBodyId id = cps_world_body(world, i);
    p.body[id.index] = state_of(world, id).pose;
  }
  for (int32_t i = 0; i < cps_world_obstacle_count(world); ++i) {
    CpsObstacleId id = cps_world_obstacle(world, i);
    must(cps_world_obstacle_pose(world, id, &p.obstacle[id.index]));
  }
  return p;
}

// A dumbbell whose centre of mass is not the origin of its shape, falls, turns and slides on a floor that moves.
static void a_place_on_a_shape_is_in_its_axes(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = make_world(&def);
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  floor.motion = (CpsMotion){.kind = CPS_MOTION_VELOCITY, .velocity = {0.3, -0.2, 0.1}};
  floor.material = 0;
  add_obstacle(world, &floor);
  CpsMaterialId steel;
  must(cps_world_add_material(world, (CpsPair){0.3, 0.0}, &steel, &must_error));
  CpsShapePart parts[2] = {{.pose = {{0.0, 0.0, 0.2}, {1, 0, 0, 0}}, .shape = cps_sphere(0.1)},
                           {.pose = {{0.5, 0.0, 0.2}, {1, 0, 0, 0}}, .shape = cps_sphere(0.05)}};
  CpsBodyDef dumbbell = cps_body_def_default();
  dumbbell.shape = cps_compound(parts, 2);
  dumbbell.position = (CpsVec3){1.0, 2.0, -0.095};
  dumbbell.angular_velocity = (CpsVec3){0.2, 0.5, 3.0};
  dumbbell.material = steel;
  add_body(world, &dumbbell);
  int seen[2] = {0};
  for (int k = 0; k < 200; ++k) {
    Poses before = poses_of(world);
    step(world, 1);
    for (int32_t i = 0; i < cps_world_contact_count(world); ++i) {
      CpsContact c = cps_world_contact(world, i);
      const CpsSide *a = &c.side[0], *b = &c.side[1];
      assert_true(cps_thing_is(a->thing, cps_thing_body(cps_world_body(world, 0))));
      assert_true(cps_thing_is(b->thing, cps_thing_obstacle(cps_world_obstacle(world, 0))));
      assert_true(a->material == steel && b->material == 0 && b->part == 0);
      assert_at(cps_pose_apply(before.body[a->thing.index], a->place), a->point, EXACT);
      assert_at(cps_pose_apply(before.obstacle[b->thing.index], b->place), b->point, EXACT);
      // on the sphere that the part is, and below it
      assert_true(a->part == 0 || a->part == 1);
      CpsVec3 from = cps_vec3_sub(a->place, parts[a->part].pose.position);
      assert_near(cps_vec3_norm(from), parts[a->part].shape.radius, EXACT);
      seen[a->part]++;
    }
  }
  assert_true(seen[0] > 50 && seen[1] > 50);
  cps_world_destroy(world);
}

// Two threads over each other and a ball: the place on a fibre is the arc length whose centreline is a radius away.
static void a_place_on_a_fibre_is_an_arc_length(void** state) {
  (void)state;
  CpsWorld* world = make_for(CPS_ROD_DER, 1);
  add_floor(world);
  CpsFibreDef thread = thread_of(CPS_ROD_DER);
  thread.root_pose = (CpsPose){{-0.1, 0.0, 0.0009}, {1, 0, 0, 0}};
  CpsFibreId lower = add_fibre(world, &thread);
  thread.root_pose = (CpsPose){{0.03, -0.1, 0.0028}, {0.7071067811865476, 0, 0, 0.7071067811865476}};
  CpsFibreId upper = add_fibre(world, &thread);
  int crossed = 0, floor = 0;
  for (int k = 0; k < 20; ++k) {
    step(world, 1);
    for (int32_t i = 0; i < cps_world_contact_count(world); ++i) {
      CpsContact c = cps_world_contact(world, i);
      for (int s = 0; s < 2; ++s) {
        const CpsSide* side = &c.side[s];
        if (side->thing.kind != CPS_THING_FIBRE) continue;
        bool first = cps_thing_is(side->thing, cps_thing_fibre(lower));
        assert_true(first || cps_thing_is(side->thing, cps_thing_fibre(upper)));
        assert_true(side->part == 0 && side->place.y == 0.0 && side->place.z == 0.0);
        CpsVec3 x = fibre_at(world, first ? lower : upper, side->place.x).position;
        // a radius away, but for what it moved in the step and for pieces that are straight
        assert_near(cps_vec3_norm(cps_vec3_sub(x, side->point)), 1e-3, 2e-4);
      }
      if (c.side[1].thing.kind == CPS_THING_OBSTACLE) {
        floor++;
        continue;
      }
      crossed++;
      assert_near(c.side[0].place.x, 0.13, 2e-3);
      assert_near(c.side[1].place.x, 0.1, 2e-3);
    }
  }
  assert_true(crossed > 5 && floor > 5);
  cps_world_destroy(world);
}

// A ball on a sheet over a floor: the corners of the triangle, weighted, are half a thickness below the point.
static void a_place_on_a_sheet_is_a_triangle_with_weights(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = make_world(&def);
  Rectangle r = make_rectangle(6, 5, (CpsVec3){0, 0, 0.02}, (CpsVec3){0.3, 0, 0}, (CpsVec3){0, 0.25, 0});
  CpsSheetDef cloth = sheet_of_rectangle(&r);
  cloth.thickness = 2e-3;
  CpsSheetId id;
  must(cps_world_add_sheet(world, &cloth, &id, &must_error));
  CpsBodyDef ball = ball_at(0.03, 0.137, 0.121, 0.0512);
  ball.velocity = (CpsVec3){0.1, 0, -0.1};
  add_body(world, &ball);
  CpsVec3 before[42];
  assert_true(r.vertex_count == 42);
  int seen = 0;
  const int32_t* triangles = cps_world_sheet_triangles(world, id);
  for (int k = 0; k < 30; ++k) {
    must(vertices_of(world, cps_thing_sheet(id), before, NULL));
    step(world, 1);
    for (int32_t i = 0; i < cps_world_contact_count(world); ++i) {
      CpsContact c = cps_world_contact(world, i);
      const CpsSide* side = c.side[0].thing.kind == CPS_THING_SHEET ? &c.side[0] : &c.side[1];
      assert_true(cps_thing_is(side->thing, cps_thing_sheet(id)));
      assert_true(side->part >= 0 && side->part < r.triangle_count);
      const double weight[3] = {side->place.x, side->place.y, side->place.z};
      CpsVec3 x = {0.0, 0.0, 0.0};
      for (int n = 0; n < 3; ++n) {
        assert_true(weight[n] >= 0.0);
        x = cps_vec3_axpy(x, weight[n], before[triangles[3 * side->part + n]]);
      }
      assert_near(weight[0] + weight[1] + weight[2], 1.0, EXACT);
      assert_near(cps_vec3_norm(cps_vec3_sub(x, side->point)), 0.5 * cloth.thickness, EXACT);
      seen++;
    }
  }
  assert_true(seen > 10);
  free_rectangle(&r);
  cps_world_destroy(world);
}

typedef struct Heard {
  int32_t count;
  CpsSide side[64][2];
} Heard;

static void listen(CpsContactQuery* query, void* data) {
  Heard* heard = data;
  for (int k = 0; k < 2; ++k) heard->side[heard->count][k] = query->side[k];
  heard->count++;
}

// The friction callback hears of the same sides as the one who asks after the step.
static void the_friction_callback_hears_of_the_same_sides(void** state) {
  (void)state;
  Heard heard = {0};
  CpsWorldDef def = cps_world_def_default();
  def.friction = listen;
  def.friction_data = &heard;
  CpsWorld* world = make_world(&def);
  add_floor(world);
  CpsBodyDef box = box_at((CpsVec3){0.2, 0.1, 0.1}, 0, 0, 0.05);
  box.angular_velocity = (CpsVec3){0, 0, 2.0};
  add_body(world, &box);
  for (int k = 0; k < 10; ++k) {
    heard.count = 0;
    step(world, 1);
    assert_true(cps_world_contact_count(world) == 4 && heard.count == 4);
    for (int32_t i = 0; i < 8; ++i) {
      CpsSide a = cps_world_contact(world, i / 2).side[i % 2];
      const CpsSide* b = &heard.side[i / 2][i % 2];
      assert_true(cps_thing_is(a.thing, b->thing) && a.part == b->part && a.material == b->material);
      assert_memory_equal(&a.place, &b->place, sizeof a.place);
      assert_memory_equal(&a.point, &b->point, sizeof a.point);
      if (i % 2 == 0) assert_near(fabs(a.place.x) + fabs(a.place.y) + fabs(a.place.z), 0.2, EXACT);  // a corner
    }
  }
  cps_world_destroy(world);
}

static void kinds_have_names(void** state) {
  (void)state;
  assert_string_equal(cps_thing_kind_name(CPS_THING_NONE), "");
  assert_string_equal(cps_thing_kind_name(CPS_THING_BODY), "body");
  assert_string_equal(cps_thing_kind_name(CPS_THING_FIBRE), "fibre");
  assert_string_equal(cps_thing_kind_name(CPS_THING_SHEET), "sheet");
  assert_string_equal(cps_thing_kind_name(CPS_THING_SOLID), "solid");
  assert_string_equal(cps_thing_kind_name(CPS_THING_GRAINS), "grains");
  assert_string_equal(cps_thing_kind_name(CPS_THING_FLOW), "flow");
  assert_string_equal(cps_thing_kind_name(CPS_THING_OTHER), "other");
  assert_string_equal(cps_thing_kind_name(CPS_THING_OBSTACLE), "obstacle");
  CpsThing a = cps_thing_body((CpsBodyId){3, 1}), b = a;
  assert_true(cps_thing_is(a, b));
  b.generation = 2;
  assert_false(cps_thing_is(a, b));
  assert_false(cps_thing_is(a, cps_thing_fibre((CpsFibreId){3, 1})));
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = make_world(&def);
  CpsLoadDef load = cps_load_def_default();
  CpsError error;
  load.thing = cps_thing_fibre((CpsFibreId){0, 1});
  assert_int_equal(cps_world_add_load(world, &load, &error), CPS_UNSUPPORTED);
  assert_string_equal(error.text, "objects of kind `fibre` do not accept loads");
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_place_on_a_shape_is_in_its_axes),
      cmocka_unit_test(a_place_on_a_fibre_is_an_arc_length),
      cmocka_unit_test(a_place_on_a_sheet_is_a_triangle_with_weights),
      cmocka_unit_test(the_friction_callback_hears_of_the_same_sides),
      cmocka_unit_test(kinds_have_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
