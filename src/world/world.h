// Internal data of a world, and the functions that make a step. capstan/world.h describes the scheme; start reading at
// step.c.
#ifndef CAPSTAN_WORLD_WORLD_H
#define CAPSTAN_WORLD_WORLD_H

#include "capstan/pull.h"
#include "capstan/tie.h"
#include "contact/broad.h"
#include "contact/crossing.h"
#include "contact/detect.h"
#include "contact/smooth.h"
#include "contact/surfaces.h"
#include "contact/track.h"
#include "core/arena.h"
#include "core/pool.h"
#include "geometry/pieces.h"
#include "model/soft.h"

// An obstacle (obstacles.c, motion.c).
typedef struct CpsObstacle {
  uint32_t generation;
  bool there;
  CpsPieces pieces;  // in the obstacle's frame
  CpsPose start;     // pose at t = 0
  CpsMotion motion;  // arrays owned
  CpsVec3 surface_velocity;
  CpsMaterialId material;
  double mu, restitution;
  char* name;  // owned; NULL: unnamed
  void* user;
  CpsPose now, next;  // poses at the beginning and the end of the step
} CpsObstacle;

// A load (loads.c). Owns the arrays of its curve.
typedef struct CpsLoad {
  CpsThing thing;  // zeroed: every object that accepts loads
  CpsVec3 force, torque;
  CpsCurve curve;
  bool own_axes;  // force and torque are in the axes of the object
} CpsLoad;

// A pull (pulls.c). Owns the arrays of its curve and motion.
typedef struct CpsPull {
  uint32_t generation;
  bool there;
  CpsPullDef def;
  // values of the current step
  bool active;
  int32_t term;  // index among the terms of its model
  CpsVec3 last_force;
} CpsPull;

// A tie (ties.c).
typedef struct CpsTie {
  uint32_t generation;
  bool there, broken;
  bool parted;   // broken, and the tied points have separated since
  bool swapped;  // the caller gave the sides in the order b, a
  CpsTieDef def;
  char* name;            // owned; NULL: unnamed
  int32_t point_count;   // number of tied points, 1 to 3
  double arm;            // distance from the first point to the others
  CpsAnchor axes[2][3];  // other points, one metre along the axes of the tie; the first of a hinge is its axis
  double angle;          // angle turned by the motor
  bool measured;         // `buried` was set by the first contact detection
  // what started inside the other side around the tied point, m: arc length of a line, distance on a surface
  double buried[2];
  // values of the last step
  CpsVec3 force, torque;
  double residual;
} CpsTie;

// A block of rows of a tie in a step (tie_blocks.c).
typedef struct CpsTieBlock {
  int32_t tie, point;
  CpsVec3 apart;  // distance vector at the beginning of the step
  bool line;      // only the first row is constrained
  double g;       // elongation of a spring or rod
  double shift[3];
  CpsPatchNode patch[2][CPS_PATCH_MOST];  // for large sides (large.c)
} CpsTieBlock;

// A contact of a step. Arrays of three are components along the rows of the frame: normal, tangent 1, tangent 2.
typedef struct CpsStepContact {
  int32_t a, b;      // members of the world (cps_world_member); b is -1 for an obstacle and equals a for self-contact
  int32_t obstacle;  // obstacle index; -1: side b is a member
  int32_t soft;      // member that models its compliance; -1: none
  CpsSpot spot_a, spot_b;  // contact points
  CpsTouch touch;
  CpsMat3 frame;
  double mu, across;  // across: ratio of mu along tangent 2 to mu along tangent 1
  double restitution;
  double surface[3];      // w: minus the surface velocity of the obstacle
  double lead[3];         // change of the relative velocity by the end of the step because the lever arms rotate
  double before[3];       // u at the beginning of the step
  double free[3];         // u without contact impulses: b of the problem, before scaling for anisotropy
  double shift;           // shift of the normal component
  double cohesion;        // N s: impulse that presses the sides together from outside the contact (immersed.c)
  double r[3], after[3];  // impulse and u at the end of the step
  double residual;        // violation of the contact law
  double gap_after;       // gap at the end of the step, m; except for lines, along the initial normal
  int32_t island;
  uint8_t status;     // CpsContactStatus
  uint8_t law;        // CpsLaw
  bool far : 1;       // too far apart to act in this step, whatever the friction
  bool line : 1;      // one side is a line
  bool immersed : 1;  // a point of a line or a surface inside a granular medium: there is no gap
} CpsStepContact;

// The part of a contact that graph traversals read. It is stored apart because a whole contact takes half a kilobyte.
enum { CPS_ISLAND_MOST = (1 << 30) - 1 };  // highest island index
typedef struct CpsEnds {
  int32_t a, b, soft;  // as in CpsStepContact
  uint32_t island : 30;
  bool large_a : 1, large_b : 1;  // sides represented by their nodes (large.c)
  double speed2;                  // |u|^2 at the beginning of the step
} CpsEnds;

// The large members of each island, and their nodes (large.c).
typedef struct CpsLargeRows {
  int32_t* island_start;  // island_count + 1 offsets into `member`; NULL: no large members
  int32_t* member;
  int32_t* first;         // first node of each member, numbered within its island
  int32_t* node_count;    // of each island
  int64_t* vector_start;  // of each island: offset of its vectors dv, impulse, work
  int64_t* local_start;   // count + island_count + 1 offsets: node terms of each contact, relative to its island
  int64_t* term_start;    // island_count + 1 offsets: node terms of each island
  int64_t* A_start;       // count + 1 offsets into A, contacts in `order`
  int32_t* node;          // node of each term, numbered within its island
  double* A;              // rows x 3 of each term
  double *dv, *impulse, *work;
  // M~ of islands with several members; an island with one member uses the matrix of that member
  int64_t* M_first;   // of each island: its first row in M_start
  int64_t* M_start;   // offsets of the rows
  int64_t* M_offset;  // of each island: its first block in M_column and M_value
  int32_t* M_column;
  double* M_value;
} CpsLargeRows;

