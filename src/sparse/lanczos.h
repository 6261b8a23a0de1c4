// Is a block-sparse matrix indefinite? A few Lanczos steps can prove that it is, never that it is not.
#ifndef CAPSTAN_SPARSE_LANCZOS_H
#define CAPSTAN_SPARSE_LANCZOS_H

#include "sparse/block_matrix.h"

typedef enum CpsLanczosResult {
  CPS_LANCZOS_NOT_SEEN,    // no negative eigenvalue found
  CPS_LANCZOS_INDEFINITE,  // the symmetric part has one below -slack times its largest
  CPS_LANCZOS_NO_MEMORY
} CpsLanczosResult;

// Searches for an eigenvalue of the symmetric part of A below -slack times the largest one. Memory from the arena.
CpsLanczosResult cps_lanczos_indefinite(const CpsBlockMatrix* A, double slack, CpsArena* arena);

#endif
