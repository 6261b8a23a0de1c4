#include "capstan/base.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char* cps_status_string(CpsStatus status) {
  switch (status) {
    case CPS_OK:
      return "converged";
    case CPS_NOT_CONVERGED:
      return "not converged";
    case CPS_NO_SOLUTION:
      return "no solution";
    case CPS_TIME_LIMIT:
      return "time limit";
    case CPS_INTERRUPTED:
      return "interrupted";
    case CPS_BAD_ARGUMENT:
      return "bad argument";
    case CPS_BAD_DATA:
      return "bad data";
    case CPS_NO_MEMORY:
      return "not enough memory";
    case CPS_UNSUPPORTED:
      return "not supported";
    case CPS_FILE_ERROR:
      return "file error";
    case CPS_BAD_FORMAT:
      return "bad file format";
  }
  return "unknown status";
}

const char* cps_version(void) {
  return TEXT(CPS_VERSION_MAJOR) "." TEXT(CPS_VERSION_MINOR) "." TEXT(CPS_VERSION_PATCH);
}
