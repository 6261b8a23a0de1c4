// Trees of elements in linear time, after Featherstone's articulated bodies and their use for rods (Bertails 2009).
//
// Element i has a base with twist V_i and rates k_i; the twist at its end, where its children have their bases, is
//
//   V_c = X_i (V_i, k_i),   c a child of i                                                                          (1)
//
// and the quadratic form of the tree is the sum of the element forms H_i in (V_i, k_i). Working from the tips to the root, the
// children of i act on it only through a form in the twist of their base. Element i therefore sees
//
//   H^_i = H_i + X_i^T (sum over children P_c) X_i = [ A  B ]    (6 + 3 rows)                                       (2)
//                                                    [ B^T D ]
//   D = L L^T,   Y = B L^-T,   P_i = A - Y Y^T            its own rates eliminated                                  (3)
//
// At the base of the tree, P of the elements attached to it remains; it is factorised unless the base is prescribed. Thus
//
//   sum of forms = || z ||^2,   z_i = L_i^T k_i + Y_i^T V_i                                                         (4)
//
// This is M = L L^T of the tree, with no matrix larger than those of the elements. L^-1 f is the same elimination applied to a
// force (inward); L^-T z solves (4) for k_i from the root to the tips (outward). Both take time and memory linear in the number
// of elements.
#include "model/articulated.h"

#include <math.h>
#include <string.h>

enum { T = CPS_TWIST, K = CPS_RATES, C = CPS_CARRIED };

void cps_articulated_add(double H[CPS_CARRIED * CPS_CARRIED], double weight, int rows, const double* S) {
  for (int r = 0; r < rows; ++r) {
    const double* s = S + C * r;
    for (int i = 0; i < C; ++i) {
      double w = weight * s[i];
      for (int j = 0; j < C; ++j) H[C * i + j] += w * s[j];
    }
  }
}

// A = L L^T, n <= 6, lower triangle of L; stride n
static void cholesky(int n, const double* A, int stride, double* L) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      double s = A[stride * i + j];
      for (int k = 0; k < j; ++k) s -= L[n * i + k] * L[n * j + k];
      L[n * i + j] = i == j ? sqrt(s) : s / L[n * j + j];
    }
  }
}

// x = L^-1 x
static void solve_lower(int n, const double* L, double* x) {
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= L[n * i + k] * x[k];
    x[i] /= L[n * i + i];
  }
}

// x = L^-T x
static void solve_upper(int n, const double* L, double* x) {
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) x[i] -= L[n * k + i] * x[k];
    x[i] /= L[n * i + i];
  }
}

