// Three laws of a membrane as functions of Green's strain E = (F^T F - I)/2, per rest area:
//
//   stvk           psi = (C11 E11^2 + C22 E22^2)/2 + C12 E11 E22 + C66 (2 E12)^2/2                                  (1)
//   neo-hookean    psi = min over t of mu/2 (tr C + t^2 - 3) - mu ln(J t) + lambda/2 ln^2(J t)  + (1) of the rest   (2)
//   baraff-witkin  psi = C11 (|f_1| - 1)^2/2 + C22 (|f_2| - 1)^2/2 + C66 (f_1.f_2)^2/2                              (3)
//
// C = F^T F, J = sqrt(det C), t the stretch of the thickness (plane stress). At the minimum of (2)
//
//   mu (t^2 - 1) + lambda (ln J + ln t) = 0                                                                       (4)
//
// which is convex and increasing in ln t. The isotropic part of (2) is as stiff as the softest of warp, weft and shear
// allows; the rest of the stiffness acts through (1). Stresses are exact. At zero strain all laws have the tangent of (1), except
// that (3) has no C12. Baraff and Witkin (1998) multiply conditions by area; here all terms are per area, so the mesh does not matter.
//
// With (1) and (3) a triangle can collapse to a line at finite energy, where the bending angles at its edges have no
// gradient. Both laws therefore gain a term if the area is less than the fraction J_0 of the rest area,
//
//   psi += k/3 ln^3(J_0 / J),   k = sqrt(C11 C22)                                                                   (5)
//
// whose second derivative starts from zero. (2) resists collapse by itself.
#include "model/sheet_membrane.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double CRUSHED = 0.1;  // J_0 of (5)

CpsMembrane cps_membrane_make(const CpsSheetDef* def) {
  double warp = def->stretch[0], weft = def->stretch[1], nu = def->poisson, mean = sqrt(warp * weft);
  double shear = isnan(def->shear) ? mean / (2.0 * (1.0 + nu)) : def->shear;
  CpsMembrane m = {.law = def->membrane, .C66 = shear};
  if (def->membrane == CPS_MEMBRANE_BARAFF_WITKIN) {
    m.C11 = warp, m.C22 = weft;
    return m;
  }
  double plane = 1.0 / (1.0 - nu * nu);
  m.C11 = plane * warp, m.C22 = plane * weft, m.C12 = plane * nu * mean;
  if (def->membrane == CPS_MEMBRANE_NEO_HOOKEAN) {
    // E0 with shear E0 / 2 (1 + nu); three-dimensional Lame constants that reproduce E0 in plane stress. Beyond 1/2, where
    // no solid exists, the base uses the limit for solids.
    double E0 = fmin(fmin(warp, weft), 2.0 * (1.0 + nu) * shear), solid = fmin(nu, 0.49);
    m.mu = E0 / (2.0 * (1.0 + solid));
    m.lambda = E0 * solid / ((1.0 + solid) * (1.0 - 2.0 * solid));
    double base = E0 / (1.0 - solid * solid);
    m.C11 -= base, m.C22 -= base, m.C12 -= solid * base, m.C66 -= m.mu;
  }
  return m;
}

// (4) in y = ln t by Newton's method. f is convex and increasing, so from a point with f >= 0 it descends to the root.
static double log_thickness(double mu, double lambda, double log_J) {
  double y = 0.0;
  if (lambda * log_J < 0.0) {
    // mu (e^2y - 1) >= 2 mu y, so f >= 0 here
    y = lambda >= 0.0 ? -lambda * log_J / (2.0 * mu + lambda) : 0.0;
  }
  for (int i = 0; i < 100; ++i) {
    double e = exp(2.0 * y), f = mu * (e - 1.0) + lambda * (log_J + y), step = f / (2.0 * mu * e + lambda);
    y -= step;
    if (!(fabs(step) > 1e-15 * fmax(1.0, fabs(y)))) break;
  }
  return y;
}

static void add_quadratic(const CpsMembrane* m, const double strain[3], CpsMembraneStress* out) {
  double S11 = m->C11 * strain[0] + m->C12 * strain[1], S22 = m->C12 * strain[0] + m->C22 * strain[1];
  double S12 = m->C66 * strain[2];
  out->energy += 0.5 * (S11 * strain[0] + S22 * strain[1] + S12 * strain[2]);
  out->S[0] += S11, out->S[1] += S22, out->S[2] += S12;
  out->tangent[0][0] += m->C11, out->tangent[1][1] += m->C22, out->tangent[2][2] += m->C66;
  out->tangent[0][1] += m->C12, out->tangent[1][0] += m->C12;
}

