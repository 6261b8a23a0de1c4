// Common data of the files of the linear-time super-helix: named memory, points of elements, and their motion.
#ifndef CAPSTAN_MODEL_SUPER_HELIX_RECURSIVE_H
#define CAPSTAN_MODEL_SUPER_HELIX_RECURSIVE_H

#include "model/articulated.h"
#include "model/helix.h"
#include "model/rod.h"

// Constant data of an element.
typedef struct CpsRecursiveElement {
  double size, density;  // m, kg/m
  double drag;           // of the air, kg/(m s)
  CpsVec3 stiffness;     // l (G J, E I_2, E I_3)
  CpsMat3 turn;          // of its base frame in that of the end of its parent
} CpsRecursiveElement;

// Base of an element: position, frame and curvature.
typedef struct CpsRecursiveBase {
  CpsVec3 x;
  CpsMat3 R;
  CpsVec3 k;
} CpsRecursiveBase;

// Integrals over an element in the axes of its base: for the form (1) of super_helix_recursive_step.c, for the first line of (2),
// and of c.
typedef struct CpsRecursiveSums {
  double one;
  CpsVec3 d;
  CpsMat3 dd, B, dB, BB;        // d d^T, B, [d]x B, B^T B
  CpsVec3 force, torque, rate;  // S^T [rho (h g - c) - h drag x']
  CpsVec3 c, dc, Bc;            // c, d × c, B^T c
  double cc;                    // c.c
} CpsRecursiveSums;

// State and working memory by name. [which] is a CpsVelocity: BEFORE and FREE refer to the current configuration, AFTER to that at
// the beginning of the last step, where these velocities were found.
typedef struct CpsRecursive {
  CpsArticulated tree;
  // state
  CpsPose *pose, *pose_then;            // of the root
  CpsVec3 *curvature, *curvature_then;  // per element
  CpsVec3* natural;                     // per element, 1/m
  double* motion;                       // velocity (world axes) and spin (axes of the root) of the root
  // work, except rate[AFTER]
  double* rate[3];               // 3 per element
  double* root[3];               // twist of the root, world axes
  double* twist[3];              // of the bases, 6 per element
  int32_t* parent;               // also in `tree`; constant
  CpsRecursiveBase *now, *then;  // bases of the elements, current and previous
  CpsRecursiveSums* sums;        // of the step
  CpsRecursiveElement* element;
  double* force;  // 9 per element: the forces of the step; scratch after begin
  double* z;      // dofs
} CpsRecursive;

// The point at distance a along an element, in the axes of its base: (1), (2).
typedef struct CpsRecursivePoint {
  CpsVec3 d;
  CpsMat3 B;
} CpsRecursivePoint;

CpsRecursive cps_recursive(const CpsRod* rod);

CpsRecursivePoint cps_recursive_point(const CpsHelix* helix, double a);  // helix: of a k
CpsRecursivePoint cps_recursive_point_at(CpsVec3 k, double a);
CpsVec3 cps_recursive_position(const CpsRecursiveBase* base, const CpsRecursivePoint* p);
CpsVec3 cps_recursive_tangent(const CpsRecursiveBase* base);
// S of (2), and the corresponding matrix of the spin, (3): 3 x 9.
void cps_recursive_point_rows(const CpsRecursiveBase* base, const CpsRecursivePoint* p, double S[27]);
void cps_recursive_spin_rows(const CpsRecursiveBase* base, const CpsHelix* helix, double a, double S[27]);
CpsVec3 cps_recursive_apply_rows(const double* S, const double* twist, const double* rate);

// Twist of a root with the frame R for the velocities of the state, unless prescribed.
void cps_recursive_root_twist(const CpsRod* rod, const CpsRecursive* v, const CpsMat3* R, CpsVec3 velocity,
                              CpsVec3 spin, double* twist);
// Twists AFTER of all bases, in their own configuration; velocity and spin are those of a held root.
void cps_recursive_spread_then(const CpsRod* rod, const CpsRecursive* v, CpsVec3 velocity, CpsVec3 spin);
// Velocities `to` = `from` + L^-T z; the prescribed components of the root change by `change`.
void cps_recursive_move(CpsRecursive* v, const double* z, const double change[CPS_TWIST], CpsVelocity from,
                        CpsVelocity to);
double cps_recursive_rotary_inertia(const CpsRodSpec* spec);

// super_helix_recursive_step.c
void cps_recursive_begin(CpsRod* rod, const CpsModelStep* step);

#endif
