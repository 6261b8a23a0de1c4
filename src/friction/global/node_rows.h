// Rows of a problem whose nodes have one mass each, packed for sweeps (node_rows.c).
#ifndef CAPSTAN_FRICTION_GLOBAL_NODE_ROWS_H
#define CAPSTAN_FRICTION_GLOBAL_NODE_ROWS_H

#include "friction/global/method.h"

// Shape of the friction limit: the disc, or a box along the axes, around or inside it.
typedef enum CpsNodeFacets { CPS_NODE_NO_FACETS, CPS_NODE_OUTER, CPS_NODE_INNER } CpsNodeFacets;

typedef struct CpsNodeRows {
  const CpsProblem* problem;
  int32_t* contact;    // in sweep order
  bool* is_tensor;     // by contact: three numbers per term
  int64_t* row_start;  // by contact: first value in
  double* row;         // A / sqrt(m), or g / sqrt(m) of a tensor
  double* step;        // w of (3), by contact
  CpsNodeFacets facets;
  // runs of contacts in sweep order; runs of one colour share no node and no body
  int32_t run_count, colour_count;
  int32_t *colour_start, *run;
  // velocities: four numbers per node, sqrt(m) v and a zero; then the bodies
  double* v;
  int64_t v_count;
} CpsNodeRows;

enum { CPS_NODE_RUN = 128 };  // contacts per run

// Whether only contacts couple the nodes of the large members.
bool cps_node_rows_fit(const CpsProblem* problem);
// Packs the rows and computes v from r. False if memory runs out.
bool cps_node_rows_create(CpsSolve* solve, const double* r, CpsNodeRows* rows);
// Recomputes v from r, on the threads of the pool.
void cps_node_rows_refresh(CpsNodeRows* rows, CpsPool* pool, const double* r);
// u = W r + b of all contacts from v.
void cps_node_rows_velocities(CpsNodeRows* rows, CpsPool* pool, double* u);
// One sweep with (3), with w multiplied by `omega`.
void cps_node_rows_sweep(CpsNodeRows* rows, CpsPool* pool, double omega, double* r);

#endif
