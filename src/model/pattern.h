// Sparsity pattern of the matrices of a sheet or a solid, and a colouring of its elements in which elements of one colour share
// no node.
#ifndef CAPSTAN_MODEL_SHEET_PATTERN_H
#define CAPSTAN_MODEL_SHEET_PATTERN_H

#include "capstan/base.h"
#include "core/arena.h"
#include "core/vec3.h"

// Concatenated lists of numbers: list i is item[start[i]] … item[start[i + 1] - 1].
typedef struct CpsLists {
  int64_t* start;
  int32_t* item;
} CpsLists;

// The lower triangle of a symmetric matrix of 3 x 3 blocks in block rows; columns ascend, the last block of a row is on the
// diagonal.
typedef struct CpsBlockPattern {
  int32_t rows;
  int64_t* start;  // rows + 1
  int32_t* col;    // start[rows] of them, fewer than 2^31
} CpsBlockPattern;

// `count` lists of equal length, concatenated; start is NULL if memory runs out.
CpsLists cps_lists_even(CpsArena* arena, int64_t count, int length, int32_t* item);
// For each of `target_count` numbers, its positions in item of `count` lists, ascending. False: memory runs out.
bool cps_lists_invert(const CpsLists* lists, int64_t count, int32_t target_count, CpsArena* arena, CpsLists* inverse);

// Second derivatives of an energy.
typedef enum CpsHessianKind {
  CPS_HESSIAN_CLAMPED = 0,  // positive semi-definite, element by element
  CPS_HESSIAN_EXACT = 1,    // the second derivatives themselves
  CPS_HESSIAN_TURNED = 2    // clamped, without rotational stiffness: of sheets at rest, rotated with each triangle
} CpsHessianKind;

// The pattern of all node pairs of an element, of `set_count` sets of elements.
CpsStatus cps_block_pattern_build(int32_t rows, const CpsLists* sets, const int32_t* element_count, int set_count,
                                  CpsArena* arena, CpsBlockPattern* pattern, CpsError* error);
// Index of block (i, j), j <= i; -1 if it is not stored.
int32_t cps_block_pattern_find(const CpsBlockPattern* pattern, int32_t i, int32_t j);
// y += A x with blocks row-major, 9 numbers each; y and x have 3 numbers a row.
void cps_block_pattern_multiply(const CpsBlockPattern* pattern, const double* value, const double* x, double* y);

// value += scale A, a block; turned: adds A^T.
void cps_block_add(double* value, double scale, const CpsMat3* A, bool turned);

// Elements of one colour share no node: they may be added to a matrix in parallel, and each entry gets its terms in the order
// of the colours for any number of threads. Colour c: order[start[c]] … order[start[c + 1] - 1].
typedef struct CpsColours {
  int32_t count;
  int32_t* start;
  int32_t* order;
} CpsColours;
CpsStatus cps_colours_build(int32_t rows, const CpsLists* elements, int32_t element_count, CpsArena* arena,
                            CpsColours* colours, CpsError* error);

#endif
