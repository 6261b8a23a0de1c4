// The problem that explain.c solves, and its rows.
#ifndef CAPSTAN_INVERSE_EXPLAIN_H
#define CAPSTAN_INVERSE_EXPLAIN_H

#include "inverse/inverse.h"

// A fibre that contacts may hold.
typedef struct CpsHeld {
  CpsFibre* fibre;
  int32_t body;               // its number in the problem, -1: nothing touches it
  int32_t strains, root;      // columns of G: of its strains, and of what its root must not take
  int64_t y;                  // where its part of y begins
  int32_t first, spot_count;  // its sides of contacts
  CpsRodLack lack;            // of weight and pulls
  bool falls;                 // known not to be stable without contacts: these do not unsettle it
} CpsHeld;

typedef struct CpsExplain {
  CpsWorld* world;
  const CpsInvertOptions* options;
  const CpsStep* step;
  CpsArena* arena;
  int32_t count;
  CpsHeld* held;
  int32_t holding_count;
  CpsHolding* holding;
  int64_t size;         // of y
  double *alone, *aim;  // y_w, y_w - y_0
  // the problem: contacts and their terms, one for each fibre
  int32_t body_count;
  int32_t* body_dofs;
  int64_t *term_start, *value_start;
  int32_t *term_held, *term_body;
  double *G, *mu, *b, *r, *compliance;
  double softness;  // compliance of each contact over the mean of the fibres there
  CpsLaw* law;
  CpsVec3* judged;          // held.c: forces on the sides of contacts with which each fibre was judged last
  CpsProblem* problem;      // of all rounds
  CpsWorkspace* workspace;  // of the sweeps
  double *z, *u;            // room for strains and for velocities of contacts
  // explain_newton.c
  struct CpsNewton* newton;
  double* y;     // strains where it ended, of the forces before some contacts were freed
  bool refined;  // there are such strains
  // the contacts of each fibre from CpsHeld::first on, ascending, and the start of their rows in G; -1: the rows are those of the
  // previous side, because the fibre touches itself
  int32_t* contact_of;
  int64_t* rows_of;
} CpsExplain;

enum { CPS_EXPLAIN_MANY = 2000 };  // contacts for which sweeps alone take too long

static inline int32_t cps_held_columns(const CpsHeld* held) {
  return held->strains + held->root;
}
// Everything known before the solve, except b.
CpsStatus cps_explain_fill(CpsExplain* e, CpsError* error);
// b += G y for three rows of m values
void cps_explain_add_rows(int32_t m, const double* G, const double* y, double* b);
// b = G y, and y += G^T r, on all threads; the same bits for any number of them
void cps_explain_gather(const CpsExplain* e, const double* y, double* b);
void cps_explain_scatter(const CpsExplain* e, const double* r, double* y);
// z = y_w - y_0 + G^T r: the strains that remain under the forces.
void cps_explain_respond(const CpsExplain* e, const double* r, double* z);
// The residual of forces that leave the strains z.
double cps_explain_residual(const CpsExplain* e, const double* r, const double* z);
// explain_newton.c
// Improves the forces, whose residual is *residual, by Newton steps; every compliance must be positive. Keeps the best forces, sets
// *residual to theirs, and adds up the steps. Starts from e->y if it is set.
CpsStatus cps_explain_refine(CpsExplain* e, double tolerance, double* residual, int64_t* steps);
void cps_explain_forget(CpsExplain* e);  // frees what it keeps from one round to the next
// gliding.c
// The effect of a frictionless contact with a normal force on the stability of the fibre on one of its sides.
void cps_explain_glide(const CpsExplain* e, const CpsHolding* holding, int side, double N, CpsRodTouch* touch);
// held.c
// Ignores the contacts of fibres that are unstable under these forces, from now on; returns how many more are ignored.
CpsStatus cps_explain_calm(CpsExplain* e, const CpsForces* forces, int32_t* freed);

#endif
