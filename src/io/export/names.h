// Converts names to unique identifiers: a letter or an underscore, then letters, digits and underscores.
#ifndef CAPSTAN_IO_EXPORT_NAMES_H
#define CAPSTAN_IO_EXPORT_NAMES_H

#include "capstan/base.h"

typedef struct CpsExportNames {
  int64_t count;
  char** name;
  char* memory;
} CpsExportNames;

// Makes identifiers from texts. Characters other than letters and digits become underscores; identical results get a numeric
// suffix. False: memory runs out.
bool cps_export_names_make(CpsExportNames* names, const char* const* texts, int64_t count);
void cps_export_names_free(CpsExportNames* names);

#endif
