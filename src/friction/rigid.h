// Rigid bodies: contacts of dimension 3 with one or two bodies of six degrees of freedom, the most common and the fastest case.
//
// The velocities of the bodies are kept in slots of eight doubles, a cache line each. W_ii is stored in the form used to
// solve a sticking contact. The functions below are inlined into loops that are compiled for AVX2 too.
#ifndef CAPSTAN_FRICTION_RIGID_H
#define CAPSTAN_FRICTION_RIGID_H

#include "core/pool.h"
#include "core/simd.h"
#include "friction/problem.h"
#include "friction/stick.h"

enum { CPS_RIGID_DOFS = 6, CPS_RIGID_SLOT = 8 };

// Fills pair and the lists of the factors if every contact is of the kind above, every index is valid and H and Y are
// one array. False: nothing is filled, or memory ran out. `borrow`: H is not copied.
bool cps_rigid_fill(CpsProblem* problem, const CpsFactoredForm* form, bool borrow);
// Fills diag, xi and block. False if an entry of H or W is not finite.
bool cps_rigid_complete(CpsProblem* problem, CpsPool* pool);

// v = sum_i Y_i^T r_i, in the order of the contacts.
void cps_rigid_push(const CpsProblem* problem, const double* r, double* v);
// u = H v + b; b NULL: zero.
void cps_rigid_velocity(const CpsProblem* problem, CpsPool* pool, const double* v, const double* b, double* u);

typedef double CpsVec2 __attribute__((vector_size(16)));
// The same at any position in an array of doubles.
typedef double CpsVec4Any __attribute__((vector_size(32), aligned(8), may_alias));
typedef double CpsVec2Any __attribute__((vector_size(16), aligned(8), may_alias));
#define CPS_LOAD4(x) (*(const CpsVec4Any*)(x))
#define CPS_LOAD2(x) (*(const CpsVec2Any*)(x))

// The sum of a row's six products, for one body or two, from their partial sums.
static inline double cps_rigid_sum(const CpsVec4* four, const CpsVec2* two) {
  CpsVec2 half = (CpsVec2){(*four)[0], (*four)[1]} + (CpsVec2){(*four)[2], (*four)[3]} + *two;
  return half[0] + half[1];
}

// out = H_i v
static inline void cps_rigid_gather(const CpsFactors* F, int64_t i, const double* v, double* out) {
  const int32_t *pair = F->pair + 2 * i, second = pair[1];
  if (pair[0] < 0) {
    out[0] = out[1] = out[2] = 0.0;
    return;
  }
  const double *H = F->H + CPS_RIGID_TERM * F->contact_start[i], *slot = v + CPS_RIGID_SLOT * (int64_t)pair[0];
  CpsVec4 x = CPS_LOAD4(slot);
  CpsVec2 y = CPS_LOAD2(slot + 4);
  CpsVec4 s0 = CPS_LOAD4(H) * x, s1 = CPS_LOAD4(H + 6) * x, s2 = CPS_LOAD4(H + 12) * x;
  CpsVec2 t0 = CPS_LOAD2(H + 4) * y, t1 = CPS_LOAD2(H + 10) * y, t2 = CPS_LOAD2(H + 16) * y;
  if (second >= 0) {
    H += CPS_RIGID_TERM;
    slot = v + CPS_RIGID_SLOT * (int64_t)second;
    x = CPS_LOAD4(slot);
    y = CPS_LOAD2(slot + 4);
    s0 += CPS_LOAD4(H) * x;
    s1 += CPS_LOAD4(H + 6) * x;
    s2 += CPS_LOAD4(H + 12) * x;
    t0 += CPS_LOAD2(H + 4) * y;
    t1 += CPS_LOAD2(H + 10) * y;
    t2 += CPS_LOAD2(H + 16) * y;
  }
  out[0] = cps_rigid_sum(&s0, &t0);
  out[1] = cps_rigid_sum(&s1, &t1);
  out[2] = cps_rigid_sum(&s2, &t2);
}

// v += Y_i^T x
static inline void cps_rigid_scatter(const CpsFactors* F, int64_t i, double x0, double x1, double x2, double* v) {
  const double* Y = F->Y + CPS_RIGID_TERM * F->contact_start[i];
  for (int side = 0; side < 2; ++side, Y += CPS_RIGID_TERM) {
    int32_t body = F->pair[2 * i + side];
    if (body < 0) return;
    double* slot = v + CPS_RIGID_SLOT * (int64_t)body;
    CpsVec4 a = CPS_LOAD4(slot) + (x0 * CPS_LOAD4(Y) + x1 * CPS_LOAD4(Y + 6) + x2 * CPS_LOAD4(Y + 12));
    CpsVec2 c = CPS_LOAD2(slot + 4) + (x0 * CPS_LOAD2(Y + 4) + x1 * CPS_LOAD2(Y + 10) + x2 * CPS_LOAD2(Y + 16));
    *(CpsVec4Any*)slot = a;
    *(CpsVec2Any*)(slot + 4) = c;
  }
}

#endif
