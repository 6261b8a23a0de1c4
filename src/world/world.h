// The inside of a world. See capstan/world.h for the scheme; step.c is where a step begins.
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

// One obstacle (obstacles.c, motion.c).
typedef struct CpsObstacle {
  uint32_t generation;
  bool there;
  CpsPieces pieces;  // in the obstacle's frame
  CpsPose start;     // at t = 0
  CpsMotion motion;  // its arrays are owned
  CpsVec3 surface_velocity;
  CpsMaterialId material;
  double mu, restitution;
  char* name;  // owned; NULL: none
  void* user;
  CpsPose now, next;  // of the step: at its beginning and its end
} CpsObstacle;

// One load (loads.c); the arrays of its curve are owned.
typedef struct CpsLoad {
  CpsThing thing;  // zeroed: all that bear loads
  CpsVec3 force, torque;
  CpsCurve curve;
  bool own_axes;  // of the thing
} CpsLoad;

// One pull (pulls.c); the arrays of its curve and motion are owned.
typedef struct CpsPull {
  uint32_t generation;
  bool there;
  CpsPullDef def;
  // of the step
  bool active;
  int32_t term;  // its number among those of its model
  CpsVec3 last_force;
} CpsPull;

// One tie (ties.c).
typedef struct CpsTie {
  uint32_t generation;
  bool there, broken;
  bool parted;   // broken, and what it held has come apart since
  bool swapped;  // sides as given: b, a
  CpsTieDef def;
  char* name;            // owned; NULL: none
  int32_t point_count;   // that it holds: 1 to 3
  double arm;            // from the first to the others
  CpsAnchor axes[2][3];  // per metre along the directions of these, on both sides; of a hinge the first is its axis
  double angle;          // that the motor has turned
  bool measured;         // `buried` is that of the first detection of contacts
  double buried[2];  // arc length about the point of a side that is a line within which it was inside the other side, m
  // of the last step
  CpsVec3 force, torque;
  double residual;
} CpsTie;

// One block of a tie in a step (tie_blocks.c).
typedef struct CpsTieBlock {
  int32_t tie, point;
  CpsVec3 apart;  // at the beginning
  bool line;      // holds along its first row only
  double g;       // elongation of a line
  double shift[3];
  CpsPatchNode patch[2][CPS_PATCH_MOST];  // of sides that are large
} CpsTieBlock;

// One contact of a step. Vectors of three are along the rows of the frame: normal, tangent 1, tangent 2.
typedef struct CpsStepContact {
  int32_t a, b;            // members of the world (cps_world_member); b is -1 for an obstacle, a for self-contact
  int32_t obstacle;        // -1 for a member
  int32_t soft;            // member that stands for its compliance, -1: none
  CpsSpot spot_a, spot_b;  // where they touch
  CpsTouch touch;
  CpsMat3 frame;
  double mu, across;  // across: mu along tangent 2 over mu along tangent 1
  double restitution;
  double surface[3];      // w: minus the velocity of the obstacle's surface
  double lead[3];         // how much faster the points get past each other at the end, because their arms change
  double before[3];       // u at the beginning of the step
  double free[3];         // u without impulses: b of the problem, isotropic or not
  double shift;           // of the normal component
  double cohesion;        // N s: by how much they are pressed together by what the contact does not see (immersed.c)
  double r[3], after[3];  // impulse and u at the end of the step
  double residual;        // how far they are from the law
  double gap_after;       // the gap at the end, of objects other than lines along the normal of the beginning, m
  int32_t island;
  uint8_t status;     // CpsContactStatus
  uint8_t law;        // CpsLaw
  bool far : 1;       // takes no part, regardless of its friction
  bool line : 1;      // one side is a line
  bool immersed : 1;  // a place of a line inside a medium: it has no gap
} CpsStepContact;

// What passes over the graph of contacts read of each: little, and apart from the rest of it, which is half a kilobyte.
enum { CPS_ISLAND_MOST = (1 << 30) - 1 };  // its highest number
typedef struct CpsEnds {
  int32_t a, b, soft;  // as in CpsStepContact
  uint32_t island : 30;
  bool large_a : 1, large_b : 1;  // sides that contacts see by their nodes (large.c)
  double speed2;                  // |u|^2 at the beginning of the step
} CpsEnds;

// The large members of the islands and the nodes by which contacts see them (large.c).
typedef struct CpsLargeRows {
  int32_t* island_start;  // island_count + 1: members of each island; NULL: there are none
  int32_t* member;
  int32_t* first;         // first node of each in the numbering of its island
  int32_t* node_count;    // of each island
  int64_t* vector_start;  // of each island, in numbers: where its vectors begin below
  int64_t* local_start;   // count + island_count + 1: node terms of each contact, relative to each island
  int64_t* term_start;    // island_count + 1: the same of all
  int64_t* A_start;       // count + 1: where the terms of each contact have their numbers, in `order`
  int32_t* node;          // of each term, in the numbering of its island
  double* A;              // rows x 3 of each term
  double *dv, *impulse, *work;
  // M~ of islands with several members; of those with one it is the member's own
  int64_t* M_first;   // of each island: its first row in
  int64_t* M_start;   // offsets of rows
  int64_t* M_offset;  // of each island: its first block in
  int32_t* M_column;
  double* M_value;
} CpsLargeRows;

// The report of a step about an island.
typedef struct CpsIslandTold {
  int32_t first;      // its smallest member: islands are in the order of these
  int64_t sum_start;  // of what its contacts did, in CpsContacts.sums
  double residual, tolerance;
  int64_t iterations;
  bool moving;
  bool stands;  // it was balanced by the impulses that it began with, and all its members stood still before and after
} CpsIslandTold;