// C^-1 (11, 22, 12) and its derivatives by (E11, E22, 2 E12): dC^-1 = -C^-1 dC C^-1. Returns det C; the rest is valid if it is
// positive.
static double invert_metric(const double strain[3], double inverse[3], double d[3][3]) {
  double a = 1.0 + 2.0 * strain[0], b = 1.0 + 2.0 * strain[1], c = strain[2], det = a * b - c * c;
  double p = b / det, q = a / det, r = -c / det;
  inverse[0] = p, inverse[1] = q, inverse[2] = r;
  const double by_strain[3][3] = {
      {-2.0 * p * p, -2.0 * r * r, -2.0 * p * r},
      {-2.0 * r * r, -2.0 * q * q, -2.0 * q * r},
      {-2.0 * p * r, -2.0 * q * r, -(p * q + r * r)},
  };
  memcpy(d, by_strain, sizeof by_strain);
  return a > 0.0 ? det : 0.0;
}

// With D = det C: d ln J = C^-1 : dE, and (4) gives d ln t = -lambda / (2 mu t^2 + lambda) d ln J, so that
//   S = mu (I - C^-1) + lambda ln(J t) C^-1 = mu (I - t^2 C^-1)
//   dS = -mu t^2 (dC^-1 + 2 C^-1 d ln t)
static void add_neo_hookean(const CpsMembrane* m, const double strain[3], CpsMembraneStress* out) {
  double inverse[3], d[3][3], det = invert_metric(strain, inverse, d);
  if (!(det > 0.0)) {
    out->energy = INFINITY;
    return;
  }
  double a = 1.0 + 2.0 * strain[0], b = 1.0 + 2.0 * strain[1];
  double log_J = 0.5 * log(det), y = log_thickness(m->mu, m->lambda, log_J), tt = exp(2.0 * y), volume = log_J + y;
  out->energy += 0.5 * m->mu * (a + b + tt - 3.0) - m->mu * volume + 0.5 * m->lambda * volume * volume;
  out->S[0] += m->mu * (1.0 - tt * inverse[0]);
  out->S[1] += m->mu * (1.0 - tt * inverse[1]);
  out->S[2] -= m->mu * tt * inverse[2];
  double thinner = m->lambda / (2.0 * m->mu * tt + m->lambda), k = m->mu * tt;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out->tangent[i][j] += k * (2.0 * thinner * inverse[i] * inverse[j] - d[i][j]);
  }
}

// (5) with l = ln(J_0 / J): S = -k l^2 C^-1, dS = k (2 l C^-1 (C^-1 : dE) - l^2 dC^-1)
static void add_crushing(const CpsMembrane* m, const double strain[3], CpsMembraneStress* out) {
  double inverse[3], d[3][3], det = invert_metric(strain, inverse, d);
  if (det >= CRUSHED * CRUSHED) return;
  if (!(det > 0.0)) {
    out->energy = INFINITY;
    return;
  }
  double k = sqrt(m->C11 * m->C22), l = log(CRUSHED) - 0.5 * log(det);
  out->energy += k / 3.0 * l * l * l;
  for (int i = 0; i < 3; ++i) {
    out->S[i] -= k * l * l * inverse[i];
    for (int j = 0; j < 3; ++j) out->tangent[i][j] += k * l * (2.0 * inverse[i] * inverse[j] - l * d[i][j]);
  }
}

// |f| = sqrt(1 + 2 E): psi = k (|f| - 1)^2/2, S = k (1 - 1/|f|), dS/dE = k / |f|^3
static void add_length(double stiffness, double strain, int i, CpsMembraneStress* out) {
  double squared = 1.0 + 2.0 * strain, length = sqrt(fmax(squared, DBL_MIN)), longer = length - 1.0;
  out->energy += 0.5 * stiffness * longer * longer;
  out->S[i] += stiffness * longer / length;
  out->tangent[i][i] += stiffness / (length * length * length);
}

CpsMembraneStress cps_membrane_stress(const CpsMembrane* m, const double strain[3]) {
  CpsMembraneStress out = {0};
  if (m->law == CPS_MEMBRANE_BARAFF_WITKIN) {
    add_length(m->C11, strain[0], 0, &out);
    add_length(m->C22, strain[1], 1, &out);
    out.energy += 0.5 * m->C66 * strain[2] * strain[2];
    out.S[2] += m->C66 * strain[2];
    out.tangent[2][2] += m->C66;
  } else {
    add_quadratic(m, strain, &out);
  }
  if (m->law == CPS_MEMBRANE_NEO_HOOKEAN) {
    add_neo_hookean(m, strain, &out);
  } else {
    add_crushing(m, strain, &out);
  }
  return out;
}
