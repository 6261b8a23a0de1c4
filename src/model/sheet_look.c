// Observable quantities of a sheet, and the step bound for a line search.
#include <math.h>

#include "model/sheet_elastic.h"

static const double ALMOST = 0.9;  // of the step at which a triangle is crushed

// Eigenvalues of a symmetric 2 x 2 matrix, descending.
static void principal(double a, double b, double c, double out[2]) {
  double mean = 0.5 * (a + b), radius = hypot(0.5 * (a - b), c);
  out[0] = mean + radius;
  out[1] = mean - radius;
}

void cps_sheet_look(const CpsSheetElastic* elastic, const CpsVec3* x, int32_t triangle, CpsSheetLook* look) {
  const CpsSheetMesh* mesh = &elastic->mesh;
  CpsVec3 p[3];
  for (int i = 0; i < 3; ++i) p[i] = x[mesh->triangle[3 * (int64_t)triangle + i]];
  double strain[3], values[2];
  cps_triangle_strain(&elastic->shape[triangle], p, strain);
  double C11 = 1.0 + 2.0 * strain[0], C22 = 1.0 + 2.0 * strain[1], C12 = strain[2];
  principal(C11, C22, C12, values);
  for (int i = 0; i < 2; ++i) look->stretch[i] = sqrt(fmax(values[i], 0.0));
  // Cauchy's stress F S F^T / J in the frame whose first axis is along f_1: F = [a b; 0 c]
  CpsMembraneStress s = cps_membrane_stress(&elastic->membrane, strain);
  double J = sqrt(fmax(C11 * C22 - C12 * C12, 0.0)), a = sqrt(C11), b = C12 / a, c = J / a;
  double S11 = s.S[0], S22 = s.S[1], S12 = s.S[2];
  look->tension[0] = look->tension[1] = 0.0;
  if (J > 0.0) {
    principal((a * a * S11 + 2.0 * a * b * S12 + b * b * S22) / J, c * c * S22 / J, c * (a * S12 + b * S22) / J,
              look->tension);
  }
  CpsVec3 k = {0.0, 0.0, 0.0};
  for (int64_t i = elastic->curvature.start[triangle]; i < elastic->curvature.start[triangle + 1]; ++i) {
    int32_t e = elastic->curvature.hinge[i];
    CpsVec3 q[4];
    for (int j = 0; j < 4; ++j) q[j] = x[mesh->hinge[e].node[j]];
    k = cps_vec3_axpy(k, cps_hinge_angle(q) - mesh->rest_angle[e], elastic->curvature.coefficient[i]);
  }
  principal(k.x, k.y, k.z / sqrt(2.0), values);
  bool first = fabs(values[0]) >= fabs(values[1]);
  look->curvature[0] = first ? values[0] : values[1];
  look->curvature[1] = first ? values[1] : values[0];
}

// The smallest positive root of a + b t + c t^2 with a > 0; infinite if there is none.
static double first_root(double a, double b, double c) {
  double disc = b * b - 4.0 * a * c;
  if (!(disc >= 0.0)) return INFINITY;
  double q = -0.5 * (b + copysign(sqrt(disc), b)), best = INFINITY;
  if (c != 0.0 && q / c > 0.0) best = q / c;
  if (q != 0.0 && a / q > 0.0) best = fmin(best, a / q);
  return best;
}

double cps_sheet_step_bound(const CpsSheetElastic* elastic, const CpsVec3* x, const CpsVec3* dx) {
  double bound = 1.0 / ALMOST;
  for (int32_t t = 0; t < elastic->mesh.triangle_count; ++t) {
    const int32_t* n = elastic->mesh.triangle + 3 * (int64_t)t;
    CpsVec3 e = cps_vec3_sub(x[n[1]], x[n[0]]), f = cps_vec3_sub(x[n[2]], x[n[0]]);
    CpsVec3 de = cps_vec3_sub(dx[n[1]], dx[n[0]]), df = cps_vec3_sub(dx[n[2]], dx[n[0]]);
    CpsVec3 N = cps_vec3_cross(e, f);
    // N.((e + t de) x (f + t df))
    double b = cps_vec3_dot(N, cps_vec3_add(cps_vec3_cross(e, df), cps_vec3_cross(de, f)));
    bound = fmin(bound, first_root(cps_vec3_dot(N, N), b, cps_vec3_dot(N, cps_vec3_cross(de, df))));
  }
  return fmin(1.0, ALMOST * bound);
}
