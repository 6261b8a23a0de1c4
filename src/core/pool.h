// A small pool of threads that run one loop together.
#ifndef CAPSTAN_CORE_POOL_H
#define CAPSTAN_CORE_POOL_H

#include <stdint.h>

typedef struct CpsPool CpsPool;

// Work on items [first, last); `worker` is 0 … threads-1, for per-thread buffers.
typedef void (*CpsPoolFn)(void* data, int64_t first, int64_t last, int worker);

// NULL if memory or threads cannot be had. A pool of 1 starts no thread.
CpsPool* cps_pool_create(int threads);
void cps_pool_destroy(CpsPool* pool);  // NULL is allowed
int cps_pool_threads(const CpsPool* pool);
// Splits [0, count) into one contiguous range per thread, runs them and waits. A NULL pool runs in the calling thread.
void cps_pool_run(CpsPool* pool, int64_t count, CpsPoolFn fn, void* data);

#endif
