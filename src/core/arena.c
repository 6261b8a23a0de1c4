#include "core/arena.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, FIRST_CHUNK = 4096, SPARE = 64 };  // SPARE: part of the memory in use, beside a first chunk

struct CpsArenaChunk {
  CpsArenaChunk* older;
  size_t size;  // bytes after the header
  size_t used;
};

// Header of a chunk, padded so that the bytes behind it are aligned.
static const size_t HEADER = (sizeof(CpsArenaChunk) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

static CpsArenaChunk* new_chunk(size_t size, CpsArenaChunk* older) {
  if (size > SIZE_MAX / 2) return NULL;
  CpsArenaChunk* chunk = aligned_alloc(ALIGNMENT, HEADER + size);
  if (!chunk) return NULL;
  *chunk = (CpsArenaChunk){.older = older, .size = size};
  return chunk;
}

static void free_chunks(CpsArenaChunk* chunk, const CpsArenaChunk* end) {
  while (chunk != end) {
    CpsArenaChunk* older = chunk->older;
    free(chunk);
    chunk = older;
  }
}

void cps_arena_free(CpsArena* arena) {
  free_chunks(arena->chunk, NULL);
  *arena = (CpsArena){0};
}

void cps_arena_reset(CpsArena* arena) {
  arena->used = 0;
  if (!arena->chunk) return;
  // memory released on the way back to a mark has left the chunks but will be needed again; and a little more, so
  // that what grows slowly is not moved in every step
  size_t least = arena->peak > FIRST_CHUNK ? arena->peak : FIRST_CHUNK;
  size_t wanted = (least + least / SPARE + FIRST_CHUNK + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (arena->chunk->older || arena->chunk->size < arena->peak || arena->shrinks) {
    // Release first, so that the peak is not doubled; if the merged chunk cannot be had the arena starts empty.
    free_chunks(arena->chunk, NULL);
    arena->chunk = new_chunk(wanted, NULL);
  } else {
    arena->chunk->used = 0;
  }
  arena->shrinks = false;
}

void cps_arena_age(CpsArena* arena) {
  size_t held = 0;
  for (const CpsArenaChunk* chunk = arena->chunk; chunk; chunk = chunk->older) held += chunk->size;
  if (held - held / 3 > arena->late + FIRST_CHUNK) {
    arena->peak = arena->late;
    arena->shrinks = true;
  }
  arena->late = arena->used;
}

void* cps_arena_take(CpsArena* arena, int64_t count, size_t size) {
  if (count < 0 || (size > 0 && (uint64_t)count > (SIZE_MAX / 4) / size)) return NULL;
  size_t bytes = ((size_t)count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (bytes == 0) bytes = ALIGNMENT;
  if (!arena->chunk || arena->chunk->size - arena->chunk->used < bytes) {
    // half of the memory in use again: few chunks, and after they are merged little unused memory
    size_t wanted =
        arena->used / 2 > FIRST_CHUNK ? (arena->used / 2 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : FIRST_CHUNK;
    CpsArenaChunk* chunk = new_chunk(bytes > wanted ? bytes : wanted, arena->chunk);
    if (!chunk && wanted > bytes) chunk = new_chunk(bytes, arena->chunk);
    if (!chunk) return NULL;
    arena->chunk = chunk;
  }
  unsigned char* place = (unsigned char*)arena->chunk + HEADER + arena->chunk->used;
  arena->chunk->used += bytes;
  arena->used += bytes;
  if (arena->used > arena->peak) arena->peak = arena->used;
  if (arena->used > arena->late) arena->late = arena->used;
  return place;
}

void* cps_arena_take_zero(CpsArena* arena, int64_t count, size_t size) {
  void* place = cps_arena_take(arena, count, size);
  if (place) memset(place, 0, (size_t)count * size);
  return place;
}

CpsArenaMark cps_arena_mark(const CpsArena* arena) {
  return (CpsArenaMark){arena->chunk, arena->chunk ? arena->chunk->used : 0, arena->used};
}

void cps_arena_release(CpsArena* arena, CpsArenaMark mark) {
  if (!mark.chunk) {
    // Taken before the first chunk: keep the newest chunk, empty, so that the memory is not asked for again.
    if (arena->chunk) {
      free_chunks(arena->chunk->older, NULL);
      arena->chunk->older = NULL;
      arena->chunk->used = 0;
    }
  } else {
    free_chunks(arena->chunk, mark.chunk);
    arena->chunk = mark.chunk;
    arena->chunk->used = mark.chunk_used;
  }
  arena->used = mark.used;
}
