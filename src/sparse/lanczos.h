// Is a block-sparse matrix indefinite? A few Lanczos steps that can say yes for certain, never no.
#ifndef CAPSTAN_SPARSE_LANCZOS_H
#define CAPSTAN_SPARSE_LANCZOS_H

#include "sparse/block_matrix.h"

typedef enum CpsLanczosResult {
  CPS_LANCZOS_NOT_SEEN,    // no negative eigenvalue was met
  CPS_LANCZOS_INDEFINITE,  // the symmetric part has one below -slack times its largest
  CPS_LANCZOS_NO_MEMORY
} CpsLanczosResult;

// Looks for an eigenvalue of the symmetric part of A below -slack times the largest one. Memory comes from the arena.
CpsLanczosResult cps_lanczos_indefinite(const CpsBlockMatrix* A, double slack, CpsArena* arena);

#endif
