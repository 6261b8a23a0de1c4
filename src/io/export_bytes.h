// Bytes in memory that grow, and numbers and texts as files want them.
#ifndef CAPSTAN_IO_EXPORT_BYTES_H
#define CAPSTAN_IO_EXPORT_BYTES_H

#include "capstan/base.h"

// Zeroed: empty. Once memory was short `failed` stays set and nothing more is added.
typedef struct CpsBytes {
  char* at;
  size_t size, room;
  bool failed;
} CpsBytes;

void cps_bytes_free(CpsBytes* bytes);
// Empties them and keeps the memory.
void cps_bytes_clear(CpsBytes* bytes);
void cps_bytes_add(CpsBytes* bytes, const void* values, size_t size);
void cps_bytes_text(CpsBytes* bytes, const char* text);
void cps_bytes_print(CpsBytes* bytes, const char* format, ...) __attribute__((format(printf, 2, 3)));
// A number with a decimal point whatever the locale; "nan", "inf", "-inf". `digits` that count, up to 17.
void cps_bytes_number(CpsBytes* bytes, double value, int digits);
// Numbers between brackets, "[1, 2]"; `separator` ", " or ",".
void cps_bytes_numbers(CpsBytes* bytes, const double* values, int count, int digits, const char* open,
                       const char* separator, const char* close);

// Texts with what the format cannot hold replaced or escaped; bytes that are no UTF-8 become U+FFFD.
void cps_bytes_json(CpsBytes* bytes, const char* text);  // with its quotes
void cps_bytes_usd(CpsBytes* bytes, const char* text);   // with its quotes
void cps_bytes_xml(CpsBytes* bytes, const char* text);   // inside an attribute
void cps_bytes_word(CpsBytes* bytes, const char* text);  // no blanks, nothing unprintable; "_" for an empty one

#endif
