// Coarse sheets fall onto objects that fit between their vertices: rims of cylinders, rods, rails, edges and corners of meshes.
// Points of the triangles are tested against closed forms of the shapes: none gets inside.
#include "core/quat.h"
#include "vertices.h"
#include "world/sheet_helpers.h"

#include <math.h>

typedef enum Stand { DISC, DRUM, ROD, RAIL, BLOCK, ROOF, STANDS } Stand;
static const char* const NAMES[STANDS] = {"disc", "drum", "rod", "rail", "block", "roof"};
static const double R = 0.03, HALF = 0.05;  // of the disc and the drum

// How far a point is outside a stand; all are centred at the origin.
static double distance(Stand stand, CpsVec3 x) {
  const double r = hypot(x.x, x.y) - R, z = fabs(x.z) - HALF;
  const double a[3] = {fabs(x.x) - R, fabs(x.y) - R, fabs(x.z) - R};
  switch (stand) {
    case DISC:  // stands
      return r > 0.0 && z > 0.0 ? hypot(r, z) : fmax(r, z);
    case DRUM:  // lies along x
      return hypot(x.y, x.z) - R;
    case ROD:  // lies along y, thin
      return hypot(x.x, x.z) - 0.1 * R;
    case RAIL:
      return hypot(x.x, x.z) - 0.1 * R;
    case BLOCK:
      return fmax(a[0], fmax(a[1], a[2]));
    case ROOF:  // |x| + |y| + |z| <= R, an octahedron: its upper corner
      return (fabs(x.x) + fabs(x.y) + fabs(x.z) - R) / sqrt(3.0);
    default:
      return INFINITY;
  }
}

static void add_stand(CpsWorld* world, Stand stand) {
  CpsVec3 points[8];
  static const int32_t cube[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                   2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  static const int32_t eight[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
  const CpsVec3 line[3] = {{0.0, -0.2, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.2, 0.0}};
  CpsObstacleDef o = cps_obstacle_def_default();
  const double half = sqrt(0.5);
  o.mu = 0.5;
  if (stand == DISC || stand == DRUM) o.shape = cps_cylinder(R, stand == DISC ? 2.0 * HALF : 0.4);
  if (stand == DRUM) o.pose.rotation = (CpsQuat){half, 0.0, half, 0.0};
  if (stand == ROD) {
    o.shape = cps_cylinder(0.1 * R, 0.4);
    o.pose.rotation = (CpsQuat){half, half, 0.0, 0.0};
  }
  if (stand == RAIL) o.shape = cps_tube(line, 3, 0.1 * R, false);
  if (stand == BLOCK) {
    for (int i = 0; i < 8; ++i) points[i] = (CpsVec3){i & 1 ? R : -R, i & 2 ? R : -R, i & 4 ? R : -R};
    o.shape = cps_mesh(points, 8, cube, 12);
  }
  if (stand == ROOF) {
    for (int i = 0; i < 6; ++i) {
      double s = i % 2 ? -R : R;
      points[i] = (CpsVec3){i / 2 == 0 ? s : 0.0, i / 2 == 1 ? s : 0.0, i / 2 == 2 ? s : 0.0};
    }
    o.shape = cps_mesh(points, 6, eight, 8);
  }
  CpsError error;
  if (cps_world_add_obstacle(world, &o, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
}

// The deepest point of all triangles.
static double least_distance(Stand stand, const Rectangle* r, const CpsVec3* x) {
  enum { PARTS = 64 };
  double least = INFINITY;
  for (int32_t t = 0; t < r->triangle_count; ++t) {
    const int32_t* v = r->triangles + 3 * t;
    for (int i = 0; i <= PARTS; ++i) {
      for (int k = 0; i + k <= PARTS; ++k) {
        double a = (double)i / PARTS, b = (double)k / PARTS;
        CpsVec3 p = cps_vec3_axpy(cps_vec3_scale(1.0 - a - b, x[v[0]]), a, x[v[1]]);
        least = fmin(least, distance(stand, cps_vec3_axpy(p, b, x[v[2]])));
      }
    }
  }
  return least;
}

// Cells of 10 cm: no vertex comes near most of the stands.
static void coarse_sheets_lie_on_rims_and_edges(void** state) {
  (void)state;
  for (int stand = 0; stand < STANDS; ++stand) {
    CpsWorldDef def = cps_world_def_default();
    def.step = 2e-3;
    CpsWorld* world = NULL;
    assert_int_equal(cps_world_create(&def, &world, NULL), CPS_OK);
    add_stand(world, (Stand)stand);
    Rectangle r =
        make_rectangle(3, 3, (CpsVec3){-0.14, -0.16, 0.055}, (CpsVec3){0.3, 0.0, 0.0}, (CpsVec3){0.0, 0.3, 0.0});
    CpsSheetDef sheet = sheet_of_rectangle(&r);
    sheet.thickness = 2e-3;
    sheet.bending[0] = sheet.bending[1] = 1e-3;
    CpsSheetId id;
    CpsError error;
    if (cps_world_add_sheet(world, &sheet, &id, &error) != CPS_OK) fail_msg("%s", error.text);
    double least = INFINITY, speed = 0.0;
    CpsVec3 x[16], v[16];
    while (cps_world_time(world) < 0.2) {
      CpsStepInfo info;
      if (cps_world_step(world, &info, &error) < 0) fail_msg("%s: %s", NAMES[stand], error.text);
      assert_int_equal(info.crossings, 0);
      vertices_of(world, cps_thing_sheet(id), x, v);
      least = fmin(least, least_distance((Stand)stand, &r, x));
    }
    for (int i = 0; i < 16; ++i) speed += cps_vec3_norm(v[i]) / 16.0;
    CpsEnergy e = cps_world_energy(world);
    print_message("%s: nearest %.3g mm of 1, %.3g m/s, books off by %.2g\n", NAMES[stand], 1e3 * least, speed, e.error);
    // what the motion finds may get as near as a quarter of the thickness, half a millimetre
    if (!(least > 0.4e-3)) fail_msg("%s: a point of the sheet is %g mm outside", NAMES[stand], 1e3 * least);
    assert_true(e.error < 1e-6);
    free_rectangle(&r);
    cps_world_destroy(world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(coarse_sheets_lie_on_rims_and_edges)};
  return cmocka_run_group_tests_name("world/sheet_rims", tests, NULL, NULL);
}
