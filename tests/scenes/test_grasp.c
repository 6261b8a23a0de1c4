// Soft solids with others: finger tips that hold a glass, a ball on a trampoline, all kinds of things in one island.
// labels: release whole
#include "capstan/array.h"
#include "capstan/solid.h"
#include "scenes/scene_world.h"

#include <stdlib.h>
#include <string.h>

// Forces of the tips on the glass, N: what presses it from both sides, and what holds it up.
static void grip(const CpsWorld* world, double h, double* press, double* up) {
  *press = *up = 0.0;
  for (int32_t i = 0; i < cps_world_contact_count(world); ++i) {
    CpsContact c = cps_world_contact(world, i);
    const bool solid = c.side[0].thing.kind == CPS_THING_SOLID || c.side[1].thing.kind == CPS_THING_SOLID;
    if (!solid) continue;
    const double sign = c.side[0].thing.kind == CPS_THING_SOLID ? -1.0 : 1.0;
    CpsVec3 f = {sign * (c.impulse[0] * c.normal.x + c.impulse[1] * c.tangent1.x + c.impulse[2] * c.tangent2.x) / h,
                 0.0,
                 sign * (c.impulse[0] * c.normal.z + c.impulse[1] * c.tangent1.z + c.impulse[2] * c.tangent2.z) / h};
    *press += 0.5 * fabs(f.x);
    *up += f.z;
  }
}

// The tips press with what their bones ask for, whatever the glass weighs. Friction holds up to 2 mu N: a glass of 0.7 of that is
// lifted and stays.
static void tips_hold_what_friction_can_hold(void** state) {
  (void)state;
  if (!run_whole()) skip();  // 20 s; the pads below hold the same glass
  const double mu = 0.5, h = 2e-3;
  double N = 0.0, up;
  for (int k = 0; k < 2; ++k) {
    Overrides o = {0};
    override(&o, "mass=%g", k == 0 ? 0.02 : 0.7 * 2.0 * mu * N / 9.81);
    override(&o, "lift=2 cm");
    CpsWorld* world = open_scene("pinch-glass.yaml", &o);
    const double z = body(world, 0).pose.position.z;
    Run run = run_until(world, k == 0 ? 0.15 : 0.46);
    const double rise = body(world, 0).pose.position.z - z;
    double press;
    grip(world, h, &press, &up);
    print_message("mass %s: each tip presses with %.4f N, both carry %.4f N, the glass rose by %.3f mm\n",
                  o.text[0] + strlen("mass="), press, up, 1e3 * rise);
    if (k == 0) N = press;
    if (k == 1) {  // the tips give way by a part of it, and swing; a period later it has not come down
      assert_true(rise > 0.014);
      assert_near(up, 0.7 * 2.0 * mu * N, 0.1 * N);
      run_until(world, 0.6);
      assert_true(body(world, 0).pose.position.z - z > 0.014);
    }
    assert_int_equal(run.unsolved, 0);
    cps_world_destroy(world);
  }
}

// A tip that is pressed on the glass spreads, and friction holds it back: it points towards the middle of the contacts (Larionov et al. 2021,
// figure 10). The share of it that does, with all contacts of one tip; their mean, which carries weight, is taken off.
static double inward_share(const CpsWorld* world, int32_t tip) {
  enum { MOST = 64 };
  CpsVec3 at[MOST], f[MOST], middle = {0, 0, 0}, mean = {0, 0, 0};
  int count = 0;
  for (int32_t i = 0; i < cps_world_contact_count(world) && count < MOST; ++i) {
    const CpsContact c = cps_world_contact(world, i);
    for (int k = 0; k < 2; ++k) {
      if (c.side[k].thing.kind != CPS_THING_SOLID || c.side[k].thing.index != tip) continue;
      const double sign = k == 0 ? 1.0 : -1.0, r1 = sign * c.impulse[1], r2 = sign * c.impulse[2];
      at[count] = c.side[k].point;
      f[count] = (CpsVec3){0.0, r1 * c.tangent1.y + r2 * c.tangent2.y, r1 * c.tangent1.z + r2 * c.tangent2.z};
      middle.y += at[count].y, middle.z += at[count].z;
      mean.y += f[count].y, mean.z += f[count].z;
      ++count;
    }
  }
  assert_true(count > 4);
  double inward = 0.0, all = 0.0;
  for (int i = 0; i < count; ++i) {
    const double y = at[i].y - middle.y / count, z = at[i].z - middle.z / count;
    const double fy = f[i].y - mean.y / count, fz = f[i].z - mean.z / count;
    inward -= (fy * y + fz * z) / fmax(hypot(y, z), 1e-12);
    all += hypot(fy, fz);
  }
  return inward / all;
}

