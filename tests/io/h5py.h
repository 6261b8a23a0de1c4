// Runs tests/io/result/check_result.py on results, with a Python that has h5py.
#ifndef CAPSTAN_TESTS_IO_H5PY_H
#define CAPSTAN_TESTS_IO_H5PY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_helpers.h"

// The command, or NULL where no Python has h5py.
static inline const char* python_with_h5py(void) {
  static const char* const candidates[] = {"python3", "/usr/bin/python3"};
  for (int i = 0; i < 2; ++i) {
    char command[128];
    snprintf(command, sizeof command, "%s -c 'import h5py' >/dev/null 2>&1", candidates[i]);
    if (system(command) == 0) return candidates[i];
  }
  return NULL;
}

// Checks the files, whose names are separated by blanks.
static inline void check_with_h5py(const char* python, const char* paths) {
  size_t size = strlen(paths) + 512;
  char* command = malloc(size);
  assert_non_null(command);
  snprintf(command, size, "%s %s/tests/io/result/check_result.py %s >/dev/null", python, SOURCE_DIR, paths);
  assert_int_equal(system(command), 0);
  free(command);
}

#endif
