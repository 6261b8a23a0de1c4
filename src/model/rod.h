// One rod: the function table that every mechanical model of a fibre implements. fibres.c is the population that
// makes rods available to the world through model.h; a new model is one new file and one line in rod.c.
//
// With q the coordinates of a rod, v = q' its velocities, the scheme is that of model.h with
//
//   (M + h theta C + h^2 theta^2 K) (v* - v) = h [ F(q + h theta v, v) - bias ],     C = damping K + drag           (1)
//
// that is, internal forces, drag and the springs of pulls are evaluated to first order at the end of the step (theta = 1) or
// in the middle (theta = 1/2). M~ = L L^T is the matrix on the left. In world coordinates, a point of the centreline moves with
//
//   x'(s) = J(s) v + x'_ends(s)                                                                                     (2)
//
// where the last term is the prescribed motion of held ends. Contacts are on the surface: a point p that moves with the
// section at s, which rotates with w(s), has
//
//   p' = x'(s) + w(s) × (p - x(s))                                                                                  (3)
//
// so a contact force also exerts its moment on the rod. A mass-spring chain has no twist: its w is that of the segment.
#ifndef CAPSTAN_MODEL_ROD_H
#define CAPSTAN_MODEL_ROD_H

#include "capstan/fibre.h"
#include "model/model.h"

typedef struct CpsRod CpsRod;
typedef struct CpsRodStatics CpsRodStatics;  // rod_statics.h

// One branch of a rod. A rod that is not a tree has one branch, the trunk.
typedef struct CpsRodBranch {
  int32_t parent, at;     // parent branch, -1: none; the element of the parent at whose end the branch begins
  CpsQuat rotation;       // relative to the parent at that point
  int32_t elements;       // >= 1
  int32_t first_element;  // index of its first element in the rod
  double start, length;   // arc lengths [start, start + length]
  double* joint;          // arc lengths of the joints from `start`; NULL: elements of equal length
  double radius;          // larger half-axis of the cross-section at its root, m
  double line_density;    // kg/m
  double stiffness[3];    // G J, E I about the second and third axis, N m^2
  double defined[3];      // the same, from the definition
  double rotary[3];       // inertia per length about the three axes, kg m (points and quaternions only)
} CpsRodBranch;

// A rod as passed to its model, validated.
typedef struct CpsRodSpec {
  int32_t elements;  // of all branches
  double length;     // of all branches
  double stretch;    // E S, N
  double stretch_defined;
  double
      taper;  // ratio of the radius at the end of the trunk to that at the root; constants of the trunk are those at the root
  double damping, drag;
  bool gravity;
  CpsEndKind root, tip;
  int32_t branch_count;  // >= 1
  CpsRodBranch* branch;
} CpsRodSpec;

// Initial and natural shape, sampled at equal distances along each branch: CPS_ROD_SAMPLES intervals per
// element. The samples of branch b begin at index CPS_ROD_SAMPLES * first_element + b.
enum { CPS_ROD_SAMPLES = 16 };
typedef struct CpsRodShape {
  CpsVec3* point;    // initial centreline
  CpsQuat* frame;    // initial material frames
  CpsVec3* natural;  // natural curvature
  bool as_placed;    // the natural shape of the trunk is the initial one; models that can represent it exactly do so
} CpsRodShape;

// A held end in the current step. fibres.c sets it before begin().
typedef struct CpsRodEnd {
  CpsPose now, next;                     // poses at the beginning and the end of the step
  CpsVec3 velocity, spin;                // mean over the step, world axes
  CpsVec3 velocity_before, spin_before;  // of the previous step
} CpsRodEnd;

// A force on a point: force + stiffness (target - x) - damping (x' - target_velocity), with `target` at theta h after
// the beginning of the step.
typedef struct CpsRodPull {
  double s;
  CpsVec3 force;
  double stiffness, damping;
  CpsVec3 target, target_velocity;
  CpsVec3 rest;  // current target, where the spring stores no energy
} CpsRodPull;

// The force of a tie on a point in the previous step, for its second-order effect (super_tension.h).
typedef struct CpsRodTension {
  double s;
  CpsVec3 force;
  const struct CpsRodTension* next;  // next one on the same rod; NULL: none
} CpsRodTension;

typedef struct CpsRodPoint {
  CpsVec3 position;
  CpsMat3 frame;  // columns: tangent, second and third axis
  CpsVec3 curvature;
} CpsRodPoint;

typedef struct CpsRodMotion {
  CpsVec3 position, velocity, spin;  // of a section
} CpsRodMotion;

typedef struct CpsRodEnergy {
  double kinetic, gravity, elastic;  // current energies, J
} CpsRodEnergy;

