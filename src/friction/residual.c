// The common error measure (docs/theory/law.md): one function for all methods, computed outside of them.
//
//   e_i = || r_i - P_K(r_i - xi_i u~_i) ||,   residual = max_i e_i / (max_i ||r_i|| + max_i xi_i ||b_i||)          (1)
//
// u is the velocity with its shift; for contacts with a dashpot or cohesion r is the argument of their law
// (rheology.h). In addition the measure of Siconos,  sqrt(sum_i e_i^2 with xi_i = 1) / ||b||.
//
// The number of pieces in which contacts are measured depends on the problem alone, and the pieces are added in order:
// the same bits for any number of threads.
#include "friction/residual.h"

#include "friction/law.h"
#include "friction/rheology.h"

#include <math.h>
#include <stdlib.h>

// Number of pieces, and minimum contacts per piece.
enum { MOST_PIECES = 64, LEAST_CONTACTS = 512 };

typedef struct Piece {
  double worst;           // largest e_i squared
  int32_t worst_contact;  // -1 if the piece is empty
  double r, b;            // largest ||r_i||^2, (xi_i ||b_i||)^2
  double sum, b_sum;      // of Siconos' e_i^2, of ||b_i||^2
} Piece;

typedef struct Measuring {
  const CpsProblem* problem;
  const double *r, *u;
  int64_t size;  // contacts per piece
  bool siconos;  // its measure too
  Piece* piece;
} Measuring;

static void measure_pieces(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Measuring* work = data;
  const CpsProblem* p = work->problem;
  for (int64_t k = first; k < last; ++k) {
    Piece piece = {.worst = -1.0, .worst_contact = -1};
    int64_t end = (k + 1) * work->size < p->contact_count ? (k + 1) * work->size : p->contact_count;
    for (int32_t i = (int32_t)(k * work->size); i < end; ++i) {
      const double *r = work->r + p->offset[i], *u = work->u + p->offset[i];
      CpsLaw law = (CpsLaw)p->law[i];
      int d = cps_contact_dim(p, i);
      double e, e_siconos = 0.0;
      if (law == CPS_LAW_COULOMB && d == 3) {
        e = cps_law_coulomb3_square(p->mu[i], p->xi[i], r, u);
        if (work->siconos) e_siconos = cps_law_coulomb3_square(p->mu[i], 1.0, r, u);
      } else {
        e = cps_law_error(law, d, p->mu[i], p->xi[i], r, u);
        if (work->siconos) e_siconos = cps_law_error(law, d, p->mu[i], 1.0, r, u);
        e *= e;
        e_siconos *= e_siconos;
      }
      // a comparison must not hide NaN, nor may the value of a later contact replace it
      if (!isnan(piece.worst) && !(e <= piece.worst)) {
        piece.worst = e;
        piece.worst_contact = i;
      }
      double rr = cps_block_square(p, i, work->r), bb = cps_block_square(p, i, p->b);
      piece.r = cps_larger(piece.r, rr);
      piece.b = cps_larger(piece.b, p->xi[i] * p->xi[i] * bb);
      piece.sum += e_siconos;
      piece.b_sum += bb;
    }
    work->piece[k] = piece;
  }
}

CpsMeasure cps_residual_measure(const CpsProblem* problem, CpsPool* pool, const double* r, const double* u,
                                bool siconos) {
  Piece pieces[MOST_PIECES];
  int64_t n = problem->contact_count, count = (n + LEAST_CONTACTS - 1) / LEAST_CONTACTS;
  if (count > MOST_PIECES) count = MOST_PIECES;
  Measuring work = {.problem = problem,
                    .r = r,
                    .u = u,
                    .piece = pieces,
                    .siconos = siconos,
                    .size = count > 0 ? (n + count - 1) / count : 0};
  cps_pool_run(count > 1 ? pool : NULL, count, measure_pieces, &work);
  CpsMeasure measure = {.residual.worst_contact = -1};
  double worst = -1.0, sum = 0.0, b_sum = 0.0;
  for (int64_t k = 0; k < count; ++k) {
    const Piece* piece = &pieces[k];
    if (!isnan(worst) && !(piece->worst <= worst)) {
      worst = piece->worst;
      measure.residual.worst_contact = piece->worst_contact;
    }
    measure.largest_r = fmax(measure.largest_r, piece->r);
    measure.largest_b = fmax(measure.largest_b, piece->b);
    sum += piece->sum;
    b_sum += piece->b_sum;
  }
  measure.largest_r = sqrt(measure.largest_r);
  measure.largest_b = sqrt(measure.largest_b);
  if (n == 0) return measure;
  double scale = measure.largest_r + measure.largest_b;
  measure.residual.natural = worst == 0.0 ? 0.0 : sqrt(worst) / scale;
  measure.residual.siconos = b_sum > 0.0 ? sqrt(sum) / sqrt(b_sum) : sqrt(sum);
  if (isnan(measure.residual.natural)) measure.residual.natural = INFINITY;
  if (isnan(measure.residual.siconos)) measure.residual.siconos = INFINITY;
  return measure;
}

double cps_residual_scale(const CpsProblem* problem, const double* r) {
  double largest_r = 0.0, largest_b = 0.0;
  for (int32_t i = 0; i < problem->contact_count; ++i) {
    largest_r = cps_larger(largest_r, cps_block_square(problem, i, r));
    largest_b = cps_larger(largest_b, problem->xi[i] * problem->xi[i] * cps_block_square(problem, i, problem->b));
  }
  return sqrt(largest_r) + sqrt(largest_b);
}

CpsResidual cps_residual_from_velocity(const CpsProblem* problem, const double* r, const double* u) {
  return cps_residual_measure(problem, NULL, r, u, true).residual;
}

CpsStatus cps_problem_residual(const CpsProblem* problem, const double* r, CpsResidual* residual) {
  if (!problem || !r || !residual) return CPS_BAD_ARGUMENT;
  double* u = malloc((size_t)(problem->row_count > 0 ? problem->row_count : 1) * sizeof *u);
  if (!u) return CPS_NO_MEMORY;
  double* s = NULL;
  bool done = cps_problem_velocity_of(problem, r, problem->b, u);
  if (done && cps_problem_has_rheology(problem)) {
    s = malloc((size_t)(problem->row_count > 0 ? problem->row_count : 1) * sizeof *s);
    done = s != NULL;
    if (done) cps_rheology_seen(problem, r, u, s);
  }
  if (done) *residual = cps_residual_from_velocity(problem, s ? s : r, u);
  free(s);
  free(u);
  return done ? CPS_OK : CPS_NO_MEMORY;
}
