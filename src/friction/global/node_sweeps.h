// Sweeps over a problem whose large members are nodes with one mass each (node_sweeps.c).
#ifndef CAPSTAN_FRICTION_GLOBAL_NODE_SWEEPS_H
#define CAPSTAN_FRICTION_GLOBAL_NODE_SWEEPS_H

#include "friction/global/node_rows.h"

// Sweeps from r until the solve ends, or until more than `patience` further sweeps are expected (INFINITY: never). *go
// is false when the solve is over. Returns CPS_OK or CPS_NO_MEMORY.
CpsStatus cps_node_sweeps(CpsSolve* solve, double patience, double* r, bool* go);

#endif
