// Reads and checks the sheets and the surfaces of solids of a result.
#include <math.h>
#include <stdlib.h>

#include "io/result/reader.h"

typedef struct Columns {
  int64_t *vertex, *triangle;
  double* thickness;
  int64_t vertex_count, triangle_count, thickness_count;
} Columns;

// Up to format 7, solids are the last sheets.
#define APART_SINCE 8

static CpsStatus damaged(const CpsResult* result, const char* name) {
  return cps_io_fail(result->h5.error, CPS_BAD_FORMAT, result->path, name, "is damaged");
}

static CpsStatus no_memory(const CpsResult* result) {
  return cps_io_fail(result->h5.error, CPS_NO_MEMORY, result->path, NULL, "out of memory");
}

static const char* in_group(bool solids, const char* of_sheets, const char* of_solids) {
  return solids ? of_solids : of_sheets;
}

static CpsStatus read_columns(const CpsResult* result, bool solids, Columns* c) {
  const CpsH5* h5 = &result->h5;
  const char* vertex = in_group(solids, "/sheets/vertex_offset", "/solids/vertex_offset");
  const char* triangle = in_group(solids, "/sheets/triangle_offset", "/solids/triangle_offset");
  const char* thickness = in_group(solids, "/sheets/thickness", "/solids/thickness");
  CpsStatus status = cps_h5_read_ints(h5, vertex, &c->vertex, &c->vertex_count);
  if (status == CPS_OK) status = cps_h5_read_ints(h5, triangle, &c->triangle, &c->triangle_count);
  if (status == CPS_OK) status = cps_h5_read_doubles(h5, thickness, &c->thickness, &c->thickness_count);
  if (status != CPS_OK) return status;
  bool sound = c->vertex_count == c->thickness_count + 1 && c->triangle_count == c->vertex_count && c->vertex[0] == 0 &&
               c->triangle[0] == 0 && c->thickness_count < INT32_MAX - result->info.sheets;
  return sound ? CPS_OK : damaged(result, in_group(solids, "/sheets", "/solids"));
}

// Appends the surfaces of a group.
static CpsStatus add(CpsResult* result, bool solids, const Columns* c) {
  CpsResultInfo* info = &result->info;
  const int64_t count = c->thickness_count, most_vertices = INT32_MAX - info->sheet_vertices,
                most_triangles = INT32_MAX - info->sheet_triangles;
  CpsResultSheet* grown = realloc(result->sheets, ((size_t)info->sheets + (size_t)count + 1) * sizeof *grown);
  if (!grown) return no_memory(result);
  result->sheets = grown;
  for (int64_t i = 0; i < count; ++i) {
    // tested in this order, so that no difference can overflow
    bool rising = c->vertex[i] >= 0 && c->vertex[i + 1] > c->vertex[i] && c->vertex[i + 1] <= most_vertices &&
                  c->triangle[i] >= 0 && c->triangle[i + 1] > c->triangle[i] && c->triangle[i + 1] <= most_triangles;
    if (!rising || !(c->thickness[i] > 0.0) || !isfinite(c->thickness[i])) {
      return damaged(result, in_group(solids, "/sheets", "/solids"));
    }
    grown[info->sheets + i] = (CpsResultSheet){.first_vertex = info->sheet_vertices + c->vertex[i],
                                               .vertex_count = (int32_t)(c->vertex[i + 1] - c->vertex[i]),
                                               .first_triangle = info->sheet_triangles + c->triangle[i],
                                               .triangle_count = (int32_t)(c->triangle[i + 1] - c->triangle[i]),
                                               .thickness = c->thickness[i]};
  }
  info->sheets += (int32_t)count;
  info->sheet_vertices += c->vertex[count];
  info->sheet_triangles += c->triangle[count];
  if (solids) {
    info->solids = (int32_t)count;
    info->solid_vertices = c->vertex[count];
  }
  return CPS_OK;
}

// The number of solids among the last sheets, up to format 7.
static CpsStatus count_solids(CpsResult* result) {
  if (!cps_h5_has(&result->h5, "/sheets/kind")) return CPS_OK;
  int64_t *kind = NULL, count = 0;
  CpsStatus status = cps_h5_read_ints(&result->h5, "/sheets/kind", &kind, &count);
  if (status == CPS_OK && count != result->info.sheets) status = damaged(result, "/sheets/kind");
  for (int64_t i = 0; status == CPS_OK && i < count; ++i) {
    bool known = kind[i] == CPS_THING_SHEET || kind[i] == CPS_THING_SOLID;
    if (!known || (i > 0 && kind[i] < kind[i - 1])) status = damaged(result, "/sheets/kind");
    if (kind[i] == CPS_THING_SOLID) result->info.solids++;
    if (kind[i] == CPS_THING_SOLID) result->info.solid_vertices += result->sheets[i].vertex_count;
  }
  free(kind);
  return status;
}

static CpsStatus read_group(CpsResult* result, bool solids) {
  Columns columns = {0};
  CpsStatus status = read_columns(result, solids, &columns);
  if (status == CPS_OK) status = add(result, solids, &columns);
  free(columns.vertex);
  free(columns.triangle);
  free(columns.thickness);
  return status;
}

// The number of tetrahedra is their last offset.
static CpsStatus count_tetrahedra(CpsResult* result) {
  int64_t *offset = NULL, count = 0;
  CpsStatus status = cps_h5_read_ints(&result->h5, "/solids/tetrahedron_offset", &offset, &count);
  bool sound = status == CPS_OK && count == (int64_t)result->info.solids + 1 && offset[0] == 0;
  for (int64_t i = 1; sound && i < count; ++i) sound = offset[i] > offset[i - 1] && offset[i] <= INT32_MAX;
  if (sound) result->info.tetrahedra = offset[count - 1];
  free(offset);
  return status == CPS_OK && !sound ? damaged(result, "/solids/tetrahedron_offset") : status;
}

