// Symmetric tensors as vectors in which Coulomb's law of a granular medium takes the form of the contact law.
//
// With |t|^2 = t:t / 2 the map chi is an isometry from R^3 (plane strain) and R^6 onto the tensors (docs/theory/grains.md):
//
//   2D  x = ((e_xx + e_zz)/2,  (e_xx - e_zz)/2,  e_xz)                                                            (1)
//   3D  x = (Tr e/sqrt(6),  (e_xx - e_yy)/2,  (2 e_zz - e_xx - e_yy)/(2 sqrt(3)),  e_xy,  e_xz,  e_yz)            (2)
//
// The first component is Tr e / sqrt(2 d), the others are the deviator, and t:s = 2 x.y. With p = Tr/d the cone
// |Dev| <= mu p is |x_T| <= mu x_N in the plane and |x_T| <= sqrt(2/3) mu x_N in space.
#ifndef CAPSTAN_MODEL_GRAIN_TENSOR_H
#define CAPSTAN_MODEL_GRAIN_TENSOR_H

#include "core/vec3.h"

// Rows of a block: 3 in the plane, 6 in space.
static inline int cps_tensor_rows(int dim) {
  return dim == 2 ? 3 : 6;
}

// mu of the vector cone for the mu of the medium.
static inline double cps_tensor_mu(int dim, double mu) {
  return dim == 2 ? mu : mu * 0.81649658092772603;
}

// p = Tr/d of the tensor with the first component x.
static inline double cps_tensor_pressure(int dim, double x) {
  return dim == 2 ? x : x * 0.81649658092772603;
}

// A, rows x 3: chi^-1 of sym(v g^T) is A v. In the plane the middle column is zero.
static inline void cps_tensor_block(int dim, CpsVec3 g, double* A) {
  if (dim == 2) {
    const double plane[9] = {0.5 * g.x, 0.0, 0.5 * g.z, 0.5 * g.x, 0.0, -0.5 * g.z, 0.5 * g.z, 0.0, 0.5 * g.x};
    for (int i = 0; i < 9; ++i) A[i] = plane[i];
    return;
  }
  const double a = 0.40824829046386302, b = 0.28867513459481287;  // 1/sqrt(6), 1/sqrt(12)
  const double space[18] = {a * g.x,   a * g.y,  a * g.z,       0.5 * g.x, -0.5 * g.y, 0.0,
                            -b * g.x,  -b * g.y, 2.0 * b * g.z, 0.5 * g.y, 0.5 * g.x,  0.0,
                            0.5 * g.z, 0.0,      0.5 * g.x,     0.0,       0.5 * g.z,  0.5 * g.y};
  for (int i = 0; i < 18; ++i) A[i] = space[i];
}

// chi^-1 of sym(L). In the plane the components along y are not read.
static inline void cps_tensor_to(int dim, CpsMat3 L, double* x) {
  if (dim == 2) {
    x[0] = 0.5 * (L.m[0] + L.m[8]), x[1] = 0.5 * (L.m[0] - L.m[8]), x[2] = 0.5 * (L.m[2] + L.m[6]);
    return;
  }
  x[0] = 0.40824829046386302 * (L.m[0] + L.m[4] + L.m[8]);
  x[1] = 0.5 * (L.m[0] - L.m[4]);
  x[2] = 0.28867513459481287 * (2.0 * L.m[8] - L.m[0] - L.m[4]);
  x[3] = 0.5 * (L.m[1] + L.m[3]), x[4] = 0.5 * (L.m[2] + L.m[6]), x[5] = 0.5 * (L.m[5] + L.m[7]);
}

// chi: the tensor of a vector.
static inline CpsMat3 cps_tensor_of(int dim, const double* x) {
  if (dim == 2) return (CpsMat3){{x[0] + x[1], 0.0, x[2], 0.0, 0.0, 0.0, x[2], 0.0, x[0] - x[1]}};
  const double t = 0.81649658092772603 * x[0], k = 0.57735026918962576 * x[2];
  return (CpsMat3){{t + x[1] - k, x[3], x[4], x[3], t - x[1] - k, x[5], x[4], x[5], t + 2.0 * k}};
}

// The stress xx yy zz xy yz zx, tension positive, from a vector of minus the stress; in the plane yy is minus the pressure.
static inline void cps_tensor_stress(int dim, const double* x, double* six) {
  const CpsMat3 t = cps_tensor_of(dim, x);
  const double yy = dim == 2 ? cps_tensor_pressure(dim, x[0]) : t.m[4];
  six[0] = -t.m[0], six[1] = -yy, six[2] = -t.m[8];
  six[3] = -t.m[1], six[4] = -t.m[5], six[5] = -t.m[2];
}

#endif
