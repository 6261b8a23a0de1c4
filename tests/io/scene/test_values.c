// Numbers of scene files: units, parameters, expressions, defaults, overrides.
#include "base/text_number.h"
#include "io/scene/expression.h"
#include "io/scene/schema.h"
#include "io/scene/texts.h"

#define PI 3.14159265358979323846

static void units_are_converted_to_si(void** state) {
  (void)state;
  static const struct {
    const char* text;
    double expected;
    const char* kind;
  } CASES[] = {
      {"2", 2.0, NULL},
      {"2 mm", 0.002, "a length"},
      {"2mm", 0.002, "a length"},
      {"-1.5 km", -1500.0, "a length"},
      {"3 µm", 3e-6, "a length"},
      {"30 deg", PI / 6.0, "an angle"},
      {"30°", PI / 6.0, "an angle"},
      {"1 ms", 1e-3, "a time"},
      {"2 min", 120.0, "a time"},
      {"60 Hz", 60.0, "a frequency"},
      {"5 kg", 5.0, "a mass"},
      {"2 t", 2000.0, "a mass"},
      {"7.8 g/cm3", 7800.0, "a density"},
      {"7.8 g/cm^3", 7800.0, "a density"},
      {"1.2 kg m^-3", 1.2, "a density"},
      {"9.81 m/s2", 9.81, "an acceleration"},
      {"9.81 m / s^2", 9.81, "an acceleration"},
      {"36 km/h", 10.0, "a velocity"},
      {"30 rpm", PI, "an angular velocity"},
      {"180 deg/s", PI, "an angular velocity"},
      {"3 N m", 3.0, "a torque"},
      {"3 N*m", 3.0, "a torque"},
      {"2 kg*m/s^2", 2.0, "a force"},
      {"4 kN", 4000.0, "a force"},
      {"1e-3", 1e-3, NULL},
      {".5", 0.5, NULL},
      {"5.", 5.0, NULL},
      {"+1E+2", 100.0, NULL},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
    CpsValue value;
    char why[CPS_WHY_SIZE];
    if (!cps_value_read(CASES[i].text, &value, why)) fail_msg("'%s' is refused: %s", CASES[i].text, why);
    assert_near(value.number, CASES[i].expected, 4e-16 * fabs(CASES[i].expected));  // two roundings
    assert_int_equal(value.has_unit, CASES[i].kind != NULL);
    if (CASES[i].kind) assert_string_equal(cps_dimension_name(value.dimension), CASES[i].kind);
  }
}

static void decimal_units_give_the_same_bits_as_decimal_numbers(void** state) {
  (void)state;
  char why[CPS_WHY_SIZE];
  for (int i = 1; i < 1000; ++i) {
    char text[32];
    CpsValue a, b;
    (void)snprintf(text, sizeof text, "%d mm", i);
    assert_true(cps_value_read(text, &a, why));
    (void)snprintf(text, sizeof text, "%de-3", i);
    assert_true(cps_value_read(text, &b, why));
    assert_true(a.number == b.number);
  }
}

static void what_is_no_number_is_refused(void** state) {
  (void)state;
  static const char* const BAD[] = {"",        "x",        "-",     "1 2", "1 mm mm/", "1 m/",
                                    "1 /s",    "0x1p3",    "1e",    "1,5", "nan",      "inf",
                                    "1 foo",   "1 m^",     "1 m^x", "--1", "1e400",    "1 m m m m m m m",
                                    "1 m s^0", "1e308 km", "."};
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; ++i) {
    CpsValue value;
    char why[CPS_WHY_SIZE];
    if (cps_value_read(BAD[i], &value, why)) fail_msg("'%s' is taken for %g", BAD[i], value.number);
  }
}