// The contacts of one step in the order of their keys, from the step's arena; islands and problem from its scratch
// memory, which is there until the next step begins.
typedef struct CpsContacts {
  int32_t count;        // touches, and after them
  int32_t touch_count;  // the blocks of ties,
  int32_t tie_count;    // and those that members bring themselves
  CpsTieBlock* tie;     // one for each of the former,
  CpsOwnBlock* own;     // and of the latter
  int32_t* own_number;  // of each of these among those of its member
  int32_t soft_count;
  CpsStepContact* contact;
  CpsTrack* track;  // one for each contact
  CpsEnds* ends;    // the same
  int32_t* order;   // contacts by island
  int32_t island_count;
  int32_t* island_start;  // island_count + 1 offsets into order
  // the DFCP, contacts in `order`; see CpsFactoredForm
  double *mu, *b, *shift, *r;
  double* u;                   // W r + b, where islands bounce (rebound.c)
  double *dashpot, *cohesion;  // as in CpsContactsDef; NULL without blocks of members
  int64_t* row;                // count + 1: the first row of each contact; NULL: all have three
  int32_t* dims;               // rows of each, where `row` is there
  CpsLaw* law;                 // NULL without ties: all Coulomb
  int64_t* term_start;         // count + 1: terms of each contact
  int32_t* term_member;        // small member of each term in the numbering of its island
  int64_t* value_start;        // count + 1: values of each contact
  double* G;
  uint8_t* rest;                // CpsRest of each island: whether it stands still
  int32_t standing;             // members that stood still before and after
  struct CpsContactSums* sums;  // a few for each island,
  CpsIslandTold* told;          // island_count + 1: one for each, and where the sums end
  int32_t* before;  // of each touch: how many contacts of islands that are aside come before it; NULL: there are none
  bool still;       // the next step would be this one again (repeat.c)
  int64_t* local_start;  // count + island_count + 1: term offsets relative to each island
  int32_t* island_member_start;
  int32_t *island_member, *island_dofs;  // small members of each island and their degrees of freedom
  CpsLargeRows large;
  int64_t* z_start;  // where each of these has its part of z = sum of G^T r, and the end
} CpsContacts;

// The first row of contact i of `order`: where it has its numbers in b, shift and r.
static inline int64_t cps_contact_row(const CpsContacts* c, int64_t i) {
  return c->row ? c->row[i] : 3 * i;
}

// An island that stands still and takes no part in steps until something touches it (aside.c).
typedef struct CpsAsideIsland {
  CpsIslandTold told;
  int32_t number;  // among the islands of the last step
  int32_t contact_count, member_count, sum_count;
  CpsStepContact* contact;  // in the order of their keys,
  CpsTrack* track;          // one for each of them
  int32_t* member;          // in the order in which its contacts name them
  struct CpsContactSums* sums;
  double penetration;             // at the beginning of a step,
  double ratio;                   // and of the touch that is deepest for its size: depth in radii,
  CpsOverlap deepest;             // the touch itself,
  uint64_t deepest_a, deepest_b;  // and its keys
} CpsAsideIsland;

// All of them.
typedef struct CpsAside {
  int32_t island_count, contact_count, member_count;
  CpsAsideIsland* island;  // in the order of islands
  struct CpsAsidePlace {
    CpsStepContact* contact;
    CpsTrack* track;
  } * place;       // all their contacts in the order of their keys
  int32_t* of;     // the island of each member of the world, -1: none; NULL: there are none
  bool shown;      // the last step has said what they did
  bool disturbed;  // something was changed that they may depend on
} CpsAside;

// Whether steps make energy (energy.c): steps in a row with too much of it, and with as much as there should be at all; windows of them
// in which it grew, how much it was at the first step and at the end of the last window.
typedef struct CpsGaining {
  int64_t steps, large;
  int32_t windows;
  double first, mark;
} CpsGaining;

// What one thread needs to solve islands.
typedef struct CpsIslandSolver {
  CpsProblem* problem;
  CpsProblem* large;  // with large members
  CpsWorkspace* workspace;
} CpsIslandSolver;

enum { CPS_POPULATIONS_MOST = 16 };
struct CpsWorld {
  CpsWorldDef def;
  int population_count;
  CpsModel* population[CPS_POPULATIONS_MOST];  // owned; one of each kind of things, and
  CpsSoft* soft;                               // the last of them: its number changes from step to step
  int32_t obstacle_count, obstacle_capacity, obstacle_there;
  CpsObstacle* obstacles;
  int32_t load_count, load_capacity;
  CpsLoad* loads;
  int32_t pull_count, pull_capacity, pull_there;
  CpsPull* pulls;
  int32_t* pull_order;  // those that are there: by kind, the last one first, and place
  int32_t tie_count, tie_capacity, tie_there;
  CpsTie* ties;
  int32_t material_count, material_capacity;
  CpsPair* materials;  // what each does against any other
  CpsPair* pairs;      // material_capacity x material_capacity

  CpsPool* pool;  // NULL with one thread
  CpsDetector* detector;
  CpsIslandSolver* solvers;  // one for each thread
  int32_t pool_threads;
  int32_t current;     // arena of the last step
  CpsArena arenas[2];  // of the last step and of the one being made, in turn: tracks, passes
  CpsArena touches;    // contacts of the last step, until the next one has found its own
  CpsArena scratch;    // of a step, nothing outlives it
  CpsArena renewed;    // of a step: what one attempt tells the next (renew.c)

