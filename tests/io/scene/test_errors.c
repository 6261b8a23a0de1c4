// Mistakes in scene files are answered with the place, the path and what is wrong.
#include "io/scene/texts.h"

#define FORMAT CPS_BAD_FORMAT
#define DATA CPS_BAD_DATA

typedef struct Mistake {
  const char* text;
  CpsStatus status;
  const char* sentence;
} Mistake;

static void check(const Mistake* mistakes, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    refuse_scene(mistakes[i].text, NULL, mistakes[i].status, mistakes[i].sentence);
  }
}
#define CHECK(mistakes) check(mistakes, sizeof(mistakes) / sizeof(mistakes)[0])

static void an_unknown_key_is_answered_with_the_nearest_one(void** state) {
  (void)state;
  static const Mistake MISTAKES[] = {
      {"titel: x\n", FORMAT, "scenes/x.yaml:1:1: titel: unknown key; did you mean 'title'?"},
      {"time:\n  stepp: 1 ms\n", FORMAT, "scenes/x.yaml:2:3: time.stepp: unknown key; did you mean 'step'?"},
      {"friction:\n  - {between: [any, any], muu: 0.3}\n", FORMAT,
       "scenes/x.yaml:2:27: friction[0].muu: unknown key; did you mean 'mu'?"},
      {"bodies:\n  b:\n    box: {sise: [1, 1, 1]}\n", FORMAT,
       "scenes/x.yaml:3:11: bodies.b.box.sise: unknown key; did you mean 'size'?"},
      {"bodies: {b: {plane: }}\n", FORMAT, "scenes/x.yaml:1:14: bodies.b.plane: unknown key; only obstacles have it"},
      {"obstacles: {o: {plane: , mass: 1}}\n", FORMAT,
       "scenes/x.yaml:1:26: obstacles.o.mass: unknown key; only bodies have it"},
      {"xyzzy: 1\n", FORMAT, "scenes/x.yaml:1:1: xyzzy: unknown key"},
      {"bodies: {b: {compound: [{spere: {radius: 1}}]}}\n", FORMAT,
       "scenes/x.yaml:1:26: bodies.b.compound[0].spere: unknown key; did you mean 'sphere'?"},
  };
  CHECK(MISTAKES);
}

static void a_wrong_type_is_answered_with_the_right_one(void** state) {
  (void)state;
  static const Mistake MISTAKES[] = {
      {"bodies:\n  block:\n    box:\n      size: [1, 2]\n", FORMAT,
       "scenes/x.yaml:4:13: bodies.block.box.size: expected 3 lengths > 0, found 2"},
      {"bodies: {b: {box: {size: 3}}}\n", FORMAT,
       "scenes/x.yaml:1:26: bodies.b.box.size: expected 3 lengths > 0, found '3'"},
      {"bodies: {b: {box: {size: [1, two, 3]}}}\n", FORMAT,
       "scenes/x.yaml:1:30: bodies.b.box.size[1]: expected a length > 0, found 'two'"},
      {"time: 3\n", FORMAT, "scenes/x.yaml:1:7: time: expected a map, found '3'"},
      {"friction: {}\n", FORMAT, "scenes/x.yaml:1:11: friction: expected a list of maps, found a map"},
      {"friction: [3]\n", FORMAT, "scenes/x.yaml:1:12: friction[0]: expected a map, found '3'"},
      {"title: []\n", FORMAT, "scenes/x.yaml:1:8: title: expected a text, found a list of 0"},
      {"title:\n", FORMAT, "scenes/x.yaml:1:7: title: expected a text, found nothing"},
      {"gravity: down\n", FORMAT, "scenes/x.yaml:1:10: gravity: expected an acceleration, found 'down'"},
      {"gravity: {}\n", FORMAT,
       "scenes/x.yaml:1:10: gravity: expected 3 accelerations or an acceleration, found a map"},
      {"time: {adaptive: maybe}\n", FORMAT, "scenes/x.yaml:1:18: time.adaptive: expected true or false, found 'maybe'"},
      {"output: {frames: sometimes}\n", FORMAT,
       "scenes/x.yaml:1:18: output.frames: expected a frequency > 0, a time > 0 or 'every step', found 'sometimes'"},
      {"threads: 1.5\n", FORMAT, "scenes/x.yaml:1:10: threads: expected a whole number in [1, 1024], found '1.5'"},
      {"solver: {method: gss}\n", FORMAT,
       "scenes/x.yaml:1:18: solver.method: expected the name of a method, found 'gss': did you mean 'gs'?"},
      {"solver: {facet_kind: middle}\n", FORMAT,
       "scenes/x.yaml:1:22: solver.facet_kind: expected 'inner' or 'outer', found 'middle'"},
      {"bodies: {b: {hull: {points: [[0, 0, 0], [1, 0]]}}}\n", FORMAT,
       "scenes/x.yaml:1:41: bodies.b.hull.points[1]: expected 3 lengths, found 2"},
      {"- 1\n", FORMAT, "scenes/x.yaml:1:1: expected a map, found a list of 1"},
      {"time: {step: 0x10}\n", FORMAT,
       "scenes/x.yaml:1:14: time.step: expected a time > 0, found '0x10': unknown unit 'x10'"},
      {"time: {step: .nan}\n", FORMAT, "scenes/x.yaml:1:14: time.step: expected a time > 0, found '.nan'"},
      {"time: {step: inf}\n", FORMAT, "scenes/x.yaml:1:14: time.step: expected a time > 0, found 'inf'"},
      {"time: {step: 1e999}\n", FORMAT,
       "scenes/x.yaml:1:14: time.step: expected a time > 0, found '1e999': it is not finite"},
  };
  CHECK(MISTAKES);
}

