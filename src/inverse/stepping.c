// Whether the time step keeps a fibre at rest that is stable.
//
// About rest, with the mass M, the stiffness K, the rest C of the second derivative of the energy (rod_statics.h) and the internal damping
// d K, a step is linear in the places q and the velocities v. With v~ = theta v+ + (1 - theta) v, q+ = q + h v~ and w = theta z + 1 - theta,
// a movement q z^n of super-helices and super-clothoids, which take C as it is at the beginning of the step, is
//
//   [ M (z - 1)^2 / h + (d + h theta) K w (z - 1) + h (K + C) w ] q = 0                                            (1)
//
// and one of discrete rods, whose forces are those of the place q + (1 - theta) h v, is
//
//   [ M (z - 1)^2 / h + d K w (z - 1) + h (K + T) w^2 + h (C - T) z ] q = 0                                        (2)
//
// T >= 0 the part of C by edges that are pulled and turn. All matrices are symmetric: q*[...]q = 0 is a quadratic with real coefficients,
// whose roots are in the unit circle if it is positive at z = 1, which is the stability of the equilibrium, positive at z = -1, and the
// factor of z^2 is larger than that of 1:
//
//   super-models     4 M / h^2 + (2 theta - 1) [ (2 d / h + 2 theta - 1) K - C ]                                   (3)
//   discrete rods    4 M / h^2 + (2 theta - 1) (2 d / h + 2 theta - 1) K + (2 theta - 1)^2 T - (C - T)
//   super-models     (d / h + 2 theta - 1) K - (1 - theta) C                                                       (4)
//
// must be positive definite. Without (3) there is a root z < -1. (4) is always so at theta = 1, and what it asks of discrete rods at any
// theta; it is sufficient, and almost necessary: without it a movement must mix directions. Super-models have hardly any mass in twist, and
// there the weight may be stiffer than the rod. Drag counts as no mass here.
#include "inverse/inverse.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS = 3 };
static const double PLACE[POINTS] = {0.1127016653792583, 0.5, 0.8872983346207417};
static const double WEIGHT[POINTS] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};  // of Gauss quadrature
static const double SLACK =
    1e-6;  // relative to K: slower growth is ignored, as forces of zero load are left to rounding

// A load whose springs are forces, with room for more pulls. The step has its springs at its end, like K, with this
// `share` of their stiffness.
typedef struct Still {
  CpsRodLoad load;
  CpsRodPull* pulls;
} Still;

static bool make_still(const CpsRod* rod, const CpsRodLoad* load, double share, int32_t more, Still* out) {
  out->load = *load;
  out->pulls = malloc(((size_t)load->pull_count + (size_t)more + 1) * sizeof *out->pulls);
  for (int32_t i = 0; out->pulls && i < load->pull_count; ++i) {
    const CpsRodPull* pull = &load->pulls[i];
    out->pulls[i] = (CpsRodPull){.s = pull->s,
                                 .force = cps_rod_pull_force(rod, pull),
                                 .stiffness = share * pull->stiffness,
                                 .target = rod->type->at(rod, pull->s).position};
  }
  out->load.pulls = out->pulls;
  return out->pulls != NULL;
}

// Adds `factor` M along the centreline, as springs at rest.
static void add_mass(const CpsRod* rod, double factor, Still* to) {
  for (int32_t b = 0; b < rod->spec.branch_count; ++b) {
    const CpsRodBranch* branch = &rod->spec.branch[b];
    for (int32_t i = 0; i < branch->elements; ++i) {
      const double taper = b == 0 ? cps_rod_element_taper(&rod->spec, i, 2) : 1.0;
      const double l = cps_rod_element_size(branch, i), mass = branch->line_density * taper * l;
      for (int k = 0; k < POINTS; ++k) {
        const double s = branch->start + cps_rod_element_start(branch, i) + PLACE[k] * l;
        to->pulls[to->load.pull_count++] =
            (CpsRodPull){.s = s, .stiffness = factor * WEIGHT[k] * mass, .target = rod->type->at(rod, s).position};
      }
    }
  }
}

