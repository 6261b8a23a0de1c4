// Internals of the supernodal Cholesky factor, shared by its files.
//
// A supernode owns `nodes` consecutive pivots and has a border: the later nodes reached by its columns of L. Its front is
// the dense lower triangle over pivots and border. Dense matrices are stored in strips of four rows, column after column,
// four numbers each. Kernels thus read and write whole vectors in memory order without packing. Pivot rows are padded to
// whole strips by rows of the identity, border rows by rows of zeros.
//
//   panel, P + B rows, P columns:      entry (i, j) at (i / 4) 4 P + 4 j + i % 4                            (1)
//   update, B x B lower triangle:      entry (i, j) at 8 s (s + 1) + 4 j + i % 4,  s = i / 4                (2)
#ifndef CAPSTAN_SPARSE_CHOLESKY_PARTS_H
#define CAPSTAN_SPARSE_CHOLESKY_PARTS_H

#include "sparse/cholesky.h"

typedef struct CpsSupernode {
  int32_t first;    // first pivot in elimination order
  int32_t nodes;    // pivots
  int32_t border;   // nodes of the border
  int32_t parent;   // supernode of the first node of the border, -1 at a root
  int32_t child;    // first child, -1 if none; children are visited in ascending order
  int32_t sibling;  // next child of the same parent, -1 if none
  int32_t P;        // padded pivot rows and columns
  int32_t B;        // padded border rows
  int64_t row;      // position of its border in row[] and up[]
  int64_t panel;    // position of its panel in L[]
  int64_t update;   // position of its update matrix in the memory of its worker or of the top
  int64_t entry;    // its first entry of A
  int32_t task;     // its subtree, -1 at the top of the tree
  bool task_root;
} CpsSupernode;

// A block of A and its destination in the panel of its supernode.
typedef struct CpsCholeskyEntry {
  int64_t block;    // in the caller's order
  int32_t row;      // scalar row in the panel
  int32_t col;      // scalar column
  int32_t flipped;  // whether the caller's block is transposed
  int32_t pad;
} CpsCholeskyEntry;

struct CpsCholesky {
  int32_t n;      // nodes
  int32_t count;  // supernodes
  CpsSupernode* super;
  int32_t* order;
  int32_t* position;
  int32_t* row;  // borders, ascending in elimination order
  int32_t* up;   // the same as scalar rows of the parent's front, pivots first, then the border from row P on
  CpsCholeskyEntry* entry;
  double* L;
  double* top;     // update matrices of the top of the tree and of the roots of the tasks
  double* worker;  // update matrices inside a task, worker_size per thread
  int64_t worker_size;
  int32_t* task;  // root supernodes of the tasks, the largest first
  int32_t task_count;
  double* inverse;     // stored blocks of A^-1, NULL: none;
  bool* known;         // nodes with known blocks,
  int32_t inversions;  // since the last factorisation
  double* rest;        // of solves in tasks: three numbers per entry of row[]
  CpsPool* pool;
  int64_t fill;
  double operations;
  CpsCholeskyOrder ordering;
};

// Scalar rows of a strip.
enum { CPS_STRIP = 4 };

static inline int32_t cps_strip_round(int32_t rows) {
  return (rows + CPS_STRIP - 1) / CPS_STRIP * CPS_STRIP;
}
// Numbers in the update matrix of a border of B padded rows, (2).
static inline int64_t cps_update_size(int32_t B) {
  int64_t s = B / CPS_STRIP;
  return 8 * s * (s + 1);
}

// cholesky_order.c: the undirected graph of the nodes, without loops, and its orders.
typedef struct CpsNodeGraph {
  int32_t n;
  int32_t* start;  // n + 1
  int32_t* next;
} CpsNodeGraph;
// False if memory runs out or the graph has more than 2^31 edges.
bool cps_node_graph_make(const CpsBlockMatrix* A, CpsArena* arena, CpsNodeGraph* graph);
// Finds an order as requested by the options and reports which. False if memory runs out or a given order is invalid.
bool cps_cholesky_find_order(const CpsNodeGraph* graph, const CpsCholeskyOptions* options, CpsArena* scratch,
                             int32_t* order, CpsCholeskyOrder* chosen);
// dissection.c: an order by level sets. False if memory runs out.
bool cps_dissection_order(const CpsNodeGraph* graph, CpsArena* scratch, int32_t* order);
// The elimination tree of the graph in an order (parent, -1 at roots) and the length of each column of L in nodes,
// including the diagonal. `work`: n entries.
void cps_elimination_tree(const CpsNodeGraph* graph, const int32_t* order, const int32_t* position, int32_t* parent,
                          int32_t* length, int32_t* work);

// cholesky_supernodes.c: groups the nodes into supernodes. Changes the order to one that eliminates each supernode in a single run,
// and the tree accordingly. Returns the first pivots, count + 1 entries. False if memory runs out.
bool cps_supernodes_find(const CpsNodeGraph* graph, int32_t* order, CpsArena* scratch, int32_t* count, int32_t** first);

// cholesky_plan.c: tasks and memory of the update matrices. False if memory runs out.
bool cps_cholesky_plan(CpsCholesky* factor, CpsArena* arena, CpsArena* scratch);

#endif
