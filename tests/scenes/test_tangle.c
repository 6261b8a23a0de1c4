// labels: memory
// Bodies, a sheet and a fibre in one island: solved, without a crossing, with books that close; the same bits for any threads.
#include "capstan/sheet.h"
#include "core/vec3.h"
#include "scenes/scene_world.h"
#include "vertices.h"

static CpsWorld* open_tangle(int threads, bool projection) {
  Overrides o = {0};
  if (!projection) override(&o, "contact.projection=false");
  override(&o, "cells=6");
  override(&o, "step=4 ms");
  CpsWorld* world = open_scene("tangle.yaml", &o);
  CpsWorldDef def = cps_world_settings(world);
  def.threads = threads;
  assert_int_equal(cps_world_configure(world, &def, NULL), CPS_OK);
  return world;
}

static bool has_all_kinds(const CpsWorld* world, int32_t island) {
  bool body = false, fibre = false, sheet = false;
  for (int32_t i = 0; i < cps_world_contact_count(world); ++i) {
    CpsContact c = cps_world_contact(world, i);
    if (c.island != island) continue;
    for (int k = 0; k < 2; ++k) {
      body = body || c.side[k].thing.kind == CPS_THING_BODY;
      fibre = fibre || c.side[k].thing.kind == CPS_THING_FIBRE;
      sheet = sheet || c.side[k].thing.kind == CPS_THING_SHEET;
    }
  }
  return body && fibre && sheet;
}

static bool touches_itself(const CpsWorld* world) {
  for (int32_t i = 0; i < cps_world_contact_count(world); ++i) {
    const CpsContact c = cps_world_contact(world, i);
    const CpsThingKind a = c.side[0].thing.kind, b = c.side[1].thing.kind;
    if (a == CPS_THING_SHEET && b == CPS_THING_SHEET && c.impulse[0] > 0.0) return true;
  }
  return false;
}

// The impulse that the floor gave in the last step.
static CpsVec3 floor_impulse(const CpsWorld* world) {
  CpsVec3 sum = {0.0, 0.0, 0.0};
  for (int32_t i = 0; i < cps_world_contact_count(world); ++i) {
    const CpsContact c = cps_world_contact(world, i);
    if (c.side[1].thing.kind != CPS_THING_OBSTACLE) continue;
    sum = cps_vec3_axpy(sum, c.impulse[0], c.normal);
    sum = cps_vec3_axpy(sum, c.impulse[1], c.tangent1);
    sum = cps_vec3_axpy(sum, c.impulse[2], c.tangent2);
  }
  return sum;
}

// What changes the momentum of all is their weight and the floor, whatever they do to each other. The projection is off: what it pushes out of
// the floor it pays for in velocity, and no contact tells of that.
static void weight_and_floor_change_the_momentum(void** state) {
  (void)state;
  CpsWorld* world = open_tangle(1, false);
  Run run = {0};
  CpsVec3 p, before, L;
  double weight = 0.0, worst = 0.0, largest = 0.0;
  bool itself = false;
  cps_world_momentum(world, &before, &L);
  while (cps_world_time(world) < (SHORTER ? 0.2 : 0.5)) {
    const double start = cps_world_time(world);
    run_step(world, &run);
    const double h = cps_world_time(world) - start;
    cps_world_momentum(world, &p, &L);
    // the first step is a free fall
    if (start == 0.0) weight = (before.z - p.z) / h;
    const CpsVec3 given = cps_vec3_add(floor_impulse(world), cps_vec3(0.0, 0.0, -h * weight));
    worst = fmax(worst, cps_vec3_norm(cps_vec3_sub(cps_vec3_sub(p, before), given)));
    largest = fmax(largest, cps_vec3_norm(given));
    itself = itself || touches_itself(world);
    before = p;
  }
  print_message("momentum to %.1e of %.2g N s, weight %.3g N\n", worst, largest, weight);
  assert_true(SHORTER || itself);
  assert_below(worst, 1e-12 * largest);  // a few hundred sums of rounding
  cps_world_destroy(world);
}

static void all_touch_in_one_island(void** state) {
  (void)state;
  CpsWorld* world = open_tangle(1, true);
  Run run = {0};
  bool together = false;
  while (cps_world_time(world) < (SHORTER ? 0.3 : 0.5)) {
    run_step(world, &run);
    together = together || has_all_kinds(world, 0);
  }
  print_message("%d contacts at most, %d unsolved, residual %.1e, books %.1e, penetration %.2g mm\n", run.contacts_max,
                (int)run.unsolved, run.residual_max, run.books_error, 1e3 * run.penetration_max);
  assert_int_equal(run.unsolved, 0);
  assert_int_equal(run.crossings, 0);
  assert_below(run.books_error, 1e-8);
  assert_true(SHORTER || together);
  // the cloth lies on the crates: its middle is above them
  static CpsVec3 x[49];
  assert_int_equal(vertices_of(world, cps_thing_sheet(cps_world_sheet(world, 0)), x, NULL), CPS_OK);
  double highest = 0.0;
  for (int i = 0; i < 49; ++i) highest = fmax(highest, x[i].z);
  assert_true(highest > 0.11);
  cps_world_destroy(world);
}

// The rope lands on the sheet in the middle of a crate's top, which the sheet hovered over by more than it could have come down by
// itself: pressed down by three quarters of half its thickness, with contacts from the beginning of the step alone.
static void a_rope_does_not_press_the_sheet_into_a_crate(void** state) {
  (void)state;
  if (SHORTER) return;
  Overrides o = {0};
  CpsWorld* world = open_scene("tangle.yaml", &o);
  Run run = {0};
  while (cps_world_time(world) < 0.3) run_step(world, &run);
  print_message("the sheet sinks in by %.2g mm at most\n", 1e3 * run.penetration_max);
  assert_below(run.penetration_max, 0.1 * 2e-3);  // what a run warns about
  assert_int_equal(run.unsolved + run.crossings, 0);
  cps_world_destroy(world);
}

static void threads_change_no_bit(void** state) {
  (void)state;
  uint64_t hash[3];
  for (int k = 0; k < 3; ++k) {
    CpsWorld* world = open_tangle(1 << k, true);
    Run run = {0};
    while (cps_world_time(world) < 0.2) run_step(world, &run);
    hash[k] = cps_world_hash(world);
    cps_world_destroy(world);
  }
  assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_touch_in_one_island),
      cmocka_unit_test(weight_and_floor_change_the_momentum),
      cmocka_unit_test(a_rope_does_not_press_the_sheet_into_a_crate),
      cmocka_unit_test(threads_change_no_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