// (3); P: 6 x 6
static void eliminate(CpsArticulatedElement* e, double* P) {
  cholesky(K, e->H + C * T + T, C, e->L);
  for (int i = 0; i < T; ++i) {
    memcpy(e->Y + K * i, e->H + C * i + T, K * sizeof(double));
    solve_lower(K, e->L, e->Y + K * i);
  }
  for (int i = 0; i < T; ++i) {
    for (int j = 0; j < T; ++j) {
      const double *a = e->Y + K * i, *b = e->Y + K * j;
      P[T * i + j] = e->H[C * i + j] - (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    }
  }
}

// (2): H += X^T P X
static void carry(const double* P, const double* X, double* H) {
  double PX[CPS_TWIST * CPS_CARRIED] = {0};
  for (int i = 0; i < T; ++i)
    for (int k = 0; k < T; ++k)
      for (int j = 0; j < C; ++j) PX[C * i + j] += P[T * i + k] * X[C * k + j];
  for (int k = 0; k < T; ++k)
    for (int i = 0; i < C; ++i)
      for (int j = 0; j < C; ++j) H[C * i + j] += X[C * k + i] * PX[C * k + j];
}

// The base: the first `held` components of its twist are prescribed. P = [ . . ; B A ] with A factorised.
static void factor_base(CpsArticulated* a, const double* P) {
  int n = T - a->held;
  cholesky(n, P + T * a->held + a->held, T, a->base->L);
  for (int i = 0; i < a->held; ++i) {
    memcpy(a->base->Y + n * i, P + T * i + a->held, (size_t)n * sizeof(double));
    solve_lower(n, a->base->L, a->base->Y + n * i);
  }
}

void cps_articulated_factor(CpsArticulated* a) {
  double base[CPS_TWIST * CPS_TWIST] = {0}, P[CPS_TWIST * CPS_TWIST];
  for (int32_t i = a->count - 1; i >= 0; --i) {
    eliminate(&a->element[i], P);
    if (a->parent[i] >= 0) {
      carry(P, a->element[a->parent[i]].X, a->element[a->parent[i]].H);
    } else {
      for (int k = 0; k < T * T; ++k) base[k] += P[k];
    }
  }
  factor_base(a, base);
}

// One element of the inward sweep: z_i, and the force transmitted by its base.
static void pass(const CpsArticulatedElement* e, double* f, double* z) {
  memcpy(z, f + T, K * sizeof(double));
  solve_lower(K, e->L, z);
  for (int i = 0; i < T; ++i) f[i] -= e->Y[K * i] * z[0] + e->Y[K * i + 1] * z[1] + e->Y[K * i + 2] * z[2];
}

// out += X^T p
static void pull_back(const double* X, const double* p, double* out) {
  for (int k = 0; k < T; ++k)
    for (int j = 0; j < C; ++j) out[j] += X[C * k + j] * p[k];
}

void cps_articulated_inward(const CpsArticulated* a, double* f, double* z) {
  int n = T - a->held;
  double base[CPS_TWIST] = {0};
  for (int32_t i = a->count - 1; i >= 0; --i) {
    double* fi = f + (int64_t)C * i;
    pass(&a->element[i], fi, z + n + (int64_t)K * i);
    if (a->parent[i] >= 0) {
      pull_back(a->element[a->parent[i]].X, fi, f + (int64_t)C * a->parent[i]);
    } else {
      for (int k = 0; k < T; ++k) base[k] += fi[k];
    }
  }
  memcpy(z, base + a->held, (size_t)n * sizeof(double));
  solve_lower(n, a->base->L, z);
}

void cps_articulated_inward_chain(const CpsArticulated* a, int32_t element, const double f[CPS_CARRIED], double* z) {
  int n = T - a->held;
  memset(z, 0, (size_t)cps_articulated_dofs(a) * sizeof(double));
  double force[CPS_CARRIED];
  memcpy(force, f, sizeof force);
  for (int32_t i = element; i >= 0; i = a->parent[i]) {
    pass(&a->element[i], force, z + n + (int64_t)K * i);
    if (a->parent[i] < 0) break;
    double next[CPS_CARRIED] = {0};
    pull_back(a->element[a->parent[i]].X, force, next);
    memcpy(force, next, sizeof force);
  }
  memcpy(z, force + a->held, (size_t)n * sizeof(double));
  solve_lower(n, a->base->L, z);
}

// (1)
static void end_twist(const CpsArticulatedElement* e, const double* V, const double* k, double* out) {
  for (int i = 0; i < T; ++i) {
    const double* x = e->X + C * i;
    out[i] = x[0] * V[0] + x[1] * V[1] + x[2] * V[2] + x[3] * V[3] + x[4] * V[4] + x[5] * V[5] + x[6] * k[0] +
             x[7] * k[1] + x[8] * k[2];
  }
}

void cps_articulated_twist(const CpsArticulated* a, int32_t i, const double base[CPS_TWIST], const double* rate,
                           double* twist) {
  int32_t p = a->parent[i];
  if (p < 0) {
    memcpy(twist + (int64_t)T * i, base, T * sizeof(double));
  } else {
    end_twist(&a->element[p], twist + (int64_t)T * p, rate + (int64_t)K * p, twist + (int64_t)T * i);
  }
}

void cps_articulated_outward(const CpsArticulated* a, const double* z, double base[CPS_TWIST], double* rate,
                             double* twist) {
  int n = T - a->held;
  double* free = base + a->held;
  for (int j = 0; j < n; ++j) {
    free[j] = z[j];
    for (int i = 0; i < a->held; ++i) free[j] -= a->base->Y[n * i + j] * base[i];
  }
  solve_upper(n, a->base->L, free);
  for (int32_t i = 0; i < a->count; ++i) {
    const CpsArticulatedElement* e = &a->element[i];
    cps_articulated_twist(a, i, base, rate, twist);
    double *k = rate + (int64_t)K * i, *V = twist + (int64_t)T * i;
    for (int j = 0; j < K; ++j) {
      k[j] = z[n + (int64_t)K * i + j];
      for (int r = 0; r < T; ++r) k[j] -= e->Y[K * r + j] * V[r];
    }
    solve_upper(K, e->L, k);
  }
}
