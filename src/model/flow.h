// Dense flow of grains in a fixed domain. flow_mesh.c has the elements, flow_force.c what acts on their nodes, flow.c the model.
#ifndef CAPSTAN_MODEL_FLOW_H
#define CAPSTAN_MODEL_FLOW_H

#include "capstan/flow.h"
#include "model/grain_tensor.h"
#include "model/model.h"
#include "sparse/cholesky.h"

enum { CPS_FLOW_NODES = 9, CPS_FLOW_GAUSS = 9, CPS_FLOW_SEEN = 25 };  // of an element; nodes that a stress sees

// The stress of a vertex.
typedef struct CpsFlowStress {
  double S;          // integral of its hat function where grains are, m^2
  double lambda[3];  // chi^-1 of minus the stress of friction and cohesion, Pa
  double eta;        // viscosity that stands for friction which grows with the shear rate, from the last step, Pa s
  uint8_t status;    // CpsContactStatus
} CpsFlowStress;

typedef struct CpsFlow {
  CpsModel model;
  CpsModelType table;
  CpsArena arena, factor_arena;
  CpsFlowDef def;
  char* name;
  double dx, dz;               // edges of an element
  int32_t node_x, node_z;      // nodes along x and z
  int32_t vertex_x, vertex_z;  // vertices
  int32_t nodes, vertices;
  bool* filled;                    // of each element: grains are there
  double* mass;                    // of each node, kg
  bool *held, *fixed_x, *fixed_z;  // nodes whose velocity is given; components that are zero
  CpsVec3* given;                  // velocities of nodes that are held
  // a vertex sees nodes by the integral of its hat function times the gradient of theirs, m
  int64_t* seen_start;  // vertices + 1
  int32_t* seen;
  CpsVec3* gradient;
  CpsFlowStress* stress;
  int32_t stress_count;  // vertices with a stress: grains are there, and a node that moves
  int32_t* stress_vertex;
  // M~, lower triangle; the diagonal alone without viscosity
  int64_t* M_start;
  int32_t* M_column;
  double *M_value, *work;
  CpsCholesky* factor;  // NULL: M~ is diagonal
  double factored_h;    // for which step; 0: none
  int64_t version;
  // state, and the step
  CpsVec3 *v, *before, *free, *after, *force;  // force: what acts on nodes but stresses and viscosity, N
  CpsVec3* scratch;                            // twice the nodes
  bool broken;
} CpsFlow;

CpsFlow* cps_flow_create(void);
CpsStatus cps_flow_check(const CpsFlowDef* def, CpsError* error);
// Makes the empty model the flow of a definition that was checked.
CpsStatus cps_flow_build(CpsFlow* flow, const CpsFlowDef* def, CpsError* error);

// flow_mesh.c
int32_t cps_flow_node(const CpsFlow* flow, int32_t element, int k);    // k: 0 to 8, row by row
int32_t cps_flow_vertex(const CpsFlow* flow, int32_t element, int k);  // k: 0 to 3
CpsVec3 cps_flow_node_place(const CpsFlow* flow, int32_t node);
CpsVec3 cps_flow_vertex_place(const CpsFlow* flow, int32_t vertex);
int32_t cps_flow_vertex_node(const CpsFlow* flow, int32_t vertex);
// At a Gauss point of an element: its weight, m^2, the gradients of the nodes, and the hat functions of the vertices.
typedef struct CpsFlowPlace {
  double weight;
  CpsVec3 gradient[CPS_FLOW_NODES];
  double hat[4];
} CpsFlowPlace;
void cps_flow_place(const CpsFlow* flow, int q, CpsFlowPlace* place);
bool cps_flow_lay(CpsFlow* flow);  // everything that does not change; false if memory runs out

// flow_force.c: M~ and the velocities without stresses; false if it cannot be factored
bool cps_flow_predict(CpsFlow* flow, const CpsModelStep* step);
// The rate of deformation around a vertex: chi^-1 of its mean.
void cps_flow_rate(const CpsFlow* flow, int32_t vertex, const CpsVec3* v, double rate[3]);
// The viscosity that stands for mu(I) of the velocities of the last step.
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
