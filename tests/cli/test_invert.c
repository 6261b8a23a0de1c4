// `capstan invert` on scenes and grooms.
#include "runner.h"

#include "capstan/hair.h"
#include "capstan/result.h"
#include "capstan/scene.h"

static void write_text(const char* path, const char* text) {
  FILE* file = fopen(path, "wb");
  assert_true(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static const char* const ROD =
    "fibres:\n  rod: {length: 0.2, elements: 6, root: clamped, natural: as-placed, radius: 1 mm}\n"
    "time: {step: 2 ms, end: 0.2}\n";

// Scenes that came with the command are found by name, as `run` finds them.
static void a_scene_has_a_name(void** state) {
  (void)state;
  Outcome outcome = run("invert upright");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.out, "stable: 1   unstable: 1"));
  forget(&outcome);
  outcome = run("invert uprihgt");
  assert_int_equal(outcome.code, 2);
  assert_non_null(strstr(outcome.err, "did you mean 'upright'?"));
  forget(&outcome);
}

static void a_scene_is_inverted_and_saved(void** state) {
  (void)state;
  write_text("rod.yaml", ROD);
  Outcome outcome = run("invert rod.yaml -o still.yaml");
  assert_int_equal(outcome.code, 0);
  assert_true(strncmp(outcome.out, "1 fibre, 6 elements: 1 at rest   balance ", 40) == 0);
  assert_non_null(strstr(outcome.out, "stable: 1\n"));
  forget(&outcome);
  // it runs from there, and the tip stays at x = 0.2
  outcome = run("run still.yaml --quiet -o still.h5");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  outcome = run("convert still.h5 still.hair --quiet");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  CpsHair hair;
  assert_int_equal(cps_hair_read("still.hair", &hair, NULL), CPS_OK);
  assert_near(hair.points[hair.point_count - 1].z, 0.0, 1e-7);
  assert_near(hair.points[hair.point_count - 1].x, 0.2, 1e-7);
  cps_hair_free(&hair);
}

static void a_report_is_one_object(void** state) {
  (void)state;
  write_text("rod.yaml", ROD);
  Outcome outcome = run("invert rod.yaml --json -o rest.h5");
  char keys[1024];
  assert_int_equal(outcome.code, 0);
  assert_one_object(outcome.out, keys);
  assert_non_null(strstr(outcome.out, "\"inverted\": 1, \"refused\": 0, \"unstable\": 0"));
  forget(&outcome);
  assert_true(exists("rest.h5"));
  assert_false(exists("rest.h5.part"));
  assert_false(cps_result_recognise("rest.h5"));
}

// The pose and the natural shape as strands, and the problem of the forces, which 'solve' solves.
static void shapes_and_forces_are_written(void** state) {
  (void)state;
  write_text("held.yaml",
             "fibres:\n  rod: {length: 0.2, elements: 6, root: clamped, natural: as-placed, radius: 1 mm}\n"
             "obstacles: {peg: {sphere: {radius: 1 cm}, position: [15 cm, 0, -10.999 mm]}}\n");
  Outcome outcome =
      run("invert held.yaml --guess straight -s inverse.compliance=1e-6 --pose pose.hair --natural natural.hair "
          "--problem held.hdf5");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "\n1 contact: 1 carry load, "));
  forget(&outcome);
  CpsHair pose, natural;
  assert_int_equal(cps_hair_read("pose.hair", &pose, NULL), CPS_OK);
  assert_int_equal(cps_hair_read("natural.hair", &natural, NULL), CPS_OK);
  assert_near(pose.points[pose.point_count - 1].z, 0.0, 1e-7);
  assert_true(fabs(natural.points[natural.point_count - 1].z) > 1e-5);  // it is not straight
  cps_hair_free(&pose);
  cps_hair_free(&natural);
  outcome = run("solve held.hdf5 --law convex --tol 1e-8 --quiet");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  outcome = run("solve held.hdf5 --law cone");
  assert_int_equal(outcome.code, 2);
  forget(&outcome);
  outcome = run("invert held.yaml --guess no");
  assert_int_equal(outcome.code, 2);
  forget(&outcome);
}

