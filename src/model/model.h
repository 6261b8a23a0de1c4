// What moves: the one interface behind which every mechanical model lives.
//
// A model is a population of like members with its state in plain arrays. With v the velocities of the degrees of freedom
// of one member, M~ = L L^T its implicit mass matrix and J(x) the Jacobian of the velocity of a material point x, a step of
// Moreau's scheme is
//
//   v* = v + M~^-1 h F                    begin: free velocity                                                    (1)
//   G  = E J(x) L^-T                      rows: a contact with frame E sees the member through these 3 x m numbers  (2)
//   v+ = v* + L^-T z,   z = sum G^T r     receive: the impulses of all its contacts, mass-normalised              (3)
//   q+ = q + h (theta v+ + (1 - theta) v) advance                                                                 (4)
//
// so that W = sum over members of G G^T and M~ stays inside the model. Large members show M~ as a sparse matrix
// instead, and contacts see nodes of them; where forces are not linear, (1) holds around a trial velocity, which the world
// improves in rounds (world/newton.c). Functions act on ranges of members so that
// threads share the work; calls for different members may run at the same time.
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

// What a model must know about the step.
typedef struct CpsModelStep {
  double h, theta;
  double whole;  // the step of which h is a part, if it was halved
  CpsVec3 gravity;
  CpsPool* pool;     // threads that a call may use for one member; NULL: members are shared out among them
  double tolerance;  // of contacts
  bool kept;         // the step was begun before with this h: what was found for that is near
  bool again;        // and was made to its end: so are its velocities
  // whether a place is in an obstacle, or so near to one; NULL: unknown
  bool (*is_stopped)(const void* obstacles, CpsVec3 place, double near);
  const void* obstacles;
  bool (*is_covered)(const void* covers, CpsVec3 place, double near);  // the same of members with a shape
  const void* covers;
  const double* t;  // when it begins, s; NULL: no time goes by
  double
      meeting;  // in advance: the fastest that the two sides of a contact would go past each other without impulses, m/s
} CpsModelStep;

// Which velocity.
typedef enum CpsVelocity { CPS_VELOCITY_BEFORE = 0, CPS_VELOCITY_FREE = 1, CPS_VELOCITY_AFTER = 2 } CpsVelocity;

// A node of a large member and its part in the velocity of a spot: u += weight v, world axes.
typedef struct CpsPatchNode {
  int32_t node;
  CpsMat3 weight;
  double share;  // part of the node in the place of the spot; those of a spot add up to 1
} CpsPatchNode;
enum { CPS_PATCH_MOST = 4 };     // nodes of one side of a contact,
enum { CPS_IMMERSED_MOST = 8 };  // of a medium in which the other side is and has no nodes of its own

// A material point of a member as a contact sees it.
typedef struct CpsSpot {
  CpsVec3 point;  // world, at the beginning of the step
  double arc;     // lines: arc length, m
  int32_t piece;  // as colliders number them
  // large members; empty for the others
  int32_t patch_count;
  const CpsPatchNode* patch;
} CpsSpot;

// Velocity of a patch, sum of weight v over its nodes.
static inline CpsVec3 cps_spot_velocity(const CpsSpot* spot, const CpsVec3* v) {
  CpsVec3 sum = {0.0, 0.0, 0.0};
  for (int32_t i = 0; i < spot->patch_count; ++i) {
    sum = cps_vec3_add(sum, cps_mat3_apply(spot->patch[i].weight, v[spot->patch[i].node]));
  }
  return sum;
}

// The implicit mass of a large member: the lower triangle of a matrix of 3 x 3 blocks, columns ascending, the diagonal last.
// Nodes that are held have none that couples, and no contact moves them.
typedef struct CpsLargeMass {
  int32_t nodes;
  const int64_t* start;
  const int32_t* column;
  const double* value;
  const bool* held;
  CpsCholesky* factor;  // of `value`
  int64_t version;      // another one whenever `value` is
} CpsLargeMass;

// A block of rows that a member brings by itself, under Coulomb's law: the stress in a cell of grains. u = sum of A v over
// nodes, A of rows x 3, the first row being the normal one.
enum { CPS_OWN_ROWS = 6 };  // of one, at most
typedef struct CpsOwnBlock {
  int32_t rows;   // 3 or 6
  int32_t nodes;  // that it sees, none of them held
  double mu;
  double shift;                // of the first row, m/s
  double dashpot, cohesion;    // kg, N s: the law holds for r + dashpot u + cohesion e
  double guess[CPS_OWN_ROWS];  // r, N s
} CpsOwnBlock;

