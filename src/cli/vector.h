// Points and directions on the command line.
#ifndef CAPSTAN_CLI_VECTOR_H
#define CAPSTAN_CLI_VECTOR_H

#include <stdbool.h>

#include "capstan/vec.h"

// "A,B,C", three finite numbers.
bool cps_read_vector(const char* text, CpsVec3* vector);
// "x", "-y", or three numbers that are not all zero.
bool cps_read_direction(const char* text, CpsVec3* direction);

#endif