static void a_wrong_dimension_is_named(void** state) {
  (void)state;
  static const Mistake MISTAKES[] = {
      {"time: {step: 2 kg}\n", FORMAT,
       "scenes/x.yaml:1:14: time.step: expected a time > 0, found '2 kg': that is a mass"},
      {"contact: {mu: 3 deg}\n", FORMAT,
       "scenes/x.yaml:1:15: contact.mu: expected a number >= 0, found '3 deg': that is an angle"},
      {"bodies: {b: {sphere: {radius: 1 parsec}}}\n", FORMAT,
       "scenes/x.yaml:1:31: bodies.b.sphere.radius: expected a length > 0, found '1 parsec': unknown unit 'parsec'"},
      {"bodies: {b: {sphere: {radius: 1 m3}}}\n", FORMAT,
       "scenes/x.yaml:1:31: bodies.b.sphere.radius: expected a length > 0, found '1 m3': that is a different quantity"},
      {"parameters: {w: 2 kg}\nbodies: {b: {sphere: {radius: $w}}}\n", FORMAT,
       "scenes/x.yaml:2:31: bodies.b.sphere.radius: expected a length > 0, found '$w': that is a mass"},
  };
  CHECK(MISTAKES);
}

static void a_value_out_of_range_is_refused(void** state) {
  (void)state;
  static const Mistake MISTAKES[] = {
      {"bodies: {b: {sphere: {radius: 1}, mass: -2}}\n", DATA,
       "scenes/x.yaml:1:41: bodies.b.mass: expected a mass > 0, found '-2'"},
      {"bodies: {b: {sphere: {radius: -1}}}\n", DATA,
       "scenes/x.yaml:1:31: bodies.b.sphere.radius: expected a length > 0, found '-1'"},
      {"bodies: {b: {sphere: {radius: = 1 - 3}}}\n", DATA,
       "scenes/x.yaml:1:31: bodies.b.sphere.radius: expected a length > 0, found '= 1 - 3': that is -2"},
      {"time: {theta: 0.4}\n", DATA, "scenes/x.yaml:1:15: time.theta: expected a number in [0.5, 1], found '0.4'"},
      {"contact: {restitution: 1.1}\n", DATA,
       "scenes/x.yaml:1:24: contact.restitution: expected a number in [0, 1], found '1.1'"},
      {"threads: 5e9\n", DATA,
       "scenes/x.yaml:1:10: threads: expected a whole number in [1, 1024], found '5e9': that is too large"},
      {"solver: {facets: 5}\n", DATA,
       "scenes/x.yaml:1:18: solver.facets: expected an even number of at least 4, found 5"},
      {"time: {adaptive: {step_min: 1 s}}\n", DATA,
       "scenes/x.yaml:1:29: time.adaptive.step_min: is larger than the step"},
      {"bodies: {b: {sphere: {radius: 1}, rotation: [0, 0, 0, 0]}}\n", DATA,
       "scenes/x.yaml:1:45: bodies.b.rotation: the quaternion has no direction"},
      {"bodies: {b: {sphere: {radius: 1}, rotation: {axis: [0, 0, 0], angle: 1 rad}}}\n", DATA,
       "scenes/x.yaml:1:52: bodies.b.rotation.axis: the axis has no direction"},
      {"bodies: {b: {sphere: {radius: 1}, grain: [0, 0, 0]}}\n", DATA,
       "scenes/x.yaml:1:42: bodies.b.grain: the grain has no direction"},
      {"obstacles: {o: {plane: {normal: [0, 0, 0]}}}\n", DATA,
       "scenes/x.yaml:1:33: obstacles.o.plane.normal: the normal has no direction"},
      {"obstacles: {o: {plane: , motion: {keyframes: [{time: 1}, {time: 1}]}}}\n", DATA,
       "scenes/x.yaml:1:65: obstacles.o.motion.keyframes[1].time: does not increase"},
      {"bodies: {b: {sphere: {radius: 1}, grid: {count: [1000, 1000, 1000], spacing: 2}}}\n", DATA,
       "scenes/x.yaml:1:41: bodies.b.grid: 1000000000 more bodies; a scene has at most 1000000"},
      {"bodies: {b: {pack: {count: 100, box: [1, 1, 1], radius: 0.2}}}\n", DATA,
       "scenes/x.yaml:1:20: bodies.b.pack: only 6 of 100 found a place; make the box larger"},
      {"bodies: {b: {sphere: {radius: 1}, grid: {count: [9, 9, 9], spacing: 1e308}}}\n", DATA,
       "scenes/x.yaml:1:13: bodies.b: body 0 is too far away"},
      {"bodies: {b: {sphere: {radius: 1}, mass: 1e-320}}\n", DATA,
       "scenes/x.yaml:1:22: bodies.b.sphere: its mass of 9.99989e-321 kg or its inertia is out of range"},
      {"output: {frames: 1e-320 Hz}\n", DATA,
       "scenes/x.yaml:1:18: output.frames: the time between frames is not finite"},
      {"bodies: {b: {pack: {count: 1, box: [1, 1, 1], radius: 0.6}}}\n", DATA,
       "scenes/x.yaml:1:20: bodies.b.pack: a body of radius 0.6 does not fit in the box"},
      {"bodies: {b: {arch: {stones: 5, radius: 1, thickness: 1, depth: 1, angle: 360 deg}}}\n", DATA,
       "scenes/x.yaml:1:74: bodies.b.arch.angle: must be less than a full turn"},
  };
  CHECK(MISTAKES);
}

