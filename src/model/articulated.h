// A tree of elements, each with three rates of its own and carried by the twist of its base. The quadratic form of the
// whole tree is factorised and solved in linear time. The equations are in articulated.c.
#ifndef CAPSTAN_MODEL_ARTICULATED_H
#define CAPSTAN_MODEL_ARTICULATED_H

#include <stdint.h>

// Twists are (velocity of the base point, angular velocity) in world axes: 6 numbers. With three rates: 9 numbers.
enum { CPS_TWIST = 6, CPS_RATES = 3, CPS_CARRIED = 9 };

typedef struct CpsArticulatedElement {
  double X[CPS_TWIST * CPS_CARRIED];    // twist at its end = X (twist of its base, rates), row-major
  double H[CPS_CARRIED * CPS_CARRIED];  // its quadratic form, symmetric, full; overwritten by the factorisation
  double L[CPS_RATES * CPS_RATES];      // (3), lower triangle
  double Y[CPS_TWIST * CPS_RATES];      // (3)
} CpsArticulatedElement;

// Like L and Y of an element, for the free components of the twist of the base.
typedef struct CpsArticulatedBase {
  double L[CPS_TWIST * CPS_TWIST], Y[CPS_TWIST * CPS_TWIST];
} CpsArticulatedBase;

typedef struct CpsArticulated {
  int32_t count;
  int32_t held;           // number of prescribed leading components of the twist of the base: 0, 3 or 6
  const int32_t* parent;  // of each element: an earlier element, whose end is its base; -1: the base of the tree
  CpsArticulatedElement* element;
  CpsArticulatedBase* base;
} CpsArticulated;

// The unknowns: the free components of the twist of the base, then the rates of the elements.
static inline int32_t cps_articulated_dofs(const CpsArticulated* a) {
  return CPS_TWIST - a->held + CPS_RATES * a->count;
}

// M = L L^T of the sum of the forms H of all elements, which must be positive definite.
void cps_articulated_factor(CpsArticulated* a);
// z = L^-1 f for forces f on the elements, 9 each, which are overwritten.
void cps_articulated_inward(const CpsArticulated* a, double* f, double* z);
// The same for a force on a single element: only this element and those between it and the base respond.
void cps_articulated_inward_chain(const CpsArticulated* a, int32_t element, const double f[CPS_CARRIED], double* z);
// Rates v with L^T v = z. `base` contains the prescribed components of the twist of the base and receives the others. `twist`
// receives the twists of the bases of all elements, 6 each.
void cps_articulated_outward(const CpsArticulated* a, const double* z, double base[CPS_TWIST], double* rate,
                             double* twist);
// Twist of the base of element i from that of the base of the tree and the twists and rates of its ancestors.
void cps_articulated_twist(const CpsArticulated* a, int32_t i, const double base[CPS_TWIST], const double* rate,
                           double* twist);
// H += weight S^T S, S: rows x 9
void cps_articulated_add(double H[CPS_CARRIED * CPS_CARRIED], double weight, int rows, const double* S);

#endif
