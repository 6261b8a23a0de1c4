// Spots: where sweeps with momentum still have work to do, in a problem of rigid bodies that is solved elsewhere.
#ifndef CAPSTAN_FRICTION_GLOBAL_SPOTS_H
#define CAPSTAN_FRICTION_GLOBAL_SPOTS_H

#include "friction/global/domains.h"
#include "friction/global/momentum.h"

typedef struct CpsSpots {
  const CpsProblem* problem;  // NULL: everything is swept
  bool* body;                 // of each body: belongs to a spot
  bool* contact;              // the same of each contact
  bool* open;                 // contacts above the bound
  CpsDomains lists;           // contacts of the spots, in the lists of the domains; count 0: all contacts are swept
  int32_t unsolved;           // how many these are
  double share;               // of the contacts that a sweep visits, 1: all
} CpsSpots;

// Memory linear in the contacts. Returns false if memory runs out.
bool cps_spots_create(CpsSolve* solve, const CpsDomains* domains, CpsSpots* spots);
// Finds the spots of the impulses of `momentum`, with velocities u: contacts whose error is above `bound` and two rings around
// them. What lies outside rests until the next call, and loses its momentum. Where the spots are most of the problem nothing
// rests.
void cps_spots_find(CpsSpots* spots, const CpsDomains* domains, const double* u, double bound, CpsMomentum* momentum);

#endif