// What a run led to is inverted from its result: a rod on a peg, which sagged, is straight without weight, as it was made.
static void the_end_of_a_run_is_inverted(void** state) {
  (void)state;
  write_text("sagged.yaml",
             "fibres:\n  rod: {length: 0.2, elements: 6, root: clamped, radius: 0.3 mm, drag: 0.05, damping: 50 ms}\n"
             "obstacles: {peg: {sphere: {radius: 1 cm}, position: [15 cm, 0, -14 mm]}}\n"
             "time: {step: 4 ms, end: 3}\n");
  Outcome outcome = run("run sagged.yaml --quiet -o sagged.h5");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  outcome =
      run("invert sagged.yaml --from sagged.h5 --guess straight -s inverse.compliance=1e-6 --natural sagged.hair -o "
          "rested.yaml");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "1 contact: 1 carry load, "));
  forget(&outcome);
  CpsHair natural;
  assert_int_equal(cps_hair_read("sagged.hair", &natural, NULL), CPS_OK);
  for (int64_t i = 0; i < natural.point_count; ++i) assert_near(natural.points[i].z, 0.0, 1e-5);
  cps_hair_free(&natural);
  outcome = run("run rested.yaml --quiet --until 3.1 -o rested.h5");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  static const char* const WRONG[][2] = {
      {"invert sagged.yaml --from-frame 3", "--from-frame needs --from"},
      {"invert sagged.yaml --from sagged.h5 --from-frame 9999", "has no frame 9999"},
      {"invert sagged.yaml --from none.h5", "none.h5: No such file"},
  };
  for (int i = 0; i < 3; ++i) {
    outcome = run(WRONG[i][0]);
    assert_int_equal(outcome.code, 2);
    assert_non_null(strstr(outcome.err, WRONG[i][1]));
    forget(&outcome);
  }
}

// Strands that hang stay; one that stands upright is too soft unless it is stiffened.
static void a_groom_is_inverted(void** state) {
  (void)state;
  CpsVec3 points[6] = {{0, 0, 0}, {0, 0, -0.05}, {0.01, 0, -0.1}, {1, 0, 0}, {1, 0, 0.06}, {1, 0, 0.12}};
  int64_t first[3] = {0, 3, 6};
  CpsHair hair = {.strand_count = 2, .point_count = 6, .first = first, .points = points, .diameter = 1e-4};
  assert_int_equal(cps_hair_write("it's.hair", &hair, NULL), CPS_OK);
  Outcome outcome = run("invert it's.hair");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.out, "unstable: 1; "));
  assert_non_null(strstr(outcome.out, "\n  hair[1] needs "));
  assert_non_null(strstr(outcome.out, "\nfit: mean distance from the strands "));
  assert_non_null(strstr(outcome.out, " mm (hair[0])\n"));  // the other one is straight
  forget(&outcome);
  outcome = run("invert it's.hair --json");
  assert_non_null(strstr(outcome.out, "\"fitted\": 2, \"fit_mean\": "));
  assert_non_null(strstr(outcome.out, "\"moving\": [{\"name\": \"hair[1]\", \"why\": \"unstable\", "));
  forget(&outcome);
  outcome = run("invert it's.hair --stiffen --most 1000");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "stable: 2 (1 stiffened, up to "));
  forget(&outcome);
}

