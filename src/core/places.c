#include "core/places.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 8 };  // places allocated at first

int32_t cps_place_find(const CpsPlaceArray* array, bool full) {
  char* items;
  memcpy(&items, array->items, sizeof items);  // a pointer to some other type
  for (int32_t i = 0; !full && i < *array->count; ++i) {
    bool there;
    memcpy(&there, items + (size_t)i * array->size + array->is_there, sizeof there);
    if (!there) return i;
  }
  if (*array->count == *array->capacity) {
    const int32_t capacity = *array->capacity > 0 ? 2 * *array->capacity : FIRST;
    items = realloc(items, (size_t)capacity * array->size);
    if (!items) return -1;
    memcpy(array->items, &items, sizeof items);
    *array->capacity = capacity;
  }
  memset(items + (size_t)*array->count * array->size, 0, array->size);
  return (*array->count)++;
}