  double time;
  int64_t index;     // steps made
  double h;          // length of the next step
  double last_h;     // length of the last step
  double mark_time;  // time = mark_time + (index - mark_index) last_h, so that rounding does not add up
  int64_t mark_index;
  CpsAside aside;
  CpsContacts contacts;  // of the last step,
  CpsStepInfo info;      // and its report
  int32_t calm;          // adaptive: steps since the last halving
  int32_t pass_count;    // of the last step
  CpsPass* passes;
  CpsTrack* tracks;
  int32_t track_count;  // of the last step, or loaded
  CpsEnergy energy;
  double last_energy;   // kinetic + potential + elastic that the energy balance includes
  double pull_energy;   // the part of it in the springs of pulls
  double energy_grain;  // what elastic energies may lose or gain in rounding, J
  CpsGaining gaining;
  double most_energy;  // that could be in motion and in elastic energy at any time so far (energy.c), J
  double smallest;     // smallest size of a member (model.h), m; infinite without any
  bool changed;        // something was set by hand since
  bool entangled;      // surfaces may go through each other at the beginning of the next step
  bool lets;           // lines are held inside each other
  bool clouds;         // there are point clouds (cloud_impacts.c)
  int32_t overlap_count;
  CpsOverlap* overlaps;  // found last, owned
  int32_t given_count;
  CpsOverlap* given;  // overlaps accepted in a step, by pair, owned
  CpsObserverFn observer;
  void* observer_data;
};

// Pairs of colliders whose boxes overlap, before and after the step (passes.c); from its scratch memory.
typedef struct CpsRunners {
  bool pushed;
  bool all;            // all pairs, not only those of
  const bool* runner;  // the colliders that ran then
  CpsBroadBox* boxes;
  const CpsBroadPair* pairs;
  int64_t count;
} CpsRunners;

// A step being made (step.c).
typedef struct CpsStep {
  CpsWorld* world;
  CpsModelStep model;
  CpsArena* arena;       // outlives the step
  CpsArena* scratch;     // does not
  CpsMemberLine* lines;  // of each member, from detect on; NULL: none has pieces
  int32_t line_count;    // members then; those that come later, what gives way in springs, are not lines
  int64_t line_pieces;
  CpsCollider* colliders;
  int32_t collider_count, member_collider_count;
  const bool* idle;  // of each, in a search at the end of the step; NULL: none is
  const CpsColliderTouch* found;
  int32_t found_count;
  // surfaces of triangles (surfaces.c)
  int32_t surface_count, surface_touch_count;
  CpsSurfaceMesh* surfaces;
  CpsSurfaceTouch* surface_touch;
  // smooth surfaces (smooth.c), their fields, and what touches them
  int32_t smooth_count, smooth_touch_count;
  CpsSmoothMesh* smooth;
  CpsField* fields;
  CpsSmoothTouch* smooth_touch;
  int32_t smooth_met_count;  // what met them in the attempts before (smooth_impacts.c), from world->renewed
  CpsSmoothTouch* smooth_met;
  struct CpsStop* stop;  // nodes of a medium in obstacles (stops.c)
  int32_t stop_count;
  int32_t sewn_count;            // of `sewn` below
  struct CpsImmersed* immersed;  // places of lines in a medium (immersed.c)
  int32_t immersed_count;
  int32_t pierced;               // how many of info.crossings are those of
  CpsSurfaceTouches through;     // what passed through a surface
  int32_t met_count, newly_met;  // features that met in the attempts before, from world->renewed; and in this one
  CpsSurfaceTouch* met;
  struct CpsSewn* sewn;  // nodes of surfaces that ties hold to each other (sewn.c), in order
  // nodes of surfaces that go through each other, or are near such a place (entangled.c): > 0; NULL: none
  uint8_t* entangled;
  int32_t* entangled_first;  // of each surface
  int64_t* place_start;
  double* place;
  CpsPatchNode* patches;  // 2 x CPS_PATCH_MOST for each touch; NULL: nothing is large
  CpsContacts contacts;
  // contacts that the attempts before have broken, and their impulses, from world->renewed
  int32_t renewals;
  int32_t attempts;          // at this step, of all lengths
  int32_t fewest, stalling;  // crossings of the best renewal of this length; those since that brought nothing
  const CpsColliderTouch* renewed;
  int32_t renewed_count;
  bool renewable;    // this attempt has broken some
  bool thin;         // the step cannot be shorter: (zones.c)
  bool aside;        // islands that are aside are left there
  bool moved;        // the projection moved something
  bool* wakes;       // of each: whether something touches it, so that the attempt fails; NULL: none
  CpsTrack* tracks;  // NULL: of the last step
  int32_t track_count, track_room;
  void*
      pushed_out;  // what the projection left, from world->renewed: where the next attempt begins; NULL: where the step does
  double pushed_loss;            // projection_loss then
  const CpsColliderTouch* kept;  // what was found at the beginning, where it is still true; NULL: to be found again
  CpsCollider* kept_colliders;
  int32_t kept_count;
  double surplus;             // energy from nothing at the beginning, J
  double penetration;         // at the beginning
  double smooth_penetration;  // the same of smooth surfaces
  CpsOverlap deepest;         // then, for its size
  CpsOverlap on_the_way;      // between beginning and end, deeper than the radius (ways.c); depth 0: none
  double skin;                // touches farther apart than usual are looked for, m
  double projection_loss;
  double depth;    // largest penetration at the end, as far as contacts tell
  double sunk;     // the most that a contact of a line sank in within the step
  int32_t pushed;  // crossings by the projection
  bool unpushed;   // no projection this time
  bool missed;     // an island is not solved to its tolerance, jams aside; and the tolerance of the worst one
  double asked;
  double longest;            // s; in a longer one something drifts through a shape before impulses act on it
  bool unsettled;            // velocities of members that are not linear still changed: of
  int32_t unsettled_member;  // this one, or of one in its island
  int32_t torn;              // tie that cannot be kept, -1: none
  CpsRunners runners;
  int32_t pass_count;
  int32_t sinking_count;
  CpsCrossing* sinking;  // pieces that are deep in something; the most, in radii, and the most that is due to this step
  double sinking_most, sinking_newly;
  CpsCrossing* passes;  // pieces that passed through something, those of one place together; numbers as in passes.c
  CpsPass* told;        // room for as many
  CpsStepInfo info;
  CpsError* error;
} CpsStep;

