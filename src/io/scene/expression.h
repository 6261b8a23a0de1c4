// Arithmetic in scene files: "= 2 * radius + 1".
#ifndef CAPSTAN_IO_SCENE_EXPRESSION_H
#define CAPSTAN_IO_SCENE_EXPRESSION_H

#include "io/scene/value.h"

// Looks up the value of a name; false: unknown, or not available, with a message in why.
typedef bool (*CpsVariableFn)(void* data, const char* name, double* value, char why[CPS_WHY_SIZE]);

// Evaluates an expression without its leading '='. The result is finite.
// @param why  out: what is wrong, as the end of a message
bool cps_expression_evaluate(const char* text, CpsVariableFn variable, void* data, double* value,
                             char why[CPS_WHY_SIZE]);

#endif