static size_t size_of(const CpsRodMatrices* m) {
  return (size_t)m->n * ((size_t)m->band + 1);
}

// K and C without any supports of the rod. If it has none, those of rest are the same.
static CpsStatus find_loaded(const CpsRod* rod, const CpsRodLoad* load, const CpsRodMatrices* rest, CpsRodMatrices* m) {
  Still still;
  *m = (CpsRodMatrices){0};
  if (load->pull_count + load->touch_count == 0) return cps_rod_matrices_copy(rest, m);
  const CpsStatus status =
      make_still(rod, load, 0.0, 0, &still) ? cps_rod_loaded_matrices(rod, &still.load, m) : CPS_NO_MEMORY;
  free(still.pulls);
  return status;
}

// The same with `share` of the springs, with contacts as supports and, for models without step_parts, with `mass` times M.
static CpsStatus find_held(const CpsRod* rod, const CpsRodLoad* load, double share, double mass, CpsRodMatrices* m) {
  Still still;
  *m = (CpsRodMatrices){0};
  CpsStatus status = make_still(rod, load, share, POINTS * rod->spec.elements, &still) ? CPS_OK : CPS_NO_MEMORY;
  if (status == CPS_OK) {
    if (mass > 0.0 && !rod->type->statics->step_parts) add_mass(rod, mass, &still);
    status = cps_rod_held_matrices(rod, &still.load, m);
  }
  free(still.pulls);
  return status;
}

// Whether the rod is discrete, for which (2) holds.
static bool is_discrete(const CpsRod* rod) {
  return rod->type->statics->step_parts != NULL;
}

bool cps_rod_step_matters(const CpsRod* rod, double theta) {
  return is_discrete(rod) || theta > 0.5;
}

CpsStatus cps_rod_step_matrices(const CpsRod* rod, const CpsRodLoad* load, const CpsRodMatrices* rest, double h,
                                double theta, CpsRodMatrices* m) {
  CpsRodMatrices held;
  const bool discrete = is_discrete(rod);
  const double late = 2.0 * theta - 1.0, f = late * (2.0 * rod->spec.damping / h + late), c = discrete ? 1.0 : late;
  CpsStatus status = find_loaded(rod, load, rest, m);
  if (status != CPS_OK) return status;
  for (size_t i = 0; i < size_of(m); ++i) {
    m->K[i] *= f;
    m->C[i] *= -c;
  }
  // most of the work is the mass
  if (!discrete && cps_rod_matrices_factor(m, 1.0)) return CPS_OK;
  // without springs and contacts, a discrete rod is held by its load alone
  if (!discrete || load->pull_count + load->touch_count > 0) {
    status = find_held(rod, load, late * late, 4.0 / (h * h), &held);
    if (status != CPS_OK) return status;
    // held.C includes C
    for (size_t i = 0; i < size_of(m); ++i) m->C[i] = held.C[i] + (1.0 + c) / c * m->C[i];
    cps_rod_matrices_free(&held);
  }
  if (discrete) rod->type->statics->step_parts(rod, 4.0 / (h * h), 1.0 + f, 1.0 + late * late, m->C);
  return CPS_OK;
}

bool cps_rod_step_is_late(const CpsRod* rod, double theta) {
  return theta < 1.0 && !is_discrete(rod);
}

CpsStatus cps_rod_late_matrices(const CpsRod* rod, const CpsRodLoad* load, const CpsRodMatrices* rest, double h,
                                double theta, CpsRodMatrices* m) {
  CpsRodMatrices held;
  CpsStatus status = find_loaded(rod, load, rest, m);
  if (status == CPS_OK) status = find_held(rod, load, 2.0 * theta - 1.0, 0.0, &held);
  if (status != CPS_OK) return status;
  const double f = rod->spec.damping / h + 2.0 * theta - 1.0 + SLACK;
  for (size_t i = 0; i < size_of(m); ++i) {
    m->C[i] = held.C[i] - (2.0 - theta) * m->C[i];
    m->K[i] *= f;
  }
  cps_rod_matrices_free(&held);
  return CPS_OK;
}
