// Common data of the files of the super-clothoid: the layout of its memory.
//
// Coordinates are the curvatures at the N + 1 joints and, unless the root is clamped, its rotation and position. In
// velocity vectors the tip joint comes first and the root last: a contact at s moves only with the joints before it,
// so its rows begin with zeros, which forward substitution with L preserves.
#ifndef CAPSTAN_MODEL_SUPER_CLOTHOID_H
#define CAPSTAN_MODEL_SUPER_CLOTHOID_H

#include "model/clothoid.h"
#include "model/rod.h"

extern const CpsRodType cps_rod_super_clothoid;

// An element, in world axes. The columns of slide and turn belong to its two curvatures: the displacement and rotation of
// its end, and thus of everything beyond it as a rigid body.
typedef struct CpsClothoidElement {
  CpsVec3 position;  // of its beginning
  CpsMat3 frame;
  CpsVec3 position_then;  // the same where the velocities AFTER were found
  CpsMat3 frame_then;
  CpsVec3 spin[3], velocity[3];  // of its beginning, by CpsVelocity
  CpsVec3 slide[6], turn[6];
  // integrals over the element, with moments about its end; x is the place relative to its end, J its own 6 columns
  double mass;            // rho l
  CpsVec3 first;          // int rho x
  CpsMat3 second;         // int rho (|x|^2 I - x x^T)
  CpsVec3 momentum[6];    // int rho J
  CpsVec3 moment[6];      // int rho x × J
  double own[36];         // int rho J^T J
  double load[6];         // int J^T f
  CpsVec3 c, xc;          // int rho c, int rho x × c
  double Jc[6], cc;       // int rho J^T c, int rho |c|^2
  CpsVec3 force, torque;  // int f, int x × f
} CpsClothoidElement;

typedef struct CpsSuperClothoid {
  int32_t count, dofs, root;  // N, m, index of the first velocity of the root
  double size;                // l of an element
  // state
  CpsVec3* k;       // N + 1 curvatures, root to tip
  CpsPose* pose;    // of the root
  CpsVec3* k_then;  // both at the configuration of the velocities AFTER: at the beginning of the last step
  CpsPose* pose_then;
  double* v[3];      // velocities by CpsVelocity; those AFTER are state, the others work
  CpsVec3* natural;  // N + 1
  // work
  double* L;                     // m x m; its upper triangle keeps M~
  double *diagonal, *right, *J;  // m of M~; m; 6 m for the rows of position and rotation of a point
  CpsClothoidElement* element;   // N + 1: the last is the tip and has only a position, a frame and velocities
} CpsSuperClothoid;

CpsSuperClothoid cps_super_clothoid(const CpsRod* rod);
// Index of component j of joint i among the velocities.
static inline int32_t cps_super_clothoid_index(const CpsSuperClothoid* c, int32_t joint, int32_t j) {
  return 3 * (c->count - joint) + j;
}
CpsVec3 cps_super_clothoid_rate(const CpsSuperClothoid* c, const double* v, int32_t joint);
// J of a point that moves with the section at s (NULL: of the centreline there), 3 x m, and that of the rotation of the
// section unless NULL, for the elements of the last begin.
void cps_super_clothoid_jacobian(const CpsRod* rod, const CpsSuperClothoid* c, double s, const CpsVec3* point,
                                 double* J, double* turn);
// Spin and velocity of every joint for one of the velocities, in the configuration of the last begin.
void cps_super_clothoid_carry(const CpsRod* rod, CpsSuperClothoid* c, CpsVelocity which);
// The motion of the root for one of the velocities, prescribed or not.
void cps_super_clothoid_root(const CpsRod* rod, const CpsSuperClothoid* c, CpsVelocity which, CpsVec3* spin,
                             CpsVec3* velocity);
// Gauss-Legendre quadrature on [0, 1], used on each piece of a clothoid: exact for a straight rod, whose integrands have
// degree 6, with a relative error of 1e-8 for a piece that turns by two radians.
enum { CPS_CLOTHOID_POINTS = 5 };
extern const double cps_super_clothoid_node[CPS_CLOTHOID_POINTS], cps_super_clothoid_weight[CPS_CLOTHOID_POINTS];
// An element has the mean mass and stiffness of its part of the rod: kg/m; E I and G J relative to the root, 0 beyond the ends.
static inline double cps_super_clothoid_density(const CpsRod* rod, int32_t element) {
  return rod->spec.branch[0].line_density * cps_rod_element_taper(&rod->spec, element, 2);
}
double cps_super_clothoid_taper(const CpsRod* rod, const CpsSuperClothoid* c, int32_t element);
// Inertia of all sections about the tangent, kg m^2.
static inline double cps_super_clothoid_polar(const CpsRod* rod) {
  return rod->spec.branch[0].rotary[0] * rod->spec.length * cps_rod_trunk_taper(&rod->spec, 4);
}
// K3 T x for a vector of curvatures, T the mass matrix of the hat functions: to + factor K x.
void cps_super_clothoid_stiffness(const CpsRod* rod, const CpsSuperClothoid* c, double factor, const CpsVec3* x,
                                  double* to);

// super_clothoid_step.c
void cps_super_clothoid_begin(CpsRod* rod, const CpsModelStep* step);
// Adds the effect of element j on element i < j, a force and a torque at the end of i for each of its six columns, to M~
void cps_super_clothoid_scatter(CpsSuperClothoid* c, int32_t i, int32_t j, const CpsVec3* force, const CpsVec3* torque);
// The same for the rows of an unclamped root, about the root
void cps_super_clothoid_scatter_root(CpsRod* rod, CpsSuperClothoid* c, int32_t j, const CpsVec3* force,
                                     const CpsVec3* torque);
// Index among the velocities of column a of element i.
static inline int32_t cps_super_clothoid_column(const CpsSuperClothoid* c, int32_t i, int a) {
  return cps_super_clothoid_index(c, a < 3 ? i : i + 1, a % 3);
}
// super_clothoid_tension.c: second-order effect of ties, with the change of the prescribed spin of the root in the step
void cps_super_clothoid_tension(CpsRod* rod, CpsSuperClothoid* c, const CpsModelStep* step, CpsVec3 spin_jump);
// super_clothoid_fit.c: curvatures at the joints from the samples of a shape
void cps_super_clothoid_fit(CpsSuperClothoid* c, const CpsRodShape* shape);

#endif
