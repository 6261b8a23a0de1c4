// The contacts that sweeps leave unsolved, with their neighbours, in uncoupled groups.
#ifndef CAPSTAN_FRICTION_GLOBAL_CLUSTERS_H
#define CAPSTAN_FRICTION_GLOBAL_CLUSTERS_H

#include "core/arena.h"
#include "friction/problem.h"

typedef struct CpsClusters {
  int32_t count;
  int32_t* start;    // count + 1: members of each cluster in `contact`
  int32_t* contact;  // contact of each member, ascending within a cluster
  int32_t* member;   // of each contact: its number within its cluster, -1 if it is in none
} CpsClusters;

// Groups the contacts whose error (cps_law_error()) exceeds `bound` and the contacts coupled to them. u: velocities of r.
// Returns false if memory runs out.
bool cps_clusters_find(const CpsProblem* problem, const double* r, const double* u, double bound, CpsArena* arena,
                       CpsClusters* clusters);
// The same for contacts known to be unsolved.
bool cps_clusters_around(const CpsProblem* problem, const bool* unsolved, CpsArena* arena, CpsClusters* clusters);

#endif
