// Text tables with aligned columns.
#ifndef CAPSTAN_CLI_TABLE_H
#define CAPSTAN_CLI_TABLE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct CpsTable {
  int row_count, column_count;
  char** cells;  // row-major; NULL is an empty cell
} CpsTable;

// Returns false if memory runs out.
bool cps_table_init(CpsTable* table, int row_count, int column_count);
void cps_table_free(CpsTable* table);
bool cps_table_set(CpsTable* table, int row, int column, const char* format, ...) __attribute__((format(printf, 4, 5)));
// The first `left_count` columns are left-aligned, the rest right-aligned. Each line is indented by `indent` blanks.
void cps_table_print(const CpsTable* table, FILE* out, int indent, int left_count);

#endif