// populations.c: the world owns them; members are numbered from one to the next in their order.
CpsStatus cps_world_add_population(CpsWorld* world, CpsModel* model, CpsError* error);  // NULL: memory runs out
void cps_populations_free(CpsWorld* world);
// Their states, one after the other. All are checked before one is loaded.
size_t cps_populations_size(const CpsWorld* world);
void cps_populations_save(const CpsWorld* world, void* bytes);
CpsStatus cps_populations_check(const CpsWorld* world, const void* bytes, CpsError* error);
void cps_populations_load(CpsWorld* world, const void* bytes);
static inline int32_t cps_world_member_count(const CpsWorld* world) {
  int32_t count = 0;
  for (int i = 0; i < world->population_count; ++i) count += world->population[i]->count;
  return count;
}
// Member number i.
typedef struct CpsMember {
  CpsModel* model;
  int32_t index;  // there
} CpsMember;
static inline CpsMember cps_world_member(const CpsWorld* world, int32_t i) {
  int k = 0;
  for (; i >= world->population[k]->count; ++k) i -= world->population[k]->count;
  return (CpsMember){world->population[k], i};
}
CpsModel* cps_world_population(const CpsWorld* world, CpsThingKind kind);  // the first of it; NULL: there is none
// The population of a thing that is there, NULL if it is not.
CpsModel* cps_world_find_model(const CpsWorld* world, CpsThing thing);
// Things of a kind that are there, and number i of them; zeroed if there is no such number. The world may be NULL.
int32_t cps_world_thing_count(const CpsWorld* world, CpsThingKind kind);
CpsThing cps_world_thing(const CpsWorld* world, CpsThingKind kind, int32_t i);
// A thing is about to be removed: what pulls at it, loads it or is tied to it goes first. Then it was.
void cps_world_let_go(CpsWorld* world, CpsThing thing);
void cps_world_removed(CpsWorld* world);
CpsThing cps_member_thing(const CpsWorld* world, int32_t member);               // its name; -1: nothing
uint64_t cps_member_key(const CpsWorld* world, int32_t member, int32_t piece);  // of a collider
// The line with pieces that member number i is in a step, NULL if it is none.
static inline const CpsMemberLine* cps_step_line(const CpsStep* step, int32_t i) {
  return i >= 0 && i < step->line_count && step->lines[i].count > 0 ? &step->lines[i] : NULL;
}
// Whether a member that is there is a line, or a surface; pieces of all lines; step->lines.
bool cps_world_has_lines(const CpsWorld* world);
bool cps_world_is_plain(const CpsWorld* world);  // small members only, and nothing refers to their places between steps
bool cps_world_has_surfaces(const CpsWorld* world);
int64_t cps_world_line_pieces(const CpsWorld* world);
CpsStatus cps_step_list_lines(CpsStep* step);
// Runs a function of the models over ranges of all members, shared out among the threads.
typedef enum CpsModelCall { CPS_CALL_BEGIN, CPS_CALL_PLACE, CPS_CALL_ADVANCE } CpsModelCall;
void cps_world_run(CpsWorld* world, const CpsModelStep* step, CpsModelCall call);
void cps_world_find_smallest(CpsWorld* world);

// expected.c: the contacts of the step that comes next, none of which has moved anything yet. Their tracks are where the
// world takes the forces from which it starts: once filled in, they can be made its own.
CpsStatus cps_world_expect_contacts(CpsWorld* world, CpsStep* step, CpsError* error);
void cps_world_start_from(CpsWorld* world, const CpsStep* step);

// pulls.c
void cps_pulls_apply(CpsWorld* world, const CpsModelStep* step);
void cps_pulls_expect(CpsWorld* world, const CpsModelStep* step);  // the same terms outside of a step
void cps_pulls_settle(CpsWorld* world, double time);               // targets where they are now, at the end of a step
void cps_pulls_restore(CpsWorld* world);  // as they were at the end of the last step, of which only the time is known
void cps_pulls_look_back(CpsWorld* world, const CpsModelStep* step);  // after advance: forces and work
void cps_pulls_forget(CpsWorld* world, CpsThing thing);               // of a removed object
void cps_pulls_free(CpsWorld* world);

// ties.c
CpsTie* cps_world_find_tie(const CpsWorld* world, CpsTieId id);  // NULL: not there
bool cps_tie_is_line(const CpsTie* tie);                         // spring or rod
bool cps_anchor_has_pose(const CpsWorld* world,
                         const CpsAnchor* anchor);  // of the world, an obstacle or a member with one
CpsVec3 cps_anchor_now(const CpsWorld* world, const CpsAnchor* anchor);
int32_t cps_anchor_member(const CpsWorld* world, const CpsAnchor* anchor);       // -1: of no member
CpsAnchor cps_tie_anchor(const CpsTie* tie, int side, int point, double angle);  // of the motor
double cps_tie_apart(const CpsWorld* world, const CpsTie* tie);                  // now, m
void cps_ties_forget(CpsWorld* world, CpsThing thing);
void cps_ties_free(CpsWorld* world);
// stops.c: nodes of a medium in obstacles, found; as contacts, with patches of world->touches
bool cps_world_is_stopped(const void* world, CpsVec3 place, double near);  // as CpsModelStep has it
bool cps_step_is_covered(const void* step, CpsVec3 place, double near);    // the same
// How many places, of those that are there, lie in an obstacle or a member with a shape, and in what the first does; false: memory
// runs out.
bool cps_world_find_buried(const CpsWorld* world, const CpsVec3* x, const double* there, int32_t count, int32_t* buried,
                           CpsThing* by);
