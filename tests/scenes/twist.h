// Shared by the tests of scenes/twist.yaml: whether triangles of a sheet cut each other, found without the library.
#ifndef CAPSTAN_TESTS_SCENES_TWIST_H
#define CAPSTAN_TESTS_SCENES_TWIST_H

#include "capstan/sheet.h"
#include "scenes/scene_world.h"
#include "vertices.h"

enum { MOST_TWISTED = 200 };

static inline double volume(CpsVec3 a, CpsVec3 b, CpsVec3 c, CpsVec3 d) {
  const CpsVec3 u = {b.x - a.x, b.y - a.y, b.z - a.z}, v = {c.x - a.x, c.y - a.y, c.z - a.z},
                w = {d.x - a.x, d.y - a.y, d.z - a.z};
  return u.x * (v.y * w.z - v.z * w.y) + u.y * (v.z * w.x - v.x * w.z) + u.z * (v.x * w.y - v.y * w.x);
}

// Whether the segment ab passes through the triangle t: its ends are on two sides, and it turns the same way about all three edges.
static inline bool cuts(CpsVec3 a, CpsVec3 b, const CpsVec3 t[3]) {
  if (volume(a, t[0], t[1], t[2]) * volume(b, t[0], t[1], t[2]) >= 0.0) return false;
  const double p = volume(a, b, t[0], t[1]), q = volume(a, b, t[1], t[2]), r = volume(a, b, t[2], t[0]);
  return (p > 0.0 && q > 0.0 && r > 0.0) || (p < 0.0 && q < 0.0 && r < 0.0);
}

// Number of pairs of an edge and a triangle of the first sheet that cut each other.
static inline int count_cuts(const CpsWorld* world) {
  static CpsVec3 x[MOST_TWISTED];
  CpsSheetInfo info;
  const CpsSheetId id = cps_world_sheet(world, 0);
  const int32_t* t = cps_world_sheet_triangles(world, id);
  int count = 0;
  assert_int_equal(cps_world_sheet_info(world, id, &info), CPS_OK);
  assert_true(info.vertex_count <= MOST_TWISTED);
  assert_int_equal(vertices_of(world, cps_thing_sheet(id), x, NULL), CPS_OK);
  for (int32_t i = 0; i < info.triangle_count; ++i) {
    for (int k = 0; k < 3; ++k) {
      const int32_t a = t[3 * i + k], b = t[3 * i + (k + 1) % 3];
      for (int32_t j = 0; j < info.triangle_count; ++j) {
        const int32_t* u = t + 3 * (int64_t)j;
        if (u[0] == a || u[1] == a || u[2] == a || u[0] == b || u[1] == b || u[2] == b) continue;
        const CpsVec3 corner[3] = {x[u[0]], x[u[1]], x[u[2]]};
        count += cuts(x[a], x[b], corner);
      }
    }
  }
  return count;
}

// Runs to a time and looks ten times a second.
static inline void check_twist(CpsWorld* world, double time) {
  Run all = {0};
  for (double t = 0.1; t < time + 0.05; t += 0.1) {
    Run run = run_until(world, t);
    all.unsolved += run.unsolved;
    all.crossings += run.crossings;
    all.contacts_max = run.contacts_max > all.contacts_max ? run.contacts_max : all.contacts_max;
    all.steps += run.steps;
    all.books_error = fmax(all.books_error, run.books_error);
    assert_int_equal(count_cuts(world), 0);
  }
  print_message("%.1f turns in %d steps, %d contacts at most, %d unsolved, books %.1e\n", cps_world_time(world),
                (int)all.steps, all.contacts_max, (int)all.unsolved, all.books_error);
  assert_int_equal(all.unsolved, 0);
  assert_int_equal(all.crossings, 0);
  assert_below(all.books_error, 1e-8);
}

#endif