// Straight strands need five elements, curls of four turns more: as many are taken as follow them, unless it is said how many.
static void curls_get_more_elements(void** state) {
  (void)state;
  enum { COUNT = 4, POINTS = 60 };
  CpsVec3 points[COUNT * POINTS];
  int64_t first[COUNT + 1];
  for (int curly = 0; curly < 2; ++curly) {
    for (int i = 0; i < COUNT * POINTS; ++i) {
      const double s = (double)(i % POINTS) / (POINTS - 1), turn = 25.0 * s + 2.0 * sin(9.0 * s) + i / POINTS;
      points[i] = (CpsVec3){(i / POINTS) + 0.01 * curly * cos(turn), 0.01 * curly * sin(turn), -0.2 * s};
    }
    for (int i = 0; i <= COUNT; ++i) first[i] = (int64_t)POINTS * i;
    CpsHair hair = {.strand_count = COUNT, .point_count = COUNT * POINTS, .first = first, .points = points};
    assert_int_equal(cps_hair_write("curls.hair", &hair, NULL), CPS_OK);
    Outcome outcome = run("invert curls.hair --stiffen --most 1000");
    int fibres = 0, elements = 0;
    double apart = 1.0;
    assert_int_equal(outcome.code, 0);
    assert_int_equal(sscanf(outcome.out, "%d fibres, %d elements", &fibres, &elements), 2);
    assert_true(curly ? elements >= 8 * COUNT : elements == 5 * COUNT);
    assert_int_equal(sscanf(strstr(outcome.out, "\nfit: "), "\nfit: mean distance from the strands %lf mm", &apart), 1);
    assert_true(apart < 0.005 * 300.0);
    assert_null(strstr(outcome.out, "use more elements"));
    forget(&outcome);
  }
  Outcome outcome = run("invert curls.hair --set elements=2 --stiffen --most 1000");
  assert_non_null(strstr(outcome.out, "4 fibres, 8 elements: "));
  assert_non_null(strstr(outcome.out, "; use more elements\n"));
  forget(&outcome);
  outcome = run("run curls.hair --set elements=2 --until 0.008");
  assert_non_null(strstr(outcome.err, "from the strands of their file on average: use more elements\n"));
  forget(&outcome);
}

// A strand whose points are all one place is no fibre: it is named, and the exit code says so. Six strands from nearly one place are a tuft in metres: taken
// for a head, their roots would make each of them 600 m long.
static void strands_that_are_none_are_named(void** state) {
  (void)state;
  CpsVec3 points[21];
  int64_t first[8];
  for (int i = 0; i < 7; ++i) {
    const CpsVec3 root = {1e-5 * (i % 2), 1e-5 * (i / 2 % 2), 1e-5 * (i / 4) + 2e-6 * (i % 3)};
    first[i] = (int64_t)3 * i;
    for (int k = 0; k < 3; ++k) points[3 * i + k] = (CpsVec3){root.x, root.y, root.z - (i < 6 ? 0.05 * k : 0.0)};
  }
  first[7] = 21;
  CpsHair hair = {.strand_count = 7, .point_count = 21, .first = first, .points = points, .diameter = 1e-4};
  assert_int_equal(cps_hair_write("tuft.hair", &hair, NULL), CPS_OK);
  Outcome outcome = run("invert tuft.hair --pose tuft-pose.hair");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.out, "6 fibres, "));
  assert_non_null(strstr(outcome.out, "\nstrand 6 of tuft.hair is left out: it has no length\n"));
  assert_non_null(strstr(outcome.out, "stable: 6\n"));
  forget(&outcome);
  outcome = run("invert tuft.hair --json");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.out, "\"skipped\": 1, "));
  assert_non_null(
      strstr(outcome.out, "\"left_out\": [{\"file\": \"tuft.hair\", \"strand\": 6, \"why\": \"no length\"}]"));
  forget(&outcome);
  assert_int_equal(cps_hair_read("tuft-pose.hair", &hair, NULL), CPS_OK);
  assert_int_equal(hair.strand_count, 6);
  for (int64_t i = 0; i < hair.point_count; ++i) assert_true(hair.points[i].z > -0.101);
  cps_hair_free(&hair);
}

