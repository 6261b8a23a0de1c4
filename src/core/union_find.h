// Disjoint sets in an array of parents, parent[i] = i for a root. The smallest number of a set is its root.
#ifndef CAPSTAN_CORE_UNION_FIND_H
#define CAPSTAN_CORE_UNION_FIND_H

#include <stdint.h>

static inline int32_t cps_union_root(int32_t* parent, int32_t i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

static inline void cps_union_join(int32_t* parent, int32_t i, int32_t j) {
  int32_t a = cps_union_root(parent, i), b = cps_union_root(parent, j);
  if (a < b) parent[b] = a;
  if (b < a) parent[a] = b;
}

#endif
