// Whether the time step keeps a fibre at rest that is stable.
//
// The step takes the stiffness K implicitly and the rest C of the second derivative as it is at the beginning (rod_statics.h). About rest,
// with the mass M, the internal damping d K and theta = 1,
//
//   M (v+ - v) / h + d K v+ + K q+ + C q = 0,     q+ = q + h v+                                                    (1)
//
// A mode q z^n of (1) obeys x*M x (z - 1)^2 + ... = 0 with real coefficients, and grows if and only if (1) has a root z < -1, which is
// the case exactly if
//
//   4 M / h^2 + (1 + 2 d / h) K - C                                                                                (2)
//
// is not positive definite: super-helices and super-clothoids have hardly any mass in twist, and there the weight may be stiffer than the
// rod. Without damping such a rod left its shape in steps of any length. Drag counts as no mass here.
#include "inverse/inverse.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS = 3 };
static const double PLACE[POINTS] = {0.1127016653792583, 0.5, 0.8872983346207417};
static const double WEIGHT[POINTS] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};  // of Gauss

// 4 M / h^2 as springs at rest.
static void add_mass(const CpsRod* rod, double h, CpsRodLoad* load, CpsRodPull* pulls) {
  const double l = rod->spec.length / rod->spec.elements;
  for (int32_t i = 0; i < rod->spec.elements; ++i) {
    const double mass = rod->spec.branch[0].line_density * cps_rod_element_taper(&rod->spec, i, 2) * l;
    for (int k = 0; k < POINTS; ++k) {
      const double s = (i + PLACE[k]) * l;
      pulls[load->pull_count++] =
          (CpsRodPull){.s = s, .stiffness = 4.0 / (h * h) * WEIGHT[k] * mass, .target = rod->type->at(rod, s).position};
    }
  }
}

bool cps_rod_step_matters(const CpsRod* rod, double theta) {
  return theta == 1.0 && rod->type->statics != &cps_der_statics && rod->spec.branch_count == 1;
}

CpsStatus cps_rod_step_matrices(const CpsRod* rod, const CpsRodLoad* load, double h, CpsRodMatrices* m) {
  CpsRodMatrices held;
  CpsRodLoad heavy = {.gravity = load->gravity, .pull_count = load->pull_count};
  const double f = 1.0 + 2.0 * rod->spec.damping / h;
  CpsStatus status = cps_rod_loaded_matrices(rod, load, m);
  if (status != CPS_OK) return status;
  const size_t size = (size_t)m->n * ((size_t)m->band + 1);
  for (size_t i = 0; i < size; ++i) {
    m->K[i] *= f;
    m->C[i] = -m->C[i];
  }
  // the mass is most of the work
  if (cps_rod_matrices_factor(m, 1.0)) return CPS_OK;
  const size_t count = (size_t)load->pull_count + (size_t)POINTS * (size_t)rod->spec.elements;
  CpsRodPull* pulls = malloc(count * sizeof *pulls);
  if (!pulls) return CPS_NO_MEMORY;
  if (load->pull_count > 0) memcpy(pulls, load->pulls, (size_t)load->pull_count * sizeof *pulls);
  add_mass(rod, h, &heavy, pulls);
  heavy.pulls = pulls;
  heavy.touch_count = load->touch_count;
  heavy.touches = load->touches;
  status = cps_rod_held_matrices(rod, &heavy, &held);
  free(pulls);
  if (status != CPS_OK) return status;
  for (size_t i = 0; i < size; ++i) m->C[i] = held.C[i] + 2.0 * m->C[i];
  cps_rod_matrices_free(&held);
  return CPS_OK;
}
