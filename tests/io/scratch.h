// A folder for the files of a test program.
#ifndef CAPSTAN_TESTS_IO_SCRATCH_H
#define CAPSTAN_TESTS_IO_SCRATCH_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "folders.h"
#include "test_helpers.h"

// A scratch folder in the working directory, made before the tests of a program and removed after them.
static char scratch_folder[64];
static int make_scratch(void** state) {
  (void)state;
  snprintf(scratch_folder, sizeof scratch_folder, "capstan-io-XXXXXX");
  return mkdtemp(scratch_folder) ? 0 : 1;
}
static int remove_scratch(void** state) {
  (void)state;
  DIR* folder = opendir(scratch_folder);
  if (!folder) return 1;
  for (struct dirent* entry; (entry = readdir(folder));) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", scratch_folder, entry->d_name);
    if (entry->d_name[0] != '.') remove_folder(path);  // exports make folders
  }
  closedir(folder);
  return rmdir(scratch_folder);
}
// A path in it, valid until the fourth call from now.
static inline const char* scratch_path(const char* name) {
  static char paths[4][192];
  static int next = 0;
  char* path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", scratch_folder, name);
  return path;
}

#endif
