// A sheet of springs draped over a sphere, as a problem with large members: what the solvers without W are measured on.
#ifndef CAPSTAN_BENCH_DEFORM_DRAPED_H
#define CAPSTAN_BENCH_DEFORM_DRAPED_H

#include "capstan/capstan.h"

typedef struct Draped {
  int32_t side;      // nodes along a side of the square sheet
  double contacts;   // part of the nodes that touch, about
  double stiffness;  // of an edge times the square of the time step, over the mass of a node
  double bending;    // the same of the springs across two edges
  double mu;
  int32_t per_node;  // contacts at each node that touches: from 2 on they are redundant
} Draped;

// Makes the problem; NULL with a sentence on stderr if that fails.
CpsProblem* draped_problem(const Draped* draped);

#endif
