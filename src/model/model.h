// Mechanical models: the single interface that every model implements.
//
// A model is a population of similar members with its state in plain arrays. With v the velocities of the degrees of freedom
// of one member, M~ = L L^T its implicit mass matrix and J(x) the Jacobian of the velocity of a material point x, a step of
// Moreau's scheme is
//
//   v* = v + M~^-1 h F                    begin: free velocity                                                    (1)
//   G  = E J(x) L^-T                      rows: a contact with frame E sees the member through this 3 x m matrix  (2)
//   v+ = v* + L^-T z,   z = sum G^T r     receive: impulses of all its contacts, mass-normalised              (3)
//   q+ = q + h (theta v+ + (1 - theta) v) advance                                                                 (4)
//
// so W = sum over members of G G^T, and M~ stays inside the model. Large members provide M~ as a sparse matrix instead,
// and contacts act on their nodes. For nonlinear forces, (1) is linearised around a trial velocity, which the world
// improves iteratively (world/newton.c). Functions act on ranges of members so that threads can share the work; calls for
// different members may run concurrently.
#ifndef CAPSTAN_MODEL_MODEL_H
#define CAPSTAN_MODEL_MODEL_H

#include "capstan/array.h"
#include "capstan/tie.h"
#include "core/hash.h"
#include "core/pool.h"
#include "core/vec3.h"
#include "geometry/collider.h"
#include "sparse/cholesky.h"

typedef struct CpsModel CpsModel;

// Data of the step that models need.
typedef struct CpsModelStep {
  double h, theta;
  double whole;  // length of the whole step if h is a part of it
  CpsVec3 gravity;
  CpsPool* pool;     // threads that a call may use for one member; NULL: the members are distributed over them
  double tolerance;  // of the contact solve
  bool kept;         // an earlier attempt had the same h: its results are a good guess
  bool again;        // that attempt was completed: so are its velocities
  // whether a point is inside an obstacle or within `near` of one; NULL: unknown
  bool (*is_stopped)(const void* obstacles, CpsVec3 place, double near);
  const void* obstacles;
  bool (*is_covered)(const void* covers, CpsVec3 place, double near);  // the same for members with a shape
  const void* covers;
  const double* t;  // initial time, s; NULL: no time passes
  double meeting;   // in advance: largest relative velocity of two contact points without impulses, m/s
} CpsModelStep;

// Selects a velocity.
typedef enum CpsVelocity { CPS_VELOCITY_BEFORE = 0, CPS_VELOCITY_FREE = 1, CPS_VELOCITY_AFTER = 2 } CpsVelocity;

// A node of a large member and its weight in the velocity of a spot: u += weight v, world axes.
typedef struct CpsPatchNode {
  int32_t node;
  CpsMat3 weight;
  double share;  // weight of the node in the position of the spot; the shares of a spot add up to 1
} CpsPatchNode;
enum { CPS_PATCH_MOST = 4 };     // maximum number of nodes of one side of a contact,
enum { CPS_IMMERSED_MOST = 8 };  // and of a granular medium around a side without nodes of its own

// A material point of a member, as used by contacts.
typedef struct CpsSpot {
  CpsVec3 point;  // in world coordinates, at the beginning of the step
  double arc;     // lines: arc length, m
  int32_t piece;  // piece index, as in colliders
  // large members; empty for others
  int32_t patch_count;
  const CpsPatchNode* patch;
} CpsSpot;

// Velocity of a patch: sum of weight v over its nodes.
static inline CpsVec3 cps_spot_velocity(const CpsSpot* spot, const CpsVec3* v) {
  CpsVec3 sum = {0.0, 0.0, 0.0};
  for (int32_t i = 0; i < spot->patch_count; ++i) {
    sum = cps_vec3_add(sum, cps_mat3_apply(spot->patch[i].weight, v[spot->patch[i].node]));
  }
  return sum;
}

// The implicit mass of a large member: lower triangle of a matrix of 3 x 3 blocks, columns ascending, diagonal last.
// Held nodes are not coupled to others, and contacts do not move them.
typedef struct CpsLargeMass {
  int32_t nodes;
  const int64_t* start;
  const int32_t* column;
  const double* value;
  const bool* held;
  CpsCholesky* factor;  // of `value`
  int64_t version;      // changes whenever `value` does
} CpsLargeMass;

