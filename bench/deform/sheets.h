// Sheets of triangles with the matrices that an implicit step of cloth has, without its physics: for measurements of the sparse
// factorisation.
#ifndef CAPSTAN_BENCH_DEFORM_SHEETS_H
#define CAPSTAN_BENCH_DEFORM_SHEETS_H

#include "core/arena.h"
#include "sparse/block_matrix.h"

typedef struct BenchSheet {
  int32_t wide, high;  // vertices
  double jitter;       // vertices are moved by so many cells at most, and diagonals are flipped at random; 0: regular
  bool
      patches;  // the six vertices of a triangle and its neighbours are coupled (bending patches), else the four of two
                // triangles (hinges)
} BenchSheet;

// A symmetric positive definite matrix of 3 x 3 blocks, full pattern: springs between all coupled vertices and a mass. False if
// memory is short.
bool bench_sheet_make(const BenchSheet* sheet, CpsArena* arena, CpsBlockMatrix* A);

// The lower triangle as a scalar matrix in compressed columns, which is how the peers want it. Memory from the arena.
typedef struct BenchScalar {
  int32_t n;
  int32_t* start;  // n + 1
  int32_t* row;    // ascending
  double* value;
} BenchScalar;
bool bench_scalar_make(const CpsBlockMatrix* A, CpsArena* arena, BenchScalar* S);

#endif
