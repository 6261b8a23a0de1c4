// Methods and local solvers by name, with a helpful message for an unknown name.
#ifndef CAPSTAN_CLI_CHOOSE_H
#define CAPSTAN_CLI_CHOOSE_H

#include "capstan/solve.h"

// Sets the method (a name or an alias of the papers). Complains and returns false for an unknown or missing one.
bool cps_choose_method(CpsSolveOptions* options, const char* name);
// Sets the local solver, "mfb" or "mfb+enum".
bool cps_choose_local(CpsSolveOptions* options, const char* name);
// Name of a method, "gs"; "?" outside the enum.
const char* cps_method_name(CpsMethod method);
// Name of the local solver that a solve used, "mfb+enum", in `text`; NULL if it used none.
const char* cps_local_name(const CpsSolveInfo* info, char text[32]);
// Name of a status in the command's output: converged, not-converged, no-solution, time-limit, interrupted.
const char* cps_status_word(CpsStatus status);

#endif
