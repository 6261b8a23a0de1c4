#include "server/buffer.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"

void cps_buffer_free(CpsBuffer* buffer) {
  free(buffer->bytes);
  *buffer = (CpsBuffer){0};
}

unsigned char* cps_buffer_take(CpsBuffer* buffer, size_t size) {
  if (buffer->failed) return NULL;
  if (size > buffer->room - buffer->size) {
    size_t room = 2 * buffer->room + size + 256;
    unsigned char* bytes = realloc(buffer->bytes, room);
    if (!bytes) {
      buffer->failed = true;
      return NULL;
    }
    buffer->bytes = bytes;
    buffer->room = room;
  }
  unsigned char* at = buffer->bytes + buffer->size;
  buffer->size += size;
  return at;
}

static unsigned char* store_u64(unsigned char* at, uint64_t value) {
  for (int i = 0; i < 8; ++i) at[i] = (unsigned char)(value >> (8 * i));
  return at + 8;
}

unsigned char* cps_store_u32(unsigned char* at, uint32_t value) {
  for (int i = 0; i < 4; ++i) at[i] = (unsigned char)(value >> (8 * i));
  return at + 4;
}

unsigned char* cps_store_f32(unsigned char* at, double value) {
  float rounded = (float)value;
  uint32_t bits;
  memcpy(&bits, &rounded, sizeof bits);
  return cps_store_u32(at, bits);
}

void cps_buffer_u32(CpsBuffer* buffer, uint32_t value) {
  unsigned char* at = cps_buffer_take(buffer, 4);
  if (at) cps_store_u32(at, value);
}

void cps_buffer_i64(CpsBuffer* buffer, int64_t value) {
  unsigned char* at = cps_buffer_take(buffer, 8);
  if (at) store_u64(at, (uint64_t)value);
}

void cps_buffer_f64(CpsBuffer* buffer, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  unsigned char* at = cps_buffer_take(buffer, 8);
  if (at) store_u64(at, bits);
}

static void put(CpsBuffer* buffer, const char* bytes, size_t size) {
  unsigned char* at = cps_buffer_take(buffer, size);
  if (at && size > 0) memcpy(at, bytes, size);
}

void cps_buffer_text(CpsBuffer* buffer, const char* text) {
  put(buffer, text, strlen(text));
}

void cps_buffer_string(CpsBuffer* buffer, const char* string) {
  put(buffer, "\"", 1);
  while (*string) {
    size_t length = (size_t)cps_utf8_length((const unsigned char*)string);
    if (*string == '"' || *string == '\\') {
      put(buffer, "\\", 1);
      put(buffer, string, 1);
    } else if (length == 1 && (unsigned char)*string < 0x20) {
      char escape[8];
      snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*string);
      put(buffer, escape, 6);
    } else if (length == 0) {
      put(buffer, "?", 1);
    } else {
      put(buffer, string, length);
    }
    string += length > 0 ? length : 1;
  }
  put(buffer, "\"", 1);
}

void cps_buffer_number(CpsBuffer* buffer, double value) {
  if (!isfinite(value)) {
    put(buffer, "null", 4);
    return;
  }
  char text[40];
  for (int digits = 15; digits <= 17; ++digits) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  // a program around the library may have set a locale with another decimal point
  const char* point = localeconv()->decimal_point;
  char* found = strcmp(point, ".") == 0 ? NULL : strstr(text, point);
  if (found) {
    *found = '.';
    memmove(found + 1, found + strlen(point), strlen(found + strlen(point)) + 1);
  }
  cps_buffer_text(buffer, text);
}

void cps_buffer_integer(CpsBuffer* buffer, int64_t value) {
  char text[24];
  int length = snprintf(text, sizeof text, "%" PRId64, value);
  put(buffer, text, (size_t)length);
}

void cps_buffer_numbers(CpsBuffer* buffer, const double* values, int count) {
  for (int i = 0; i < count; ++i) {
    put(buffer, i == 0 ? "[" : ",", 1);
    cps_buffer_number(buffer, values[i]);
  }
  put(buffer, "]", 1);
}
