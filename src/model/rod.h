// One rod: the table of functions behind which every mechanical model of a fibre lives. fibres.c is the population that
// offers rods to the world through model.h; a new model is one new file and one line in rod.c.
//
// With q the coordinates of a rod, v = q' its velocities, the scheme is that of model.h with
//
//   (M + h theta C + h^2 theta^2 K) (v* - v) = h [ F(q + h theta v, v) - bias ],     C = damping K + drag           (1)
//
// that is, internal forces, drag and the springs of pulls are taken at the end of the step to first order (theta = 1), or
// at the middle (theta = 1/2). M~ = L L^T is the matrix on the left. In the world a point of the centreline moves with
//
//   x'(s) = J(s) v + x'_ends(s)                                                                                     (2)
//
// where the last term is the prescribed motion of held ends. What touches is the surface: a point p that moves with the
// section at s, whose spin is w(s), has
//
//   p' = x'(s) + w(s) × (p - x(s))                                                                                  (3)
//
// so that a contact turns the rod as arm times force. A mass-spring chain has no twist: its w is that of the segment alone.
#ifndef CAPSTAN_MODEL_ROD_H
#define CAPSTAN_MODEL_ROD_H

#include "capstan/fibre.h"
#include "model/model.h"

typedef struct CpsRod CpsRod;
typedef struct CpsRodStatics CpsRodStatics;  // rod_statics.h

// One branch of a rod; a rod that is not a tree has one, the trunk.
typedef struct CpsRodBranch {
  int32_t parent, at;     // -1: none; the element of the parent at whose end it grows
  CpsQuat rotation;       // relative to the parent there
  int32_t elements;       // >= 1
  int32_t first_element;  // number of its first element in the rod
  double start, length;   // arc lengths [start, start + length]
  double* joint;          // arc lengths of the joints from `start`; NULL: elements of equal length
  double radius;          // larger half-axis of the section at its root, m
  double line_density;    // kg/m
  double stiffness[3];    // G J, E I about the second and third axis, N m^2
  double defined[3];      // the same as the definition has it
  double rotary[3];       // inertia per length about the three axes, kg m (points and quaternions only)
} CpsRodBranch;

// A rod as its model sees it, checked.
typedef struct CpsRodSpec {
  int32_t elements;  // of all branches
  double length;     // of all branches
  double stretch;    // E S, N
  double stretch_defined;
  double taper;  // radius at the end of the trunk over that at the root; constants of the trunk are those of the root
  double damping, drag;
  bool gravity;
  CpsEndKind root, tip;
  int32_t branch_count;  // >= 1
  CpsRodBranch* branch;
} CpsRodSpec;

// Shape at the start and natural shape, sampled at equal distances over each branch: CPS_ROD_SAMPLES intervals per
// element. Branch b has its samples from index CPS_ROD_SAMPLES * first_element + b on.
enum { CPS_ROD_SAMPLES = 16 };
typedef struct CpsRodShape {
  CpsVec3* point;    // centreline at the start
  CpsQuat* frame;    // material frames at the start
  CpsVec3* natural;  // natural curvature
  bool as_placed;    // the natural shape of the trunk is the one at the start: models that can, take theirs exactly so
} CpsRodShape;

// A held end in the step: written by fibres.c before begin.
typedef struct CpsRodEnd {
  CpsPose now, next;                     // at the beginning and the end of the step
  CpsVec3 velocity, spin;                // mean over the step, world axes
  CpsVec3 velocity_before, spin_before;  // the same of the step before
} CpsRodEnd;

// A force on a point: force + stiffness (target - x) - damping (x' - target_velocity), `target` where it is theta h after
// the beginning of the step.
typedef struct CpsRodPull {
  double s;
  CpsVec3 force;
  double stiffness, damping;
  CpsVec3 target, target_velocity;
  CpsVec3 rest;  // the target now: where the spring stores nothing
} CpsRodPull;

// The force by which a tie held a point in the step before: what it does to second order (super_tension.h).
typedef struct CpsRodTension {
  double s;
  CpsVec3 force;
  const struct CpsRodTension* next;  // of the same rod; NULL: none
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
  double kinetic, gravity, elastic;  // now
} CpsRodEnergy;

