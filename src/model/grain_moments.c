// Sums over the particles of a cell of V N_c grad N_d, for all pairs of corners, from 27 numbers.
//
// With s in [0, 1]^3 the local coordinates, N_c is a product of 1 - s or s along each axis. N_c dN_d/dx is therefore a polynomial of
// degree 1 along x and 2 along the others. All 64 gradients of a cell (16 in the plane) follow from the moments
//
//   M_abc = sum of V s_x^a s_y^b s_z^c,   a, b, c in {0, 1, 2}                                                       (1)
//
// by one contraction for each axis, with N_c N_d or N_c N_d' as coefficients of 1, s, s^2.
#include "model/grains.h"

// Coefficients of N_c N_d and of N_c N_d', c and d being 0 (1 - s) or 1 (s).
static const double BOTH[2][2][3] = {{{1.0, -2.0, 1.0}, {0.0, 1.0, -1.0}}, {{0.0, 1.0, -1.0}, {0.0, 0.0, 1.0}}};
static const double SLOPE[2][2][3] = {{{-1.0, 1.0, 0.0}, {1.0, -1.0, 0.0}}, {{0.0, -1.0, 0.0}, {0.0, 1.0, 0.0}}};

static double contract(const double c[3], const double x[3]) {
  return c[0] * x[0] + c[1] * x[1] + c[2] * x[2];
}

void cps_grain_moments_add(int dim, double volume, CpsVec3 s, double* moment) {
  const double x[3] = {volume, volume * s.x, volume * s.x * s.x}, z[3] = {1.0, s.z, s.z * s.z};
  if (dim == 2) {
    for (int a = 0; a < 3; ++a) {
      for (int c = 0; c < 3; ++c) moment[3 * a + c] += x[a] * z[c];
    }
    return;
  }
  const double y[3] = {1.0, s.y, s.y * s.y};
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      const double xy = x[a] * y[b];
      for (int c = 0; c < 3; ++c) moment[9 * a + 3 * b + c] += xy * z[c];
    }
  }
}

void cps_grain_moments_fill(int dim, double volume, double* moment) {
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < (dim == 2 ? 1 : 3); ++b) {
      for (int c = 0; c < 3; ++c) *moment++ = volume / ((a + 1.0) * (b + 1.0) * (c + 1.0));
    }
  }
}

static void gradients_plane(const double* moment, int c, double by, CpsVec3* out) {
  const int cx = c & 1, cz = c >> 1;
  for (int dz = 0; dz < 2; ++dz) {
    double both[3], slope[3];
    for (int a = 0; a < 3; ++a) {
      both[a] = contract(BOTH[cz][dz], moment + 3 * a);
      slope[a] = contract(SLOPE[cz][dz], moment + 3 * a);
    }
    for (int dx = 0; dx < 2; ++dx) {
      out[dx + 2 * dz] = cps_vec3(by * contract(SLOPE[cx][dx], both), 0.0, by * contract(BOTH[cx][dx], slope));
    }
  }
}

static void gradients_space(const double* moment, int c, double by, CpsVec3* out) {
  const int cx = c & 1, cy = c >> 1 & 1, cz = c >> 2;
  for (int dz = 0; dz < 2; ++dz) {
    double both[9], slope[9];  // along z
    for (int q = 0; q < 9; ++q) {
      both[q] = contract(BOTH[cz][dz], moment + 3 * q);
      slope[q] = contract(SLOPE[cz][dz], moment + 3 * q);
    }
    for (int dy = 0; dy < 2; ++dy) {
      double x[3], y[3], z[3];  // of the derivative along each axis
      for (int a = 0; a < 3; ++a) {
        x[a] = contract(BOTH[cy][dy], both + 3 * a);
        y[a] = contract(SLOPE[cy][dy], both + 3 * a);
        z[a] = contract(BOTH[cy][dy], slope + 3 * a);
      }
      for (int dx = 0; dx < 2; ++dx) {
        out[dx + 2 * dy + 4 * dz] =
            cps_vec3(by * contract(SLOPE[cx][dx], x), by * contract(BOTH[cx][dx], y), by * contract(BOTH[cx][dx], z));
      }
    }
  }
}

void cps_grain_moments_gradients(const CpsGrainGrid* g, const double* moment, int c, CpsVec3* out) {
  (g->dim == 2 ? gradients_plane : gradients_space)(moment, c, 1.0 / g->cell, out);
}