// Report of a step on one island.
typedef struct CpsIslandTold {
  int32_t first;      // its smallest member; islands are sorted by it
  int64_t sum_start;  // offset of its sums in CpsContacts.sums
  double residual, tolerance;
  int64_t iterations;
  bool moving;
  bool stands;  // the warm start solved it, and no member moved before or after
} CpsIslandTold;

// The contacts of one step, sorted by key, in the arena of the step. Islands and problem are in its scratch memory
// and remain valid until the next step begins.
typedef struct CpsContacts {
  int32_t count;        // all contacts: first touches,
  int32_t touch_count;  // then the blocks of ties,
  int32_t tie_count;    // then the blocks that members add themselves
  CpsTieBlock* tie;     // one for each tie block
  CpsOwnBlock* own;     // one for each block of a member
  int32_t* own_number;  // index of each of these among the blocks of its member
  int32_t soft_count;
  CpsStepContact* contact;
  CpsTrack* track;  // one for each contact
  CpsEnds* ends;    // the same
  int32_t* order;   // contacts sorted by island
  int32_t island_count;
  int32_t* island_start;  // island_count + 1 offsets into order
  // the discrete friction problem, contacts in `order`; see CpsFactoredForm
  double *mu, *b, *shift, *r;
  double* u;                   // W r + b, for islands with restitution (rebound.c)
  bool* blamed;                // members whose contacts lose restitution, likewise
  double *dashpot, *cohesion;  // as in CpsContactsDef; NULL if members add no blocks
  int64_t* row;                // count + 1: first row of each contact; NULL: three rows each
  int32_t* dims;               // number of rows of each contact if `row` is not NULL
  CpsLaw* law;                 // NULL: no ties, all contacts obey Coulomb's law
  int64_t* term_start;         // count + 1 offsets: terms of each contact
  int32_t* term_member;        // small member of each term, numbered within its island
  int64_t* value_start;        // count + 1 offsets: values of each contact
  double* G;
  uint8_t* rest;                // CpsRest of each island
  int32_t standing;             // number of members that did not move before or after the step
  struct CpsContactSums* sums;  // sums of each island, several entries each
  CpsIslandTold* told;          // island_count + 1 reports; the last one holds the end of the sums
  int32_t* before;              // of each touch: number of contacts of idle islands before it; NULL: no idle islands
  bool still;                   // the next step would repeat this one (repeat.c)
  int64_t* local_start;         // count + island_count + 1: term offsets relative to the island
  int32_t* island_member_start;
  int32_t *island_member, *island_dofs;  // small members of each island, and their numbers of degrees of freedom
  CpsLargeRows large;
  int64_t* z_start;  // offset of each of these in z = sum of G^T r, and the end
} CpsContacts;

// First row of contact i of `order`: its offset in b, shift and r.
static inline int64_t cps_contact_row(const CpsContacts* c, int64_t i) {
  return c->row ? c->row[i] : 3 * i;
}

// An idle island: it is at rest, and steps skip it until something touches it (aside.c).
typedef struct CpsAsideIsland {
  CpsIslandTold told;
  int32_t number;  // index among the islands of the last step
  int32_t contact_count, member_count, sum_count;
  CpsStepContact* contact;  // sorted by key
  CpsTrack* track;          // one per contact
  int32_t* member;          // in the order of appearance in the contacts
  struct CpsContactSums* sums;
  double penetration;             // at the beginning of a step
  double ratio;                   // depth in radii of the touch that is deepest relative to its size
  CpsOverlap deepest;             // that touch
  uint64_t deepest_a, deepest_b;  // its keys
} CpsAsideIsland;

// All idle islands.
typedef struct CpsAside {
  int32_t island_count, contact_count, member_count;
  CpsAsideIsland* island;  // sorted like islands
  struct CpsAsidePlace {
    CpsStepContact* contact;
    CpsTrack* track;
  } * place;       // all their contacts, sorted by key
  int32_t* of;     // idle island of each member of the world, -1: none; NULL: no idle islands
  bool shown;      // the last step has reported them
  bool disturbed;  // something on which they may depend has changed
} CpsAside;

// Detects spurious energy (energy.c): number of consecutive steps with too much energy, and with as much as the whole scene may have;
// consecutive windows in which it grew; its value at the first step and at the end of the last window.
typedef struct CpsGaining {
  int64_t steps, large;
  int32_t windows;
  double first, mark;
} CpsGaining;

// Per-thread data for solving islands.
typedef struct CpsIslandSolver {
  CpsProblem* problem;
  CpsProblem* large;  // for islands with large members
  CpsWorkspace* workspace;
} CpsIslandSolver;

enum { CPS_POPULATIONS_MOST = 16 };
struct CpsWorld {
  CpsWorldDef def;
  int population_count;
  CpsModel* population[CPS_POPULATIONS_MOST];  // owned; one per kind of object, in
  CpsSoft* soft;                               // the last population; its count changes from step to step
  int32_t obstacle_count, obstacle_capacity, obstacle_there;
  CpsObstacle* obstacles;
  int32_t load_count, load_capacity;
  CpsLoad* loads;
  int32_t pull_count, pull_capacity, pull_there;
  CpsPull* pulls;
  int32_t* pull_order;  // existing pulls, sorted by kind (last kind first) and slot
  int32_t tie_count, tie_capacity, tie_there;
  CpsTie* ties;
  int32_t material_count, material_capacity;
  CpsPair* materials;  // properties of each material against any other
  CpsPair* pairs;      // material_capacity x material_capacity

  CpsPool* pool;  // NULL if there is one thread
  CpsDetector* detector;
  CpsIslandSolver* solvers;  // one per thread
  int32_t pool_threads;
  int32_t current;     // index of the arena of the last step
  CpsArena arenas[2];  // of the last and the current step, alternating: tracks, passes
  CpsArena touches;    // contacts of the last step, until the next one has detected its own
  CpsArena scratch;    // of one step
  CpsArena renewed;    // of one step: data that an attempt passes to the next (renew.c)

