// See check.c.
#ifndef CAPSTAN_BENCH_WORLD_CHECK_H
#define CAPSTAN_BENCH_WORLD_CHECK_H

#include <stdio.h>

#include "world/engine.h"

bool cps_bench_check(const CpsBenchEngine* engine, FILE* out);

#endif
