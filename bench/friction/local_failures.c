// How often each one-contact solver fails from a cold start, and what a call costs.
//
//   local_failures [draws]
//
// prints two Markdown tables for dimension 3 and Coulomb's law: percent of problems not solved to 1e-10 from r = 0
// (exact solvers only), and nanoseconds of CPU time per call, from r = 0 and from a warm start. The problems have
// b Gaussian with b_N < 0, mu = 0.1, 0.5, 1, and W one of: diag(1, 3.5, 3.5) (a solid ball); Q Q^T with Gaussian Q;
// Q diag(1, s, s^2) Q^T with s^2 = 1e-4 or 1e-8. They are the same for every solver.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/random.h"
#include "friction/local/local.h"

enum { KINDS = 4, BATCH = 512 };

static const char* kind_names[KINDS] = {"ball", "Q Q^T", "1e-4", "1e-8"};
static const double mus[] = {0.1, 0.5, 1.0};
static const CpsLocalSettings settings = {
    .tolerance = 1e-10, .max_iterations = 100, .facets = 4, .facet_kind = CPS_FACETS_INNER};

typedef struct Draw {
  double W[9], b[3], r[3], cache[64];
  CpsLocalProblem problem;
} Draw;

static void draw(CpsRandom* random, int kind, double mu, Draw* out) {
  static const double ratio[KINDS] = {0.0, 1.0, 1e-4, 1e-8};
  double Q[9];
  for (int i = 0; i < 9; i++) Q[i] = cps_random_normal(random);
  const double S[3] = {1.0, sqrt(ratio[kind]), ratio[kind]};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = 0.0;
      for (int k = 0; k < 3; k++) sum += Q[3 * i + k] * S[k] * Q[3 * j + k];
      out->W[3 * i + j] = kind > 0 ? sum : (i == j ? (i == 0 ? 1.0 : 3.5) : 0.0);
    }
  for (int i = 0; i < 3; i++) out->b[i] = cps_random_normal(random);
  out->b[0] = -fabs(out->b[0]);
  memset(out->r, 0, sizeof out->r);
  const double trace = out->W[0] + out->W[4] + out->W[8];
  out->problem =
      (CpsLocalProblem){.dim = 3, .law = CPS_LAW_COULOMB, .mu = mu, .xi = 3.0 / trace, .W = out->W, .b = out->b};
}

static double failures(const CpsLocalSolver* solver, int kind, double mu, int draws) {
  CpsRandom random = cps_random_seed(1);
  int failed = 0;
  for (int t = 0; t < draws; t++) {
    Draw one;
    draw(&random, kind, mu, &one);
    failed += solver->solve(&one.problem, NULL, &settings, one.r) != CPS_LOCAL_SOLVED;
  }
  return 100.0 * failed / draws;
}

// Mean CPU time of a call in ns over a batch that stays in the cache of the processor. Warm: b moves by 0.1 % to and
// fro, as between two sweeps, and r starts from the answer before.
static double nanoseconds(const CpsLocalSolver* solver, int kind, bool warm, int repeats) {
  static Draw batch[BATCH];
  CpsRandom random = cps_random_seed(2);
  for (int i = 0; i < BATCH; i++) {
    draw(&random, kind, 0.5, &batch[i]);
    if (solver->cache_size != NULL) solver->prepare(&batch[i].problem, batch[i].cache);
    if (warm) cps_local_enum.solve(&batch[i].problem, NULL, &settings, batch[i].r);
  }
  const double start = cps_clock_cpu();
  for (int k = 0; k < repeats; k++)
    for (int i = 0; i < BATCH; i++) {
      Draw* one = &batch[i];
      one->b[1] *= k % 2 == 0 ? 1.001 : 1.0 / 1.001;
      if (!warm) memset(one->r, 0, sizeof one->r);
      solver->solve(&one->problem, solver->cache_size != NULL ? one->cache : NULL, &settings, one->r);
    }
  return 1e9 * (cps_clock_cpu() - start) / ((double)repeats * BATCH);
}

int main(int argc, char** argv) {
  const int draws = argc > 1 ? atoi(argv[1]) : 20000;
  if (draws < 1) {
    fprintf(stderr, "usage: local_failures [draws >= 1]\n");
    return 2;
  }
  printf("| W | mu |");
  for (int l = 0; l < CPS_LOCAL_COUNT; l++) {
    if (cps_local_solver((CpsLocal)l)->info.exact) printf(" %s |", cps_local_solver((CpsLocal)l)->info.name);
  }
  printf("\n|---|---|---|---|---|---|---|\n");
  for (int kind = 0; kind < KINDS; kind++)
    for (int m = 0; m < 3; m++) {
      printf("| %s | %g |", kind_names[kind], mus[m]);
      for (int l = 0; l < CPS_LOCAL_COUNT; l++) {
        const CpsLocalSolver* solver = cps_local_solver((CpsLocal)l);
        if (solver->info.exact) printf(" %.2f |", failures(solver, kind, mus[m], draws));
      }
      printf("\n");
    }
  printf("\n| solver | ball, cold | ball, warm | Q Q^T, cold | Q Q^T, warm |\n|---|---|---|---|---|\n");
  for (int l = 0; l < CPS_LOCAL_COUNT; l++) {
    const CpsLocalSolver* solver = cps_local_solver((CpsLocal)l);
    printf("| %s |", solver->info.name);
    for (int kind = 0; kind < 2; kind++)
      for (int warm = 0; warm < 2; warm++) printf(" %.0f |", nanoseconds(solver, kind, warm == 1, 1 + draws / 100));
    printf("\n");
  }
  return 0;
}
