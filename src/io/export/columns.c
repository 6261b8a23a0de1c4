// Tables of columns as CSV or HDF5 (export.h).
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "capstan/export.h"
#include "io/export/grow.h"
#include "io/hdf5_checked.h"

static bool ends_with(const char* text, const char* ending) {
  size_t length = strlen(text), wanted = strlen(ending);
  return length >= wanted && strcmp(text + length - wanted, ending) == 0;
}

// Writes a field of CSV, quoted only if necessary.
static void add_field(CpsGrow* out, const char* text) {
  if (text[strcspn(text, ",\"\r\n")] == '\0') {
    cps_grow_text(out, text);
    return;
  }
  cps_grow_text(out, "\"");
  for (; *text; ++text) cps_grow_add(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
  cps_grow_text(out, "\"");
}

// Writes the fewest digits that reproduce the number exactly.
static void add_number(CpsGrow* out, double value) {
  char text[40];
  int digits = 15;
  for (; digits < 17; ++digits) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  cps_grow_number(out, value, digits);
}

static CpsStatus write_csv(const char* path, const CpsColumn* columns, int32_t count, int64_t rows, CpsError* error) {
  CpsGrow out = {0};
  for (int32_t c = 0; c < count; ++c) {
    if (c > 0) cps_grow_text(&out, ",");
    add_field(&out, columns[c].name);
  }
  cps_grow_text(&out, "\n");
  for (int64_t i = 0; i < rows; ++i) {
    for (int32_t c = 0; c < count; ++c) {
      if (c > 0) cps_grow_text(&out, ",");
      if (columns[c].numbers) {
        add_number(&out, columns[c].numbers[i]);
      } else {
        add_field(&out, columns[c].texts[i]);
      }
    }
    cps_grow_text(&out, "\n");
  }
  CpsStatus status = out.failed ? cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory")
                                : cps_file_replace(path, out.at, out.size, error);
  cps_grow_free(&out);
  return status;
}

static bool write_column(hid_t file, const CpsColumn* column, int64_t rows) {
  char* name = strdup(column->name);
  if (!name) return false;
  for (char* at = name; *at; ++at) {
    if (*at == '/') *at = '_';
  }
  if (strcmp(name, ".") == 0) name[0] = '_';
  bool done = column->numbers ? cps_h5_write_doubles(file, name, column->numbers, rows)
                              : cps_h5_write_texts(file, name, column->texts, rows);
  free(name);
  return done;
}

static CpsStatus write_hdf5(const char* path, const CpsColumn* columns, int32_t count, int64_t rows, CpsError* error) {
  CpsStatus status = cps_file_check(path, error);
  if (status != CPS_OK) return status;
  size_t size = strlen(path) + 8;
  char* part = malloc(size);
  if (!part) return cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
  (void)snprintf(part, size, "%s.part", path);
  bool done = false;
  H5E_BEGIN_TRY {
    hid_t file = H5Fcreate(part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    done = file >= 0;
    for (int32_t c = 0; done && c < count; ++c) done = write_column(file, &columns[c], rows);
    if (file >= 0 && H5Fclose(file) < 0) done = false;
  }
  H5E_END_TRY
  if (!done || rename(part, path) != 0) {
    (void)remove(part);
    status = cps_io_fail(error, CPS_FILE_ERROR, path, NULL, "cannot be written");
  }
  free(part);
  return status;
}

CpsStatus cps_export_columns(const char* path, const CpsColumn* columns, int32_t column_count, int64_t rows,
                             CpsError* error) {
  static const char NAME[] = "cps_export_columns";
  if (!path || !columns || column_count < 1 || rows < 0) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, NAME, NULL, "path or columns are missing, or rows < 0");
  }
  for (int32_t i = 0; i < column_count; ++i) {
    if (!columns[i].name || !columns[i].name[0] || (!columns[i].numbers && !columns[i].texts)) {
      return cps_io_fail(error, CPS_BAD_ARGUMENT, NAME, NULL, "column %d has no name or no values", (int)i);
    }
    for (int32_t j = 0; j < i; ++j) {
      if (strcmp(columns[i].name, columns[j].name) != 0) continue;
      return cps_io_fail(error, CPS_BAD_ARGUMENT, NAME, NULL, "two columns are called '%s'", columns[i].name);
    }
  }
  bool hdf5 = ends_with(path, ".h5") || ends_with(path, ".hdf5");
  return (hdf5 ? write_hdf5 : write_csv)(path, columns, column_count, rows, error);
}