// A node of a surface at the end of a step.
typedef struct CpsSurfaceNode {
  double mass;
  CpsVec3 from, to;  // where it was at the beginning, and where it is
  CpsVec3 velocity;
} CpsSurfaceNode;

// One capsule of a member that is a line, where it is at the beginning of the step.
typedef struct CpsLinePiece {
  CpsGeom geom;
  CpsPose pose;
  double arc[2];
  CpsVec3 velocity;  // in the step
  double reach;      // as in CpsCollider
  uint8_t joined;    // as in CpsCollider
  CpsVec3 from[2];   // its ends,
  CpsVec3 to[2];     // and where they have got to (follow)
} CpsLinePiece;

// A member that is a line, perhaps with branches: its contacts may move from piece to piece, and its axis goes through nothing.
typedef struct CpsMemberLine {
  int32_t count;  // pieces of all branches; 0: it touches nothing
  CpsLinePiece* piece;
  double radius, length;  // of contact at the root; of the trunk
  bool held[2];           // its root, its tip
  double* let;  // anything nearer to the root, to the tip than these two does not touch what is held there, too, m
} CpsMemberLine;

// What the contact law must know of a member at a spot.
typedef struct CpsSurface {
  uint32_t generation;
  int32_t material;
  double mu, restitution;  // its own; NaN: not said
  double mu_across;        // NaN: isotropic
  CpsVec3 grain;           // world, unit; direction of mu where it is not
} CpsSurface;

// Energies and works of a range of members over the step, J. `scheme` is what (1) and (4) lose without contacts:
//   h F.(theta v+ + (1 - theta) v)  -  (kinetic energy of v*  -  that of v)                                       (5)
typedef struct CpsModelEnergy {
  double kinetic, potential;  // now; potential of gravity
  double elastic, springs;    // now; springs: the part of it that is in the springs of pulls
  double external;            // work of the loads in the step
  double damping;             // dissipated by dampers and drag in the step
  double ends;                // work of held ends of lines in the step
  double linearisation;       // what forces taken to first order lost in the step
  double scheme;              // (5), F with gravity
  double ties;                // lost to second order where ties hold
  double turnover;            // sum of |kinetic energy of v* - that of v|
  double grain;               // what elastic energy may lose or gain in rounding, now
} CpsModelEnergy;

// The energies of a pull over a step in which its point went by `way`, read with the distance `error` from the point where
// it was to the target theta h after the beginning:
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

// A pull as the world says it in a step: a force at a point and a spring with a damper to a target.
typedef struct CpsPullTerm {
  CpsAnchor at;
  CpsVec3 force;  // mean over the step
  double stiffness, damping;
  CpsVec3 target, target_velocity;  // target: theta h after the beginning of the step
  CpsVec3 rest;                     // the target now: where the spring stores nothing
} CpsPullTerm;

// x' = velocity + spin × x
typedef struct CpsRigidMotion {
  CpsVec3 velocity, spin;
} CpsRigidMotion;
static inline CpsVec3 cps_rigid_motion_at(const CpsRigidMotion* m, CpsVec3 x) {
  return cps_vec3_add(m->velocity, cps_vec3_cross(m->spin, x));
}

