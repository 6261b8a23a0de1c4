// The factor of a symmetric positive definite matrix of 3 x 3 blocks, given by its lower triangle in block CSR (columns
// ascending, the diagonal last). The only place of this room that knows which factorisation is used.
#ifndef CAPSTAN_FRICTION_MASS_FACTOR_H
#define CAPSTAN_FRICTION_MASS_FACTOR_H

#include "core/pool.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct CpsMassFactor CpsMassFactor;

typedef enum CpsMassResult { CPS_MASS_OK, CPS_MASS_NO_MEMORY, CPS_MASS_NOT_DEFINITE } CpsMassResult;

#ifdef CAPSTAN_DIRECT
// An empty factor, NULL if memory is short.
CpsMassFactor* cps_mass_factor_create(void);
void cps_mass_factor_destroy(CpsMassFactor* factor);  // NULL is allowed
// Analyses the pattern unless it is that of the last call. False if memory is short.
bool cps_mass_factor_analyse(CpsMassFactor* factor, int32_t nodes, const int64_t* start, const int32_t* column);
// Factors the values of the analysed pattern; allocates nothing. Same bits for any pool.
CpsMassResult cps_mass_factor_factor(CpsMassFactor* factor, CpsPool* pool, const double* value);
// x <- M^-1 x; work: 3 nodes entries. Several threads may solve at once.
void cps_mass_factor_solve(const CpsMassFactor* factor, double* x, double* work);
// block[k] = (M^-1) at (row[k], column[k]), 3 x 3 row-major, exact, for a list sorted by column. work: 6 nodes entries.
void cps_mass_factor_inverse(CpsMassFactor* factor, int64_t count, const int32_t* row, const int32_t* column,
                             double* block, double* work);
// Multiplications of a factorisation and of a solve.
double cps_mass_factor_cost(const CpsMassFactor* factor);
double cps_mass_factor_solve_cost(const CpsMassFactor* factor);
// Memory held.
int64_t cps_mass_factor_bytes(const CpsMassFactor* factor);
#else
// Problems with large members are refused: nothing below is reached.
static inline CpsMassFactor* cps_mass_factor_create(void) {
  return NULL;
}
static inline void cps_mass_factor_destroy(CpsMassFactor* factor) {
  (void)factor;
}
static inline bool cps_mass_factor_analyse(CpsMassFactor* factor, int32_t nodes, const int64_t* start,
                                           const int32_t* column) {
  (void)factor, (void)nodes, (void)start, (void)column;
  return false;
}
static inline CpsMassResult cps_mass_factor_factor(CpsMassFactor* factor, CpsPool* pool, const double* value) {
  (void)factor, (void)pool, (void)value;
  return CPS_MASS_NO_MEMORY;
}
static inline void cps_mass_factor_solve(const CpsMassFactor* factor, double* x, double* work) {
  (void)factor, (void)x, (void)work;
}
static inline void cps_mass_factor_inverse(CpsMassFactor* factor, int64_t count, const int32_t* row,
                                           const int32_t* column, double* block, double* work) {
  (void)factor, (void)count, (void)row, (void)column, (void)block, (void)work;
}
static inline int64_t cps_mass_factor_bytes(const CpsMassFactor* factor) {
  (void)factor;
  return 0;
}
#endif

#endif