  double time;
  int64_t index;     // number of steps made
  double h;          // length of the next step
  double last_h;     // length of the last step
  double mark_time;  // time = mark_time + (index - mark_index) last_h, to avoid accumulating rounding errors
  int64_t mark_index;
  CpsAside aside;
  CpsContacts contacts;  // of the last step
  CpsStepInfo info;      // report of the last step
  int32_t calm;          // adaptive stepping: steps since the last halving
  int32_t pass_count;    // of the last step
  CpsPass* passes;
  CpsTrack* tracks;
  int32_t track_count;  // of the last step, or loaded with a state
  CpsEnergy energy;
  double last_energy;   // kinetic + potential + elastic energy in the energy balance
  double pull_energy;   // its part in the springs of pulls
  double energy_grain;  // rounding error of the elastic energies, J
  CpsGaining gaining;
  double most_energy;  // upper bound of the kinetic and elastic energy so far (energy.c), J
  double smallest;     // smallest size of a member (model.h), m; infinite if there are none
  bool changed;        // the caller has changed something since
  bool entangled;      // surfaces may intersect at the beginning of the next step
  bool lets;           // some lines are held inside each other
  bool clouds;         // there are point clouds (cloud_impacts.c)
  int32_t overlap_count;
  CpsOverlap* overlaps;  // of the last search, owned
  int32_t given_count;
  CpsOverlap* given;  // overlaps accepted at the start, sorted by pair, owned
  CpsObserverFn observer;
  void* observer_data;
};

// Pairs of colliders whose bounding boxes overlap before and after the step (passes.c), in scratch memory.
typedef struct CpsRunners {
  bool pushed;
  bool all;            // pairs of all colliders, not only of
  const bool* runner;  // these
  CpsBroadBox* boxes;
  const CpsBroadPair* pairs;
  int64_t count;
} CpsRunners;

// The step in progress (step.c).
typedef struct CpsStep {
  CpsWorld* world;
  CpsModelStep model;
  CpsArena* arena;       // memory that outlives the step
  CpsArena* scratch;     // memory of this step
  CpsMemberLine* lines;  // of each member, available after detection; NULL: no member has pieces
  int32_t line_count;    // number of members at that time; members added later (compliant contacts) are not lines
  int64_t line_pieces;
  CpsCollider* colliders;
  int32_t collider_count, member_collider_count;
  const bool* idle;  // of each collider, in a search at the end of the step; NULL: none is idle
  const CpsColliderTouch* found;
  int32_t found_count;
  // surfaces of triangles (surfaces.c)
  int32_t surface_count, surface_touch_count;
  CpsSurfaceMesh* surfaces;
  CpsSurfaceTouch* surface_touch;
  // smooth surfaces (smooth.c), their fields and touches
  int32_t smooth_count, smooth_touch_count;
  CpsSmoothMesh* smooth;
  CpsField* fields;
  CpsSmoothTouch* smooth_touch;
  int32_t smooth_met_count;  // touches found by earlier attempts (smooth_impacts.c), in world->renewed
  CpsSmoothTouch* smooth_met;
  struct CpsStop* stop;  // grid nodes inside obstacles (stops.c)
  int32_t stop_count;
  int32_t sewn_count;            // entries of `sewn` below
  struct CpsImmersed* immersed;  // points of lines and surfaces inside a granular medium (immersed.h)
  int32_t immersed_count;
  int32_t pierced;               // entries of info.crossings that come from
  CpsSurfaceTouches through;     // objects that passed through a surface
  int32_t met_count, newly_met;  // features that met in earlier attempts, in world->renewed; and in this attempt
  CpsSurfaceTouch* met;
  struct CpsSewn* sewn;  // surface nodes tied to each other (sewn.c), sorted
  // > 0 for nodes of intersecting surfaces at or near an intersection (entangled.c); NULL: none
  uint8_t* entangled;
  int32_t* entangled_first;  // first node of each surface
  int64_t* place_start;
  double* place;
  CpsPatchNode* patches;  // 2 x CPS_PATCH_MOST for each touch; NULL: no large members
  CpsContacts contacts;
  // contacts that earlier attempts missed, and their impulses, in world->renewed
  int32_t renewals;
  int32_t attempts;  // attempts at this step, of all lengths
  int32_t fewest,
      stalling;  // crossings of the best renewal at this length; number of renewals since without improvement
  const CpsColliderTouch* renewed;
  int32_t renewed_count;
  bool renewable;    // this attempt missed some
  bool thin;         // the step has its minimum length (zones.c)
  bool aside;        // idle islands stay idle
  bool moved;        // the projection has moved something
  bool* wakes;       // of each idle island: something touches it, so the attempt fails; NULL: no idle islands
  CpsTrack* tracks;  // NULL: use those of the last step
  int32_t track_count, track_room;
  void* pushed_out;    // state after the projection, where the next attempt begins; NULL: begin where the step does
  double pushed_loss;  // projection_loss at that time
  const CpsColliderTouch* kept;  // touches found at the beginning that are still valid; NULL: detect again
  CpsCollider* kept_colliders;
  int32_t kept_count;
  double surplus;             // spurious energy at the beginning, J
  const CpsEnergy* booked;    // energy balance at the start of the step
  double penetration;         // at the beginning
  double smooth_penetration;  // of smooth surfaces, at the beginning
  CpsOverlap deepest;         // deepest overlap relative to its size, at the beginning
  CpsOverlap on_the_way;      // overlap during the step that is deeper than the radius (ways.c); depth 0: none
  double skin;                // extra distance for touch detection, m
  double projection_loss;
  double depth;              // largest penetration of the contacts at the end
  double sunk;               // largest increase of penetration of a contact of a line in the step
  int32_t pushed;            // crossings caused by the projection
  bool unpushed;             // skip the projection
  bool missed;               // an island missed its tolerance (jammed islands excepted)
  double asked;              // tolerance of the worst island
  double longest;            // s; a longer step lets something drift through a shape before impulses act on it
  bool unsettled;            // the velocities of nonlinear members had not converged: those of
  int32_t unsettled_member;  // this member, or of one in its island
  int32_t torn;              // index of a tie that cannot hold, -1: none
  CpsRunners runners;
  int32_t pass_count;
  int32_t sinking_count;
  CpsCrossing* sinking;                // deeply penetrating pieces
  double sinking_most, sinking_newly;  // greatest depth in radii, and greatest increase in this step
  CpsCrossing* passes;                 // pieces that passed through something, grouped by place; indices as in passes.c
  CpsPass* told;                       // room for as many reports
  CpsStepInfo info;
  CpsError* error;
} CpsStep;

