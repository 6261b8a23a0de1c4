// Spots: the regions where sweeps with momentum still have work, in an otherwise solved problem of rigid bodies.
#ifndef CAPSTAN_FRICTION_GLOBAL_SPOTS_H
#define CAPSTAN_FRICTION_GLOBAL_SPOTS_H

#include "friction/global/domains.h"
#include "friction/global/momentum.h"

typedef struct CpsSpots {
  const CpsProblem* problem;  // NULL: all contacts are swept
  bool* body;                 // bodies that belong to a spot
  bool* contact;              // contacts that belong to a spot
  bool* open;                 // contacts above the bound
  CpsDomains lists;           // contacts of the spots, in the lists of the domains; count 0: all contacts are swept
  int32_t unsolved;           // number of open contacts
  double share;               // share of the contacts visited by a sweep, 1: all
} CpsSpots;

// Memory linear in the contacts. Returns false if memory runs out.
bool cps_spots_create(CpsSolve* solve, const CpsDomains* domains, CpsSpots* spots);
// Finds the spots of the impulses of `momentum`, with velocities u: contacts whose error exceeds `bound` and two rings around
// them. All others rest until the next call and lose their momentum. If the spots cover most of the problem, nothing rests.
void cps_spots_find(CpsSpots* spots, const CpsDomains* domains, const double* u, double bound, CpsMomentum* momentum);

#endif
