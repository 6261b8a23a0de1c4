// Loops over the strips of a dense matrix, shared by the threads of a pool.
#ifndef CAPSTAN_SPARSE_STRIP_LOOP_H
#define CAPSTAN_SPARSE_STRIP_LOOP_H

#include "core/pool.h"

typedef void (*CpsStripWork)(void* data, int32_t i0, int32_t i1);

// Calls work for all of [begin, end) in pieces: threads take `chunk` strips or more at a time from the end, where the rows of a lower
// triangle are longest. Fewer than four chunks, or a NULL pool: one call.
void cps_strip_loop(CpsPool* pool, int32_t begin, int32_t end, int32_t chunk, CpsStripWork work, void* data);

#endif
