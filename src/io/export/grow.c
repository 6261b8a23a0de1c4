#include "io/export/grow.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"

enum { NUMBER_ROOM = 40 };

void cps_grow_free(CpsGrow* bytes) {
  free(bytes->at);
  *bytes = (CpsGrow){0};
}

void cps_grow_clear(CpsGrow* bytes) {
  bytes->size = 0;
}

static bool reserve(CpsGrow* bytes, size_t more) {
  if (bytes->failed) return false;
  if (more <= bytes->room - bytes->size) return true;
  size_t room = bytes->size + more;
  room += room / 2 + 64;
  char* grown = room > bytes->size ? realloc(bytes->at, room) : NULL;
  if (!grown) {
    bytes->failed = true;
    return false;
  }
  bytes->at = grown;
  bytes->room = room;
  return true;
}

void cps_grow_add(CpsGrow* bytes, const void* values, size_t size) {
  if (size == 0 || !reserve(bytes, size)) return;
  memcpy(bytes->at + bytes->size, values, size);
  bytes->size += size;
}

void cps_grow_text(CpsGrow* bytes, const char* text) {
  cps_grow_add(bytes, text, strlen(text));
}

void cps_grow_print(CpsGrow* bytes, const char* format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  if (length >= 0 && reserve(bytes, (size_t)length + 1)) {
    vsnprintf(bytes->at + bytes->size, (size_t)length + 1, format, again);
    bytes->size += (size_t)length;
  }
  va_end(again);
  va_end(arguments);
}

void cps_grow_number(CpsGrow* bytes, double value, int digits) {
  if (!isfinite(value)) {
    cps_grow_text(bytes, isnan(value) ? "nan" : value > 0.0 ? "inf" : "-inf");
    return;
  }
  char text[NUMBER_ROOM];
  // a locale may use another decimal point, the only character that is not otherwise part of a number
  snprintf(text, sizeof text, "%.*g", digits, value);
  for (char* at = text; *at; ++at) {
    if (!strchr("0123456789+-eE", *at)) *at = '.';
  }
  cps_grow_text(bytes, text);
}

void cps_grow_numbers(CpsGrow* bytes, const double* values, int count, int digits, const char* open,
                      const char* separator, const char* close) {
  cps_grow_text(bytes, open);
  for (int i = 0; i < count; ++i) {
    if (i > 0) cps_grow_text(bytes, separator);
    cps_grow_number(bytes, values[i], digits);
  }
  cps_grow_text(bytes, close);
}

// Writes an ASCII character as the format requires; false if it needs no escape.
typedef bool (*EscapeFn)(CpsGrow* bytes, unsigned char c);

static void put_escaped(CpsGrow* bytes, const char* text, EscapeFn escape) {
  for (const unsigned char* at = (const unsigned char*)text; *at;) {
    int length = cps_utf8_length(at);
    if (length == 0) {
      cps_grow_text(bytes, "\xef\xbf\xbd");
      length = 1;
    } else if (length > 1 || !escape(bytes, *at)) {
      cps_grow_add(bytes, at, (size_t)length);
    }
    at += length;
  }
}

static bool escape_json(CpsGrow* bytes, unsigned char c) {
  if (c == '"' || c == '\\') {
    cps_grow_print(bytes, "\\%c", c);
    return true;
  }
  if (c >= 0x20 && c != 0x7f) return false;
  cps_grow_print(bytes, "\\u%04x", c);
  return true;
}

static bool escape_usd(CpsGrow* bytes, unsigned char c) {
  if (c == '"' || c == '\\') {
    cps_grow_print(bytes, "\\%c", c);
    return true;
  }
  if (c >= 0x20 && c != 0x7f) return false;
  cps_grow_text(bytes, " ");
  return true;
}

static bool escape_xml(CpsGrow* bytes, unsigned char c) {
  const char* name = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : NULL;
  if (!name && (c < 0x20 || c == 0x7f)) name = "?";
  if (!name) return false;
  cps_grow_text(bytes, name);
  return true;
}

static bool escape_word(CpsGrow* bytes, unsigned char c) {
  if (c > 0x20 && c != 0x7f && c != '#' && c != '\\') return false;
  cps_grow_text(bytes, "_");
  return true;
}

void cps_grow_json(CpsGrow* bytes, const char* text) {
  cps_grow_text(bytes, "\"");
  put_escaped(bytes, text, escape_json);
  cps_grow_text(bytes, "\"");
}

void cps_grow_usd(CpsGrow* bytes, const char* text) {
  cps_grow_text(bytes, "\"");
  put_escaped(bytes, text, escape_usd);
  cps_grow_text(bytes, "\"");
}

void cps_grow_xml(CpsGrow* bytes, const char* text) {
  put_escaped(bytes, text, escape_xml);
}

void cps_grow_word(CpsGrow* bytes, const char* text) {
  if (!text[0]) cps_grow_text(bytes, "_");
  put_escaped(bytes, text, escape_word);
}
