#include "core/random.h"

#include <math.h>

static const uint64_t MULTIPLIER = 6364136223846793005u;
static const uint64_t INCREMENT = 1442695040888963407u;

CpsRandom cps_random_seed(uint64_t seed) {
  CpsRandom random = {seed + INCREMENT};
  (void)cps_random_u32(&random);
  return random;
}

uint32_t cps_random_u32(CpsRandom* random) {
  uint64_t old = random->state;
  random->state = old * MULTIPLIER + INCREMENT;
  uint32_t mixed = (uint32_t)(((old >> 18u) ^ old) >> 27u);
  uint32_t turn = (uint32_t)(old >> 59u);
  return (mixed >> turn) | (mixed << ((32u - turn) & 31u));
}

double cps_random_uniform(CpsRandom* random) {
  uint64_t high = cps_random_u32(random) >> 5u, low = cps_random_u32(random) >> 6u;
  return ((double)high * 67108864.0 + (double)low) / 9007199254740992.0;
}

double cps_random_normal(CpsRandom* random) {
  // Box-Muller; 1 - uniform is never 0
  double radius = sqrt(-2.0 * log(1.0 - cps_random_uniform(random)));
  return radius * cos(6.283185307179586 * cps_random_uniform(random));
}
