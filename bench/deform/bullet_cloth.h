// Bullet's deformable world behind C: a sheet on a slope.
#ifndef CAPSTAN_BENCH_DEFORM_BULLET_CLOTH_H
#define CAPSTAN_BENCH_DEFORM_BULLET_CLOTH_H

#include "capstan/vec.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BulletCloth BulletCloth;
typedef struct BulletSheet {
  const CpsVec3* vertices;
  int vertex_count;
  const int32_t* triangles;
  int triangle_count;
  double density, thickness, stretch;  // kg/m2, m, N/m
  double slope, mu, gravity;           // radians, -, m/s2
  double step;                         // s
} BulletSheet;

// The sheet lies on the slope, as the vertices say.
BulletCloth* bullet_cloth_create(const BulletSheet* sheet);
void bullet_cloth_destroy(BulletCloth* cloth);
void bullet_cloth_step(BulletCloth* cloth);
void bullet_cloth_look(const BulletCloth* cloth, CpsVec3* x, CpsVec3* v);  // v may be NULL

#ifdef __cplusplus
}
#endif
#endif
