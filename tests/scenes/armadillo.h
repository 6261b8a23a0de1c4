// Shared by the tests of the tank top on the armadillo: how far its straps slip on the shoulders.
#ifndef CAPSTAN_TESTS_SCENES_ARMADILLO_H
#define CAPSTAN_TESTS_SCENES_ARMADILLO_H

#include "capstan/mesh.h"
#include "capstan/sheet.h"
#include "core/quat.h"
#include "io/mesh/surface.h"
#include "scenes/scene_world.h"
#include "vertices.h"

#include <unistd.h>

#define ARMADILLO SHARED_DATA "/mesh/ipc_Armadillo13K.msh"

enum { TOP_MOST = 2000 };

static inline void skip_without_armadillo(void) {
  if (access(ARMADILLO, R_OK) == 0) return;
  print_message("skipped: there is no " ARMADILLO "\n");
  skip();
}

// The body has swayed by 3 cm and turned by 20 degrees, times sin(2 pi 0.4 Hz t).
static inline CpsVec3 as_the_body_sees(const CpsWorld* world, CpsVec3 x) {
  const double swing = sin(2.0 * acos(-1.0) * 0.4 * cps_world_time(world));
  const CpsQuat back = cps_quat_exp(cps_vec3(0.0, 0.0, -swing * acos(-1.0) / 9.0));
  return cps_quat_rotate(back, cps_vec3_sub(x, cps_vec3(0.03 * swing, 0.0, 0.0)));
}

typedef struct Fit {
  double outwards;  // how far the straps went down their slopes, to the sides, m: the mean of both
  double slip;      // largest way of one of their vertices on the body, m
  Run run;
} Fit;

// Runs until `end`. Straps: what lies above 70 cm at the start, where the shoulders begin to slope to the sides.
static inline Fit fit_top(CpsWorld* world, double end) {
  static CpsVec3 x[TOP_MOST], start[TOP_MOST];
  const CpsSheetId id = cps_world_sheet(world, 0);
  CpsSheetInfo info;
  assert_int_equal(cps_world_sheet_info(world, id, &info), CPS_OK);
  assert_true(info.vertex_count <= TOP_MOST);
  assert_int_equal(vertices_of(world, cps_thing_sheet(id), start, NULL), CPS_OK);
  Fit fit = {.run = run_until(world, end)};
  assert_int_equal(vertices_of(world, cps_thing_sheet(id), x, NULL), CPS_OK);
  int count = 0;
  for (int i = 0; i < info.vertex_count; ++i) {
    if (start[i].z < 0.70) continue;
    const CpsVec3 now = as_the_body_sees(world, x[i]);
    fit.outwards += fabs(now.x) - fabs(start[i].x);
    fit.slip = fmax(fit.slip, distance(now, start[i]));
    ++count;
  }
  fit.outwards /= count;
  print_message("%.3f s: straps %.1f mm outwards, %.1f mm at most; %d contacts at most, %d of %d steps unsolved\n",
                cps_world_time(world), 1e3 * fit.outwards, 1e3 * fit.slip, fit.run.contacts_max, (int)fit.run.unsolved,
                (int)fit.run.steps);
  assert_int_equal(fit.run.unsolved, 0);
  assert_int_equal(fit.run.crossings, 0);
  cps_world_destroy(world);
  return fit;
}

// The armadillo with triangles on its surface.
static inline void read_armadillo(CpsMeshFile* mesh) {
  assert_int_equal(cps_mesh_file_read(ARMADILLO, mesh, NULL), CPS_OK);
  mesh->triangles = cps_mesh_surface(mesh, &mesh->triangle_count);
  assert_non_null(mesh->triangles);
}

static inline CpsWorld* open_rigid(const char* body, double mu, const char* top, double thick, double step) {
  Overrides o = {0};
  override(&o, "obstacles.armadillo.points.file=%s", body);
  override(&o, "sheets.top.file=parts/%s.obj", top);
  override(&o, "mu=%g", mu);
  override(&o, "thick=%g", thick);
  override(&o, "step=%g", step);
  return open_scene("armadillo-rigid.yaml", &o);
}

#endif
