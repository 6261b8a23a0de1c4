// Shared by the tests of scenes/drape.yaml.
#ifndef CAPSTAN_TESTS_SCENES_DRAPE_H
#define CAPSTAN_TESTS_SCENES_DRAPE_H

#include "capstan/sheet.h"
#include "scenes/scene_world.h"
#include "vertices.h"

enum { MOST_DRAPED = 2000 };

// Area of the shadow of the rim, by the sectors of its corners, m2.
static inline double drape_shadow(const CpsWorld* world, int32_t rings) {
  static CpsVec3 x[MOST_DRAPED];
  CpsSheetInfo info;
  const CpsSheetId id = cps_world_sheet(world, 0);
  assert_int_equal(cps_world_sheet_info(world, id, &info), CPS_OK);
  assert_true(info.vertex_count <= MOST_DRAPED);
  assert_int_equal(vertices_of(world, cps_thing_sheet(id), x, NULL), CPS_OK);
  const int32_t corners = 6 * rings, first = info.vertex_count - corners;
  double area = 0.0;
  for (int32_t i = 0; i < corners; ++i) {
    CpsVec3 a = x[first + i], b = x[first + (i + 1) % corners];
    area += 0.5 * (a.x * b.y - b.x * a.y);
  }
  return area;
}

// Cusick's coefficient, %: the share of the ring between stand and disc in the shadow.
static inline double drape_coefficient(const CpsWorld* world, int32_t rings) {
  const double pi = acos(-1.0), R = 0.15, r = 0.09;
  return 100.0 * (drape_shadow(world, rings) - pi * r * r) / (pi * (R * R - r * r));
}

// What is measured of fabrics, %.
typedef struct DrapeBand {
  const char* fabric;
  double low, high;
} DrapeBand;
static const DrapeBand DRAPE_BANDS[] = {
    {"silk", 20.0, 40.0}, {"cotton", 60.0, 76.0}, {"wool", 40.0, 70.0}, {"denim", 70.0, 90.0}};
enum { DRAPE_FABRICS = sizeof DRAPE_BANDS / sizeof *DRAPE_BANDS };

static inline void drape_check(const CpsWorld* world, int32_t rings, const DrapeBand* band) {
  const double coefficient = drape_coefficient(world, rings);
  print_message("%s: drape coefficient %.1f %%, measured %g to %g\n", band->fabric, coefficient, band->low, band->high);
  assert_true(coefficient > band->low && coefficient < band->high);
}

#endif
