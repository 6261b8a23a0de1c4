// Shared by the tests of ropes that touch themselves: sums over a run, the distance of the ends, twist and writhe.
#ifndef CAPSTAN_TESTS_SCENES_ROPES_H
#define CAPSTAN_TESTS_SCENES_ROPES_H

#include "capstan/fibre.h"
#include "core/vec3.h"
#include "scenes/scene_world.h"

typedef struct Rope {
  CpsFibreInfo info;
  double ends;         // distance between them
  int64_t crossings;   // so far
  double penetration;  // largest of the last run
  int64_t unsolved;
} Rope;

static inline CpsVec3 rope_point(const CpsWorld* world, double s) {
  CpsFibrePoint p;
  assert_int_equal(cps_world_fibre_at(world, cps_world_fibre(world, 0), s, &p), CPS_OK);
  return p.position;
}

// Steps to a time, counting.
static inline void run_rope(CpsWorld* world, double until, Rope* rope) {
  double h = cps_world_settings(world).step;
  rope->penetration = 0.0;
  while (cps_world_time(world) < until - 0.5 * h) {
    CpsStepInfo info;
    CpsStatus status = cps_world_step(world, &info, NULL);
    assert_true(status >= 0);
    rope->crossings += info.crossings;
    rope->unsolved += status > 0;
    rope->penetration = fmax(rope->penetration, info.penetration);
  }
  assert_int_equal(cps_world_fibre_info(world, cps_world_fibre(world, 0), &rope->info), CPS_OK);
  rope->ends = distance(rope_point(world, 0.0), rope_point(world, rope->info.length));
}

// Total twist over the joints of a discrete elastic rod, in turns.
static inline double twist_turns(const CpsWorld* world, const Rope* rope) {
  double l = rope->info.length / rope->info.elements, sum = 0.0;
  for (int32_t i = 0; i <= rope->info.elements; ++i) {
    CpsFibrePoint p;
    assert_int_equal(cps_world_fibre_at(world, cps_world_fibre(world, 0), i * l, &p), CPS_OK);
    sum += p.curvature.x * (i == 0 || i == rope->info.elements ? 0.5 * l : l);
  }
  return sum / (2.0 * acos(-1.0));
}

// Signed area that two segments span on the sphere of directions, over 2 pi (Klenin and Langowski 2000).
static inline double writhe_of(CpsVec3 a, CpsVec3 b, CpsVec3 c, CpsVec3 d) {
  CpsVec3 r[4] = {cps_vec3_sub(c, a), cps_vec3_sub(d, a), cps_vec3_sub(d, b), cps_vec3_sub(c, b)}, n[4];
  for (int k = 0; k < 4; ++k) n[k] = cps_vec3_unit(cps_vec3_cross(r[k], r[(k + 1) % 4]));
  double area = 0.0;
  for (int k = 0; k < 4; ++k) area += asin(fmin(fmax(cps_vec3_dot(n[k], n[(k + 1) % 4]), -1.0), 1.0));
  double side = cps_vec3_dot(cps_vec3_cross(cps_vec3_sub(d, c), cps_vec3_sub(b, a)), cps_vec3_sub(c, a));
  return side == 0.0 ? 0.0 : copysign(area, side) / (2.0 * acos(-1.0));
}

// Writhe of the polygon, made endless by long straight pieces along x at both ends.
static inline double writhe(const CpsWorld* world, const Rope* rope) {
  enum { MOST = 400 };
  CpsVec3 x[MOST];
  int32_t n = rope->info.elements, count = n + 3;
  assert_true(count <= MOST);
  for (int32_t i = 0; i <= n; ++i) x[i + 1] = rope_point(world, i * rope->info.length / n);
  x[0] = cps_vec3(x[1].x - 1e4, x[1].y, x[1].z);
  x[count - 1] = cps_vec3(x[n + 1].x + 1e4, x[n + 1].y, x[n + 1].z);
  double sum = 0.0;
  for (int32_t i = 0; i + 1 < count; ++i)
    for (int32_t j = i + 2; j + 1 < count; ++j) sum += writhe_of(x[i], x[i + 1], x[j], x[j + 1]);
  return sum;
}

#endif