// populations.c: the world owns its populations; member indices run through all populations in order.
CpsStatus cps_world_add_population(CpsWorld* world, CpsModel* model, CpsError* error);  // NULL model: out of memory
void cps_populations_free(CpsWorld* world);
// States of all populations, concatenated. All are checked before any is loaded.
size_t cps_populations_size(const CpsWorld* world);
void cps_populations_save(const CpsWorld* world, void* bytes);
CpsStatus cps_populations_check(const CpsWorld* world, const void* bytes, CpsError* error);
void cps_populations_load(CpsWorld* world, const void* bytes);
static inline int32_t cps_world_member_count(const CpsWorld* world) {
  int32_t count = 0;
  for (int i = 0; i < world->population_count; ++i) count += world->population[i]->count;
  return count;
}
// Member i of the world.
typedef struct CpsMember {
  CpsModel* model;
  int32_t index;  // in the model
} CpsMember;
static inline CpsMember cps_world_member(const CpsWorld* world, int32_t i) {
  int k = 0;
  for (; i >= world->population[k]->count; ++k) i -= world->population[k]->count;
  return (CpsMember){world->population[k], i};
}
CpsModel* cps_world_population(const CpsWorld* world, CpsThingKind kind);  // first population of that kind; NULL: none
// The population of an existing object; NULL if it does not exist.
CpsModel* cps_world_find_model(const CpsWorld* world, CpsThing thing);
// Number of existing objects of a kind, and the i-th of them, zeroed if out of range. The world may be NULL.
int32_t cps_world_thing_count(const CpsWorld* world, CpsThingKind kind);
CpsThing cps_world_thing(const CpsWorld* world, CpsThingKind kind, int32_t i);
// Before an object is removed: removes its pulls, loads and ties. After it was removed.
void cps_world_let_go(CpsWorld* world, CpsThing thing);
void cps_world_removed(CpsWorld* world);
CpsThing cps_member_thing(const CpsWorld* world, int32_t member);               // the object of a member; -1: none
uint64_t cps_member_key(const CpsWorld* world, int32_t member, int32_t piece);  // key of a collider
// Member i as a line with pieces; NULL if it is not one.
static inline const CpsMemberLine* cps_step_line(const CpsStep* step, int32_t i) {
  return i >= 0 && i < step->line_count && step->lines[i].count > 0 ? &step->lines[i] : NULL;
}
// Whether any member is a line, or a surface; number of pieces of all lines; fills step->lines.
bool cps_world_has_lines(const CpsWorld* world);
bool cps_world_is_plain(
    const CpsWorld* world);  // only small members, and nothing refers to their positions between steps
bool cps_world_has_surfaces(const CpsWorld* world);
int64_t cps_world_line_pieces(const CpsWorld* world);
CpsStatus cps_step_list_lines(CpsStep* step);
// Calls a function of the models on ranges of members, distributed over the threads.
typedef enum CpsModelCall { CPS_CALL_BEGIN, CPS_CALL_PLACE, CPS_CALL_ADVANCE } CpsModelCall;
void cps_world_run(CpsWorld* world, const CpsModelStep* step, CpsModelCall call);
void cps_world_find_smallest(CpsWorld* world);

// expected.c: predicts the contacts of the next step without moving anything. The impulses written into their tracks become the
// warm start of the world.
CpsStatus cps_world_expect_contacts(CpsWorld* world, CpsStep* step, CpsError* error);
void cps_world_start_from(CpsWorld* world, const CpsStep* step);

// pulls.c
void cps_pulls_apply(CpsWorld* world, const CpsModelStep* step);
void cps_pulls_expect(CpsWorld* world, const CpsModelStep* step);  // same terms, outside a step
void cps_pulls_settle(CpsWorld* world, double time);               // moves the targets to the end of the step
void cps_pulls_restore(CpsWorld* world);  // restores the end of the last step, of which only the time is known
void cps_pulls_look_back(CpsWorld* world, const CpsModelStep* step);  // after advance: computes forces and work
void cps_pulls_forget(CpsWorld* world, CpsThing thing);               // removes the pulls of a removed object
void cps_pulls_free(CpsWorld* world);

// ties.c
CpsTie* cps_world_find_tie(const CpsWorld* world, CpsTieId id);  // NULL: does not exist
bool cps_tie_is_line(const CpsTie* tie);                         // spring or rod
bool cps_anchor_has_pose(const CpsWorld* world,
                         const CpsAnchor* anchor);  // the world, an obstacle or a member with a pose
CpsVec3 cps_anchor_now(const CpsWorld* world, const CpsAnchor* anchor);
int32_t cps_anchor_member(const CpsWorld* world, const CpsAnchor* anchor);       // -1: not on a member
CpsAnchor cps_tie_anchor(const CpsTie* tie, int side, int point, double angle);  // angle: of the motor
double cps_tie_apart(const CpsWorld* world, const CpsTie* tie);                  // current distance, m
void cps_ties_forget(CpsWorld* world, CpsThing thing);
void cps_ties_free(CpsWorld* world);
// stops.c: finds grid nodes inside obstacles; turns one into a contact, with patches in world->touches
bool cps_world_is_stopped(const void* world, CpsVec3 place, double near);  // signature of CpsModelStep
bool cps_step_is_covered(const void* step, CpsVec3 place, double near);    // same signature
// Counts the points that lie inside an obstacle or a member with a shape, and names what the first one is in; false: out of
// memory.
bool cps_world_find_buried(const CpsWorld* world, const CpsVec3* x, const double* there, int32_t count, int32_t* buried,
                           CpsThing* by);