// A file in which the first strand is not finite, the third has no length, and the fourth repeats a point: the first and the third are
// named by their places in the file, by both commands, for the file and for a scene that reads it; the others are fibres.
static void broken_strands_are_named_by_their_place(void** state) {
  (void)state;
  // written as bytes, because the library writes no such file: 5 strands of 3 points
  CpsVec3 points[15];
  int64_t first[6];
  for (int i = 0; i < 15; ++i) points[i] = (CpsVec3){0.1 * (i / 3), 0.0, -0.03 * (i % 3)};
  for (int i = 0; i <= 5; ++i) first[i] = (int64_t)3 * i;
  points[7] = points[8] = points[6];
  points[10] = points[9];
  CpsHair hair = {.strand_count = 5, .point_count = 15, .first = first, .points = points, .diameter = 1e-4};
  assert_int_equal(cps_hair_write("broken.hair", &hair, NULL), CPS_OK);
  FILE* file = fopen("broken.hair", "r+b");
  assert_non_null(file);
  const unsigned char nan[4] = {0, 0, 0xc0, 0x7f};
  // the points are the last thing in the file: 12 bytes each
  assert_int_equal(fseek(file, -15L * 12L + 12L, SEEK_END), 0);
  assert_true(fwrite(nan, 1, 4, file) == 4 && fclose(file) == 0);
  assert_int_equal(cps_hair_read("broken.hair", &hair, NULL), CPS_OK);
  assert_true(hair.strand_count == 3 && hair.skipped_short == 1 && hair.skipped_bad == 1);
  assert_true(hair.skipped[0] == 2 && hair.skipped[1] == 0);
  cps_hair_free(&hair);
  write_text("broken.yaml",
             "fibres: {wig: {hair: {file: broken.hair}, radius: 0.2 mm, root: clamped}}\n"
             "time: {step: 2 ms, end: 4 ms}\n");
  const char* const asked[] = {"invert broken.hair -s scale=1", "invert broken.yaml",
                               "run broken.hair --set scale=1 --until 0.008 -o broken.h5",
                               "run broken.yaml -o broken-scene.h5"};
  for (int i = 0; i < 4; ++i) {
    Outcome outcome = run(asked[i]);
    const char* said = i < 2 ? outcome.out : outcome.err;
    assert_int_equal(outcome.code, 1);
    assert_non_null(strstr(said, "strand 2 of broken.hair is left out: it has no length\n"));
    assert_non_null(strstr(said, "strand 0 of broken.hair is left out: it has numbers that are not finite\n"));
    assert_non_null(strstr(outcome.out, "3 fibres"));
    assert_null(strstr(outcome.out, "nan"));
    forget(&outcome);
  }
}

// What `invert` writes, `info` describes.
static void a_rest_state_is_described(void** state) {
  (void)state;
  write_text("rods.yaml",
             "fibres:\n  a: {length: 0.2, elements: 6, root: clamped, natural: as-placed, radius: 1 mm}\n"
             "  b: {length: 0.2, elements: 4, model: der, position: [0, 1, 0], root: clamped, natural: as-placed, "
             "radius: 1 mm}\n");
  Outcome outcome = run("invert rods.yaml -o rods.h5");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  outcome = run("info rods.h5");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "rods.h5: rest state of fibres\nfibres     2\nstrains    "));
  assert_non_null(strstr(outcome.out, "\nat rest    2 of 2, balance "));
  forget(&outcome);
  outcome = run("info rods.h5 --json");
  char keys[1024];
  assert_int_equal(outcome.code, 0);
  assert_one_object(outcome.out, keys);
  assert_non_null(strstr(outcome.out, "\"fibres\": 2, "));
  assert_non_null(strstr(outcome.out, "\"elements\": 10, \"inverted\": 2, \"refused\": 0, \"unstable\": 0, "));
  forget(&outcome);
}

