// Tables of reference solutions beside the project; a test that needs one skips, with a printed reason, where it is
// missing.
#ifndef CAPSTAN_TESTS_SCENES_REFERENCE_H
#define CAPSTAN_TESTS_SCENES_REFERENCE_H

#include "test_helpers.h"

#include <stdlib.h>

enum { REFERENCE_COLUMNS = 6, REFERENCE_ROWS = 256 };

typedef struct Reference {
  double row[REFERENCE_ROWS][REFERENCE_COLUMNS];
  int count;
} Reference;

// Reads SHARED_DATA/reference/`name`, numbers separated by commas under a line of titles.
static inline void read_reference(const char* name, Reference* table) {
  char path[512], line[512];
  snprintf(path, sizeof path, "%s/reference/%s", SHARED_DATA, name);
  FILE* file = fopen(path, "r");
  if (!file) {
    print_message("skipped: %s is not there\n", path);
    skip();
  }
  table->count = 0;
  assert_non_null(fgets(line, sizeof line, file));
  while (table->count < REFERENCE_ROWS && fgets(line, sizeof line, file)) {
    double* to = table->row[table->count++];
    char* at = line;
    for (int k = 0; k < REFERENCE_COLUMNS && *at; ++k) {
      to[k] = strtod(at, &at);
      if (*at == ',') ++at;
    }
  }
  fclose(file);
}

#endif