CpsStatus cps_step_find_stops(CpsStep* step);
void cps_stop_contact(const CpsStep* step, int32_t i, CpsPatchNode* node, CpsStepContact* t, CpsTrack* track);
// immersed.c: finds points of lines inside a granular medium; turns one into a contact, with the nodes of the medium
CpsStatus cps_step_find_immersed(CpsStep* step);
void cps_immersed_contact(const CpsStep* step, int32_t i, CpsPatchNode* nodes, CpsStepContact* t, CpsTrack* track);
// own_blocks.c: blocks that members add themselves. Number of blocks; appends them after the ties; whether an island has one; number
// of rows of any contact; u of one; hands the solution back
int32_t cps_world_own_blocks(const CpsWorld* world);
void cps_step_own_blocks(CpsStep* step);
bool cps_island_has_own(const CpsContacts* c, int32_t k);
static inline bool cps_contact_is_own(const CpsContacts* c, int32_t contact) {
  return contact >= c->touch_count + c->tie_count;
}
int32_t cps_contact_rows(const CpsContacts* c, int32_t contact);
void cps_own_velocity(const CpsStep* step, int32_t contact, CpsVelocity which, double* u);
void cps_step_own_done(const CpsStep* step);
// torn.c: counts islands whose ties cannot hold as unsolved
void cps_step_find_torn(CpsStep* step);
// tie_blocks.c: prepares ties before prediction; number of blocks; appends the blocks after the touches; forces at the end of a step
CpsStatus cps_ties_begin(CpsWorld* world, const CpsModelStep* step, CpsError* error);
int32_t cps_ties_blocks(const CpsWorld* world);
void cps_step_ties(CpsStep* step);
void cps_ties_end(CpsStep* step, double begun);  // once the time is the end of the step
double cps_ties_stored(const CpsWorld* world);   // energy stored in springs, J
typedef struct CpsTieWork {
  double ties, damping, scheme, linearisation;
} CpsTieWork;
void cps_tie_work(const CpsStep* step, const CpsStepContact* c, const CpsTieBlock* block, CpsTieWork* work);
bool cps_tie_joins(const CpsTie* tie);  // contact between its ends is off
// contact between them is off, near the tie; of a member and a collider at a place of the member, NULL: anywhere
bool cps_colliders_are_tied(const CpsStep* step, const CpsCollider* a, const CpsCollider* b);
bool cps_pair_is_tied(const CpsStep* step, int32_t member, const CpsCollider* collider, const CpsVec3* place);
CpsStatus cps_step_drop_tied(CpsStep* step);  // removes touches of tied objects from step->found

// materials.c
CpsPair cps_world_pair(const CpsWorld* world, CpsMaterialId a, CpsMaterialId b);
bool cps_pair_is_valid(CpsPair pair);
double cps_mix_mu(double a, double b);
double cps_mix_restitution(double a, double b);

// curve.c
double cps_curve_value(const CpsCurve* curve, double t);
// The mean that the scheme takes over a step that begins at t.
double cps_curve_mean(const CpsCurve* curve, double t, const CpsModelStep* step);
CpsStatus cps_curve_copy(const CpsCurve* from, CpsCurve* to, CpsError* error);
void cps_curve_free(CpsCurve* curve);

// motion.c
CpsPose cps_motion_pose(const CpsMotion* motion, const CpsPose* start, double t);
CpsStatus cps_motion_copy(const CpsMotion* from, CpsMotion* to, CpsError* error);
void cps_motion_free(CpsMotion* motion);

// obstacles.c
void cps_obstacle_free(CpsObstacle* o);
CpsObstacle* cps_world_find_obstacle(const CpsWorld* world, CpsObstacleId id);  // NULL: does not exist
// Mean surface velocity in a step at a point in world coordinates; the normal points out of the obstacle.
CpsVec3 cps_obstacle_velocity(const CpsObstacle* o, CpsVec3 point, CpsVec3 normal, double h);
void cps_obstacles_place(CpsWorld* world, double t, double h);

// loads.c
void cps_loads_forget(CpsWorld* world, CpsThing thing);  // removes the loads of a removed object
void cps_loads_apply(CpsWorld* world, const CpsModelStep* step);

// detect.c: fills step->colliders, then step->found
CpsStatus cps_step_list_colliders(CpsStep* step, CpsDrift* drift);
CpsStatus cps_step_detect(CpsStep* step);
// renew.c: compares penetrations at the end and the beginning of a step; where they grew by more than the bound, the next attempt
// gets these contacts
#define CPS_FEATURE_RENEWED UINT32_C(0x80000000)  // set in the feature of such a touch
CpsStatus cps_step_look_at_end(CpsStep* step, double bound, double* added);
// Makes the impulses of this attempt the warm start of the next.
CpsStatus cps_step_keep_tracks(CpsStep* step);
CpsStatus cps_step_join_renewed(CpsStep* step);
bool cps_step_recall(
    CpsStep* step);  // reuses step->colliders and step->found of the previous attempt; false: detect again
// contacts.c: velocity of a relative to b, without that of an obstacle; builds step->contacts from step->found
CpsVec3 cps_contact_velocity(const CpsWorld* world, const CpsStepContact* t, CpsVelocity which);
void cps_contact_friction(const CpsWorld* world, CpsStepContact* t);  // sets mu, across, restitution and the frame
CpsStatus cps_step_contacts(CpsStep* step);
// ghosts.c: whether a contact of a line would push two objects that only pass each other
bool cps_contact_is_ghost(const CpsStep* step, const CpsCollider* a, const CpsCollider* b, const CpsStepContact* t);
// Fills in the objects and points of a contact; everything else is zeroed.
void cps_touching_place(const CpsStep* step, const CpsColliderTouch* found, CpsStepContact* t);
// report.c: a side as reported to the caller; `obstacle` is read if member is -1. `advanced`: at the beginning of the step that was
// just advanced; otherwise now
CpsSide cps_side_of(const CpsWorld* world, int32_t member, int32_t obstacle, const CpsSpot* spot, CpsVec3 point,
                    bool advanced);
