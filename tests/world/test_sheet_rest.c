// A sheet keeps its implicit mass from step to step, and a sheet at rest does not change by a single bit (docs/theory/sheet.md).
#include "sheet_helpers.h"

#include "capstan/array.h"
#include "capstan/vertex.h"
#include "core/vec3.h"
#include "model/nodal.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 6, VERTICES = (CELLS + 1) * (CELLS + 1) };

// A sheet of cells x cells on a slope of 10 degrees, whose threshold is mu = 0.1763. `drop`: so far above it, m, and rumpled.
static CpsWorld* make_slope_of(int cells, double mu, double drop, CpsSheetId* id) {
  CpsWorldDef def = cps_world_def_default();
  def.step = 4e-3;
  CpsWorld* world = NULL;
  assert_int_equal(cps_world_create(&def, &world, NULL), CPS_OK);
  CpsObstacleDef ramp = cps_obstacle_def_default();
  const double half = 5.0 * 3.14159265358979323846 / 180.0;
  ramp.shape = cps_plane();
  ramp.pose.rotation = (CpsQuat){cos(half), 0.0, sin(half), 0.0};
  ramp.mu = mu;
  assert_int_equal(cps_world_add_obstacle(world, &ramp, NULL, NULL), CPS_OK);
  const CpsVec3 along = {cos(2.0 * half), 0.0, -sin(2.0 * half)}, up = {sin(2.0 * half), 0.0, cos(2.0 * half)};
  const double lift = 0.5e-3 + drop;
  Rectangle r = make_rectangle(cells, cells, (CpsVec3){lift * up.x, 0.0, lift * up.z},
                               (CpsVec3){0.3 * along.x, 0.0, 0.3 * along.z}, (CpsVec3){0.0, 0.3, 0.0});
  for (int i = 0; drop > 0.0 && i < r.vertex_count; ++i) r.vertices[i].z += 0.2 * drop * sin(1.3 * i);
  CpsSheetDef sheet = sheet_of_rectangle(&r);
  sheet.thickness = 1e-3;
  sheet.mu = mu;
  assert_int_equal(cps_world_add_sheet(world, &sheet, id, NULL), CPS_OK);
  free_rectangle(&r);
  return world;
}

static CpsWorld* make_slope(double mu, double drop, CpsSheetId* id) {
  return make_slope_of(CELLS, mu, drop, id);
}