bool cps_result_has_solids(const CpsResult* result) {
  return result->version_number >= APART_SINCE && result->info.solids > 0;
}

CpsStatus cps_result_read_sheets(CpsResult* result) {
  if (!cps_result_has(result, CPS_FRAME_SHEET_VERTEX)) return CPS_OK;
  CpsStatus status = read_group(result, false);
  if (status == CPS_OK && result->version_number < APART_SINCE) return count_solids(result);
  if (status != CPS_OK || !cps_h5_has(&result->h5, "/solids")) return status;
  status = read_group(result, true);
  return status == CPS_OK ? count_tetrahedra(result) : status;
}

// Checks a table with three or four vertices in each of `rows` rows, numbered from `first` on among `count`.
static CpsStatus read_corners(const CpsResult* result, const char* name, int columns, int64_t rows, int64_t first,
                              int64_t count, int32_t* out) {
  int64_t *values = NULL, found = 0;
  CpsStatus status = cps_h5_read_int_table(&result->h5, name, columns, &values, &found);
  if (status == CPS_OK && found != rows) status = damaged(result, name);
  for (int64_t k = 0; status == CPS_OK && k < columns * rows; ++k) {
    bool there = values[k] >= 0 && values[k] < count;
    out[k] = there ? (int32_t)(first + values[k]) : 0;
    if (!there) status = damaged(result, name);
  }
  free(values);
  return status;
}

// The vertices of each triangle must belong to its own sheet.
static bool are_own(const CpsResult* result, const int32_t* triangles) {
  for (int32_t i = 0; i < result->info.sheets; ++i) {
    const CpsResultSheet* s = &result->sheets[i];
    for (int64_t k = 3 * s->first_triangle; k < 3 * (s->first_triangle + s->triangle_count); ++k) {
      if (triangles[k] < s->first_vertex || triangles[k] >= s->first_vertex + s->vertex_count) return false;
    }
  }
  return true;
}

// Number of triangles in the group of sheets.
static int64_t triangles_of_sheets(const CpsResult* result) {
  if (!cps_result_has_solids(result)) return result->info.sheet_triangles;
  return result->sheets[result->info.sheets - result->info.solids].first_triangle;
}

CpsStatus cps_result_read_triangles(const CpsResult* result, CpsArena* memory, const int32_t** triangles) {
  const CpsResultInfo* info = &result->info;
  int32_t* all = CPS_TAKE(memory, int32_t, 3 * info->sheet_triangles);
  if (!all) return no_memory(result);
  *triangles = all;
  if (info->sheets == 0) return CPS_OK;
  const int64_t own = triangles_of_sheets(result);
  const bool apart = cps_result_has_solids(result);
  const int64_t vertices = info->sheet_vertices - (apart ? info->solid_vertices : 0);
  CpsStatus status = read_corners(result, "/sheets/triangle", 3, own, 0, vertices, all);
  if (status == CPS_OK && apart) {
    status = read_corners(result, "/solids/triangle", 3, info->sheet_triangles - own, vertices, info->solid_vertices,
                          all + 3 * own);
  }
  return status == CPS_OK && !are_own(result, all) ? damaged(result, "/sheets/triangle") : status;
}

CpsStatus cps_result_read_tetrahedra(const CpsResult* result, CpsArena* memory, const int32_t** tetrahedra) {
  const CpsResultInfo* info = &result->info;
  *tetrahedra = NULL;
  if (info->tetrahedra == 0) return CPS_OK;
  int32_t* all = CPS_TAKE(memory, int32_t, 4 * info->tetrahedra);
  if (!all) return no_memory(result);
  *tetrahedra = all;
  return read_corners(result, "/solids/tetrahedron", 4, info->tetrahedra, info->sheet_vertices - info->solid_vertices,
                      info->solid_vertices, all);
}

static CpsStatus read_shapes(const CpsResult* result, const char* name, int64_t triangles, double* out) {
  double* values = NULL;
  int64_t rows = 0;
  CpsStatus status = cps_h5_read_table(&result->h5, name, 3, &values, &rows);
  if (status == CPS_OK && rows != triangles) status = damaged(result, name);
  for (int64_t i = 0; status == CPS_OK && i < 3 * triangles; ++i) {
    out[i] = values[i];
    if (!isfinite(values[i])) status = damaged(result, name);
  }
  free(values);
  return status;
}

CpsStatus cps_result_read_rest(const CpsResult* result, CpsArena* memory, const double** rest) {
  *rest = NULL;
  if (result->info.sheets == 0 || !cps_h5_has(&result->h5, "/sheets/rest")) return CPS_OK;
  const int64_t count = result->info.sheet_triangles, own = triangles_of_sheets(result);
  double* all = CPS_TAKE(memory, double, 3 * count);
  if (!all) return no_memory(result);
  *rest = all;
  CpsStatus status = read_shapes(result, "/sheets/rest", own, all);
  if (status != CPS_OK || !cps_result_has_solids(result)) return status;
  return read_shapes(result, "/solids/rest", count - own, all + 3 * own);
}

CpsResultSheet cps_result_sheet(const CpsResult* result, int32_t i) {
  return result && i >= 0 && i < result->info.sheets ? result->sheets[i] : (CpsResultSheet){0};
}
