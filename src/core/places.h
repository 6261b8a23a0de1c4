// A growing array of things with names: {place, generation}. Places of removed entries are used again.
#ifndef CAPSTAN_CORE_PLACES_H
#define CAPSTAN_CORE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The array that an owner keeps: its memory, its used and its allocated places.
typedef struct CpsPlaceArray {
  void* items;  // address of the owner's pointer to the first item
  int32_t *count, *capacity;
  size_t size;      // of an item,
  size_t is_there;  // and where in it a bool says whether it is there
} CpsPlaceArray;

// The first place that is free, or a zeroed one behind the last. `full`: no place before that is free, as far as the owner
// knows. -1: memory runs out, and nothing has changed.
int32_t cps_place_find(const CpsPlaceArray* array, bool full);

// Generation of the next thing in a place; 0 is never used.
static inline uint32_t cps_generation_after(uint32_t generation) {
  return generation == UINT32_MAX ? 1 : generation + 1;
}

#endif