// A block of rows that a member adds to the contact problem, under Coulomb's law: the stress in a cell of grains. u = sum of
// A v over nodes, A with rows x 3 entries; the first row is the normal one.
enum { CPS_OWN_ROWS = 6 };  // maximum number of rows
typedef struct CpsOwnBlock {
  int32_t rows;   // 3 or 6
  int32_t nodes;  // number of its nodes, none of them held
  double mu;
  double shift;                // velocity shift of the first row, m/s
  double dashpot, cohesion;    // kg, N s: the law holds for r + dashpot u + cohesion e
  double guess[CPS_OWN_ROWS];  // r, N s
} CpsOwnBlock;

// A node of a surface at the end of a step.
typedef struct CpsSurfaceNode {
  double mass;
  CpsVec3 from, to;  // initial and final position
  CpsVec3 velocity;
} CpsSurfaceNode;

// A capsule of a line, at the beginning of the step.
typedef struct CpsLinePiece {
  CpsGeom geom;
  CpsPose pose;
  double arc[2];
  CpsVec3 velocity;  // in the step
  double reach;      // as in CpsCollider
  uint8_t joined;    // as in CpsCollider
  CpsVec3 from[2];   // its ends
  CpsVec3 to[2];     // and their current positions (follow)
} CpsLinePiece;

// A line, possibly with branches: its contacts may move from piece to piece, and its axis must not pass through anything.
typedef struct CpsMemberLine {
  int32_t count;  // number of pieces of all branches; 0: no contact
  CpsLinePiece* piece;
  double radius, length;  // contact radius at the root; length of the trunk
  bool held[2];           // whether root and tip are held
  double*
      let;  // two distances, m: closer to the root or tip than this, it does not touch what is held at the same place
} CpsMemberLine;

// Data of a member at a spot for the contact law.
typedef struct CpsSurface {
  uint32_t generation;
  int32_t material;
  double mu, restitution;  // its own values; NaN: not set
  double mu_across;        // NaN: isotropic
  CpsVec3 grain;           // unit vector, world axes: direction of mu if anisotropic
} CpsSurface;

// Energies and work of a range of members over the step, J. `scheme` is the loss of (1) and (4) without contacts:
//   h F.(theta v+ + (1 - theta) v)  -  (kinetic energy of v*  -  that of v)                                       (5)
typedef struct CpsModelEnergy {
  double kinetic, potential;  // current; potential: of gravity
  double elastic, springs;    // current; springs: the part of it in the springs of pulls
  double external;            // work of the loads in the step
  double damping;             // dissipated by dampers and drag in the step
  double ends;                // work of held ends of lines in the step
  double linearisation;       // loss in the step from linearised forces
  double scheme;              // (5), F with gravity
  double ties;                // second-order loss at ties
  double turnover;            // sum of |kinetic energy of v* - that of v|
  double grain;               // rounding error of the current elastic energy
} CpsModelEnergy;

// The energies of a pull over a step that displaces its point by `way`; `error` is the distance from the initial point
// to the target at theta h:
//
//   F = force + k (error - theta way) - d (way/h - T'),   external: force.way + (F - force).h T'                        (6)
//   damping  d h |way/h - T'|^2,     scheme  (theta - 1/2) k |h T' - way|^2                                             (7)
//
// F.way + the change of k |T - x|^2 / 2 = external - damping - scheme.
typedef struct CpsPullWork {
  double external, damping, scheme;
} CpsPullWork;
static inline CpsPullWork cps_pull_work(const CpsModelStep* step, double k, double d, CpsVec3 force, CpsVec3 error,
                                        CpsVec3 target_velocity, CpsVec3 way) {
  CpsVec3 led = cps_vec3_scale(step->h, target_velocity), late = cps_vec3_sub(led, way);
  CpsVec3 F = cps_vec3_scale(k, cps_vec3_axpy(error, -step->theta, way));
  F = cps_vec3_axpy(F, d / step->h, late);
  double square = cps_vec3_dot(late, late);
  return (CpsPullWork){cps_vec3_dot(force, way) + cps_vec3_dot(F, led), d / step->h * square,
                       (step->theta - 0.5) * k * square};
}

