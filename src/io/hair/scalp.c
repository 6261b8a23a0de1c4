// The sphere that fits best through the roots of strands, for a groom that comes without a head.
//
// |p|^2 = 2 c.p + d is linear in the centre c and d = r^2 - |c|^2 (Pratt 1987): four normal equations, about the mean of the roots.
#include <math.h>

#include "base/fail.h"
#include "capstan/hair.h"

// Solves A x = b for four unknowns by elimination with pivoting; false if A is singular.
static bool solve(double A[4][5]) {
  for (int k = 0; k < 4; ++k) {
    int pivot = k;
    for (int i = k + 1; i < 4; ++i) {
      if (fabs(A[i][k]) > fabs(A[pivot][k])) pivot = i;
    }
    if (!(fabs(A[pivot][k]) > 1e-12)) return false;
    for (int j = 0; j < 5; ++j) {
      const double kept = A[k][j];
      A[k][j] = A[pivot][j];
      A[pivot][j] = kept;
    }
    for (int i = 0; i < 4; ++i) {
      const double factor = i == k ? 0.0 : A[i][k] / A[k][k];
      for (int j = k; j < 5; ++j) A[i][j] -= factor * A[k][j];
    }
  }
  for (int k = 0; k < 4; ++k) A[k][4] /= A[k][k];
  return true;
}

CpsStatus cps_hair_fit_scalp(const CpsVec3* roots, int64_t count, CpsVec3* centre, double* radius, CpsError* error) {
  const char* name = "cps_hair_fit_scalp";
  if (!roots || !centre || !radius) return cps_io_fail(error, CPS_BAD_ARGUMENT, name, NULL, "an argument is NULL");
  CpsVec3 mean = {0.0, 0.0, 0.0};
  double size = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    mean = (CpsVec3){mean.x + roots[i].x / (double)count, mean.y + roots[i].y / (double)count,
                     mean.z + roots[i].z / (double)count};
  }
  for (int64_t i = 0; i < count; ++i) {
    size = fmax(size, hypot(hypot(roots[i].x - mean.x, roots[i].y - mean.y), roots[i].z - mean.z));
  }
  // scaled by the size, so that small pivots reveal flat roots
  double A[4][5] = {{0}};
  for (int64_t i = 0; i < count && size > 0.0; ++i) {
    const double p[3] = {(roots[i].x - mean.x) / size, (roots[i].y - mean.y) / size, (roots[i].z - mean.z) / size};
    const double row[5] = {2.0 * p[0], 2.0 * p[1], 2.0 * p[2], 1.0, p[0] * p[0] + p[1] * p[1] + p[2] * p[2]};
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < 5; ++b) A[a][b] += row[a] * row[b] / (double)count;
    }
  }
  if (count < 4 || !(size > 0.0) || !isfinite(size) || !solve(A)) {
    return cps_io_fail(error, CPS_BAD_DATA, name, NULL, "the roots are too few or too flat for a sphere");
  }
  const CpsVec3 c = {A[0][4], A[1][4], A[2][4]};
  const double square = A[3][4] + c.x * c.x + c.y * c.y + c.z * c.z;
  if (!(square > 0.0)) return cps_io_fail(error, CPS_BAD_DATA, name, NULL, "no sphere fits the roots");
  *centre = (CpsVec3){mean.x + size * c.x, mean.y + size * c.y, mean.z + size * c.z};
  *radius = size * sqrt(square);
  if (error) error->text[0] = '\0';
  return CPS_OK;
}
