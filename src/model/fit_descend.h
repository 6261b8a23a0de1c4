// Least squares of a fit (fit.c): a chain of helices of equal length against the points of a curve.
#ifndef CAPSTAN_MODEL_FIT_DESCEND_H
#define CAPSTAN_MODEL_FIT_DESCEND_H

#include "core/vec3.h"

#include <stdbool.h>
#include <stdint.h>

// The unknowns.
typedef struct CpsFitRod {
  CpsMat3 root;  // frame; its first axis is the tangent
  CpsVec3* k;    // curvatures of the elements, in frames without twist
} CpsFitRod;

typedef struct CpsFit {
  int32_t elements, unknowns;
  double length, size;         // of the curve, of an element
  const CpsVec3* target;       // CPS_ROD_SAMPLES an element, after the first point
  CpsFitRod now, trial, best;  // `best` is the caller's
  CpsVec3 *x, *joint;          // points of the rod placed last, and its joints
  CpsMat3* R;                  // frames of its joints
  CpsMat3 *force, *moment;     // F_k and T_k of (4)
  double *A, *L, *g, *step;    // of the Gauss-Newton equations
} CpsFit;

// Memory for `elements`, which must be set; false if memory runs out.
bool cps_fit_take(CpsFit* fit);
void cps_fit_free(CpsFit* fit);
// Descends from `now`; returns (1) at the end, which replaces `now`.
double cps_fit_descend(CpsFit* fit);
// Distances of `now` from all points of the curve.
void cps_fit_measure(const CpsFit* fit, double* mean, double* max);
// The curvatures of `now` in the material frame, which equals the root frame at the root and rotates with the helices.
void cps_fit_material(const CpsFit* fit, CpsVec3* curvature);
void cps_fit_copy(const CpsFit* fit, CpsFitRod* to, const CpsFitRod* from);

#endif
