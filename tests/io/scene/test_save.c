// Worlds saved as scenes: they go on to the bit, with includes, overrides and changed settings; damaged states are refused.
#include "io/scene/texts.h"
#include "io/scratch.h"

#include "base/atomic_file.h"
#include "capstan/capstan.h"
#include "capstan/result.h"
#include "io/file_text.h"
#include "io/state_file.h"

#include <sys/stat.h>

static CpsScene* load_scene(const char* path, const char* const* sets, int32_t count) {
  CpsScene* scene = NULL;
  CpsError error;
  if (cps_scene_load(path, sets, count, &scene, &error) != CPS_OK) fail_msg("%s", error.text);
  return scene;
}

static CpsWorld* build(const CpsScene* scene) {
  CpsWorld* world = NULL;
  CpsError error;
  if (cps_scene_build(scene, 0, &world, &error) != CPS_OK) fail_msg("%s", error.text);
  return world;
}

static void make_steps(CpsWorld* world, int count) {
  for (int i = 0; i < count; ++i) assert_true(cps_world_step(world, NULL, NULL) >= 0);
}

static void save(const CpsScene* scene, const CpsWorld* world, const char* path) {
  CpsError error = {"untouched"};
  if (cps_scene_save(scene, world, path, &error) != CPS_OK) fail_msg("%s", error.text);
  assert_string_equal(error.text, "");
}

