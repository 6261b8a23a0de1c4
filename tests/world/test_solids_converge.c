// Soft solids over time: a solid at rest stays at rest for a minute, and the motion converges as the step is halved.
// labels: release
#include "core/vec3.h"
#include "solid_shapes.h"
#include "vertices.h"
#include "world/nodal_helpers.h"

#include <math.h>

enum { MOST_SOLIDS = 2 };

typedef struct Pile {
  CpsWorld* world;
  int count;
  CpsSolidId id[MOST_SOLIDS];
  Tets tets[MOST_SOLIDS];
} Pile;

static void add_block(Pile* p, Tets tets, double mu, double damping, bool smooth, CpsVec3 velocity) {
  CpsSolidDef def = solid_of(&tets);
  CpsError error;
  def.radius = 1e-3;
  def.mu = mu;
  def.matter.young = 1e5;
  def.matter.damping = damping;
  def.smooth.on = smooth;
  def.velocity = velocity;
  if (cps_world_add_solid(p->world, &def, &p->id[p->count], &error) != CPS_OK) fail_msg("%s", error.text);
  p->tets[p->count++] = tets;
}

static void finish(Pile* p) {
  for (int k = 0; k < p->count; ++k) free_tets(&p->tets[k]);
  cps_world_destroy(p->world);
}

static double fastest(const Pile* p) {
  double most = 0.0;
  for (int k = 0; k < p->count; ++k) {
    CpsVec3 v[125];
    assert_true(p->tets[k].vertex_count <= 125);
    assert_int_equal(vertices_of(p->world, cps_thing_solid(p->id[k]), NULL, v), CPS_OK);
    for (int i = 0; i < p->tets[k].vertex_count; ++i) most = fmax(most, cps_vec3_norm(v[i]));
  }
  return most;
}

// Released, calm after the time `calm`, then watched for a minute: no vertex is ever faster than 1e-9 m/s, so none moves by more than 60 nm.
static void watch(Pile* p, const char* name, double calm) {
  while (cps_world_time(p->world) < calm - 1e-9) step(p->world);
  double most = 0.0;
  while (cps_world_time(p->world) < calm + 60.0 - 1e-9) {
    step(p->world);
    most = fmax(most, fastest(p));
  }
  print_message("%s: at most %.1e m/s in a minute\n", name, most);
  if (!(most < 1e-9)) fail_msg("%s: a vertex moves at %g m/s", name, most);
}

static void a_pile_rests_for_a_minute(void** state) {
  (void)state;
  Pile p = {.world = make_world(1e-2, 1.0, (CpsVec3){0.0, 0.0, -9.81})};
  add_floor(p.world, 0.5);
  add_block(&p, make_box(2, 2, 2, (CpsVec3){0, 0, 2e-3}, (CpsVec3){0.1, 0.1, 0.1}, 0.0), 0.5, 1e-2, false,
            (CpsVec3){0, 0, 0});
  add_block(&p, make_box(1, 1, 1, (CpsVec3){0.02, 0.02, 0.106}, (CpsVec3){0.06, 0.06, 0.06}, 0.0), 0.5, 1e-2, false,
            (CpsVec3){0, 0, 0});
  watch(&p, "pile", 4.0);
  finish(&p);
}

// On a slope of 10 degrees friction has to carry 0.996 of its limit: a smoothed friction law creeps there.
static void a_block_on_a_slope_rests_for_a_minute(void** state) {
  (void)state;
  const double a = 10.0 * acos(-1.0) / 180.0;
  for (int smooth = 0; smooth < 2; ++smooth) {
    Pile p = {.world = make_world(1e-2, 1.0, (CpsVec3){9.81 * sin(a), 0.0, -9.81 * cos(a)})};
    add_floor(p.world, 0.177);
    add_block(&p, make_box(3, 3, 3, (CpsVec3){0, 0, 1e-3}, (CpsVec3){0.1, 0.1, 0.1}, 0.0), 0.177, 1e-2, smooth,
              (CpsVec3){0, 0, 0});
    watch(&p, smooth ? "smooth block on a slope" : "block on a slope", 4.0);
    finish(&p);
  }
}

// Where the vertices of a block are after it has slid and shaken for 60 ms on a floor, or has shaken in flight.
static void slide(double h, double theta, bool floor, CpsVec3* x, int count) {
  Pile p = {.world = make_world(h, theta, (CpsVec3){0.0, 0.0, floor ? -9.81 : 0.0})};
  if (floor) add_floor(p.world, 0.3);
  add_block(&p, make_box(3, 2, 2, (CpsVec3){0, 0, 1e-3}, (CpsVec3){0.12, 0.08, 0.08}, 0.0), 0.3, floor ? 1e-3 : 0.0,
            false, (CpsVec3){floor ? 1.0 : 0.0, 0, 0});
  assert_int_equal(p.tets[0].vertex_count, count);
  if (!floor) {
    CpsVec3 v[36];
    for (int i = 0; i < count; ++i) {
      const CpsVec3 at = p.tets[0].vertices[i];
      v[i] = (CpsVec3){0.3 * sin(20.0 * at.y), 0.2 * sin(20.0 * at.z), 0.3 * cos(20.0 * at.x)};
    }
    assert_int_equal(set_vertices(p.world, cps_thing_solid(p.id[0]), NULL, v, NULL), CPS_OK);
  }
  while (cps_world_time(p.world) < 0.06 - 1e-9) step(p.world);
  assert_int_equal(vertices_of(p.world, cps_thing_solid(p.id[0]), x, NULL), CPS_OK);
  finish(&p);
}

// What a halved step changes, each time: of first order with theta = 1 and contacts that slide, of second order with theta = 1/2 in flight.
static void halving_the_step_converges(void** state) {
  (void)state;
  enum { COUNT = 36, HALVINGS = 4 };
  for (int k = 0; k < 2; ++k) {
    CpsVec3 x[2][COUNT];
    double change[HALVINGS], h = 2e-3;
    slide(h, k == 0 ? 1.0 : 0.5, k == 0, x[0], COUNT);
    for (int n = 0; n < HALVINGS; ++n) {
      h *= 0.5;
      slide(h, k == 0 ? 1.0 : 0.5, k == 0, x[1], COUNT);
      change[n] = 0.0;
      for (int i = 0; i < COUNT; ++i) {
        change[n] = fmax(change[n], cps_vec3_norm(cps_vec3_sub(x[1][i], x[0][i])));
        x[0][i] = x[1][i];
      }
      print_message("%s: halving to %g ms changes %.3e m\n", k == 0 ? "sliding" : "in flight", 1e3 * h, change[n]);
    }
    // a first order halves the remainder and a second order quarters it; a fifth of that is left to the terms of the next order
    for (int n = k == 0 ? 1 : 2; n < HALVINGS; ++n) {
      const double ratio = change[n] / change[n - 1], order = k == 0 ? 0.5 : 0.25;
      if (!(fabs(ratio / order - 1.0) < 0.2)) fail_msg("halving %d changes %.3f of the halving before", n + 1, ratio);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(halving_the_step_converges),
      cmocka_unit_test(a_pile_rests_for_a_minute),
      cmocka_unit_test(a_block_on_a_slope_rests_for_a_minute),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
