// Tables of numbers: one row per line; commas, semicolons, tabs or blanks as separators; comments start with '#'.
#ifndef CAPSTAN_IO_SCENE_CSV_H
#define CAPSTAN_IO_SCENE_CSV_H

#include "capstan/base.h"
#include "core/arena.h"

typedef struct CpsTable {
  int32_t rows, columns;
  double* values;  // row by row, finite
} CpsTable;

enum { CPS_CSV_MOST = 4000000, CPS_CSV_BYTES = 32 << 20 };  // numbers; bytes of the file

// Reads a table into memory of the arena. A first line that does not begin with a number is a heading and skipped.
// @param error  out: "FILE: line N: what is wrong"
// @return CPS_OK, CPS_FILE_ERROR, CPS_BAD_FORMAT or CPS_NO_MEMORY
CpsStatus cps_csv_read(const char* path, CpsArena* arena, CpsTable* table, CpsError* error);
// The same from zero-terminated text.
CpsStatus cps_csv_parse(const char* text, const char* name, CpsArena* arena, CpsTable* table, CpsError* error);

#endif
