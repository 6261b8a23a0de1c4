// The solvers of Siconos (Inria, Apache-2.0) for the three-dimensional problem, measured beside ours.
#ifndef CAPSTAN_BENCH_FRICTION_PEERS_SICONOS_H
#define CAPSTAN_BENCH_FRICTION_PEERS_SICONOS_H

#include "capstan/problem.h"

// A solver with its settings, as the tables name it.
const char* cps_siconos_name(int config);  // NULL past the last
// From CPS_SICONOS_CONES on: those for problems of the law `convex`.
enum { CPS_SICONOS_NSGS = 0, CPS_SICONOS_NSGS_FULL = 1, CPS_SICONOS_CONES = 11 };

// A problem in Siconos' own block matrix. Made once and never freed: it lives as long as the measuring process.
typedef struct CpsSiconos CpsSiconos;
// Contacts are all of Coulomb's law or all `convex`; free ones are left out. NULL if memory is short or a contact is not
// three-dimensional. Time of the conversion is not counted against Siconos.
CpsSiconos* cps_siconos_new(const CpsProblem* problem);
// Runs the driver from r = 0. Returns its code (0: it says converged); seconds is CPU time of the driver alone.
int cps_siconos_solve(const CpsSiconos* siconos, int config, double tolerance, double* r, double* seconds,
                      int64_t* iterations);
// The same with a limit on the iterations, 0: as it comes.
int cps_siconos_solve_within(const CpsSiconos* siconos, int config, double tolerance, int max_iterations, double* r,
                             double* seconds, int64_t* iterations);
// Memory of the matrix as Siconos holds it.
int64_t cps_siconos_bytes(const CpsSiconos* siconos);

// A problem and a setting, as data of cps_bench_run_siconos.
typedef struct CpsBenchSiconos {
  const CpsSiconos* siconos;  // NULL: it has no answer
  int config;
} CpsBenchSiconos;
// Runs it as cps_bench_measure() asks; its own verdict is not asked, the answer is judged from outside.
bool cps_bench_run_siconos(const void* data, double tolerance, double* r, double* seconds, int64_t* iterations,
                           int64_t* bytes);

#endif