// Works of a step, J, each by its own formula from v+, v and where the rod was. With v~ = theta v+ + (1 - theta) v, Q the
// impulses of all forces by (1) and g = J^T r those of contacts,
//
//   T(v+) - T(v) = Q.v~ + (1 - theta) Q.(v+ - v) + g.v+ - |v+ - v|^2 / 2 in the norm of M                           (4)
//
// for numbers that are free; prescribed ones have the works of their holders.
typedef struct CpsRodWork {
  double forces;   // of elastic forces and weight along h v~
  double damping;  // dissipated by internal damping and drag
  double late;     // (theta - 1/2) h^2 |v~|^2 in the norm of the stiffness: what an elastic force read late takes
  double scheme;   // the last terms of (4), multipliers and gyroscopic forces along h v~: lost
  double ends;     // of held ends
  double pulls;    // of pulls along h v~
  double ties;     // lost where tension turns sections, which ties by themselves gain
} CpsRodWork;

typedef struct CpsRodType {
  const char* name;
  int variant;     // of a model that comes in kinds
  bool trees;      // takes more than one branch
  bool untwisted;  // its sections do not turn about their tangents
  // Degrees of freedom, doubles of state (all that changes in time, velocities included) and of working memory.
  void (*sizes)(const CpsRodSpec* spec, int32_t* dofs, int64_t* state, int64_t* work);
  // State from a shape, at rest; everything in `state` and what is constant in `work`. The memory is zeroed.
  CpsStatus (*create)(CpsRod* rod, const CpsRodShape* shape, CpsError* error);
  // Positions, frames and whatever at() needs, from the state: after create, load, advance and shift.
  void (*refresh)(CpsRod* rod);
  // The centreline at arc length s in [0, length], at the state of the last refresh.
  CpsRodPoint (*at)(const CpsRod* rod, double s);

  // (1): L and v*. Reads rod->root, tip, pulls. A step may begin more than once, with positions shifted and velocities
  // slowed in between: the state is not changed here.
  void (*begin)(CpsRod* rod, const CpsModelStep* step);
  // G = sign E J L^-T, 3 x dofs row-major, E the rows of `frame`, J that of (3); point NULL: of the centreline
  void (*rows)(const CpsRod* rod, double s, const CpsVec3* point, const CpsMat3* frame, double sign, double* G);
  // (2) with the positions of the beginning of the step; BEFORE and FREE from begin on, AFTER from receive on. Between
  // advance and the next begin only AFTER is asked for, and only for observers.
  CpsVec3 (*velocity)(const CpsRod* rod, double s, CpsVelocity which);
  // The same with where the section is and its spin, all of the beginning of the step
  CpsRodMotion (*motion)(const CpsRod* rod, double s, CpsVelocity which);
  // v = v* + L^-T z; z NULL: v = v*
  void (*receive)(CpsRod* rod, const double* z);
  // Works of the step, after receive
  void (*work)(CpsRod* rod, const CpsModelStep* step, CpsRodWork* out);
  // What the prescribed motion of held ends is to the velocity of a point of the surface in this step
  CpsVec3 (*driven)(const CpsRod* rod, double s, CpsVec3 point);
  // q from v; rod->root and tip are at `next` from here on
  void (*advance)(CpsRod* rod, const CpsModelStep* step);
  // q moved by L^-T z with v unchanged; v scaled relative to a common rigid motion of all points, with another one added,
  // which held ends do not take
  void (*shift)(CpsRod* rod, const double* z);
  void (*slow)(CpsRod* rod, double factor, const CpsRigidMotion* common, const CpsRigidMotion* more);
  // v of a rigid motion: x' = velocity + spin x x
  void (*move_rigidly)(CpsRod* rod, CpsVec3 velocity, CpsVec3 spin);
  // Where the positions or the velocities of the ends of elements lie, at a stride in bytes. NULL where points are not unknowns
  const double* (*view)(const CpsRod* rod, bool velocities, int64_t* stride);
  // v of the end of an element, where it is free; NULL where points are not unknowns
  void (*set_velocity)(CpsRod* rod, int32_t joint, CpsVec3 velocity);
  // For a free root: the same added to v where the velocities were found; q moved as a whole by a pose. NULL where points are unknowns
  void (*push)(CpsRod* rod, CpsVec3 velocity, CpsVec3 spin);
  void (*carry)(CpsRod* rod, const CpsPose* by);

  // Axial force at s by strain or multiplier, N, > 0: pulled. NULL where there is neither.
  double (*axial)(const CpsRod* rod, double s);
  void (*energy)(const CpsRod* rod, CpsVec3 gravity, CpsRodEnergy* out);
  void (*momentum)(const CpsRod* rod, CpsVec3* linear, CpsVec3* angular);  // about the origin
  // The rod at rest; NULL where the model has no natural strains that any shape could be held by.
  const CpsRodStatics* statics;
} CpsRodType;

