// Common part of sheets and solids: nodes with elasticity between them. A member of such a population begins with a
// CpsNodal; its elasticity is a function table. See nodal.c; the time step is in nodal_newton.c.
#ifndef CAPSTAN_MODEL_NODAL_H
#define CAPSTAN_MODEL_NODAL_H

#include "capstan/sheet.h"
#include "model/model.h"
#include "model/pattern.h"
#include "sparse/cholesky.h"

typedef struct CpsNodal CpsNodal;

// x: a position of each node; value: blocks of the pattern; pool: threads to use, NULL: none.
typedef struct CpsNodalType {
  void (*release)(CpsNodal* member);  // frees what only this kind has
  double (*energy)(CpsNodal* member, CpsPool* pool,
                   const CpsVec3* x);  // J; infinite where the law does not allow a strain
  double (*gradient)(CpsNodal* member, CpsPool* pool, const CpsVec3* x,
                     CpsVec3* gradient);  // of the energy, which it returns
  void (*hessian)(CpsNodal* member, CpsPool* pool, const CpsVec3* x, CpsHessianKind kind, double scale,
                  double* value);  // added
  void (*damping)(CpsNodal* member, CpsPool* pool, const CpsVec3* x,
                  double* value);  // D of elements that lie at x, without the part of the mass; added
  // the same D times u, added, for elements that were laid at x: where its matrix is not wanted; NULL: there is only the matrix
  void (*lay)(CpsNodal* member, CpsPool* pool, const CpsVec3* x);
  void (*resist)(CpsNodal* member, CpsPool* pool, const CpsVec3* u, CpsVec3* force);
  // how far x may go along dx, in [0, 1], until an element is crushed
  double (*step_bound)(const CpsNodal* member, const CpsVec3* x, const CpsVec3* dx);
  // forces of the air at velocities v and minus their derivative by them, added; NULL: there is no air
  void (*air)(CpsNodal* member, CpsPool* pool, const CpsVec3* x, const CpsVec3* v, CpsVec3* force, double* drag);
  // whether M~ may serve from step to step: not where contacts move over a smooth surface, which needs each round
  bool lasting;
} CpsNodalType;

// Nodes that are held together (things/nodal_pins.c). The arrays of the motion are owned.
typedef struct CpsHeldNodes {
  int32_t count;
  int32_t* node;
  CpsVec3* place;  // at t = 0; on an obstacle: in its frame
  CpsObstacleId obstacle;
  CpsMotion motion;
  double from, until;
  bool late, caught;  // begins after the object was made; then `place` is where it has caught its nodes
} CpsHeldNodes;

// nodal_late.c: of those that begin late, in the state
size_t cps_nodal_late_size(const CpsNodal* s);
char* cps_nodal_late_save(const CpsNodal* s, char* at);
const char* cps_nodal_late_load(CpsNodal* s, const char* at);

// A pull on a node in a step (world/pulls.c): F = force + stiffness (target - x - theta h v~) - damping (v~ - target').
typedef struct CpsNodePull {
  int32_t node;
  CpsVec3 force;
  double stiffness, damping;
  CpsVec3 target, target_velocity;  // theta h after the beginning of the step
  CpsVec3 rest;                     // where the target is now
  CpsVec3 impulse;                  // of the step, N s; once advanced
} CpsNodePull;

// What M~ was made of: with these it can be made again, to the last bit.
typedef struct CpsNodalMass {
  double h, theta;        // h: 0 if it cannot
  CpsHessianKind kind;    // of the second derivatives
  CpsVec3 *end, *middle;  // places of the nodes for these, and for the damping
  bool* held;             // nodes without an equation
} CpsNodalMass;

// Elastic energy and its gradient at places of the nodes.
typedef struct CpsNodalForces {
  bool there;
  double energy;  // J
  CpsVec3 *at, *gradient;
} CpsNodalForces;

// Whether the caller holds a node (things/nodal_hold.c).
enum { CPS_NODE_AS_PINNED = 0, CPS_NODE_HELD = 1, CPS_NODE_RELEASED = 2 };

