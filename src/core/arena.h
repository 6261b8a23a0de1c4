// Memory that is handed out in order and taken back all at once.
//
// A solve takes every buffer from one arena and frees none of them; when it is over the arena is reset. After a reset
// the arena holds one chunk as large as all that was used before, so a steady simulation makes no heap allocation.
#ifndef CAPSTAN_CORE_ARENA_H
#define CAPSTAN_CORE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct CpsArenaChunk CpsArenaChunk;

typedef struct CpsArena {
  CpsArenaChunk* chunk;  // newest chunk, linked to the older ones
  size_t used;           // bytes handed out since the last reset
  size_t peak;           // largest `used` ever, or since memory was given back
  size_t late;           // largest `used` since cps_arena_age()
  bool shrinks;          // at the next reset
} CpsArena;

// A zeroed CpsArena is an empty one.
void cps_arena_free(CpsArena* arena);
// Takes everything back and merges the chunks into one; starts empty if that allocation fails.
void cps_arena_reset(CpsArena* arena);
// To be called from time to time: if less than two thirds of the memory were needed since the last call, the next reset gives the rest back.
void cps_arena_age(CpsArena* arena);
// 64-byte aligned, not zeroed; NULL if memory runs out or count * size overflows. A count of 0 gives a valid pointer.
void* cps_arena_take(CpsArena* arena, int64_t count, size_t size);
// The same, zeroed.
void* cps_arena_take_zero(CpsArena* arena, int64_t count, size_t size);

// A place to go back to, for buffers of an inner loop.
typedef struct CpsArenaMark {
  CpsArenaChunk* chunk;
  size_t chunk_used;
  size_t used;
} CpsArenaMark;
CpsArenaMark cps_arena_mark(const CpsArena* arena);
void cps_arena_release(CpsArena* arena, CpsArenaMark mark);

#define CPS_TAKE(arena, type, count) ((type*)cps_arena_take((arena), (int64_t)(count), sizeof(type)))
#define CPS_TAKE_ZERO(arena, type, count) ((type*)cps_arena_take_zero((arena), (int64_t)(count), sizeof(type)))

#endif