// Work in a step, J, each computed independently from v+, v and the initial position. With v~ = theta v+ + (1 - theta) v, Q the
// impulses of all forces in (1) and g = J^T r the contact impulses,
//
//   T(v+) - T(v) = Q.v~ + (1 - theta) Q.(v+ - v) + g.v+ - |v+ - v|^2 / 2 in the norm of M                           (4)
//
// for free coordinates; for prescribed ones, the work of their holders counts.
typedef struct CpsRodWork {
  double forces;   // of elastic forces and weight along h v~
  double damping;  // dissipated by internal damping and drag
  double late;     // (theta - 1/2) h^2 |v~|^2 in the stiffness norm: loss from evaluating elastic forces late
  double scheme;   // the last terms of (4), multipliers and gyroscopic forces along h v~: numerical loss
  double ends;     // of held ends
  double pulls;    // of pulls along h v~
  double ties;     // lost where tension rotates sections; ties gain the same amount
} CpsRodWork;

typedef struct CpsRodType {
  const char* name;
  int variant;     // for models with variants
  bool trees;      // accepts more than one branch
  bool untwisted;  // its sections do not rotate about their tangents
  // Numbers of degrees of freedom, of doubles of state (everything that changes in time, velocities included) and of working memory.
  void (*sizes)(const CpsRodSpec* spec, int32_t* dofs, int64_t* state, int64_t* work);
  // Initialises the state from a shape at rest: everything in `state`, and constants in `work`. The memory is zeroed.
  CpsStatus (*create)(CpsRod* rod, const CpsRodShape* shape, CpsError* error);
  // Recomputes positions, frames and whatever at() needs from the state; called after create, load, advance and shift.
  void (*refresh)(CpsRod* rod);
  // The centreline at arc length s in [0, length], for the state of the last refresh.
  CpsRodPoint (*at)(const CpsRod* rod, double s);

  // Computes L and v* of (1). Reads rod->root, tip, pulls. A step may begin several times, with positions shifted and velocities
  // slowed down in between, so this function does not change the state.
  void (*begin)(CpsRod* rod, const CpsModelStep* step);
  // G = sign E J L^-T, 3 x dofs row-major, E the rows of `frame`, J that of (3); point NULL: of the centreline
  void (*rows)(const CpsRod* rod, double s, const CpsVec3* point, const CpsMat3* frame, double sign, double* G);
  // (2) at the positions of the beginning of the step; BEFORE and FREE are available after begin, AFTER after receive. Between
  // advance and the next begin, only observers ask, and only for AFTER.
  CpsVec3 (*velocity)(const CpsRod* rod, double s, CpsVelocity which);
  // The same with the position and spin of the section, all at the beginning of the step
  CpsRodMotion (*motion)(const CpsRod* rod, double s, CpsVelocity which);
  // v = v* + L^-T z; z NULL: v = v*
  void (*receive)(CpsRod* rod, const double* z);
  // Work in the step, after receive
  void (*work)(CpsRod* rod, const CpsModelStep* step, CpsRodWork* out);
  // Contribution of the prescribed motion of held ends to the velocity of a surface point in this step
  CpsVec3 (*driven)(const CpsRod* rod, double s, CpsVec3 point);
  // Advances q with v; from here on, rod->root and tip are at `next`
  void (*advance)(CpsRod* rod, const CpsModelStep* step);
  // Moves q by L^-T z without changing v; scales v relative to a common rigid motion of all points and adds another one,
  // except at held ends
  void (*shift)(CpsRod* rod, const double* z);
  void (*slow)(CpsRod* rod, double factor, const CpsRigidMotion* common, const CpsRigidMotion* more);
  // Sets v to a rigid motion: x' = velocity + spin x x
  void (*move_rigidly)(CpsRod* rod, CpsVec3 velocity, CpsVec3 spin);
  // Address and stride in bytes of the positions or velocities of the element ends. NULL if points are not the unknowns
  const double* (*view)(const CpsRod* rod, bool velocities, int64_t* stride);
  // Sets v of the end of an element if it is free; NULL if points are not the unknowns
  void (*set_velocity)(CpsRod* rod, int32_t joint, CpsVec3 velocity);
  // For a free root: adds the same velocity to v everywhere; moves q as a whole by a pose. NULL if points are the unknowns
  void (*push)(CpsRod* rod, CpsVec3 velocity, CpsVec3 spin);
  void (*carry)(CpsRod* rod, const CpsPose* by);

  // Axial force at s from strain or multiplier, N, > 0 in tension. NULL if the model has neither.
  double (*axial)(const CpsRod* rod, double s);
  void (*energy)(const CpsRod* rod, CpsVec3 gravity, CpsRodEnergy* out);
  void (*momentum)(const CpsRod* rod, CpsVec3* linear, CpsVec3* angular);  // about the origin
  // Statics of the rod; NULL if the model has no natural strains that can hold any shape.
  const CpsRodStatics* statics;
} CpsRodType;

