// One linear fabric from a measured table.
//
// ARCSim turns the table into a stress S = 2 c E for E = (F^T F - I)/2 and S12 = c33 (2 E12), and into hinges of the energy
// k l^2 theta^2 / 8 (A_1 + A_2) (Bridson et al. 2003), where those of a plate have B l^2 theta^2 / 2 (A_1 + A_2):
//
//   C11 = 2 c11,   C22 = 2 c22,   C12 = 2 c12,   C66 = c33,   B = k / 4                                            (1)
//   nu = C12 / sqrt(C11 C22),   E_warp = C11 (1 - nu^2),   E_weft = C22 (1 - nu^2)                                  (2)
//
// An edge along the warp bends the weft. At 45 degrees a plate has B_45 = (B_1 + B_2)/4 + T/2, which gives the twisting T.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "capstan/fabric.h"

static const double MEASURED_STRETCH = 1.0 / 6.0, CURVATURE_STEP = 10.0, THICKNESS = 5e-4;
static const double SOFTEST = 1e-3, MOST_POISSON = 0.95;

// Entry k of the stiffness for stretching in the direction of row 1 + angle.
static double stiffness(const CpsFabricTable* t, double weight, int angle, int k) {
  return fmax(0.0, (1.0 - weight) * t->stretching[0][k] + weight * t->stretching[1 + angle][k]);
}

static double hinge(const CpsFabricTable* t, double curvature, int row) {
  double at = fmin(curvature / CURVATURE_STEP, 4.0);
  int i = (int)fmin(at, 3.0);
  return fmax(0.0, (1.0 - (at - i)) * t->bending[row][i] + (at - i) * t->bending[row][i + 1]);
}

CpsStatus cps_fabric_table_at(const CpsFabricTable* table, double stretch, double curvature, CpsFabric* fabric,
                              CpsError* error) {
  if (!table || !fabric || !(stretch >= 0.0) || !(curvature >= 0.0)) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, table ? table->name : "fabric", NULL,
                       "stretch %g and curvature %g must not be negative", stretch, curvature);
  }
  double weight = fmin(stretch / MEASURED_STRETCH, 1.0);
  double C11 = 2.0 * stiffness(table, weight, 0, 0), C22 = 2.0 * stiffness(table, weight, 4, 2);
  double C12 = stiffness(table, weight, 0, 1) + stiffness(table, weight, 4, 1), C66 = stiffness(table, weight, 2, 3);
  double largest = fmax(C11, C22);
  if (!(table->density > 0.0) || !(largest > 0.0) || !isfinite(largest)) {
    return cps_io_fail(error, CPS_BAD_DATA, table->name, NULL, "the fabric has no stiffness or no density");
  }
  C11 = fmax(C11, SOFTEST * largest), C22 = fmax(C22, SOFTEST * largest), C66 = fmax(C66, SOFTEST * largest);
  double nu = fmin(C12 / sqrt(C11 * C22), MOST_POISSON), plane = 1.0 - nu * nu;
  CpsFabric f = {.density = table->density, .thickness = THICKNESS, .shear = C66, .poisson = nu};
  f.stretch[0] = plane * C11, f.stretch[1] = plane * C22;
  f.bending[0] = 0.25 * hinge(table, curvature, 2), f.bending[1] = 0.25 * hinge(table, curvature, 0);
  f.twisting = fmax(0.0, 0.5 * hinge(table, curvature, 1) - 0.5 * (f.bending[0] + f.bending[1]));
  f.source = "a file in the format of Wang, O'Brien and Ramamoorthi (2011)";
  memcpy(f.name, table->name, sizeof f.name);
  f.name[sizeof f.name - 1] = '\0';
  *fabric = f;
  if (error) error->text[0] = '\0';
  return CPS_OK;
}
