// The common motion of neighbouring objects: a field of rigid velocities V(x) = v + w x (x - c), fitted to the pieces of lines. It
// leaves distances unchanged, so only deviations from it decide what may touch.
//
//   min over v, w  sum over pieces |v_i - V(x_i)|^2                                                                 (1)
//
// With c the mean of the x_i, v is the mean of the v_i and  sum (|d|^2 I - d d^T) w = sum d x v_i,  d = x_i - c.
#ifndef CAPSTAN_CONTACT_DRIFT_H
#define CAPSTAN_CONTACT_DRIFT_H

#include "geometry/collider.h"

typedef struct CpsDrift {
  CpsVec3 centre, velocity, spin;
} CpsDrift;

// Fits (1) to the colliders that are pieces of lines; zero if there are none.
CpsDrift cps_drift_fit(const CpsCollider* colliders, int32_t count);

static inline CpsVec3 cps_drift_at(const CpsDrift* drift, CpsVec3 x) {
  return cps_vec3_add(drift->velocity, cps_vec3_cross(drift->spin, cps_vec3_sub(x, drift->centre)));
}

#endif
