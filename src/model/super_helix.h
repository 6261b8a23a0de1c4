// Named memory of a composite super-helix, shared by super_helix.c (the model) and
// super_helix_mass.c (the left and right sides of a step).
#ifndef CAPSTAN_MODEL_SUPER_HELIX_H
#define CAPSTAN_MODEL_SUPER_HELIX_H

#include "model/rod.h"

// Beginning of an element; one more than elements, since the last is the tip.
typedef struct CpsSuperHelixNode {
  CpsVec3 x;
  CpsMat3 R;
} CpsSuperHelixNode;

// Effect of a unit rate of each curvature of an element on everything beyond it: rotation by the columns of B, about
// the root with the velocities A.
typedef struct CpsSuperHelixColumn {
  CpsMat3 A, B;
} CpsSuperHelixColumn;

// Velocity and spin of a node, world axes.
typedef struct CpsSuperHelixTwist {
  CpsVec3 v, w;
} CpsSuperHelixTwist;

// Integrals over an element, times the mass per length, in the axes of its beginning; U is the derivative of its points with respect
// to its curvature, x the points from its beginning, c their change of velocity since the end of the last step.
typedef struct CpsSuperHelixSums {
  CpsVec3 x;
  CpsMat3 xx, U, xU, UU;  // x.x - x x^T, U, [x]x U, U^T U
  CpsVec3 c, xc, Uc;      // c, x x c, U^T c
  double cc;              // c.c
} CpsSuperHelixSums;

// Unknowns: the rates of the curvatures from the tip to the root, then the spin of an unclamped root (axes of the
// root frame), then the velocity of a free one (world axes). In this order the first entries of the rows of a contact near
// the root are empty.
typedef struct CpsSuperHelix {
  int32_t elements, dofs;
  bool turns, moves;  // whether the root has a spin, a velocity of its own
  double rotary;      // inertia of the root about its tangent, kg m^2
  // state: current configuration, and that at the beginning of the last step, to which the velocities AFTER belong
  CpsPose *root, *root_then;
  CpsVec3 *curvature, *curvature_then;
  double* velocity[3];  // of the unknowns, by CpsVelocity; AFTER: state
  CpsVec3* natural;
  // work
  double* mass;        // of each element, kg
  double* length;      // of each element, m
  CpsVec3* stiffness;  // of each: size times (G J, E I_2, E I_3)
  CpsSuperHelixNode *node, *node_then;
  CpsSuperHelixColumn* column;
  CpsSuperHelixTwist* twist[3];
  CpsSuperHelixSums* sums;
  double* U;      // M~ = U^T U, upper, row-major, dofs x dofs
  double* right;  // right side of (1) of rod.h
  double* rows;   // 3 x dofs, for springs
} CpsSuperHelix;

CpsSuperHelix cps_super_helix(const CpsRod* rod);
// Number of the first unknown of an element, of the spin and of the velocity of the root.
static inline int32_t cps_super_helix_of_element(const CpsSuperHelix* x, int32_t element) {
  return 3 * (x->elements - 1 - element);
}
static inline int32_t cps_super_helix_of_spin(const CpsSuperHelix* x) {
  return 3 * x->elements;
}
static inline int32_t cps_super_helix_of_velocity(const CpsSuperHelix* x) {
  return 3 * x->elements + 3;
}
// E J for the rows E of a frame, 3 x dofs row-major, of a point that moves with the section at a place (NULL: of the
// centreline there); returns the number of leading zero columns.
int32_t cps_super_helix_jacobian(const CpsSuperHelix* x, CpsRodPlace place, const CpsVec3* point, const CpsMat3* frame,
                                 double sign, double* G);

// super_helix_mass.c: x->U and x->right without springs (M, K, damping, drag, gravity, bias).
void cps_super_helix_mass(const CpsRod* rod, const CpsModelStep* step, CpsSuperHelix* x);
// super_helix_tension.c: adds the second-order effect of ties to both.
void cps_super_helix_tension(const CpsRod* rod, const CpsModelStep* step, const CpsSuperHelix* x);

#endif
