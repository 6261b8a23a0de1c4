// Tension in the inertia of super-models: the second-order effect of a tie under tension.
//
// Coordinates of a super-model are curvatures, so the tied point x(s) moves along a curve when they change by dq.
// With f the force of the tie, W the rotation rows of a section, w = W dq, and t its tangent,
//
//   x(s) -> x(s) + J dq + (1/2) dq^T (dJ/dq) dq                                                                     (1)
//   -f . dq^T (dJ/dq) dq = int_0^s f.t |w x t|^2 da + terms that vanish where the rod is in line with f             (2)
//
// The tie knows only J. The end of a straight rod then seems free to move along f without limit as soon as the rod bends
// slightly, and energy is created where (2) should resist. A step therefore includes the stiffness of the tension,
//
//   K = int_0^s T W^T (1 - t t^T) W da,   T = max((f + int_a^s rho g).t, 0)                                         (3)
//
// with f of the previous step and the weight hanging between the tie and the section: h^2 theta^2 K on the left of (1) of
// rod.h, -h^2 theta K v on the right, no force. It is never negative: a rod under compression has none. The ties account for
// its work: by (1) a tie gains what (3) loses at theta = 1/2.
#ifndef CAPSTAN_MODEL_SUPER_TENSION_H
#define CAPSTAN_MODEL_SUPER_TENSION_H

#include "model/super_work.h"

// A walk from s to the root, over three Gauss points in each element, or in the part of it before s: exact where the rod is
// straight and its curvature linear.
typedef struct CpsTaut {
  const CpsRod* rod;
  const CpsModelStep* step;
  const CpsRodTension* tension;
  int32_t branch, element;  // current position; element in the numbering of the rod
  double end;               // length of the element that counts, m
  int next;                 // its next point
  // the current point: its distance from the beginning of the element, relative to the size, its arc length, its share of the
  // length
  double local, part, s, weight;
  double mass;  // between the current element and s, kg
} CpsTaut;

CpsTaut cps_taut(const CpsRod* rod, const CpsModelStep* step, const CpsRodTension* tension);
// Advances to the next point; false after the last.
bool cps_taut_next(CpsTaut* at);
// Weight of the point times T, or times T (1 - t t^T); false: no tension there. `damping`: weight times that of waves,
// cps_rod_wave_damping().
double cps_taut_tension(const CpsTaut* at, CpsVec3 tangent, double* damping);
bool cps_taut_stiffness(const CpsTaut* at, CpsVec3 tangent, CpsMat3* out, double* damping);
// Rate of the curvature of an element at a fraction of its length, with one of the velocities.
typedef CpsVec3 CpsTautRate(const CpsRod* rod, int32_t element, double part, CpsVelocity which);
// The works of (3) and of the damping in a step.
void cps_super_work_tension(const CpsSuperWork* w, CpsTautRate* rate);

#endif
