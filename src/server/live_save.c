// Saving from a live simulation: next to the scene, under the first unused name. The name is taken by making an empty
// file, so that two who save at once never write over each other; what cannot be written leaves nothing behind.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capstan/fclib.h"
#include "core/error.h"
#include "server/live_internal.h"

enum { MOST_NAMES = 10000 };

// Creates BASE-NUMBER.ending if it does not exist. @return 1 created, 0 it exists, -1 error (errno)
static int take(const char* path) {
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return errno == EEXIST ? 0 : -1;
  close(file);
  return 1;
}

// The first free name BASE-1.first, BASE-2.first, … for which BASE-….second is free as well, unless `second` is NULL.
static CpsStatus find_name(const CpsLive* live, const char* first, const char* second, char* path, char* other,
                           size_t size, CpsError* error) {
  const char *slash = strrchr(live->path, '/'), *dot = strrchr(live->path, '.');
  size_t base = dot && (!slash || dot > slash + 1) ? (size_t)(dot - live->path) : strlen(live->path);
  for (int number = 1; number < MOST_NAMES; ++number) {
    int length = snprintf(path, size, "%.*s-%d%s", (int)base, live->path, number, first);
    if (length < 0 || (size_t)length + 16 > size) break;
    snprintf(other, size, "%.*s-%d%s", (int)base, live->path, number, second ? second : "");
    int taken = take(path), both = taken == 1 && second ? take(other) : taken;
    if (both == 1) return CPS_OK;
    int why = errno;
    if (taken == 1) unlink(path);
    if (taken < 0 || both < 0) return cps_fail(error, CPS_FILE_ERROR, "%s: %s", path, strerror(why));
  }
  return cps_fail(error, CPS_FILE_ERROR, "no free file name is left next to %s", live->path);
}

CpsStatus cps_live_save_scene(const CpsLive* live, char* path, size_t size, CpsError* error) {
  char state[1024];
  if (live->cut) {
    return cps_fail(error, CPS_UNSUPPORTED,
                    "cut fibres cannot be saved with the scene; add `trim: LENGTH` to it instead");
  }
  CpsStatus status = find_name(live, ".yaml", ".state", path, state, size < sizeof state ? size : sizeof state, error);
  if (status != CPS_OK) return status;
  status = cps_scene_save(live->scene, live->world, path, error);
  if (status != CPS_OK) {
    unlink(path);
    unlink(state);
  }
  return status;
}

static CpsStatus write_problem(const CpsLive* live, const char* path, CpsError* error) {
  size_t room = (size_t)cps_world_problem_rows(live->world) + 1;
  double *r = malloc(room * sizeof *r), *u = malloc(room * sizeof *u);
  CpsProblem* problem = NULL;
  CpsStatus status = r && u ? cps_world_problem(live->world, &problem, r, error)
                            : cps_fail(error, CPS_NO_MEMORY, "not enough memory for the problem of a step");
  if (status == CPS_OK) {
    char title[100];
    snprintf(title, sizeof title, "step %lld of a simulation, t = %g s", (long long)live->info.index, live->info.time);
    status = cps_problem_velocity(problem, r, u);
    if (status != CPS_OK) cps_fail(error, status, "%s", cps_status_string(status));
    if (status == CPS_OK) status = cps_fclib_write(path, problem, r, u, title, error);
  }
  cps_problem_destroy(problem);
  free(r);
  free(u);
  return status;
}

CpsStatus cps_live_save_problem(const CpsLive* live, char* path, size_t size, CpsError* error) {
  if (cps_world_problem_rows(live->world) == 0) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the last step had no contacts, so there is no problem to save");
  }
  char none[1024];
  CpsStatus status = find_name(live, ".hdf5", NULL, path, none, size < sizeof none ? size : sizeof none, error);
  if (status != CPS_OK) return status;
  status = write_problem(live, path, error);
  if (status != CPS_OK) unlink(path);
  return status;
}