static void what_is_missing_or_too_much_is_named(void** state) {
  (void)state;
  static const Mistake MISTAKES[] = {
      {"bodies:\n  b: {position: [0, 0, 0]}\n", FORMAT,
       "scenes/x.yaml:2:6: bodies.b: a shape is missing: sphere, box, capsule, cylinder, ..."},
      {"bodies: {b: {sphere: {radius: 1}, box: {size: [1, 1, 1]}}}\n", FORMAT,
       "scenes/x.yaml:1:35: bodies.b.box: only one shape is allowed; 'sphere' is already given"},
      {"bodies: {b: {sphere: {}}}\n", FORMAT, "scenes/x.yaml:1:22: bodies.b.sphere: the key 'radius' is missing"},
      {"bodies: {b: {capsule: {radius: 1}}}\n", FORMAT,
       "scenes/x.yaml:1:23: bodies.b.capsule: the key 'length' is missing"},
      {"friction: [{mu: 1}]\n", FORMAT, "scenes/x.yaml:1:12: friction[0]: the key 'between' is missing"},
      {"friction: [{between: [any, any]}]\n", FORMAT, "scenes/x.yaml:1:12: friction[0]: needs mu or restitution"},
      {"bodies: {b: {sphere: {radius: 1}, mass: 1, density: 1}}\n", FORMAT,
       "scenes/x.yaml:1:41: bodies.b.mass: give either mass or density"},
      {"bodies: {b: {sphere: {radius: 1}, rotation: {axis: [0, 0, 1]}}}\n", FORMAT,
       "scenes/x.yaml:1:45: bodies.b.rotation: a rotation has axis and angle, or euler alone"},
      {"bodies: {b: {hull: {}}}\n", FORMAT, "scenes/x.yaml:1:20: bodies.b.hull: a hull has either file or points"},
      {"bodies: {b: {sphere: {radius: 1}, wall: {columns: 1, rows: 1, brick: [1, 1, 1]}}}\n", FORMAT,
       "scenes/x.yaml:1:14: bodies.b.sphere: 'wall' defines its own shapes"},
      {"bodies: {b: {sphere: {radius: 1}, copies: [[1, 2, 3]], grid: {count: [1, 1, 1], spacing: 1}}}\n", FORMAT,
       "scenes/x.yaml:1:56: bodies.b.grid: only one generator is allowed; 'copies' is already given"},
      {"bodies: {b: {pack: {count: 1, box: [1, 1, 1]}}}\n", FORMAT,
       "scenes/x.yaml:1:20: bodies.b.pack: needs either a radius here or a shape beside it"},
      {"obstacles: {o: {tube: {radius: 1}}}\n", FORMAT,
       "scenes/x.yaml:1:23: obstacles.o.tube: a tube has one of points, file and curve"},
      {"obstacles: {o: {plane: , motion: {velocity: [1, 0, 0], sine: {frequency: 1}}}}\n", FORMAT,
       "scenes/x.yaml:1:34: obstacles.o.motion: choose one: velocities, sine or keyframes"},
      {"bodies: {b: {sphere: {radius: 1}}}\nloads: [{on: b}]\n", FORMAT,
       "scenes/x.yaml:2:9: loads[0]: needs force or torque"},
      {"bodies: {b: {sphere: {radius: 1}}}\nloads: [{on: b, force: [1, 0, 0], table: {times: [0, 1], values: [1]}}]\n",
       FORMAT, "scenes/x.yaml:2:66: loads[0].table.values: 1 values for 2 times"},
  };
  CHECK(MISTAKES);
}

