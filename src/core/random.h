// A small random number generator (PCG32, O'Neill 2014): the same stream on every machine.
#ifndef CAPSTAN_CORE_RANDOM_H
#define CAPSTAN_CORE_RANDOM_H

#include <stdint.h>

typedef struct CpsRandom {
  uint64_t state;
} CpsRandom;

CpsRandom cps_random_seed(uint64_t seed);
uint32_t cps_random_u32(CpsRandom* random);
double cps_random_uniform(CpsRandom* random);  // in [0, 1)
double cps_random_normal(CpsRandom* random);   // mean 0, variance 1

#endif
