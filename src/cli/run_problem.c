#include "cli/run_problem.h"

#include <stdio.h>
#include <stdlib.h>

#include "capstan/fclib.h"

void cps_run_problem_path(const char* prefix, int64_t step, char path[CPS_PATH_MAX]) {
  snprintf(path, CPS_PATH_MAX, "%s-step%06lld.hdf5", prefix, (long long)step);
}

CpsStatus cps_run_save_problem(const CpsWorld* world, const CpsStepInfo* info, const char* prefix, CpsError* error) {
  char path[CPS_PATH_MAX], title[128];
  cps_run_problem_path(prefix, info->index, path);
  snprintf(title, sizeof title, "step %lld of a simulation, t = %g s", (long long)info->index, info->time);
  size_t room = (size_t)cps_world_problem_rows(world) + 1;
  double* r = malloc(room * sizeof *r);
  double* u = malloc(room * sizeof *u);
  CpsProblem* problem = NULL;
  CpsStatus status = r && u ? cps_world_problem(world, &problem, r, error) : CPS_NO_MEMORY;
  if (!r || !u) snprintf(error->text, sizeof error->text, "out of memory");
  if (status == CPS_OK && (status = cps_problem_velocity(problem, r, u)) != CPS_OK) {
    snprintf(error->text, sizeof error->text, "%s", cps_status_string(status));
  }
  if (status == CPS_OK) status = cps_fclib_write(path, problem, r, u, title, error);
  cps_problem_destroy(problem);
  free(r);
  free(u);
  return status;
}