// A pull in a step: a force at a point, and a spring and damper to a target.
typedef struct CpsPullTerm {
  CpsAnchor at;
  CpsVec3 force;  // mean over the step
  double stiffness, damping;
  CpsVec3 target, target_velocity;  // target: at theta h
  CpsVec3 rest;                     // current target, where the spring stores no energy
} CpsPullTerm;

// x' = velocity + spin × x
typedef struct CpsRigidMotion {
  CpsVec3 velocity, spin;
} CpsRigidMotion;
static inline CpsVec3 cps_rigid_motion_at(const CpsRigidMotion* m, CpsVec3 x) {
  return cps_vec3_add(m->velocity, cps_vec3_cross(m->spin, x));
}

typedef struct CpsModelType {
  const char* name;  // name of one member, for messages
  CpsThingKind kind;
  bool chained;  // members touch many others along their length, so the contacts of an island are sorted by
                 // neighbourhood (world/ordering.c)
  void (*destroy)(CpsModel* model);

  int32_t (*dofs)(const CpsModel* model, int32_t member);  // m
  // Identity: generation (0: slot never used), name (NULL: none), whether it exists
  uint32_t (*generation)(const CpsModel* model, int32_t member);
  const char* (*label)(const CpsModel* model, int32_t member);
  bool (*is_there)(const CpsModel* model, int32_t member);
  // radius of the largest sphere that fits into it (into the smallest of its parts), m: depths are reported relative to it
  double (*size)(const CpsModel* model, int32_t member);
  // whether something outside the members holds it, so it may exchange momentum with it; NULL: never
  bool (*is_held)(const CpsModel* model, int32_t member);

  // 1 predict (1)
  void (*begin)(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last);
  // The first member whose prediction or new state is not finite, -1 if all are
  int32_t (*broken)(const CpsModel* model);
  // Whether begin ran out of memory; NULL: never
  bool (*starved)(const CpsModel* model);
  // Whether it failed because its contacts leave it no room; NULL: never
  bool (*squeezed)(const CpsModel* model);
  // 2 detect: the current collision shapes. `place` prepares a range of members (NULL: nothing to prepare);
  // `colliders` writes all of them, with owners from `first_owner` on
  int32_t (*collider_count)(const CpsModel* model);
  void (*place)(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last);
  void (*colliders)(const CpsModel* model, const CpsModelStep* step, int32_t first_owner, CpsCollider* out);
  // largest displacement of the points of a member in the step just advanced, m; NULL: its contacts are tracked in another way
  double (*went)(const CpsModel* model, const CpsModelStep* step, int32_t member);
  CpsSurface (*surface)(const CpsModel* model, int32_t member, const CpsSpot* spot);
  // Part and place of a side (capstan/world.h) with a known point, and the spot there. `advanced`: at the beginning of the
  // step just advanced; otherwise now. NULL: not available
  void (*locate)(const CpsModel* model, int32_t member, const CpsSpot* spot, bool advanced, CpsSide* side);
  // 4 assemble (2): 3 x m row-major, times `sign`
  void (*rows)(const CpsModel* model, int32_t member, const CpsSpot* spot, const CpsMat3* frame, double sign,
               double* G);
  CpsVec3 (*velocity)(const CpsModel* model, int32_t member, const CpsSpot* spot, CpsVelocity which);
  // Position of a material point, and its spot for a tie after begin, with the lever arms of the middle of the step.
  // `nodes`: buffer for the patch of the spot, CPS_PATCH_MOST; NULL: not needed.
  // Function NULL: nothing can be tied to it. check_anchor: whether such a point exists; NULL: always
  CpsVec3 (*anchor)(const CpsModel* model, int32_t member, const CpsAnchor* anchor, CpsSpot* spot, CpsPatchNode* nodes);
  CpsStatus (*check_anchor)(const CpsModel* model, int32_t member, const CpsAnchor* anchor, CpsError* error);
  // For hinges and welds: turns a validated point into one of a rotating body and returns its lever arm, m; `along` is the
  // difference of `point` and `weights` to the point a metre farther along a direction (world, current), which moves with
  // the same element. NULL: hinges and welds cannot attach
  CpsStatus (*turning)(const CpsModel* model, int32_t member, CpsAnchor* anchor, double* size, CpsError* error);
  void (*along)(const CpsModel* model, int32_t member, const CpsAnchor* anchor, CpsVec3 direction, CpsAnchor* more);
  // The material point currently nearest to a position; NULL: members have a pose
  CpsStatus (*nearest)(const CpsModel* model, int32_t member, CpsVec3 place, CpsAnchor* anchor, CpsError* error);
  // Whether something outside the members holds such a point permanently; NULL: never
  bool (*is_pinned)(const CpsModel* model, int32_t member, const CpsAnchor* anchor, double time);
  // Contribution of prescribed motion to the velocity of a spot in this step; NULL: none
  CpsVec3 (*driven)(const CpsModel* model, int32_t member, const CpsSpot* spot);
  // An impulse r at a point p changes the angular momentum by (p + drift) x r: (1 - theta) h v, since
  //   x+ × m v+ - x × m v = (x + (1 - theta) h v) × m (v+ - v)
  // by (4), with v the initial velocity of the spot or of the centre of mass. Zero for held lines without points.
  CpsVec3 (*drift)(const CpsModel* model, const CpsModelStep* step, int32_t member, const CpsSpot* spot);
  // Large members, NULL for others: M~ from begin on, and the nodes of a collider with where it is; at most CPS_PATCH_MOST
  CpsLargeMass (*mass)(const CpsModel* model, int32_t member);
  int (*patch)(const CpsModel* model, int32_t member, int32_t piece, CpsPatchNode* nodes, CpsVec3* point);
  // Tries v = v* + dv from the contact impulses on nodes. True: accepted; false: M~ and v* now belong to a better trial.
  // Then: all iterations of a member without contacts; a member whose iterations failed, -1: none
  bool (*attempt)(CpsModel* model, const CpsModelStep* step, int32_t member, const double* dv, const double* impulse);
  // Friction split from elasticity (world/coupling.c): impulses on nodes as forces of the step, before the first attempt; from then on
  // M~ is the nodal mass alone and v* = v - M^-1 impulse; v = v* + dv is the velocity of the step
  void (*push)(CpsModel* model, CpsPool* pool, int32_t member, const double* impulse);
  void (*lump)(CpsModel* model, CpsPool* pool, int32_t member, const double* impulse);
  void (*take)(CpsModel* model, int32_t member, const double* dv, const double* impulse);
  void (*fly)(CpsModel* model, const CpsModelStep* step, int32_t member);
  int32_t (*stalled)(const CpsModel* model);
  // Large members with blocks of their own, NULL for others: number of blocks after begin; one block; its nodes and A, row-major,
  // concatenated; its u; its result, once the velocities are known
  int32_t (*block_count)(const CpsModel* model, int32_t member);
  void (*block)(const CpsModel* model, const CpsModelStep* step, int32_t member, int32_t i, CpsOwnBlock* block);
  void (*block_terms)(const CpsModel* model, int32_t member, int32_t i, int32_t* node, double* A);
  void (*block_velocity)(const CpsModel* model, int32_t member, int32_t i, CpsVelocity which, double* u);
  void (*block_done)(CpsModel* model, const CpsModelStep* step, int32_t member, int32_t i, const double* r,
                     CpsContactStatus status);
  // Members whose nodes are stopped by obstacles, NULL for others: the size represented by a node, m; and the key of a node,
  // constant over time: ascending, and below 2^60
  double (*node_size)(const CpsModel* model, int32_t member);
  uint64_t (*node_key)(const CpsModel* model, int32_t member, int32_t node);
  // and the nodes that act on a thin line along a unit vector at a point inside the medium, at most CPS_IMMERSED_MOST, and the pressure on
  // its side, the mean around it in the last step, Pa. 0: no medium at this place
  int (*immerse)(const CpsModel* model, int32_t member, CpsVec3 place, CpsVec3 along, CpsPatchNode* nodes,
                 double* pressure);
  // the same for a surface with a unit normal at this place: whether the medium is present on the side of the normal and on
  // the opposite side, and the pressure on each, Pa
  int (*immerse_surface)(const CpsModel* model, int32_t member, CpsVec3 place, CpsVec3 normal, CpsPatchNode* nodes,
                         bool there[2], double pressure[2]);
  bool (*is_flat)(const CpsModel* model);  // whether it is two-dimensional, without room for surfaces
  // Whether the step just advanced was too long for it; NULL: never
  bool (*went_too_far)(const CpsModel* model);
  // Surfaces, NULL for others: the triangles with their free motion in the step or, once advanced, with their actual
  // motion. False: no contact
  bool (*surface_mesh)(const CpsModel* model, const CpsModelStep* step, int32_t member, bool free,
                       CpsSurfaceMesh* mesh);
  // the same for smooth surfaces, which replace the others
  bool (*smooth_mesh)(const CpsModel* model, const CpsModelStep* step, int32_t member, bool free, CpsSmoothMesh* mesh);
  // a node of such a member once advanced; sets its position and velocity
  CpsSurfaceNode (*node)(const CpsModel* model, int32_t member, int32_t node);
  void (*put_node)(CpsModel* model, int32_t member, int32_t node, CpsVec3 place, CpsVec3 velocity);
  // Lines, NULL for others: the line of a member, whose address is stable while nothing is added;
  // and the current ends of its pieces, which otherwise stay as detected at the beginning of the step
  CpsMemberLine (*line)(const CpsModel* model, int32_t member);
  void (*follow)(CpsModel* model, int32_t member);
  // Rigid members, NULL for others: current pose of the shape
  CpsPose (*pose)(const CpsModel* model, int32_t member);
  // Current placement of a collider through which lines could pass; NULL: lines are kept out in another way
  CpsPose (*collider_pose)(const CpsModel* model, int32_t member, int32_t piece);
  // Pulls (world/pulls.c), NULL if unsupported: whether such a point exists, which may be rounded; reserves room for a number of pulls,
  // false if memory runs out; clears those of the last step; adds one, grouped by member, and returns its index
  CpsStatus (*check_pull)(const CpsModel* model, int32_t member, CpsAnchor* at, CpsError* error);
  bool (*reserve_pulls)(CpsModel* model, int32_t count);
  void (*let_go)(CpsModel* model);
  int32_t (*pull)(CpsModel* model, const CpsModelStep* step, int32_t member, const CpsPullTerm* term);
  // current energy of its spring, J; sets its rest point; once advanced, its force over the step, and adds the parts of its
  // work that are not in the energies of the model
  double (*pull_stored)(const CpsModel* model, int32_t member, int32_t pull);
  void (*pull_rest)(CpsModel* model, int32_t pull, CpsVec3 rest);
  CpsVec3 (*pull_force)(const CpsModel* model, const CpsModelStep* step, int32_t member, int32_t pull,
                        CpsModelEnergy* work);
  // Forces of ties in the previous step (world/tie_blocks.c), NULL if second-order effects vanish: clears the list and reserves
  // room, false if memory runs out; adds the force on a point
  bool (*reserve_tensions)(CpsModel* model, int32_t count);
  void (*tension)(CpsModel* model, int32_t member, const CpsAnchor* at, CpsVec3 force);
  // Loads: clears those of the last step; adds a force at the centre of mass and a torque, in world axes or those of its
  // shape. NULL: no loads
  void (*clear_loads)(CpsModel* model);
  void (*add_load)(CpsModel* model, int32_t member, double value, CpsVec3 force, CpsVec3 torque, bool own_axes);
  // 6 advance (3), (4); z is NULL for a member without contacts
  void (*receive)(CpsModel* model, int32_t member, const double* z);
  // A member whose contact impulses balance all other forces is at rest if none of its points is faster than this, m/s; NULL: rounding
  // errors remain. Whether it was already at rest: advance then leaves it bitwise unchanged
  bool (*halt)(CpsModel* model, int32_t member, double speed);
  void (*advance)(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last);
  // Whether the step was too long for a rotating member and must be repeated in shorter steps, also if steps are fixed; NULL: never
  bool (*is_hasty)(const CpsModel* model);
  // The member that lost the largest part of its spin under gravity alone, and that part; -1: none. NULL: members conserve spin
  int32_t (*lost_spin)(const CpsModel* model, double* part);
  // positions moved by L^-T z without any change of velocities, and velocities scaled relative to a common rigid motion, to
  // which another is added: the projection of positions
  void (*shift)(CpsModel* model, int32_t member, const double* z);
  void (*slow)(CpsModel* model, int32_t member, double factor, const CpsRigidMotion* common,
               const CpsRigidMotion* more);
  // saves the position of a member as doubles, and restores it: the opposite of a nonlinear shift does not undo it
  int64_t (*place_size)(const CpsModel* model, int32_t member);
  void (*keep_place)(const CpsModel* model, int32_t member, double* numbers);
  void (*put_back)(CpsModel* model, int32_t member, const double* numbers);

  // 7 observe. `stepped` false: only kinetic and potential are filled in
  void (*energy)(const CpsModel* model, const CpsModelStep* step, bool stepped, int32_t first, int32_t last,
                 CpsModelEnergy* out);
  // of a range of members: momenta, about the origin, and mass; added to
  void (*momentum)(const CpsModel* model, int32_t first, int32_t last, CpsVec3* linear, CpsVec3* angular);
  void (*weigh)(const CpsModel* model, int32_t first, int32_t last, double* mass);
  // sums of m x and of m (x.x - x x^T), with the inertia of members about themselves; added to
  void (*inertia)(const CpsModel* model, int32_t member, CpsVec3* first, CpsMat3* second);
  // A quantity of an existing member, with a stride in bytes; returns the number of its entries. Without `values` only counts them.
  // NULL: it has none
  int64_t (*read)(const CpsModel* model, int32_t member, CpsQuantity quantity, double* values, size_t stride);
  // Address of a quantity of an existing member in the form that read() returns; false: not stored. NULL: none is stored
  bool (*view)(const CpsModel* model, int32_t member, CpsQuantity quantity, CpsArrayView* view);
  // Sets one entry of it to validated values; NULL: no entry can be set this way
  void (*write)(CpsModel* model, int32_t member, CpsQuantity quantity, int64_t entry, const double* value);
  // Sets the velocities of a member whose entries are not unknowns to the nearest motion of that member: returns the doubles of
  // working memory needed, 0: use write(). NULL: write() serves for all members
  int64_t (*fit_size)(const CpsModel* model, int32_t member);
  void (*fit)(CpsModel* model, int32_t member, const double* values, size_t stride, double* work);
  double (*reach)(const CpsModel* model, CpsVec3 from);  // largest distance of a point of a member from a point
  uint64_t (*hash)(const CpsModel* model, uint64_t hash);
  // all time-dependent data, as bytes; untrusted bytes are validated before loading, and loading itself cannot fail
  size_t (*state_size)(const CpsModel* model);
  void (*save)(const CpsModel* model, void* bytes);
  CpsStatus (*check)(const CpsModel* model, const void* bytes, size_t size, CpsError* error);
  void (*load)(CpsModel* model, const void* bytes);
} CpsModelType;

