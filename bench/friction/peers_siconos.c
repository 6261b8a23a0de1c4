#include "friction/peers_siconos.h"

#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <fc3d_Solvers.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#undef I  // cs.h takes this letter for the imaginary unit

struct CpsSiconos {
  FrictionContactProblem* problem;
  int contact_count;
  int64_t block_count;
};

typedef struct Config {
  const char* name;
  int solver;
  int local;           // one-contact solver of NSGS, 0: as it comes
  bool full_error;     // iparam[7] = 0: stop on the error itself, not on the change of r
  bool hybrid;         // NSN after the extra-gradient
  int max_iterations;  // 0: as it comes
} Config;

// Iteration limits of the cheap iterations are raised: time is limited from outside.
static const Config configs[] = {
    {"NSGS", SICONOS_FRICTION_3D_NSGS, 0, false, false, 10000000},
    {"NSGS full-error", SICONOS_FRICTION_3D_NSGS, 0, true, false, 10000000},
    {"NSGS quartic", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC, true, false, 10000000},
    {"NSGS NSN", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN, true, false, 10000000},
    {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC, 0, false, false, 0},
    {"NSN_AC VI_EG", SICONOS_FRICTION_3D_NSN_AC, 0, false, true, 0},
    {"NSN_FB", SICONOS_FRICTION_3D_NSN_FB, 0, false, false, 0},
    {"PROX", SICONOS_FRICTION_3D_PROX, 0, false, false, 0},
    {"ADMM", SICONOS_FRICTION_3D_ADMM, 0, false, false, 1000000},
    {"VI_EG", SICONOS_FRICTION_3D_VI_EG, 0, false, false, 10000000},
};

const char* cps_siconos_name(int config) {
  return config >= 0 && config < (int)(sizeof configs / sizeof *configs) ? configs[config].name : NULL;
}

// Row-major W to blocks in Fortran order.
static bool fill_blocks(const CpsProblem* problem, SparseBlockStructuredMatrix* W) {
  int64_t rows = cps_problem_row_count(problem), entries = cps_problem_W_entry_count(problem);
  int32_t n = cps_problem_contact_count(problem);
  int64_t* start = malloc(sizeof(int64_t) * (size_t)(rows + 1));
  int32_t* col = malloc(sizeof(int32_t) * (size_t)entries);
  double* value = malloc(sizeof(double) * (size_t)entries);
  double* blocks = malloc(sizeof(double) * (size_t)entries);
  int64_t block_count = entries / 9;
  W->block = malloc(sizeof(double*) * (size_t)block_count);
  W->blocksize0 = malloc(sizeof(unsigned) * (size_t)n);
  W->index1_data = malloc(sizeof(size_t) * ((size_t)n + 1));
  W->index2_data = malloc(sizeof(size_t) * (size_t)block_count);
  bool good = start && col && value && blocks && W->block && W->blocksize0 && W->index1_data && W->index2_data &&
              cps_problem_W_csr(problem, start, col, value) == CPS_OK;
  int64_t at = 0;
  for (int32_t i = 0; good && i < n; ++i) {
    W->blocksize0[i] = 3 * (unsigned)(i + 1);
    W->index1_data[i] = (size_t)at;
    int64_t row_blocks = (start[3 * (int64_t)i + 1] - start[3 * (int64_t)i]) / 3;
    for (int64_t k = 0; k < row_blocks; ++k, ++at) {
      W->block[at] = blocks + 9 * at;
      W->index2_data[at] = (size_t)col[start[3 * (int64_t)i] + 3 * k] / 3;
      for (int row = 0; row < 3; ++row)
        for (int c = 0; c < 3; ++c) blocks[9 * at + 3 * c + row] = value[start[3 * (int64_t)i + row] + 3 * k + c];
    }
  }
  if (good) {
    W->index1_data[n] = (size_t)at;
    W->nbblocks = (unsigned)at;
    W->blocknumber0 = W->blocknumber1 = (unsigned)n;
    W->blocksize1 = W->blocksize0;
    W->filled1 = (size_t)n + 1;
    W->filled2 = (size_t)at;
  }
  free(start);
  free(col);
  free(value);
  return good;
}

CpsSiconos* cps_siconos_new(const CpsProblem* problem) {
  int32_t n = cps_problem_contact_count(problem);
  const int64_t* offset = cps_problem_offsets(problem);
  for (int32_t i = 0; i < n; ++i)
    if (offset[i + 1] - offset[i] != 3 || cps_problem_laws(problem)[i] != CPS_LAW_COULOMB) return NULL;
  CpsSiconos* siconos = calloc(1, sizeof *siconos);
  SparseBlockStructuredMatrix* W = SBM_new();
  double* q = malloc(sizeof(double) * 3 * (size_t)n);
  double* mu = malloc(sizeof(double) * (size_t)n);
  if (!siconos || !W || !q || !mu || !fill_blocks(problem, W)) return NULL;
  memcpy(q, cps_problem_b_shifted(problem), sizeof(double) * 3 * (size_t)n);
  memcpy(mu, cps_problem_mu(problem), sizeof(double) * (size_t)n);
  NumericsMatrix* M = NM_new_SBM(3 * n, 3 * n, W);
  siconos->problem = frictionContactProblem_new_with_data(3, n, M, q, mu);
  siconos->contact_count = n;
  siconos->block_count = (int64_t)W->nbblocks;
  return siconos;
}

int cps_siconos_solve(const CpsSiconos* siconos, int config, double tolerance, double* r, double* seconds,
                      int64_t* iterations) {
  return cps_siconos_solve_within(siconos, config, tolerance, configs[config].max_iterations, r, seconds, iterations);
}

int cps_siconos_solve_within(const CpsSiconos* siconos, int config, double tolerance, int max_iterations, double* r,
                             double* seconds, int64_t* iterations) {
  const Config* setting = &configs[config];
  numerics_set_verbose(0);
  double* u = calloc(3 * (size_t)siconos->contact_count, sizeof *u);
  SolverOptions* options = solver_options_create(setting->solver);
  if (!u || !options) return -1;
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  if (max_iterations > 0) options->iparam[SICONOS_IPARAM_MAX_ITER] = max_iterations;
  if (setting->local) solver_options_update_internal(options, 0, setting->local);
  if (setting->full_error)
    options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
  if (setting->hybrid)
    options->iparam[SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] = SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN;
  memset(r, 0, sizeof(double) * 3 * (size_t)siconos->contact_count);
  double begin = cps_clock_cpu();
  int code = fc3d_driver(siconos->problem, r, u, options);
  *seconds = cps_clock_cpu() - begin;
  *iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
  solver_options_delete(options);
  free(u);
  return code;
}

int64_t cps_siconos_bytes(const CpsSiconos* siconos) {
  return siconos->block_count * (int64_t)(9 * sizeof(double) + sizeof(double*) + sizeof(size_t));
}

bool cps_bench_run_siconos(const void* data, double tolerance, double* r, double* seconds, int64_t* iterations,
                           int64_t* bytes) {
  const CpsBenchSiconos* peer = data;
  if (!peer->siconos) return false;
  (void)cps_siconos_solve(peer->siconos, peer->config, tolerance, r, seconds, iterations);
  *bytes = cps_siconos_bytes(peer->siconos);
  return true;
}
