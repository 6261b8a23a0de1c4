// The large members of a problem: u_i = sum over node terms of A v_node, M v = A^T r. See capstan/problem.h.
#ifndef CAPSTAN_FRICTION_SPARSE_PART_H
#define CAPSTAN_FRICTION_SPARSE_PART_H

#include "friction/mass_factor.h"
#include "friction/problem.h"

struct CpsSparsePart {
  int32_t node_count;
  int64_t* M_start;  // lower triangle in block CSR, 3 x 3 blocks
  int32_t* M_column;
  double* M_value;
  int64_t* node_start;  // contact_count + 1: terms of each contact
  int32_t* node;        // node of each term
  int64_t* at;          // first value of each term in A, and the end of the last
  double* A;            // d_i x 3 row-major
  int32_t* component;   // of M, of each node, numbered in the order of their first node
  int32_t component_count;
  double* inverse;      // 1/m of each node if M is diagonal with one mass per node (a granular medium); otherwise NULL
  double* free;         // made from a global form: M^-1 f; otherwise NULL
  int32_t reach_count;  // supernodes of the factor of M reached from the nodes of contacts, unless M is diagonal
  int32_t* reach;
  int64_t* place;  // of the node of each term in a vector in elimination order, unless M is diagonal
};

#ifdef CAPSTAN_DIRECT
// Checks and copies the large members into a problem with contacts and small members, factors M and adds to the diagonal
// blocks of W. On failure p is incomplete.
CpsStatus cps_sparse_build(CpsProblem* p, const CpsSparseForm* form, CpsCholesky* factor, CpsPool* pool,
                           CpsError* error);
// v = M^-1 A^T x. work: 3 node_count entries.
void cps_sparse_push(const CpsProblem* problem, const double* x, double* v, double* work);
// Is contact i the only one that touches the components of its nodes?
bool cps_sparse_is_isolated(const CpsProblem* problem, int32_t i);
// Number of blocks of the equivalent W, without forming it; -1 if memory runs out.
int64_t cps_sparse_block_count(const CpsProblem* problem, CpsArena* arena);
// W as blocks, formed by solves; memory from the arena. False if memory runs out.
bool cps_sparse_explicit_W(const CpsProblem* problem, CpsArena* arena, CpsPool* pool, CpsBlockMatrix* W);
// Entries of the scratch that cps_sparse_apply_W needs.
int64_t cps_sparse_scratch_count(const CpsProblem* problem);
// out = W x + b, b NULL: zero.
void cps_sparse_apply_W(const CpsProblem* problem, CpsPool* pool, const double* x, const double* b, double* scratch,
                        double* out);
// Memory of the factor of M.
int64_t cps_sparse_bytes(const CpsProblem* problem);
#else
#include "core/error.h"

// Then no problem has large members; only the first of these functions is called.
static inline CpsStatus cps_sparse_build(CpsProblem* p, const CpsSparseForm* form, CpsCholesky* factor, CpsPool* pool,
                                         CpsError* error) {
  (void)p, (void)form, (void)factor, (void)pool;
  return cps_fail(error, CPS_UNSUPPORTED, "a sparse mass matrix needs a build with the direct methods");
}
static inline void cps_sparse_push(const CpsProblem* problem, const double* x, double* v, double* work) {
  (void)problem, (void)x, (void)v, (void)work;
}
static inline bool cps_sparse_is_isolated(const CpsProblem* problem, int32_t i) {
  (void)problem, (void)i;
  return true;
}
static inline int64_t cps_sparse_block_count(const CpsProblem* problem, CpsArena* arena) {
  (void)problem, (void)arena;
  return 0;
}
static inline bool cps_sparse_explicit_W(const CpsProblem* problem, CpsArena* arena, CpsPool* pool, CpsBlockMatrix* W) {
  (void)problem, (void)arena, (void)pool, (void)W;
  return false;
}
static inline int64_t cps_sparse_scratch_count(const CpsProblem* problem) {
  (void)problem;
  return 0;
}
static inline void cps_sparse_apply_W(const CpsProblem* problem, CpsPool* pool, const double* x, const double* b,
                                      double* scratch, double* out) {
  (void)problem, (void)pool, (void)x, (void)b, (void)scratch, (void)out;
}
static inline int64_t cps_sparse_bytes(const CpsProblem* problem) {
  (void)problem;
  return 0;
}
#endif

#endif
