#include "core/places.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 8, MANY = 256 };  // FIRST: places allocated at first

int32_t cps_place_find(const CpsPlaceArray* array, bool full) {
  char* items;
  memcpy(&items, array->items, sizeof items);  // a pointer to some other type
  for (int32_t i = 0; !full && i < *array->count; ++i) {
    bool there;
    memcpy(&there, items + (size_t)i * array->size + array->is_there, sizeof there);
    if (!there) return i;
  }
  if (*array->count == *array->capacity) {
    // large arrays grow by a sixteenth: more would be wasted memory
    const int32_t now = *array->capacity, capacity = now == 0 ? FIRST : now < MANY ? 2 * now : now + now / 16;
    items = realloc(items, (size_t)capacity * array->size);
    if (!items) return -1;
    memcpy(array->items, &items, sizeof items);
    *array->capacity = capacity;
  }
  memset(items + (size_t)*array->count * array->size, 0, array->size);
  return (*array->count)++;
}
