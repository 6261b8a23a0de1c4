// Moving smooth surfaces: their touches with shapes and with points. See smooth.c.
#ifndef CAPSTAN_CONTACT_SMOOTH_H
#define CAPSTAN_CONTACT_SMOOTH_H

#include "geometry/collider.h"
#include "geometry/field.h"

typedef enum CpsSmoothKind {
  CPS_SMOOTH_VERTEX = 8,  // a vertex, moved onto the smooth surface, and a shape
  CPS_SMOOTH_LOWEST = 9,  // a place of the smooth surface that is nearest to a shape, and the shape
  CPS_SMOOTH_FIELD = 10   // a point of something else and the smooth surface
} CpsSmoothKind;

typedef struct CpsSmoothTouch {
  int32_t kind;      // CpsSmoothKind, and 16 times the round in which it met
  int32_t surface;   // which smooth surface
  int32_t node;      // of it, for its name; FIELD: of the other, unless it is a collider's
  int32_t collider;  // the other, or
  int32_t other;     // the smooth surface that it is a node of; -1
  CpsVec3 place;     // where both are met
  CpsVec3 normal;    // towards the smooth surface; FIELD: towards the point
  double gap;
  uint64_t key_a, key_b;  // for the one who sorts
} CpsSmoothTouch;

// The kind of a touch, without the round in which it met (world/smooth_impacts.c).
static inline CpsSmoothKind cps_smooth_kind(const CpsSmoothTouch* touch) {
  return (CpsSmoothKind)(touch->kind & 15);
}

typedef struct CpsSmoothList {
  CpsArena* arena;
  CpsSmoothTouch* touch;
  int64_t count, capacity;
} CpsSmoothList;

bool cps_smooth_put(CpsSmoothList* list, const CpsSmoothTouch* touch);  // false if memory runs out

// A point that may touch a smooth surface, with a radius around it.
typedef struct CpsSmoothPoint {
  CpsVec3 x, way;  // way: free motion in the step
  double radius;
} CpsSmoothPoint;

// Touches of the surface and a shape. Every function returns false if memory runs out.
bool cps_smooth_shape(const CpsSmoothMesh* mesh, const CpsField* field, const CpsCollider* collider, double h,
                      double skin, const CpsSmoothTouch* model, CpsSmoothList* out);
// Touches of the surface and a point.
bool cps_smooth_point(const CpsSmoothMesh* mesh, const CpsField* field, const CpsSmoothPoint* point, double skin,
                      const CpsSmoothTouch* model, CpsSmoothList* out);

#endif