// Every function exists and does nothing (nothing.c): small models start from a copy of it.
extern const CpsModelType cps_model_nothing;

// Key of a collider; ascending with (kind, member, generation, piece): 3 bits of kind, 27 of slot, 12 of generation, 22 of
// piece. A kind above 7 (a flow) has no colliders and no keys.
enum { CPS_KEY_PLACES = 1 << 27 };
// The kind in the keys of a contact between features of two surfaces: after all members, before obstacles.
#define CPS_KEY_SURFACE CPS_THING_OTHER
static inline uint64_t cps_key(CpsThingKind kind, int32_t member, uint32_t generation, int32_t piece) {
  return (uint64_t)kind << 61 | (uint64_t)(uint32_t)member << 34 | (uint64_t)(generation & 0xfffu) << 22 |
         (uint64_t)(uint32_t)piece;
}
static inline CpsThingKind cps_key_kind(uint64_t key) {
  return (CpsThingKind)(key >> 61);
}
static inline int32_t cps_key_place(uint64_t key) {
  return (int32_t)(key >> 34 & 0x7ffffffu);
}
static inline int32_t cps_key_piece(uint64_t key) {
  return (int32_t)(key & 0x3fffffu);
}

// The beginning of every model's own struct.
struct CpsModel {
  const CpsModelType* type;
  int32_t count;        // slots of members, including empty ones
  int32_t there_count;  // number of existing members
};

#endif
