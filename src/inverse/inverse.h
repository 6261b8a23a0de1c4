// Shared by the files of inverse design.
#ifndef CAPSTAN_INVERSE_INVERSE_H
#define CAPSTAN_INVERSE_INVERSE_H

#include "capstan/inverse.h"
#include "core/arena.h"
#include "model/rod_statics.h"
#include "things/fibres.h"

// The matrices of a rod (rod_statics.h), with room for a factor.
typedef struct CpsRodMatrices {
  int32_t n, band;
  double *K, *C, *L, *x;  // x: room for three vectors
} CpsRodMatrices;

// statics.c
// Refuses a rod whose second derivatives are unknown.
CpsStatus cps_rod_can_settle(const CpsRod* rod, CpsError* error);
// Largest remaining force, relative; infinite if a number is not finite, negative if memory runs out.
double cps_rod_imbalance(const CpsRod* rod, const CpsRodLoad* load);

// touching.c: contacts of the next step that may transmit forces.
typedef struct CpsHolding {
  int32_t contact;   // its number in the step
  int32_t fibre[2];  // places of the fibres on its two sides in the list of those that are inverted; -1: an obstacle
} CpsHolding;
// `place`: index of each fibre of the world in the list of inverted fibres, -1: not in the list. Resets the forces of contacts of
// these fibres that transmit none. `loaded`: listed fibres that touch something other than an obstacle or another listed fibre.
CpsStatus cps_holdings_find(CpsStep* step, const int32_t* place, CpsArena* arena, CpsHolding** holdings, int32_t* count,
                            bool* loaded, CpsInvertInfo* info);

// explain.c: contact forces that minimise the bending that remains.
typedef struct CpsForces {
  CpsArena arena;      // of all that follows
  int32_t* first;      // of each fibre of the list, and the end: its
  CpsRodTouch* touch;  // forces
  bool* loaded;        // of each fibre of the list; NULL: nothing was looked for
} CpsForces;
// The i-th fibre of the list is NULL if it takes no part. With `problem`, only the problem is built and no forces are found.
CpsStatus cps_explain(CpsWorld* world, CpsFibre* const* list, int32_t count, const CpsInvertOptions* options,
                      CpsForces* forces, CpsProblem** problem, CpsInvertInfo* info, CpsError* error);

// held.c
// The matrices of a rod held by contacts; to be freed.
CpsStatus cps_rod_held_matrices(const CpsRod* rod, const CpsRodLoad* load, CpsRodMatrices* m);

// The matrices of a free rod under the forces of contacts; to be freed.
CpsStatus cps_rod_loaded_matrices(const CpsRod* rod, const CpsRodLoad* load, CpsRodMatrices* m);

// stepping.c: whether (3) is required of a rod, and its K and C, or K and a smaller C if that shows it as well; to be freed, whatever
// the result. `rest`: the matrices from cps_rod_held_matrices() for the same rod and load.
bool cps_rod_step_matters(const CpsRod* rod, double theta);
CpsStatus cps_rod_step_matrices(const CpsRod* rod, const CpsRodLoad* load, const CpsRodMatrices* rest, double h,
                                double theta, CpsRodMatrices* m);
// Whether (4) is required of a rod, and its K and C.
bool cps_rod_step_is_late(const CpsRod* rod, double theta);
CpsStatus cps_rod_late_matrices(const CpsRod* rod, const CpsRodLoad* load, const CpsRodMatrices* rest, double h,
                                double theta, CpsRodMatrices* m);

// stability.c
CpsStatus cps_rod_matrices(const CpsRod* rod, const CpsRodLoad* load, CpsRodMatrices* m);  // to be freed
CpsStatus cps_rod_matrices_copy(const CpsRodMatrices* from, CpsRodMatrices* m);            // K and C; to be freed
void cps_rod_matrices_free(CpsRodMatrices* m);
bool cps_rod_matrices_factor(const CpsRodMatrices* m,
                             double factor);  // L of factor K + C; false: not positive definite
double cps_rod_least_factor(const CpsRodMatrices* m);

#endif