CpsStatus cps_step_find_stops(CpsStep* step);
void cps_stop_contact(const CpsStep* step, int32_t i, CpsPatchNode* node, CpsStepContact* t, CpsTrack* track);
// immersed.c: places of lines inside a medium, found; as contacts, with the nodes of the medium
CpsStatus cps_step_find_immersed(CpsStep* step);
void cps_immersed_contact(const CpsStep* step, int32_t i, CpsPatchNode* nodes, CpsStepContact* t, CpsTrack* track);
// own_blocks.c: blocks that members bring themselves: how many; after the ties; whether there is one in an island; rows of any contact;
// u of one; once solved
int32_t cps_world_own_blocks(const CpsWorld* world);
void cps_step_own_blocks(CpsStep* step);
bool cps_island_has_own(const CpsContacts* c, int32_t k);
static inline bool cps_contact_is_own(const CpsContacts* c, int32_t contact) {
  return contact >= c->touch_count + c->tie_count;
}
int32_t cps_contact_rows(const CpsContacts* c, int32_t contact);
void cps_own_velocity(const CpsStep* step, int32_t contact, CpsVelocity which, double* u);
void cps_step_own_done(const CpsStep* step);
// torn.c: counts islands whose ties cannot be kept as unsolved
void cps_step_find_torn(CpsStep* step);
// tie_blocks.c: before prediction; how many blocks a step has; the blocks, after the touches; forces at the end
CpsStatus cps_ties_begin(CpsWorld* world, const CpsModelStep* step, CpsError* error);
int32_t cps_ties_blocks(const CpsWorld* world);
void cps_step_ties(CpsStep* step);
void cps_ties_end(CpsStep* step, double begun);  // once the time is that of the end
double cps_ties_stored(const CpsWorld* world);   // in springs, now, J
typedef struct CpsTieWork {
  double ties, damping, scheme, linearisation;
} CpsTieWork;
void cps_tie_work(const CpsStep* step, const CpsStepContact* c, const CpsTieBlock* block, CpsTieWork* work);
bool cps_tie_joins(const CpsTie* tie);  // its ends do not touch each other
bool cps_pair_is_tied(const CpsStep* step, int32_t member, const CpsCollider* collider);       // and does not touch
bool cps_colliders_are_tied(const CpsStep* step, const CpsCollider* a, const CpsCollider* b);  // near the tie: the same
CpsStatus cps_step_drop_tied(CpsStep* step);  // touches of objects tied together are taken out of step->found

// materials.c
CpsPair cps_world_pair(const CpsWorld* world, CpsMaterialId a, CpsMaterialId b);
bool cps_pair_is_valid(CpsPair pair);
double cps_mix_mu(double a, double b);
double cps_mix_restitution(double a, double b);

// curve.c
double cps_curve_value(const CpsCurve* curve, double t);
// The mean of the scheme over a step that begins at t.
double cps_curve_mean(const CpsCurve* curve, double t, const CpsModelStep* step);
CpsStatus cps_curve_copy(const CpsCurve* from, CpsCurve* to, CpsError* error);
void cps_curve_free(CpsCurve* curve);

// motion.c
CpsPose cps_motion_pose(const CpsMotion* motion, const CpsPose* start, double t);
CpsStatus cps_motion_copy(const CpsMotion* from, CpsMotion* to, CpsError* error);
void cps_motion_free(CpsMotion* motion);

// obstacles.c
void cps_obstacle_free(CpsObstacle* o);
CpsObstacle* cps_world_find_obstacle(const CpsWorld* world, CpsObstacleId id);  // NULL: not there
// Velocity of the surface over the step at a point of the world with the normal out of it.
CpsVec3 cps_obstacle_velocity(const CpsObstacle* o, CpsVec3 point, CpsVec3 normal, double h);
void cps_obstacles_place(CpsWorld* world, double t, double h);

// loads.c
void cps_loads_forget(CpsWorld* world, CpsThing thing);  // of a removed object
void cps_loads_apply(CpsWorld* world, const CpsModelStep* step);

// detect.c: step->colliders; then step->found
CpsStatus cps_step_list_colliders(CpsStep* step, CpsDrift* drift);
CpsStatus cps_step_detect(CpsStep* step);
// renew.c: how much deeper shapes are in each other at the end than at the beginning; where it is more than the bound,
// their contacts join those of the next attempt
#define CPS_FEATURE_RENEWED UINT32_C(0x80000000)  // marks the feature of such a touch
CpsStatus cps_step_look_at_end(CpsStep* step, double bound, double* added);
// The impulses of this attempt are where the next one begins.
CpsStatus cps_step_keep_tracks(CpsStep* step);
CpsStatus cps_step_join_renewed(CpsStep* step);
bool cps_step_recall(CpsStep* step);  // step->colliders and step->found of the attempt before; false: find them again
// contacts.c: the velocity of a relative to b without any obstacle's; step->contacts from step->found
CpsVec3 cps_contact_velocity(const CpsWorld* world, const CpsStepContact* t, CpsVelocity which);
void cps_contact_friction(const CpsWorld* world, CpsStepContact* t);  // mu, across, restitution and the frame
CpsStatus cps_step_contacts(CpsStep* step);
// ghosts.c: whether a contact of a line would push though the two pass each other
bool cps_contact_is_ghost(const CpsStep* step, const CpsCollider* a, const CpsCollider* b, const CpsStepContact* t);
// Which two touch and where, for a contact that is zeroed otherwise.
void cps_touching_place(const CpsStep* step, const CpsColliderTouch* found, CpsStepContact* t);
// report.c: a side as reported to the caller; `obstacle` is read if there is no member. `advanced`: at the beginning of the
// step that was advanced; otherwise now
CpsSide cps_side_of(const CpsWorld* world, int32_t member, int32_t obstacle, const CpsSpot* spot, CpsVec3 point,
                    bool advanced);
