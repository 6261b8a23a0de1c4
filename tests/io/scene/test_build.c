// A scene becomes the world it describes.
#include "io/scene/texts.h"

static CpsWorld* build(const char* text, CpsScene** scene) {
  *scene = read_scene(text, NULL);
  CpsWorld* world = NULL;
  CpsError error;
  if (cps_scene_build(*scene, 0, &world, &error) != CPS_OK) fail_msg("%s", error.text);
  return world;
}

static void step(CpsWorld* world, int count) {
  for (int i = 0; i < count; ++i) {
    CpsError error;
    if (cps_world_step(world, NULL, &error) < 0) fail_msg("%s", error.text);
  }
}

static void the_settings_reach_the_world(void** state) {
  (void)state;
  CpsScene* scene;
  CpsWorld* world = build(
      "title: All settings\ngravity: [1, 2, 3]\nthreads: 2\n"
      "time: {step: 2 ms, end: 3 s, theta: 0.5, adaptive: {step_min: 1 us, penetration: 1 mm, residual: 1e-3}}\n"
      "solver: {method: PAC+Enum, tolerance: 1e-9, iterations: 77, time_limit: 5 s, polish: false, freeze: false,\n"
      "         facets: 8, facet_kind: outer}\n"
      "contact: {mu: 0.25, restitution: 0.75, projection: false, slop: 1 um}\n"
      "output: {frames: 25 Hz, contacts: false}\n",
      &scene);
  CpsWorldDef def = cps_world_settings(world);
  assert_true(def.gravity.x == 1.0 && def.gravity.y == 2.0 && def.gravity.z == 3.0);
  assert_true(def.step == 2e-3 && def.theta == 0.5 && def.adaptive && def.step_min == 1e-6);
  assert_true(def.penetration_max == 1e-3 && def.residual_max == 1e-3);
  assert_int_equal(def.solver.method, CPS_METHOD_GS);
  assert_int_equal(def.solver.local, CPS_LOCAL_AC);
  assert_true(def.solver.local_failsafe && !def.solver.freeze && !def.polish && !def.projection);
  assert_true(def.solver.tolerance == 1e-9 && def.solver.max_iterations == 77 && def.solver.time_limit == 5.0);
  assert_true(def.solver.facets == 8 && def.solver.facet_kind == CPS_FACETS_OUTER);
  assert_true(def.mu == 0.25 && def.restitution == 0.75 && def.slop == 1e-6 && def.threads == 2);
  CpsSceneInfo info = cps_scene_info(scene);
  assert_string_equal(info.title, "All settings");
  assert_true(info.end == 3.0 && info.frame_interval == 1.0 / 25.0 && !info.output_contacts);
  cps_world_destroy(world);
  assert_int_equal(cps_scene_build(scene, 1, &world, NULL), CPS_OK);
  assert_int_equal(cps_world_settings(world).threads, 1);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

static void frames_are_a_frequency_an_interval_or_every_step(void** state) {
  (void)state;
  static const struct {
    const char* set;
    double interval;
  } CASES[] = {{"output.frames=50", 1.0 / 50.0},
               {"output.frames=4 kHz", 1.0 / 4000.0},
               {"output.frames=20 ms", 0.02},
               {"output.frames=every step", 0.0},
               {"title=x", 1.0 / 60.0}};
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
    CpsScene* scene = read_scene("{}", CASES[i].set);
    assert_true(cps_scene_info(scene).frame_interval == CASES[i].interval);
    cps_scene_destroy(scene);
  }
}

static void without_a_title_the_file_gives_its_name(void** state) {
  (void)state;
  CpsScene* scene = read_scene("{}", NULL);
  assert_string_equal(cps_scene_info(scene).title, "x");
  assert_string_equal(cps_scene_info(scene).text, "{}\n");
  cps_scene_destroy(scene);
}