struct CpsNodal {
  // fixed
  const CpsNodalType* type;
  uint32_t generation;  // 0: this place was never used
  int32_t nodes, vertex_count;
  int32_t triangle_count;   // of the surface
  const int32_t* node;      // of each vertex
  int32_t element_count;    // triangles of a sheet, tetrahedra of a solid:
  int element_size;         // 3 or 4
  const int32_t* element;   // vertices each
  const double* node_mass;  // of each node, kg
  double total_mass;        // kg
  const CpsBlockPattern* pattern;
  double half;          // of the thickness of its surface, m
  double size;          // of the smallest sphere in it, m
  double grain;         // what its energy loses in rounding, J
  double mass_damping;  // 1/s
  bool there;
  bool damped, airy;                              // whether D has more than that; whether air resists
  bool gravity, touches, touches_itself, closed;  // closed: its triangles have an inside
  CpsSmooth smooth;                               // its reach is known; on: the facets touch nothing
  CpsVec3 *rest, *rest_middle;  // smooth and touches itself: nodes and middles of triangles without strain
  CpsMaterialId material;
  int32_t group;
  double mu, restitution;  // NaN: not said
  char* name;              // owned; NULL: none
  void* user;
  CpsTriangleTree* tree;  // NULL: it touches nothing
  CpsGeom geom;           // of each node: a ball as thick as the surface
  int32_t hold_count, pull_count, skin_count;
  int32_t* skin;  // nodes of the surface, ascending
  CpsHeldNodes* holds;
  CpsNodePull* pulls;       // of the step; the population's
  CpsArena arena;           // owns what follows
  const int32_t* triangle;  // three nodes each, of the surface; of the kind's memory
  int64_t* around_start;    // of each node: where its triangles begin in
  int32_t* around;
  CpsCholesky* factor;  // of M~
  CpsArena factor_arena;
  unsigned char* hand;  // of each node: CPS_NODE_…,
  CpsVec3* hand_place;  // and where it is held
  double* hand_time;    // from this time on
  // state
  CpsVec3 *x, *v;
  CpsNodalForces begun,
      latest;  // of the beginning of the step, and the last that were computed: functions of `at` alone
  // of the step
  bool* held;                   // whether a node is held,
  CpsVec3* way;                 // and how far it goes then
  CpsVec3* before;              // v at the beginning
  CpsVec3* free;                // v*
  CpsVec3* trial;               // v around which M~ and v* were found
  CpsVec3* end;                 // x at the end by trial; once advanced, x at the beginning
  CpsVec3* goal;                // v without elastic forces at the end and damping
  CpsVec3* slope;               // of the objective at trial, N s
  CpsVec3* impulse;             // of contacts, N s
  CpsVec3 *dv, *try;            // of a line search
  CpsVec3 *left, *back;         // the remainder after v to first order; the trial before v
  CpsVec3* middle;              // x halfway through the step, where D is
  double *mass, *damp;          // M~ and D, blocks of the pattern
  bool lean, unformed;          // D is multiplied element by element; damp is not of this step
  double* drag;                 // the part of D that is the air's
  CpsVec3* blow;                // force of the air on nodes that stand still, to first order around their velocities, N
  double* work;                 // 3 nodes
  double half_step;             // h / 2
  bool broken, stalled, windy;  // windy: the air moves
  bool handled;                 // the caller holds or released some node
  int factor_threads;           // that the factor is laid out for
  double last;                  // |d|_M of the round before, 0 if there was none or it was cut short
  double mass_h;                // step that M~ was found for, 0: none
  double blur;                  // what the energy at the trial loses in the rounding of positions, J
  bool fresh, eager;            // M~ is of the trial; it is recomputed in each round
  int64_t version;              // of M~
  CpsNodalMass made;            // of M~,
  CpsNodalMass saved;           // and of that of a state that was loaded, if it is another:
  bool due;                     // it is made again when it is wanted
  bool quiet;                   // the step began with the M~ of the last one
  bool worn;                    // M~ was renewed in the rounds of the step,
  bool serves;                  // or was not: it may serve the next one too
  int32_t rounds, patience;     // of the step so far; when the exact second derivatives are tried
  CpsModelEnergy work_done;     // of the last step
};

typedef struct CpsNodals {
  CpsModel model;
  CpsModelType table;  // that of nodal.c with its own name and kind
  size_t member_size;  // of the struct that begins with a CpsNodal
  int32_t capacity;
  CpsNodal** member;  // stay where they are
  // of the step: pulls, by member
  int32_t pull_count, pull_capacity;
  CpsNodePull* pulls;
} CpsNodals;

