#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// a path longer than this keeps its end, so that the reason still fits in a CpsError
#define LONGEST_PATH 120

CpsStatus cps_io_fail(CpsError* error, CpsStatus status, const char* path, const char* dataset, const char* format,
                      ...) {
  char reason[sizeof error->text];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  if (!error) return status;
  size_t length = strlen(path);
  const char* dots = length > LONGEST_PATH ? "..." : "";
  const char* tail = length > LONGEST_PATH ? path + length - LONGEST_PATH : path;
  char text[2 * sizeof error->text];
  if (dataset) {
    snprintf(text, sizeof text, "%s%s: %s: %s", dots, tail, dataset, reason);
  } else {
    snprintf(text, sizeof text, "%s%s: %s", dots, tail, reason);
  }
  text[sizeof error->text - 1] = '\0';
  memcpy(error->text, text, sizeof error->text);
  return status;
}
