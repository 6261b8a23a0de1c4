// What the files of inverse design share.
#ifndef CAPSTAN_INVERSE_INVERSE_H
#define CAPSTAN_INVERSE_INVERSE_H

#include "capstan/inverse.h"
#include "core/arena.h"
#include "model/rod_statics.h"
#include "things/fibres.h"

// The matrices of a rod (rod_statics.h) and room for a factor.
typedef struct CpsRodMatrices {
  int32_t n, band;
  double *K, *C, *L, *x;  // x: room for three vectors
} CpsRodMatrices;

// statics.c
// Refuses a rod whose second derivatives are not known.
CpsStatus cps_rod_can_settle(const CpsRod* rod, CpsError* error);
// Largest force that is left, relative; infinite if a number is not finite, negative if memory runs out.
double cps_rod_imbalance(const CpsRod* rod, const CpsRodLoad* load);

// touching.c: contacts of the next step that may carry.
typedef struct CpsHolding {
  int32_t contact;   // its number in the step
  int32_t fibre[2];  // places of the fibres on its two sides in the list of those that are inverted; -1: an obstacle
} CpsHolding;
// `place` of each fibre of the world in that list, -1: not in it. Contacts of fibres in it that carry nothing forget their forces.
// `loaded`: fibres of the list that something touches which is neither an obstacle nor in it.
CpsStatus cps_holdings_find(CpsStep* step, const int32_t* place, CpsArena* arena, CpsHolding** holdings, int32_t* count,
                            bool* loaded, CpsInvertInfo* info);

// explain.c: forces of contacts that leave the least to bending.
typedef struct CpsForces {
  CpsArena arena;      // of all that follows
  int32_t* first;      // of each fibre of the list, and the end: its
  CpsRodTouch* touch;  // forces
  bool* loaded;        // of each fibre of the list; NULL: nothing was looked for
} CpsForces;
// The i-th fibre of the list is NULL where it takes no part. With `problem` that is all that is made, and forces are not found.
CpsStatus cps_explain(CpsWorld* world, CpsFibre* const* list, int32_t count, const CpsInvertOptions* options,
                      CpsForces* forces, CpsProblem** problem, CpsInvertInfo* info, CpsError* error);

// held.c
// The matrices of a rod that contacts hold; to be freed.
CpsStatus cps_rod_held_matrices(const CpsRod* rod, const CpsRodLoad* load, CpsRodMatrices* m);

// The same of one on which the forces of contacts act, and that nothing holds.
CpsStatus cps_rod_loaded_matrices(const CpsRod* rod, const CpsRodLoad* load, CpsRodMatrices* m);

// stepping.c: whether (3) is asked of a rod, and the K and C of that, or K and a smaller C where they show it as well; to be freed, whatever is
// returned. `rest`: those that cps_rod_held_matrices() has for the same rod and load.
bool cps_rod_step_matters(const CpsRod* rod, double theta);
CpsStatus cps_rod_step_matrices(const CpsRod* rod, const CpsRodLoad* load, const CpsRodMatrices* rest, double h,
                                double theta, CpsRodMatrices* m);
// Whether (4) is asked of a rod, and the K and C of that.
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