// A population; NULL if memory runs out.
CpsNodals* cps_nodals_create(CpsThingKind kind, const char* name, size_t member_size);
// The first empty place, with a zeroed member; -1 if memory runs out. It is there once it is finished.
int32_t cps_nodals_place(CpsNodals* nodals);
// Takes what the kind has set (nodes, pattern, masses, touches, half …) and the triangles of the surface, and makes the rest:
// memory, factor, tree. `from`: where the nodes are.
CpsStatus cps_nodal_finish(CpsNodal* s, const CpsVec3* from, CpsVec3 velocity, const int32_t* triangles,
                           int32_t triangle_count, CpsError* error);
void cps_nodals_settle(CpsNodals* nodals, int32_t place);  // it is there from now on
void cps_nodals_remove(CpsNodals* nodals, int32_t place);  // finished or not

void cps_nodal_mass_copy(CpsNodalMass* to, const CpsNodalMass* from, int32_t nodes);

// nodal_place.c: lists the triangles around each node, false if memory runs out; part and place of a spot
bool cps_nodal_list_triangles(CpsNodal* s);
void cps_nodal_locate(const CpsNodal* s, const CpsSpot* spot, CpsSide* side);

// Lays the factor of M~ out for the threads of a pool; false if memory runs out.
bool cps_nodal_analyse(CpsNodal* s, CpsPool* pool);
// nodal_pulls.c: functions of model.h
CpsStatus cps_nodals_check_pull(const CpsModel* model, int32_t body, CpsAnchor* at, CpsError* error);
bool cps_nodals_reserve_pulls(CpsModel* model, int32_t count);
void cps_nodals_let_go(CpsModel* model);
int32_t cps_nodals_pull(CpsModel* model, const CpsModelStep* step, int32_t body, const CpsPullTerm* term);
double cps_nodals_pull_stored(const CpsModel* model, int32_t body, int32_t pull);
void cps_nodals_pull_rest(CpsModel* model, int32_t pull, CpsVec3 rest);
CpsVec3 cps_nodals_pull_force(const CpsModel* model, const CpsModelStep* step, int32_t body, int32_t pull,
                              CpsModelEnergy* work);
// nodal_anchor.c: points that are tied, as in model.h
CpsVec3 cps_nodals_anchor(const CpsModel* model, int32_t body, const CpsAnchor* at, CpsSpot* spot, CpsPatchNode* nodes);
CpsStatus cps_nodals_check_anchor(const CpsModel* model, int32_t body, const CpsAnchor* at, CpsError* error);
bool cps_nodals_is_pinned(const CpsModel* model, int32_t body, const CpsAnchor* at, double time);
CpsStatus cps_nodals_turning(const CpsModel* model, int32_t body, CpsAnchor* at, double* length, CpsError* error);
void cps_nodals_along(const CpsModel* model, int32_t body, const CpsAnchor* at, CpsVec3 direction, CpsAnchor* more);
CpsStatus cps_nodals_nearest(const CpsModel* model, int32_t body, CpsVec3 x, CpsAnchor* at, CpsError* error);
// nodal_pull.c: what pulls add to the objective of velocities v, to its slope, and to M~; what a spring stores now; the works of
// a step, given the way of each node
double cps_nodal_pull_objective(const CpsNodal* s, const CpsModelStep* step, const CpsVec3* v);
void cps_nodal_pull_slope(const CpsNodal* s, const CpsModelStep* step, const CpsVec3* v, CpsVec3* slope);
void cps_nodal_pull_mass(const CpsNodal* s, const CpsModelStep* step, double* mass);
double cps_nodal_pull_stored(const CpsNodal* s, const CpsNodePull* pull);
void cps_nodal_pull_advance(CpsNodal* s, const CpsModelStep* step, CpsModelEnergy* work);

// nodal_newton.c: v* and M~ around the velocities of the beginning; then as in model.h; the works of the step
// Energy and gradient at x, computed only where they are not known: at the places of the beginning of the step or of the last call.
const CpsNodalForces* cps_nodal_forces(CpsNodal* s, CpsPool* pool, const CpsVec3* x);
void cps_nodal_begin(CpsNodal* s, const CpsModelStep* step);
bool cps_nodal_attempt(CpsNodal* s, const CpsModelStep* step, const double* dv, const double* impulse);
void cps_nodal_fly(CpsNodal* s, const CpsModelStep* step);
// nodal_split.c: as in model.h
void cps_nodal_push(CpsNodal* s, CpsPool* pool, const double* impulse);
void cps_nodal_lump(CpsNodal* s, CpsPool* pool, const double* impulse);
void cps_nodal_take(CpsNodal* s, const double* dv, const double* impulse);
void cps_nodal_advance(CpsNodal* s, const CpsModelStep* step);

#endif
