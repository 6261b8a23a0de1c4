// What the process asks of the heap, shared libraries included.
#ifndef CAPSTAN_BENCH_WORLD_HEAP_H
#define CAPSTAN_BENCH_WORLD_HEAP_H

#include <stdint.h>

// Calls of malloc, calloc, realloc and their aligned relatives so far.
int64_t cps_bench_heap_calls(void);
// Bytes in use.
int64_t cps_bench_heap_bytes(void);

#endif
