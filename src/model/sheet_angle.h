// The angle between two triangles that share an edge, with its first and second derivatives.
#ifndef CAPSTAN_MODEL_SHEET_ANGLE_H
#define CAPSTAN_MODEL_SHEET_ANGLE_H

#include "core/vec3.h"

// Four points a, b, c, d: triangles (a, b, c) and (b, a, d). The angle is in (-pi, pi], 0 if they are coplanar, positive if
// they fold towards the side of their normals.
double cps_hinge_angle(const CpsVec3 x[4]);
// The same with the gradient with respect to the four points. Triangles must not be degenerate.
double cps_hinge_gradient(const CpsVec3 x[4], CpsVec3 gradient[4]);
// Second derivatives: block (i, j) of the 4 x 4 blocks is d gradient[i] / d x[j].
void cps_hinge_hessian(const CpsVec3 x[4], CpsMat3 hessian[4][4]);

#endif
