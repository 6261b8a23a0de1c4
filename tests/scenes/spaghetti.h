// What the short and the long test of spaghetti share: the shape and the motion of a heap.
#ifndef CAPSTAN_TESTS_SCENES_SPAGHETTI_H
#define CAPSTAN_TESTS_SCENES_SPAGHETTI_H

#include "capstan/fibre.h"
#include "scenes/scene_world.h"

#include <string.h>

typedef struct Heap {
  double height;        // of the highest centreline, m
  double width;         // mean distance of the centrelines from the plane y = 0, m
  double fastest;       // of all points, m/s
  double straightness;  // mean of distance from root to tip over length
  double slip;          // largest velocity of one rod along another where they touch with a force, m/s
} Heap;

enum { HEAP_POINTS = 33 };

static inline CpsWorld* open_spaghetti(const char* name, double mu, double mu_plate, const char* more) {
  Overrides o = {0};
  override(&o, "mu=%g", mu);
  override(&o, "mu_plate=%g", mu_plate);
  // "key=value key=value"
  char text[200], *rest = text;
  snprintf(text, sizeof text, "%s", more);
  for (char* next = strtok_r(text, " ", &rest); next; next = strtok_r(NULL, " ", &rest)) override(&o, "%s", next);
  return open_scene(name, &o);
}

static inline void look_at_rod(const CpsWorld* world, CpsFibreId id, Heap* heap, double share) {
  CpsFibreInfo info;
  CpsFibrePoint root = {0}, p = {0};
  assert_int_equal(cps_world_fibre_info(world, id, &info), CPS_OK);
  assert_int_equal(cps_world_fibre_at(world, id, 0.0, &root), CPS_OK);
  for (int k = 0; k < HEAP_POINTS; ++k) {
    assert_int_equal(cps_world_fibre_at(world, id, info.length * k / (HEAP_POINTS - 1), &p), CPS_OK);
    heap->height = fmax(heap->height, p.position.z);
    heap->width += share / HEAP_POINTS * fabs(p.position.y);
    heap->fastest = fmax(heap->fastest, speed(p.velocity));
  }
  heap->straightness += share * distance(root.position, p.position) / info.length;
}

static inline Heap look_at(const CpsWorld* world) {
  Heap heap = {0};
  int32_t count = cps_world_fibre_count(world);
  for (int32_t i = 0; i < count; ++i) look_at_rod(world, cps_world_fibre(world, i), &heap, 1.0 / count);
  for (int32_t i = 0; i < cps_world_contact_count(world); ++i) {
    CpsContact c = cps_world_contact(world, i);
    if (c.side[0].thing.kind != CPS_THING_FIBRE || c.side[1].thing.kind != CPS_THING_FIBRE || !(c.impulse[0] > 0.0))
      continue;
    heap.slip = fmax(heap.slip, hypot(c.velocity[1], c.velocity[2]));
  }
  return heap;
}

// The heap at `time`.
static inline Heap heap_at(const char* name, double mu, double mu_plate, const char* more, double time) {
  CpsWorld* world = open_spaghetti(name, mu, mu_plate, more);
  Run run = run_until(world, time);
  Heap heap = look_at(world);
  assert_int_equal(run.unsolved, 0);
  assert_int_equal(run.crossings, 0);
  cps_world_destroy(world);
  return heap;
}

// The same where steps are solved to 1e-4 until `resting` and as the scene says from then on: impacts of some thousand
// contacts cost four times as much to 1e-8.
static inline Heap settled_heap(const char* name, double mu, double mu_plate, double resting, double time) {
  CpsWorld* world = open_spaghetti(name, mu, mu_plate, "");
  CpsWorldDef fine = cps_world_settings(world), coarse = fine;
  coarse.solver.tolerance = 1e-4;
  assert_int_equal(cps_world_configure(world, &coarse, NULL), CPS_OK);
  Run run = run_until(world, resting);
  assert_int_equal(run.unsolved, 0);
  assert_int_equal(run.crossings, 0);
  assert_int_equal(cps_world_configure(world, &fine, NULL), CPS_OK);
  run = run_until(world, time);
  assert_int_equal(run.unsolved, 0);
  assert_int_equal(run.crossings, 0);
  Heap heap = look_at(world);
  cps_world_destroy(world);
  return heap;
}

#endif
