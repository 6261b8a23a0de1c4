// The least factor on the stiffness of a rod with which it is stable where it is.
//
// Made f times as stiff and inverted again, the rod stands in the same place under the same moments, and the second derivative
// of its energy is f K + C (rod_statics.h). It is stable if and only if that is positive definite, so that
//
//   f* = max(0, lambda_max(-K^-1/2 C K^-1/2)),                                                                      (1)
//
// for any stiffnesses and element lengths. (Inequality (4.6) of the habilitation of Bertails-Descoubes 2017 is sufficient;
// it is (1) for equal elements of equal stiffnesses.) The Cholesky factorisation shows whether f K + C is positive definite,
// f* is enclosed by bisection.
#include "inverse/inverse.h"

#include "core/error.h"
#include "sparse/banded.h"
#include "things/fibres.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20, ITERATIONS = 3 };
static const double LARGEST = 1e15, ACCURACY = 1e-11;
static const double CLOSER = 0.01;  // part of the bracket that a round should leave

void cps_rod_matrices_free(CpsRodMatrices* m) {
  free(m->K);
  *m = (CpsRodMatrices){0};
}

static bool take(int32_t n, int32_t band, CpsRodMatrices* m) {
  const size_t count = (size_t)n * ((size_t)band + 1);
  *m = (CpsRodMatrices){.n = n, .band = band, .K = calloc(3 * count + 3 * (size_t)n, sizeof *m->K)};
  if (!m->K) return false;
  m->C = m->K + count;
  m->L = m->C + count;
  m->x = m->L + count;
  return true;
}

CpsStatus cps_rod_matrices_copy(const CpsRodMatrices* from, CpsRodMatrices* m) {
  if (!take(from->n, from->band, m)) return CPS_NO_MEMORY;
  memcpy(m->K, from->K, 2 * (size_t)m->n * ((size_t)m->band + 1) * sizeof *m->K);
  return CPS_OK;
}

CpsStatus cps_rod_matrices(const CpsRod* rod, const CpsRodLoad* load, CpsRodMatrices* m) {
  int32_t band;
  const int32_t n = rod->type->statics->size(rod, &band);
  if (!take(n, band, m)) return CPS_NO_MEMORY;
  const CpsStatus status = rod->type->statics->hessian(rod, load, m->K, m->C);
  if (status != CPS_OK) cps_rod_matrices_free(m);
  return status;
}

bool cps_rod_matrices_factor(const CpsRodMatrices* m, double factor) {
  const size_t count = (size_t)m->n * ((size_t)m->band + 1);
  for (size_t i = 0; i < count; ++i) m->L[i] = factor * m->K[i] + m->C[i];
  return cps_banded_factor(m->n, m->band, m->L);
}

static double product(int32_t n, const double* x, const double* y) {
  double sum = 0.0;
  for (int32_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// Rayleigh's quotient -x^T C x / x^T K x, a lower bound of f*, after some inverse iterations with the current factor L.
static double quotient(const CpsRodMatrices* m) {
  double *x = m->x, *y = x + m->n;
  for (int k = 0; k < ITERATIONS; ++k) {
    cps_banded_multiply(m->n, m->band, m->K, x, y);
    cps_banded_solve_lower(m->n, m->band, m->L, 0, y);
    cps_banded_solve_upper(m->n, m->band, m->L, y);
    const double size = sqrt(product(m->n, y, y));
    for (int32_t i = 0; i < m->n; ++i) x[i] = y[i] / size;
  }
  cps_banded_multiply(m->n, m->band, m->C, x, y);
  const double c = product(m->n, x, y);
  cps_banded_multiply(m->n, m->band, m->K, x, y);
  return -c / product(m->n, x, y);
}

// A few rounds, each with a factorisation and a quotient, narrow the bracket to almost zero.
static void narrow(const CpsRodMatrices* m, double* low, double* high) {
  for (int32_t i = 0; i < m->n; ++i) m->x[i] = 1.0;
  bool factored = cps_rod_matrices_factor(m, *high);
  for (int round = 0; round < ROUNDS && factored && *high - *low > ACCURACY * *high; ++round) {
    const double q = quotient(m);
    if (q > *low && q < *high) *low = q;
    const double trial = fmax(*low + CLOSER * (*high - *low), *low * (1.0 + 0.5 * ACCURACY));
    if (!(trial < *high)) return;
    if (cps_rod_matrices_factor(m, trial)) {
      *high = trial;
    } else {
      *low = trial;
      factored = cps_rod_matrices_factor(m, *high);
    }
  }
}

double cps_rod_least_factor(const CpsRodMatrices* m) {
  double low = 0.0, high = 1.0;
  if (cps_rod_matrices_factor(m, 0.0)) return 0.0;
  while (!cps_rod_matrices_factor(m, high)) {
    low = high;
    high *= 4.0;
    if (high > LARGEST) return INFINITY;
  }
  narrow(m, &low, &high);
  // starting from 0, the first halvings find the order of magnitude
  while (high - low > ACCURACY * high && high > 1.0 / LARGEST) {
    const double middle = low > 0.0 && high > 2.0 * low ? sqrt(low * high) : 0.5 * (low + high);
    if (cps_rod_matrices_factor(m, middle)) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return high > 1.0 / LARGEST ? high : 0.0;
}

CpsStatus cps_world_fibre_stability(CpsWorld* world, CpsFibreId id, CpsFibreStability* stability, CpsError* error) {
  const CpsFibre* f = cps_world_find_fibre(world, id);
  if (!f || !stability) {
    return cps_fail(error, CPS_BAD_ARGUMENT, f ? "stability is NULL" : "the fibre does not exist or was removed");
  }
  CpsStatus status = cps_rod_can_settle(&f->rod, error);
  if (status != CPS_OK) return status;
  const CpsModelStep step = {.h = world->h, .theta = world->def.theta, .gravity = world->def.gravity};
  cps_pulls_expect(world, &step);
  const CpsRodLoad load = cps_rod_load(&f->rod, world->def.gravity, f->rod.pull_count, f->rod.pulls);
  CpsRodMatrices m;
  status = cps_rod_matrices(&f->rod, &load, &m);
  cps_pulls_restore(world);
  if (status != CPS_OK) return cps_fail(error, status, "not enough memory to find out whether a fibre is stable");
  stability->least_factor = cps_rod_least_factor(&m);
  stability->stable = stability->least_factor < 1.0;
  cps_rod_matrices_free(&m);
  return cps_succeed(error);
}
