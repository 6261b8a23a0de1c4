#include "cli/processors.h"

#include <unistd.h>

int32_t cps_processors(void) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  return processors < 1 ? 1 : processors > 64 ? 64 : (int32_t)processors;
}