static void friction_of_a_grasp_points_to_its_middle(void** state) {
  (void)state;
  Overrides o = {0};
  override(&o, "time.step=5 ms");
  CpsWorld* world = open_scene("pinch-glass.yaml", &o);
  Run run = run_until(world, 0.1);
  const double index = inward_share(world, 0), thumb = inward_share(world, 1);
  print_message("inward share of friction: %.2f on the index, %.2f on the thumb\n", index, thumb);
  assert_true(index > 0.5 && thumb > 0.5);  // 0 without a preferred direction
  assert_int_equal(run.unsolved, 0);
  cps_world_destroy(world);
}

// Flat pads of foam in the place of the tips: nu = 0, so that what they press with does not depend on friction, and the table goes down slowly. They
// hold the glass exactly if N >= m g / 2 mu; otherwise it falls with g - 2 mu N / m.
static CpsWorld* open_pads(double mu) {
  Overrides o = {0};
  for (int k = 0; k < 2; ++k) {
    override(
        &o,
        "solids.%s={box: {size: [1 cm, 2 cm, 2 cm], cells: [2, 4, 4]}, position: [%g mm, 0, 5 cm], radius: 0.1 mm, "
        "pins: [{side: %s, on: %s}], young: 0.1 MPa, poisson: 0, damping: 5 ms, gravity: false}",
        k == 0 ? "index" : "thumb", k == 0 ? -35.5 : 35.5, k == 0 ? "-x" : "+x", k == 0 ? "left" : "right");
  }
  override(&o,
           "obstacles.table={plane: {}, motion: {keyframes: [{time: 0.12, position: [0, 0, 0]}, {time: 0.32, "
           "position: [0, 0, -2 mm]}, {time: 0.4, position: [0, 0, -4 cm]}]}}");
  override(&o, "mass=0.1");
  override(&o, "lift=0");
  override(&o, "squeeze=0.5 mm");
  override(&o, "time.step=4 ms");
  override(&o, "mu=%.6g", mu);
  return open_scene("pinch-glass.yaml", &o);
}

static void pads_hold_exactly_what_friction_can_hold(void** state) {
  (void)state;
  const double weight = 0.1 * 9.81;
  double N = 0.0, up, limit = 0.5;
  for (int k = 0; k < 3; ++k) {
    const double mu = k == 0 ? 0.5 : (k == 1 ? 1.005 : 0.995) * limit;
    CpsWorld* world = open_pads(mu);
    Run run = run_until(world, 0.42);
    const double before = cps_world_time(world);
    run_step(world, &run);
    const double h = cps_world_time(world) - before, v = body(world, 0).velocity.z;
    grip(world, h, &N, &up);
    print_message("mu = %.5f: each pad presses with %.5f N, both carry %.5f N, the glass moves with %.3g m/s\n", mu, N,
                  up, v);
    if (k < 2) {
      assert_near(v, 0.0, 1e-6);
      assert_near(up, weight, 1e-4 * weight);
      limit = k == 0 ? 0.21 : limit;
    } else {
      assert_near(up, 2.0 * mu * N, 1e-5 * weight);  // the tolerance of contacts
      const double then = cps_world_time(world);
      run_until(world, 0.46);
      assert_near((body(world, 0).velocity.z - v) / (cps_world_time(world) - then), -9.81 + 2.0 * mu * N / 0.1, 1e-4);
    }
    assert_int_equal(run.unsolved, 0);
    cps_world_destroy(world);
    if (k == 0) {  // at little friction they press a little less
      world = open_pads(limit);
      run_until(world, 0.42);
      grip(world, h, &N, &up);
      cps_world_destroy(world);
      limit = 0.5 * weight / N;
    }
  }
}

