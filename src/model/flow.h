// Dense granular flow in a fixed domain. flow_mesh.c has the elements, flow_force.c the forces on their nodes, flow.c the model.
#ifndef CAPSTAN_MODEL_FLOW_H
#define CAPSTAN_MODEL_FLOW_H

#include "capstan/flow.h"
#include "model/grain_tensor.h"
#include "model/model.h"
#include "sparse/cholesky.h"

enum { CPS_FLOW_SIDES = 6 };
// Per element in space: nodes, equally many Gauss points, corners; maximum number of nodes of a stress.
enum { CPS_FLOW_NODES = 27, CPS_FLOW_CORNERS = 8, CPS_FLOW_SEEN = 125 };

// The stress of a vertex.
typedef struct CpsFlowStress {
  double S;          // integral of its hat function over the grains, m^2 in the plane, m^3 in space
  double lambda[6];  // chi^-1 of minus the stress of friction and cohesion, Pa
  double eta;        // viscosity due to rate-dependent friction, from the last step, Pa s
  uint8_t status;    // CpsContactStatus
} CpsFlowStress;

// At a Gauss point of an element: its weight, m^2 or m^3, the gradients of the nodes, and the hat functions of the vertices.
typedef struct CpsFlowPlace {
  double weight;
  CpsVec3 gradient[CPS_FLOW_NODES];
  double hat[CPS_FLOW_CORNERS];
} CpsFlowPlace;

// A border of the domain as nodes: those with index `at` along the axis.
typedef struct CpsFlowFace {
  int axis;
  int32_t at;
  int across[2];    // the other two axes, the one with contiguous nodes first
  CpsVec3 inwards;  // unit
} CpsFlowFace;

typedef struct CpsFlow {
  CpsModel model;
  CpsModelType table;
  CpsArena arena, factor_arena;
  CpsFlowDef def;
  char* name;
  int dim, rows;  // 2 and 3 in the plane, 3 and 6 in space
  // along x, y, z; in the plane one of each along y
  double edge[3];  // of an element, m
  int32_t cells[3], node_count[3], vertex_count[3];
  int32_t elements, nodes, vertices;
  int own_nodes, own_corners, seen_most;  // of an element, also its Gauss points; maximum number of nodes of a vertex
  CpsFlowPlace place[CPS_FLOW_NODES];     // the same in every element
  bool* filled;                           // of each element: it contains grains
  double* mass;                           // of each node, kg
  bool *held, *fixed[3];                  // nodes of prescribed velocity; components fixed at zero
  CpsVec3* given;                         // velocities of held nodes
  // a vertex acts on nodes by the integral of its hat function times the gradient of theirs, m or m^2
  int64_t* seen_start;  // vertices + 1
  int32_t* seen;
  CpsVec3* gradient;
  CpsFlowStress* stress;
  int32_t stress_count;  // vertices with a stress: they have grains and a moving node
  int32_t* stress_vertex;
  // M~, lower triangle; the diagonal alone without viscosity
  int64_t* M_start;
  int32_t* M_column;
  double *M_value, *work;
  CpsCholesky* factor;  // NULL: M~ is diagonal
  double factored_h;    // step of the factor; 0: none
  int64_t version;
  // state, and the step
  CpsVec3 *v, *before, *free, *after, *force;  // force: on nodes, without stresses and viscosity, N
  CpsVec3* scratch;                            // two entries per node
  bool broken;
} CpsFlow;

CpsFlow* cps_flow_create(void);
CpsStatus cps_flow_check(const CpsFlowDef* def, CpsError* error);
// Makes the empty model the flow of a validated definition.
CpsStatus cps_flow_build(CpsFlow* flow, const CpsFlowDef* def, CpsError* error);

// flow_mesh.c
int32_t cps_flow_node(const CpsFlow* flow, int32_t element, int k);    // k < own_nodes: x first, z last
int32_t cps_flow_vertex(const CpsFlow* flow, int32_t element, int k);  // k < own_corners
CpsVec3 cps_flow_node_place(const CpsFlow* flow, int32_t node);
CpsVec3 cps_flow_vertex_place(const CpsFlow* flow, int32_t vertex);
int32_t cps_flow_vertex_node(const CpsFlow* flow, int32_t vertex);
// A border (CpsFlowSide, then front and back) and one of its nodes, i and k along the two axes; false: the domain has no such border.
const CpsFlowBorder* cps_flow_border(const CpsFlowDef* def, int side);
bool cps_flow_face(const CpsFlow* flow, int side, CpsFlowFace* face);
int32_t cps_flow_face_node(const CpsFlow* flow, const CpsFlowFace* face, int32_t i, int32_t k);
bool cps_flow_in_disc(const CpsFlow* flow, CpsVec3 x);
bool cps_flow_lay(CpsFlow* flow);  // all constant data; false if memory runs out

// flow_force.c: the first number of a vector whose tensor has the pressure p
double cps_flow_first(const CpsFlow* flow, double p);
// M~ and the velocities without stresses; false if the factorisation fails
bool cps_flow_predict(CpsFlow* flow, const CpsModelStep* step);
// Strain rate around a vertex: chi^-1 of its mean, with as many components as a stress.
void cps_flow_rate(const CpsFlow* flow, int32_t vertex, const CpsVec3* v, double* rate);
double cps_flow_shear(const CpsFlow* flow, const double* rate);  // 2 |Dev D|, 1/s
// Viscosity equivalent to mu(I) at the velocities of the last step.
void cps_flow_thicken(CpsFlow* flow);
// K v, the viscous forces of velocities, N
void cps_flow_viscous(const CpsFlow* flow, const CpsVec3* v, CpsVec3* out);
// Adds the impulse of stresses to the nodes, A^T r, their pressure raised by `more`.
void cps_flow_push(const CpsFlow* flow, double h, double more, CpsVec3* out);

// flow_state.c: functions of model.h
void cps_flow_fill_table(CpsModelType* table);
// Force of grains on the disc, N
CpsVec3 cps_flow_disc_force(const CpsFlow* flow, CpsVec3* work);

#endif