static void a_name_that_is_not_there_is_answered_with_the_nearest_one(void** state) {
  (void)state;
  static const Mistake MISTAKES[] = {
      {"materials: {steel: {}}\nbodies: {b: {sphere: {radius: 1}, material: stel}}\n", FORMAT,
       "scenes/x.yaml:2:45: bodies.b.material: unknown material 'stel'; did you mean 'steel'?"},
      {"friction: [{between: [wood, any], mu: 1}]\n", FORMAT,
       "scenes/x.yaml:1:23: friction[0].between[0]: unknown material 'wood'"},
      {"obstacles: {ramp: {plane: }}\nbodies: {b: {sphere: {radius: 1}, frame: rampe}}\n", FORMAT,
       "scenes/x.yaml:2:42: bodies.b.frame: unknown obstacle 'rampe'; did you mean 'ramp'?"},
      {"bodies: {tower: {sphere: {radius: 1}}}\nloads: [{on: towr, force: [1, 0, 0]}]\n", FORMAT,
       "scenes/x.yaml:2:14: loads[0].on: unknown body 'towr'; did you mean 'tower'?"},
      {"bodies: {tower: {sphere: {radius: 1}, copies: [[0, 0, 0]]}}\nloads: [{on: 'tower[1]', force: [1, 0, 0]}]\n",
       FORMAT, "scenes/x.yaml:2:14: loads[0].on: 'tower' has 1 bodies"},
      {"contact: {mu: $mu}\n", FORMAT,
       "scenes/x.yaml:1:15: contact.mu: expected a number >= 0, found '$mu': unknown parameter 'mu'; the "
       "scene has no parameters"},
      {"contact: {mu: = 2 * nu}\n", FORMAT,
       "scenes/x.yaml:1:15: contact.mu: expected a number >= 0, found '= 2 * nu': unknown parameter 'nu'; "
       "the scene has no parameters"},
  };
  CHECK(MISTAKES);
}

static void names_stay_simple(void** state) {
  (void)state;
  static const Mistake MISTAKES[] = {
      {"bodies: {a.b: {sphere: {radius: 1}}}\n", FORMAT,
       "scenes/x.yaml:1:10: bodies.a.b: a name has up to 60 letters, digits, - and _"},
      {"bodies: {'': {sphere: {radius: 1}}}\n", FORMAT,
       "scenes/x.yaml:1:10: bodies.: a name has up to 60 letters, digits, - and _"},
      {"parameters: {a-b: 1}\n", FORMAT,
       "scenes/x.yaml:1:14: parameters.a-b: a name has up to 60 letters, digits and _, and does not begin with a "
       "digit"},
      {"parameters: {1a: 1}\n", FORMAT,
       "scenes/x.yaml:1:14: parameters.1a: a name has up to 60 letters, digits and _, and does not begin with a "
       "digit"},
  };
  CHECK(MISTAKES);
}

