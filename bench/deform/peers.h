// Sparse symmetric factorisations measured side by side, one thread each.
#ifndef CAPSTAN_BENCH_DEFORM_PEERS_H
#define CAPSTAN_BENCH_DEFORM_PEERS_H

#include "deform/sheets.h"

// Processor time in s, the shortest of the repeats.
typedef struct BenchFactorTimes {
  double analyse, factor, solve;  // analysis once; one right side
  double fill;                    // numbers of the factor
  double memory;                  // bytes, of factor and work space
  double residual;                // max |A x - b| / max |b|
} BenchFactorTimes;

// The right side is b_i = sin i. False if the library fails.
typedef bool (*BenchFactorPeer)(const CpsBlockMatrix* A, int repeats, BenchFactorTimes* times);

bool bench_factor_ldl(const CpsBlockMatrix* A, int repeats, BenchFactorTimes* times);
bool bench_factor_simplicial(const CpsBlockMatrix* A, int repeats, BenchFactorTimes* times);  // CHOLMOD
bool bench_factor_supernodal(const CpsBlockMatrix* A, int repeats, BenchFactorTimes* times);  // CHOLMOD
bool bench_factor_mumps(const CpsBlockMatrix* A, int repeats, BenchFactorTimes* times);

// Of a solution; the arena is used and released.
double bench_factor_residual(const CpsBlockMatrix* A, const double* x, CpsArena* arena);

#endif
