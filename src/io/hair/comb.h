// Where generated hair grows and how it lies at the start: pure geometry, without random numbers.
#ifndef CAPSTAN_IO_HAIR_COMB_H
#define CAPSTAN_IO_HAIR_COMB_H

#include "core/quat.h"
#include "core/random.h"

#include <stdbool.h>
#include <stdint.h>

// A ball or capsule that hair lies on: all points nearer than `radius` to the segment from a to b.
typedef struct CpsRoundBody {
  CpsVec3 a, b;
  double radius;
} CpsRoundBody;

// The scalp: part of a sphere about the origin, z upwards, the face towards y. Hair grows down to the angle `nape` from
// the top at the back and `hairline` at the front.
typedef struct CpsScalp {
  double radius, nape, hairline;
} CpsScalp;

// `count` unit normals, well spread over the scalp and moved by up to `jitter` of their distance.
void cps_scalp_roots(const CpsScalp* scalp, int32_t count, double jitter, CpsRandom* random, CpsVec3* normals);
// Direction of growth at a normal: `lift` of the normal and the rest downwards along the scalp, at the top away from a
// parting in the plane x = 0.
CpsVec3 cps_scalp_direction(CpsVec3 normal, double lift, double parting);

// How hair falls: it turns downwards over the length `fall`, keeps `clearance` from the head and `berth` from the other
// bodies.
typedef struct CpsComb {
  double fall, clearance, berth;
  int32_t head;  // which of the bodies; -1: none
  int32_t body_count;
  const CpsRoundBody* bodies;
} CpsComb;

// How long a hair can be, at most `length`, before it would stand on another body than the head. What meets a body at a
// small angle lies down on it.
double cps_comb_reach(const CpsComb* comb, CpsVec3 root, CpsVec3 direction, double length);
// `count` points at equal distances of a hair of that length.
void cps_comb(const CpsComb* comb, CpsVec3 root, CpsVec3 direction, double length, int32_t count, CpsVec3* points);

// A line beside another: the point i of `path` moved by y and z of `offset` along axes that are carried along it without
// twist, the first of them nearest to `across`.
void cps_comb_beside(const CpsVec3* path, int32_t count, CpsVec3 across, CpsVec3 offset, CpsVec3* points);

// A lock of that length that winds about a path: for each of `elements` the curvature of the helix whose axis is the path's direction
// there, wound as `natural` (twist, 0, bending) is. `root` is the frame to begin with; the lock begins where the path does
// and lies on the side of `outwards`.
void cps_comb_curl(const CpsVec3* path, int32_t count, double length, CpsVec3 natural, CpsVec3 outwards,
                   int32_t elements, CpsQuat* root, CpsVec3* curvature);

#endif