static void text_that_is_no_yaml_is_refused_with_its_place(void** state) {
  (void)state;
  static const Mistake MISTAKES[] = {
      {"", FORMAT, "scenes/x.yaml:1:1: the file is empty"},
      {"# nothing\n", FORMAT, "scenes/x.yaml:2:1: the file is empty"},
      {"title: [a\n", FORMAT,
       "scenes/x.yaml:2:1: not YAML: did not find expected ',' or ']', while parsing a flow sequence; reading ends "
       "here"},
      {"title: a\n b: c\n", FORMAT,
       "scenes/x.yaml:2:3: not YAML: mapping values are not allowed in this context; reading ends here"},
      {"title: a\ntitle: b\n", FORMAT, "scenes/x.yaml:2:1: the key 'title' appears twice; it was first used in line 1"},
      {"title: !!str a\n", FORMAT, "scenes/x.yaml:1:8: tags (words with '!') are not understood"},
      {"title: a\n---\ntitle: b\n", FORMAT, "scenes/x.yaml:2:1: a second document begins; a file holds one"},
      {"title: *a\n", FORMAT, "scenes/x.yaml:1:8: the alias '*a' names no anchor before it"},
      {"title: &a [*a]\n", FORMAT, "scenes/x.yaml:1:12: the alias '*a' names no anchor before it"},
      {"? [a]\n: b\n", FORMAT, "scenes/x.yaml:1:3: a key must be a text"},
      {"title: \"a\\0b\"\n", FORMAT, "scenes/x.yaml:1:8: a text contains a zero byte"},
      {"materials: {a: {<<: 3}}\n", FORMAT, "scenes/x.yaml:1:16: '<<' takes a map or a list of maps"},
      {"title: \xff\n", FORMAT, "scenes/x.yaml: not YAML: invalid leading UTF-8 octet at byte 7"},
      {"\"a\\nb\": 1\n", FORMAT, "scenes/x.yaml:1:1: a?b: unknown key"},
  };
  CHECK(MISTAKES);
}

static void shapes_that_make_no_sense_are_refused_with_their_place(void** state) {
  (void)state;
  CpsScene* scene = NULL;
  CpsError error;
  static const char FLAT[] = "bodies:\n  b: {hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}\n";
  assert_int_equal(cps_scene_parse(FLAT, strlen(FLAT), "x.yaml", NULL, 0, &scene, &error), CPS_BAD_DATA);
  assert_non_null(strstr(error.text, "x.yaml:2:13: bodies.b.hull: "));
  static const char TINY[] = "bodies:\n  b: {sphere: {radius: 1e-200}}\n";  // r^3 is 0
  assert_int_equal(cps_scene_parse(TINY, strlen(TINY), "x.yaml", NULL, 0, &scene, &error), CPS_BAD_DATA);
  assert_non_null(strstr(error.text, "x.yaml:2:15: bodies.b.sphere: "));
  assert_null(scene);
}

static void a_long_path_keeps_its_end_and_the_reason(void** state) {
  (void)state;
  char name[400], text[] = "titel: x\n";
  memset(name, 'd', sizeof name);
  memcpy(name + sizeof name - 9, "/end.yaml", 9);
  char path[401];
  memcpy(path, name, sizeof name);
  path[400] = '\0';
  CpsScene* scene = NULL;
  CpsError error;
  assert_int_equal(cps_scene_parse(text, strlen(text), path, NULL, 0, &scene, &error), CPS_BAD_FORMAT);
  assert_non_null(strstr(error.text, "ddd/end.yaml:1:1: titel: unknown key; did you mean 'title'?"));
  assert_memory_equal(error.text, "...", 3);
}

