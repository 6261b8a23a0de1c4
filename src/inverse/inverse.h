// What the files of inverse design share.
#ifndef CAPSTAN_INVERSE_INVERSE_H
#define CAPSTAN_INVERSE_INVERSE_H

#include "capstan/inverse.h"
#include "model/rod_statics.h"

// The matrices of a rod (rod_statics.h) and room for a factor.
typedef struct CpsRodMatrices {
  int32_t n, band;
  double *K, *C, *L;
} CpsRodMatrices;

// statics.c
// Refuses a rod whose second derivatives are not known.
CpsStatus cps_rod_can_settle(const CpsRod* rod, CpsError* error);
// Largest force that is left, relative; infinite for what is no number, negative if memory is short.
double cps_rod_imbalance(const CpsRod* rod, const CpsRodLoad* load);

// stability.c
CpsStatus cps_rod_matrices(const CpsRod* rod, const CpsRodLoad* load, CpsRodMatrices* m);  // to be freed
void cps_rod_matrices_free(CpsRodMatrices* m);
bool cps_rod_matrices_factor(const CpsRodMatrices* m,
                             double factor);  // L of factor K + C; false: not positive definite
double cps_rod_least_factor(const CpsRodMatrices* m);

#endif
