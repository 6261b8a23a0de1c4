// `capstan run --save-problem`: the DFCP of a step as an FCLIB file.
#ifndef CAPSTAN_CLI_RUN_PROBLEM_H
#define CAPSTAN_CLI_RUN_PROBLEM_H

#include "capstan/world.h"

#define CPS_PATH_MAX 4096

// Name of the file of a step: PREFIX-step000100.hdf5.
void cps_run_problem_path(const char* prefix, int64_t step, char path[CPS_PATH_MAX]);
// Writes the problem of the world's last step with its solution.
CpsStatus cps_run_save_problem(const CpsWorld* world, const CpsStepInfo* info, const char* prefix, CpsError* error);

#endif
