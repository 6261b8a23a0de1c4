// The kinematics of one generated rod: a clamped super-helix, piecewise constant curvature.
#ifndef CAPSTAN_FRICTION_GENERATE_ROD_H
#define CAPSTAN_FRICTION_GENERATE_ROD_H

#include "core/vec3.h"

enum { CPS_ROD_DOFS_MAX = 300 };

typedef struct CpsRod {
  CpsVec3 root;     // clamped end, m
  CpsMat3 frame;    // orientation there; its first column is the tangent
  int dofs;         // 3 per element
  double length;    // m, elements are equal
  const double* k;  // dofs material curvatures, 1/m: twist and two bendings of each element
} CpsRod;

// Position and tangent at arc length s in [0, length], and the 3 x dofs position Jacobian, row-major; J may be NULL.
void cps_rod_at(const CpsRod* rod, double s, CpsVec3* x, CpsVec3* tangent, double* J);

#endif
