// One element of constant curvature: the closed forms of super-helices, free of divisions by the
// curvature.
//
// With the Stumpff functions c_n(y) = sum_j (-y)^j / (2 j + n)!, y = |v|^2, v = a k the curvature k times the arc length
// a from the beginning of the element, e = (1, 0, 0):
//
//   E(v)   = I + c1 [v]x + c2 [v]x^2            turn of the frame,     R(a) = R E(v)                              (1)
//   J_l(v) = I + c2 [v]x + c3 [v]x^2            its derivative,        spin of R(a) = a R J_l(v) k'               (2)
//   w(v)   = c1 e + c2 v x e + c3 v (v.e)       chord,                 x(a) = x + a R w(v)                        (3)
//   c_n'   = (n c_{n+2} - c_{n+1}) / 2          by y                                                              (4)
//   dw/dv  = 2 (c1' e + c2' v x e + c3' v (v.e)) v^T - c2 [e]x + c3 (v e^T + (v.e) I)                             (5)
//
// (Bertails et al. 2006; in this form see docs/theory/super-helix.md.)
#ifndef CAPSTAN_MODEL_HELIX_H
#define CAPSTAN_MODEL_HELIX_H

#include "core/vec3.h"

#include <stdint.h>

enum { CPS_STUMPFF_COUNT = 6, CPS_HELIX_POINTS = 8 };

// v and c_0 .. c_5 of |v|^2
typedef struct CpsHelix {
  CpsVec3 v;
  double c[CPS_STUMPFF_COUNT];
} CpsHelix;

CpsHelix cps_helix(CpsVec3 v);
CpsMat3 cps_helix_turn(const CpsHelix* helix);                    // E, (1)
CpsMat3 cps_helix_spin(const CpsHelix* helix);                    // J_l, (2)
CpsVec3 cps_helix_chord(const CpsHelix* helix);                   // w, (3)
CpsMat3 cps_helix_chord_slope(const CpsHelix* helix);             // dw/dv, (5)
CpsVec3 cps_helix_chord_along(const CpsHelix* helix, CpsVec3 u);  // dw/dv u, without the matrix

// Gauss-Legendre rule of CPS_HELIX_POINTS points on [0, 1], exact for polynomials of degree 15. An element that turns by
// more than four radians is cut into panels of equal length that turn by less. Integrals of products of
// chords and their slopes then have a relative error of 1e-15.
extern const double cps_helix_node[CPS_HELIX_POINTS];
extern const double cps_helix_weight[CPS_HELIX_POINTS];
int32_t cps_helix_panels(double turn);  // turn: length times |k|

#endif
