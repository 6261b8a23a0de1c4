/// @file vec.h
/// Points, rotations and poses by value. Metres, right-handed; quaternions have the scalar first.
#ifndef CAPSTAN_VEC_H
#define CAPSTAN_VEC_H

#ifdef __cplusplus
extern "C" {
#endif

/// A point or a vector.
typedef struct CpsVec3 {
  double x, y, z;
} CpsVec3;

/// A rotation as a unit quaternion w + xi + yj + zk; {1, 0, 0, 0} is no rotation. Inputs are normalised.
typedef struct CpsQuat {
  double w, x, y, z;
} CpsQuat;

/// Position and rotation of an object: x_world = position + rotation x_own.
typedef struct CpsPose {
  CpsVec3 position;  ///< m
  CpsQuat rotation;  ///< unit
} CpsPose;

#ifdef __cplusplus
}
#endif
#endif
