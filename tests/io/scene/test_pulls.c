// Pulls of scenes on vertices of sheets and solids: they act on the vertex that is named, with the force that is named, and mistakes
// are told with their place. Those on fibres and bodies are in test_fibres.c and test_save.c.
#include "capstan/sheet.h"
#include "capstan/solid.h"
#include "io/scene/texts.h"
#include "vertices.h"

static CpsWorld* build(const char* text) {
  CpsScene* scene = read_scene(text, NULL);
  CpsWorld* world = NULL;
  CpsError error;
  if (cps_scene_build(scene, 1, &world, &error) != CPS_OK) fail_msg("%s", error.text);
  cps_scene_destroy(scene);
  return world;
}

// Free in space: whatever the cloth and the block do inside, each gets the impulse F t of its own pull.
static void a_force_at_a_vertex_moves_the_centre_of_mass(void** state) {
  (void)state;
  CpsWorld* world = build(
      "gravity: [0, 0, 0]\n"
      "time: {step: 2 ms}\n"
      "sheets: {rug: {grid: {size: [0.2, 0.2], cells: [2, 2]}, stretch: 500, position: [1, 0, 0]}}\n"
      "solids: {cube: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}, young: 1e6}}\n"
      "pulls:\n"
      "  - {sheet: rug, vertex: 4, force: [0, 0, 0.02]}\n"
      "  - {solid: cube, point: [1, 1, 1], force: [3, 0, 0], until: 10 ms}\n");
  CpsError error;
  for (int i = 0; i < 10; ++i) {
    if (cps_world_step(world, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
  }
  CpsVec3 p, L;
  cps_world_momentum(world, &p, &L);
  assert_near(p.x, 3.0 * 0.01, 1e-9);
  assert_near(p.y, 0.0, 1e-12);
  assert_near(p.z, 0.02 * 0.02, 1e-9);
  // the corner at (0.05, 0.05, 0.05), which the point is nearest to, leads
  CpsSolidInfo info;
  CpsVec3 x[8], v[8];
  assert_int_equal(cps_world_solid_info(world, cps_world_solid(world, 0), &info), CPS_OK);
  assert_int_equal(info.vertex_count, 8);
  assert_int_equal(vertices_of(world, cps_thing_solid(cps_world_solid(world, 0)), x, v), CPS_OK);
  int leading = 0;
  for (int i = 1; i < 8; ++i) leading = x[i].x > x[leading].x ? i : leading;
  assert_true(x[leading].y > 0.04 && x[leading].z > 0.04);
  cps_world_destroy(world);
}

// A cloth on a spring at its middle, and nothing else: it hangs so far below that the spring carries its weight. Without a target the
// spring pulls to where the vertex was.
static void a_spring_at_a_vertex_carries_a_sheet(void** state) {
  (void)state;
  CpsWorld* world = build(
      "time: {step: 4 ms}\n"
      "sheets: {rug: {grid: {size: [0.2, 0.2], cells: [2, 2]}, density: 0.5, stretch: 500, bending: 1e-3,\n"
      "  damping: {mass: 4}, position: [0, 0, 1]}}\n"
      "pulls: [{sheet: rug, point: [0, 0, 1], stiffness: 5, damping: 0.2}]\n");
  CpsError error;
  CpsVec3 x[9];
  while (cps_world_time(world) < 4.0) {
    if (cps_world_step(world, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
  }
  assert_int_equal(vertices_of(world, cps_thing_sheet(cps_world_sheet(world, 0)), x, NULL), CPS_OK);
  assert_near(x[4].z, 1.0 - 0.5 * 0.04 * 9.81 / 5.0, 1e-5);
  cps_world_destroy(world);
}

static void mistakes_are_told_with_their_place(void** state) {
  (void)state;
  static const char* const RUG = "sheets: {rug: {grid: {size: [1, 1], cells: [2, 2]}}}\n";
  static const struct {
    const char* pull;
    CpsStatus status;
    const char* sentence;
  } CASES[] = {
      {"{sheet: rag, vertex: 0, force: [0, 0, 1]}", CPS_BAD_FORMAT,
       "scenes/x.yaml:2:17: pulls[0].sheet: unknown sheet 'rag'; did you mean 'rug'?"},
      {"{solid: rug, vertex: 0, force: [0, 0, 1]}", CPS_BAD_FORMAT,
       "scenes/x.yaml:2:17: pulls[0].solid: unknown solid 'rug'"},
      {"{sheet: rug, vertex: 9, force: [0, 0, 1]}", CPS_BAD_DATA,
       "scenes/x.yaml:2:30: pulls[0].vertex: the sheet has 9 vertices"},
      {"{sheet: rug, force: [0, 0, 1]}", CPS_BAD_FORMAT,
       "scenes/x.yaml:2:9: pulls[0]: needs vertex or point, the one nearest to it"},
      {"{sheet: rug, vertex: 0, point: [0, 0, 0], force: [0, 0, 1]}", CPS_BAD_FORMAT,
       "scenes/x.yaml:2:9: pulls[0]: choose one: vertex or point"},
      {"{sheet: rug, fraction: 0.5, force: [0, 0, 1]}", CPS_BAD_FORMAT,
       "scenes/x.yaml:2:22: pulls[0].fraction: only valid for a fibre; use vertex or point"},
      {"{sheet: rug, solid: rug, vertex: 1, force: [0, 0, 1]}", CPS_BAD_FORMAT,
       "scenes/x.yaml:2:9: pulls[0]: choose one: fibre, body, sheet or solid"},
      {"{sheet: rug, vertex: 1}", CPS_BAD_FORMAT, "scenes/x.yaml:2:9: pulls[0]: needs force, stiffness or damping"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    char text[512];
    snprintf(text, sizeof text, "%spulls: [%s]\n", RUG, CASES[i].pull);
    refuse_scene(text, NULL, CASES[i].status, CASES[i].sentence);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_force_at_a_vertex_moves_the_centre_of_mass),
      cmocka_unit_test(a_spring_at_a_vertex_carries_a_sheet),
      cmocka_unit_test(mistakes_are_told_with_their_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
