// Reads and checks the centrelines of fibres of a result.
#include <math.h>
#include <stdlib.h>

#include "io/result/reader.h"

typedef struct Columns {
  int64_t *fibre, *branch, *offset;
  double *radius, *tip;
  int64_t lines, more;
} Columns;

static CpsStatus read_columns(const CpsResult* result, Columns* columns) {
  const CpsH5* h5 = &result->h5;
  int64_t branches = 0, radii = 0, tips = 0;
  CpsStatus status = cps_h5_read_ints(h5, "/fibres/line_fibre", &columns->fibre, &columns->lines);
  if (status == CPS_OK) status = cps_h5_read_ints(h5, "/fibres/line_branch", &columns->branch, &branches);
  if (status == CPS_OK) status = cps_h5_read_doubles(h5, "/fibres/line_radius", &columns->radius, &radii);
  bool tapers = status == CPS_OK && cps_h5_has(h5, "/fibres/line_radius_tip");
  if (tapers) status = cps_h5_read_doubles(h5, "/fibres/line_radius_tip", &columns->tip, &tips);
  if (status == CPS_OK) status = cps_h5_read_ints(h5, "/fibres/point_offset", &columns->offset, &columns->more);
  if (status != CPS_OK) return status;
  if (branches == columns->lines && radii == columns->lines && (!tapers || tips == radii) &&
      columns->more == columns->lines + 1 && columns->offset[0] == 0 && columns->lines < INT32_MAX) {
    return CPS_OK;
  }
  return cps_io_fail(h5->error, CPS_BAD_FORMAT, result->path, "/fibres", "is damaged");
}

// The trunk of a fibre precedes its branches; fibres are in order.
static bool is_sound(const Columns* columns, int64_t i) {
  int64_t fibre = columns->fibre[i], branch = columns->branch[i];
  int64_t count = columns->offset[i + 1] - columns->offset[i], before = i > 0 ? columns->fibre[i - 1] : -1;
  bool next = branch == -1 && fibre == before + 1;
  bool same = i > 0 && fibre == before && branch == columns->branch[i - 1] + 1;
  return (next || same) && fibre < INT32_MAX && count >= 2 && count <= INT32_MAX && columns->radius[i] > 0.0 &&
         isfinite(columns->radius[i]) && (!columns->tip || (columns->tip[i] > 0.0 && isfinite(columns->tip[i])));
}

static CpsStatus fill(CpsResult* result, const Columns* columns) {
  result->lines = malloc(((size_t)columns->lines + 1) * sizeof *result->lines);
  if (!result->lines) return cps_io_fail(result->h5.error, CPS_NO_MEMORY, result->path, NULL, "out of memory");
  for (int64_t i = 0; i < columns->lines; ++i) {
    if (columns->offset[i] < 0 || columns->offset[i + 1] <= columns->offset[i] || !is_sound(columns, i)) {
      return cps_io_fail(result->h5.error, CPS_BAD_FORMAT, result->path, "/fibres", "line %lld is damaged",
                         (long long)i);
    }
    result->lines[i] =
        (CpsResultLine){(int32_t)columns->fibre[i], (int32_t)columns->branch[i],
                        columns->offset[i],         (int32_t)(columns->offset[i + 1] - columns->offset[i]),
                        columns->radius[i],         columns->tip ? columns->tip[i] : columns->radius[i]};
  }
  result->info.lines = (int32_t)columns->lines;
  result->info.fibre_points = columns->offset[columns->lines];
  result->info.fibres = columns->lines > 0 ? (int32_t)columns->fibre[columns->lines - 1] + 1 : 0;
  return CPS_OK;
}

double cps_result_line_radius(const CpsResultLine* line, int32_t k) {
  return line->radius + (line->radius_tip - line->radius) * k / (line->count - 1);
}

CpsStatus cps_result_read_lines(CpsResult* result) {
  if (!cps_result_has(result, CPS_FRAME_FIBRE_POINT)) return CPS_OK;
  Columns columns = {0};
  CpsStatus status = read_columns(result, &columns);
  if (status == CPS_OK) status = fill(result, &columns);
  free(columns.fibre);
  free(columns.branch);
  free(columns.offset);
  free(columns.radius);
  free(columns.tip);
  return status;
}
