#include "io/scene/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text_number.h"
#include "io/file_text.h"

typedef struct Reader {
  const char* name;
  CpsError* error;
  CpsTable* table;
  int32_t line;
  bool fill;  // second pass
} Reader;

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

static bool at_end(const char* at) {
  return *at == '\0' || *at == '\n' || *at == '#';
}

static CpsStatus refuse(const Reader* reader, const char* reason) {
  return cps_io_fail(reader->error, CPS_BAD_FORMAT, reader->name, NULL, "line %d: %s", (int)reader->line, reason);
}

// Reads the numbers of one line; sets *count.
static CpsStatus read_row(const Reader* reader, const char* at, double* out, int32_t most, int32_t* count) {
  *count = 0;
  for (;;) {
    while (is_blank(*at)) at++;
    if (at_end(at)) return CPS_OK;
    double value;
    at = cps_number_read(at, &value);
    if (!at || !isfinite(value)) return refuse(reader, "expected finite numbers");
    if (*count == most) return refuse(reader, "more numbers than in the rows above");
    if (out) out[*count] = value;
    ++*count;
    while (is_blank(*at)) at++;
    if (*at == ',' || *at == ';') at++;
  }
}

static bool is_heading(const char* at) {
  double value;
  while (is_blank(*at)) at++;
  return !at_end(at) && !cps_number_read(at, &value);
}

static CpsStatus read_rows(Reader* reader, const char* text) {
  CpsTable* table = reader->table;
  int32_t rows = 0, columns = reader->fill ? table->columns : 0;
  reader->line = 0;
  for (bool first = true; *text; first = false) {
    reader->line++;
    if (!first || !is_heading(text)) {
      int32_t count;
      double* out = reader->fill ? table->values + (size_t)rows * (size_t)columns : NULL;
      CpsStatus status = read_row(reader, text, out, columns ? columns : CPS_CSV_MOST, &count);
      if (status != CPS_OK) return status;
      if (count > 0) {
        if (columns && count != columns) return refuse(reader, "fewer numbers than in the rows above");
        columns = count;
        rows++;
        if ((int64_t)rows * columns > CPS_CSV_MOST) return refuse(reader, "the table is too large");
      }
    }
    const char* end = strchr(text, '\n');
    if (!end) break;
    text = end + 1;
  }
  table->rows = rows;
  table->columns = columns;
  return CPS_OK;
}

CpsStatus cps_csv_parse(const char* text, const char* name, CpsArena* arena, CpsTable* table, CpsError* error) {
  *table = (CpsTable){0};
  Reader reader = {.name = name, .error = error, .table = table};
  CpsStatus status = read_rows(&reader, text);
  if (status != CPS_OK) return status;
  if (table->rows == 0) return cps_io_fail(error, CPS_BAD_FORMAT, name, NULL, "contains no numbers");
  table->values = CPS_TAKE(arena, double, (int64_t)table->rows * table->columns);
  if (!table->values) return cps_io_fail(error, CPS_NO_MEMORY, name, NULL, "out of memory");
  reader.fill = true;
  return read_rows(&reader, text);
}

CpsStatus cps_csv_read(const char* path, CpsArena* arena, CpsTable* table, CpsError* error) {
  char* text = NULL;
  size_t length;
  char why[CPS_FILE_WHY_SIZE];
  CpsStatus status = cps_file_text(path, CPS_CSV_BYTES, true, &text, &length, NULL, why);
  if (status != CPS_OK) return cps_io_fail(error, status, path, NULL, "%s", why);
  if (strlen(text) == length) {
    status = cps_csv_parse(text, path, arena, table, error);
  } else {
    status = cps_io_fail(error, CPS_BAD_FORMAT, path, NULL, "contains a zero byte");
  }
  free(text);
  return status;
}
