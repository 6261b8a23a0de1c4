// The contacts of one island with a faceted cone, written as a dense linear complementarity problem.
#ifndef CAPSTAN_FRICTION_GLOBAL_FACET_LCP_H
#define CAPSTAN_FRICTION_GLOBAL_FACET_LCP_H

#include "capstan/solve.h"
#include "friction/problem.h"

// The contacts to be solved together. Free blocks are excluded; the others are Coulomb contacts of dimension 2 or 3.
typedef struct CpsFacetIsland {
  const CpsProblem* problem;
  const CpsBlockMatrix* W;
  int32_t count;
  const int32_t* contact;  // count
  const int32_t* local;    // of every contact of the problem: its index in `contact`, -1 outside all islands
  int facets;
  CpsFacets kind;
} CpsFacetIsland;

// 0 <= z _|_ M z + q >= 0. Velocities are multiplied by `velocity_scale`, and z is in units of `impulse_unit`, so that
// M and q are of order 1.
typedef struct CpsFacetLcp {
  int size;
  double* M;  // size x size row-major
  double* q;
  int* first;  // count: first unknown of each contact (corners), or its first side unknown (sides)
  double velocity_scale;
  double impulse_unit;
  bool by_sides;
  // sides only, to recover r_T = -S (b_T + W_TN r_N + C kappa)
  int tangent_count;  // rows of the tangential velocities
  double* S_tn;       // S W_TN, tangent_count x count
  double* S_c;        // S C, tangent_count x (size - count)
  double* S_b;        // S b_T
} CpsFacetLcp;

// Unknowns of the LCP by corners (the larger of the two forms).
int64_t cps_facet_lcp_size(const CpsFacetIsland* island);
// Corners of the polygon of the k-th contact of the island: 0 without friction.
int cps_facet_lcp_corners(const CpsFacetIsland* island, int32_t k);
// Mean xi (impulse / velocity), and its product with the largest |b|: 0 if nothing pushes; then r = 0 is a solution.
void cps_facet_lcp_scales(const CpsFacetIsland* island, double* velocity_scale, double* impulse_unit);

// By corners. The impulse unit must not be 0. Returns false if memory runs out.
bool cps_facet_lcp_by_corners(const CpsFacetIsland* island, CpsArena* arena, CpsFacetLcp* lcp);
// By sides; *regular tells whether W_TT could be inverted. If not, do not use lcp (facet_lcp_sides.c).
bool cps_facet_lcp_by_sides(const CpsFacetIsland* island, CpsArena* arena, CpsFacetLcp* lcp, bool* regular);
// Writes the impulses of the island's contacts, from z, into r (all rows of the problem).
void cps_facet_lcp_impulses(const CpsFacetIsland* island, const CpsFacetLcp* lcp, const double* z, double* r);
void cps_facet_lcp_impulses_by_sides(const CpsFacetIsland* island, const CpsFacetLcp* lcp, const double* z, double* r);

#endif