// Two strands that lie 1.5 radii deep in each other from 2 cm to their tips: given so, and no failure while they stay so.
static void strands_inside_each_other_run_as_given(void** state) {
  (void)state;
  CpsVec3 points[8];
  for (int i = 0; i < 8; ++i) {
    points[i] = (CpsVec3){0.0, i < 4 ? 0.0 : 2e-5, -0.03 * (i % 4)};  // radii are 40 um
  }
  int64_t first[3] = {0, 4, 8};
  CpsHair hair = {.strand_count = 2, .point_count = 8, .first = first, .points = points, .diameter = 1e-4};
  assert_int_equal(cps_hair_write("inside.hair", &hair, NULL), CPS_OK);
  Outcome outcome = run("run inside.hair --set scale=1 --until 0.02");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.err, "1 pair overlaps at the start"));
  assert_non_null(strstr(outcome.out, "penetration none beyond the 1 overlap at the start\n"));
  forget(&outcome);
  // nor once it was saved as a scene that starts at rest
  outcome = run("invert inside.hair --set scale=1 --contact 4e-5 -o kept.yaml");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  outcome = run("run kept.yaml --until 0.02");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "penetration none beyond the 1 overlap at the start\n"));
  forget(&outcome);
  // without rest it is a failure, as for anything else
  outcome = run("run inside.hair --set scale=1 --until 0.02 --set fibres.hair.natural=as-placed");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.out, "penetration at most 60 um, 150 %"));
  forget(&outcome);
  // a file of strands that broke off is not read as a scene
  write_text("broken.hair", "HAI");
  outcome = run("invert broken.hair");
  assert_int_equal(outcome.code, 2);
  assert_non_null(strstr(outcome.err, "broken.hair: is not a strand file"));
  forget(&outcome);
}

static void what_cannot_be_inverted_is_named(void** state) {
  (void)state;
  write_text("two.yaml",
             "fibres:\n  rope: {length: 0.2, model: mass-spring, root: clamped}\n"
             "  rod: {length: 0.2, root: clamped, radius: 1 mm, position: [0, 1, 0]}\n");
  Outcome outcome = run("invert two.yaml");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.out, "1 at rest, 1 refused"));
  assert_non_null(strstr(outcome.err, "rope"));
  forget(&outcome);
  write_text("none.yaml", "bodies: {b: {sphere: {radius: 1}}}\n");
  const char* const bad[] = {"invert", "invert none.yaml", "invert missing.yaml", "invert two.yaml none.yaml",
                             "invert two.yaml -o no/such/folder/rest.h5"};
  for (int i = 0; i < 5; ++i) {
    outcome = run(bad[i]);
    assert_int_equal(outcome.code, 2);
    assert_true(strlen(outcome.err) > 10);
    forget(&outcome);
  }
}

// A shape that will not stay is not called still: `run` names it.
// A scene that asks for equilibrium and cannot have it is refused by a run; this command is asked what there is to be done.
static void what_a_scene_refuses_is_reported(void** state) {
  (void)state;
  static const char* const models[] = {"super-helix", "super-clothoid", "der", "der-inextensible", "der-projected"};
  for (int m = 0; m < 5; ++m) {
    char text[512];
    (void)snprintf(text, sizeof text,
                   "fibres:\n  up: {model: %s, length: 0.2, elements: 12, radius: 50 um, natural: equilibrium,\n"
                   "    rotation: {axis: [0, 1, 0], angle: -90 deg}, root: clamped}\n"
                   "time: {step: 2 ms, end: 4 ms}\n",
                   models[m]);
    write_text("soft.yaml", text);
    Outcome outcome = run("run soft.yaml -q -o soft.h5");
    assert_int_equal(outcome.code, 2);
    assert_non_null(strstr(outcome.err, "would not be stable"));
    forget(&outcome);
    outcome = run("invert soft.yaml");
    assert_int_equal(outcome.code, 1);
    assert_non_null(strstr(outcome.out, "up needs"));
    forget(&outcome);
    outcome = run("invert soft.yaml --stiffen --most 100");
    assert_int_equal(outcome.code, 0);
    assert_non_null(strstr(outcome.out, "1 stiffened"));
    forget(&outcome);
  }
  write_text("cusp.yaml",
             "fibres:\n  back: {model: der, elements: 12, radius: 50 um, natural: equilibrium, root: clamped,\n"
             "    points: [[0, 0, 0], [0.1, 0, 0], [0, 0, 0.0001]]}\n"
             "time: {step: 2 ms, end: 4 ms}\n");
  Outcome outcome = run("invert cusp.yaml");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.err, "back"));
  forget(&outcome);
  // allowed, it keeps the shape that it was placed in as its natural one
  outcome = run("run cusp.yaml --set inverse.unstable=allow -o cusp.h5");
  assert_non_null(
      strstr(outcome.err, "warning: back cannot rest in its current shape, which becomes its natural shape\n"));
  assert_int_equal(outcome.code, 1);
  forget(&outcome);
}

