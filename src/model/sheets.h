// Sheets: the population of elastic surfaces that the world sees. See sheets.c; sheet_newton.c has their step.
#ifndef CAPSTAN_MODEL_SHEETS_H
#define CAPSTAN_MODEL_SHEETS_H

#include "core/pool.h"
#include "model/model.h"
#include "model/sheet_drag.h"
#include "model/sheet_elastic.h"
#include "sparse/cholesky.h"

// Nodes that are held together (world/sheet_pins.c). The arrays of the motion are owned.
typedef struct CpsHeldNodes {
  int32_t count;
  int32_t* node;
  CpsVec3* place;  // at t = 0; on an obstacle: in its frame
  CpsObstacleId obstacle;
  CpsMotion motion;
  double from, until;
} CpsHeldNodes;

// A pull on a node in a step (world/pulls.c): F = force + stiffness (target - x - theta h v~) - damping (v~ - target').
typedef struct CpsNodePull {
  int32_t node;
  CpsVec3 force;
  double stiffness, damping;
  CpsVec3 target, target_velocity;  // theta h after the beginning of the step
  CpsVec3 rest;                     // where the target is now
  CpsVec3 impulse;                  // of the step, N s; once advanced
} CpsNodePull;

// Whether the caller holds a node (world/sheet_hold.c).
enum { CPS_NODE_AS_PINNED = 0, CPS_NODE_HELD = 1, CPS_NODE_RELEASED = 2 };

typedef struct CpsSheet {
  // fixed
  uint32_t generation;  // 0: this place was never used
  bool there;
  CpsSheetElastic* elastic;
  int32_t nodes;
  double thickness, damping[3];  // of membrane, of bending, of mass
  bool gravity, touches, touches_itself;
  CpsSheetAir air;  // with the wind of the step
  CpsVec3 wind;
  CpsCurve wind_curve;  // its arrays are owned
  CpsMaterialId material;
  double mu, restitution;  // NaN: not said
  int32_t group;
  char* name;  // owned; NULL: none
  void* user;
  CpsTriangleTree* tree;  // NULL: it touches nothing
  CpsGeom geom;           // of each node: a ball as thick as the sheet
  int32_t hold_count;
  CpsHeldNodes* holds;
  bool handled;  // the caller holds or released some node
  int32_t pull_count;
  CpsNodePull* pulls;     // of the step; the world's
  CpsArena arena;         // owns what follows
  unsigned char* hand;    // of each node: CPS_NODE_…,
  CpsVec3* hand_place;    // and where it is held
  double* hand_time;      // from this time on
  int32_t* triangles;     // three vertices each, as given
  int64_t* around_start;  // of each node: where its triangles begin in
  int32_t* around;
  CpsCholesky* factor;  // of M~
  CpsArena factor_arena;
  int factor_threads;  // that it is laid out for
  // state
  CpsVec3 *x, *v;
  // of the step
  bool* held;           // whether a node is held,
  CpsVec3* way;         // and how far it goes then
  CpsVec3* before;      // v at the beginning
  CpsVec3* free;        // v*
  CpsVec3* trial;       // v around which M~ and v* were found
  CpsVec3* end;         // x at the end by trial; once advanced, x at the beginning
  CpsVec3* goal;        // v without elastic forces at the end and damping
  CpsVec3* slope;       // of the objective at trial, N s
  CpsVec3* impulse;     // of contacts, N s
  CpsVec3 *dv, *try;    // of a line search
  double *mass, *damp;  // M~ and D, blocks of the pattern
  double* drag;         // the part of D that is the air's
  CpsVec3* blow;        // force of the air on nodes that stand still, to first order around their velocities, N
  double* work;         // 3 nodes
  bool broken, stalled;
  double last;               // |d|_M of the round before, 0 if there was none or it was cut short
  int32_t rounds, patience;  // of the step so far; when the exact second derivatives are tried
  CpsModelEnergy work_done;  // of the last step
} CpsSheet;

typedef struct CpsSheets {
  CpsModel model;
  int32_t capacity, there_count;
  CpsSheet* sheets;
} CpsSheets;

CpsSheets* cps_sheets_create(void);  // NULL if memory is short
// Makes a sheet from a checked definition in the first empty place; what holds it is the world's to add.
CpsStatus cps_sheets_add(CpsSheets* sheets, const CpsSheetDef* def, int32_t* place, CpsError* error);
void cps_sheets_remove(CpsSheets* sheets, int32_t place);

// sheet_place.c: lists the triangles around each node, false if memory is short; part and place of a spot
bool cps_sheet_list_triangles(CpsSheet* s);
void cps_sheet_locate(const CpsSheet* s, const CpsSpot* spot, CpsSide* side);

// sheet_newton.c: v* and M~ around the velocities of the beginning; then as in model.h; the works of the step
// Lays the factor of M~ out for the threads of a pool; false if memory is short.
bool cps_sheet_analyse(CpsSheet* s, CpsPool* pool);
void cps_sheet_begin(CpsSheet* s, const CpsModelStep* step);
bool cps_sheet_attempt(CpsSheet* s, const CpsModelStep* step, const double* dv, const double* impulse);
void cps_sheet_fly(CpsSheet* s, const CpsModelStep* step);
void cps_sheet_advance(CpsSheet* s, const CpsModelStep* step);

// sheet_pull.c: what pulls add to the objective of velocities v, to its slope, and to M~; what a spring stores now; the works of
// a step, given the way of each node
double cps_sheet_pull_objective(const CpsSheet* s, const CpsModelStep* step, const CpsVec3* v);
void cps_sheet_pull_slope(const CpsSheet* s, const CpsModelStep* step, const CpsVec3* v, CpsVec3* slope);
void cps_sheet_pull_mass(const CpsSheet* s, const CpsModelStep* step, double* mass);
double cps_sheet_pull_stored(const CpsSheet* s, const CpsNodePull* pull);
void cps_sheet_pull_advance(CpsSheet* s, const CpsModelStep* step, CpsModelEnergy* work);

#endif
