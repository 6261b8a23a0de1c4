// Membrane laws: stress and tangent moduli as functions of Green's strain, and the resulting terms of a triangle.
#ifndef CAPSTAN_MODEL_SHEET_MEMBRANE_H
#define CAPSTAN_MODEL_SHEET_MEMBRANE_H

#include "model/pattern.h"
#include "model/sheet_mesh.h"

// Small-strain stiffness, N/m; the law; and its precomputed constants.
typedef struct CpsMembrane {
  CpsMembraneLaw law;
  double C11, C22, C12, C66;  // stvk, neo-hookean: remainder beside its isotropic part; baraff-witkin: C12 = 0
  double mu, lambda;          // Lame's constants times the thickness of the isotropic part of neo-hookean
} CpsMembrane;

// Energy per area, second Piola-Kirchhoff stress and tangent at a strain (E11, E22, 2 E12).
typedef struct CpsMembraneStress {
  double energy;         // N/m; infinite where the law does not admit the strain
  double S[3];           // S11, S22, S12, N/m
  double tangent[3][3];  // dS / d(E11, E22, 2 E12)
} CpsMembraneStress;

CpsMembrane cps_membrane_make(const CpsSheetDef* def);
CpsMembraneStress cps_membrane_stress(const CpsMembrane* membrane, const double strain[3]);

// A triangle: x = sum of corners, F = dx/dX = [f_1 f_2] with f_a = sum_i b_i[a] x_i.
typedef struct CpsTriangleShape {
  double b[3][2];  // 1/m
  double area;     // m^2
} CpsTriangleShape;
// rest: its corners in its plane, counter-clockwise
CpsTriangleShape cps_triangle_shape(const CpsVec2 rest[3]);
// Green's strain (E11, E22, 2 E12).
void cps_triangle_strain(const CpsTriangleShape* shape, const CpsVec3 x[3], double strain[3]);

// Energy of a triangle and its gradient (NULL: not requested).
double cps_membrane_force(const CpsMembrane* membrane, const CpsTriangleShape* shape, const CpsVec3 x[3],
                          CpsVec3 gradient[3]);
// Second derivatives in lower blocks (0,0) (1,0) (1,1) (2,0) (2,1) (2,2); clamped: made positive semi-definite by dropping
// negative eigenvalues, in the plane and across it.
void cps_membrane_hessian(const CpsMembrane* membrane, const CpsTriangleShape* shape, const CpsVec3 x[3],
                          CpsHessianKind kind, CpsMat3 hessian[6]);
// Columns of F of a triangle rotated as at x but not stretched.
void cps_triangle_turned(const CpsTriangleShape* shape, const CpsVec3 x[3], CpsVec3 turned[2]);
// Rotated second derivatives times u, with the tangent of the law at rest.
void cps_membrane_resist(const double tangent[3][3], const CpsTriangleShape* shape, const CpsVec3 turned[2],
                         const CpsVec3 u[3], CpsVec3 force[3]);

#endif