typedef struct CpsModelType {
  const char* name;  // of one of them, in messages
  CpsThingKind kind;
  bool chained;  // its members touch many others along their length: contacts of an island are swept in the order of
                 // neighbours (world/ordering.c)
  void (*destroy)(CpsModel* model);

  int32_t (*dofs)(const CpsModel* model, int32_t member);  // m
  // Who it is: its generation (0: this place was never used), the name it was given (NULL: none), whether it is there
  uint32_t (*generation)(const CpsModel* model, int32_t member);
  const char* (*label)(const CpsModel* model, int32_t member);
  bool (*is_there)(const CpsModel* model, int32_t member);
  // the largest sphere that fits into it (into the smallest of its parts), m: depths are reported relative to it
  double (*size)(const CpsModel* model, int32_t member);
  // whether something outside the world's members holds it, so that it may give momentum away; NULL: never
  bool (*is_held)(const CpsModel* model, int32_t member);

  // 1 predict (1)
  void (*begin)(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last);
  // The first member whose prediction or new state is not finite, -1 if all are
  int32_t (*broken)(const CpsModel* model);
  // Whether it was short of memory in begin; NULL: never
  bool (*starved)(const CpsModel* model);
  // Whether it broke because what it touches leaves it no room; NULL: never
  bool (*squeezed)(const CpsModel* model);
  // 2 detect: the collision shapes where they are now. `place` prepares a range of members (NULL: nothing to prepare);
  // `colliders` writes them all with owners from `first_owner` on
  int32_t (*collider_count)(const CpsModel* model);
  void (*place)(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last);
  void (*colliders)(const CpsModel* model, const CpsModelStep* step, int32_t first_owner, CpsCollider* out);
  // how far the points of a member went in the step that was advanced at most, m; NULL: its contacts are followed by other means
  double (*went)(const CpsModel* model, const CpsModelStep* step, int32_t member);
  CpsSurface (*surface)(const CpsModel* model, int32_t member, const CpsSpot* spot);
  // Part and place of a side (capstan/world.h) whose point is known, and the spot there. `advanced`: as it was at the
  // beginning of the step that was advanced; otherwise now. NULL: it has none
  void (*locate)(const CpsModel* model, int32_t member, const CpsSpot* spot, bool advanced, CpsSide* side);
  // 4 assemble (2): 3 x m row-major, times `sign`
  void (*rows)(const CpsModel* model, int32_t member, const CpsSpot* spot, const CpsMat3* frame, double sign,
               double* G);
  CpsVec3 (*velocity)(const CpsModel* model, int32_t member, const CpsSpot* spot, CpsVelocity which);
  // Where a material point is, and the spot by which a tie sees it from begin on: with the arms of the middle of the step.
  // `nodes`: room for the patch of the spot, CPS_PATCH_MOST; NULL: it is not wanted.
  // NULL: nothing can be tied to it. check_anchor: whether there is such a point; NULL: always
  CpsVec3 (*anchor)(const CpsModel* model, int32_t member, const CpsAnchor* anchor, CpsSpot* spot, CpsPatchNode* nodes);
  CpsStatus (*check_anchor)(const CpsModel* model, int32_t member, const CpsAnchor* anchor, CpsError* error);
  // For hinges and welds: makes a point, which was checked, one of something that turns, and says how long that is, m; `along` is
  // what is to be added to its `point` and `weights` to get to the point a metre farther along a direction (world, now), which moves
  // with the same. NULL: hinges and welds have nothing to hold
  CpsStatus (*turning)(const CpsModel* model, int32_t member, CpsAnchor* anchor, double* size, CpsError* error);
  void (*along)(const CpsModel* model, int32_t member, const CpsAnchor* anchor, CpsVec3 direction, CpsAnchor* more);
  // The material point nearest to a place, now; NULL: it has a pose
  CpsStatus (*nearest)(const CpsModel* model, int32_t member, CpsVec3 place, CpsAnchor* anchor, CpsError* error);
  // Whether something outside the world's members holds such a point permanently; NULL: never
  bool (*is_pinned)(const CpsModel* model, int32_t member, const CpsAnchor* anchor, double time);
  // What prescribed motion is to the velocity of a spot in this step; NULL: nothing
  CpsVec3 (*driven)(const CpsModel* model, int32_t member, const CpsSpot* spot);
  // An impulse r at a point p changes the angular momentum by (p + drift) x r: (1 - theta) h v, since
  //   x+ × m v+ - x × m v = (x + (1 - theta) h v) × m (v+ - v)
  // by (4), v the velocity before of the spot, or of the centre of mass. Zero for lines that are held and have no points.
  CpsVec3 (*drift)(const CpsModel* model, const CpsModelStep* step, int32_t member, const CpsSpot* spot);
  // Large members, NULL for others: M~ from begin on, and the nodes of a collider with where it is; at most CPS_PATCH_MOST
  CpsLargeMass (*mass)(const CpsModel* model, int32_t member);
  int (*patch)(const CpsModel* model, int32_t member, int32_t piece, CpsPatchNode* nodes, CpsVec3* point);
  // v = v* + dv by the impulses of contacts on nodes is tried. True: it is the step's; false: M~ and v* are now those around
  // a better trial. And all rounds of one that nothing touches; one whose rounds failed, -1: none
  bool (*attempt)(CpsModel* model, const CpsModelStep* step, int32_t member, const double* dv, const double* impulse);
  // Friction apart from elasticity (world/coupling.c): impulses on nodes as forces of the step, before the first attempt; from what
  // was taken on, M~ is the mass of the nodes alone and v* = v - M^-1 impulse; v = v* + dv is the step's
  void (*push)(CpsModel* model, CpsPool* pool, int32_t member, const double* impulse);
  void (*lump)(CpsModel* model, CpsPool* pool, int32_t member, const double* impulse);
  void (*take)(CpsModel* model, int32_t member, const double* dv, const double* impulse);
  void (*fly)(CpsModel* model, const CpsModelStep* step, int32_t member);
  int32_t (*stalled)(const CpsModel* model);
  // Large members with blocks of their own, NULL for others: how many, from begin on; one of them; its nodes and A, row-major, one
  // after the other; u of it; the outcome of it, once the velocities are known
  int32_t (*block_count)(const CpsModel* model, int32_t member);
  void (*block)(const CpsModel* model, const CpsModelStep* step, int32_t member, int32_t i, CpsOwnBlock* block);
  void (*block_terms)(const CpsModel* model, int32_t member, int32_t i, int32_t* node, double* A);
  void (*block_velocity)(const CpsModel* model, int32_t member, int32_t i, CpsVelocity which, double* u);
  void (*block_done)(CpsModel* model, const CpsModelStep* step, int32_t member, int32_t i, const double* r,
                     CpsContactStatus status);
  // Those whose nodes are stopped by obstacles, NULL for others: the size of what a node stands for, m; and the key of a node, the
  // same from step to step: ascending, and below 2^60
  double (*node_size)(const CpsModel* model, int32_t member);
  uint64_t (*node_key)(const CpsModel* model, int32_t member, int32_t node);
  // and the nodes that a thin line along a unit vector sees at a place inside the medium, at most CPS_IMMERSED_MOST, and the pressure on
  // its side, the mean around it in the last step, Pa. 0: there is none of the medium at this place
  int (*immerse)(const CpsModel* model, int32_t member, CpsVec3 place, CpsVec3 along, CpsPatchNode* nodes,
                 double* pressure);
  // the same of a surface with a unit normal at this place: whether there is any of the medium on the side that the normal points to, and
  // on the other one, and the pressure on each, Pa
  int (*immerse_surface)(const CpsModel* model, int32_t member, CpsVec3 place, CpsVec3 normal, CpsPatchNode* nodes,
                         bool there[2], double pressure[2]);
  bool (*is_flat)(const CpsModel* model);  // whether it has no third dimension, in which surfaces could be
  // Whether the step that was advanced was too long for it; NULL: never
  bool (*went_too_far)(const CpsModel* model);
  // Members that are surfaces, NULL for others: the triangles with their free motion in the step or, once it is advanced, with
  // the way they made. False: it touches nothing
  bool (*surface_mesh)(const CpsModel* model, const CpsModelStep* step, int32_t member, bool free,
                       CpsSurfaceMesh* mesh);
  // the same of members whose surface is smooth, which have no other
  bool (*smooth_mesh)(const CpsModel* model, const CpsModelStep* step, int32_t member, bool free, CpsSmoothMesh* mesh);
  // and a node of such a member once advanced, and where it is put then, with a velocity
  CpsSurfaceNode (*node)(const CpsModel* model, int32_t member, int32_t node);
  void (*put_node)(CpsModel* model, int32_t member, int32_t node, CpsVec3 place, CpsVec3 velocity);
  // Members that are lines, NULL for others: one as the world sees it, its memory stays where it is while nothing is added;
  // and where the ends of its pieces are now, while the pieces stay as they were found at the beginning of the step
  CpsMemberLine (*line)(const CpsModel* model, int32_t member);
  void (*follow)(CpsModel* model, int32_t member);
  // Members that are rigid, NULL for others: the pose of the shape now
  CpsPose (*pose)(const CpsModel* model, int32_t member);
  // Where a collider is now, for whatever lines may pass through; NULL: lines are kept off it by other means
  CpsPose (*collider_pose)(const CpsModel* model, int32_t member, int32_t piece);
  // Pulls (world/pulls.c), NULL where nothing can pull: whether there is such a point, which may be rounded; room for so many,
  // false if memory runs out; those of the last step forgotten; one more, those of a member one after the other, and its number
  CpsStatus (*check_pull)(const CpsModel* model, int32_t member, CpsAnchor* at, CpsError* error);
  bool (*reserve_pulls)(CpsModel* model, int32_t count);
  void (*let_go)(CpsModel* model);
  int32_t (*pull)(CpsModel* model, const CpsModelStep* step, int32_t member, const CpsPullTerm* term);
  // what its spring stores now, J; where it stores nothing from now on; once advanced, its force over the step, and those of
  // its works that are not in the books of the model are added
  double (*pull_stored)(const CpsModel* model, int32_t member, int32_t pull);
  void (*pull_rest)(CpsModel* model, int32_t pull, CpsVec3 rest);
  CpsVec3 (*pull_force)(const CpsModel* model, const CpsModelStep* step, int32_t member, int32_t pull,
                        CpsModelEnergy* work);
  // What ties did in the step before (world/tie_blocks.c), NULL where they do to second order what they do to first: room for
  // so many, those of the last step forgotten, false if memory runs out; one more, the force on a point
  bool (*reserve_tensions)(CpsModel* model, int32_t count);
  void (*tension)(CpsModel* model, int32_t member, const CpsAnchor* at, CpsVec3 force);
  // Loads: those of the last step forgotten, and so many times a force at the centre of mass and a torque added, in world axes
  // or those of its shape. NULL: it bears none
  void (*clear_loads)(CpsModel* model);
  void (*add_load)(CpsModel* model, int32_t member, double value, CpsVec3 force, CpsVec3 torque, bool own_axes);
  // 6 advance (3), (4); z is NULL for a member that nothing touches
  void (*receive)(CpsModel* model, int32_t member, const double* z);
  // What received impulses that balance all forces on it stands still, if none of its points is faster than this, m/s; NULL: it
  // keeps what rounding leaves. Whether it stood still before, too: then advance does not move it by a bit
  bool (*halt)(CpsModel* model, int32_t member, double speed);
  void (*advance)(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last);
  // Whether it was too long for a member that turns, and has to be made again in shorter ones, which do not adapt either; NULL: never
  bool (*is_hasty)(const CpsModel* model);
  // The member that lost the largest part of its spin though nothing acted on it but gravity, and that part; -1: none. NULL: they keep it
  int32_t (*lost_spin)(const CpsModel* model, double* part);
  // positions moved by L^-T z without any change of velocities, and velocities scaled relative to a common rigid motion, to
  // which another is added: the projection of positions
  void (*shift)(CpsModel* model, int32_t member, const double* z);
  void (*slow)(CpsModel* model, int32_t member, double factor, const CpsRigidMotion* common,
               const CpsRigidMotion* more);
  // where a member is, as numbers, and back there: a shift cannot be undone by its opposite where it is not linear
  int64_t (*place_size)(const CpsModel* model, int32_t member);
  void (*keep_place)(const CpsModel* model, int32_t member, double* numbers);
  void (*put_back)(CpsModel* model, int32_t member, const double* numbers);

  // 7 observe. `stepped` false: only kinetic and potential are filled in
  void (*energy)(const CpsModel* model, const CpsModelStep* step, bool stepped, int32_t first, int32_t last,
                 CpsModelEnergy* out);
  // of a range of members: momenta, about the origin, and mass; added to
  void (*momentum)(const CpsModel* model, int32_t first, int32_t last, CpsVec3* linear, CpsVec3* angular, double* mass);
  // sums of m x and of m (x.x - x x^T), with the inertia of members about themselves; added to
  void (*inertia)(const CpsModel* model, int32_t member, CpsVec3* first, CpsMat3* second);
  // A quantity of a member that is there, at a stride in bytes; the number of its entries. Without `values` they are only counted.
  // NULL: it has none
  int64_t (*read)(const CpsModel* model, int32_t member, CpsQuantity quantity, double* values, size_t stride);
  // Where a quantity of a member that is there lies in memory, as read() gives it; false: nowhere. NULL: nothing of it does
  bool (*view)(const CpsModel* model, int32_t member, CpsQuantity quantity, CpsArrayView* view);
  // Sets one entry of it, whose numbers are valid; NULL: nothing of it can be set so
  void (*write)(CpsModel* model, int32_t member, CpsQuantity quantity, int64_t entry, const double* value);
  // Sets the velocities of a member whose entries are not unknowns to those of its motion nearest to all of them: the doubles of
  // working memory that takes, 0: write() serves. NULL: it does for all members
  int64_t (*fit_size)(const CpsModel* model, int32_t member);
  void (*fit)(CpsModel* model, int32_t member, const double* values, size_t stride, double* work);
  double (*reach)(const CpsModel* model, CpsVec3 from);  // largest distance of a point of a member from a point
  uint64_t (*hash)(const CpsModel* model, uint64_t hash);
  // all that changes in time, as bytes; foreign bytes are checked before they are loaded, loading itself cannot fail
  size_t (*state_size)(const CpsModel* model);
  void (*save)(const CpsModel* model, void* bytes);
  CpsStatus (*check)(const CpsModel* model, const void* bytes, size_t size, CpsError* error);
  void (*load)(CpsModel* model, const void* bytes);
} CpsModelType;

// Every function is there and does nothing (nothing.c): a copy of it is where the table of a small model begins.
extern const CpsModelType cps_model_nothing;

// Key of a collider; ascending with (kind, member, generation, piece): 3 bits of kind, 27 of place, 12 of generation, 22 of
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
  int32_t count;        // places of members, also empty ones
  int32_t there_count;  // members that are there
};

#endif
