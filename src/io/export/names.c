#include "io/export/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"

enum { NUMBER_ROOM = 24 };  // for a number appended to a name

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Drops blanks, brackets and similar characters at the end: "hair[3]" becomes "hair_3".
static size_t clean(const char* text, char* name) {
  size_t length = 0;
  if (!is_letter(text[0])) name[length++] = '_';
  size_t kept = length;
  for (const char* at = text; *at; ++at) {
    bool plain = is_letter(*at) || is_digit(*at);
    name[length++] = plain ? *at : '_';
    if (plain) kept = length;
  }
  if (kept > 0) length = kept;
  name[length] = '\0';
  return length;
}

// A hash table of the names so far, at most half full.
typedef struct Set {
  char** slot;
  size_t size;
} Set;

// Enters a name; false if it exists already.
static bool enter(Set* set, char* name) {
  size_t i = (size_t)(cps_hash_bytes(CPS_HASH_START, name, strlen(name)) % set->size);
  for (; set->slot[i]; i = (i + 1) % set->size) {
    if (strcmp(set->slot[i], name) == 0) return false;
  }
  set->slot[i] = name;
  return true;
}

// Appends a number to a name that is taken, the next one if that is taken, too.
static bool make_unique(CpsExportNames* names) {
  Set set = {.size = 2 * (size_t)names->count + 1};
  set.slot = calloc(set.size, sizeof *set.slot);
  if (!set.slot) return false;
  for (int64_t i = 0; i < names->count; ++i) {
    size_t length = strlen(names->name[i]);
    for (int64_t number = i; !enter(&set, names->name[i]); ++number) {
      snprintf(names->name[i] + length, NUMBER_ROOM, "_%" PRId64, number);
    }
  }
  free(set.slot);
  return true;
}

bool cps_export_names_make(CpsExportNames* names, const char* const* texts, int64_t count) {
  *names = (CpsExportNames){.count = count};
  size_t room = 1;
  for (int64_t i = 0; i < count; ++i) room += strlen(texts[i]) + 2 + NUMBER_ROOM;
  names->name = malloc(((size_t)count + 1) * sizeof *names->name);
  names->memory = malloc(room);
  if (!names->name || !names->memory) {
    cps_export_names_free(names);
    return false;
  }
  char* at = names->memory;
  for (int64_t i = 0; i < count; ++i) {
    names->name[i] = at;
    at += clean(texts[i], at) + 1 + NUMBER_ROOM;
  }
  if (make_unique(names)) return true;
  cps_export_names_free(names);
  return false;
}

void cps_export_names_free(CpsExportNames* names) {
  free(names->name);
  free(names->memory);
  *names = (CpsExportNames){0};
}
