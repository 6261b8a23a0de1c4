// Equilibria of sheets for tests: Newton's method on energy + load, with the sparse factorisation of the library.
#ifndef CAPSTAN_TESTS_MODEL_SHEET_STATICS_H
#define CAPSTAN_TESTS_MODEL_SHEET_STATICS_H

#include <string.h>

#include "sheet_setup.h"
#include "sparse/ldl.h"

// K in full, compressed columns, rows and columns of held degrees of freedom replaced by those of the identity.
typedef struct Statics {
  CpsSheetElastic* s;
  bool* held;    // 3 per node
  double* load;  // force, 3 per node
  int64_t n;
  int64_t *start, *row, *from;  // entry k of the full matrix is value[from[k]]
  double *value, *full, *step;
  CpsVec3 *x, *trial, *gradient;
  CpsLdl* ldl;
  int iterations;
} Statics;

// Scalar columns of a symmetric matrix of blocks: each lower block is used twice.
static inline void full_pattern(Statics* q) {
  const CpsBlockPattern* p = &q->s->pattern;
  int64_t* next = calloc((size_t)q->n + 1, sizeof *next);
  for (int pass = 0; pass < 2; ++pass) {
    for (int32_t i = 0; i < p->rows; ++i) {
      for (int64_t k = p->start[i]; k < p->start[i + 1]; ++k) {
        for (int a = 0; a < 9; ++a) {
          int64_t r = 3 * (int64_t)i + a / 3, c = 3 * (int64_t)p->col[k] + a % 3;
          for (int side = 0; side < (p->col[k] == i ? 1 : 2); ++side) {
            int64_t column = side ? r : c, line = side ? c : r;
            if (pass == 0) {
              q->start[column + 1]++;
            } else {
              q->from[next[column]] = 9 * k + a;
              q->row[next[column]++] = line;
            }
          }
        }
      }
    }
    if (pass > 0) break;
    for (int64_t i = 0; i < q->n; ++i) q->start[i + 1] += q->start[i];
    memcpy(next, q->start, ((size_t)q->n + 1) * sizeof *next);
    q->row = calloc((size_t)q->start[q->n], sizeof *q->row);
    q->from = calloc((size_t)q->start[q->n], sizeof *q->from);
  }
  free(next);
}

static inline Statics make_statics(CpsSheetElastic* s) {
  Statics q = {.s = s, .n = 3 * (int64_t)s->mesh.node_count};
  size_t n = (size_t)q.n;
  q.held = calloc(n, sizeof *q.held);
  q.load = calloc(n, sizeof *q.load);
  q.step = calloc(n, sizeof *q.step);
  q.start = calloc(n + 1, sizeof *q.start);
  q.x = shaken(s, 0.0, 1);
  q.trial = zero_vectors(s);
  q.gradient = zero_vectors(s);
  q.value = zero_blocks(s);
  full_pattern(&q);
  q.full = calloc((size_t)q.start[n], sizeof *q.full);
  q.ldl = cps_ldl_create(q.n, q.start, q.row);
  assert_non_null(q.ldl);
  return q;
}

static inline void free_statics(Statics* q) {
  cps_ldl_destroy(q->ldl);
  free(q->held);
  free(q->load);
  free(q->step);
  free(q->start);
  free(q->row);
  free(q->from);
  free(q->x);
  free(q->trial);
  free(q->gradient);
  free(q->value);
  free(q->full);
}

static inline void hold(Statics* q, int32_t node, bool x, bool y, bool z) {
  q->held[3 * (int64_t)node] = x, q->held[3 * (int64_t)node + 1] = y, q->held[3 * (int64_t)node + 2] = z;
}

// The matrix of `value` with held rows and columns replaced.
static inline void fill_full(Statics* q) {
  for (int64_t c = 0; c < q->n; ++c) {
    for (int64_t k = q->start[c]; k < q->start[c + 1]; ++k) {
      bool out = q->held[c] || q->held[q->row[k]];
      q->full[k] = out ? (c == q->row[k] ? 1.0 : 0.0) : q->value[q->from[k]];
    }
  }
}

static inline double objective(Statics* q, const CpsVec3* x) {
  CpsSheetEnergy e = cps_sheet_energy(q->s, NULL, x);
  double sum = e.membrane + e.bending;
  for (int64_t i = 0; i < q->n; ++i) sum -= q->load[i] * ((const double*)x)[i];
  return sum;
}

// x <- x + t step with t halved until the energy falls; false: it does not.
static inline bool descend(Statics* q, double slope) {
  double before = objective(q, q->x), t = cps_sheet_step_bound(q->s, q->x, (const CpsVec3*)q->step);
  for (int halving = 0; halving < 20; ++halving, t *= 0.5) {
    for (int64_t i = 0; i < q->n; ++i) ((double*)q->trial)[i] = ((double*)q->x)[i] + t * q->step[i];
    if (!(objective(q, q->trial) <= before - 1e-4 * t * slope + 1e-13 * fabs(before))) continue;
    memcpy(q->x, q->trial, (size_t)q->n * sizeof(double));
    return true;
  }
  return false;
}

// The equilibrium near x by Newton's method, until no force is larger than the tolerance. Returns whether it was found.
static inline bool find_equilibrium(Statics* q, bool exact, double tolerance, int most) {
  size_t blocks = 9 * (size_t)q->s->pattern.start[q->s->pattern.rows];
  double* force = malloc((size_t)q->n * sizeof *force);
  bool found = false;
  for (q->iterations = 0; q->iterations < most && !found; ++q->iterations) {
    cps_sheet_gradient(q->s, NULL, q->x, q->gradient);
    double worst = 0.0, slope = 0.0;
    for (int64_t i = 0; i < q->n; ++i) {
      force[i] = q->held[i] ? 0.0 : q->load[i] - ((double*)q->gradient)[i];
      worst = fmax(worst, fabs(force[i]));
    }
    found = worst < tolerance;
    if (found) break;
    // where the exact matrix is indefinite the clamped one goes down
    for (int kind = exact ? CPS_HESSIAN_EXACT : CPS_HESSIAN_CLAMPED; kind >= CPS_HESSIAN_CLAMPED && !(slope > 0.0);
         --kind) {
      memset(q->value, 0, blocks * sizeof *q->value);
      cps_sheet_hessian(q->s, NULL, q->x, (CpsHessianKind)kind, 1.0, 1.0, q->value);
      fill_full(q);
      memcpy(q->step, force, (size_t)q->n * sizeof *force);
      if (!cps_ldl_factor(q->ldl, q->full)) continue;
      cps_ldl_solve(q->ldl, q->step);
      slope = 0.0;
      for (int64_t i = 0; i < q->n; ++i) slope += force[i] * q->step[i];
    }
    if (!(slope > 0.0) || !descend(q, slope)) break;
  }
  free(force);
  return found;
}

#endif
