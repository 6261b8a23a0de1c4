// Rows of a problem over nodes of one mass each, packed for sweeps (node_rows.c).
#ifndef CAPSTAN_FRICTION_GLOBAL_NODE_ROWS_H
#define CAPSTAN_FRICTION_GLOBAL_NODE_ROWS_H

#include "friction/global/method.h"

// What stands for the disc of friction: itself, or a box along the axes, around it or inside it.
typedef enum CpsNodeFacets { CPS_NODE_NO_FACETS, CPS_NODE_OUTER, CPS_NODE_INNER } CpsNodeFacets;

typedef struct CpsNodeRows {
  const CpsProblem* problem;
  int32_t* contact;    // in the order of the sweep
  bool* is_tensor;     // three numbers a term, by contact
  int64_t* row_start;  // by contact: first value in
  double* row;         // A / sqrt(m), or g / sqrt(m) of a tensor
  double* step;        // w of (3), by contact
  CpsNodeFacets facets;
  // runs of contacts in the order of the sweep that share no node and no body have one colour
  int32_t run_count, colour_count;
  int32_t *colour_start, *run;
  // velocities: four numbers a node, sqrt(m) v and a zero; then the bodies
  double* v;
  int64_t v_count;
} CpsNodeRows;

enum { CPS_NODE_RUN = 128 };  // contacts of a run

// Whether the large members of a problem are nodes that only contacts couple.
bool cps_node_rows_fit(const CpsProblem* problem);
// Packs the rows and makes v of r. False if memory runs out.
bool cps_node_rows_create(CpsSolve* solve, const double* r, CpsNodeRows* rows);
// Recomputes v from r, on the threads of the pool.
void cps_node_rows_refresh(CpsNodeRows* rows, CpsPool* pool, const double* r);
// u = W r + b of all contacts from v.
void cps_node_rows_velocities(CpsNodeRows* rows, CpsPool* pool, double* u);
// One sweep with (3), w taken `omega` times.
void cps_node_rows_sweep(CpsNodeRows* rows, CpsPool* pool, double omega, double* r);

#endif
