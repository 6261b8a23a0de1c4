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

// Debian ships no header for second-order cone problems; the library exports this, as its own tests call it. Arguments: rows, cones,
// matrix, right side, where each cone begins (count + 1), friction coefficients.
SecondOrderConeLinearComplementarityProblem* secondOrderConeLinearComplementarityProblem_new(
    int n, int nc, NumericsMatrix* M, double* q, unsigned int* coneIndex, double* mu);
enum { SOCLCP_NSGS = 1100, SOCLCP_VI_FPP = 1106, SOCLCP_VI_EG = 1107, SOCLCP_LOCAL_ONCE = 1150 };

struct CpsSiconos {
  FrictionContactProblem* problem;                     // NULL: it has cones
  SecondOrderConeLinearComplementarityProblem* cones;  // NULL: it has friction
  int32_t* place;                                      // of each contact among those that Siconos sees; -1: free
  double scale;                                        // its impulses over ours
  int contact_count;                                   // of ours
  int seen_count;                                      // of Siconos
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
    {NULL, 0, 0, false, false, 0},  // CPS_SICONOS_CONES: those of cones follow
    {"SOCLCP NSGS", SOCLCP_NSGS, 0, false, false, 10000000},
    {"SOCLCP NSGS, one projection", SOCLCP_NSGS, SOCLCP_LOCAL_ONCE, false, false, 10000000},
    {"SOCLCP VI_FPP", SOCLCP_VI_FPP, 0, false, false, 10000000},
    {"SOCLCP VI_EG", SOCLCP_VI_EG, 0, false, false, 10000000},
};

const char* cps_siconos_name(int config) {
  return config >= 0 && config < (int)(sizeof configs / sizeof *configs) ? configs[config].name : NULL;
}

// In this unit the step 1 with which the projections of cones begin suits.
static double mean_diagonal(int64_t rows, const int64_t* start, const int32_t* col, const double* value) {
  double sum = 0.0;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t k = start[i]; k < start[i + 1]; ++k) sum += col[k] == i ? value[k] : 0.0;
  }
  return sum > 0.0 ? sum / (double)rows : 1.0;
}

// Row-major W to blocks in Fortran order, of the contacts that have a place, over the scale.
static bool fill_blocks(const CpsProblem* problem, CpsSiconos* siconos, bool cones, SparseBlockStructuredMatrix* W) {
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
  const int32_t* place = siconos->place;
  siconos->scale = good && cones ? mean_diagonal(rows, start, col, value) : 1.0;
  for (int32_t i = 0; good && i < n; ++i) {
    if (place[i] < 0) continue;
    W->blocksize0[place[i]] = 3 * (unsigned)(place[i] + 1);
    W->index1_data[place[i]] = (size_t)at;
    int64_t row_blocks = (start[3 * (int64_t)i + 1] - start[3 * (int64_t)i]) / 3;
    for (int64_t k = 0; k < row_blocks; ++k) {
      const int32_t other = place[col[start[3 * (int64_t)i] + 3 * k] / 3];
      if (other < 0) continue;
      W->block[at] = blocks + 9 * at;
      W->index2_data[at] = (size_t)other;
      for (int row = 0; row < 3; ++row)
        for (int c = 0; c < 3; ++c)
          blocks[9 * at + 3 * c + row] = value[start[3 * (int64_t)i + row] + 3 * k + c] / siconos->scale;
      ++at;
    }
  }
  if (good) {
    W->index1_data[siconos->seen_count] = (size_t)at;
    W->nbblocks = (unsigned)at;
    W->blocknumber0 = W->blocknumber1 = (unsigned)siconos->seen_count;
    W->blocksize1 = W->blocksize0;
    W->filled1 = (size_t)siconos->seen_count + 1;
    W->filled2 = (size_t)at;
  }
  free(start);
  free(col);
  free(value);
  return good;
}

// Numbers the contacts that Siconos sees; false: it has no word for one, or for two together.
static bool find_places(const CpsProblem* problem, CpsSiconos* siconos, bool* cones) {
  const int64_t* offset = cps_problem_offsets(problem);
  const uint8_t* law = cps_problem_laws(problem);
  bool friction = false;
  *cones = false;
  for (int32_t i = 0; i < siconos->contact_count; ++i) {
    if (offset[i + 1] - offset[i] != 3 || law[i] == CPS_LAW_BILATERAL) return false;
    friction |= law[i] == CPS_LAW_COULOMB;
    *cones |= law[i] == CPS_LAW_CONVEX;
    siconos->place[i] = law[i] == CPS_LAW_FREE ? -1 : siconos->seen_count++;
  }
  return friction != *cones;
}

CpsSiconos* cps_siconos_new(const CpsProblem* problem) {
  int32_t n = cps_problem_contact_count(problem);
  CpsSiconos* siconos = calloc(1, sizeof *siconos);
  SparseBlockStructuredMatrix* W = SBM_new();
  double* q = malloc(sizeof(double) * 3 * (size_t)n);
  double* mu = malloc(sizeof(double) * (size_t)n);
  unsigned* cone = malloc(sizeof(unsigned) * ((size_t)n + 1));
  bool cones;
  if (!siconos || !W || !q || !mu || !cone) return NULL;
  siconos->contact_count = n;
  siconos->place = malloc(sizeof(int32_t) * (size_t)n);
  if (!siconos->place || !find_places(problem, siconos, &cones)) return NULL;
  if (!fill_blocks(problem, siconos, cones, W)) return NULL;
  for (int32_t i = 0; i < n; ++i) {
    const int32_t at = siconos->place[i];
    if (at < 0) continue;
    memcpy(q + 3 * (ptrdiff_t)at, cps_problem_b_shifted(problem) + 3 * (ptrdiff_t)i, 3 * sizeof *q);
    mu[at] = cps_problem_mu(problem)[i];
  }
  const int seen = siconos->seen_count;
  for (int i = 0; i <= seen; ++i) cone[i] = 3 * (unsigned)i;
  NumericsMatrix* M = NM_new_SBM(3 * seen, 3 * seen, W);
  if (cones) {
    siconos->cones = secondOrderConeLinearComplementarityProblem_new(3 * seen, seen, M, q, cone, mu);
  } else {
    siconos->problem = frictionContactProblem_new_with_data(3, seen, M, q, mu);
  }
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
  if ((setting->solver >= SOCLCP_NSGS && setting->solver <= SOCLCP_VI_EG) != (siconos->cones != NULL)) return -1;
  numerics_set_verbose(0);
  const size_t rows = 3 * (size_t)siconos->seen_count;
  double *u = calloc(rows, sizeof *u), *found = calloc(rows, sizeof *found);
  SolverOptions* options = solver_options_create(setting->solver);
  if (!u || !found || !options) return -1;
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  if (max_iterations > 0) options->iparam[SICONOS_IPARAM_MAX_ITER] = max_iterations;
  if (setting->local) solver_options_update_internal(options, 0, setting->local);
  if (setting->full_error)
    options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
  if (setting->hybrid)
    options->iparam[SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] = SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN;
  double begin = cps_clock_cpu();
  int code = siconos->cones ? soclcp_driver(siconos->cones, found, u, options)
                            : fc3d_driver(siconos->problem, found, u, options);
  *seconds = cps_clock_cpu() - begin;
  for (int32_t i = 0; i < siconos->contact_count; ++i) {
    const int32_t at = siconos->place[i];
    for (int a = 0; a < 3; ++a) r[3 * i + a] = at < 0 ? 0.0 : found[3 * at + a] / siconos->scale;
  }
  *iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
  solver_options_delete(options);
  free(u);
  free(found);
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
