#include "base/particle_space.h"

#include <math.h>
#include <stdlib.h>

#define FLAT 1e-6  // of the largest extent: an axis along which there is no more than that is not one of the medium

#define EVEN 1e-3  // of a distance: two that differ by less are equal; files have single precision
enum { PAIRS = 255 };

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// The distance from one particle to the next that most of them have; 0 if there is none.
static double find_even_distance(const CpsVec3* particles, int64_t count) {
  double apart[PAIRS];
  const int64_t pairs = count - 1 < PAIRS ? count - 1 : PAIRS;
  int used = 0;
  for (int64_t i = 0; i < pairs; ++i) {
    const CpsVec3 *p = particles + i * (count - 1) / pairs, *q = p + 1;
    const double d =
        sqrt((q->x - p->x) * (q->x - p->x) + (q->y - p->y) * (q->y - p->y) + (q->z - p->z) * (q->z - p->z));
    if (isfinite(d)) apart[used++] = d;
  }
  if (used < 3) return 0.0;
  qsort(apart, (size_t)used, sizeof *apart, ascending);
  const double middle = apart[used / 2];
  int even = 0;
  for (int i = 0; i < used; ++i) even += fabs(apart[i] - middle) <= EVEN * middle;
  return 2 * even > used ? middle : 0.0;
}

double cps_particle_space(const CpsVec3* particles, int64_t count) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int64_t k = 0; k < count; ++k) {
    const double p[3] = {particles[k].x, particles[k].y, particles[k].z};
    if (!isfinite(p[0] + p[1] + p[2])) continue;
    for (int a = 0; a < 3; ++a) {
      low[a] = fmin(low[a], p[a]);
      high[a] = fmax(high[a], p[a]);
    }
  }
  const double most = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
  double volume = 1.0;
  int axes = 0;
  for (int a = 0; a < 3; ++a) {
    if (!(high[a] - low[a] > FLAT * most)) continue;
    volume *= high[a] - low[a];
    ++axes;
  }
  const double even = find_even_distance(particles, count);
  if (even > 0.0) return even;
  return axes > 0 ? pow(volume / (double)count, 1.0 / axes) : 1.0;
}