static void a_run_names_what_will_not_stay(void** state) {
  (void)state;
  write_text(
      "upright.yaml",
      "fibres:\n  reed: {length: 0.3, direction: [0, 0, 1], root: clamped, natural: equilibrium, radius: 0.2 mm}\n"
      "inverse: {unstable: allow}\ntime: {step: 2 ms, end: 0.004}\n");
  Outcome outcome = run("run upright.yaml -o reed.h5");
  assert_non_null(
      strstr(outcome.err, "warning: 1 of 1 fibres are unstable in their current shape and will move: reed; "));
  forget(&outcome);
  outcome = run("run upright.yaml -o stiff.h5 --set fibres.reed.radius=2mm");
  assert_int_equal(outcome.code, 0);
  assert_null(strstr(outcome.err, "unstable"));
  assert_null(strstr(outcome.err, "carry only"));
  forget(&outcome);
  // a body that lies on a fibre at rest bends it
  write_text(
      "bird.yaml",
      "fibres:\n  twig: {length: 0.2, root: clamped, natural: equilibrium, radius: 1 mm}\n"
      "bodies: {bird: {sphere: {radius: 5 mm}, position: [0.1, 0, 5.999 mm]}}\ntime: {step: 2 ms, end: 0.004}\n");
  outcome = run("run bird.yaml -o bird.h5");
  assert_int_equal(outcome.code, 0);
  assert_non_null(
      strstr(outcome.err, "warning: fibres at rest carry only themselves, each other and obstacles; 1 contact "));
  forget(&outcome);
  outcome = run("invert bird.yaml");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.out, "stable: 0   pushed by other objects: 1\n  twig touches an object"));
  forget(&outcome);
  // and a step below theta = 1 moves what would be stable
  write_text(
      "late.yaml",
      "fibres:\n  tail: {points: [[0, 0, 0], [0.1, 0, 0.05], [0.2, 0.05, 0]], root: clamped, natural: equilibrium, "
      "damping: 0 s, elements: 8}\ninverse: {stiffen: true}\ntime: {step: 2 ms, end: 0.004, theta: 0.5}\n");
  outcome = run("invert late.yaml");
  assert_int_equal(outcome.code, 1);
  assert_non_null(
      strstr(outcome.out, "moved by the time step: 1\n  tail is moved by time steps of 2 ms at theta = 0.5"));
  forget(&outcome);
  outcome = run("run late.yaml -o late.h5");
  assert_int_equal(outcome.code, 2);
  assert_non_null(strstr(outcome.err, "use `theta: 1`, the default, or `unstable: allow`"));
  forget(&outcome);
  // and so does one that hangs on it
  write_text(
      "lamp.yaml",
      "fibres:\n  twig: {length: 0.2, root: clamped, natural: equilibrium, radius: 1 mm}\n"
      "bodies: {lamp: {sphere: {radius: 5 mm}, position: [0.2, 0, -5 cm]}}\n"
      "ties: [{a: {body: lamp, point: [0, 0, 5 cm]}, b: {fibre: twig, at: tip}}]\ntime: {step: 2 ms, end: 0.004}\n");
  outcome = run("run lamp.yaml -o lamp.h5");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.err, "warning: ties carry nothing in an inversion: 1 tie may move fibres"));
  forget(&outcome);
  outcome = run("invert lamp.yaml");
  assert_non_null(strstr(outcome.out, "ties carry nothing in an inversion: 1 tie "));
  forget(&outcome);
}

