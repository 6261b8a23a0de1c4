// Corners and sides of the polygon in place of the friction disc; facets.h gives the geometry.
#include "friction/facets.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

// dir(2 pi k / count) for 0 <= k < count. For even counts: exact on the axes, and dir(k + count/2) = -dir(k) bit by bit.
static void direction(int k, int count, double* x) {
  if (count % 2 == 0 && 2 * k >= count) {
    direction(k - count / 2, count, x);
    x[0] = -x[0];
    x[1] = -x[1];
    return;
  }
  if (4 * k == count) {
    x[0] = 0.0;
    x[1] = 1.0;
    return;
  }
  double angle = 2.0 * pi * k / count;
  x[0] = cos(angle);
  x[1] = sin(angle);
}

// direction(k) turned by half a side: dir(2 pi (2 k + 1) / (2 count)).
static void half_direction(int k, int count, double* x) {
  direction(2 * k + 1, 2 * count, x);
}

int cps_facet_count(int d, int facets) {
  return d == 2 ? 2 : facets;
}

void cps_facet_corner(int d, int facets, CpsFacets kind, int k, double* p) {
  if (d == 2) {
    p[0] = k == 0 ? 1.0 : -1.0;
  } else if (kind == CPS_FACETS_INNER) {
    direction(k, facets, p);
  } else {
    double radius = 1.0 / cos(pi / facets);
    half_direction(k, facets, p);
    p[0] *= radius;
    p[1] *= radius;
  }
}

void cps_facet_normal(int d, int facets, CpsFacets kind, int k, double* c) {
  if (d == 2) {
    c[0] = k == 0 ? 1.0 : -1.0;
  } else if (kind == CPS_FACETS_INNER) {
    half_direction(k, facets, c);
  } else {
    direction(k, facets, c);
  }
}

double cps_facet_apothem(int d, int facets, CpsFacets kind) {
  return d == 2 || kind == CPS_FACETS_OUTER ? 1.0 : cos(pi / facets);
}
