#include "cli/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool cps_table_init(CpsTable* table, int row_count, int column_count) {
  *table = (CpsTable){row_count, column_count, calloc((size_t)row_count * (size_t)column_count + 1, sizeof(char*))};
  return table->cells != NULL;
}

void cps_table_free(CpsTable* table) {
  for (int k = 0; table->cells && k < table->row_count * table->column_count; ++k) free(table->cells[k]);
  free(table->cells);
  *table = (CpsTable){0};
}

bool cps_table_set(CpsTable* table, int row, int column, const char* format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char* cell = length >= 0 ? malloc((size_t)length + 1) : NULL;
  if (cell) vsnprintf(cell, (size_t)length + 1, format, again);
  va_end(again);
  if (!cell) return false;
  char** place = &table->cells[row * table->column_count + column];
  free(*place);
  *place = cell;
  return true;
}

// Number of characters in a UTF-8 text: continuation bytes do not count.
static int width(const char* text) {
  int count = 0;
  for (; text && *text; ++text) count += ((unsigned char)*text & 0xc0) != 0x80;
  return count;
}

static const char* cell_at(const CpsTable* table, int row, int column) {
  const char* cell = table->cells[row * table->column_count + column];
  return cell ? cell : "";
}

void cps_table_print(const CpsTable* table, FILE* out, int indent, int left_count) {
  int* widest = calloc((size_t)table->column_count + 1, sizeof *widest);
  for (int row = 0; widest && row < table->row_count; ++row) {
    for (int column = 0; column < table->column_count; ++column) {
      int wide = width(cell_at(table, row, column));
      if (widest[column] < wide) widest[column] = wide;
    }
  }
  for (int row = 0; row < table->row_count; ++row) {
    fprintf(out, "%*s", indent, "");
    for (int column = 0; column < table->column_count; ++column) {
      const char* cell = cell_at(table, row, column);
      int blanks = (widest ? widest[column] : 0) - width(cell);
      if (blanks < 0) blanks = 0;
      const char* gap = column > 0 ? "  " : "";
      if (column < left_count) {
        bool last = column + 1 == table->column_count;
        fprintf(out, "%s%s%*s", gap, cell, last ? 0 : blanks, "");
      } else {
        fprintf(out, "%s%*s%s", gap, blanks, "", cell);
      }
    }
    fputc('\n', out);
  }
  free(widest);
}
