// How many threads a command uses by default.
#ifndef CAPSTAN_CLI_PROCESSORS_H
#define CAPSTAN_CLI_PROCESSORS_H

#include <stdint.h>

// All processors, at most 64.
int32_t cps_processors(void);

#endif