void cps_contact_sides(const CpsWorld* world, const CpsStepContact* t, bool advanced, CpsSide side[2]);
// islands.c
CpsStatus cps_step_islands(CpsStep* step);
// ordering.c: sorts the contacts of large islands of lines so that neighbours are close in memory
CpsStatus cps_step_order(CpsStep* step);
// assemble.c
CpsStatus cps_step_assemble(CpsStep* step);
// surfaces.c: finds pairs of close features; turns one into a contact
CpsStatus cps_step_find_surfaces(CpsStep* step);
// smooth.c: the same for smooth surfaces, with patches in world->touches; false: out of memory
CpsStatus cps_step_find_smooth(CpsStep* step);
// all smooth surfaces with their free motion or, once advanced, their actual motion; `out` NULL: only counts. The field of one
int32_t cps_step_list_smooth(const CpsStep* step, bool free, CpsSmoothMesh* out);
// The field of a surface for one of its own nodes.
CpsField cps_smooth_own_field(const CpsSmoothMesh* mesh, const CpsField* field, int32_t node);
bool cps_smooth_field(const CpsStep* step, const CpsSmoothMesh* mesh, CpsField* field);
// smooth_impacts.c: objects that entered smooth surfaces during the step, once advanced
CpsStatus cps_step_smooth_impacts(CpsStep* step);
bool cps_smooth_contact(CpsStep* step, const CpsSmoothTouch* touch, CpsStepContact* t, CpsTrack* track);
// If one side has nodes and the other a point: moves the point so that an impulse has the same moment on both sides.
void cps_touching_join(const CpsStep* step, CpsStepContact* t);
void cps_surface_contact(const CpsStep* step, const CpsSurfaceTouch* touch, CpsPatchNode* nodes, CpsStepContact* t,
                         CpsTrack* track);
// The surfaces of all populations and their number; `free`: with their free motion, otherwise their actual motion.
int32_t cps_step_list_surfaces(const CpsStep* step, bool free, CpsSurfaceMesh* out);
// guard.c: the facets below the smooth surface of a member, before and after advancing, moved inwards, in scratch memory; false: out of
// memory
bool cps_guard_sink(const CpsStep* step, CpsMember member, CpsSurfaceMesh* mesh);
CpsVec3 cps_surface_touch_place(const CpsStep* step, const CpsSurfaceTouch* touch);  // on its first side
void cps_surface_name(const CpsStep* step, CpsSurfaceTouch* touch, int rank);        // sets the keys
int cps_surface_compare(const CpsSurfaceTouch* a, const CpsSurfaceTouch* b);         // compares names
// sewn.c: fills step->sewn with the surface nodes tied to each other; whether nodes of a and b are sewn; whether a touch is between
// sewn features and must be ignored
typedef struct CpsSewn CpsSewn;
CpsStatus cps_step_find_sewn(CpsStep* step, const CpsSurfaceMesh* surfaces, int32_t count);
bool cps_nodes_are_sewn(const CpsStep* step, int32_t a, const int32_t* nodes_a, int count_a, int32_t b,
                        const int32_t* nodes_b, int count_b);
bool cps_touch_is_sewn(const CpsStep* step, const CpsSurfaceTouch* touch);
// entangled.c: fills step->entangled with intersecting surface nodes; whether a touch is between such features and must be ignored;
// intersecting pairs of surfaces, and of surfaces and shapes, unsorted (the caller frees the list)
CpsStatus cps_step_find_entangled(CpsStep* step);
bool cps_touch_is_entangled(const CpsStep* step, const CpsSurfaceTouch* touch);
CpsStatus cps_step_intersections(CpsStep* step, CpsOverlap** list, int32_t* count);
// impacts.c: features that met during the step, once advanced; only those that passed through, into step->through
CpsStatus cps_step_impacts(CpsStep* step);
CpsStatus cps_step_through(CpsStep* step);
// positions of the colliders after the step; false: out of memory
bool cps_step_collider_ends(const CpsStep* step, CpsColliderEnd* end);
// Whether anything passes through a surface on these paths, with obstacles at the beginning of the step
CpsStatus cps_step_pushed_through(CpsStep* step, const CpsSurfaceMesh* way, bool* through);
// cloud_impacts.c: shapes that entered a point cloud
CpsStatus cps_step_cloud_impacts(CpsStep* step);
// zones.c: records initial positions of everything but surfaces; then stops what passed through something
CpsStatus cps_step_keep_places(CpsStep* step);
CpsStatus cps_step_stop(CpsStep* step);
// large.c: whether the world has large members; whether a member is large; whether an island has one
bool cps_world_has_large(const CpsWorld* world);
bool cps_member_is_large(const CpsWorld* world, int32_t member);
bool cps_island_is_large(const CpsContacts* c, int32_t k);
// Large enough to use all threads, one after the other: islands and members with many nodes, populations of such members.
bool cps_island_is_wide(const CpsContacts* c, int32_t k);
bool cps_member_is_wide(CpsMember member);
bool cps_model_is_wide(const CpsModel* model);
// The factor of M~ of an island with one large member; NULL if it has several.
CpsCholesky* cps_island_factor(const CpsStep* step, int32_t k);
CpsStatus cps_step_assemble_large(CpsStep* step);
CpsSparseForm cps_island_sparse_form(const CpsStep* step, int32_t k);
// An island to solve.
typedef struct CpsIslandTask {
  CpsStep* step;
  int32_t k;
  int worker;
  const CpsSolveOptions* options;
  CpsSolveInfo* info;  // out; may be NULL
  CpsError* error;
} CpsIslandTask;
// newton.c: iterations for an island with nonlinear members
CpsStatus cps_island_newton(const CpsIslandTask* task);
void cps_island_gather_nodes(const CpsContacts* c, int32_t k);  // adds A^T r of its nodes to the impulses of the rows
void cps_island_refresh(const CpsStep* step, int32_t k);        // updates b from the new v* of large members
// coupling.c: the same, with friction and elasticity split
CpsStatus cps_island_split(const CpsIslandTask* task);
// Recomputes the free velocities of a contact, its entries in b.
void cps_contact_refresh(const CpsStep* step, CpsStepContact* t);
// Island k as a matrix-free problem; b, mu and shift point into the contacts.
CpsContactsDef cps_island_contacts(const CpsContacts* c, int32_t k);
CpsFactoredForm cps_island_form(const CpsContacts* c, int32_t k);
// Writes the sum of G^T r of island k's small members into its part of z.
void cps_island_gather(const CpsContacts* c, int32_t k, const double* r, double* z);
// solve.c: solves an island; reads and writes r of the whole step
CpsStatus cps_island_solve(const CpsIslandTask* task, double* r);
// Sets up the worker's problem for an island with large members.
CpsStatus cps_island_fill(const CpsIslandTask* task);
// Solves such an island again after only b has changed, as cps_workspace_solve_near() does. r is that of the whole step.
CpsStatus cps_island_solve_again(const CpsIslandTask* task, double accept, bool same);
CpsStatus cps_step_solve(CpsStep* step);
// rebound.c: whether an island has restitution; whether it gained energy, after a solve; reduces its restitution to a part
bool cps_island_bounces(const CpsContacts* c, int32_t k);
bool cps_island_gains(const CpsIslandTask* task);
void cps_island_rebound(const CpsStep* step, int32_t k, double part, bool blamed);
// Marks the members with contacts that put energy in, after the same; whether any of their contacts bounces. `blamed` above: only theirs
bool cps_island_blame(const CpsStep* step, int32_t k);
// purse.c: members of an island, small ones first; their energies, elastic included in potential; scales all velocities relative to
// `from` and adds `more`
int32_t cps_island_member_count(const CpsStep* step, int32_t k);
CpsMember cps_island_member(const CpsStep* step, int32_t k, int32_t i);
CpsModelEnergy cps_island_energy(const CpsStep* step, int32_t k);
void cps_island_slow(const CpsStep* step, int32_t k, double factor, const CpsRigidMotion* from,
                     const CpsRigidMotion* more);
