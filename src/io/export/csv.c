// The scalars of the steps as a table: a row for each step, a column for each series, its unit in the header.
#include <stdlib.h>
#include <string.h>

#include "io/export/internal.h"
#include "io/result/reader.h"

enum { BLOCK = 4096 };  // rows per read

typedef struct Table {
  CpsExport* e;
  CpsOut out;
  CpsGrow text;
  double* values;  // CPS_SCALARS_COUNT columns of BLOCK rows
} Table;

static void write_header(Table* t) {
  const char* comma = "";
  for (int i = 0; i < CPS_SCALARS_COUNT; ++i) {
    const CpsGrowing* series = &cps_growing[CPS_SERIES_FIRST + i];
    if (!cps_result_has(t->e->result, CPS_SERIES_FIRST + i)) continue;
    cps_grow_print(&t->text, "%s%s (%s)", comma, strrchr(series->name, '/') + 1, series->units);
    comma = ",";
  }
  cps_grow_text(&t->text, "\n");
}

static void write_row(Table* t, int64_t row) {
  const char* comma = "";
  for (int i = 0; i < CPS_SCALARS_COUNT; ++i) {
    if (!cps_result_has(t->e->result, CPS_SERIES_FIRST + i)) continue;
    cps_grow_text(&t->text, comma);
    // 17 digits reproduce a double exactly
    cps_grow_number(&t->text, t->values[(int64_t)i * BLOCK + row], 17);
    comma = ",";
  }
  cps_grow_text(&t->text, "\n");
}

static CpsStatus read_block(Table* t, int64_t first, int64_t count) {
  CpsStatus status = CPS_OK;
  for (int i = 0; status == CPS_OK && i < CPS_SCALARS_COUNT; ++i) {
    if (!cps_result_has(t->e->result, CPS_SERIES_FIRST + i)) continue;
    status = cps_result_rows(t->e->result, CPS_SERIES_FIRST + i, first, count, H5T_NATIVE_DOUBLE,
                             t->values + (int64_t)i * BLOCK);
  }
  return status;
}

// The range of steps that belong to the exported frames.
static CpsStatus find_rows(Table* t, int64_t* first, int64_t* end) {
  const CpsExportOptions* o = &t->e->options;
  const CpsResult* result = t->e->result;
  *first = 0;
  CpsStatus status = cps_result_rows(result, CPS_FRAME_ROW, o->last, 1, H5T_NATIVE_INT64, end);
  if (status == CPS_OK && o->first > 0) {
    status = cps_result_rows(result, CPS_FRAME_ROW, o->first - 1, 1, H5T_NATIVE_INT64, first);
  }
  if (status == CPS_OK && (*first < 0 || *end < *first || *end > result->info.steps)) {
    status = cps_io_fail(t->e->error, CPS_BAD_FORMAT, result->path, "/frames/row", "is missing or damaged");
  }
  return status;
}

static CpsStatus write_table(Table* t) {
  int64_t first = 0, end = 0;
  CpsStatus status = find_rows(t, &first, &end);
  if (status != CPS_OK) return status;
  write_header(t);
  t->e->info.frames = end - first;
  for (int64_t row = first; status == CPS_OK && row < end; row += BLOCK) {
    int64_t count = end - row < BLOCK ? end - row : BLOCK;
    status = read_block(t, row, count);
    for (int64_t k = 0; status == CPS_OK && k < count; ++k) write_row(t, k);
    cps_out_flush(&t->out, &t->text);
    double share = (double)(row + count - first) / (double)(end - first);
    if (status == CPS_OK) status = cps_export_progress(t->e, (int64_t)(share * (double)cps_export_frames(t->e)));
  }
  cps_out_flush(&t->out, &t->text);
  return status;
}

CpsStatus cps_export_csv(CpsExport* e) {
  Table t = {.e = e, .values = malloc((size_t)CPS_SCALARS_COUNT * BLOCK * sizeof(double))};
  bool both = e->options.contacts && e->result->contact_count > 0;
  CpsOut contacts = {0};
  CpsStatus status = t.values ? cps_out_begin(&t.out, e->path, e->error) : cps_export_no_memory(e);
  if (status == CPS_OK) {
    e->result->h5.error = e->error;
    H5E_BEGIN_TRY {
      status = write_table(&t);
    }
    H5E_END_TRY
    e->result->h5.error = NULL;
    if (status == CPS_OK && both) status = cps_export_csv_contacts(e, &contacts);
    e->info.files = both ? 2 : 1;
    if (status == CPS_OK) status = cps_out_end(&t.out, e->error);
    if (status == CPS_OK && both) status = cps_out_end(&contacts, e->error);
    e->info.bytes = t.out.bytes + contacts.bytes;
  }
  cps_out_discard(&t.out);
  cps_out_discard(&contacts);
  cps_grow_free(&t.text);
  free(t.values);
  return status;
}
