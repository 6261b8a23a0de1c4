#include "base/text_number.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 400 };

static const char* skip_digits(const char* c, int* count) {
  for (; *c >= '0' && *c <= '9'; ++c) ++*count;
  return c;
}

// End of the longest [+-] digits [. digits] [e [+-] digits], with at least one digit before the exponent.
static const char* find_end(const char* c, const char** point) {
  int digits = 0, exponent_digits = 0;
  *point = NULL;
  if (*c == '+' || *c == '-') ++c;
  c = skip_digits(c, &digits);
  if (*c == '.') {
    *point = c;
    c = skip_digits(c + 1, &digits);
  }
  if (digits == 0) return NULL;
  if (*c != 'e' && *c != 'E') return c;
  const char* e = c + 1;
  if (*e == '+' || *e == '-') ++e;
  e = skip_digits(e, &exponent_digits);
  return exponent_digits > 0 ? e : c;
}

const char* cps_number_read(const char* text, double* value) {
  const char* point;
  const char* end = find_end(text, &point);
  if (!end || end - text > LONGEST_NUMBER) return NULL;
  // strtod expects the decimal point of the locale, which a program around the library may have set
  const char* local_point = localeconv()->decimal_point;
  size_t point_length = strlen(local_point), used = 0;
  char copy[LONGEST_NUMBER + 16];
  if (point_length > 8) return NULL;
  for (const char* c = text; c < end; ++c) {
    if (c == point) {
      memcpy(copy + used, local_point, point_length);
      used += point_length;
    } else {
      copy[used++] = *c;
    }
  }
  copy[used] = '\0';
  *value = strtod(copy, NULL);
  return end;
}