// V and T of (2) in projection.c, and quantities of V
typedef struct CpsPurse {
  bool held;
  CpsRigidMotion common;
  CpsVec3 linear, angular;  // momenta, about the origin
  double mass;
  CpsVec3 first;    // sum of m x
  CpsMat3 second;   // of m (x.x - x x^T)
  double together;  // kinetic energy of V
  double kinetic;   // kinetic energy of the rest
} CpsPurse;
CpsPurse cps_island_purse(const CpsStep* step, int32_t k, double kinetic);
// A free island that was moved pays for dV with its relative motion; its common motion is recomputed so that its momenta stay the
// same at the new position
void cps_island_pay_freely(const CpsStep* step, int32_t k, const CpsPurse* purse, double kinetic, double dV);
// The rigid motion of masses with given momenta
CpsRigidMotion cps_rigid_motion_of(double mass, CpsVec3 first, const CpsMat3* second, CpsVec3 linear, CpsVec3 angular);
// projection.c: moves overlapping objects apart; sets *moved if anything moved. `push`: at the end of the step, contacts deeper than
// `allowed`; `far`: by more than a few radii if necessary
CpsStatus cps_step_project(CpsStep* step, bool* moved);
CpsStatus cps_step_push(CpsStep* step, double allowed, bool far);
CpsStatus cps_step_push_large(CpsStep* step, bool* moved);  // large_push.c: the same for islands with large members
// mending.c: corrects positions at the end of a step; keeps the contacts of crossings from round to round
typedef struct CpsMending {
  int32_t count;
  CpsStepContact* contact;
  CpsTrack* track;
  bool* wild;  // whether it passed through, or nearly did
  bool all;    // the next round pushes with all contacts, not only with those near deep ones
} CpsMending;
CpsStatus cps_step_mend(CpsStep* step, CpsMending* mending, double allowed);
// Saves positions and velocities of lines and shapes before positions are corrected; restores them.
typedef struct CpsUnmended {
  char* state;
  double projection_loss;
} CpsUnmended;
CpsStatus cps_step_keep_unmended(CpsStep* step, CpsUnmended* before);
CpsStatus cps_step_unmend(CpsStep* step, const CpsUnmended* before);
CpsStatus cps_step_calm(CpsStep* step, const CpsMending* mending);  // slows down objects that passed through
// advance.c: velocities, positions, contact work, energy balance
CpsStatus cps_step_advance(CpsStep* step);
// Work of a group of contacts, (2) to (5); adds it to the energy balance and step->info.
typedef struct CpsContactSums {
  double friction, impact, obstacles, scheme, ends;
  CpsTieWork tie;
  int32_t stick, slide;
} CpsContactSums;
void cps_step_enter_books(CpsStep* step);
// aside.c: frees all idle islands; notes that something has changed on which they may depend
void cps_aside_free(CpsAside* aside);
void cps_world_disturb(CpsWorld* world);
// At the beginning of a step: makes islands idle that were at rest in the last step, or wakes all if they may not stay idle.
CpsStatus cps_world_set_aside(CpsWorld* world, CpsError* error);
// Wakes the marked islands, or all of them.
CpsStatus cps_world_wake(CpsWorld* world, const bool* which, CpsError* error);
CpsStatus cps_step_find_woken(CpsStep* step);  // fills step->wakes
CpsStatus cps_step_show_aside(CpsStep* step);  // once the step is accepted
static inline bool cps_step_is_aside(const CpsStep* step, int32_t member) {
  return step->aside && member >= 0 && step->world->aside.of && step->world->aside.of[member] >= 0;
}
// All contacts of the last step between objects, sorted by key: their number, and contact i. Likewise their stored impulses.
int32_t cps_world_touching_count(const CpsWorld* world);
const CpsStepContact* cps_world_touching(const CpsWorld* world, int32_t i);
int32_t cps_world_touching_place(const CpsWorld* world,
                                 int32_t i);  // index in world->contacts, or -1 - its index among idle contacts
