// `capstan check` as a user sees it.
#include "cli/runner.h"
#include "cli/scenes.h"

#include "capstan/scene.h"

static void a_good_scene_is_summed_up_in_one_line(void** state) {
  (void)state;
  write_balls("balls.yaml");
  Outcome outcome = run("check balls.yaml");
  assert_int_equal(outcome.code, 0);
  assert_string_equal(outcome.out, "balls.yaml: 5 bodies, 1 obstacle, h 1 ms, end 0.2 s\n");
  assert_string_equal(outcome.err, "");
  forget(&outcome);
  outcome = run("check balls.yaml --set time.step=2ms -s time.end=50ms --json");
  assert_int_equal(outcome.code, 0);
  assert_string_equal(outcome.out,
                      "{\"scene\": \"balls.yaml\", \"title\": \"Five balls\", \"bodies\": 5, \"obstacles\": 1, "
                      "\"fibres\": 0, \"sheets\": 0, \"solids\": 0, \"ties\": 0, "
                      "\"step\": 0.002, \"end\": 0.05, \"frame_interval\": 0.01, "
                      "\"overlaps\": {\"count\": 0, \"left\": 0, \"held\": 0, \"pairs\": []}}\n");
  forget(&outcome);
}

// Cells and memory of grains are said before a run; what no machine holds is refused, also by `run`.
static void the_cost_of_grains_is_said_before_a_run(void** state) {
  (void)state;
  write_text("sand.yaml", "grid: {cell: 10 cm}\ngrains: {sand: {box: {to: [1, 1, 1]}}}\ntime: {end: 1 s}\n");
  Outcome outcome = run("check sand.yaml");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "8000 grain particles in 1000 cells (about 84 MB of memory)"));
  forget(&outcome);
  outcome = run("check sand.yaml --json");
  assert_non_null(strstr(outcome.out, "\"particles\": 8000, \"grain_cells\": 1000, \"grain_bytes\": "));
  forget(&outcome);
  static const char* const CASES[][2] = {
      {"check sand.yaml --set grid.cell=2mm", "1.25e+08 cells and 1e+09 particles need about "},
      {"run sand.yaml -q --set grid.cell=2mm", "1.25e+08 cells and 1e+09 particles need about "},
      {"check sand.yaml --set grid.cell=1um", "more than 1e9 particles"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
    outcome = run(CASES[i][0]);
    check_refused(&outcome, CASES[i][0], CASES[i][1]);
    forget(&outcome);
  }
}

// Grains in the place of other grains are warned about, grains in obstacles noted, by `check` and by `run`.
static void grains_without_room_are_told(void** state) {
  (void)state;
  write_text("twice.yaml",
             "obstacles: {floor: {plane: {}}}\ngrid: {plane: xz, cell: 2 cm}\n"
             "grains: {a: {box: {to: [20 cm, 0, 10 cm]}}, b: {box: {from: [0.1, 0, -0.02], to: [0.3, 0, 0.1]}}}\n"
             "solver: {tolerance: 1e-3}\ntime: {step: 2 ms, end: 4 ms}\n");
  static const char* const WORDS[] = {"check twice.yaml", "run twice.yaml -o twice.h5"};
  for (int i = 0; i < 2; ++i) {
    Outcome outcome = run(WORDS[i]);
    assert_non_null(strstr(outcome.err, "warning: grains overlap at the start: near ("));
    assert_non_null(strstr(outcome.err, " there are 2 times as many as fit\n"));
    assert_non_null(strstr(outcome.err,
                           "note: 40 particles of the grains begin inside obstacles or bodies, the first "
                           "inside floor\n"));
    forget(&outcome);
  }
  Outcome outcome = run("check twice.yaml --set grains.a.box.to=[10cm,0,10cm] --set grains.b.box.from=[0.1,0,0]");
  assert_string_equal(outcome.err, "");
  forget(&outcome);
}

// What the first step would refuse, `check` refuses.
static void grains_do_not_touch_meshes(void** state) {
  (void)state;
  write_text("tip.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
  write_text("mesh.yaml",
             "obstacles: {tip: {mesh: {file: tip.obj}}}\ngrid: {cell: 10 cm}\n"
             "grains: {sand: {box: {to: [1, 1, 1]}}}\ntime: {end: 1 s}\n");
  Outcome outcome = run("check mesh.yaml");
  check_refused(&outcome, "check mesh.yaml",
                "obstacles.tip: is a mesh; grains can touch only planes and convex shapes");
  forget(&outcome);
}

static void a_bad_scene_exits_2_with_its_place(void** state) {
  (void)state;
  write_text("bad.yaml", "title: x\nbodies:\n  ball: {sphere: {radius: 1}, mas: 2}\n");
  static const struct {
    const char *words, *sentence;
  } CASES[] = {
      {"check bad.yaml", "bad.yaml:3:31: bodies.ball.mas: unknown key; did you mean 'mass'?\n"},
      {"check nowhere.yaml", "nowhere.yaml: No such file or directory\n"},
      {"check balls.yaml --set time.stepp=1", "--set time.stepp: unknown key; did you mean 'step'?\n"},
      {"check balls.yaml --set mu=0.3", "--set mu: unknown parameter 'mu'; the scene has no parameters\n"},
      {"check balls.yaml --set xyzzy.x=1", "--set xyzzy: unknown key\n"},
      {"check balls.yaml --set pi=3", "--set pi: unknown key\n"},
      {"check balls.yaml --set x", "--set: 'x' is not KEY=VALUE\n"},
      {"check", "capstan: check needs a scene file; see 'capstan check --help'\n"},
      {"check balls.yaml bad.yaml", "capstan: check takes one scene file; unexpected argument 'bad.yaml'\n"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
    Outcome outcome = run(CASES[i].words);
    assert_int_equal(outcome.code, 2);
    assert_string_equal(outcome.err, CASES[i].sentence);
    assert_string_equal(outcome.out, "");
    forget(&outcome);
  }
}

static void every_key_is_listed(void** state) {
  (void)state;
  Outcome outcome = run("check --keys");
  assert_int_equal(outcome.code, 0);
  const char* at = outcome.out;
  const CpsSceneKey* key;
  for (int32_t i = 0; (key = cps_scene_key(i)); ++i) {
    size_t length = strlen(key->path);
    assert_memory_equal(at, key->path, length);
    assert_int_equal(at[length], '\t');
    at = strchr(at, '\n');
    assert_non_null(at);
    at++;
  }
  assert_int_equal(*at, '\0');
  forget(&outcome);
}

static void scenes_of_the_project_are_found_by_name(void** state) {
  (void)state;
  Outcome outcome = run("check knot");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "/scenes/knot.yaml: "));
  forget(&outcome);
  outcome = run("check knott");
  check_refused(&outcome, "check knott", "knott: no such file or packaged scene; did you mean 'knot'?");
  forget(&outcome);
  outcome = run("check knot.yaml");
  check_refused(&outcome, "check knot.yaml",
                "knot.yaml: no such file; the packaged scene is called 'knot', without .yaml");
  forget(&outcome);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scenes_of_the_project_are_found_by_name),
      cmocka_unit_test(a_good_scene_is_summed_up_in_one_line),
      cmocka_unit_test(the_cost_of_grains_is_said_before_a_run),
      cmocka_unit_test(grains_without_room_are_told),
      cmocka_unit_test(grains_do_not_touch_meshes),
      cmocka_unit_test(a_bad_scene_exits_2_with_its_place),
      cmocka_unit_test(every_key_is_listed),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
