// Hair in scenes: generated on a head, or taken from files; what is refused.
#include "capstan/hair.h"
#include "capstan/rest.h"
#include "io/scene/build_text.h"
#include "io/scene/texts.h"
#include "io/scratch.h"

#include <string.h>

static double distance(CpsVec3 a, CpsVec3 b) {
  return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

#define HEAD "obstacles: {head: {sphere: {radius: 0.1}, position: [1, 2, 3]}, box: {box: {size: [1, 1, 1]}}}\n"

// Every style puts its roots on the head or, for a ponytail, behind it, with lengths as the variation says.
static void hair_grows_on_its_head(void** state) {
  (void)state;
  static const char* const STYLES[] = {"straight", "wavy", "curly", "ponytail"};
  for (int s = 0; s < 4; ++s) {
    char text[400];
    snprintf(text, sizeof text,
             HEAD
             "start: keep\nfibres: {h: {hair: {on: head, count: 30, style: %s, length: 0.2, variation: 0.25}, "
             "elements: 6}}\n",
             STYLES[s]);
    CpsWorld* world = build(text, CPS_OK, NULL);
    assert_int_equal(cps_world_fibre_count(world), 30);
    double shortest = INFINITY, longest = 0.0;
    for (int32_t i = 0; i < 30; ++i) {
      CpsFibreId id = cps_world_fibre(world, i);
      CpsFibreInfo info;
      CpsVec3 x[2];
      assert_int_equal(cps_world_fibre_info(world, id, &info), CPS_OK);
      assert_int_equal(cps_world_fibre_points(world, id, 2, x), CPS_OK);
      shortest = fmin(shortest, info.length);
      longest = fmax(longest, info.length);
      double from = distance(x[0], (CpsVec3){1, 2, 3});
      if (s < 3) assert_near(from, 0.1, 1e-12);
      if (s == 3) assert_true(from > 0.1 && from < 0.13 && x[0].y < 2.0);
    }
    // 30 draws out of 0.15 to 0.25; those of a ponytail run beside its middle line, a little longer or shorter
    assert_true(shortest > 0.14 && shortest < 0.18 && longest > 0.22 && longest < 0.26);
    cps_world_destroy(world);
  }
}

// Drawn out, hairs are straight whatever their natural curl, and no two touch: the first step has no contact.
static void hair_drawn_out_does_not_overlap(void** state) {
  (void)state;
  for (int curly = 0; curly < 2; ++curly) {
    char text[400];
    snprintf(text, sizeof text,
             HEAD
             "fibres: {h: {hair: {on: head, count: 300, style: %s, start: straight, lift: 0.9, length: 0.2}, "
             "contact_radius: 0.5 mm, contact_start: 1 cm, root: {kind: clamped, on: head}}}\n"
             "time: {step: 1 us, end: 1}\n",
             curly ? "curly" : "straight");
    CpsWorld* world = build(text, CPS_OK, NULL);
    for (int32_t i = 0; i < 300; ++i) {
      CpsFibreId id = cps_world_fibre(world, i);
      CpsFibreInfo info;
      CpsVec3 x[2];
      assert_int_equal(cps_world_fibre_info(world, id, &info), CPS_OK);
      assert_int_equal(cps_world_fibre_points(world, id, 2, x), CPS_OK);
      assert_near(distance(x[0], x[1]), info.length, 1e-12);
      // one that is straight by nature is without tension, a curl is not
      assert_true(curly ? info.elastic > 0.0 : info.elastic == 0.0);
    }
    assert_int_equal(cps_world_step(world, NULL, NULL), CPS_OK);
    assert_int_equal(cps_world_contact_count(world), 0);
    cps_world_destroy(world);
  }
}

static void what_makes_no_hair_is_refused(void** state) {
  (void)state;
  (void)build(HEAD "fibres: {h: {hair: {count: 3}}}\n", CPS_BAD_FORMAT, "needs 'on'");
  (void)build(HEAD "fibres: {h: {hair: {on: hat}}}\n", CPS_BAD_FORMAT, "hat");
  (void)build(HEAD "fibres: {h: {hair: {on: box}}}\n", CPS_BAD_DATA, "sphere or a capsule");
  (void)build(HEAD "fibres: {h: {hair: {on: head, style: messy}}}\n", CPS_BAD_FORMAT, "style");
  (void)build(HEAD "fibres: {h: {hair: {on: head, count: 300000}}}\n", CPS_BAD_DATA, "fibres");
  (void)build(HEAD "fibres: {h: {hair: {on: head, file: x.hair}}}\n", CPS_BAD_FORMAT, "come from a file");
  (void)build(HEAD "fibres: {h: {hair: {file: nowhere.hair}}}\n", CPS_FILE_ERROR, "nowhere.hair");
  (void)build(HEAD "fibres: {h: {hair: {on: head}, grid: {count: [1, 1, 1], spacing: 1}}}\n", CPS_BAD_FORMAT,
              "generator");
}

// Two bent strands with a repeated point, written and read by a scene that scales and turns them.
static void strands_of_a_file_become_rods(void** state) {
  (void)state;
  enum { N = 30 };
  CpsVec3 points[2 * N];
  int64_t first[3] = {0, N, 2 * N};
  for (int i = 0; i < 2 * N; ++i) {
    double t = 0.05 * (i % N == 7 ? 6 : i % N);  // the eighth point is the seventh again
    points[i] = (CpsVec3){10.0 * sin(t), 10.0 * cos(t), i < N ? 0.0 : 5.0};
  }
  CpsHair hair = {.strand_count = 2, .point_count = 2 * N, .first = first, .points = points};
  assert_int_equal(cps_hair_write(scratch_path("arcs.hair"), &hair, NULL), CPS_OK);
  char text[400];
  snprintf(text, sizeof text, "fibres: {h: {hair: {file: %s, scale: 0.01, up: y}, elements: 4}}\n",
           scratch_path("arcs.hair"));
  CpsWorld* world = build(text, CPS_OK, NULL);
  assert_int_equal(cps_world_fibre_count(world), 2);
  for (int32_t i = 0; i < 2; ++i) {
    CpsFibreInfo info;
    CpsVec3 x[3];
    CpsFibreId id = cps_world_fibre(world, i);
    assert_int_equal(cps_world_fibre_info(world, id, &info), CPS_OK);
    assert_int_equal(cps_world_fibre_points(world, id, 3, x), CPS_OK);
    // an arc of radius 0.1 and 1.45 rad, whose plane was that of x and y and is now that of x and z; 32-bit floats
    assert_near(info.length, 0.145, 1e-6);
    assert_near(info.elastic, 0.0, 1e-15);
    assert_near(distance(x[2], (CpsVec3){0.1 * sin(1.45), i == 0 ? 0.0 : -0.05, 0.1 * cos(1.45)}), 0.0, 1e-6);
    assert_near(distance(x[1], (CpsVec3){0.1 * sin(0.725), i == 0 ? 0.0 : -0.05, 0.1 * cos(0.725)}), 0.0, 1e-6);
  }
  cps_world_destroy(world);
}

// Some strands of each real groom run for a few steps.
static void real_grooms_are_simulated(void** state) {
  (void)state;
  static const char* const FILES[] = {
      "file: " SHARED_DATA "/hair/yuksel_straight.hair, scale: 0.005",
      "file: " SHARED_DATA "/hair/creamystrand_man_hair_init_700.ply, scale: 0.01, up: y",
  };
  for (int f = 0; f < 2; ++f) {
    char text[600];
    CpsHair hair;
    CpsError error;
    const char* path =
        f == 0 ? SHARED_DATA "/hair/yuksel_straight.hair" : SHARED_DATA "/hair/creamystrand_man_hair_init_700.ply";
    if (cps_hair_read(path, &hair, &error) != CPS_OK) {
      print_message("skipped: %s\n", error.text);
      continue;
    }
    cps_hair_free(&hair);
    snprintf(text, sizeof text,
             "fibres: {h: {hair: {%s, count: 20}, elements: 6, radius: 0.06 mm, root: clamped}}\n"
             "time: {step: 4 ms}\n",
             FILES[f]);
    CpsWorld* world = build(text, CPS_OK, NULL);
    assert_int_equal(cps_world_fibre_count(world), 20);
    CpsVec3 root[20], x[9];
    for (int32_t i = 0; i < 20; ++i) {
      assert_int_equal(cps_world_fibre_points(world, cps_world_fibre(world, i), 9, x), CPS_OK);
      root[i] = x[0];
    }
    for (int i = 0; i < 25; ++i) assert_int_equal(cps_world_step(world, NULL, &error), CPS_OK);
    for (int32_t i = 0; i < 20; ++i) {
      assert_int_equal(cps_world_fibre_points(world, cps_world_fibre(world, i), 9, x), CPS_OK);
      assert_true(x[0].x == root[i].x && x[0].y == root[i].y && x[0].z == root[i].z);
      for (int k = 0; k < 9; ++k) assert_below(distance(x[k], root[i]), 0.6);  // no strand is longer; refuses NaN
    }
    cps_world_destroy(world);
  }
}

// A strand of a file that stands on its root and must be 130 times as stiff for that: w L^3 / 7.84 E I.
static void a_soft_strand_of_a_file_is_stiffened(void** state) {
  (void)state;
  CpsVec3 points[3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.1}, {0.0, 0.0, 0.2}};
  int64_t first[2] = {0, 3};
  CpsHair hair = {.strand_count = 1, .point_count = 3, .first = first, .points = points};
  assert_int_equal(cps_hair_write(scratch_path("upright.hair"), &hair, NULL), CPS_OK);
  char text[400];
  snprintf(text, sizeof text, "fibres: {h: {hair: {file: %s}, radius: 20 um, root: clamped}}\n",
           scratch_path("upright.hair"));
  CpsWorld* world = build(text, CPS_OK, NULL);
  const CpsInvertInfo info = cps_world_last_inversion(world);
  assert_int_equal(info.unstable_count, 0);
  assert_near(info.most_stiffened, 1.1 * 1300.0 * 9.81 * 4.0 * 0.008 / (1e9 * 4e-10) / 7.84, 3.0);
  cps_world_destroy(world);
}