// A cube that looks inwards, and hair that hangs from its underside: one sentence, and an answer once its triangles are turned.
static void a_scalp_inside_out_is_said(void** state) {
  (void)state;
  write_text("inside.obj",
             "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
             "f 1 2 3\nf 1 3 4\nf 5 7 6\nf 5 8 7\nf 1 6 2\nf 1 5 6\nf 2 7 3\nf 2 6 7\nf 3 8 4\nf 3 7 8\nf 4 5 1\n"
             "f 4 8 5\n");
  write_text("hang.yaml",
             "fibres: {h: {copies: [[0, 0, -1], [0.5, 0, -1], [0.5, 0, -0.99]], length: 0.1, elements: 4, direction: "
             "[0.3, 0, -1], root: clamped, radius: 0.2 mm}}\ntime: {step: 1 ms, end: 1 ms}\n");
  Outcome outcome = run("run hang.yaml --quiet -o hang.h5");
  forget(&outcome);
  outcome = run("convert hang.h5 hang.hair --quiet");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  outcome = run("invert hang.hair --scalp inside.obj --contact 1e-3");
  assert_int_equal(outcome.code, 2);
  assert_non_null(strstr(outcome.err, "inside out: 3 of 3 strands"));
  forget(&outcome);
  const char* const asked[] = {
      "invert hang.hair --scalp inside.obj --set obstacles.head.mesh.flip=true",
      "invert hang.hair --scalp inside.obj --set obstacles.head.mesh.flip=true --contact 1e-3 -j 1"};
  for (int i = 0; i < 2; ++i) {
    outcome = run(asked[i]);
    assert_true(outcome.code == 0 || outcome.code == 1);
    assert_non_null(strstr(outcome.out, "3 fibres"));
    assert_null(strstr(outcome.out, "nan"));
    forget(&outcome);
  }
}

// A groom whose y axis points upwards is turned upright, and the mesh of its head with it: hair on the four sides of a cube touches it.
static void a_scalp_is_turned_with_its_groom(void** state) {
  (void)state;
  enum { COUNT = 16, POINTS = 4 };
  write_text("cube.obj",
             "v -7 143 -7\nv 7 143 -7\nv 7 157 -7\nv -7 157 -7\nv -7 143 7\nv 7 143 7\nv 7 157 7\nv -7 157 7\n"
             "f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\n"
             "f 4 5 8\n");
  CpsVec3 points[COUNT * POINTS];
  int64_t first[COUNT + 1];
  for (int i = 0; i <= COUNT; ++i) first[i] = (int64_t)POINTS * i;
  for (int i = 0; i < COUNT * POINTS; ++i) {
    const int strand = i / POINTS, side = strand % 4;
    const double along = 2.0 * (strand / 4) - 3.0, out = 7.05, height = 154.0 + (strand % 3) - 3.0 * (i % POINTS);
    const double x = side == 0 ? out : side == 1 ? -out : along, z = side == 2 ? out : side == 3 ? -out : along;
    points[i] = (CpsVec3){x, height, z};
  }
  CpsHair hair = {.strand_count = COUNT, .point_count = COUNT * POINTS, .first = first, .points = points};
  assert_int_equal(cps_hair_write("cube.hair", &hair, NULL), CPS_OK);
  Outcome outcome = run("invert cube.hair --scalp cube.obj --contact 1e-3 --set scale=0.01");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, " contacts: "));
  forget(&outcome);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_scene_has_a_name),
      cmocka_unit_test(a_scene_is_inverted_and_saved),
      cmocka_unit_test(a_report_is_one_object),
      cmocka_unit_test(the_end_of_a_run_is_inverted),
      cmocka_unit_test(a_groom_is_inverted),
      cmocka_unit_test(curls_get_more_elements),
      cmocka_unit_test(strands_that_are_none_are_named),
      cmocka_unit_test(broken_strands_are_named_by_their_place),
      cmocka_unit_test(a_rest_state_is_described),
      cmocka_unit_test(strands_inside_each_other_run_as_given),
      cmocka_unit_test(shapes_and_forces_are_written),
      cmocka_unit_test(what_cannot_be_inverted_is_named),
      cmocka_unit_test(what_a_scene_refuses_is_reported),
      cmocka_unit_test(a_run_names_what_will_not_stay),
      cmocka_unit_test(a_scalp_inside_out_is_said),
      cmocka_unit_test(a_scalp_is_turned_with_its_groom),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
