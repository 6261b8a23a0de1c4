// Sentences about files: "FILE: DATASET: what is wrong".
#ifndef CAPSTAN_BASE_FAIL_H
#define CAPSTAN_BASE_FAIL_H

#include "capstan/base.h"

// Writes the message (dataset NULL: "FILE: what is wrong"; error may be NULL) and returns `status`. A long path keeps
// its end, so that the reason still fits.
CpsStatus cps_io_fail(CpsError* error, CpsStatus status, const char* path, const char* dataset, const char* format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
