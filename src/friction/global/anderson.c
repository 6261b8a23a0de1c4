// Anderson acceleration of x <- G(x): with f = G(x) - x and the differences of the last iterations,
//
//   gamma = argmin ||f_k - sum_j gamma_j df_j||,   x_{k+1} = G(x_k) - sum_j gamma_j dg_j                            (1)
//
// Walker and Ni 2011, (2.1). For a linear map this is GMRES. Alternating directions are piecewise linear, so the acceleration
// takes effect once the contacts have settled into their cases (Zhang et al. 2019). The least squares are solved by normal
// equations; a small multiple of the identity suppresses dependent columns.
//
// Not guaranteed: a decrease. If ||f|| has grown by GROWTH over its smallest value, the iteration continues without acceleration
// and restarts.
#include "friction/global/anderson.h"

#include "sparse/dense.h"

#include <math.h>

static const double GROWTH = 4.0;
static const double RIDGE = 1e-10;  // relative to the largest diagonal of the normal equations

bool cps_anderson_create(CpsArena* arena, int64_t size, const double* scale, CpsAnderson* a) {
  *a = (CpsAnderson){.size = size, .scale = scale, .least = INFINITY};
  a->f = CPS_TAKE(arena, double, size);
  a->g = CPS_TAKE(arena, double, size);
  bool all = a->f && a->g;
  for (int k = 0; k < CPS_ANDERSON_MOST; ++k) {
    a->df[k] = CPS_TAKE(arena, double, size);
    a->dg[k] = CPS_TAKE(arena, double, size);
    all = all && a->df[k] && a->dg[k];
  }
  return all;
}

void cps_anderson_restart(CpsAnderson* a) {
  a->count = a->next = 0;
  a->begun = false;
  a->least = INFINITY;
}

static double dot(const CpsAnderson* a, const double* x, const double* y) {
  double sum[4] = {0};
  int64_t k = 0;
  for (; k + 4 <= a->size; k += 4) {
    for (int l = 0; l < 4; ++l) sum[l] += a->scale[k + l] * a->scale[k + l] * x[k + l] * y[k + l];
  }
  for (; k < a->size; ++k) sum[0] += a->scale[k] * a->scale[k] * x[k] * y[k];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// gamma of (1); false: there is none.
static bool find_weights(const CpsAnderson* a, double* gamma) {
  const int n = a->count;
  double N[CPS_ANDERSON_MOST * CPS_ANDERSON_MOST], most = 0.0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) N[i * n + j] = N[j * n + i] = dot(a, a->df[i], a->df[j]);
    most = fmax(most, N[i * n + i]);
    gamma[i] = dot(a, a->df[i], a->f);
  }
  for (int i = 0; i < n; ++i) N[i * n + i] += RIDGE * most;
  if (!cps_dense_cholesky_factor(n, N, 0.0)) return false;
  cps_dense_cholesky_solve(n, N, gamma);
  return true;
}

void cps_anderson_step(CpsAnderson* a, const double* G, double* x) {
  double *df = a->df[a->next], *dg = a->dg[a->next];
  for (int64_t k = 0; k < a->size; ++k) {
    const double f = G[k] - x[k];
    df[k] = f - a->f[k];
    dg[k] = G[k] - a->g[k];
    a->f[k] = f;
    a->g[k] = x[k] = G[k];
  }
  if (a->begun) {
    a->next = (a->next + 1) % CPS_ANDERSON_MOST;
    if (a->count < CPS_ANDERSON_MOST) a->count++;
  }
  a->begun = true;
  const double size = sqrt(dot(a, a->f, a->f));
  if (!(size <= GROWTH * a->least)) {
    cps_anderson_restart(a);
    return;
  }
  a->least = fmin(a->least, size);
  double gamma[CPS_ANDERSON_MOST];
  if (a->count == 0 || !find_weights(a, gamma)) return;
  for (int j = 0; j < a->count; ++j) {
    for (int64_t k = 0; k < a->size; ++k) x[k] -= gamma[j] * a->dg[j][k];
  }
}
