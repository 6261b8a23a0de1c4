/// @file base.h
/// Shared by all headers: the export macro, the version, statuses and error messages.
///
/// Conventions of the whole API. Units are SI. Zero is success; a positive status is a usable but degraded answer; a
/// negative status is a rejected call, and then every output except the error message is unchanged. The library never
/// prints, exits or keeps mutable global state. Objects are not locked: use each from one thread at a time. A
/// CpsProblem is immutable after its creation and may be read by several threads at once.
#ifndef CAPSTAN_BASE_H
#define CAPSTAN_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(CAPSTAN_SHARED) && defined(__GNUC__)
#define CPS_API __attribute__((visibility("default")))
#else
#define CPS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define CPS_VERSION_MAJOR 0
#define CPS_VERSION_MINOR 3
#define CPS_VERSION_PATCH 0

/// Outcome of a call. 0 is success, > 0 an answer that is usable but less accurate than requested, < 0 a rejected call.
typedef enum CpsStatus {
  CPS_OK = 0,             ///< success, to the requested accuracy
  CPS_NOT_CONVERGED = 1,  ///< the iteration limit was reached, or the method could not improve further
  CPS_NO_SOLUTION = 2,    ///< certified: the problem has no solution (Painleve)
  CPS_TIME_LIMIT = 3,     ///< the time limit was reached
  CPS_INTERRUPTED = 4,    ///< a callback requested a stop
  CPS_BAD_ARGUMENT = -1,  ///< an argument is invalid: NULL, an option out of range, a missing cookie
  CPS_BAD_DATA = -2,      ///< invalid numbers: NaN, infinity, mu < 0, inconsistent sizes or indices
  CPS_NO_MEMORY = -3,     ///< an allocation failed
  CPS_UNSUPPORTED = -4,   ///< the method does not handle this law, dimension or form, or was left out of this build
  CPS_FILE_ERROR = -5,    ///< a file cannot be opened, read or written
  CPS_BAD_FORMAT = -6     ///< a file was read but its contents are invalid
} CpsStatus;

/// A one-sentence error message, without a full stop or a line break. Functions that take a CpsError* accept
/// NULL.
typedef struct CpsError {
  char text[256];  ///< zero-terminated; empty after a call that returned CPS_OK
} CpsError;

/// Short fixed text of a status ("not converged"). Never NULL, even for values outside the enum.
CPS_API const char* cps_status_string(CpsStatus status);

/// Version of the library that is running, "major.minor.patch".
CPS_API const char* cps_version(void);

#ifdef __cplusplus
}
#endif
#endif
