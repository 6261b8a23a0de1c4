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
  int64_t* at;          // first value of each term in A, and behind the last
  double* A;            // d_i x 3 row-major
  int32_t* component;   // of M, of each node, numbered in the order of their first node
  int32_t component_count;
};

// f += A_i^T x and out += A_i v for the node terms of one contact.
void cps_sparse_add(const CpsProblem* problem, int32_t i, const double* x, double* f);
void cps_sparse_velocity(const CpsProblem* problem, int32_t i, const double* v, double* out);
// v = M^-1 A^T x. work: 3 node_count entries.
void cps_sparse_push(const CpsProblem* problem, const double* x, double* v, double* work);
// Does no other contact touch the components of the nodes of contact i?
bool cps_sparse_is_isolated(const CpsProblem* problem, int32_t i);
// Blocks of the W it stands for, without forming it; -1 if memory is short.
int64_t cps_sparse_block_count(const CpsProblem* problem, CpsArena* arena);
// W as blocks, formed by solves; memory from the arena. False if that is short.
bool cps_sparse_explicit_W(const CpsProblem* problem, CpsArena* arena, CpsPool* pool, CpsBlockMatrix* W);
// Entries of the scratch that cps_sparse_apply_W needs.
int64_t cps_sparse_scratch_count(const CpsProblem* problem);
// out = W x + b, b NULL: zero.
void cps_sparse_apply_W(const CpsProblem* problem, CpsPool* pool, const double* x, const double* b, double* scratch,
                        double* out);

#endif
