// What a result says about its sheets and the surfaces of solids, checked.
#include <math.h>
#include <stdlib.h>

#include "io/result/reader.h"

typedef struct Columns {
  int64_t *vertex, *triangle;
  double* thickness;
  int64_t vertex_count, triangle_count, thickness_count;
} Columns;

static CpsStatus damaged(const CpsResult* result, const char* name) {
  return cps_io_fail(result->h5.error, CPS_BAD_FORMAT, result->path, name, "is damaged");
}

static CpsStatus read_columns(const CpsResult* result, Columns* c) {
  const CpsH5* h5 = &result->h5;
  CpsStatus status = cps_h5_read_ints(h5, "/sheets/vertex_offset", &c->vertex, &c->vertex_count);
  if (status == CPS_OK) status = cps_h5_read_ints(h5, "/sheets/triangle_offset", &c->triangle, &c->triangle_count);
  if (status == CPS_OK) status = cps_h5_read_doubles(h5, "/sheets/thickness", &c->thickness, &c->thickness_count);
  if (status != CPS_OK) return status;
  bool sound = c->vertex_count == c->thickness_count + 1 && c->triangle_count == c->vertex_count && c->vertex[0] == 0 &&
               c->triangle[0] == 0 && c->thickness_count < INT32_MAX;
  return sound ? CPS_OK : damaged(result, "/sheets");
}

static CpsStatus fill(CpsResult* result, const Columns* c) {
  const int64_t sheets = c->thickness_count;
  result->sheets = malloc(((size_t)sheets + 1) * sizeof *result->sheets);
  if (!result->sheets) return cps_io_fail(result->h5.error, CPS_NO_MEMORY, result->path, NULL, "out of memory");
  for (int64_t i = 0; i < sheets; ++i) {
    // one before the other, so that no difference can overflow
    bool rising = c->vertex[i] >= 0 && c->vertex[i + 1] > c->vertex[i] && c->vertex[i + 1] <= INT32_MAX &&
                  c->triangle[i] >= 0 && c->triangle[i + 1] > c->triangle[i] && c->triangle[i + 1] <= INT32_MAX;
    if (!rising || !(c->thickness[i] > 0.0) || !isfinite(c->thickness[i])) return damaged(result, "/sheets");
    result->sheets[i] = (CpsResultSheet){.first_vertex = c->vertex[i],
                                         .vertex_count = (int32_t)(c->vertex[i + 1] - c->vertex[i]),
                                         .first_triangle = c->triangle[i],
                                         .triangle_count = (int32_t)(c->triangle[i + 1] - c->triangle[i]),
                                         .thickness = c->thickness[i]};
  }
  result->info.sheets = (int32_t)sheets;
  result->info.sheet_vertices = c->vertex[sheets];
  result->info.sheet_triangles = c->triangle[sheets];
  return CPS_OK;
}

// How many of the last surfaces are solids; results of before have none.
static CpsStatus count_solids(CpsResult* result) {
  if (!cps_h5_has(&result->h5, "/sheets/kind")) return CPS_OK;
  int64_t *kind = NULL, count = 0;
  CpsStatus status = cps_h5_read_ints(&result->h5, "/sheets/kind", &kind, &count);
  if (status == CPS_OK && count != result->info.sheets) status = damaged(result, "/sheets/kind");
  for (int64_t i = 0; status == CPS_OK && i < count; ++i) {
    bool known = kind[i] == CPS_THING_SHEET || kind[i] == CPS_THING_SOLID;
    if (!known || (i > 0 && kind[i] < kind[i - 1])) status = damaged(result, "/sheets/kind");
    if (kind[i] == CPS_THING_SOLID) result->info.solids++;
  }
  free(kind);
  return status;
}

CpsStatus cps_result_read_sheets(CpsResult* result) {
  if (!cps_result_has(result, CPS_FRAME_SHEET_VERTEX)) return CPS_OK;
  Columns columns = {0};
  CpsStatus status = read_columns(result, &columns);
  if (status == CPS_OK) status = fill(result, &columns);
  if (status == CPS_OK) status = count_solids(result);
  free(columns.vertex);
  free(columns.triangle);
  free(columns.thickness);
  return status;
}

CpsStatus cps_result_read_triangles(const CpsResult* result, CpsArena* memory, const int32_t** triangles) {
  int32_t* all = CPS_TAKE(memory, int32_t, 3 * result->info.sheet_triangles);
  if (!all) return cps_io_fail(result->h5.error, CPS_NO_MEMORY, result->path, NULL, "out of memory");
  *triangles = all;
  if (result->info.sheets == 0) return CPS_OK;
  int64_t *values = NULL, rows = 0;
  CpsStatus status = cps_h5_read_int_table(&result->h5, "/sheets/triangle", 3, &values, &rows);
  if (status == CPS_OK && rows != result->info.sheet_triangles) status = damaged(result, "/sheets/triangle");
  for (int32_t i = 0; status == CPS_OK && i < result->info.sheets; ++i) {
    const CpsResultSheet* sheet = &result->sheets[i];
    for (int64_t k = 3 * sheet->first_triangle; k < 3 * (sheet->first_triangle + sheet->triangle_count); ++k) {
      bool own = values[k] >= sheet->first_vertex && values[k] < sheet->first_vertex + sheet->vertex_count;
      all[k] = own ? (int32_t)values[k] : 0;
      if (!own) status = damaged(result, "/sheets/triangle");
    }
  }
  free(values);
  return status;
}

CpsStatus cps_result_read_rest(const CpsResult* result, CpsArena* memory, const double** rest) {
  *rest = NULL;
  if (result->info.sheets == 0 || !cps_h5_has(&result->h5, "/sheets/rest")) return CPS_OK;
  const int64_t count = 3 * result->info.sheet_triangles;
  double *values = NULL, *all = CPS_TAKE(memory, double, count);
  int64_t rows = 0;
  if (!all) return cps_io_fail(result->h5.error, CPS_NO_MEMORY, result->path, NULL, "out of memory");
  CpsStatus status = cps_h5_read_table(&result->h5, "/sheets/rest", 3, &values, &rows);
  if (status == CPS_OK && 3 * rows != count) status = damaged(result, "/sheets/rest");
  for (int64_t i = 0; status == CPS_OK && i < count; ++i) {
    all[i] = values[i];
    if (!isfinite(values[i])) status = damaged(result, "/sheets/rest");
  }
  free(values);
  *rest = all;
  return status;
}

CpsResultSheet cps_result_sheet(const CpsResult* result, int32_t i) {
  return result && i >= 0 && i < result->info.sheets ? result->sheets[i] : (CpsResultSheet){0};
}