int32_t cps_world_track_count(const CpsWorld* world);
void cps_world_tracks(const CpsWorld* world, char* bytes);  // all tracks, idle ones included
// repeat.c: whether a step depends only on the state and obstacles; checks whether the accepted step would repeat itself; whether it does now; repeats it
bool cps_world_depends_on_state_alone(const CpsWorld* world);
void cps_step_find_still(const CpsStep* step);
bool cps_world_repeats(const CpsWorld* world);
CpsStatus cps_world_repeat(CpsWorld* world, CpsStepInfo* info, CpsError* error);
// crossings.c: depths of lines in each other and in obstacles, then passes.c; `pushed`: after the projection, which moves positions
// without velocities
CpsStatus cps_step_crossings(CpsStep* step, bool pushed);
CpsStatus cps_step_compare(CpsStep* step, bool pushed);  // the same for pieces that have been followed
// passes.c: fills step->info and step->passes with objects that passed through each other
CpsStatus cps_step_passes(CpsStep* step, bool pushed);
void cps_step_tell_passes(CpsStep* step);  // copies them into the world, once the step is accepted
CpsMovedPiece cps_piece_moved(const CpsLinePiece* p);
bool cps_contact_is_wrong(const CpsStep* step, const CpsStepContact* t, const CpsTrack* track);  // (1)
// The current gap of a contact of a line with a line or an obstacle, along the initial normal; `end`: with the obstacle at the end of
// the step. Infinite for other contacts.
double cps_contact_gap_now(const CpsStep* step, const CpsStepContact* t, const CpsTrack* track, bool end);
// depths.c: depths of lines in obstacles
CpsStatus cps_step_depths(CpsStep* step);
// held.c: removes touches of objects held inside each other from step->found; whether a point of a line is that close to such an end
CpsStatus cps_step_drop_held(CpsStep* step);
bool cps_line_is_let(const CpsMemberLine* line, double arc);
// Whether nothing gives way at contact i of `order` in island k; `softest` has one entry per entry of island_member.
void cps_island_softest(const CpsStep* step, int32_t k, double* softest);
bool cps_contact_is_stiff(const CpsStep* step, int32_t k, int32_t i, const double* softest, double* rows);
int64_t cps_step_row_size(const CpsStep* step);  // size of `rows`
// Turns off contact between the two lines of a touch at that place.
void cps_touch_let(const CpsStep* step, const CpsColliderTouch* found);
// overlaps.c: the smaller radius of a touch; the touch as an overlap; the depth that counts as none; sets step->penetration and deepest
double cps_found_radius(const CpsStep* step, const CpsColliderTouch* found);
CpsOverlap cps_found_overlap(const CpsStep* step, const CpsColliderTouch* found);
double cps_found_slop(const CpsStep* step, const CpsColliderTouch* found);
void cps_step_deepest(CpsStep* step);
// smooth_depth.c: current touches of smooth surfaces; one of them as an overlap, false: not overlapping
CpsStatus cps_step_look_smooth(CpsStep* step);
bool cps_smooth_overlap(const CpsStep* step, const CpsSmoothTouch* touch, CpsOverlap* out);
// ways.c: whether there are shapes that move as a whole; sets step->on_the_way to their greatest depth during the step
bool cps_world_has_ways(const CpsWorld* world);
CpsStatus cps_step_ways(CpsStep* step);
// Fills step->found with the current touches.
CpsStatus cps_step_look(CpsStep* step, double skin);
// The pairs in step->found that overlap by more than `slops` times the slop, sorted by pair (the caller frees the list).
CpsStatus cps_step_overlaps(CpsStep* step, double slops, CpsOverlap** list, int32_t* count);
int cps_overlap_compare(const CpsOverlap* a, const CpsOverlap* b);  // compares pairs
void cps_overlaps_by_pair(CpsOverlap* list, int32_t count);
void cps_overlaps_by_depth(CpsOverlap* list, int32_t count);
// judge.c: the verdict on an attempt that ended with `status`; the length of a shorter attempt; sets the length of the next step
// after an accepted one
typedef enum CpsVerdict { CPS_VERDICT_GOOD, CPS_VERDICT_RENEW, CPS_VERDICT_HALVE } CpsVerdict;
CpsStatus cps_step_judge(CpsStep* step, CpsStatus status, CpsVerdict* verdict);
double cps_step_halved(CpsStep* step);
// Fraction of the thickness of a surface: anything closer than this has passed through it.
#define CPS_SURFACE_THROUGH 0.02
// The step is so long that something drifts through a shape whatever its impulses.
bool cps_step_is_doomed(const CpsStep* step);
bool cps_step_is_thinnest(const CpsWorld* world, double h);  // minimum length: what meets surfaces is stopped
void cps_step_set_next(const CpsStep* step);
// names.c: the kind, then the name in quotes or the index
enum { CPS_MEMBER_TEXT = 96 };
const char* cps_member_text(const CpsWorld* world, int32_t member, char text[CPS_MEMBER_TEXT]);
const char* cps_obstacle_text(const CpsWorld* world, int32_t place, char text[CPS_MEMBER_TEXT]);
const char* cps_tie_text(const CpsWorld* world, int32_t tie, char text[CPS_MEMBER_TEXT]);
// Error message for a member that became unstable; the same for the first such member, if any.
CpsStatus cps_step_unstable(const CpsStep* step, int32_t member);
CpsStatus cps_step_check(const CpsStep* step);
CpsStatus cps_step_runaway(const CpsStep* step);  // error message for spurious energy, info.made
// energy.c
double cps_world_total_energy(CpsWorld* world, const CpsModelStep* step, CpsEnergy* energy);
void cps_world_close_books(CpsWorld* world);
// Spurious energy once the step is accepted, J; 0 unless it keeps growing or stays. Sets info.excess.
double cps_step_energy_made(CpsStep* step);
// Current spurious energy, J; whether an attempt has added much to it.
double cps_world_surplus(const CpsWorld* world);
bool cps_step_is_jerked(const CpsStep* step);

#endif