void cps_contact_sides(const CpsWorld* world, const CpsStepContact* t, bool advanced, CpsSide side[2]);
// islands.c
CpsStatus cps_step_islands(CpsStep* step);
// ordering.c: contacts of large islands of lines, neighbours near each other
CpsStatus cps_step_order(CpsStep* step);
// assemble.c
CpsStatus cps_step_assemble(CpsStep* step);
// surfaces.c: pairs of features near each other; one as a contact
CpsStatus cps_step_find_surfaces(CpsStep* step);
// smooth.c: the same of smooth surfaces; and one as a contact, with patches of world->touches, false if memory runs out
CpsStatus cps_step_find_smooth(CpsStep* step);
// all smooth surfaces with their free motion or, once advanced, with the way they made, or how many; and the field of one
int32_t cps_step_list_smooth(const CpsStep* step, bool free, CpsSmoothMesh* out);
// The field of a surface as one of its own nodes sees it.
CpsField cps_smooth_own_field(const CpsSmoothMesh* mesh, const CpsField* field, int32_t node);
bool cps_smooth_field(const CpsStep* step, const CpsSmoothMesh* mesh, CpsField* field);
// smooth_impacts.c: what went into them on its way, once advanced
CpsStatus cps_step_smooth_impacts(CpsStep* step);
bool cps_smooth_contact(CpsStep* step, const CpsSmoothTouch* touch, CpsStepContact* t, CpsTrack* track);
// One side has nodes, the other a point: where it must be, so that an impulse has the same moment on both.
void cps_touching_join(const CpsStep* step, CpsStepContact* t);
void cps_surface_contact(const CpsStep* step, const CpsSurfaceTouch* touch, CpsPatchNode* nodes, CpsStepContact* t,
                         CpsTrack* track);
// The surfaces of all populations, and how many there are; `free`: with their free motion, or with the way they made.
int32_t cps_step_list_surfaces(const CpsStep* step, bool free, CpsSurfaceMesh* out);
// guard.c: the facets under the smooth surface of a member, as they were and are once it is advanced, sunk below it in scratch memory; false if
// that is short
bool cps_guard_sink(const CpsStep* step, CpsMember member, CpsSurfaceMesh* mesh);
void cps_surface_name(const CpsStep* step, CpsSurfaceTouch* touch, int rank);  // fills in the keys
int cps_surface_compare(const CpsSurfaceTouch* a, const CpsSurfaceTouch* b);   // in the order of names
// sewn.c: the nodes of these surfaces that ties hold to each other, into step->sewn; whether some of a and of b are, and whether
// a touch is of such features, which are no touch
typedef struct CpsSewn CpsSewn;
CpsStatus cps_step_find_sewn(CpsStep* step, const CpsSurfaceMesh* surfaces, int32_t count);
bool cps_nodes_are_sewn(const CpsStep* step, int32_t a, const int32_t* nodes_a, int count_a, int32_t b,
                        const int32_t* nodes_b, int count_b);
bool cps_touch_is_sewn(const CpsStep* step, const CpsSurfaceTouch* touch);
// entangled.c: what goes through each other where it is, into step->entangled; whether a touch is of such features, which do
// not touch; pairs of surfaces that do, and of surfaces and shapes, not sorted; the list is the caller's to free
CpsStatus cps_step_find_entangled(CpsStep* step);
bool cps_touch_is_entangled(const CpsStep* step, const CpsSurfaceTouch* touch);
CpsStatus cps_step_intersections(CpsStep* step, CpsOverlap** list, int32_t* count);
// impacts.c: what met on its way, once advanced; what passed through something alone, into step->through
CpsStatus cps_step_impacts(CpsStep* step);
CpsStatus cps_step_through(CpsStep* step);
// where colliders are now that the step is made; false if memory runs out
bool cps_step_collider_ends(const CpsStep* step, CpsColliderEnd* end);
// Whether anything goes through a surface on these ways, obstacles where they are at the beginning
CpsStatus cps_step_pushed_through(CpsStep* step, const CpsSurfaceMesh* way, bool* through);
// cloud_impacts.c: shapes that got into a point cloud
CpsStatus cps_step_cloud_impacts(CpsStep* step);
// zones.c: places of anything but surfaces at the beginning; then what passed through something is stopped
CpsStatus cps_step_keep_places(CpsStep* step);
CpsStatus cps_step_stop(CpsStep* step);
// large.c: whether anything is; the same of a member; of an island
bool cps_world_has_large(const CpsWorld* world);
bool cps_member_is_large(const CpsWorld* world, int32_t member);
bool cps_island_is_large(const CpsContacts* c, int32_t k);
// Worth all threads by themselves, one after the other: islands and members with many nodes, populations of such members.
bool cps_island_is_wide(const CpsContacts* c, int32_t k);
bool cps_member_is_wide(CpsMember member);
bool cps_model_is_wide(const CpsModel* model);
// The factor of M~ of an island with one large member; NULL: it has several.
CpsCholesky* cps_island_factor(const CpsStep* step, int32_t k);
CpsStatus cps_step_assemble_large(CpsStep* step);
CpsSparseForm cps_island_sparse_form(const CpsStep* step, int32_t k);
// An island that is being solved.
typedef struct CpsIslandTask {
  CpsStep* step;
  int32_t k;
  int worker;
  const CpsSolveOptions* options;
  CpsSolveInfo* info;  // out; may be NULL
  CpsError* error;
} CpsIslandTask;
// newton.c: rounds of solving an island whose members are not linear
CpsStatus cps_island_newton(const CpsIslandTask* task);
void cps_island_gather_nodes(const CpsContacts* c, int32_t k);  // A^T r of its nodes, into the impulses of the rows
void cps_island_refresh(const CpsStep* step, int32_t k);        // b from the new v* of large members
// coupling.c: the same with friction apart from elasticity
CpsStatus cps_island_split(const CpsIslandTask* task);
// Recomputes the free velocities of a contact, as they are in b of the problem.
void cps_contact_refresh(const CpsStep* step, CpsStepContact* t);
// Island k as a matrix-free problem; b, mu, shift are those of the contacts.
CpsContactsDef cps_island_contacts(const CpsContacts* c, int32_t k);
CpsFactoredForm cps_island_form(const CpsContacts* c, int32_t k);
// Puts the sum of G^T r into the part of z of island k's small members.
void cps_island_gather(const CpsContacts* c, int32_t k, const double* r, double* z);
// solve.c: an island; r of the whole step is read and written
CpsStatus cps_island_solve(const CpsIslandTask* task, double* r);
// An island with large members as the problem of its worker.
CpsStatus cps_island_fill(const CpsIslandTask* task);
// cps_island_solve() of such an island, filled before, of which only b is new; as cps_workspace_solve_near(). r is the step's.
CpsStatus cps_island_solve_again(const CpsIslandTask* task, double accept, bool same);
CpsStatus cps_step_solve(CpsStep* step);
// rebound.c: whether contacts of an island bounce; whether that made energy, after a solve; a part of their restitution instead
bool cps_island_bounces(const CpsContacts* c, int32_t k);
bool cps_island_gains(const CpsIslandTask* task);
void cps_island_rebound(const CpsStep* step, int32_t k, double part);
// purse.c: members of an island, small ones first; their energies, elastic ones with the potential ones; velocities of all,
// those relative to `from` scaled and `more` added
int32_t cps_island_member_count(const CpsStep* step, int32_t k);
CpsMember cps_island_member(const CpsStep* step, int32_t k, int32_t i);
CpsModelEnergy cps_island_energy(const CpsStep* step, int32_t k);
void cps_island_slow(const CpsStep* step, int32_t k, double factor, const CpsRigidMotion* from,
                     const CpsRigidMotion* more);
