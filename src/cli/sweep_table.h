// Chosen quantities of all cases of a sweep as a table.
//
// A quantity is `exit`, `seconds`, `processor` or `megabytes` of the process; a total of the run (cps_sweep_quantities());
// a series of the result, reduced: `last:kinetic`, `max:penetration`, `min:`, `mean:`, `first:`; or a thing's way between the
// first and the last frame: `way:NAME` (of the centre of a body, or of the point of a fibre that moved furthest), `tip:NAME` (the
// last point of a fibre), and its place at the end: `x:NAME`, `y:NAME`, `z:NAME` (centre of a body, last point of a fibre).
#ifndef CAPSTAN_CLI_SWEEP_TABLE_H
#define CAPSTAN_CLI_SWEEP_TABLE_H

#include "cli/sweep_folder.h"

enum { CPS_SWEEP_COLUMNS = 64 };

// A table in memory: the case's number, the varied keys, the quantities.
typedef struct CpsSweepTable {
  int64_t rows;
  int32_t axis_count, quantity_count;
  char* names[CPS_SWEEP_COLUMNS];  // of the quantities
  double* values;                  // rows x quantity_count, row-major; NaN: the case has none
} CpsSweepTable;

// The default quantities, separated by commas.
extern const char cps_sweep_quantities[];

// Gathers `what`, names separated by commas. Unknown names are rejected; a case without a result has NaN.
CpsStatus cps_sweep_gather(const CpsSweep* sweep, const char* what, CpsSweepTable* table, CpsError* error);
void cps_sweep_table_free(CpsSweepTable* table);
// Writes table.csv and table.h5 into the folder.
CpsStatus cps_sweep_table_write(const CpsSweep* sweep, const CpsSweepTable* table, CpsError* error);
// A varied value as a number, or NaN.
double cps_sweep_number(const CpsSweep* sweep, int64_t number, int32_t axis);

#endif
