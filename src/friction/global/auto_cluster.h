// Newton's method on the contacts that Gauss-Seidel leaves unsolved, for problems too large to factor as a whole.
#ifndef CAPSTAN_FRICTION_GLOBAL_AUTO_CLUSTER_H
#define CAPSTAN_FRICTION_GLOBAL_AUTO_CLUSTER_H

#include "friction/global/gs_loop.h"

// Down to this tolerance sweeps may use momentum if bodies are not rigid (auto.c).
#define CPS_MOMENTUM_TOLERANCE_OTHERS 1e-5

// Memory of the threads that solve clusters; the workspace keeps it between solves.
typedef struct CpsClusterWorkers CpsClusterWorkers;
#ifdef CAPSTAN_DIRECT
void cps_cluster_workers_free(CpsClusterWorkers* workers);  // NULL: nothing
void cps_cluster_workers_age(CpsClusterWorkers* workers);   // cps_workspace_age() of theirs
#else
static inline void cps_cluster_workers_free(CpsClusterWorkers* workers) {
  (void)workers;  // without the direct methods there are no clusters
}
static inline void cps_cluster_workers_age(CpsClusterWorkers* workers) {
  (void)workers;
}
#endif

// Solves the contacts whose error is above the tolerance, with their neighbours, by the proximal method, all others fixed;
// updates r and the loop's state. Uncoupled groups are solved one by one; groups that are too large are skipped. The loop's u
// must be that of r (cps_gs_loop_measure()). *members: number of contacts solved this way.
CpsStatus cps_auto_cluster(CpsSolve* solve, CpsGsLoop* loop, double* r, int32_t* members);

#endif