// V and T of (2) of projection.c, and what belongs to V
typedef struct CpsPurse {
  bool held;
  CpsRigidMotion common;
  CpsVec3 linear, angular;  // momenta, about the origin
  double mass;
  CpsVec3 first;    // sum of m x
  CpsMat3 second;   // of m (x.x - x x^T)
  double together;  // kinetic energy of V
  double kinetic;   // of the rest
} CpsPurse;
CpsPurse cps_island_purse(const CpsStep* step, int32_t k, double kinetic);
// A free island that was moved pays for dV with what is not in the common motion, and gets the common motion that its old
// momenta have at the new place
void cps_island_pay_freely(const CpsStep* step, int32_t k, const CpsPurse* purse, double kinetic, double dV);
// The rigid motion of masses with these momenta
CpsRigidMotion cps_rigid_motion_of(double mass, CpsVec3 first, const CpsMat3* second, CpsVec3 linear, CpsVec3 angular);
// projection.c: moves things apart; true in *moved if anything was. `push`: at the end of the step, where contacts are
// deeper than `allowed`; `far`: farther than a few radii, if need be
CpsStatus cps_step_project(CpsStep* step, bool* moved);
CpsStatus cps_step_push(CpsStep* step, double allowed, bool far);
CpsStatus cps_step_push_large(CpsStep* step, bool* moved);  // large_push.c: the same of islands with large members
// mending.c: positions set right at the end of a step; contacts of crossings are kept from round to round
typedef struct CpsMending {
  int32_t count;
  CpsStepContact* contact;
  CpsTrack* track;
  bool* wild;  // whether it passed, or nearly so
  bool all;    // the next round pushes with all contacts, not only with those near what is deep
} CpsMending;
CpsStatus cps_step_mend(CpsStep* step, CpsMending* mending, double allowed);
// Where lines and shapes are and how fast, before positions are set right; and back there.
typedef struct CpsUnmended {
  char* state;
  double projection_loss;
} CpsUnmended;
CpsStatus cps_step_keep_unmended(CpsStep* step, CpsUnmended* before);
CpsStatus cps_step_unmend(CpsStep* step, const CpsUnmended* before);
CpsStatus cps_step_calm(CpsStep* step, const CpsMending* mending);  // slows down what passed
// advance.c: velocities, positions, what the contacts did, the books
CpsStatus cps_step_advance(CpsStep* step);
// What a few contacts of the step did (2) to (5); into the energy balance and step->info.
typedef struct CpsContactSums {
  double friction, impact, obstacles, scheme, ends;
  CpsTieWork tie;
  int32_t stick, slide;
} CpsContactSums;
void cps_step_enter_books(CpsStep* step);
// aside.c: nothing refers to them any longer; something that all may depend on was changed
void cps_aside_free(CpsAside* aside);
void cps_world_disturb(CpsWorld* world);
// At the beginning of a step: those that stood still in the last one are set aside, or all are woken if they may not stay there.
CpsStatus cps_world_set_aside(CpsWorld* world, CpsError* error);
// Takes part again: those that are marked, or all of them.
CpsStatus cps_world_wake(CpsWorld* world, const bool* which, CpsError* error);
CpsStatus cps_step_find_woken(CpsStep* step);  // into step->wakes
CpsStatus cps_step_show_aside(CpsStep* step);  // once the step is good
static inline bool cps_step_is_aside(const CpsStep* step, int32_t member) {
  return step->aside && member >= 0 && step->world->aside.of && step->world->aside.of[member] >= 0;
}
// All contacts of the last step between things, in the order of their keys: how many, and number i. Likewise impulses kept from it.
int32_t cps_world_touching_count(const CpsWorld* world);
const CpsStepContact* cps_world_touching(const CpsWorld* world, int32_t i);
int32_t cps_world_touching_place(const CpsWorld* world, int32_t i);  // in world->contacts, or -1 - its place aside
int32_t cps_world_track_count(const CpsWorld* world);
void cps_world_tracks(const CpsWorld* world, char* bytes);  // wherever they lie
// repeat.c: whether a step depends only on the state and obstacles; whether the step that was accepted would be made again; whether it is so now; and the step again
bool cps_world_depends_on_state_alone(const CpsWorld* world);
void cps_step_find_still(const CpsStep* step);
bool cps_world_repeats(const CpsWorld* world);
CpsStatus cps_world_repeat(CpsWorld* world, CpsStepInfo* info, CpsError* error);
// crossings.c: how deep lines are in each other and in obstacles, then passes.c; `pushed`: after the projection of positions, which
// has no velocities
CpsStatus cps_step_crossings(CpsStep* step, bool pushed);
CpsStatus cps_step_compare(CpsStep* step, bool pushed);  // the same where the pieces have been followed
// passes.c: what passed through what, into step->info and step->passes
CpsStatus cps_step_passes(CpsStep* step, bool pushed);
void cps_step_tell_passes(CpsStep* step);  // into the world, once the step is accepted
CpsMovedPiece cps_piece_moved(const CpsLinePiece* p);
bool cps_contact_is_wrong(const CpsStep* step, const CpsStepContact* t, const CpsTrack* track);  // (1)
// The gap of a contact of a line with a line or an obstacle where they are now, along the normal of the beginning of the
// step; `end`: with the obstacle at the end of the step. Infinite for others.
double cps_contact_gap_now(const CpsStep* step, const CpsStepContact* t, const CpsTrack* track, bool end);
// depths.c: how deep lines are in obstacles
CpsStatus cps_step_depths(CpsStep* step);
// held.c: touches of objects held inside each other are taken out of step->found; near which ends that is
CpsStatus cps_step_drop_held(CpsStep* step);
bool cps_line_is_let(const CpsMemberLine* line, double arc);
// Whether nothing gives way at contact i of the order, island k; `softest` is of each place in island_member.
void cps_island_softest(const CpsStep* step, int32_t k, double* softest);
bool cps_contact_is_stiff(const CpsStep* step, int32_t k, int32_t i, const double* softest, double* rows);
int64_t cps_step_row_size(const CpsStep* step);  // room for `rows`
// From now on the two lines of a touch do not touch there.
void cps_touch_let(const CpsStep* step, const CpsColliderTouch* found);
// overlaps.c: the smallest radius of the two of a touch, and the depth that is none; step->penetration and deepest
double cps_found_radius(const CpsStep* step, const CpsColliderTouch* found);
CpsOverlap cps_found_overlap(const CpsStep* step, const CpsColliderTouch* found);
double cps_found_slop(const CpsStep* step, const CpsColliderTouch* found);
void cps_step_deepest(CpsStep* step);
// smooth_depth.c: touches of smooth surfaces as everything is now; one of them as an overlap, false: it is none
CpsStatus cps_step_look_smooth(CpsStep* step);
bool cps_smooth_overlap(const CpsStep* step, const CpsSmoothTouch* touch, CpsOverlap* out);
// ways.c: whether there are shapes that move as a whole; how deep they got in between, into step->on_the_way
bool cps_world_has_ways(const CpsWorld* world);
CpsStatus cps_step_ways(CpsStep* step);
// Touches as everything is now, into step->found.
CpsStatus cps_step_look(CpsStep* step, double skin);
// The pairs of step->found that overlap by more than so many slops, by pair; the list is the caller's to free.
CpsStatus cps_step_overlaps(CpsStep* step, double slops, CpsOverlap** list, int32_t* count);
int cps_overlap_compare(const CpsOverlap* a, const CpsOverlap* b);  // by pair
void cps_overlaps_by_pair(CpsOverlap* list, int32_t count);
void cps_overlaps_by_depth(CpsOverlap* list, int32_t count);
// judge.c: what is to become of an attempt that came to `status`; what a shorter one is in that case. The length of the next step
// after one that was accepted
typedef enum CpsVerdict { CPS_VERDICT_GOOD, CPS_VERDICT_RENEW, CPS_VERDICT_HALVE } CpsVerdict;
CpsStatus cps_step_judge(CpsStep* step, CpsStatus status, CpsVerdict* verdict);
double cps_step_halved(CpsStep* step);
// Part of the thickness of a surface: what comes nearer than this has passed through it.
#define CPS_SURFACE_THROUGH 0.02
// Something drifts through a shape whatever impulses it gets: the step is too long.
bool cps_step_is_doomed(const CpsStep* step);
bool cps_step_is_thinnest(const CpsWorld* world, double h);  // it cannot be shorter: what meets surfaces is stopped
void cps_step_set_next(const CpsStep* step);
// names.c: its kind, then its name in quotes or its number
enum { CPS_MEMBER_TEXT = 96 };
const char* cps_member_text(const CpsWorld* world, int32_t member, char text[CPS_MEMBER_TEXT]);
const char* cps_obstacle_text(const CpsWorld* world, int32_t place, char text[CPS_MEMBER_TEXT]);
const char* cps_tie_text(const CpsWorld* world, int32_t tie, char text[CPS_MEMBER_TEXT]);
// A message about a member that blew up in a step; the same about the first that did, if any.
CpsStatus cps_step_unstable(const CpsStep* step, int32_t member);
CpsStatus cps_step_check(const CpsStep* step);
CpsStatus cps_step_runaway(const CpsStep* step);  // about energy that steps made, info.made
// energy.c
double cps_world_total_energy(CpsWorld* world, const CpsModelStep* step, CpsEnergy* energy);
void cps_world_close_books(CpsWorld* world);
// From nothing, J, once the step is accepted; 0 unless it grows and grows, or stays. Writes info.excess.
double cps_step_energy_made(CpsStep* step);
// What is there from nothing, J; whether an attempt has added much to it.
double cps_world_surplus(const CpsWorld* world);
bool cps_step_is_jerked(const CpsStep* step);

#endif
