// Disjoint sets of numbers (union-find): parent[i] = i for each number alone. The root of a set is its smallest number, so
// that the sets do not depend on the order of the joins.
#ifndef CAPSTAN_CORE_SETS_H
#define CAPSTAN_CORE_SETS_H

#include <stdint.h>

// The root of the set of i; halves the way to it.
static inline int32_t cps_sets_root(int32_t* parent, int32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static inline void cps_sets_join(int32_t* parent, int32_t i, int32_t j) {
  const int32_t a = cps_sets_root(parent, i), b = cps_sets_root(parent, j);
  if (a < b) parent[b] = a;
  if (b < a) parent[a] = b;
}

#endif