struct CpsRod {
  const CpsRodType* type;
  CpsRodSpec spec;
  CpsRodEnd root, tip;
  bool moved;  // the ends have a step behind them; before it they rest
  bool
      begun;  // between begin and receive: velocities AFTER are those of the step before, with the ends as they moved in it
  int32_t pull_count;
  const CpsRodPull* pulls;        // of the step
  const CpsRodTension* tensions;  // of the step; NULL: none
  CpsRodPull hold;                // super-models: the spring of the step that holds the tip; no stiffness: none
  CpsVec3 hold_from;              // where the tip was at the beginning
  int32_t dofs;
  int64_t state_count;
  double stiffened;  // stiffness over that of the definition
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
// Element j of a branch: where it begins, from the beginning of the branch (j = elements: its end), and how long it is.
static inline double cps_rod_element_start(const CpsRodBranch* branch, int32_t j) {
  return branch->joint ? branch->joint[j] : branch->length * j / branch->elements;
}
static inline double cps_rod_element_size(const CpsRodBranch* branch, int32_t j) {
  return branch->joint ? branch->joint[j + 1] - branch->joint[j] : branch->length / branch->elements;
}
// The element of a branch that a distance from its beginning lies in; the last one beyond the end.
int32_t cps_rod_element_at(const CpsRodBranch* branch, double from);
// Where s lies: the branch, and the element of the branch with the local coordinate in it.
typedef struct CpsRodPlace {
  int32_t branch, element;  // element in the numbering of the rod
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
// A point at `arm` from the edge with tangent t, without the twist of the edge, moves along n with
//
//   n.((t × t') × arm) = t'.[(t.arm) n - (n.t) arm],   t' = (1 - t t^T)(x_b' - x_a') / |e|
//
// beside what its place on the edge does: the factor of x_b' - x_a'.
CpsVec3 cps_rod_edge_turn(CpsVec3 t, double length, CpsVec3 arm, CpsVec3 n);
// Damping of bending, N m^2 s, where waves of the tension T along a rod of mass rho per length and elements of length l are faster
// than a step can follow. A wave number k has the frequency k c, c^2 = T / rho, the shortest one 2 c / l: more than a radian in a step
// where 2 c h > l;
// below theta = 1 nothing takes their energy, and ties and tensions that are known to first order feed them. A damping d of bending
// takes the share d k^4 h / rho in a step:
//
//   d = WAVES (T^2 h^3 / rho) max(0, 1 - rho l^2 / (4 T h^2))   for theta < 1,   else 0
//
// is WAVES (k c h)^4, nothing for slow waves, and nothing for a rod that turns as a whole.
double cps_rod_wave_damping(const CpsModelStep* step, double tension, double density, double size);
// What slow() adds to velocities that were scaled: (1 - factor) common + more.
CpsRigidMotion cps_rod_motion_added(double factor, const CpsRigidMotion* common, const CpsRigidMotion* more);
double cps_rod_pull_stored(const CpsRod* rod, const CpsRodPull* pull);  // J, now
// Makes a rod of a checked definition: spec, samples of its shape, memory, state.
CpsStatus cps_rod_create(const CpsFibreDef* def, CpsRod* rod, CpsError* error);
void cps_rod_free(CpsRod* rod);

#endif
