// Where generated hair grows and its initial shape: pure geometry, without random numbers.
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
// Direction of growth at a normal: a fraction `lift` along the normal, the rest downwards along the scalp. On top, hair grows away
// from a parting in the plane x = 0.
CpsVec3 cps_scalp_direction(CpsVec3 normal, double lift, double parting);

// How hair falls: it turns downwards over the length `fall`, keeps the distance `clearance` from the head and `berth` from the
// other bodies.
typedef struct CpsComb {
  double fall, clearance, berth;
  int32_t head;  // which of the bodies; -1: none
  int32_t body_count;
  const CpsRoundBody* bodies;
} CpsComb;

// The greatest length of a hair, up to `length`, at which it does not yet stand on a body other than the head. Hair that meets a
// body at a small angle lies down on it.
double cps_comb_reach(const CpsComb* comb, CpsVec3 root, CpsVec3 direction, double length);
// `count` equally spaced points of a hair of that length.
void cps_comb(const CpsComb* comb, CpsVec3 root, CpsVec3 direction, double length, int32_t count, CpsVec3* points);

// A line parallel to another: the point i of `path`, offset by y and z of `offset` along axes transported along the path without
// twist. The first axis starts nearest to `across`.
void cps_comb_beside(const CpsVec3* path, int32_t count, CpsVec3 across, CpsVec3 offset, CpsVec3* points);

// A lock of that length that winds around a path. For each of `elements`: the curvature of the helix whose axis has the direction of
// the path there, wound as `natural` (twist, 0, bending). `root` is the initial frame; the lock begins at the start of the path,
// on the side of `outwards`.
void cps_comb_curl(const CpsVec3* path, int32_t count, double length, CpsVec3 natural, CpsVec3 outwards,
                   int32_t elements, CpsQuat* root, CpsVec3* curvature);

#endif
