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
  CpsLaw* law;
} CpsExplain;

static inline int32_t cps_held_columns(const CpsHeld* held) {
  return held->strains + held->root;
}
// What is known before anything is solved: all but b.
CpsStatus cps_explain_fill(CpsExplain* e, CpsError* error);
// b += G y for three rows of m values
void cps_explain_add_rows(int32_t m, const double* G, const double* y, double* b);
// b = G y, and y += G^T r
void cps_explain_gather(const CpsExplain* e, const double* y, double* b);
void cps_explain_scatter(const CpsExplain* e, const double* r, double* y);
// explain_newton.c
// Forces of a smaller residual than those that are there, which have *residual; every compliance must be positive. The best are kept,
// with *residual of theirs, and the steps are added up.
CpsStatus cps_explain_refine(CpsExplain* e, const CpsProblem* problem, double tolerance, double* residual,
                             int64_t* steps);
// held.c
// Contacts of fibres that are not stable under these forces are left alone from now on; how many more.
CpsStatus cps_explain_calm(CpsExplain* e, const CpsForces* forces, int32_t* freed);

#endif
