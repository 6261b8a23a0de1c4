// What the programs of this folder are asked for on the command line, and the file that their table goes to.
#ifndef CAPSTAN_BENCH_DEFORM_ARGUMENTS_H
#define CAPSTAN_BENCH_DEFORM_ARGUMENTS_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct Arguments {
  const char* directory;  // --out; NULL: tables go to the standard output
  const char* scenes;     // --scenes
  const char* work;       // --work: for files of other programs
  bool quick;             // --quick
} Arguments;

static inline Arguments read_arguments(int argc, char** argv) {
  Arguments a = {.scenes = "scenes", .work = "."};
  for (int k = 1; k < argc; ++k) {
    if (strcmp(argv[k], "--quick") == 0) a.quick = true;
    if (strcmp(argv[k], "--out") == 0 && k + 1 < argc) a.directory = argv[++k];
    if (strcmp(argv[k], "--scenes") == 0 && k + 1 < argc) a.scenes = argv[++k];
    if (strcmp(argv[k], "--work") == 0 && k + 1 < argc) a.work = argv[++k];
  }
  return a;
}

// NULL: it cannot be written, which has been said.
static inline FILE* open_table(const Arguments* a, const char* name) {
  char path[512];
  if (!a->directory) return stdout;
  (void)snprintf(path, sizeof path, "%s/%s", a->directory, name);
  FILE* out = fopen(path, "w");
  if (!out) perror(path);
  return out;
}

static inline bool close_table(FILE* out) {
  return out == stdout ? fflush(out) == 0 : fclose(out) == 0;
}

#endif
