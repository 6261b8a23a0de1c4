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
  void (*release)(CpsNodal* member);  // frees the memory of this kind
  double (*energy)(CpsNodal* member, CpsPool* pool,
                   const CpsVec3* x);  // J; infinite where the law does not admit a strain
  double (*gradient)(CpsNodal* member, CpsPool* pool, const CpsVec3* x,
                     CpsVec3* gradient);  // of the energy, which it returns
  void (*hessian)(CpsNodal* member, CpsPool* pool, const CpsVec3* x, CpsHessianKind kind, double scale,
                  double* value);  // added
  void (*damping)(CpsNodal* member, CpsPool* pool, const CpsVec3* x,
                  double* value);  // D of elements located at x, without the mass-proportional part; added
  // the same D times u, added, for elements laid out at x, where its matrix is not needed; NULL: only the matrix is available
  void (*lay)(CpsNodal* member, CpsPool* pool, const CpsVec3* x);
  void (*resist)(CpsNodal* member, CpsPool* pool, const CpsVec3* u, CpsVec3* force);
  // largest step along dx, in [0, 1], before an element is crushed
  double (*step_bound)(const CpsNodal* member, const CpsVec3* x, const CpsVec3* dx);
  // air forces at velocities v and minus their derivative with respect to them, added; NULL: no air
  void (*air)(CpsNodal* member, CpsPool* pool, const CpsVec3* x, const CpsVec3* v, CpsVec3* force, double* drag);
  // whether M~ may serve from step to step: not where contacts move over a smooth surface, which must be updated in each round
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
  bool late, caught;  // begins after the object was made; then `place` is where it caught its nodes
} CpsHeldNodes;

// nodal_late.c: state of pins that begin late
size_t cps_nodal_late_size(const CpsNodal* s);
char* cps_nodal_late_save(const CpsNodal* s, char* at);
const char* cps_nodal_late_load(CpsNodal* s, const char* at);

// A pull on a node in a step (world/pulls.c): F = force + stiffness (target - x - theta h v~) - damping (v~ - target').
typedef struct CpsNodePull {
  int32_t node;
  CpsVec3 force;
  double stiffness, damping;
  CpsVec3 target, target_velocity;  // theta h after the beginning of the step
  CpsVec3 rest;                     // current target
  CpsVec3 impulse;                  // of the step, N s; valid once advanced
} CpsNodePull;

// Origin of M~, from which it can be recomputed bitwise.
typedef struct CpsNodalMass {
  double h, theta;        // h: 0 if it cannot be recomputed
  CpsHessianKind kind;    // of the second derivatives
  CpsVec3 *end, *middle;  // positions of the nodes for these, and for the damping
  bool* held;             // nodes without an equation
} CpsNodalMass;

// Elastic energy and its gradient at given nodal positions.
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
  uint32_t generation;  // 0: slot never used
  int32_t nodes, vertex_count;
  int32_t triangle_count;   // of the surface
  const int32_t* node;      // of each vertex
  int32_t element_count;    // number of triangles of a sheet or tetrahedra of a solid
  int element_size;         // 3 or 4
  const int32_t* element;   // their vertices
  const double* node_mass;  // of each node, kg
  double total_mass;        // kg
  const CpsBlockPattern* pattern;
  double half;          // half thickness of its surface, m
  double size;          // radius of the spheres that make up its surface, m
  double grain;         // rounding error of its energy, J
  double mass_damping;  // 1/s
  bool there;
  bool damped, airy;                              // whether D has more than that; whether it has air drag
  bool gravity, touches, touches_itself, closed;  // closed: its triangles enclose a volume
  CpsSmooth smooth;                               // with its reach; if on, the facets have no contacts
  CpsVec3 *rest, *rest_middle;  // smooth with self-contact: nodes and middles of triangles without strain
  CpsMaterialId material;
  int32_t group;
  double mu, restitution;  // NaN: not set
  char* name;              // owned; NULL: none
  void* user;
  CpsTriangleTree* tree;  // NULL: no contact
  CpsGeom geom;           // of each node: a ball of the thickness of the surface
  int32_t hold_count, pull_count, skin_count;
  int32_t* skin;  // nodes of the surface, ascending
  CpsHeldNodes* holds;
  CpsNodePull* pulls;       // of the step; the population's
  CpsArena arena;           // owner of the following
  const int32_t* triangle;  // three nodes each, of the surface; in memory of the kind
  int64_t* around_start;    // of each node: start of its triangles in
  int32_t* around;
  CpsCholesky* factor;  // of M~
  CpsArena factor_arena;
  unsigned char* hand;  // of each node: CPS_NODE_…,
  CpsVec3* hand_place;  // its held position,
  double* hand_time;    // and the time from which on it is held
  // state
  CpsVec3 *x, *v;
  CpsNodalForces begun,
      latest;  // at the beginning of the step, and the last computed: functions of `at` alone
  // of the step
  bool* held;                   // whether a node is held,
  CpsVec3* way;                 // and its displacement then
  CpsVec3* before;              // v at the beginning
  CpsVec3* free;                // v*
  CpsVec3* trial;               // v at which M~ and v* were computed
  CpsVec3* end;                 // x at the end by trial; once advanced, the initial x
  CpsVec3* goal;                // v without damping and without the elastic forces of the end
  CpsVec3* slope;               // of the objective at trial, N s
  CpsVec3* impulse;             // of contacts, N s
  CpsVec3 *dv, *try;            // of a line search
  CpsVec3 *left, *back;         // the residual after v to first order; the trial before v
  CpsVec3* middle;              // x halfway through the step, where D is evaluated
  double *mass, *damp;          // M~ and D, blocks of the pattern
  bool lean, unformed;          // D is applied element by element; damp is not of this step
  double* drag;                 // the air part of D
  CpsVec3* blow;                // air force on nodes at rest, linearised around their velocities, N
  double* work;                 // 3 nodes
  double half_step;             // h / 2
  bool broken, stalled, windy;  // windy: the air moves
  bool handled;                 // the caller has held or released a node
  int factor_threads;           // for which the factor is laid out
  double last;                  // |d|_M of the previous round, 0 if there was none or it was cut short
  double mass_h;                // step of M~, 0: none
  double blur;                  // rounding error of the trial energy due to positions, J
  bool fresh, eager;            // M~ belongs to the trial; it is recomputed in each round
  int64_t version;              // of M~
  CpsNodalMass made;            // of M~,
  CpsNodalMass saved;           // and of the M~ of a loaded state, if different:
  bool due;                     // it must be recomputed before use
  bool quiet;                   // the step began with the M~ of the previous one
  bool worn;                    // M~ was renewed during the rounds of the step,
  bool serves;                  // or was not: it may serve the next step too
  int32_t rounds, patience;     // of the step so far; round at which the exact second derivatives are tried
  CpsModelEnergy work_done;     // of the last step
};

