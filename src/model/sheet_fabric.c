// Named fabrics. The numbers are rounded and typical, not those of one bale; docs/theory/sheet.md says which are measured and
// which are chosen within a published range. KES units: 1 gf cm^2/cm = 9.81e-5 N m (bending), 1 gf/(cm degree) = 56.2 N/m
// (shear), an extension EMT at 500 gf/cm = 490 N/m / EMT (stretch).
#include <math.h>
#include <string.h>

#include "capstan/sheet.h"

static const CpsFabric FABRICS[] = {
    {"silk",
     0.082,
     2.0e-4,
     {16000.0, 10000.0},
     22.0,
     0.20,
     {2.5e-6, 1.9e-6},
     NAN,
     "charmeuse of 19 momme (82 g/m^2); stretch, shear and bending within the KES-F range of dress silks (Kawabata "
     "1980)"},
    {"cotton",
     0.150,
     3.2e-4,
     {12000.0, 6000.0},
     84.0,
     0.24,
     {2.6e-5, 2.0e-5},
     NAN,
     "plain weave: weight, thickness and Poisson's ratio of Penava et al. 2014; stretch and shear within the KES-F "
     "range, "
     "bending length 2.5 cm (Peirce 1930)"},
    {"wool",
     0.235,
     5.7e-4,
     {9800.0, 6100.0},
     40.0,
     0.28,
     {2.2e-5, 1.8e-5},
     NAN,
     "plain weave: weight, thickness and Poisson's ratio of Penava et al. 2014; stretch, shear and bending within the "
     "KES-F "
     "range of suitings (Kawabata 1980)"},
    {"denim",
     0.373,
     7.0e-4,
     {19600.0, 9800.0},
     170.0,
     0.20,
     {1.6e-4, 7.0e-5},
     NAN,
     "twill of 11 oz/yd^2 (373 g/m^2); stretch, shear and bending within the KES-F range of denims (Lam and Postle "
     "2006)"},
    {"paper",
     0.080,
     1.04e-4,
     {5.7e5, 2.8e5},
     1.5e5,
     0.20,
     {5.2e-4, 2.5e-4},
     NAN,
     "office paper of 80 g/m^2: moduli of 5.5 and 2.7 GPa along and across the machine (Alava and Niskanen 2006), "
     "bending "
     "E t^3/12"},
    {"rubber",
     0.238,
     2.5e-4,
     {375.0, 375.0},
     125.0,
     0.50,
     {2.6e-6, 2.6e-6},
     1.3e-6,
     "natural latex of 0.25 mm: Young's modulus 1.5 MPa, 950 kg/m^3, incompressible (Treloar 1975)"},
};
enum { FABRIC_COUNT = sizeof FABRICS / sizeof *FABRICS };

int32_t cps_fabric_count(void) {
  return FABRIC_COUNT;
}

bool cps_fabric_get(int32_t i, CpsFabric* fabric) {
  if (i < 0 || i >= FABRIC_COUNT) return false;
  if (fabric) *fabric = FABRICS[i];
  return true;
}

bool cps_fabric_find(const char* name, CpsFabric* fabric) {
  for (int32_t i = 0; name && i < FABRIC_COUNT; ++i) {
    if (strcmp(name, FABRICS[i].name) == 0) return cps_fabric_get(i, fabric);
  }
  return false;
}

void cps_sheet_def_use_fabric(CpsSheetDef* def, const CpsFabric* fabric) {
  if (!def || !fabric) return;
  def->density = fabric->density;
  def->thickness = fabric->thickness;
  def->shear = fabric->shear;
  def->poisson = fabric->poisson;
  def->twisting = fabric->twisting;
  memcpy(def->stretch, fabric->stretch, sizeof def->stretch);
  memcpy(def->bending, fabric->bending, sizeof def->bending);
}
