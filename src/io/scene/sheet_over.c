// A grid that hangs over a horizontal cylinder about the y axis through its position. Row by row of vertices from the crest down
// each side, edges are chords of the circle as long as they are at rest,
//
//   angle_{i+1} = angle_i + 2 asin(s / 2 R),   s the width of a cell                                                   (1)
//
// up to the first row that is level with the axis or below it; from there the sheet hangs straight down. Each cell stays flat: the
// sheet starts without any strain.
#include <math.h>

#include "io/scene/sheet_mesh.h"

static const double PI = 3.14159265358979323846;

typedef struct Over {
  double radius, cell;
} Over;

// Positions of the vertices first, first + step, ... of a row of nx + 1; the first one is on the circle at the given angle.
static void lay_side(const Over* over, int32_t nx, int32_t first, int32_t step, double angle, CpsVec3* row) {
  const double turn = step * 2.0 * asin(0.5 * over->cell / over->radius);
  CpsVec3 at = {over->radius * sin(angle), 0.0, over->radius * cos(angle)};
  for (int32_t i = first; i >= 0 && i <= nx; i += step) {
    row[i] = at;
    if (fabs(angle) >= 0.5 * PI) {
      at.z -= over->cell;
      continue;
    }
    angle += turn;
    at = cps_vec3(over->radius * sin(angle), 0.0, over->radius * cos(angle));
  }
}

CpsStatus cps_scene_sheet_over(CpsReader* reader, const CpsNode* node, double length, CpsSheetLayout* out) {
  const int32_t nx = out->cells[0];
  const double offset = cps_map_number(node, "offset", 0.0);
  const Over over = {cps_map_number(node, "radius", 0.0), length / nx};
  if (!(over.cell <= over.radius)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, node, "cells of %.3g m are too wide for a radius of %.3g m",
                         over.cell, over.radius);
  }
  if (!(fabs(offset) < 0.5 * length)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, node, "an offset of %.3g m leaves nothing on one side", offset);
  }
  out->texture = CPS_TAKE(&reader->scene->memory, double, 6 * (int64_t)out->triangle_count);
  CpsVec3* row = CPS_TAKE(&reader->scene->memory, CpsVec3, nx + 1);
  if (!out->texture || !row) return cps_scene_no_memory(reader);
  for (int64_t i = 0; i < 3 * (int64_t)out->triangle_count; ++i) {
    out->texture[2 * i] = out->vertices[out->triangles[i]].x;
    out->texture[2 * i + 1] = out->vertices[out->triangles[i]].y;
  }
  // the first vertex on or right of the crest; without an offset, a row or a cell is centred
  const double crest = 0.5 * length - offset;
  const int32_t right = (int32_t)ceil(crest / over.cell - 1e-9);
  const double angle = 2.0 * asin(0.5 * (right * over.cell - crest) / over.radius);
  const double turn = 2.0 * asin(0.5 * over.cell / over.radius);
  lay_side(&over, nx, right, 1, angle, row);
  lay_side(&over, nx, right - 1, -1, angle - turn, row);
  for (int32_t i = 0; i < out->vertex_count; ++i) {
    const CpsVec3 at = row[i % (nx + 1)];
    out->vertices[i] = cps_vec3(at.x, out->vertices[i].y, at.z);
  }
  return CPS_OK;
}
