// Fibres and pulls of scene files: values, generators, the world they make, and what mistakes are answered with.
#include "io/scene/texts.h"

#define FORMAT CPS_BAD_FORMAT
#define DATA CPS_BAD_DATA

static const CpsSceneFibres* fibres(const CpsScene* scene, int32_t i) {
  assert_true(i < scene->fibre_group_count);
  return &scene->fibre_groups[i];
}

static CpsWorld* build(const CpsScene* scene) {
  CpsWorld* world = NULL;
  CpsError error;
  if (cps_scene_build(scene, 1, &world, &error) != CPS_OK) fail_msg("%s", error.text);
  return world;
}

static CpsVec3 point_at(const CpsWorld* world, int32_t fibre, double s) {
  CpsFibrePoint point;
  assert_int_equal(cps_world_fibre_at(world, cps_world_fibre(world, fibre), s, &point), CPS_OK);
  return point.position;
}

static void assert_at(CpsVec3 a, CpsVec3 b, double tolerance) {
  if (cps_vec3_norm(cps_vec3_sub(a, b)) > tolerance) {
    fail_msg("(%g, %g, %g) is not (%g, %g, %g)", a.x, a.y, a.z, b.x, b.y, b.z);
  }
}

static bool same(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

static bool same_fibre(const CpsFibreDef* a, const CpsFibreDef* b) {
  return a->model == b->model && a->elements == b->elements && same(a->length, b->length) &&
         a->natural_as_placed == b->natural_as_placed && same(a->radius, b->radius) &&
         same(a->radius_across, b->radius_across) && same(a->density, b->density) && same(a->young, b->young) &&
         same(a->poisson, b->poisson) && same(a->damping, b->damping) && same(a->drag, b->drag) &&
         a->gravity == b->gravity && a->root.kind == b->root.kind && a->tip.kind == b->tip.kind && same(a->mu, b->mu) &&
         same(a->contact_radius, b->contact_radius) && same(a->contact_start, b->contact_start) &&
         a->pieces == b->pieces && a->self_contact == b->self_contact && same(a->self_distance, b->self_distance) &&
         a->group == b->group;
}

static void every_value_reaches_the_definition(void** state) {
  (void)state;
  CpsScene* scene = read_scene(
      "materials: {hemp: {density: 1.1 g/cm3, young: 5 MPa, poisson: 0.3}}\n"
      "obstacles: {drum: {cylinder: {radius: 0.1, length: 1}}}\n"
      "fibres:\n"
      "  rope:\n"
      "    {model: der, elements: 12, length: 40 cm, radius: 2 mm, radius_across: 1 mm, density: 900, young: 2 GPa,\n"
      "     poisson: 0.25, line_density: 3 g/m, bending: [1e-6, 2e-6 N m^2], twisting: 3e-6, stretching: 5 N,\n"
      "     roll: [30 deg, -1 rad],\n"
      "     damping: 2 ms, drag: 0.1, gravity: false, material: hemp, mu: 0.4, restitution: 0.1, contact_radius: 3 "
      "mm,\n"
      "     contact_start: 1 cm, pieces: 30, self_contact: false, self_distance: 4 cm, group: 3,\n"
      "     curvature: [[0, 1, 2], [0, 3, 4 m^-1]], natural: [5, 6, 7],\n"
      "     root: {on: drum}, tip: {kind: pinned, motion: {velocity: [1, 0, 0]}}}\n"
      "  plain: {material: hemp, bending: 4e-6, roll: 0.5 rad}\n"
      "  bare:\n",
      NULL);
  const CpsFibreDef* def = &fibres(scene, 0)->def;
  assert_int_equal(def->model, CPS_ROD_DER);
  assert_true(def->elements == 12 && def->length == 0.4 && def->radius == 2e-3 && def->radius_across == 1e-3);
  assert_true(def->density == 900.0 && def->young == 2e9 && def->poisson == 0.25);
  assert_true(fabs(def->line_density - 3e-3) < 1e-18 && def->bending[0] == 1e-6 && def->bending[1] == 2e-6);
  assert_true(def->twisting == 3e-6 && def->stretching == 5.0 && def->damping == 2e-3 && def->drag == 0.1);
  assert_near(def->roll[0], 0.52359877559829887, 1e-15);
  assert_true(def->roll[1] == -1.0);
  assert_true(!def->gravity && def->material == 1 && def->mu == 0.4 && def->restitution == 0.1);
  assert_true(def->contact_radius == 3e-3 && def->contact_start == 1e-2 && def->pieces == 30 && def->group == 3);
  assert_true(!def->self_contact && def->self_distance == 4e-2);
  assert_int_equal(def->curvature_count, 2);
  assert_true(def->curvature[1].y == 3.0 && def->curvature[1].z == 4.0);
  assert_int_equal(def->natural_count, 1);
  assert_true(def->natural[0].x == 5.0 && def->natural[0].z == 7.0);
  assert_true(def->root.kind == CPS_END_CLAMPED && fibres(scene, 0)->root_on == 0);
  assert_true(def->tip.kind == CPS_END_PINNED && fibres(scene, 0)->tip_on == -1);
  assert_true(def->tip.motion.kind == CPS_MOTION_VELOCITY && def->tip.motion.velocity.x == 1.0);
  // what the entry does not say is the material's, else the default
  const CpsFibreDef *plain = &fibres(scene, 1)->def, *bare = &fibres(scene, 2)->def;
  assert_true(plain->density == 1100.0 && plain->young == 5e6 && plain->poisson == 0.3);
  assert_true(plain->roll[0] == 0.5 && plain->roll[1] == 0.5);
  assert_true(plain->bending[0] == 4e-6 && plain->bending[1] == 4e-6);
  CpsFibreDef expected = cps_fibre_def_default();
  assert_true(same_fibre(bare, &expected));
  assert_int_equal(cps_scene_info(scene).fibres, 3);
  assert_string_equal(cps_scene_fibre_name(scene, 0), "rope");
  assert_string_equal(cps_scene_fibre_name(scene, 3), "");
  assert_int_equal(cps_scene_fibre_model(scene, 0), CPS_ROD_DER);
  assert_int_equal(cps_scene_fibre_model(scene, 2), CPS_ROD_SUPER_HELIX);
  assert_int_equal(cps_scene_fibre_model(scene, 3), CPS_ROD_MODEL_COUNT);
  cps_scene_destroy(scene);
}

static void a_fibre_without_a_key_has_the_default_of_the_schema(void** state) {
  (void)state;
  static const char TEXT[] = "fibres: {b: {}}\n";
  CpsScene* plain = read_scene(TEXT, NULL);
  const CpsSceneKey* key;
  int compared = 0;
  for (int32_t i = 0; (key = cps_scene_key(i)); ++i) {
    if (strncmp(key->path, "fibres.*.", 9) != 0 || strpbrk(key->path + 9, ".[")) continue;
    if (!key->fallback[0] || strcmp(key->fallback, "none") == 0) continue;
    char set[200];
    (void)snprintf(set, sizeof set, "fibres.b.%s=%s", key->path + 9, key->fallback);
    CpsScene* scene = read_scene(TEXT, set);
    const CpsSceneFibres *a = fibres(scene, 0), *b = fibres(plain, 0);
    if (!same_fibre(&a->def, &b->def)) fail_msg("%s changes the fibre", set);
    assert_memory_equal(&a->strand[0].pose, &b->strand[0].pose, sizeof(CpsPose));
    cps_scene_destroy(scene);
    compared++;
  }
  assert_true(compared >= 15);
  cps_scene_destroy(plain);
}

// The root is where it was said, the tip a length away in the direction; points are those of the line.
static void fibres_lie_where_they_were_said_to(void** state) {
  (void)state;
  CpsScene* scene = read_scene(
      "parameters: {r: 0.1}\n"
      "obstacles: {hook: {sphere: {radius: 1 cm}, position: [0, 0, 5], rotation: {axis: [0, 0, 1], angle: 90 deg}}}\n"
      "fibres:\n"
      "  down: {model: der, length: 0.2, position: [1, 2, 3], direction: [0, 0, -2]}\n"
      "  back: {model: der, length: 0.2, direction: [-1, 0, 0]}\n"
      "  line: {model: der, elements: 8, position: [0, 0, 1], points: [[0, 0, 0], [0, 0.3, 0]]}\n"
      "  ring: {model: der, elements: 40, curve: {x: r * cos(t), y: r * sin(t), z: 0, to: 3}, natural: as-placed}\n"
      "  hung: {model: der, length: 0.2, frame: hook, position: [0.5, 0, 0], rotation: {euler: [0, 0, 90 deg]}}\n",
      NULL);
  CpsWorld* world = build(scene);
  assert_int_equal(cps_world_fibre_count(world), 5);
  assert_at(point_at(world, 0, 0.0), cps_vec3(1.0, 2.0, 3.0), 1e-12);
  assert_at(point_at(world, 0, 0.2), cps_vec3(1.0, 2.0, 2.8), 1e-12);
  assert_at(point_at(world, 1, 0.2), cps_vec3(-0.2, 0.0, 0.0), 1e-12);
  assert_at(point_at(world, 2, 0.3), cps_vec3(0.0, 0.3, 1.0), 1e-12);
  // 40 chords of a circle of 10 cm: points and formula agree to the sagitta
  assert_at(point_at(world, 3, 0.15), cps_vec3(0.1 * cos(1.5), 0.1 * sin(1.5), 0.0), 2e-4);
  assert_at(point_at(world, 4, 0.0), cps_vec3(0.0, 0.5, 5.0), 1e-12);
  assert_at(point_at(world, 4, 0.2), cps_vec3(-0.2, 0.5, 5.0), 1e-12);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

// All distances of a hexagonal packing are at least the spacing, seven make a whole ring, and they are all across.
static void bundles_are_packed_in_hexagons(void** state) {
  (void)state;
  static const char TEXT[] = "fibres: {b: {direction: [0, 1, 1], bundle: {count: 19, spacing: 2 mm}}}\n";
  static const double RINGS[] = {0.0, 2e-3, 2e-3 * 1.7320508075688772, 4e-3};
  CpsScene* scene = read_scene(TEXT, NULL);
  const CpsSceneFibres* group = fibres(scene, 0);
  assert_int_equal(group->count, 19);
  CpsVec3 along = cps_vec3_unit(cps_vec3(0.0, 1.0, 1.0));
  for (int32_t i = 0; i < 19; ++i) {
    CpsVec3 x = group->strand[i].pose.position;
    assert_at(cps_quat_rotate(group->strand[i].pose.rotation, cps_vec3(1.0, 0.0, 0.0)), along, 1e-14);
    assert_true(fabs(cps_vec3_dot(x, along)) < 1e-15);
    assert_true(fabs(cps_vec3_norm(x) - RINGS[i == 0 ? 0 : i < 7 ? 1 : i < 13 ? 2 : 3]) < 1e-15);
    for (int32_t j = 0; j < i; ++j) {
      assert_true(cps_vec3_norm(cps_vec3_sub(x, group->strand[j].pose.position)) > 2e-3 * (1.0 - 1e-12));
    }
  }
  assert_string_equal(cps_scene_fibre_name(scene, 18), "b[18]");
  cps_scene_destroy(scene);
  // variation is bounded, and the same for the same seed
  CpsScene* a = read_scene(TEXT, "fibres.b.bundle={count: 76, spacing: 2 mm, jitter: 0.1 mm, tilt: 1 deg, seed: 4}");
  CpsScene* b = read_scene(TEXT, "fibres.b.bundle={count: 76, spacing: 2 mm, jitter: 0.1 mm, tilt: 1 deg, seed: 4}");
  const CpsSceneFibres *one = fibres(a, 0), *other = fibres(b, 0);
  assert_memory_equal(one->strand, other->strand, 76 * sizeof *one->strand);
  for (int32_t i = 0; i < 76; ++i) {
    for (int32_t j = 0; j < i; ++j) {
      CpsVec3 between = cps_vec3_sub(one->strand[i].pose.position, one->strand[j].pose.position);
      assert_true(cps_vec3_norm(between) > 2e-3 - 2.0 * sqrt(2.0) * 1e-4);
    }
    CpsVec3 own = cps_quat_rotate(one->strand[i].pose.rotation, cps_vec3(1.0, 0.0, 0.0));
    assert_true(cps_vec3_dot(own, along) > cos(1.5 * 3.141592653589793 / 180.0));
  }
  cps_scene_destroy(a);
  cps_scene_destroy(b);
}

static void grids_and_copies_place_roots(void** state) {
  (void)state;
  CpsScene* scene = read_scene(
      "fibres:\n"
      "  g: {direction: [0, 0, -1], grid: {count: [2, 1, 2], spacing: 0.1}}\n"
      "  c: {copies: [[1, 0, 0], [2, 0, 0]], position: [0, 5, 0]}\n",
      NULL);
  const CpsSceneFibres *grid = fibres(scene, 0), *copies = fibres(scene, 1);
  assert_int_equal(grid->count, 4);
  assert_at(grid->strand[3].pose.position, cps_vec3(0.05, 0.0, 0.1), 1e-15);
  assert_at(cps_quat_rotate(grid->strand[3].pose.rotation, cps_vec3(1.0, 0.0, 0.0)), cps_vec3(0.0, 0.0, -1.0), 1e-15);
  assert_int_equal(copies->first, 4);
  assert_at(copies->strand[1].pose.position, cps_vec3(2.0, 5.0, 0.0), 1e-15);
  cps_scene_destroy(scene);
}

static void trees_have_their_branches(void** state) {
  (void)state;
  CpsScene* scene = read_scene(
      "fibres:\n"
      "  t:\n"
      "    model: super-helix-recursive\n"
      "    branches:\n"
      "      - {at: 2, length: 10 cm, radius: 1 mm, rotation: {axis: [0, 0, 1], angle: 30 deg}, natural: [0, 1, 0]}\n"
      "      - {parent: 0, at: 4, length: 5 cm, radius: 0.5 mm, elements: 2, curvature: [1, 2, 3]}\n"
      "pulls: [{fibre: t, force: [0, 0, 1]}]\n",
      NULL);
  const CpsFibreDef* def = &fibres(scene, 0)->def;
  assert_int_equal(def->branch_count, 2);
  assert_true(def->branches[0].parent == -1 && def->branches[0].at == 2 && def->branches[0].elements == 5);
  assert_true(def->branches[0].natural.y == 1.0 && isnan(def->branches[0].curvature.x));
  assert_true(fabs(def->branches[0].rotation.z - sin(3.141592653589793 / 12.0)) < 1e-15);
  assert_true(def->branches[1].parent == 0 && def->branches[1].length == 0.05 && def->branches[1].curvature.z == 3.0);
  assert_true(fabs(scene->pulls[0].branches - 0.15) < 1e-15);
  cps_scene_destroy(scene);
}

// Three limbs with two twigs each: parents, places, golden angle, and lengths that vary by no more than they may.
static void trees_grow_by_rule(void** state) {
  (void)state;
  CpsScene* scene = read_scene(
      "fibres:\n"
      "  tree:\n"
      "    {model: super-helix-recursive, elements: 4, length: 1, tree: {start: 0.5, jitter: 0.1, seed: 7, levels: [\n"
      "      {branches: 3, elements: 5, length: 0.5, radius: 1 cm, angle: 60 deg, droop: 2},\n"
      "      {branches: 2, elements: 6, length: 20 cm, radius: 1 mm}]}}\n",
      NULL);
  const CpsFibreDef* def = &fibres(scene, 0)->def;
  assert_int_equal(def->branch_count, 9);
  static const int32_t PARENT[] = {-1, -1, -1, 0, 0, 1, 1, 2, 2}, AT[] = {2, 3, 3, 3, 4, 3, 4, 3, 4};
  for (int i = 0; i < 9; ++i) {
    const CpsFibreBranch* b = &def->branches[i];
    double length = i < 3 ? 0.5 : 0.2;
    assert_int_equal(b->parent, PARENT[i]);
    assert_int_equal(b->at, AT[i]);
    assert_int_equal(b->elements, i < 3 ? 5 : 6);
    assert_true(fabs(b->length - length) <= 0.1 * length);
    assert_true(b->natural.z == (i < 3 ? 2.0 : 0.0) && isnan(b->curvature.x));
    // angle between the branch and its parent
    double angle = acos(cps_quat_rotate(b->rotation, cps_vec3(1, 0, 0)).x) * 180.0 / 3.141592653589793;
    assert_true(fabs(angle - (i < 3 ? 60.0 : 45.0)) <= 0.1 * angle + 1e-9);
  }
  CpsWorld* world = build(scene);
  CpsFibreInfo info;
  assert_int_equal(cps_world_fibre_info(world, cps_world_fibre(world, 0), &info), CPS_OK);
  assert_int_equal(info.elements, 4 + 15 + 36);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

// A pull at the tip of a hanging hair: the mean force over a step is what the scene says.
static void pulls_act_where_and_when_they_say(void** state) {
  (void)state;
  CpsScene* scene = read_scene(
      "gravity: 0\n"
      "fibres: {h: {model: der, elements: 6, length: 0.2, root: clamped, copies: [[0, 0, 0], [0, 1, 0], [0, 2, 0]]}}\n"
      "pulls:\n"
      "  - {fibre: \"h[0]\", force: [0, 0, 1 mN]}\n"
      "  - {fibre: \"h[1]\", at: 10 cm, force: [0, 0, 1 mN], from: 5 ms, until: 7 ms}\n"
      "  - {fibre: \"h[2]\", fraction: 0.5, stiffness: 2 N/m, damping: 0.1 N s/m, motion: {velocity: [0, 0, 1]}}\n",
      NULL);
  assert_true(isnan(scene->pulls[1].fraction) && scene->pulls[1].def.at.s == 0.1);
  assert_true(scene->pulls[0].fraction == 1.0 && scene->pulls[2].fraction == 0.5 && scene->pulls[2].at_point);
  CpsWorld* world = build(scene);
  CpsError error;
  for (int i = 0; i < 5; ++i) assert_int_equal(cps_world_step(world, NULL, &error), CPS_OK);
  assert_true(point_at(world, 0, 0.2).z > 1e-6);
  assert_true(fabs(point_at(world, 1, 0.1).z) < 1e-15);
  assert_true(point_at(world, 2, 0.1).z > 1e-6);  // the target went up from where the point was
  for (int i = 0; i < 5; ++i) assert_int_equal(cps_world_step(world, NULL, &error), CPS_OK);
  assert_true(point_at(world, 1, 0.1).z > 1e-9);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

// A free fibre turns about its root and flies on.
static void a_fibre_starts_with_its_velocity(void** state) {
  (void)state;
  CpsScene* scene = read_scene(
      "gravity: 0\n"
      "fibres: {f: {model: der, elements: 6, length: 0.2, position: [1, 2, 3], velocity: [0, 1, 0],\n"
      "             angular_velocity: [0, 0, 2]}}\n",
      NULL);
  CpsWorld* world = build(scene);
  CpsFibrePoint root, tip;
  CpsFibreId id = cps_world_fibre(world, 0);
  assert_int_equal(cps_world_fibre_at(world, id, 0.0, &root), CPS_OK);
  assert_int_equal(cps_world_fibre_at(world, id, 0.2, &tip), CPS_OK);
  assert_at(root.velocity, cps_vec3(0.0, 1.0, 0.0), 1e-12);
  assert_at(tip.velocity, cps_vec3(0.0, 1.4, 0.0), 1e-12);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

static void a_carried_root_follows_its_obstacle(void** state) {
  (void)state;
  CpsScene* scene = read_scene(
      "obstacles: {head: {sphere: {radius: 1 cm}, motion: {velocity: [1, 0, 0]}}}\n"
      "fibres: {f: {model: der, elements: 6, length: 0.2, position: [0, 0, 0.1], root: {on: head}, contact_start: 2 "
      "cm}}\n",
      NULL);
  CpsWorld* world = build(scene);
  CpsError error;
  for (int i = 0; i < 10; ++i) assert_true(cps_world_step(world, NULL, &error) >= 0);
  assert_at(point_at(world, 0, 0.0), cps_vec3(0.01, 0.0, 0.1), 1e-12);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

static void mistakes_are_answered_with_their_place(void** state) {
  (void)state;
  static const struct {
    const char* text;
    CpsStatus status;
    const char* sentence;
  } MISTAKES[] = {
      {"fibres: {a: {model: super-helx}}\n", FORMAT,
       "scenes/x.yaml:1:21: fibres.a.model: unknown rod model 'super-helx'; did you mean "
       "'super-helix'? models: super-helix, super-helix-recursive, super-clothoid, mass-spring, corde, "
       "corde-explicit, der, "
       "der-inextensible, der-projected"},
      {"fibres: {a: {lenght: 3}}\n", FORMAT,
       "scenes/x.yaml:1:14: fibres.a.lenght: unknown key; did you mean 'length'?"},
      {"fibres: {a: {box: }}\n", FORMAT,
       "scenes/x.yaml:1:14: fibres.a.box: unknown key; only bodies and obstacles have it"},
      {"bodies: {b: {young: 3}}\n", FORMAT, "scenes/x.yaml:1:14: bodies.b.young: unknown key; only fibres have it"},
      {"fibres: {a: {young: 3 m}}\n", FORMAT,
       "scenes/x.yaml:1:21: fibres.a.young: expected a pressure > 0, found '3 m': that is a length"},
      {"fibres: {a: {root: clampd}}\n", FORMAT,
       "scenes/x.yaml:1:20: fibres.a.root: expected 'free', 'pinned', 'clamped' or a map, found 'clampd'"},
      {"obstacles: {head: {plane: }}\nfibres: {a: {root: {on: hed}}}\n", FORMAT,
       "scenes/x.yaml:2:25: fibres.a.root.on: unknown obstacle 'hed'; did you mean 'head'?"},
      {"obstacles: {h: {plane: }}\nfibres: {a: {root: {on: h, motion: {velocity: [1, 0, 0]}}}}\n", FORMAT,
       "scenes/x.yaml:2:36: fibres.a.root.motion: an end on an obstacle cannot have its own motion"},
      {"fibres: {a: {tip: {kind: free, motion: {velocity: [1, 0, 0]}}}}\n", FORMAT,
       "scenes/x.yaml:1:19: fibres.a.tip: a free end cannot have 'on' or 'motion'"},
      {"fibres: {a: {model: der, elements: 1}}\n", DATA,
       "scenes/x.yaml:1:36: fibres.a.elements: the model 'der' needs two segments or more"},
      {"fibres: {a: {elements: 20000}}\n", DATA,
       "scenes/x.yaml:1:13: fibres.a: a fibre has at most 10000 elements or pieces"},
      {"fibres: {a: {elements: 10000, bundle: {count: 1000, spacing: 1}}}\n", DATA,
       "scenes/x.yaml:1:13: fibres.a: a scene has at most 4194304 elements of fibres"},
      {"fibres: {a: {bundle: {count: 300000, spacing: 1}}}\n", DATA,
       "scenes/x.yaml:1:22: fibres.a.bundle: 300000 more fibres; a scene has at most 200000"},
      {"fibres: {a: {grid: {count: [1000, 1000, 1], spacing: 1}}}\n", DATA,
       "scenes/x.yaml:1:20: fibres.a.grid: 1000000 more fibres; a scene has at most 200000"},
      {"fibres: {a: {copies: [[0, 0, 0]], bundle: {count: 3, spacing: 1}}}\n", FORMAT,
       "scenes/x.yaml:1:35: fibres.a.bundle: only one generator is allowed; 'copies' is already given"},
      {"fibres: {a: {natural: straight}}\n", FORMAT,
       "scenes/x.yaml:1:23: fibres.a.natural: expected 3 curvatures, a list of lists of 3 curvatures, "
       "'as-placed', 'equilibrium' or a map, found 'straight'"},
      {"fibres: {a: {natural: []}}\n", FORMAT, "scenes/x.yaml:1:23: fibres.a.natural: expected at least one curvature"},
      {"fibres: {a: {points: [[0, 0, 0]]}}\n", FORMAT,
       "scenes/x.yaml:1:22: fibres.a.points: expected at least two points"},
      {"fibres: {a: {points: [[0, 0, 0], [1, 0, 0], [1, 0, 0]]}}\n", DATA,
       "scenes/x.yaml:1:22: fibres.a.points: points 1 and 2 are the same or too far apart"},
      {"fibres: {a: {points: [[0, 0, 0], [0, 1, 0]], length: 3}}\n", FORMAT,
       "scenes/x.yaml:1:46: fibres.a.length: already given by points or curve"},
      {"fibres: {a: {points: nowhere.csv}}\n", CPS_FILE_ERROR,
       "scenes/x.yaml:1:22: fibres.a.points: scenes/nowhere.csv: No such file or directory"},
      {"fibres: {a: {direction: [0, 0, 0]}}\n", DATA, "scenes/x.yaml:1:25: fibres.a.direction: it has no direction"},
      {"fibres: {a: {branches: [{at: 0, length: 1, radius: 1}]}}\n", DATA,
       "scenes/x.yaml:1:14: fibres.a.branches: trees need the model 'super-helix-recursive'"},
      {"fibres: {a: {tree: {levels: [{branches: 1, length: 1, radius: 1}]}}}\n", DATA,
       "scenes/x.yaml:1:14: fibres.a.tree: trees need the model 'super-helix-recursive'"},
      {"fibres: {a: {model: super-helix-recursive, branches: [{at: 0, length: 1, radius: 1}], tree: {levels: "
       "[{branches: 1, "
       "length: 1, radius: 1}]}}}\n",
       FORMAT, "scenes/x.yaml:1:87: fibres.a.tree: cannot be combined with branches"},
      {"fibres: {a: {model: super-helix-recursive, tree: {levels: [{branches: 99999, length: 1, radius: 1}]}}}\n", DATA,
       "scenes/x.yaml:1:60: fibres.a.tree.levels[0]: a fibre has at most 10000 elements"},
      {"fibres: {a: {model: super-helix-recursive, branches: [{at: 5, length: 1, radius: 1}]}}\n", DATA,
       "scenes/x.yaml:1:60: fibres.a.branches[0].at: its parent has 5 elements"},
      {"fibres: {a: {model: super-helix-recursive, branches: [{parent: 0, at: 0, length: 1, radius: 1}]}}\n", DATA,
       "scenes/x.yaml:1:64: fibres.a.branches[0].parent: is not an earlier branch"},
      {"fibres: {rope: }\npulls: [{fibre: ropes, force: [0, 0, 1]}]\n", FORMAT,
       "scenes/x.yaml:2:17: pulls[0].fibre: unknown fibre 'ropes'; did you mean 'rope'?"},
      {"fibres: {a: {copies: [[0, 0, 0]]}}\npulls: [{fibre: \"a[1]\", force: [0, 0, 1]}]\n", FORMAT,
       "scenes/x.yaml:2:17: pulls[0].fibre: 'a' has 1 fibre"},
      {"fibres: {a: }\npulls: [{fibre: a}]\n", FORMAT,
       "scenes/x.yaml:2:9: pulls[0]: needs force, stiffness or damping"},
      {"fibres: {a: }\npulls: [{fibre: a, at: tip, fraction: 1, force: [0, 0, 1]}]\n", FORMAT,
       "scenes/x.yaml:2:29: pulls[0].fraction: choose one: at or fraction"},
      {"fibres: {a: }\npulls: [{fibre: a, force: [0, 0, 1], from: 2, until: 1}]\n", DATA,
       "scenes/x.yaml:2:54: pulls[0].until: must be later than from"},
  };
  for (size_t i = 0; i < sizeof MISTAKES / sizeof MISTAKES[0]; ++i) {
    refuse_scene(MISTAKES[i].text, NULL, MISTAKES[i].status, MISTAKES[i].sentence);
  }
  refuse_scene("fibres: {hair: {}}\n", "fibres.heir.model=der", FORMAT,
               "--set fibres.heir.model: no such name; did you mean 'hair'?");
}

// One radius, or those of the root and the tip.
static void a_fibre_tapers(void** state) {
  (void)state;
  CpsScene* scene =
      read_scene("fibres: {a: {radius: [2 mm, 1 mm], length: 0.3, density: 1000}, b: {radius: 2 mm}}\n", NULL);
  CpsWorld* world = NULL;
  CpsFibreInfo info;
  assert_int_equal(cps_scene_build(scene, 1, &world, NULL), CPS_OK);
  assert_int_equal(cps_world_fibre_info(world, cps_world_fibre(world, 0), &info), CPS_OK);
  assert_near(info.radius, 2e-3, 1e-18);
  assert_near(info.radius_tip, 1e-3, 1e-18);
  assert_near(info.mass, acos(-1.0) * 1000.0 * 0.3 * 7e-6 / 3.0, 1e-15);
  assert_int_equal(cps_world_fibre_info(world, cps_world_fibre(world, 1), &info), CPS_OK);
  assert_near(info.radius_tip, 2e-3, 1e-18);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
  refuse_scene("fibres: {a: {radius: [2 mm, 0]}}\n", NULL, CPS_BAD_DATA,
               "scenes/x.yaml:1:29: fibres.a.radius[1]: expected a length > 0, found '0'");
}

// What only the world can see is answered with the place and the name of the fibre.
static void the_world_refuses_by_name(void** state) {
  (void)state;
  CpsScene* scene = read_scene("fibres: {a: {}}\npulls: [{fibre: a, at: 5, force: [0, 0, 1]}]\n", NULL);
  CpsWorld* world = NULL;
  CpsError error;
  assert_true(cps_scene_build(scene, 1, &world, &error) < 0);
  assert_null(world);
  assert_memory_equal(error.text, "scenes/x.yaml:2:9: pulls[0]: a: ", 31);
  cps_scene_destroy(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_value_reaches_the_definition),
      cmocka_unit_test(a_fibre_without_a_key_has_the_default_of_the_schema),
      cmocka_unit_test(fibres_lie_where_they_were_said_to),
      cmocka_unit_test(bundles_are_packed_in_hexagons),
      cmocka_unit_test(grids_and_copies_place_roots),
      cmocka_unit_test(trees_have_their_branches),
      cmocka_unit_test(trees_grow_by_rule),
      cmocka_unit_test(pulls_act_where_and_when_they_say),
      cmocka_unit_test(a_fibre_starts_with_its_velocity),
      cmocka_unit_test(a_carried_root_follows_its_obstacle),
      cmocka_unit_test(mistakes_are_answered_with_their_place),
      cmocka_unit_test(a_fibre_tapers),
      cmocka_unit_test(the_world_refuses_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
