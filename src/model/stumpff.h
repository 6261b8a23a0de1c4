// Weights and moments of an element of constant curvature in closed form.
//
// With Stumpff's functions c_n of helix.h, v = l k, e = (1, 0, 0), the vectors
//
//   phi_m(v; s) = c_m s + c_{m+1} v × s + c_{m+2} v (v.s)                                                           (1)
//
// are the rotated vector E(v) s (m = 0), the chord over l (m = 1, s = e) and the first moment of an element over l^2
// (m = 2, s = e). Each is the integral of the previous one along the element, since t^n c_n(t^2 y) integrates to
// t^(n+1) c_{n+1}(t^2 y). A force F there does the work F.phi_m(v; s); several forces with D = sum of s F^T do
//
//   f_m(v; D) = c_m tr D + c_{m+1} v.(sum of s × F) + c_{m+2} v^T D v                                               (2)
//
// The derivatives with respect to v need only c_n' = (n c_{n+2} - c_{n+1}) / 2 with respect to y = |v|^2, twice.
#ifndef CAPSTAN_MODEL_STUMPFF_H
#define CAPSTAN_MODEL_STUMPFF_H

#include "core/vec3.h"

typedef struct CpsStumpff {
  CpsVec3 v;
  double c[9];
} CpsStumpff;

CpsStumpff cps_stumpff(CpsVec3 v);
CpsVec3 cps_stumpff_vector(const CpsStumpff* f, int m);  // phi_m(v; e)
CpsMat3 cps_stumpff_slope(const CpsStumpff* f, int m);   // its derivative with respect to v
CpsMat3 cps_stumpff_turn(const CpsStumpff* f);           // E(v)
CpsMat3 cps_stumpff_spin(const CpsStumpff* f);           // J_l(v): E(v + dv) = E(J_l dv) E(v) to first order
// Derivatives of (2) with respect to v.
CpsVec3 cps_stumpff_gradient(const CpsStumpff* f, int m, const CpsMat3* D);
CpsMat3 cps_stumpff_hessian(const CpsStumpff* f, int m, const CpsMat3* D);
// sum of s × F
static inline CpsVec3 cps_moment_of(const CpsMat3* D) {
  return cps_vec3(D->m[5] - D->m[7], D->m[6] - D->m[2], D->m[1] - D->m[3]);
}

#endif