static void expressions_follow_the_rules_of_arithmetic(void** state) {
  (void)state;
  static const struct {
    const char* text;
    double expected;
  } CASES[] = {
      {"1 + 2 * 3", 7.0},
      {"(1 + 2) * 3", 9.0},
      {"2 ^ 3 ^ 2", 512.0},
      {"2 ** 3", 8.0},
      {"-2 ^ 2", -4.0},
      {"2 ^ -1", 0.5},
      {"8 / 4 / 2", 1.0},
      {"1 - 2 - 3", -4.0},
      {"- - 1", 1.0},
      {"sin(pi / 2)", 1.0},
      {"atan2(1, 1) * 4", PI},
      {"min(3, 1, 2) + max(1, 5)", 6.0},
      {"sqrt(abs(-16)) + exp(0) + log(1)", 5.0},
      {"asin(1) + acos(1) + atan(0) + tan(0) + cos(0)", PI / 2.0 + 1.0},
      {"floor(1.7) + ceil(1.2)", 3.0},
      {"2 * g", 19.62},
      {"1 cm + 2 mm", 0.012},
      {"90 deg / 3", PI / 6.0},
      {"1e-3 * 1e3", 1.0},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
    double value;
    char why[CPS_WHY_SIZE];
    if (!cps_expression_evaluate(CASES[i].text, NULL, NULL, &value, why)) fail_msg("'%s': %s", CASES[i].text, why);
    assert_near(value, CASES[i].expected, 1e-15 * (1.0 + fabs(CASES[i].expected)));  // a few roundings
  }
}