// A ball of each material on a plane of steel; the contact tells the mu that was used.
static void the_most_specific_friction_wins(void** state) {
  (void)state;
  CpsScene* scene;
  CpsWorld* world = build(
      "materials: {steel: {}, wood: {density: 600}, ice: {mu: 0.01}, cork: {mu: 0.04}}\n"
      "friction:\n"
      "  - {between: [any, any], mu: 0.6}\n"
      "  - {between: [wood, steel], mu: 0.3, restitution: 0.2}\n"
      "  - {between: [steel, wood], mu: 0.35}\n"  // later, and says nothing about restitution
      "  - {between: [cork, any], mu: 0.09}\n"
      "obstacles: {floor: {plane: , material: steel}}\n"
      "bodies:\n"
      "  plain: {sphere: {radius: 0.1}, position: [0, 0, 0.1]}\n"
      "  wood: {sphere: {radius: 0.1}, position: [1, 0, 0.1], material: wood}\n"
      "  ice: {sphere: {radius: 0.1}, position: [2, 0, 0.1], material: ice}\n"
      "  cork: {sphere: {radius: 0.1}, position: [3, 0, 0.1], material: cork}\n"
      "  own: {sphere: {radius: 0.1}, position: [4, 0, 0.1], material: wood, mu: 0.8}\n",
      &scene);
  step(world, 1);
  static const double EXPECTED[] = {0.6, 0.35, 0.01, 0.09, 0.8};
  assert_int_equal(cps_world_contact_count(world), 5);
  for (int32_t i = 0; i < 5; ++i) {
    CpsContact contact = cps_world_contact(world, i);
    assert_near(contact.mu, EXPECTED[contact.side[0].thing.index], 1e-15);
    if (contact.side[0].thing.index == 1) assert_near(contact.restitution, 0.2, 1e-15);
  }
  CpsBodyState wood;
  assert_int_equal(cps_world_body_state(world, cps_world_body(world, 1), &wood), CPS_OK);
  assert_near(wood.mass, 600.0 * 4.0 / 3.0 * 3.14159265358979323846 * 1e-3, 1e-14);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

static void a_block_in_the_frame_of_a_ramp_rests_on_it(void** state) {
  (void)state;
  CpsScene* scene;
  CpsWorld* world = build(
      "parameters: {tilt: 20 deg, h: 10 cm}\n"
      "obstacles: {ramp: {plane: , rotation: {axis: [0, 1, 0], angle: $tilt}}}\n"
      "bodies: {block: {box: {size: [20 cm, 20 cm, $h]}, position: [0, 0, = h / 2], frame: ramp, mu: = tan(tilt) + "
      "0.01}}\n",
      &scene);
  CpsBodyState before, after;
  CpsBodyId block = cps_world_body(world, 0);
  assert_int_equal(cps_world_body_state(world, block, &before), CPS_OK);
  step(world, 50);
  assert_int_equal(cps_world_body_state(world, block, &after), CPS_OK);
  // resting is solved to rounding: 50 steps of 1e-16 m and less
  assert_below(cps_vec3_norm(cps_vec3_sub(after.pose.position, before.pose.position)), 1e-13);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

// F = 2 N on 1 kg over 10 steps of 10 ms: v = 0.2 m/s; loads of an entry act on each of its bodies.
static void loads_act_on_the_bodies_they_name(void** state) {
  (void)state;
  CpsScene* scene;
  CpsWorld* world = build(
      "gravity: 0\ntime: {step: 10 ms}\n"
      "bodies:\n"
      "  a: {sphere: {radius: 0.1}, mass: 1, position: [0, 5, 0]}\n"
      "  t: {sphere: {radius: 0.1}, mass: 1, copies: [[0, 0, 0], [1, 0, 0], [2, 0, 0]]}\n"
      "loads:\n"
      "  - {on: t, force: [2, 0, 0]}\n"
      "  - {on: 't[1]', force: [0, 3, 0]}\n"
      "  - {on: all, force: [0, 0, 1]}\n"
      "  - {on: a, force: [5, 0, 0], table: {times: [0, 1], values: [0, 0]}}\n",
      &scene);
  step(world, 10);
  static const CpsVec3 EXPECTED[] = {{0, 0, 0.1}, {0.2, 0, 0.1}, {0.2, 0.3, 0.1}, {0.2, 0, 0.1}};
  for (int32_t i = 0; i < 4; ++i) {
    CpsBodyState body;
    assert_int_equal(cps_world_body_state(world, cps_world_body(world, i), &body), CPS_OK);
    assert_below(cps_vec3_norm(cps_vec3_sub(body.velocity, EXPECTED[i])), 1e-14);  // ten sums
  }
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

static void obstacles_move_as_the_scene_says(void** state) {
  (void)state;
  CpsScene* scene;
  CpsWorld* world = build(
      "time: {step: 10 ms}\n"
      "obstacles:\n"
      "  rest: {plane: {normal: [1, 0, 0]}}\n"
      "  lift: {box: {size: [1, 1, 1]}, position: [0, 0, -5], motion: {velocity: [0, 0, 2]}}\n"
      "  shaker: {container: {size: [1, 1, 1]}, motion: {sine: {amplitude: [0.1, 0, 0], frequency: 1 Hz}}}\n"
      "  gate: {sphere: {radius: 1}, motion: {keyframes: [{time: 0, position: [0, 0, 9]}, {time: 1, position: [4, 0, "
      "9]}]}}\n",
      &scene);
  step(world, 25);
  CpsPose pose[4];
  for (int32_t i = 0; i < 4; ++i) {
    assert_int_equal(cps_world_obstacle_pose(world, cps_world_obstacle(world, i), &pose[i]), CPS_OK);
  }
  CpsVec3 normal = cps_quat_rotate(pose[0].rotation, cps_vec3(0.0, 0.0, 1.0));
  assert_below(cps_vec3_norm(cps_vec3_sub(normal, cps_vec3(1.0, 0.0, 0.0))), 1e-15);
  assert_near(pose[1].position.z, -5.0 + 2.0 * 0.25, 1e-14);
  assert_near(pose[2].position.x, 0.1, 1e-14);  // a quarter of a period
  assert_near(pose[3].position.x, 1.0, 1e-14);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

// A ball falls into a container and stays in it.
static void a_container_holds_what_falls_into_it(void** state) {
  (void)state;
  CpsScene* scene;
  CpsWorld* world = build(
      "time: {step: 5 ms}\n"
      "obstacles: {box: {container: {size: [1, 1, 0.5]}}}\n"
      "bodies: {b: {sphere: {radius: 10 cm}, position: [0.3, 0.3, 0.4], velocity: [1, 0.7, 0]}}\n",
      &scene);
  step(world, 300);
  CpsBodyState body;
  assert_int_equal(cps_world_body_state(world, cps_world_body(world, 0), &body), CPS_OK);
  assert_near(body.pose.position.z, 0.1, 1e-6);  // tolerance of the solver and the slop of the projection
  assert_true(fabs(body.pose.position.x) <= 0.4 + 1e-6 && fabs(body.pose.position.y) <= 0.4 + 1e-6);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

static void a_tube_follows_its_formula(void** state) {
  (void)state;
  CpsScene* scene = read_scene(
      "parameters: {R: 2}\nobstacles: {rail: {tube: {radius: 1 cm, closed: true,\n"
      "  curve: {x: R * cos(t), y: = R * sin(t), z: t / pi, from: 0, to: = 2 * pi, points: 41}}}}\n",
      NULL);
  CpsShape tube = cps_scene_obstacle_shape(scene, 0);
  assert_int_equal(tube.kind, CPS_SHAPE_TUBE);
  assert_true(tube.closed && tube.point_count == 41 && tube.radius == 0.01);
  assert_near(tube.points[10].x, 0.0, 1e-15);
  assert_near(tube.points[10].y, 2.0, 1e-15);
  assert_near(tube.points[40].z, 2.0, 1e-15);
  assert_string_equal(cps_scene_obstacle_name(scene, 0), "rail");
  cps_scene_destroy(scene);
  refuse_scene("obstacles: {o: {tube: {radius: 1, curve: {x: t, y: 1 / t, z: 0}}}}\n", NULL, CPS_BAD_DATA,
               "scenes/x.yaml:1:52: obstacles.o.tube.curve.y: its value is not finite (at t = 0)");
}

static void the_schema_lists_its_keys_in_order(void** state) {
  (void)state;
  const CpsSceneKey* key;
  int32_t count = 0;
  for (; (key = cps_scene_key(count)); ++count) {
    assert_true(key->path[0] && key->type[0] && key->summary[0]);
    for (int32_t j = 0; j < count; ++j) assert_string_not_equal(key->path, cps_scene_key(j)->path);
  }
  assert_true(count > 100);
  assert_null(cps_scene_key(-1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_settings_reach_the_world),
      cmocka_unit_test(frames_are_a_frequency_an_interval_or_every_step),
      cmocka_unit_test(without_a_title_the_file_gives_its_name),
      cmocka_unit_test(the_most_specific_friction_wins),
      cmocka_unit_test(a_block_in_the_frame_of_a_ramp_rests_on_it),
      cmocka_unit_test(loads_act_on_the_bodies_they_name),
      cmocka_unit_test(obstacles_move_as_the_scene_says),
      cmocka_unit_test(a_container_holds_what_falls_into_it),
      cmocka_unit_test(a_tube_follows_its_formula),
      cmocka_unit_test(the_schema_lists_its_keys_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
