#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CpsStatus cps_fail(CpsError* error, CpsStatus status, const char* format, ...) {
  if (error) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
  }
  return status;
}

CpsStatus cps_succeed(CpsError* error) {
  if (error) error->text[0] = '\0';
  return CPS_OK;
}

bool cps_text_copy(const char* text, char** copy) {
  *copy = NULL;
  if (!text) return true;
  size_t size = strlen(text) + 1;
  *copy = malloc(size);
  if (*copy) memcpy(*copy, text, size);
  return *copy != NULL;
}
