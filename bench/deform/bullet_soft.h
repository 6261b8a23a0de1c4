// Bullet's deformable world behind C: a sheet or a soft solid on a slope.
#ifndef CAPSTAN_BENCH_DEFORM_BULLET_SOFT_H
#define CAPSTAN_BENCH_DEFORM_BULLET_SOFT_H

#include "capstan/vec.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BulletSoft BulletSoft;
typedef struct BulletThing {
  const CpsVec3* vertices;
  const CpsVec3* velocities;  // m/s; NULL: at rest
  int vertex_count;
  const int32_t* triangles;  // of a sheet
  int triangle_count;
  double density, thickness, stretch;  // kg/m2, m, N/m
  const int32_t* tetrahedra;           // of a solid; NULL: a sheet
  int tetrahedron_count;
  double mass, young, poisson;  // kg, Pa, -; of a solid, whose thickness is that of its rim on both sides
  bool implicit;                // elasticity; of a solid
  double slope, mu, gravity;    // radians, -, m/s2
  double step;                  // s
} BulletThing;

// It lies on the slope, or above it, as the vertices say.
BulletSoft* bullet_soft_create(const BulletThing* thing);
void bullet_soft_destroy(BulletSoft* soft);
void bullet_soft_step(BulletSoft* soft);
void bullet_soft_look(const BulletSoft* soft, CpsVec3* x, CpsVec3* v);  // v may be NULL

#ifdef __cplusplus
}
#endif
#endif
