// Ties of scenes: what becomes of each kind, and what is refused with its line.
#include "capstan/tie.h"
#include "io/scene/texts.h"

#include <math.h>

#define THINGS                                                         \
  "obstacles: {post: {box: {size: [1, 1, 1]}, position: [0, 0, 9]}}\n" \
  "bodies:\n"                                                          \
  "  one: {box: {size: [1, 1, 1]}}\n"                                  \
  "  two: {box: {size: [1, 1, 1]}, position: [0, 0, 2]}\n"             \
  "  row: {box: {size: [1, 1, 1]}, copies: [[5, 0, 0], [7, 0, 0]]}\n"  \
  "fibres: {rope: {length: 1, position: [20, 0, 0]}}\n"                \
  "ties:\n"

static void ties_become_those_of_the_world(void** state) {
  (void)state;
  CpsScene* scene = read_scene(THINGS
                               "  - {name: pivot, kind: hinge, axis: [0, 2, 0], arm: 10 cm, motor: {speed: 2 rad/s, "
                               "sine: {frequency: 1}}, a: {body: one, point: [0, 0, 1]}, b: {body: two}}\n"
                               "  - {kind: spring, stiffness: 10 N/m, damping: 1 N s/m, a: {body: \"row[1]\"}, b: "
                               "{at: [7, 0, 3]}}\n"
                               "  - {kind: rod, length: 9 m, a: {body: one}, b: {obstacle: post}}\n"
                               "  - {a: {fibre: rope, fraction: 0.5}, breaking: 5 N, touch: true}\n"
                               "  - {kind: weld, a: {body: \"row[0]\", point: [1, 0, 0]}, b: {body: \"row[1]\"}}\n",
                               NULL);
  CpsSceneInfo info = cps_scene_info(scene);
  assert_int_equal(info.ties, 5);
  assert_string_equal(cps_scene_tie_name(scene, 0), "pivot");
  assert_string_equal(cps_scene_tie_name(scene, 1), "ties[1]");
  assert_string_equal(cps_scene_tie_name(scene, 5), "");
  assert_near(scene->ties[0].def.speed, 2.0, 0.0);
  assert_int_equal(scene->ties[0].def.curve.kind, CPS_CURVE_SINE);
  assert_near(scene->ties[1].def.damping, 1.0, 0.0);
  assert_true(scene->ties[3].def.touch);
  CpsWorld* world = NULL;
  assert_int_equal(cps_scene_build(scene, 0, &world, NULL), CPS_OK);
  CpsTieState now[5];
  for (int i = 0; i < 5; ++i) {
    assert_int_equal(cps_world_tie_state(world, cps_world_tie(world, i), &now[i]), CPS_OK);
  }
  const CpsTieKind kinds[] = {CPS_TIE_HINGE, CPS_TIE_SPRING, CPS_TIE_ROD, CPS_TIE_POINT, CPS_TIE_WELD};
  for (int i = 0; i < 5; ++i) assert_int_equal(now[i].kind, kinds[i]);
  assert_near(now[0].point[1].z, 1.0, 1e-15);  // b has no point: where a is
  assert_near(now[1].length, 3.0, 1e-15);
  assert_near(now[2].length, 9.0, 1e-15);  // the origin of the obstacle
  assert_near(now[3].point[0].x, 20.5, 1e-12);
  assert_near(now[3].breaking, 5.0, 0.0);
  assert_true(isinf(now[2].breaking));
  assert_near(now[4].point[1].x, 6.0, 1e-15);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

static void mistakes_are_refused_with_their_line(void** state) {
  (void)state;
  static const struct {
    const char *tie, *sentence;
    CpsStatus status;
  } MISTAKES[] = {
      {"{a: {body: on}}", "8:16: ties[0].a.body: unknown body 'on'; did you mean 'one'?", CPS_BAD_FORMAT},
      {"{a: {body: row}}", "8:16: ties[0].a.body: has 2 of them; choose one, such as `row[0]`", CPS_BAD_FORMAT},
      {"{a: {body: \"row[2]\"}}", "8:16: ties[0].a.body: 'row' has 2 bodies", CPS_BAD_FORMAT},
      {"{a: {fibre: rop}}", "8:17: ties[0].a.fibre: unknown fibre 'rop'; did you mean 'rope'?", CPS_BAD_FORMAT},
      {"{a: {body: one}, b: {obstacle: pos}}", "8:36: ties[0].b.obstacle: unknown obstacle 'pos'; did you mean 'post'?",
       CPS_BAD_FORMAT},
      {"{a: {body: one, fibre: rope}}", "8:9: ties[0].a: choose one: body, obstacle, fibre, sheet or solid",
       CPS_BAD_FORMAT},
      {"{a: {}}", "8:9: ties[0].a: needs body, obstacle, fibre, sheet, solid or at", CPS_BAD_FORMAT},
      {"{a: {body: one, at: [0, 0, 0]}}", "8:21: ties[0].a.at: only valid for a fibre or the world; use point",
       CPS_BAD_FORMAT},
      {"{a: {fibre: rope, at: [0, 0, 0]}}", "8:27: ties[0].a.at: must be one arc length, `root` or `tip` on a fibre",
       CPS_BAD_FORMAT},
      {"{a: {fibre: rope, weights: [1]}}", "8:23: ties[0].a.weights: only valid for a sheet or a solid",
       CPS_BAD_FORMAT},
      {"{a: {at: tip}}", "8:14: ties[0].a.at: a point in the world needs three coordinates", CPS_BAD_FORMAT},
      {"{b: {body: one}}", "8:5: ties[0]: the key 'a' is missing", CPS_BAD_FORMAT},
      {"{a: {at: [0, 0, 0]}, b: {obstacle: post}}", "8:5: ties[0]: nothing that it connects can move", CPS_BAD_DATA},
      {"{a: {body: one}, b: {body: one}}", "8:5: ties[0]: ties a body to itself", CPS_BAD_DATA},
      {"{kind: rod, a: {body: one}}", "8:5: ties[0]: a rod needs its other side, 'b'", CPS_BAD_FORMAT},
      {"{kind: spring, a: {body: one}}", "8:5: ties[0]: a spring needs stiffness or damping", CPS_BAD_FORMAT},
      {"{kind: weld, a: {body: one}, length: 3}", "8:34: ties[0].length: only valid for a spring or a rod",
       CPS_BAD_FORMAT},
      {"{a: {body: one}, motor: {speed: 3}}", "8:22: ties[0].motor: only valid for a hinge", CPS_BAD_FORMAT},
      {"{kind: hinge, a: {body: one}, motor: {}}", "8:42: ties[0].motor: needs speed or torque", CPS_BAD_FORMAT},
      {"{kind: hinge, a: {body: one}, axis: [0, 0, 0]}", "8:41: ties[0].axis: has no direction", CPS_BAD_DATA},
      {"{a: {body: one}, lenght: 3}", "8:22: ties[0].lenght: unknown key; did you mean 'length'?", CPS_BAD_FORMAT},
      // names, also one like those that ties have without a name
      {"{name: knot, a: {body: one}}\n"
       "  - {a: {body: two}}\n"
       "  - {name: knot, a: {fibre: rope}}",
       "10:12: ties[2].name: the tie in line 8 has the name 'knot'", CPS_BAD_FORMAT},
      {"{name: \"ties[1]\", a: {body: one}}\n"
       "  - {a: {body: two}}",
       "9:5: ties[1]: the tie in line 8 has the name 'ties[1]'", CPS_BAD_FORMAT},
      // two that cannot both hold
      {"{kind: hinge, motor: {speed: 1}, a: {body: one}, b: {body: two}}\n"
       "  - {kind: hinge, motor: {speed: 2}, a: {body: two}, b: {body: one}}",
       "9:5: ties[1]: contradicts the tie in line 8: two motors turn the same two objects", CPS_BAD_DATA},
      {"{kind: weld, a: {body: one}, b: {body: two}}\n"
       "  - {kind: hinge, motor: {speed: 2}, a: {body: one}, b: {body: two}}",
       "9:5: ties[1]: contradicts the tie in line 8: a motor turns objects that a weld holds together", CPS_BAD_DATA},
      {"{kind: rod, length: 2, a: {body: one}, b: {body: two}}\n"
       "  - {kind: rod, length: 3, a: {body: two}, b: {body: one}}",
       "9:5: ties[1]: contradicts the tie in line 8: the same two points are held at two distances (3 m and 2 m)",
       CPS_BAD_DATA},
      {"{a: {body: one, point: [0, 0, 1]}, b: {body: two, point: [0, 0, -1]}}\n"
       "  - {a: {body: one, point: [1, 0, 1]}, b: {body: two, point: [0, 0, -1]}}",
       "9:5: ties[1]: contradicts the tie in line 8: the two points on one object are not as far apart as those on the "
       "other (1 m and 0 m)",
       CPS_BAD_DATA},
      {"{a: {fibre: rope, at: tip}, b: {at: [21, 0, 0]}}\n"
       "  - {b: {fibre: rope, at: tip}, a: {at: [21, 0, 2]}}",
       "9:5: ties[1]: contradicts the tie in line 8: one point is held to two places, 2 m apart", CPS_BAD_DATA},
  };
  for (size_t i = 0; i < sizeof MISTAKES / sizeof *MISTAKES; ++i) {
    char text[2000], sentence[400];
    snprintf(text, sizeof text, THINGS "  - %s\n", MISTAKES[i].tie);
    snprintf(sentence, sizeof sentence, "scenes/x.yaml:%s", MISTAKES[i].sentence);
    refuse_scene(text, NULL, MISTAKES[i].status, sentence);
  }
}

#define CLOTH                                                                    \
  "sheets: {cloth: {grid: {size: [0.2, 0.2], cells: [4, 4]}, fabric: cotton}}\n" \
  "bodies: {ball: {sphere: {radius: 1}, position: [9, 0, 0]}}\nties:\n"

// By vertices with weights, by a place, by the nearest of a place; a place at a vertex is that vertex.
static void points_of_sheets_lie_between_vertices(void** state) {
  (void)state;
  CpsScene* scene = read_scene(CLOTH
                               "  - {a: {sheet: cloth, vertices: [0, 1], weights: [0.25, 0.75]}, b: {body: ball}}\n"
                               "  - {a: {sheet: cloth, vertices: [0, 1, 6]}, b: {body: ball}}\n"
                               "  - {kind: weld, a: {sheet: cloth, at: [0.01, 0.02, 3]}, b: {body: ball}}\n"
                               "  - {a: {sheet: cloth, at: [-0.1, -0.1, 0]}, b: {body: ball}}\n",
                               NULL);
  CpsWorld* world = NULL;
  CpsError error = {""};
  if (cps_scene_build(scene, 0, &world, &error) != CPS_OK) fail_msg("%s", error.text);
  CpsTieState now[4];
  assert_int_equal(cps_world_tie_states(world, now, 4), 4);
  CpsVertexState v[3];
  for (int i = 0; i < 3; ++i) {
    assert_int_equal(cps_world_vertex(world, now[0].thing[0], (const int32_t[]){0, 1, 6}[i], &v[i]), CPS_OK);
  }
  assert_near(now[0].point[0].x, 0.25 * v[0].position.x + 0.75 * v[1].position.x, 1e-15);
  assert_near(now[1].point[0].y, (v[0].position.y + v[1].position.y + v[2].position.y) / 3.0, 1e-15);
  assert_near(now[2].point[0].x, 0.01, 1e-15);
  assert_near(now[2].point[0].y, 0.02, 1e-15);
  assert_near(now[2].point[0].z, v[0].position.z, 1e-15);
  assert_near(now[3].point[0].x, v[0].position.x, 0.0);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

static void wrong_points_of_sheets_are_refused(void** state) {
  (void)state;
  static const struct {
    const char *tie, *sentence;
    CpsStatus status;
  } MISTAKES[] = {
      {"{a: {sheet: cloth}, b: {body: ball}}", "4:9: ties[0].a: needs vertex, vertices or at", CPS_BAD_FORMAT},
      {"{a: {sheet: cloth, vertex: 1, vertices: [0]}}", "4:9: ties[0].a: choose one: vertex, vertices or at",
       CPS_BAD_FORMAT},
      {"{a: {sheet: cloth, vertex: 1, weights: [1]}}", "4:35: ties[0].a.weights: only valid with `vertices`",
       CPS_BAD_FORMAT},
      {"{a: {sheet: cloth, vertices: [0, 1], weights: [1]}}", "4:51: ties[0].a.weights: has 1 numbers for 2 vertices",
       CPS_BAD_FORMAT},
      {"{a: {sheet: cloth, vertices: [0, 1], weights: [1, 1]}}",
       "4:51: ties[0].a.weights: the weights add up to 2, not 1", CPS_BAD_DATA},
      {"{a: {sheet: cloth, vertices: [0, 1, 5, 6]}}",
       "4:34: ties[0].a.vertices: names 4 vertices; a point of a sheet lies between 1 to 3", CPS_BAD_DATA},
      {"{a: {sheet: cloth, vertices: [0, 77]}}", "4:38: ties[0].a.vertices[1]: the sheet has 25 vertices",
       CPS_BAD_DATA},
      {"{a: {body: ball, vertices: [0]}}", "4:22: ties[0].a.vertices: only valid for a sheet or a solid",
       CPS_BAD_FORMAT},
  };
  for (size_t i = 0; i < sizeof MISTAKES / sizeof *MISTAKES; ++i) {
    char text[2000], sentence[400];
    snprintf(text, sizeof text, CLOTH "  - %s\n", MISTAKES[i].tie);
    snprintf(sentence, sizeof sentence, "scenes/x.yaml:%s", MISTAKES[i].sentence);
    refuse_scene(text, NULL, MISTAKES[i].status, sentence);
  }
  // only the build knows the triangles
  CpsScene* scene = read_scene(CLOTH "  - {a: {sheet: cloth, vertices: [0, 24]}, b: {body: ball}}\n", NULL);
  CpsWorld* world = NULL;
  CpsError error = {""};
  assert_true(cps_scene_build(scene, 0, &world, &error) < 0);
  assert_string_equal(error.text,
                      "scenes/x.yaml:4:5: ties[0]: a point of a sheet lies between vertices 0, 24 …, which have no "
                      "triangle in common");
  cps_scene_destroy(scene);
}

// What is only known once the fibre is made.
static void an_arc_length_beyond_the_fibre_is_refused_by_the_build(void** state) {
  (void)state;
  CpsScene* scene = read_scene(THINGS "  - {name: knot, a: {fibre: rope, at: 2 m}}\n", NULL);
  CpsWorld* world = NULL;
  CpsError error = {""};
  assert_true(cps_scene_build(scene, 0, &world, &error) < 0);
  assert_non_null(strstr(error.text, "scenes/x.yaml:8:5: ties[0]: "));
  cps_scene_destroy(scene);
}

// What holds a point for good and a tie that wants it elsewhere cannot both have it.
static void a_tie_to_what_is_held_already_is_refused(void** state) {
  (void)state;
  const char* const THINGS_HELD[] = {
      "fibres: {rope: {length: 1, root: clamped}}\nties:\n  - {a: {fibre: rope, at: root}, b: {at: [0, 0, 2]}}\n",
      "sheets: {cloth: {grid: {size: [0.2, 0.2], cells: [4, 4]}, fabric: cotton, pins: [{edge: left}]}}\n"
      "ties:\n  - {a: {sheet: cloth, vertex: 0}, b: {at: [0, 0, 2]}}\n"};
  for (int i = 0; i < 2; ++i) {
    CpsScene* scene = read_scene(THINGS_HELD[i], NULL);
    CpsWorld* world = NULL;
    CpsError error = {""};
    assert_true(cps_scene_build(scene, 0, &world, &error) < 0);
    assert_non_null(strstr(error.text, "scenes/x.yaml:3:5: ties[0]: neither side of a tie can move: a pin or a clamp"));
    cps_scene_destroy(scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ties_become_those_of_the_world),
      cmocka_unit_test(mistakes_are_refused_with_their_line),
      cmocka_unit_test(points_of_sheets_lie_between_vertices),
      cmocka_unit_test(wrong_points_of_sheets_are_refused),
      cmocka_unit_test(an_arc_length_beyond_the_fibre_is_refused_by_the_build),
      cmocka_unit_test(a_tie_to_what_is_held_already_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
