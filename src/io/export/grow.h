// A growing byte buffer, and numbers and texts in the form of file formats.
#ifndef CAPSTAN_IO_EXPORT_GROW_H
#define CAPSTAN_IO_EXPORT_GROW_H

#include "capstan/base.h"

// Zeroed: empty. Once memory has run out, `failed` stays set and nothing more is added.
typedef struct CpsGrow {
  char* at;
  size_t size, room;
  bool failed;
} CpsGrow;

void cps_grow_free(CpsGrow* bytes);
// Clears the bytes and keeps the memory.
void cps_grow_clear(CpsGrow* bytes);
void cps_grow_add(CpsGrow* bytes, const void* values, size_t size);
void cps_grow_text(CpsGrow* bytes, const char* text);
void cps_grow_print(CpsGrow* bytes, const char* format, ...) __attribute__((format(printf, 2, 3)));
// A number with a decimal point in any locale; "nan", "inf", "-inf". `digits`: significant digits, up to 17.
void cps_grow_number(CpsGrow* bytes, double value, int digits);
// Numbers between brackets, "[1, 2]"; `separator` ", " or ",".
void cps_grow_numbers(CpsGrow* bytes, const double* values, int count, int digits, const char* open,
                      const char* separator, const char* close);

// Texts with unsupported characters replaced or escaped; bytes that are not UTF-8 become U+FFFD.
void cps_grow_json(CpsGrow* bytes, const char* text);  // with its quotes
void cps_grow_usd(CpsGrow* bytes, const char* text);   // with its quotes
void cps_grow_xml(CpsGrow* bytes, const char* text);   // inside an attribute
void cps_grow_word(CpsGrow* bytes, const char* text);  // no blanks, nothing unprintable; "_" for an empty one

#endif
