// From colliders to contacts: broad phase, narrow phase, in a fixed order.
#ifndef CAPSTAN_CONTACT_DETECT_H
#define CAPSTAN_CONTACT_DETECT_H

#include "contact/drift.h"
#include "core/pool.h"
#include "geometry/collide.h"
#include "geometry/collider.h"

// A touch of two colliders: a belongs to a member; b to another member with a higher index, to the same line, or to an
// obstacle.
typedef struct CpsColliderTouch {
  int32_t a, b;  // indices of colliders
  CpsTouch touch;
  CpsVec3 lead;  // contact/sweep.h
} CpsColliderTouch;

// Two colliders, at least one a piece of a line, that touch or nearly do: the reach of a piece is extended by this
// fraction of its radius.
static const double CPS_NEAR_SLACK = 0.5;
typedef struct CpsNear {
  int32_t a, b;
  double gap;  // smallest gap at the beginning
} CpsNear;

// Buffers kept from step to step. Otherwise detection is a pure function: nothing that influences results is stored.
typedef struct CpsDetector CpsDetector;
CpsDetector* cps_detector_create(void);  // NULL: out of memory
void cps_detector_destroy(CpsDetector* detector);
// Searches use memory of this arena and release it afterwards.
void cps_detector_lend(CpsDetector* detector, CpsArena* arena);

// All touches whose gap, closed by the velocities over the step h, is at most reach_a + reach_b + skin, in ascending order of
// (a, b, feature): the same for any pool. Skips pairs of pieces of one owner or of one group > 0, and pairs of obstacles, except
// for pieces of one line that are self_distance from each other. Joined pieces report each touch once (chain.h).
// @param drift       common motion of everything; departures from it are in the colliders
// @param[out] found  owned by the detector, valid until the next call
// @return false: out of memory
bool cps_detect_moving(CpsDetector* detector, const CpsCollider* colliders, int32_t count, double h,
                       const CpsDrift* drift, double skin, CpsPool* pool, const CpsColliderTouch** found,
                       int32_t* found_count);
// The pairs with a line piece that had such touches, or would have with the slack, in ascending order. Other pairs can meet only
// if they move farther than their reach and slack. Valid until the next call.
const CpsNear* cps_detector_near(const CpsDetector* detector, int64_t* count);
// Room for touches in the memory of a detector that has searched before. It overwrites the touches of the last search, so only
// callers that no longer need them may use it. Valid until the next search. NULL: out of memory.
CpsColliderTouch* cps_detector_room(CpsDetector* detector, int64_t count);
// As cps_detect_moving() without velocities: gap <= reach_a + reach_b + skin.
bool cps_detect(CpsDetector* detector, const CpsCollider* colliders, int32_t count, double skin, CpsPool* pool,
                const CpsColliderTouch** found, int32_t* found_count);

#endif