static void steps(CpsWorld* world, int count) {
  CpsError error;
  for (int i = 0; i < count; ++i) {
    if (cps_world_step(world, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
  }
}

static double fastest(const CpsWorld* world, CpsSheetId id) {
  CpsVec3 v[VERTICES];
  double most = 0.0;
  (void)cps_world_array(world, cps_thing_sheet(id), CPS_QUANTITY_VELOCITY, &v->x, sizeof *v);
  for (int i = 0; i < VERTICES; ++i) most = fmax(most, fmax(fabs(v[i].x), fmax(fabs(v[i].y), fabs(v[i].z))));
  return most;
}

// The state of a world, loaded into another that has never made a step.
static CpsWorld* resumed_in(const CpsWorld* world, CpsWorld* other) {
  const size_t size = cps_world_state_size(world);
  void* bytes = malloc(size);
  assert_non_null(bytes);
  assert_int_equal(cps_world_save(world, bytes, size, NULL), CPS_OK);
  assert_int_equal(cps_world_load(other, bytes, size, NULL), CPS_OK);
  free(bytes);
  return other;
}

static CpsWorld* resumed(const CpsWorld* world, double mu, double drop) {
  CpsSheetId id;
  return resumed_in(world, make_slope(mu, drop, &id));
}

// The mass that a step takes over from the one before is part of the state: saved at any step, in flight, on impact, while it
// slides and at rest, a run goes on with the same bits.
static void test_resumed(void** unused) {
  (void)unused;
  for (int k = 0; k < 2; ++k) {
    const double mu = k == 0 ? 0.1 : 0.3, drop = 0.01;
    CpsSheetId id;
    CpsWorld* world = make_slope(mu, drop, &id);
    for (int saved = 0; saved < 12; ++saved) {
      CpsWorld* other = resumed(world, mu, drop);
      steps(world, 9);
      steps(other, 9);
      assert_int_equal(cps_world_hash(world), cps_world_hash(other));
      cps_world_destroy(other);
    }
    cps_world_destroy(world);
  }
}

// A sheet at rest has zero velocity and does not move by a bit. It once had a velocity of rounding size, 1e-17 m/s.
static void test_stands(void** unused) {
  (void)unused;
  CpsSheetId id;
  CpsWorld* world = make_slope(0.3, 0.0, &id);
  steps(world, 20);
  assert_true(fastest(world, id) == 0.0);
  CpsVec3 x[VERTICES], y[VERTICES];
  (void)cps_world_array(world, cps_thing_sheet(id), CPS_QUANTITY_POSITION, &x->x, sizeof *x);
  CpsWorld* other = resumed(world, 0.3, 0.0);
  steps(world, 500);
  steps(other, 500);
  (void)cps_world_array(world, cps_thing_sheet(id), CPS_QUANTITY_POSITION, &y->x, sizeof *y);
  assert_memory_equal(x, y, sizeof x);
  assert_int_equal(cps_world_hash(world), cps_world_hash(other));
  assert_below(fabs(cps_world_energy(world).error), 1e-12);
  cps_world_destroy(other);
  // a hand that takes a vertex is felt at once
  CpsError error;
  assert_int_equal(cps_world_hold_vertex(world, cps_thing_sheet(id), 0, (CpsVec3){-0.02, 0.0, 0.01}, &error), CPS_OK);
  steps(world, 5);
  assert_true(fastest(world, id) > 1e-3);
  cps_world_destroy(world);
}

// Beyond the friction angle nothing stands still, however slowly it begins: g (sin - mu cos) = 3.159 mm/s^2 at mu = 0.176.
static void test_slides(void** unused) {
  (void)unused;
  CpsSheetId id;
  CpsWorld* world = make_slope(0.176, 0.0, &id);
  steps(world, 50);
  CpsVec3 v[VERTICES];
  (void)cps_world_array(world, cps_thing_sheet(id), CPS_QUANTITY_VELOCITY, &v->x, sizeof *v);
  const double slope = 10.0 * 3.14159265358979323846 / 180.0, a = 9.81 * (sin(slope) - 0.176 * cos(slope));
  // to the tolerance of contacts, 1e-6 of g, and of what the sheet stretches
  assert_near(v[0].x * cos(slope) - v[0].z * sin(slope), 0.2 * a, 1e-5 * 9.81 * 0.2);
  cps_world_destroy(world);
}

// Where the rounds of a step end does not depend on the mass that they began with: a pull without any force is enough that each
// step begins with a new one.
static void test_mass_only_speeds_up(void** unused) {
  (void)unused;
  CpsVec3 x[2][VERTICES];
  for (int k = 0; k < 2; ++k) {
    CpsSheetId id;
    CpsWorld* world = make_slope(0.1, 0.01, &id);
    CpsPullDef pull = cps_pull_def_default();
    pull.at = cps_anchor_sheet(id, 0);
    if (k == 1) assert_int_equal(cps_world_add_pull(world, &pull, NULL, NULL), CPS_OK);
    steps(world, 60);  // falls, meets the slope and slides
    (void)cps_world_array(world, cps_thing_sheet(id), CPS_QUANTITY_POSITION, &x[k]->x, sizeof **x);
    cps_world_destroy(world);
  }
  double most = 0.0;
  for (int i = 0; i < VERTICES; ++i) most = fmax(most, cps_vec3_norm(cps_vec3_sub(x[0][i], x[1][i])));
  print_message("%g m apart\n", most);
  assert_below(
      most,
      3e-6 * 0.03);  // some times the tolerance of a step, of the way of 3 cm; ending rounds too early gives 1.3e-7
  assert_true(most > 0.0);  // there was something to compare
}

static const CpsNodal* only_sheet(const CpsWorld* world) {
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    if (model->type->kind == CPS_THING_SHEET) return ((const CpsNodals*)model)->member[0];
  }
  return NULL;
}

// An expensive factor is kept, too, while the sheet slides as one piece. Then it ends where new ones do, and the same bits come from
// a saved state.
static void test_large(void** unused) {
  (void)unused;
  if (SANITIZED) return;  // ten seconds there; smaller sheets go the same way
  enum { MANY = 40 };
  CpsSheetId id;
  CpsWorld* world = make_slope_of(MANY, 0.1, 0.0, &id);
  steps(world, 4);
  assert_true(cps_cholesky_operations(only_sheet(world)->factor) > 2e8);
  assert_true(only_sheet(world)->quiet);
  CpsWorld* other = resumed_in(world, make_slope_of(MANY, 0.1, 0.0, &id));
  steps(world, 3);
  steps(other, 3);
  assert_true(only_sheet(world)->quiet);
  assert_int_equal(cps_world_hash(world), cps_world_hash(other));
  const double slope = 10.0 * 3.14159265358979323846 / 180.0, a = 9.81 * (sin(slope) - 0.1 * cos(slope));
  CpsVec3 p, L;
  cps_world_momentum(world, &p, &L);
  const double t = cps_world_time(world), v = (p.x * cos(slope) - p.z * sin(slope)) / only_sheet(world)->total_mass;
  assert_near(v, a * t, 1e-5 * 9.81 * t);  // as above
  cps_world_destroy(other);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_resumed), cmocka_unit_test(test_stands),
                                     cmocka_unit_test(test_slides), cmocka_unit_test(test_mass_only_speeds_up),
                                     cmocka_unit_test(test_large)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
