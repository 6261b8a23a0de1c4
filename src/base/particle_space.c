#include "base/particle_space.h"

#include <math.h>

#define FLAT 1e-6  // of the largest extent: an axis along which there is no more than that is not one of the medium

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
  return axes > 0 ? pow(volume / (double)count, 1.0 / axes) : 1.0;
}
