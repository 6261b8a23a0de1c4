// A growing buffer of bytes to send. If memory runs out, the buffer remembers it and reports it once, at the end.
#ifndef CAPSTAN_SERVER_BUFFER_H
#define CAPSTAN_SERVER_BUFFER_H

#include "capstan/base.h"

typedef struct CpsBuffer {
  unsigned char* bytes;
  size_t size;
  size_t room;
  bool failed;  // an allocation failed: the contents are incomplete
} CpsBuffer;

void cps_buffer_free(CpsBuffer* buffer);
// Appends room for `size` more bytes; NULL if memory runs out.
unsigned char* cps_buffer_take(CpsBuffer* buffer, size_t size);

// Little-endian numbers.
void cps_buffer_u32(CpsBuffer* buffer, uint32_t value);
void cps_buffer_i64(CpsBuffer* buffer, int64_t value);
void cps_buffer_f64(CpsBuffer* buffer, double value);
unsigned char* cps_store_u32(unsigned char* at, uint32_t value);
unsigned char* cps_store_f32(unsigned char* at, double value);  // of a double, rounded

// Pieces of JSON. Texts are copied as they are; strings are quoted, with '?' for invalid UTF-8. NaN and infinity, which JSON lacks,
// become null.
void cps_buffer_text(CpsBuffer* buffer, const char* text);
void cps_buffer_string(CpsBuffer* buffer, const char* string);
void cps_buffer_number(CpsBuffer* buffer, double value);
void cps_buffer_integer(CpsBuffer* buffer, int64_t value);
// `[` numbers `]`
void cps_buffer_numbers(CpsBuffer* buffer, const double* values, int count);

#endif