// A strand of a file hangs as it is in the file, unless something else is said; its rest state is read back from a file.
static void strands_of_a_file_stand_as_drawn(void** state) {
  (void)state;
  enum { N = 12, PLACES = 9 };
  CpsVec3 points[N], before[PLACES], after[PLACES];
  int64_t first[2] = {0, N};
  for (int i = 0; i < N; ++i) points[i] = (CpsVec3){0.02 * i, 0.01 * sin(0.5 * i), -0.01 * i};
  CpsHair hair = {.strand_count = 1, .point_count = N, .first = first, .points = points};
  assert_int_equal(cps_hair_write(scratch_path("drawn.hair"), &hair, NULL), CPS_OK);
  char rest[300];
  snprintf(rest, sizeof rest, "%s", scratch_path("drawn.h5"));
  for (int k = 0; k < 4; ++k) {
    char natural[400] = "", text[1000];
    if (k == 1) snprintf(natural, sizeof natural, ", natural: as-placed");
    if (k == 2) snprintf(natural, sizeof natural, ", natural: [0, 0, 0]");
    if (k == 3) snprintf(natural, sizeof natural, ", natural: {file: %s}", rest);
    snprintf(text, sizeof text, "fibres: {h: {hair: {file: %s}, elements: 6, radius: 60 um, root: clamped%s}}\n",
             scratch_path("drawn.hair"), natural);
    CpsWorld* world = build(text, CPS_OK, NULL);
    const CpsFibreId id = cps_world_fibre(world, 0);
    cps_world_fibre_points(world, id, PLACES, before);
    CpsError error = {""};
    if (k == 0) assert_int_equal(cps_rest_write(rest, world, NULL, &error), CPS_OK);
    for (int i = 0; i < 100; ++i) assert_int_equal(cps_world_step(world, NULL, &error), CPS_OK);
    cps_world_fibre_points(world, id, PLACES, after);
    const double moved = distance(before[PLACES - 1], after[PLACES - 1]);
    if (k == 0 || k == 3) assert_true(moved < 1e-12);
    if (k == 1 || k == 2) assert_true(moved > 1e-3);
    cps_world_destroy(world);
  }
  // a rest state of other fibres
  char text[1000];
  snprintf(text, sizeof text, "fibres: {h: {hair: {file: %s}, elements: 7, root: clamped, natural: {file: %s}}}\n",
           scratch_path("drawn.hair"), rest);
  (void)build(text, CPS_BAD_DATA, "another model or number of elements");
  snprintf(text, sizeof text, "fibres: {h: {hair: {file: %s}, root: clamped, natural: {file: %s}}}\n",
           scratch_path("drawn.hair"), scratch_path("drawn.hair"));
  (void)build(text, CPS_BAD_FORMAT, "drawn.hair");
}

