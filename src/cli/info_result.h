// Output of `capstan info` for the result of a simulation.
#ifndef CAPSTAN_CLI_INFO_RESULT_H
#define CAPSTAN_CLI_INFO_RESULT_H

#include <stdbool.h>

// Prints it, as text or as one JSON object, and returns an exit code.
int cps_info_result(const char* path, bool as_json);

#endif
