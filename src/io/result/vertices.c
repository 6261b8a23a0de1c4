// Vertices of sheets and solids in the frames of a result, in single precision: places, velocities, impulses of contacts.
#include <string.h>

#include "io/result/writer.h"
#include "io/sheet_arrays.h"
#include "io/world_surfaces.h"

// Converted in place, from the front: a vector of floats ends before the next vector of doubles begins.
static const char* to_floats(CpsVec3* values, size_t count) {
  char* bytes = (char*)values;
  for (size_t i = 0; i < count; ++i) {
    const float vector[3] = {(float)values[i].x, (float)values[i].y, (float)values[i].z};
    memcpy(bytes + i * sizeof vector, vector, sizeof vector);
  }
  return bytes;
}

// Values of all vertices, sheets first, as rows of two datasets.
static bool append_both(CpsResultWriter* writer, int of_sheets, int of_solids, const char* floats) {
  const size_t sheets = (size_t)writer->sheet_vertices * 3 * sizeof(float);
  return (!cps_result_writes(writer, of_sheets) || cps_result_append(writer, of_sheets, floats, 1)) &&
         (!cps_result_writes(writer, of_solids) || cps_result_append(writer, of_solids, floats + sheets, 1));
}

// The impulses of all contacts on the vertices of one sheet or solid.
static void gather_impulses(CpsResultWriter* writer, const CpsWorld* world, int32_t surface, CpsVec3* out) {
  const CpsWorldSurface own = cps_world_surface(world, surface);
  const bool solid = surface >= writer->sheets;
  const CpsThing thing = {solid ? CPS_THING_SOLID : CPS_THING_SHEET, solid ? surface - writer->sheets : surface, 0};
  for (int32_t i = 0; i < cps_world_contact_count(world); ++i) {
    const CpsContact c = cps_world_contact(world, i);
    const CpsVec3 r = cps_impulse_in_world(c.impulse, c.normal, c.tangent1, c.tangent2);
    for (int k = 0; k < 2; ++k) {
      if (c.side[k].thing.kind != thing.kind) continue;
      if (cps_numbering_side(&writer->numbering, c.side[k]).thing.index != thing.index) continue;
      cps_sheet_spread(&c.side[k], k == 0 ? r : (CpsVec3){-r.x, -r.y, -r.z}, own.triangles, own.triangle_count, out);
    }
  }
}

static bool write_impulses(CpsResultWriter* writer, const CpsWorld* world, size_t count) {
  if (writer->sheets + writer->solids == 0) return true;
  CpsVec3* values = cps_result_reserve(writer, (count + 1) * sizeof *values);
  if (!values || !cps_numbering_update(&writer->numbering, world)) return false;
  memset(values, 0, count * sizeof *values);
  size_t at = 0;
  for (int32_t i = 0; i < writer->sheets + writer->solids; ++i) {
    gather_impulses(writer, world, i, values + at);
    at += (size_t)cps_world_surface(world, i).vertex_count;
  }
  return append_both(writer, CPS_FRAME_SHEET_IMPULSE, CPS_FRAME_SOLID_IMPULSE, to_floats(values, count));
}

bool cps_result_write_vertices(CpsResultWriter* writer, const CpsWorld* world) {
  const size_t count = (size_t)(writer->sheet_vertices + writer->solid_vertices);
  CpsVec3* values = cps_result_reserve(writer, (2 * count + 1) * sizeof *values);
  if (!values) return false;
  size_t at = 0;
  for (int32_t i = 0; i < writer->sheets + writer->solids; ++i) {
    int32_t own = cps_world_surface_vertices(world, i, NULL, NULL);
    if (own < 0 || at + (size_t)own > count) return false;
    (void)cps_world_surface_vertices(world, i, values + at, values + count + at);
    at += (size_t)own;
  }
  if (at != count) return false;
  const char* bytes = to_floats(values, 2 * count);
  return append_both(writer, CPS_FRAME_SHEET_VERTEX, CPS_FRAME_SOLID_VERTEX, bytes) &&
         append_both(writer, CPS_FRAME_SHEET_VELOCITY, CPS_FRAME_SOLID_VELOCITY, bytes + count * 3 * sizeof(float)) &&
         write_impulses(writer, world, count);
}
