// A file that appears whole or not at all: written beside its place, then renamed onto it.
#ifndef CAPSTAN_BASE_ATOMIC_FILE_H
#define CAPSTAN_BASE_ATOMIC_FILE_H

#include "capstan/base.h"

// Writes `size` bytes to `path`. A failure leaves an older file as it was and nothing beside it.
CpsStatus cps_file_replace(const char* path, const void* bytes, size_t size, CpsError* error);

// Says now whether cps_file_replace() could write there, so that hours of work are not lost for a typing error.
CpsStatus cps_file_check(const char* path, CpsError* error);

// The place to rename to, allocated: a link is followed, so that it stays a link. NULL with a message if the place is no
// good.
char* cps_file_resolve(const char* path, CpsError* error, CpsStatus* status);

#endif