typedef struct CpsNodals {
  CpsModel model;
  CpsModelType table;  // that of nodal.c with its own name and kind
  size_t member_size;  // of the struct that begins with a CpsNodal
  int32_t capacity;
  CpsNodal** member;  // addresses are stable
  // of the step: pulls, sorted by member
  int32_t pull_count, pull_capacity;
  CpsNodePull* pulls;
} CpsNodals;

// A population; NULL if memory runs out.
CpsNodals* cps_nodals_create(CpsThingKind kind, const char* name, size_t member_size);
// The first empty place, with a zeroed member; -1 if memory runs out. The member exists once it is settled.
int32_t cps_nodals_place(CpsNodals* nodals);
// Takes the data set by the kind (nodes, pattern, masses, touches, half …) and the triangles of the surface, and makes the rest:
// memory, factor, tree. `from`: initial nodal positions.
CpsStatus cps_nodal_finish(CpsNodal* s, const CpsVec3* from, CpsVec3 velocity, const int32_t* triangles,
                           int32_t triangle_count, CpsError* error);
void cps_nodals_settle(CpsNodals* nodals, int32_t place);  // it exists from now on
void cps_nodals_remove(CpsNodals* nodals, int32_t place);  // finished or not

void cps_nodal_mass_copy(CpsNodalMass* to, const CpsNodalMass* from, int32_t nodes);

// nodal_place.c: lists the triangles around each node, false if memory runs out; part and place of a spot
bool cps_nodal_list_triangles(CpsNodal* s);
void cps_nodal_locate(const CpsNodal* s, const CpsSpot* spot, CpsSide* side);

// Lays out the factor of M~ for the threads of a pool; false if memory runs out.
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
// nodal_anchor.c: tied points, as in model.h
CpsVec3 cps_nodals_anchor(const CpsModel* model, int32_t body, const CpsAnchor* at, CpsSpot* spot, CpsPatchNode* nodes);
CpsStatus cps_nodals_check_anchor(const CpsModel* model, int32_t body, const CpsAnchor* at, CpsError* error);
bool cps_nodals_is_pinned(const CpsModel* model, int32_t body, const CpsAnchor* at, double time);
CpsStatus cps_nodals_turning(const CpsModel* model, int32_t body, CpsAnchor* at, double* length, CpsError* error);
void cps_nodals_along(const CpsModel* model, int32_t body, const CpsAnchor* at, CpsVec3 direction, CpsAnchor* more);
CpsStatus cps_nodals_nearest(const CpsModel* model, int32_t body, CpsVec3 x, CpsAnchor* at, CpsError* error);
// nodal_pull.c: contributions of pulls to the objective of velocities v, to its slope, and to M~; the current energy of a spring; the works
// of a step, given the displacement of each node
double cps_nodal_pull_objective(const CpsNodal* s, const CpsModelStep* step, const CpsVec3* v);
void cps_nodal_pull_slope(const CpsNodal* s, const CpsModelStep* step, const CpsVec3* v, CpsVec3* slope);
void cps_nodal_pull_mass(const CpsNodal* s, const CpsModelStep* step, double* mass);
double cps_nodal_pull_stored(const CpsNodal* s, const CpsNodePull* pull);
void cps_nodal_pull_advance(CpsNodal* s, const CpsModelStep* step, CpsModelEnergy* work);

// nodal_newton.c: v* and M~ around the initial velocities; then as in model.h; the works of the step
// Energy and gradient at x, computed only if unknown: they are kept for the beginning of the step and for the last call.
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
