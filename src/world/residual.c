// How far each contact of a step is from Coulomb's law, as friction/residual.c measures whole problems:
//
//   e_i = || r_i - P_K(r_i - xi_i u~_i) || / (max_j ||r_j|| + max_j xi_j ||b_j||),   xi_i = 3 / tr W_ii              (1)
//
// with the maxima over the island of the contact, so that the largest e_i of an island is its residual. Velocities are
// those of the models after the step, impulses and b those of the problem (assemble.c, (1)).
#include "world/world.h"

#include "core/error.h"
#include "friction/law.h"

#include <math.h>

typedef struct Measuring {
  CpsStep* step;
  double* xi;  // of the contacts by island
} Measuring;

static double norm3(const double x[3]) {
  return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

// W_ii is the sum of G G^T over the terms of the contact. A block that vanishes gets the mean of the others.
static void find_xi(const CpsContacts* c, int32_t first, int32_t last, double* xi) {
  double sum = 0.0;
  int32_t known = 0;
  for (int32_t i = first; i < last; ++i) {
    double trace = 0.0;
    for (int64_t v = c->value_start[i]; v < c->value_start[i + 1]; ++v) trace += c->G[v] * c->G[v];
    xi[i] = trace > 0.0 && isfinite(3.0 / trace) ? 3.0 / trace : 0.0;
    sum += xi[i];
    known += xi[i] > 0.0;
  }
  for (int32_t i = first; i < last; ++i) {
    if (!(xi[i] > 0.0)) xi[i] = known > 0 && isfinite(sum) ? sum / known : 1.0;
  }
}

static double scale_of(const CpsContacts* c, int32_t first, int32_t last, const double* xi) {
  double largest_r = 0.0, largest_b = 0.0;
  for (int32_t i = first; i < last; ++i) {
    const double *b = c->b + 3 * (int64_t)i, *shift = c->shift + 3 * (int64_t)i;
    const double sum[3] = {b[0] + shift[0], b[1] + shift[1], b[2] + shift[2]};
    largest_r = fmax(largest_r, norm3(c->r + 3 * (int64_t)i));
    largest_b = fmax(largest_b, xi[i] * norm3(sum));
  }
  return largest_r + largest_b;
}

static void measure(void* data, int64_t first_island, int64_t last_island, int worker) {
  (void)worker;
  const Measuring* m = data;
  const CpsContacts* c = &m->step->contacts;
  for (int64_t k = first_island; k < last_island; ++k) {
    int32_t first = c->island_start[k], last = c->island_start[k + 1];
    find_xi(c, first, last, m->xi);
    double scale = scale_of(c, first, last, m->xi);
    for (int32_t i = first; i < last; ++i) {
      CpsTouching* t = &c->contact[c->order[i]];
      const double u[3] = {t->after[0] + t->shift, t->after[1], t->after[2] * t->across};
      double e = cps_law_error(CPS_LAW_COULOMB, 3, t->mu, m->xi[i], c->r + 3 * (int64_t)i, u);
      t->residual = e == 0.0 ? 0.0 : e / scale;
    }
  }
}

CpsStatus cps_step_residuals(CpsStep* step) {
  Measuring m = {step, CPS_TAKE(step->scratch, double, step->contacts.count)};
  if (!m.xi) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  cps_pool_run(step->world->pool, step->contacts.island_count, measure, &m);
  return CPS_OK;
}