static CpsVec3 middle_of(const CpsWorld* world) {
  CpsSolidInfo info;
  CpsSolidId id = cps_world_solid(world, 0);
  assert_int_equal(cps_world_solid_info(world, id, &info), CPS_OK);
  CpsVec3 c = {0, 0, 0}, *x = calloc((size_t)info.vertex_count, sizeof *x);
  assert_int_equal(cps_world_array(world, cps_thing_solid(id), CPS_QUANTITY_POSITION, &x->x, sizeof *x), CPS_OK);
  for (int32_t i = 0; i < info.vertex_count; ++i) {
    c.x += x[i].x / info.vertex_count, c.y += x[i].y / info.vertex_count, c.z += x[i].z / info.vertex_count;
  }
  free(x);
  return c;
}

// It is thrown up again, and its energy does not grow; nothing goes through the mat.
static void a_ball_bounces_on_a_mat(void** state) {
  (void)state;
  CpsWorld* world = open_scene("trampoline.yaml", NULL);
  Run run = {0};
  double low = 1.0, top = -1.0, most = INFINITY;
  while (cps_world_time(world) < (run_whole() ? 1.2 : 0.4)) {
    run_step(world, &run);
    const double z = middle_of(world).z;
    if (z < low) low = z, top = z;
    top = fmax(top, z);
    CpsEnergy e = cps_world_energy(world);
    const double all = e.kinetic + e.elastic + e.potential;
    assert_true(all <= most + 1e-9);
    most = all;
  }
  CpsVec3 c = middle_of(world);
  print_message("lowest %.3f m, then up to %.3f m; now at (%.4f, %.4f, %.4f)\n", low, top, c.x, c.y, c.z);
  assert_true(low < 0.1 && low > -0.2 && top > low + 0.02);
  assert_true(fabs(c.y) < 0.02 && fabs(c.x) < 0.2);
  assert_int_equal(run.unsolved, 0);
  assert_int_equal(run.crossings, 0);
  cps_world_destroy(world);
}

// Which kinds of things touch in an island, as bits.
static unsigned kinds_of(const CpsWorld* world, int32_t island) {
  unsigned kinds = 0;
  for (int32_t i = 0; i < cps_world_contact_count(world); ++i) {
    CpsContact c = cps_world_contact(world, i);
    if (c.island == island) kinds |= 1u << c.side[0].thing.kind | 1u << c.side[1].thing.kind;
  }
  return kinds;
}

// A rope on a soft ball on a sheet on crates: one problem for all of them, solved in every step, and nothing goes through anything.
static void all_kinds_touch_in_one_island(void** state) {
  (void)state;
  CpsWorld* world = open_scene("mixed.yaml", NULL);
  const unsigned all = 1u << CPS_THING_BODY | 1u << CPS_THING_FIBRE | 1u << CPS_THING_SHEET | 1u << CPS_THING_SOLID;
  Run run = {0};
  int together = 0;
  while (cps_world_time(world) < (SHORTER ? 0.03 : 0.2)) {
    run_step(world, &run);
    bool found = false;
    for (int32_t k = 0; k < 8; ++k) found = found || (kinds_of(world, k) & all) == all;
    together += found;
  }
  print_message("together in %d of %d steps, at most %d contacts\n", together, (int)run.steps, (int)run.contacts_max);
  assert_true(SHORTER || together > 10);
  assert_int_equal(run.unsolved, 0);
  assert_int_equal(run.crossings, 0);
  assert_true(run.books_error < 1e-8);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_of_a_grasp_points_to_its_middle),
      cmocka_unit_test(tips_hold_what_friction_can_hold),
      cmocka_unit_test(pads_hold_exactly_what_friction_can_hold),
      cmocka_unit_test(a_ball_bounces_on_a_mat),
      cmocka_unit_test(all_kinds_touch_in_one_island),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