struct CpsRod {
  const CpsRodType* type;
  CpsRodSpec spec;
  CpsRodEnd root, tip;
  bool moved;  // the ends have moved in a step; until then they are at rest
  bool
      begun;  // between begin and receive: velocities AFTER are those of the previous step, with the ends moving as they did then
  int32_t pull_count;
  const CpsRodPull* pulls;        // of the current step
  const CpsRodTension* tensions;  // of the current step; NULL: none
  CpsRodPull hold;                // super-models: the spring that holds the tip in this step; zero stiffness: none
  CpsVec3 hold_from;              // initial position of the tip in this step
  int32_t dofs;
  int64_t state_count;
  double stiffened;  // ratio of the stiffness to that of the definition
  double* state;     // finite
  double* work;
};

// The models, one file each.
extern const CpsRodType cps_rod_super_helix;
extern const CpsRodType cps_rod_super_helix_recursive;
extern const CpsRodType cps_rod_mass_spring;
extern const CpsRodType cps_rod_corde, cps_rod_corde_explicit;

// rod.c
extern const CpsRodType* const cps_rod_types[CPS_ROD_MODEL_COUNT];
// Element j of a branch: distance of its beginning from that of the branch (j = elements: the end), and its length.
static inline double cps_rod_element_start(const CpsRodBranch* branch, int32_t j) {
  return branch->joint ? branch->joint[j] : branch->length * j / branch->elements;
}
static inline double cps_rod_element_size(const CpsRodBranch* branch, int32_t j) {
  return branch->joint ? branch->joint[j + 1] - branch->joint[j] : branch->length / branch->elements;
}
// The element of a branch at a distance from its beginning; beyond the end, the last one.
int32_t cps_rod_element_at(const CpsRodBranch* branch, double from);
// The branch and the element at s, with the local coordinate in the element.
typedef struct CpsRodPlace {
  int32_t branch, element;  // element index in the rod
  double local;             // m from its beginning
  double size;              // its length, m
} CpsRodPlace;
CpsRodPlace cps_rod_place(const CpsRodSpec* spec, double s);
// How a trunk of length L tapers: radius at s over that at the root,
//
//   t(s) = 1 + (taper - 1) s / L;   masses go with t^2, E S with t^2, E I, G J and rotary inertia with t^4.
double cps_rod_taper(const CpsRodSpec* spec, double s);  // 1 on branches
// Means of t^2 or t^4 (`power`) over all of the trunk, over an element of it, and of t^4 over anything nearer to a joint (0: the
// root) than half an element.
double cps_rod_trunk_taper(const CpsRodSpec* spec, int power);
double cps_rod_element_taper(const CpsRodSpec* spec, int32_t element, int power);
double cps_rod_joint_taper(const CpsRodSpec* spec, int32_t joint);
// A point at `arm` from the edge with tangent t, without the twist of the edge, moves along n by
//
//   n.((t × t') × arm) = t'.[(t.arm) n - (n.t) arm],   t' = (1 - t t^T)(x_b' - x_a') / |e|
//
// in addition to the motion of its foot point on the edge: the factor of x_b' - x_a'.
CpsVec3 cps_rod_edge_turn(CpsVec3 t, double length, CpsVec3 arm, CpsVec3 n);
// Damping of bending, N m^2 s, where waves of the tension T along a rod of mass rho per length and elements of length l are faster
// than a step can follow. A wave number k has the frequency k c, c^2 = T / rho, the shortest wave 2 c / l: more than a radian per step
// if 2 c h > l.
// For theta < 1 nothing dissipates their energy, while ties and linearised tensions feed them. A damping d of bending
// dissipates the fraction d k^4 h / rho per step:
//
//   d = WAVES (T^2 h^3 / rho) max(0, 1 - rho l^2 / (4 T h^2))   for theta < 1,   else 0
//
// is WAVES (k c h)^4, negligible for slow waves, and zero for rigid rotations.
double cps_rod_wave_damping(const CpsModelStep* step, double tension, double density, double size);
// What slow() adds to velocities that were scaled: (1 - factor) common + more.
CpsRigidMotion cps_rod_motion_added(double factor, const CpsRigidMotion* common, const CpsRigidMotion* more);
double cps_rod_pull_stored(const CpsRod* rod, const CpsRodPull* pull);  // J, now
// Makes a rod from a validated definition: spec, samples of its shape, memory, state.
CpsStatus cps_rod_create(const CpsFibreDef* def, CpsRod* rod, CpsError* error);
void cps_rod_free(CpsRod* rod);

#endif
