#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>

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
