// The sliding case of one contact as the roots of one scalar function, in any dimension. See slide.c.
#ifndef CAPSTAN_FRICTION_LOCAL_SLIDE_H
#define CAPSTAN_FRICTION_LOCAL_SLIDE_H

#include "friction/local/local.h"

#define CPS_SLIDE_MAX_ROOTS 8

typedef struct CpsSlide {
  int m;                // d - 1
  double w_N, b_N, mu;  // w_N > 0, mu > 0
  double scale;         // tr W, the size of a typical alpha
  double row[5];        // W_NT
  double h[5];          // b_T - (b_N / w_N) W_TN
  double h_size;        // ||b_T|| + |b_N / w_N| ||W_TN||: scale of the rounding of h
  double Wbar[25];      // W_TT - W_TN W_NT / w_N
} CpsSlide;

// Eliminates the normal component (u_N = 0). The caller has checked w_N > 0.
void cps_slide_reduce(const CpsLocalProblem* problem, CpsSlide* slide);
// psi(alpha) and its derivative; y gets r_T(alpha). False where Wbar + alpha I is singular.
bool cps_slide_evaluate(const CpsSlide* slide, double alpha, double* psi, double* slope, double* y);
// r from r_T, by u_N = 0.
void cps_slide_recover(const CpsSlide* slide, const double* y, double* r);
// The root of psi between lo (psi < 0) and hi (psi > 0, may be infinite) found by Newton's method from `alpha`.
bool cps_slide_root(const CpsSlide* slide, double lo, double hi, double* alpha);
// All roots with r_N > 0 in (lo, infinity), ascending; returns their number.
int cps_slide_all_roots(const CpsSlide* slide, double lo, double* roots);

#endif
