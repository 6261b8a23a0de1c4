// Names as identifiers: a letter or an underscore, then letters, digits and underscores, each of them once.
#ifndef CAPSTAN_IO_EXPORT_NAMES_H
#define CAPSTAN_IO_EXPORT_NAMES_H

#include "capstan/base.h"

typedef struct CpsExportNames {
  int64_t count;
  char** name;
  char* memory;
} CpsExportNames;

// Makes identifiers of texts. Characters other than letters and digits become underscores; names that come out the same
// get a number behind them. False: memory runs out.
bool cps_export_names_make(CpsExportNames* names, const char* const* texts, int64_t count);
void cps_export_names_free(CpsExportNames* names);

#endif