static void bad_arguments_are_refused(void** state) {
  (void)state;
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  const char* set[] = {NULL};
  assert_int_equal(cps_scene_parse(NULL, 0, "x", NULL, 0, &scene, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_scene_parse("{}", 2, NULL, NULL, 0, &scene, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_scene_parse("{}", 2, "x", NULL, 0, NULL, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_scene_parse("{}", 2, "x", NULL, 1, &scene, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_scene_parse("{}", 2, "x", set, 1, &scene, NULL), CPS_BAD_FORMAT);
  assert_int_equal(cps_scene_load(NULL, NULL, 0, &scene, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_scene_build(NULL, 1, &world, NULL), CPS_BAD_ARGUMENT);
  assert_null(scene);
  cps_scene_destroy(NULL);
  assert_string_equal(cps_scene_info(NULL).title, "");
  assert_string_equal(cps_scene_body_name(NULL, 0), "");
  assert_int_equal(cps_scene_body_shape(NULL, 0).kind, CPS_SHAPE_NONE);
  assert_int_equal(cps_scene_obstacle_shape(NULL, 0).kind, CPS_SHAPE_NONE);
  assert_string_equal(cps_scene_obstacle_name(NULL, 0), "");
}

typedef struct Told {
  int mistakes, notes;
  char text[2048];
} Told;

static void hear(bool mistake, const char* sentence, void* data) {
  Told* told = data;
  told->mistakes += mistake;
  told->notes += !mistake;
  size_t used = strlen(told->text);
  snprintf(told->text + used, sizeof told->text - used, "%s\n", sentence);
}

static Told read_telling(const char* text, CpsStatus wanted) {
  Told told = {0};
  FILE* file = fopen("telling.yaml", "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  CpsScene* scene = NULL;
  CpsError error = {""};
  assert_int_equal(cps_scene_load_telling("telling.yaml", NULL, 0, hear, &told, &scene, &error), wanted);
  if (wanted != CPS_OK) assert_int_equal(strncmp(told.text, error.text, strlen(error.text)), 0);  // the first
  cps_scene_destroy(scene);
  remove("telling.yaml");
  return told;
}

// It used to be one at a time.
static void all_mistakes_are_told(void** state) {
  (void)state;
  Told told = read_telling(
      "parameters: {radius: 1}\ntitel: y\nbodies:\n  a: {sphere: {radius: $raduis}, mas: 3}\n"
      "  b: {box: {size: [1, 2]}}\nfriction: [{between: [a]}, {mu: x}]\ntime: {step: -1}\n",
      FORMAT);
  assert_string_equal(told.text,
                      "telling.yaml:2:1: titel: unknown key; did you mean 'title'?\n"
                      "telling.yaml:4:24: bodies.a.sphere.radius: expected a length > 0, found '$raduis': unknown "
                      "parameter 'raduis'; "
                      "did you mean 'radius'? there are radius\n"
                      "telling.yaml:4:34: bodies.a.mas: unknown key; did you mean 'mass'?\n"
                      "telling.yaml:5:19: bodies.b.box.size: expected 3 lengths > 0, found 2\n"
                      "telling.yaml:6:22: friction[0].between: expected 2 names, found 1\n"
                      "telling.yaml:6:33: friction[1].mu: expected a number >= 0, found 'x'\n"
                      "telling.yaml:6:28: friction[1]: the key 'between' is missing\n"
                      "telling.yaml:7:14: time.step: expected a time > 0, found '-1'\n");
  assert_int_equal(told.mistakes, 8);
  // also those that only the whole shows
  told = read_telling(
      "bodies: {a: {sphere: {radius: 1}, material: x}, c: {sphere: {radius: 1}, mass: 1, density: 3}}\n"
      "fibres: {f: {frame: q}}\n",
      FORMAT);
  assert_int_equal(told.mistakes, 3);
  assert_non_null(strstr(told.text, "bodies.a.material: unknown material 'x'\n"));
  assert_non_null(strstr(told.text, "bodies.c.mass: give either mass or density\n"));
  assert_non_null(strstr(told.text, "fibres.f.frame: unknown obstacle 'q'\n"));
}

// A part that depends on one with mistakes is not loaded, but its names are looked up: in the same run, not in the next.
static void names_in_parts_that_depend_on_a_faulty_one_are_told(void** state) {
  (void)state;
  // what the table of keys refuses
  Told told = read_telling(
      "materials: {ice: {}}\nbodies:\n  box: {box: {size: [1, 2, 3]}, material: ise}\n"
      "fibres:\n  a: {length: 1, elements: 0}\n  b: {length: 1}\n"
      "loads: [{on: boxx, force: [0, 0, 1]}, {on: all, force: [0, 0, 1]}]\n"
      "pulls: [{fibre: b, at: 2}, {fibre: aa, force: [0, 0, 1]}, {body: 'box[0]'}]\n"
      "ties: [{a: {fibre: a, at: 0.5}, b: {body: bx}}, {a: {obstacle: q}, b: {at: [0, 0, 0]}}]\n",
      DATA);
  assert_string_equal(told.text,
                      "telling.yaml:5:28: fibres.a.elements: expected a whole number >= 1, found '0'\n"
                      "telling.yaml:3:43: bodies.box.material: unknown material 'ise'; did you mean 'ice'?\n"
                      "telling.yaml:7:14: loads[0].on: unknown body 'boxx'; did you mean 'box'?\n"
                      "telling.yaml:8:24: pulls[0].at: acts at 2 m of a fibre of 1 m\n"
                      "telling.yaml:8:36: pulls[1].fibre: unknown fibre 'aa'; did you mean 'a'?\n"
                      "telling.yaml:9:43: ties[0].b.body: unknown body 'bx'; did you mean 'box'?\n"
                      "telling.yaml:9:64: ties[1].a.obstacle: unknown obstacle 'q'\n");
  // what only the whole shows, once each
  told = read_telling(
      "bodies: {c: {sphere: {radius: 1}, mass: 1, density: 3}}\nfibres: {b: {length: 1}}\n"
      "pulls: [{fibre: b, at: 2}, {body: d}]\nties: [{a: {fibre: e}, b: {at: [0, 0, 0]}}]\n",
      FORMAT);
  assert_int_equal(told.mistakes, 4);
  told = read_telling(
      "fibres: {b: {length: 1}}\npulls: [{fibre: b, force: [0, 0, 1], at: 2}, {body: d}]\nties: [{a: {fibre: e}, b: "
      "{at: [0, 0, 0]}}]\n",
      FORMAT);
  assert_int_equal(told.mistakes, 3);
}

// Keys that stand twice do not end the reading; where YAML ends it is said, and tabs further on are still seen.
static void mistakes_of_yaml_do_not_hide_each_other(void** state) {
  (void)state;
  Told told = read_telling("title: a\ntitle: b\ntitel: c\ntime: {end: 1, end: 2}\n", FORMAT);
  assert_string_equal(told.text,
                      "telling.yaml:2:1: the key 'title' appears twice; it was first used in line 1\n"
                      "telling.yaml:4:16: the key 'end' appears twice; it was first used in line 4\n"
                      "telling.yaml:3:1: titel: unknown key; did you mean 'title'?\n");
  told = read_telling("title: a\ntitle: b\ntime:\n\tend: 1\nbodies:\n  a:\n \t sphere: {radius: 1}\n", FORMAT);
  assert_string_equal(told.text,
                      "telling.yaml:2:1: the key 'title' appears twice; it was first used in line 1\n"
                      "telling.yaml:4:1: not YAML: a tab; lines are indented by spaces; reading ends here\n"
                      "telling.yaml:7:2: not YAML: a tab, too\n");
  told = read_telling("title: a\ntitle: b\ntime: [\n", FORMAT);
  assert_int_equal(told.mistakes, 2);
  assert_non_null(strstr(told.text, "telling.yaml:4:1: not YAML: "));
  assert_non_null(strstr(told.text, "; reading ends here\n"));
}

static void words_that_are_none_are_answered_with_those_there_are(void** state) {
  (void)state;
  static const Mistake MISTAKES[] = {
      {"fibres: {f: {model: rope}}\n", FORMAT,
       "scenes/x.yaml:1:21: fibres.f.model: unknown rod model 'rope'; did you mean 'der-inextensible'? "
       "models: super-helix, super-helix-recursive, super-clothoid, mass-spring, corde, corde-explicit, der, "
       "der-inextensible, der-projected"},
      {"fibres: {f: {model: supper-helix}}\n", FORMAT,
       "scenes/x.yaml:1:21: fibres.f.model: unknown rod model 'supper-helix'; did you mean 'super-helix'? "
       "models: super-helix, super-helix-recursive, super-clothoid, mass-spring, corde, corde-explicit, der, "
       "der-inextensible, der-projected"},
      {"fibres: {f: {model: clothoid}}\n", FORMAT,
       "scenes/x.yaml:1:21: fibres.f.model: unknown rod model 'clothoid'; did you mean 'super-clothoid'? "
       "models: super-helix, super-helix-recursive, super-clothoid, mass-spring, corde, corde-explicit, der, "
       "der-inextensible, der-projected"},
      {"fibres: {f: {model: xyz}}\n", FORMAT,
       "scenes/x.yaml:1:21: fibres.f.model: unknown rod model 'xyz'; "
       "models: super-helix, super-helix-recursive, super-clothoid, mass-spring, corde, corde-explicit, der, "
       "der-inextensible, der-projected"},
      {"parameters: {radius: 1, h: 2}\nbodies: {b: {sphere: {radius: $rad}}}\n", FORMAT,
       "scenes/x.yaml:2:31: bodies.b.sphere.radius: expected a length > 0, found '$rad': unknown parameter 'rad'; "
       "did you mean 'radius'? there are radius, h"},
      {"parameters: {radius: 1, h: 2}\nbodies: {b: {sphere: {radius: $xyz}}}\n", FORMAT,
       "scenes/x.yaml:2:31: bodies.b.sphere.radius: expected a length > 0, found '$xyz': unknown parameter 'xyz'; "
       "there "
       "are radius, h"},
      {"parameters: {radius: 1}\nbodies: {b: {sphere: {radius: = 2 * raduis}}}\n", FORMAT,
       "scenes/x.yaml:2:31: bodies.b.sphere.radius: expected a length > 0, found '= 2 * raduis': unknown parameter "
       "'raduis'; did you mean 'radius'? there are radius"},
      {"bodies:\n\ta: {}\n", FORMAT,
       "scenes/x.yaml:2:1: not YAML: a tab; lines are indented by spaces; reading ends here"},
  };
  CHECK(MISTAKES);
}

// 15 was taken for radians, two turns and a bit.
static void an_angle_has_a_unit(void** state) {
  (void)state;
  static const Mistake MISTAKES[] = {
      {"bodies: {b: {sphere: {radius: 1}, rotation: {axis: [0, 0, 1], angle: 15}}}\n", FORMAT,
       "scenes/x.yaml:1:70: bodies.b.rotation.angle: expected an angle, found '15': it has no unit; write 15 deg or 15 "
       "rad"},
      {"parameters: {tilt: 15}\nbodies: {b: {sphere: {radius: 1}, rotation: {axis: [0, 0, 1], angle: $tilt}}}\n",
       FORMAT,
       "scenes/x.yaml:2:70: bodies.b.rotation.angle: expected an angle, found '$tilt': it has no unit; write 15 deg or "
       "15 "
       "rad"},
  };
  CHECK(MISTAKES);
  static const char* const GOOD[] = {"0", "15 deg", "1.5 rad", "= pi / 12"};
  for (int i = 0; i < 4; ++i) {
    char text[200];
    snprintf(text, sizeof text, "bodies: {b: {sphere: {radius: 1}, rotation: {axis: [0, 0, 1], angle: %s}}}\n",
             GOOD[i]);
    cps_scene_destroy(read_scene(text, NULL));
  }
}

static void parts_that_overlap_are_noted(void** state) {
  (void)state;
  Told told = read_telling(
      "bodies: {b: {compound: [{sphere: {radius: 1}}, {sphere: {radius: 1}, position: [1, 0, 0]}]}}\n", CPS_OK);
  assert_int_equal(told.mistakes, 0);
  assert_int_equal(told.notes, 1);
  assert_string_equal(
      told.text,
      "telling.yaml:1:24: bodies.b.compound: parts 0 and 1 overlap by 1 m; the mass of the overlap counts twice\n");
  // touching is not overlapping
  told = read_telling(
      "bodies: {b: {compound: [{box: {size: [1, 1, 1]}}, {box: {size: [1, 1, 1]}, position: [1, 0, 0]}]}}\n", CPS_OK);
  assert_int_equal(told.notes, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_unknown_key_is_answered_with_the_nearest_one),
      cmocka_unit_test(a_wrong_type_is_answered_with_the_right_one),
      cmocka_unit_test(a_wrong_dimension_is_named),
      cmocka_unit_test(a_value_out_of_range_is_refused),
      cmocka_unit_test(what_is_missing_or_too_much_is_named),
      cmocka_unit_test(a_name_that_is_not_there_is_answered_with_the_nearest_one),
      cmocka_unit_test(names_stay_simple),
      cmocka_unit_test(text_that_is_no_yaml_is_refused_with_its_place),
      cmocka_unit_test(shapes_that_make_no_sense_are_refused_with_their_place),
      cmocka_unit_test(a_long_path_keeps_its_end_and_the_reason),
      cmocka_unit_test(bad_arguments_are_refused),
      cmocka_unit_test(all_mistakes_are_told),
      cmocka_unit_test(names_in_parts_that_depend_on_a_faulty_one_are_told),
      cmocka_unit_test(mistakes_of_yaml_do_not_hide_each_other),
      cmocka_unit_test(words_that_are_none_are_answered_with_those_there_are),
      cmocka_unit_test(an_angle_has_a_unit),
      cmocka_unit_test(parts_that_overlap_are_noted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
