// Second derivatives of four tetrahedra at once: the inner loop of cps_solid_hessian().
#ifndef CAPSTAN_MODEL_SOLID_FOUR_H
#define CAPSTAN_MODEL_SOLID_FOUR_H

#include "model/solid_law.h"

// A tetrahedron in each lane.
typedef struct CpsSolidFour {
  _Alignas(32) double edge[3][3][4];      // from corner 0 to the others; component, lane
  _Alignas(32) double gradient[3][3][4];  // of the weights of corners 1 to 3
  const CpsSolidMatter* matter[4];
} CpsSolidFour;

// Blocks (0,0) (1,0) (1,1) (2,0) … of tetrahedra of volume 1. framed: in the frame of the stretches, needed by corotated and by all kinds
// except the exact one. Lanes marked not good are too flat for it; use cps_solid_modes() for them.
void cps_solid_four(const CpsSolidFour* four, CpsHessianKind kind, bool framed, bool good[4], double out[10][9][4]);

#endif
