// capstan info on a rest state of fibres.
#ifndef CAPSTAN_CLI_INFO_REST_H
#define CAPSTAN_CLI_INFO_REST_H

#include <stdbool.h>

int cps_info_rest(const char* path, bool as_json);

#endif
