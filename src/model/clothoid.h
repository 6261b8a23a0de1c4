// A space clothoid: the element of a rod whose material curvature varies linearly along it,
//
//   k(s) = k0 + (s / l) (k1 - k0),    R' = R [k]x,    r' = R e,   e the first axis                                (1)
//
// with the quantities carried along it: velocities, and the derivatives of frame and position with respect to k0 and k1.
// A walk passes through it in pieces short enough for a power series; see clothoid.c.
#ifndef CAPSTAN_MODEL_CLOTHOID_H
#define CAPSTAN_MODEL_CLOTHOID_H

#include "core/vec3.h"

#include <stdbool.h>

typedef struct CpsClothoid {
  CpsVec3 k0, k1;  // 1/m, at its beginning and its end
  double length;   // m
} CpsClothoid;

// Its motion, in world axes except for the rates.
typedef struct CpsClothoidMotion {
  CpsVec3 rate0, rate1;    // of k0 and k1
  CpsVec3 spin, velocity;  // of its first section
} CpsClothoidMotion;

// Lanes carried by a walk. Each value includes the previous ones, except CPS_CLOTHOID_STATIC, which has no motion.
typedef enum CpsClothoidCarry {
  CPS_CLOTHOID_FRAME = 4,    // R, r
  CPS_CLOTHOID_MOTION = 6,   // spin, velocity
  CPS_CLOTHOID_STATIC = 16,  // R, r and their derivatives: four full vectors of four
  CPS_CLOTHOID_JACOBIAN =
      20  // d r, and the rotation vector of d R, by k0 and k1; two lanes fill the last vector of four
} CpsClothoidCarry;

enum { CPS_CLOTHOID_ORDER = 36, CPS_CLOTHOID_LANES = 20 };

typedef struct CpsClothoidWalk {
  CpsClothoid clothoid;
  CpsVec3 slope, rate, rate_slope;  // dk/ds, rate of k at s = 0, d rate / ds
  int lanes;
  double until;     // m, end of the walk
  double at, size;  // the current piece, m
  int order;        // of its series
  double term[CPS_CLOTHOID_ORDER + 1][3][CPS_CLOTHOID_LANES];
} CpsClothoidWalk;

// A point of the clothoid in world axes, filled as far as the walk carries it.
typedef struct CpsClothoidPoint {
  CpsMat3 frame;              // R, columns are the axes of the section
  CpsVec3 position;           // relative to the beginning of the clothoid
  CpsVec3 spin, velocity;     // of the section
  CpsVec3 turn[6], slide[6];  // by the components of k0, then of k1
} CpsClothoidPoint;

// Starts at s = 0 with the frame R0 of the first section and ends at s = until <= length; motion may be NULL if none is carried.
void cps_clothoid_start(CpsClothoidWalk* walk, const CpsClothoid* clothoid, double until, CpsClothoidCarry carry,
                        const CpsMat3* R0, const CpsClothoidMotion* motion);
// Advances to the next piece; false after the last. There is at least one.
bool cps_clothoid_next(CpsClothoidWalk* walk);
// Evaluates at the fraction t in [0, 1] of the current piece.
void cps_clothoid_read(const CpsClothoidWalk* walk, double t, CpsClothoidPoint* point);
// Derivatives without the turns: half the work.
void cps_clothoid_read_slides(const CpsClothoidWalk* walk, double t, CpsVec3* position, CpsVec3 slide[6]);
// The point at s, by a whole walk.
void cps_clothoid_at(const CpsClothoid* clothoid, double s, CpsClothoidCarry carry, const CpsMat3* R0,
                     const CpsClothoidMotion* motion, CpsClothoidPoint* point);
#endif
