// The laws of solids, as functions of the deformation gradient F: the energy per volume W, the first Piola-Kirchhoff stress
// P = dW/dF, and the second derivatives as nine modes. See solid_law.c and solid_modes.c.
#ifndef CAPSTAN_MODEL_SOLID_LAW_H
#define CAPSTAN_MODEL_SOLID_LAW_H

#include "capstan/solid.h"
#include "core/vec3.h"
#include "model/pattern.h"

// A law with its constants.
typedef struct CpsSolidMatter {
  CpsSolidLaw law;
  double mu, lambda;          // in the formula of the law, Pa
  double alpha, rest_energy;  // stable-neo-hookean: stress-free J of g, and W of the undeformed matter without it
  double density, damping;
} CpsSolidMatter;
CpsSolidMatter cps_solid_matter(const CpsSolidRegion* region);

// W, J/m^3; infinite where neo-hookean does not admit F. P may be NULL.
double cps_solid_stress(const CpsSolidMatter* matter, const CpsMat3* F, CpsMat3* P);

// d^2 W = sum over modes of value (D : dF)^2, D orthonormal. Clamped: no value is negative.
typedef struct CpsSolidModes {
  double value[9];
  CpsMat3 D[9];
} CpsSolidModes;
void cps_solid_modes(const CpsSolidMatter* matter, const CpsMat3* F, CpsHessianKind kind, CpsSolidModes* out);

// Components of these modes, in the frame of stretches s: twist and flip of the pair i, j that lacks axis k, and d^2 W / ds ds. With
// c^2 = own and c d = cross, both 1/2 unless rotations are left free, the flip is c e_i e_j^T + d e_j e_i^T and the twist d e_i e_j^T - c e_j e_i^T.
typedef struct CpsSolidValues {
  double twist[3], flip[3], own[3], cross[3];
  CpsMat3 A;
} CpsSolidValues;
void cps_solid_values(const CpsSolidMatter* matter, const double s[3], CpsHessianKind kind, CpsSolidValues* out);

// Derivatives of a law f(I) + g(J): f1 = 2 f', f2 = 4 f'', g1 = g', g2 = g''. Not of corotated.
typedef struct CpsSolidSlopes {
  double f1, f2, g1, g2;
} CpsSolidSlopes;
CpsSolidSlopes cps_solid_slopes(const CpsSolidMatter* matter, double I, double J);

// F = U diag(s) V^T with rotations U and V, |s_0| >= |s_1| >= |s_2|; only s_2 may be negative (solid_svd.c).
void cps_mat3_svd(const CpsMat3* F, CpsMat3* U, double s[3], CpsMat3* V);
// Eigenvalues, and orthonormal eigenvectors as columns, of a symmetric matrix.
void cps_mat3_eigen(const CpsMat3* A, double value[3], CpsMat3* V);

double cps_mat3_det(const CpsMat3* A);

#endif