// What is read back is what was written, to the last bit and below: discrete rods keep what rounding takes from their rest lengths.
static void a_rest_state_is_read_back_whole(void** state) {
  (void)state;
  char text[1000], rest[300];
  snprintf(rest, sizeof rest, "%s", scratch_path("whole.h5"));
  const char* entry =
      "fibres: {h: {model: der, points: [[0, 0, 0], [0.03, 0.01, 0], [0.05, 0, -0.01]], elements: 12, radius: 40 um, "
      "root: "
      "clamped, natural: %s}}\n";
  snprintf(text, sizeof text, entry, "equilibrium");
  CpsWorld* world = build(text, CPS_OK, NULL);
  assert_int_equal(cps_rest_write(rest, world, NULL, NULL), CPS_OK);
  char file[400];
  snprintf(file, sizeof file, "{file: %s}", rest);
  snprintf(text, sizeof text, entry, file);
  CpsWorld* again = build(text, CPS_OK, NULL);
  assert_true(cps_world_hash(world) == cps_world_hash(again));
  cps_world_destroy(world);
  cps_world_destroy(again);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hair_grows_on_its_head),           cmocka_unit_test(hair_drawn_out_does_not_overlap),
      cmocka_unit_test(what_makes_no_hair_is_refused),    cmocka_unit_test(strands_of_a_file_become_rods),
      cmocka_unit_test(real_grooms_are_simulated),        cmocka_unit_test(a_soft_strand_of_a_file_is_stiffened),
      cmocka_unit_test(strands_of_a_file_stand_as_drawn), cmocka_unit_test(a_rest_state_is_read_back_whole),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
