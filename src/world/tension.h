// The axial force of fibres by the balance of forces; see tension.c.
#ifndef CAPSTAN_WORLD_TENSION_H
#define CAPSTAN_WORLD_TENSION_H

#include "capstan/fibre.h"
#include "core/arena.h"

// A force on a point of a fibre.
typedef struct CpsPointForce {
  double s;
  CpsVec3 force;
} CpsPointForce;

// The point forces of the last step by place of the fibre.
typedef struct CpsPointForces {
  CpsArena memory;
  int64_t* start;  // places + 1 offsets
  CpsPointForce* force;
} CpsPointForces;

// Of all fibres, or of one place only; false if memory is short. Free the memory in any case.
bool cps_point_forces_gather(const CpsWorld* world, int32_t only, CpsPointForces* forces);
void cps_point_forces_free(CpsPointForces* forces);

// The axial force at `count` >= 2 equally spaced arc lengths of a branch (0: the trunk), N, positive where it is pulled.
// CPS_UNSUPPORTED, with zeros, where a tip is held by a force that the model does not know; CPS_NO_MEMORY.
CpsStatus cps_tension_of_branch(const CpsWorld* world, const CpsPointForces* forces, int32_t place, int32_t branch,
                                int32_t count, double* tension);

#endif
