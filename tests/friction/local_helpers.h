// One-contact problems for the tests of src/friction/local.
#ifndef CAPSTAN_TESTS_FRICTION_LOCAL_HELPERS_H
#define CAPSTAN_TESTS_FRICTION_LOCAL_HELPERS_H

#include <math.h>
#include <string.h>

#include "core/random.h"
#include "friction/local/local.h"
#include "friction/local/small.h"

static const CpsLocalSettings local_settings = {
    .tolerance = 1e-12, .max_iterations = 100, .facets = 4, .facet_kind = CPS_FACETS_INNER};

typedef struct OneContact {
  CpsLocalProblem problem;
  double W[CPS_DIM_MAX * CPS_DIM_MAX], b[CPS_DIM_MAX];
} OneContact;

// Ties the pointers of `contact` together and fills in xi.
static inline void one_contact_set(OneContact* contact, CpsLaw law, int d, double mu) {
  const double trace = cps_small_trace(d, contact->W);
  contact->problem = (CpsLocalProblem){
      .dim = d, .law = law, .mu = mu, .xi = trace > 0.0 ? d / trace : 1.0, .W = contact->W, .b = contact->b};
}

// W = Q S Q^T with Gaussian Q, S = diag of `rank` powers of 1/spread (ratio of first to last) and zeros;
// b Gaussian with b_N < 0.
static inline void one_contact_random(CpsRandom* random, CpsLaw law, int d, int rank, double spread, double mu,
                                      OneContact* contact) {
  double Q[CPS_DIM_MAX * CPS_DIM_MAX], S[CPS_DIM_MAX] = {0};
  for (int i = 0; i < d * d; i++) Q[i] = cps_random_normal(random);
  for (int k = 0; k < rank; k++) S[k] = rank > 1 ? pow(spread, -(double)k / (rank - 1)) : 1.0;
  for (int i = 0; i < d; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0.0;
      for (int k = 0; k < d; k++) sum += Q[i * d + k] * S[k] * Q[j * d + k];
      contact->W[i * d + j] = contact->W[j * d + i] = sum;
    }
  for (int i = 0; i < d; i++) contact->b[i] = cps_random_normal(random);
  contact->b[0] = -fabs(contact->b[0]);
  one_contact_set(contact, law, d, mu);
}

// Largest difference of two vectors.
static inline double largest_difference(int n, const double* x, const double* y) {
  double largest = 0.0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i] - y[i]));
  return largest;
}

#endif
