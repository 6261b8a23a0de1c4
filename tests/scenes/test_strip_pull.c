// A strip on a floor that is drawn by one end: u = F^2 / (2 E A f), over the length F / f, with the work shared equally between strain
// and friction.
#include "capstan/sheet.h"
#include "scenes/scene_world.h"
#include "vertices.h"

enum { CELLS = 50, ROW = CELLS + 1 };

static const double L = 1.0, WIDTH = 0.05, STRETCH = 200.0, SLIP = 0.8;

static void the_end_gives_way_with_the_square_of_the_force(void** state) {
  (void)state;
  static CpsVec3 start[2 * ROW], x[2 * ROW];
  const double f = 0.5 * 0.2 * 9.81, F = f * SLIP * L, u = F * F / (2.0 * STRETCH * f);  // per width
  Overrides o = {0};
  override(&o, "cells=%d", CELLS);
  override(&o, "step=20 ms");
  CpsWorld* world = open_scene("strip-pull.yaml", &o);
  const CpsSheetId id = cps_world_sheet(world, 0);
  assert_int_equal(vertices_of(world, cps_thing_sheet(id), start, NULL), CPS_OK);
  Run run = run_until(world, 2.0);
  CpsSheetInfo info;
  assert_int_equal(vertices_of(world, cps_thing_sheet(id), x, NULL), CPS_OK);
  assert_int_equal(cps_world_sheet_info(world, id, &info), CPS_OK);
  assert_int_equal(run.unsolved, 0);
  assert_near((x[CELLS].x - start[CELLS].x) / u, 1.0, 1e-9);
  // the parabola of displacements, and the force from the strain of the last cell, whose middle is half a cell from the end
  double worst = 0.0, moved = 0.0;
  for (int i = 0; i <= CELLS; ++i) {
    const double s = fmax(0.0, start[i].x - (L / 2 - SLIP * L) + 0.5 * L), way = x[i].x - start[i].x;
    worst = fmax(worst, fabs(way - f * s * s / (2.0 * STRETCH)));
    moved += way > 1e-3 * u;
  }
  const double h = L / CELLS, strain = (x[CELLS].x - x[CELLS - 1].x) / h - 1.0;
  const double force = STRETCH * strain + 0.5 * h * f;
  print_message("force %.4f N/m, theory %.4f; displacements within %.2g of u; %g cells have moved\n", force, F,
                worst / u, moved);
  assert_near(force / F, 1.0, 0.01);
  assert_below(worst / u, 0.01);
  // F^3 / (6 E A f) each in strain and in friction; the row that is held has half a cell without friction
  const double half = WIDTH * F * F * F / (6.0 * STRETCH * f), lacks = WIDTH * f * 0.5 * h * u;
  CpsEnergy energy = cps_world_energy(world);
  print_message("strain %.4g J, friction %.4g J, work %.4g J; theory %.4g J each\n", info.membrane, energy.friction,
                energy.ends, half);
  assert_near(info.membrane / half, 1.0, 0.01);
  assert_near((energy.friction + lacks) / half, 1.0, 0.01);
  assert_near((energy.ends + lacks) / (2.0 * half), 1.0, 0.01);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_end_gives_way_with_the_square_of_the_force),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
