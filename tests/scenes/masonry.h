// What the short and the long test of masonry share.
#ifndef CAPSTAN_TESTS_SCENES_MASONRY_H
#define CAPSTAN_TESTS_SCENES_MASONRY_H

#include "scenes/scene_world.h"

enum { MOST_BODIES = 256 };

// Largest way that a body of the scene went.
static inline double largest_way(const CpsWorld* world, const CpsVec3* start) {
  double way = 0.0;
  for (int32_t i = 0; i < cps_world_body_count(world); ++i) {
    way = fmax(way, distance(body(world, i).centre, start[i]));
  }
  return way;
}

// Runs a world until `time` and says how far a body moved.
static inline double settle_and_measure(CpsWorld* world, double time, Run* run) {
  static CpsVec3 start[MOST_BODIES];
  assert_true(cps_world_body_count(world) <= MOST_BODIES);
  for (int32_t i = 0; i < cps_world_body_count(world); ++i) start[i] = body(world, i).centre;
  *run = run_until(world, time);
  return largest_way(world, start);
}

// Least friction with which an arch of n wedge stones, n odd, stands if it is thick enough not to turn about edges: with
// the weight of a stone 1, the joint at angle phi_k = (k - 1/2) pi / n from the crown carries V_k = k - 1/2 beside the
// thrust H, and needs |atan(V_k / H) - phi_k| <= atan(mu). The best H is looked for.
static inline double arch_limit(int stones) {
  double least = INFINITY;
  for (int i = 1; i <= 100000; ++i) {
    double H = 1e-4 * i * stones, worst = 0.0;
    for (int k = 1; k <= (stones + 1) / 2; ++k) {
      double phi = (k - 0.5) * 3.14159265358979323846 / stones;
      worst = fmax(worst, fabs(atan((k - 0.5) / H) - phi));
    }
    least = fmin(least, tan(worst));
  }
  return least;
}

static inline double arch_way(double mu, double time, Run* run) {
  Overrides o = {0};
  override(&o, "mu=%.17g", mu);
  CpsWorld* world = open_scene("arch.yaml", &o);
  double way = settle_and_measure(world, time, run);
  cps_world_destroy(world);
  return way;
}

#endif