// Objects that a call added have no place in the text of the scene: the file could be written, but never read.
static void a_world_with_other_objects_is_refused(void** state) {
  (void)state;
  CpsScene* scene = load_scene(SOURCE_DIR "/scenes/tower.yaml", NULL, 0);
  CpsWorld* world = build(scene);
  CpsBodyDef ball = cps_body_def_default();
  ball.shape = cps_sphere(0.1);
  ball.position = (CpsVec3){5.0, 0.0, 5.0};
  CpsBodyId id;
  assert_int_equal(cps_world_add_body(world, &ball, &id, NULL), CPS_OK);
  const char* path = scratch_path("more.yaml");
  CpsError error;
  assert_int_equal(cps_scene_save(scene, world, path, &error), CPS_BAD_ARGUMENT);
  assert_non_null(
      strstr(error.text, "has 5 bodies, 1 obstacles, 0 fibres, 0 sheets, 0 solids and 0 ties, the scene 4, 1,"));
  struct stat facts;
  assert_int_not_equal(stat(path, &facts), 0);
  assert_int_equal(cps_world_remove_body(world, id, NULL), CPS_OK);
  save(scene, world, path);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

// Saves, reads it again, goes on with both.
static void goes_on(const char* name, const char* const* sets, int32_t count, int before, int after) {
  char path[256];
  snprintf(path, sizeof path, "%s/scenes/%s.yaml", SOURCE_DIR, name);
  CpsScene* scene = load_scene(path, sets, count);
  CpsWorld* world = build(scene);
  make_steps(world, before);
  const char* saved = scratch_path("saved.yaml");
  save(scene, world, saved);
  CpsScene* again = load_scene(saved, NULL, 0);
  CpsWorld* second = build(again);
  assert_true(cps_world_time(second) == cps_world_time(world));
  assert_string_equal(cps_scene_info(again).title, cps_scene_info(scene).title);
  assert_true(cps_world_hash(world) == cps_world_hash(second));
  make_steps(world, after);
  make_steps(second, after);
  if (cps_world_hash(world) != cps_world_hash(second)) fail_msg("%s goes on otherwise", name);
  CpsEnergy a = cps_world_energy(world), b = cps_world_energy(second);
  assert_memory_equal(&a, &b, sizeof a);
  cps_world_destroy(world);
  cps_world_destroy(second);
  cps_scene_destroy(scene);
  cps_scene_destroy(again);
}

static void saved_scenes_go_on_to_the_bit(void** state) {
  (void)state;
  goes_on("tower", NULL, 0, 30, 30);
  goes_on("loop", NULL, 0, 200, 200);  // expressions, anchors, tubes
  goes_on("knot", NULL, 0, 40, 40);    // pulls with tables
  goes_on("plectoneme", NULL, 0, 20, 20);
  goes_on("cards", NULL, 0, 20, 20);
  goes_on("arch", NULL, 0, 20, 20);
}

static void overrides_are_in_their_places(void** state) {
  (void)state;
  const char* const sets[] = {"mu=0.35", "time.step=0.25 ms", "bodies.ball.velocity[1]=0.01", "time.adaptive=true"};
  goes_on("loop", sets, 4, 50, 50);
  const char* const more[] = {"contact.mu_everywhere=0.7", "title='A \"quoted\" title: with # marks\\'"};
  goes_on("tower", more, 2, 10, 30);
}

// The text of every scene that comes with the project means the same as the scene.
static void every_scene_can_be_written_again(void** state) {
  (void)state;
  DIR* folder = opendir(SOURCE_DIR "/scenes");
  assert_non_null(folder);
  int seen = 0;
  for (struct dirent* entry; (entry = readdir(folder));) {
    if (!strstr(entry->d_name, ".yaml")) continue;
    char path[512];
    snprintf(path, sizeof path, "%s/scenes/%s", SOURCE_DIR, entry->d_name);
    CpsScene *scene = load_scene(path, NULL, 0), *again = NULL;
    char* text = cps_scene_emit(scene->root, SOURCE_DIR "/scenes/");
    CpsError error;
    if (cps_scene_parse(text, strlen(text), path, NULL, 0, &again, &error) != CPS_OK)
      fail_msg("%s\n%s", error.text, text);
    CpsSceneInfo a = cps_scene_info(scene), b = cps_scene_info(again);
    assert_true(a.bodies == b.bodies && a.fibres == b.fibres && a.obstacles == b.obstacles && a.end == b.end);
    // and again it is the same text
    char* second = cps_scene_emit(again->root, SOURCE_DIR "/scenes/");
    assert_string_equal(text, second);
    free(text);
    free(second);
    cps_scene_destroy(scene);
    cps_scene_destroy(again);
    seen++;
  }
  closedir(folder);
  assert_true(seen > 30);
}

static void write_file(const char* path, const char* text) {
  CpsError error;
  if (cps_file_replace(path, text, strlen(text), &error) != CPS_OK) fail_msg("%s", error.text);
}

// A scene with a part in another folder, which has a table of its own there.
static void included_files_are_found_from_the_new_place(void** state) {
  (void)state;
  char part[256], table[256];
  snprintf(part, sizeof part, "%s/parts", scratch_folder);
  assert_int_equal(mkdir(part, 0777), 0);
  snprintf(part, sizeof part, "%s/parts/push.yaml", scratch_folder);
  snprintf(table, sizeof table, "%s/parts/push.csv", scratch_folder);
  write_file(part, "bodies: {ball: {sphere: {radius: 0.1}}}\nloads: [{on: ball, force: [1, 0, 0], table: push.csv}]\n");
  write_file(table, "0, 0\n0.01, 1\n0.02, -1\n");
  write_file(scratch_path("whole.yaml"), "include: parts/push.yaml\ngravity: 0\n");
  CpsScene* scene = load_scene(scratch_path("whole.yaml"), NULL, 0);
  CpsWorld* world = build(scene);
  make_steps(world, 5);
  char deeper[256];
  snprintf(deeper, sizeof deeper, "%s/parts/deeper.yaml", scratch_folder);
  const char* const places[] = {scratch_path("beside.yaml"), deeper};
  uint64_t hash[2];
  for (int i = 0; i < 2; ++i) {
    save(scene, world, places[i]);
    CpsScene* again = load_scene(places[i], NULL, 0);
    CpsWorld* second = build(again);
    make_steps(second, 12);
    hash[i] = cps_world_hash(second);
    cps_world_destroy(second);
    cps_scene_destroy(again);
  }
  make_steps(world, 12);
  assert_true(hash[0] == cps_world_hash(world) && hash[1] == hash[0]);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
  remove(part);
  remove(table);
  remove(deeper);
  snprintf(deeper, sizeof deeper, "%s/parts/deeper.state", scratch_folder);
  remove(deeper);
  snprintf(part, sizeof part, "%s/parts", scratch_folder);
  assert_int_equal(rmdir(part), 0);
}

// What was changed while it ran is in the saved scene; a world past its end goes on as long again.
static void changed_settings_are_kept(void** state) {
  (void)state;
  CpsScene* scene = read_scene("bodies: {a: {sphere: {radius: 0.1}}}\ncontact: {mu: 0.2}\ntime: {end: 10 ms}\n", NULL);
  CpsWorld* world = build(scene);
  make_steps(world, 20);
  CpsWorldDef def = cps_world_settings(world);
  def.gravity = (CpsVec3){0.1, -0.2, 1.0 / 3.0};
  def.step = 1.0 / 700.0;
  def.mu_everywhere = 0.123456789012345678;
  def.solver.tolerance = 3e-9;
  assert_int_equal(cps_solve_options_set_method(&def.solver, "newton-ac"), CPS_OK);
  assert_int_equal(cps_world_configure(world, &def, NULL), CPS_OK);
  save(scene, world, scratch_path("changed.yaml"));
  CpsScene* again = load_scene(scratch_path("changed.yaml"), NULL, 0);
  CpsWorldDef read = cps_scene_world_def(again);
  assert_memory_equal(&read.gravity, &def.gravity, sizeof def.gravity);
  assert_true(read.step == def.step && read.mu_everywhere == def.mu_everywhere && read.mu == 0.2);
  assert_true(read.solver.tolerance == 3e-9 && read.solver.method == def.solver.method);
  assert_near(cps_scene_info(again).end, 0.03, 1e-15);
  // and it can be taken back
  CpsWorld* second = build(again);
  def.mu_everywhere = NAN;
  assert_int_equal(cps_world_configure(second, &def, NULL), CPS_OK);
  save(again, second, scratch_path("changed-2.yaml"));
  CpsScene* third = load_scene(scratch_path("changed-2.yaml"), NULL, 0);
  assert_true(isnan(cps_scene_world_def(third).mu_everywhere));
  cps_world_destroy(world);
  cps_world_destroy(second);
  cps_scene_destroy(scene);
  cps_scene_destroy(again);
  cps_scene_destroy(third);
}

#ifdef CAPSTAN_COMMAND
// The command goes on from a saved scene as the world does.
static void the_command_goes_on(void** state) {
  (void)state;
  CpsScene* scene = load_scene(SOURCE_DIR "/scenes/tower.yaml", NULL, 0);
  CpsWorld* world = build(scene);
  make_steps(world, 20);
  save(scene, world, scratch_path("run.yaml"));
  make_steps(world, 30);
  char command[1024];
  snprintf(command, sizeof command, "%s run %s -o %s -q --until %.9g", CAPSTAN_COMMAND, scratch_path("run.yaml"),
           scratch_path("run.h5"), cps_world_time(world));
  assert_int_equal(system(command), 0);
  CpsResult* result = NULL;
  CpsError error;
  if (cps_result_open(scratch_path("run.h5"), &result, &error) != CPS_OK) fail_msg("%s", error.text);
  CpsWorld* second = build(scene);
  if (cps_result_load_frame(result, cps_result_info(result).frames - 1, second, &error) != CPS_OK) {
    fail_msg("%s", error.text);
  }
  assert_true(cps_world_time(second) == cps_world_time(world));
  assert_true(cps_world_hash(second) == cps_world_hash(world));
  cps_result_destroy(result);
  cps_world_destroy(world);
  cps_world_destroy(second);
  cps_scene_destroy(scene);
}
#endif

static void refuse_state(const char* bytes, size_t size, CpsStatus expected, const char* end) {
  CpsError error;
  if (cps_file_replace(scratch_path("bad.state"), bytes, size, &error) != CPS_OK) fail_msg("%s", error.text);
  CpsScene* scene = NULL;
  const char* set = "state=bad.state";
  CpsStatus status = cps_scene_load(scratch_path("bad.yaml"), &set, 1, &scene, &error);
  assert_int_equal(status, expected);
  assert_null(scene);
  size_t length = strlen(error.text);
  if (length < strlen(end) || strcmp(error.text + length - strlen(end), end) != 0) fail_msg("%s", error.text);
}

static void damaged_states_are_refused(void** state) {
  (void)state;
  write_file(scratch_path("bad.yaml"), "bodies: {a: {sphere: {radius: 0.1}}}\n");
  CpsScene* scene = load_scene(scratch_path("bad.yaml"), NULL, 0);
  CpsWorld* world = build(scene);
  make_steps(world, 3);
  save(scene, world, scratch_path("good.yaml"));
  char* bytes = NULL;
  size_t size;
  char why[CPS_FILE_WHY_SIZE];
  assert_int_equal(cps_file_text(scratch_path("good.state"), 1 << 20, true, &bytes, &size, NULL, why), CPS_OK);
  refuse_state("", 0, CPS_BAD_FORMAT, "is not a saved state");
  refuse_state("title: not a state at all, but long enough", 42, CPS_BAD_FORMAT, "is not a saved state");
  refuse_state(bytes, size - 1, CPS_BAD_FORMAT, "is damaged: its length does not match its header");
  bytes[size - 1] ^= 1;
  refuse_state(bytes, size, CPS_BAD_FORMAT, "is damaged: its checksum does not match");
  bytes[size - 1] ^= 1;
  bytes[8] = 0, bytes[11] = 1;
  refuse_state(bytes, size, CPS_BAD_FORMAT, "was saved on a machine with a different byte order");
  free(bytes);
  // a state of another scene: found when the world is made
  const char* const sets[] = {"state=good.state", "bodies.b={sphere: {radius: 1}}"};
  CpsScene* other = load_scene(scratch_path("bad.yaml"), sets, 2);
  CpsWorld* none = NULL;
  CpsError error;
  assert_int_equal(cps_scene_build(other, 0, &none, &error), CPS_BAD_FORMAT);
  assert_memory_equal(error.text, "--set state: ", 13);
  assert_non_null(strstr(error.text, "good.state: the state belongs to a world with a different number of objects"));
  assert_null(none);
  cps_scene_destroy(other);
  const char* missing = "state=nowhere.state";
  assert_int_equal(cps_scene_load(scratch_path("bad.yaml"), &missing, 1, &other, &error), CPS_FILE_ERROR);
  assert_non_null(strstr(error.text, "nowhere.state': No such file"));
  // nothing is left of what cannot be written
  assert_int_equal(cps_scene_save(scene, world, "/nowhere/at/all.yaml", &error), CPS_FILE_ERROR);
  assert_int_equal(cps_scene_save(scene, NULL, "x.yaml", &error), CPS_BAD_ARGUMENT);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

// Springs on bodies in scene files.
static void pulls_act_on_bodies(void** state) {
  (void)state;
  CpsScene* scene = read_scene(
      "bodies: {a: {box: {size: [1, 1, 1]}, position: [0, 0, 2], copies: [[0, 0, 0], [3, 0, 0]]}}\ngravity: 0\n"
      "pulls: [{body: \"a[1]\", point: [0.5, 0, 0], stiffness: 100}, {body: a, force: [0, 0, 1]}]\n",
      NULL);
  assert_true(scene->pulls[0].kind == CPS_THING_BODY && scene->pulls[0].first == 1 && scene->pulls[0].count == 1);
  assert_true(scene->pulls[1].count == 2 && scene->pulls[0].at_point);
  CpsWorld* world = build(scene);
  make_steps(world, 1);
  CpsBodyState a;
  assert_int_equal(cps_world_body_state(world, cps_world_body(world, 0), &a), CPS_OK);
  assert_near(a.velocity.z, 1e-3 / 1000.0, 1e-18);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
  const char BODY[] = "bodies: {a: {sphere: {radius: 1}}}\n";
  char text[200];
  snprintf(text, sizeof text, "%spulls: [{body: b, force: [0, 0, 1]}]\n", BODY);
  refuse_scene(text, NULL, CPS_BAD_FORMAT, "scenes/x.yaml:2:16: pulls[0].body: unknown body 'b'; did you mean 'a'?");
  snprintf(text, sizeof text, "%spulls: [{body: a, at: tip, force: [0, 0, 1]}]\n", BODY);
  refuse_scene(text, NULL, CPS_BAD_FORMAT, "scenes/x.yaml:2:19: pulls[0].at: only valid for a fibre; use point");
  snprintf(text, sizeof text, "%spulls: [{force: [0, 0, 1]}]\n", BODY);
  refuse_scene(text, NULL, CPS_BAD_FORMAT,
               "scenes/x.yaml:2:9: pulls[0]: the key 'fibre', 'body', 'sheet' or 'solid' is missing");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_world_with_other_objects_is_refused),
      cmocka_unit_test(saved_scenes_go_on_to_the_bit),
      cmocka_unit_test(overrides_are_in_their_places),
      cmocka_unit_test(every_scene_can_be_written_again),
      cmocka_unit_test(included_files_are_found_from_the_new_place),
      cmocka_unit_test(changed_settings_are_kept),
#ifdef CAPSTAN_COMMAND
      cmocka_unit_test(the_command_goes_on),
#endif
      cmocka_unit_test(damaged_states_are_refused),
      cmocka_unit_test(pulls_act_on_bodies),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
