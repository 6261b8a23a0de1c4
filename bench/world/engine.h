// What the benchmark asks of an engine. Each lives behind one function that returns this table, or NULL where the engine
// is not installed.
#ifndef CAPSTAN_BENCH_WORLD_ENGINE_H
#define CAPSTAN_BENCH_WORLD_ENGINE_H

#include "world/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// A contact of the last step as the engine saw it. The engine's own law at it is Coulomb's for
//   u + (bias, 0, 0),   u = velocity of a at point_a relative to b at point_b after the step.
typedef struct CpsBenchContact {
  int32_t a, b;              // bodies; b = -1: floor or wall
  CpsVec3 point_a, point_b;  // world
  CpsVec3 normal;            // unit, from b to a
  double gap;                // m, negative: overlap
  double bias;  // m/s: gap / h where the engine lets a gap close; minus the speed at which it undoes overlap
  double mu;
  CpsVec3 impulse;  // on a, N·s, world axes
} CpsBenchContact;

typedef struct CpsBenchSettings {
  int sweeps;          // of the iterative solver; 0: as the engine comes
  double tolerance;    // Capstan only
  const char* method;  // Capstan only; NULL: auto
  int threads;         // Capstan only
  bool no_polish;      // Capstan only: do not solve what sticks to rounding
  bool
      no_projection;  // Capstan only: do not push overlap apart, nor make a step again with contacts that it has broken
} CpsBenchSettings;

typedef struct CpsBenchEngine {
  const char* name;
  void* (*create)(const CpsBenchScene* scene, const CpsBenchSettings* settings);
  void (*destroy)(void* world);
  // Puts every body somewhere and forgets the impulses of earlier steps.
  void (*set_state)(void* world, const CpsBenchState* states);
  void (*get_state)(const void* world, CpsBenchState* states);
  // Changes the settings; NULL where the benchmark does not need it.
  void (*configure)(void* world, const CpsBenchSettings* settings);
  // One step; false: it was made but not solved to the tolerance (engines without one always say true).
  bool (*step)(void* world);
  // Residual of the last step by cps_problem_residual(), where the engine can tell; otherwise NULL.
  double (*residual)(const void* world);
  // CPU seconds (Capstan: wall-clock) of the last step without detection.
  double (*solve_seconds)(const void* world);
  int32_t (*contact_count)(const void* world);
  // Contacts of the last step, contact_count() of them.
  void (*contacts)(const void* world, CpsBenchContact* contacts);
} CpsBenchEngine;

const CpsBenchEngine* cps_bench_capstan(void);
const CpsBenchEngine* cps_bench_ode(void);
// Bullet as it comes: one direction of friction per contact, chosen along the sliding velocity.
const CpsBenchEngine* cps_bench_bullet(void);
// With SOLVER_USE_2_FRICTION_DIRECTIONS.
const CpsBenchEngine* cps_bench_bullet_2(void);

#ifdef __cplusplus
}
#endif
#endif
