// Scenes that every engine can build: bodies of three shapes over a floor, perhaps inside four walls.
#ifndef CAPSTAN_BENCH_WORLD_SCENE_H
#define CAPSTAN_BENCH_WORLD_SCENE_H

#include "capstan/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CPS_BENCH_GRAVITY 9.81

typedef struct CpsBenchBody {
  CpsShape shape;   // sphere, box or capsule
  double mass;      // kg
  CpsVec3 inertia;  // about the axes of the shape, kg m^2
} CpsBenchBody;

typedef struct CpsBenchState {
  CpsPose pose;
  CpsVec3 velocity, angular_velocity;  // world axes
} CpsBenchState;

typedef struct CpsBenchScene {
  const char* name;
  double half_width;  // walls at x, y = ± this; 0: only the floor z = 0
  double mu;
  double step;  // s
  int32_t body_count;
  CpsBenchBody* bodies;
  CpsBenchState* start;
} CpsBenchScene;

// Each makes a scene of its own; false if memory is short. Same bits for the same arguments.
bool cps_bench_spheres(CpsBenchScene* scene, const char* name, int32_t count, int32_t per_side);
// Twenty courses of twenty-five bricks, each course a third of a brick beside the one below.
bool cps_bench_wall(CpsBenchScene* scene);
bool cps_bench_pile(CpsBenchScene* scene, int32_t count, int32_t per_side);
// One body of the given shape touching the floor, moving along x; for the checks.
bool cps_bench_single(CpsBenchScene* scene, CpsShape shape, double height, double speed);
void cps_bench_scene_free(CpsBenchScene* scene);

#ifdef __cplusplus
}
#endif
#endif