static void a_bad_expression_says_what_is_wrong(void** state) {
  (void)state;
  static const struct {
    const char *text, *why;
  } CASES[] = {
      {"", "a number is missing"},
      {"1 +", "a number is missing"},
      {"(1", "a ')' is missing"},
      {"1)", "unexpected ')'"},
      {"1 2", "unexpected '2'"},
      {"x", "unknown parameter 'x'"},
      {"f(1)", "unknown function 'f'"},
      {"sin(1, 2)", "sin takes one argument"},
      {"atan2(1)", "atan2 takes two arguments"},
      {"1 / 0", "its value is not finite"},
      {"sqrt(-1)", "its value is not finite"},
      {"10 ^ 400", "its value is not finite"},
      {"((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))", "it is nested too deeply"},
      {"--------------------------------------1", "it is nested too deeply"},
      {"max(1, 2, 3, 4, 5, 6, 7, 8, 9)", "too many arguments"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
    double value = 7.0;
    char why[CPS_WHY_SIZE];
    assert_false(cps_expression_evaluate(CASES[i].text, NULL, NULL, &value, why));
    assert_string_equal(why, CASES[i].why);
    assert_true(value == 7.0);
  }
  char longer[2000], why[CPS_WHY_SIZE];
  double value;
  memset(longer, '1', sizeof longer);
  longer[sizeof longer - 1] = '\0';
  assert_false(cps_expression_evaluate(longer, NULL, NULL, &value, why));
  assert_string_equal(why, "the expression is too long");
}

static void parameters_may_name_each_other_in_any_order(void** state) {
  (void)state;
  CpsScene* scene =
      read_scene("contact: {mu: $c}\nparameters: {c: = a * b, a: = 2 * b, b: 3, g: 1}\ngravity: = g\n", NULL);
  assert_true(cps_scene_world_def(scene).mu == 18.0);
  assert_true(cps_scene_world_def(scene).gravity.z == -1.0);  // a parameter hides the constant
  cps_scene_destroy(scene);
  refuse_scene("parameters: {a: = b, b: = a}\n", NULL, CPS_BAD_FORMAT,
               "scenes/x.yaml:1:17: parameters.a: expected a number or an expression, found '= b': the parameter 'a' "
               "refers to itself");
}

// Each parameter is read once: without that, these take 2^n steps.
static void parameters_that_double_are_cheap(void** state) {
  (void)state;
  char text[4000] = "parameters:\n  p0: 1\n";
  for (int i = 1; i < 60; ++i) {
    (void)snprintf(text + strlen(text), sizeof text - strlen(text), "  p%d: = p%d + p%d\n", i, i - 1, i - 1);
  }
  strcat(text, "contact: {mu: $p59}\n");
  CpsScene* scene = read_scene(text, NULL);
  assert_true(cps_scene_world_def(scene).mu == ldexp(1.0, 59));
  cps_scene_destroy(scene);
}

static bool same(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

static bool same_vec(CpsVec3 a, CpsVec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_pose(CpsPose a, CpsPose b) {
  return same_vec(a.position, b.position) && a.rotation.w == b.rotation.w && a.rotation.x == b.rotation.x &&
         a.rotation.y == b.rotation.y && a.rotation.z == b.rotation.z;
}

static bool same_solver(const CpsSolveOptions* a, const CpsSolveOptions* b) {
  return a->method == b->method && a->local == b->local && a->local_failsafe == b->local_failsafe &&
         a->tolerance == b->tolerance && a->max_iterations == b->max_iterations && a->time_limit == b->time_limit &&
         a->facets == b->facets && a->facet_kind == b->facet_kind && a->freeze == b->freeze;
}

static bool same_world(const CpsWorldDef* a, const CpsWorldDef* b) {
  return same_vec(a->gravity, b->gravity) && a->step == b->step && a->theta == b->theta && a->mend == b->mend &&
         a->adaptive == b->adaptive && a->step_min == b->step_min && a->penetration_max == b->penetration_max &&
         a->residual_max == b->residual_max && a->projection == b->projection && a->slop == b->slop && a->mu == b->mu &&
         a->restitution == b->restitution && a->polish == b->polish && a->threads == b->threads &&
         same_solver(&a->solver, &b->solver);
}

static bool same_body(const CpsBodyDef* a, const CpsBodyDef* b) {
  return same_vec(a->velocity, b->velocity) && same_vec(a->angular_velocity, b->angular_velocity) &&
         a->density == b->density && a->mass == b->mass && same(a->mu, b->mu) && same(a->restitution, b->restitution) &&
         same(a->mu_across, b->mu_across) && same_vec(a->grain, b->grain) && a->fixed_rotation == b->fixed_rotation &&
         a->gravity == b->gravity && a->group == b->group;
}

static bool same_obstacle(const CpsObstacleDef* a, const CpsObstacleDef* b) {
  const CpsMotion *m = &a->motion, *n = &b->motion;
  return same_pose(a->pose, b->pose) && same_vec(a->surface_velocity, b->surface_velocity) && same(a->mu, b->mu) &&
         same_vec(m->amplitude, n->amplitude) && same_vec(m->rotation_amplitude, n->rotation_amplitude) &&
         m->phase == n->phase;
}

// What the documentation says about defaults is what a scene without the key gets.
static void a_scene_without_a_key_has_the_default_of_the_schema(void** state) {
  (void)state;
  CpsScene* plain = read_scene("{}", NULL);
  CpsWorldDef expected = cps_scene_world_def(plain);
  int compared = 0;
  const CpsSceneKey* key;
  for (int32_t i = 0; (key = cps_scene_key(i)); ++i) {
    // settings of the world: the keys without a name in between
    if (strpbrk(key->path, "*[") || !key->fallback[0] || strcmp(key->fallback, "none") == 0) continue;
    bool map = strstr(key->type, "map") && strcmp(key->path, "time.adaptive") != 0;
    if (map || strncmp(key->path, "time.adaptive.", 14) == 0) continue;
    if (strncmp(key->path, "flow.", 5) == 0) continue;  // a flow cannot be without its domain and cells
    char set[200];
    (void)snprintf(set, sizeof set, "%s=%s", key->path, key->fallback);
    CpsScene* scene = read_scene("{}", set);
    CpsWorldDef def = cps_scene_world_def(scene);
    CpsSceneInfo a = cps_scene_info(scene), b = cps_scene_info(plain);
    if (!same_world(&def, &expected)) fail_msg("%s changes the world", set);
    assert_true(a.end == b.end && a.frame_interval == b.frame_interval && a.output_contacts == b.output_contacts);
    cps_scene_destroy(scene);
    compared++;
  }
  assert_true(compared >= 20);
  cps_scene_destroy(plain);
}

static void a_body_without_a_key_has_the_default_of_the_schema(void** state) {
  (void)state;
  static const char TEXT[] =
      "bodies: {b: {sphere: {radius: 1}}}\nobstacles: {b: {plane: , motion: {sine: {frequency: 1}}}}\n";
  CpsScene* plain = read_scene(TEXT, NULL);
  const CpsSceneKey* key;
  int compared = 0;
  for (int32_t i = 0; (key = cps_scene_key(i)); ++i) {
    bool body = strncmp(key->path, "bodies.*.", 9) == 0, obstacle = strncmp(key->path, "obstacles.*.", 12) == 0;
    if (!body && !obstacle) continue;
    const char* word = key->path + (body ? 9 : 12);
    bool deep = strpbrk(word, ".[") && strncmp(word, "plane.", 6) != 0 && strncmp(word, "motion.sine.", 12) != 0;
    if (deep || !key->fallback[0] || strcmp(key->fallback, "none") == 0) continue;
    char set[200];
    (void)snprintf(set, sizeof set, "%s.b.%s=%s", body ? "bodies" : "obstacles", word, key->fallback);
    CpsScene* scene = read_scene(TEXT, set);
    const CpsSceneGroup *a = only_group(scene), *b = only_group(plain);
    if (!same_body(&a->def, &b->def) || !same_pose(a->pose[0], b->pose[0])) fail_msg("%s changes the body", set);
    if (!same_obstacle(&scene->obstacles[0].def, &plain->obstacles[0].def)) fail_msg("%s changes the obstacle", set);
    cps_scene_destroy(scene);
    compared++;
  }
  assert_true(compared >= 10);
  cps_scene_destroy(plain);
}

static void overrides_replace_what_the_file_says(void** state) {
  (void)state;
  static const char TEXT[] =
      "parameters: {mu: 0.3, size: 1}\nbodies:\n  block: {box: {size: [1, 2, $size]}, mu: $mu}\ntime:\n"
      "friction: [{between: [any, any], mu: 0.1}]\n";
  const char* const SETS[] = {"mu=0.4",
                              "time.step=2 ms",
                              "bodies.block.box.size[1]=5 cm",
                              "gravity=[0, 0, 0]",
                              "friction[0].mu=0.7",
                              "parameters.size=3",
                              "bodies.more={sphere: {radius: 1}}",
                              "mu=0.5",
                              "time.adaptive={step_min: 1 us}"};
  CpsScene* scene = NULL;
  CpsError error;
  if (cps_scene_parse(TEXT, strlen(TEXT), "x.yaml", SETS, 9, &scene, &error) != CPS_OK) fail_msg("%s", error.text);
  CpsWorldDef def = cps_scene_world_def(scene);
  assert_true(scene->groups[0].def.mu == 0.5);  // the later one wins
  assert_true(def.step == 2e-3 && def.gravity.z == 0.0 && def.mu == 0.7 && def.adaptive && def.step_min == 1e-6);
  CpsShape shape = cps_scene_body_shape(scene, 0);
  assert_true(shape.size.x == 1.0 && shape.size.y == 0.05 && shape.size.z == 3.0);
  assert_int_equal(cps_scene_info(scene).bodies, 2);
  assert_string_equal(cps_scene_body_name(scene, 1), "more");
  assert_non_null(strstr(cps_scene_info(scene).text, "\n# --set gravity=[0, 0, 0]\n"));
  assert_memory_equal(cps_scene_info(scene).text, TEXT, strlen(TEXT));
  cps_scene_destroy(scene);
}

static void a_star_stands_for_every_name(void** state) {
  (void)state;
  static const char TEXT[] = "bodies:\n  one: {sphere: {radius: 1}}\n  two: {sphere: {radius: 2}, mu: 0.1}\n";
  const char* const SETS[] = {"bodies.*.mu=0.4", "bodies.two.density=5", "bodies.*.sphere.radius=3"};
  CpsScene* scene = NULL;
  CpsError error;
  if (cps_scene_parse(TEXT, strlen(TEXT), "x.yaml", SETS, 3, &scene, &error) != CPS_OK) fail_msg("%s", error.text);
  for (int32_t i = 0; i < 2; ++i) {
    assert_true(scene->groups[i].def.mu == 0.4);
    assert_true(cps_scene_body_shape(scene, i).radius == 3.0);
  }
  assert_true(scene->groups[0].def.density != 5.0 && scene->groups[1].def.density == 5.0);
  cps_scene_destroy(scene);
}

static void a_bad_override_is_answered_like_a_bad_file(void** state) {
  (void)state;
  static const char TEXT[] =
      "parameters: {mu: 0.3}\nbodies:\n  block: {box: {size: [1, 2, 3]}}\nfriction: [{between: [any, any], mu: 1}]\n";
  static const struct {
    const char *set, *sentence;
  } CASES[] = {
      {"time.stepp=1", "--set time.stepp: unknown key; did you mean 'step'?"},
      {"time.step=-1", "--set time.step: expected a time > 0, found '-1'"},
      {"muu=1", "--set muu: unknown key; did you mean 'mu'?"},
      {"parameters.nu=1", "--set parameters.nu: no such name; did you mean 'mu'?"},
      {"bodies.blok.mu=1", "--set bodies.blok.mu: no such name; did you mean 'block'?"},
      {"bodies.xyzzy.mu=1", "--set bodies.xyzzy.mu: nothing is called 'xyzzy'"},
      {"bodies.block.box.size=[1, 2]", "--set bodies.block.box.size: expected 3 lengths > 0, found 2"},
      {"bodies.block.box.size[3]=1", "--set bodies.block.box.size[3]: no such entry"},
      {"friction[1].mu=1", "--set friction[1].mu: no such entry"},
      {"bodies.block.box.size.x=1", "--set bodies.block.box.size.x: the parent of 'x' is not a map"},
      {"time.step=[",
       "--set time.step: not YAML: did not find expected node content, while parsing a flow node; reading ends here"},
      {"time.step", "--set: 'time.step' is not KEY=VALUE"},
      {"time.step=", "--set: 'time.step=' is not KEY=VALUE"},
      {"=1", "--set: '=1' is not KEY=VALUE"},
      {"..=1", "--set ..: is not a key"},
      {"a[x]=1", "--set a[x]: is not a key"},
      {"include=x.yaml", "--set include: files are included before anything is set"},
      {"bodies.*.muu=1", "--set bodies.block.muu: unknown key; did you mean 'mu'?"},
      {"fibres.*.model=der", "--set fibres: contains no names that '*' can match"},
      {"time.*.x=1", "--set time: contains no names that '*' can match"},
      {"bodies.*=1", "--set bodies.*: nothing is called '*'"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
    CpsScene* scene = NULL;
    CpsError error;
    assert_true(cps_scene_parse(TEXT, strlen(TEXT), "x.yaml", &CASES[i].set, 1, &scene, &error) < 0);
    assert_string_equal(error.text, CASES[i].sentence);
    assert_null(scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_are_converted_to_si),
      cmocka_unit_test(decimal_units_give_the_same_bits_as_decimal_numbers),
      cmocka_unit_test(what_is_no_number_is_refused),
      cmocka_unit_test(expressions_follow_the_rules_of_arithmetic),
      cmocka_unit_test(a_bad_expression_says_what_is_wrong),
      cmocka_unit_test(parameters_may_name_each_other_in_any_order),
      cmocka_unit_test(parameters_that_double_are_cheap),
      cmocka_unit_test(a_scene_without_a_key_has_the_default_of_the_schema),
      cmocka_unit_test(a_body_without_a_key_has_the_default_of_the_schema),
      cmocka_unit_test(overrides_replace_what_the_file_says),
      cmocka_unit_test(a_star_stands_for_every_name),
      cmocka_unit_test(a_bad_override_is_answered_like_a_bad_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
