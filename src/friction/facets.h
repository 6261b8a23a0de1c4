// The friction disc replaced by a regular polygon. Most methods need an even number of sides, at least four; `lemke`
// accepts any polygon, and a segment inside the disc (nu = 2).
//
// Scaled to mu r_N = 1, the disc { ||x|| <= 1 } becomes a polygon, given in two equivalent ways:
//
//   corners   P = conv { p_k },            k = 0 … nu - 1                                         (1)
//   sides     P = { x : c_k.x <= a },      c_k unit, a the apothem                                (2)
//
// inner: p_k = dir(2 pi k / nu) lie on the circle, c_k = dir(2 pi (k + 1/2) / nu), a = cos(pi / nu);
// outer: c_k = dir(2 pi k / nu), a = 1, p_k = dir(2 pi (k + 1/2) / nu) / cos(pi / nu).
// In dimension 2 the disc is the segment [-1, 1], with two corners and two sides; it is exact.
#ifndef CAPSTAN_FRICTION_FACETS_H
#define CAPSTAN_FRICTION_FACETS_H

#include "capstan/solve.h"

// Corners (and sides) for a contact of dimension d (2 or 3): 2, or `facets` (>= 2).
int cps_facet_count(int d, int facets);
// Corner k of (1): d - 1 entries. Opposite corners are exactly opposite.
void cps_facet_corner(int d, int facets, CpsFacets kind, int k, double* p);
// Unit normal of side k of (2): d - 1 entries. Opposite sides are exactly opposite.
void cps_facet_normal(int d, int facets, CpsFacets kind, int k, double* c);
// The apothem a of (2); 1 in dimension 2.
double cps_facet_apothem(int d, int facets, CpsFacets kind);

#endif
