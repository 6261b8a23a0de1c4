// Work of the forces on a super-model in a step (rod.h): the terms of the energy balance. Each is computed by the formula of its
// force, from velocities and geometry alone.
//
// Velocities v+ are found at q, the previous velocities v at q_then. With the point velocities u+ = J(q) v+ + d and
// u_then = J(q_then) v + d_then, d due to the prescribed motion of the root, the step says
//
//   int rho J^T (u+ - u_then) = Q + g,                                                                              (1)
//   T+ - T_then = (Q + g).u+ - 1/2 int rho |u+ - u_then|^2 + [int rho (u+ - u_then).d - (Q + g).d],                 (2)
//
// with Q the impulses of forces and g those of contacts, as they act on points; the bracket is the work of the root's holder.
// Points move by h u~, u~ = J v~ + d; forces use the velocity theta u+ + (1 - theta) u, `seen` below. Sums over the
// mass come from the element integrals that the step already computes.
#ifndef CAPSTAN_MODEL_SUPER_WORK_H
#define CAPSTAN_MODEL_SUPER_WORK_H

#include "model/rod.h"

typedef struct CpsSuperWork {
  const CpsRod* rod;
  const CpsModelStep* step;
  CpsRodWork* out;
  CpsVec3 root;  // position of the root
} CpsSuperWork;

// Motion of a part of an element: x' = v + w × x + U r for points x relative to its reference point, r the rates of its own
// unknowns (three or six).
typedef struct CpsSuperMotion {
  CpsVec3 v, w;
  double r[6];
} CpsSuperMotion;

// Integrals over an element, in any axes: moments of its mass, of the columns U, and of c = u - u_then, the increase of the
// point velocities at the previous unknowns.
typedef struct CpsSuperForm {
  int unknowns;         // size of r
  double mass;          // kg
  CpsVec3 first;        // int x
  CpsMat3 second;       // int |x|^2 - x x^T
  CpsVec3 U[6], xU[6];  // int U, int x × U, by columns
  double UU[36];        // int U^T U
  CpsVec3 c, xc;        // int c, int x × c
  double Uc[6], cc;     // int U^T c, int |c|^2
  double drag;          // of the air, 1/s
} CpsSuperForm;

// Clears the works and adds those of pulls and of the hold of the tip, with `lever` for its rotation.
CpsSuperWork cps_super_work_start(const CpsRod* rod, const CpsModelStep* step, double lever, CpsRodWork* out);
// Weight, drag and inertia of an element. `driven` and `driven_before` are the current and previous rigid motions prescribed by the
// root; `gravity` is in the axes of the form; `jumped`: c includes the current prescribed motion.
void cps_super_work_element(const CpsSuperWork* w, const CpsSuperForm* form, CpsVec3 gravity,
                            const CpsSuperMotion* before, const CpsSuperMotion* after, const CpsSuperMotion* driven,
                            const CpsSuperMotion* driven_before, bool jumped);
// Prescribed root motion at a point, in world axes.
CpsSuperMotion cps_super_driven_now(const CpsRod* rod, CpsVec3 arm);
CpsSuperMotion cps_super_driven_before(const CpsRod* rod, CpsVec3 arm);
// A strain e with the stiffness K whose rate is one of the unknowns.
void cps_super_work_strain(const CpsSuperWork* w, double K, double e, double before, double after);
// The same for stiffness that couples strains, from sums over all of them: with v~ and v+ - v = d
//
//   eKv = e.K v~,   vKv = v~.K v~,   eKd = e.K d,   vKd = v~.K d
void cps_super_work_strains(const CpsSuperWork* w, double eKv, double vKv, double eKd, double vKd);
// An inertia about the tangent of the root, and the fraction of its spin that drag removes per unit of time.
void cps_super_work_spin(const CpsSuperWork* w, double inertia, double drag, double before, double after);
// Contribution of the prescribed root motion to the velocity of a point of the rod.
CpsVec3 cps_super_driven(const CpsRod* rod, double s, CpsVec3 point);

#endif
