// Filling in a CpsError: a printf-like message and the status to return with it.
#ifndef CAPSTAN_CORE_ERROR_H
#define CAPSTAN_CORE_ERROR_H

#include "capstan/base.h"

// Writes the message (error may be NULL) and returns `status`, so that a function can `return cps_fail(...)`.
CpsStatus cps_fail(CpsError* error, CpsStatus status, const char* format, ...) __attribute__((format(printf, 3, 4)));
// Empties the message and returns CPS_OK.
CpsStatus cps_succeed(CpsError* error);
// A copy of a text, to be freed; NULL stays NULL. False: memory runs out.
bool cps_text_copy(const char* text, char** copy);

#endif
