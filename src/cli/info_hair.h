// Output of `capstan info` for a file of hair.
#ifndef CAPSTAN_CLI_INFO_HAIR_H
#define CAPSTAN_CLI_INFO_HAIR_H

#include <stdbool.h>

// Prints it, as text or as one JSON object, and returns an exit code.
int cps_info_hair(const char* path, bool as_json);

#endif
