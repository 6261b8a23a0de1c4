// Sheets and the surfaces of solids in a result: their triangles once, their vertices in each frame, in single precision. Solids come
// after the sheets, with all of their vertices.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/solid.h"
#include "io/result/writer.h"
#include "io/scene/internal.h"
#include "io/sheet_arrays.h"
#include "io/world_surfaces.h"

static int32_t surfaces_of(const CpsScene* scene) {
  return scene->sheet_count + scene->solid_count;
}

static bool write_names(hid_t file, const CpsScene* scene) {
  const int32_t count = surfaces_of(scene);
  size_t length = 1;
  for (int32_t i = 0; i < count; ++i) {
    size_t own = strlen(cps_scene_surface(scene, i).name) + 1;
    if (length < own) length = own;
  }
  char* texts = calloc((size_t)count + 1, length);
  if (!texts) return false;
  for (int32_t i = 0; i < count; ++i) {
    snprintf(texts + (size_t)i * length, length, "%s", cps_scene_surface(scene, i).name);
  }
  bool done = cps_result_write_texts(file, "/sheets/name", "names in the scene", texts, length, (int64_t)count);
  free(texts);
  return done;
}

// What is known of each sheet; triangles with the numbers of vertices among those of all sheets.
typedef struct Columns {
  int64_t *vertex_offset, *triangle_offset;
  double *thickness, *rest;
  int32_t *material, *triangle, *kind;
} Columns;

static void fill(const CpsScene* scene, Columns* c) {
  for (int32_t i = 0; i < surfaces_of(scene); ++i) {
    const CpsSceneSurface s = cps_scene_surface(scene, i);
    int32_t* at = c->triangle + 3 * c->triangle_offset[i];
    for (int64_t k = 0; k < 3 * (int64_t)s.triangle_count; ++k) at[k] = (int32_t)c->vertex_offset[i] + s.triangles[k];
    cps_scene_surface_rest(scene, i, c->rest + 3 * c->triangle_offset[i]);
    c->vertex_offset[i + 1] = c->vertex_offset[i] + s.vertex_count;
    c->triangle_offset[i + 1] = c->triangle_offset[i] + s.triangle_count;
    c->thickness[i] = s.thickness;
    c->material[i] = s.material;
    c->kind[i] = s.solid ? CPS_THING_SOLID : CPS_THING_SHEET;
  }
}

static bool write_columns(hid_t file, int64_t sheets, const Columns* c) {
  const hsize_t count = (hsize_t)sheets, more = count + 1;
  const hsize_t triangles[2] = {(hsize_t)c->triangle_offset[sheets], 3};
  return cps_result_write_fixed(file, "/sheets/vertex_offset", "1",
                                "sheet i has the vertices offset[i] to offset[i + 1]", CPS_I64, 1, &more,
                                c->vertex_offset) &&
         cps_result_write_fixed(file, "/sheets/triangle_offset", "1",
                                "sheet i has the triangles offset[i] to offset[i + 1]", CPS_I64, 1, &more,
                                c->triangle_offset) &&
         cps_result_write_fixed(file, "/sheets/triangle", "1", "three vertices each, numbered over all sheets", CPS_I32,
                                2, triangles, c->triangle) &&
         cps_result_write_fixed(file, "/sheets/rest", "m",
                                "each triangle without load: x1, x2, y2 of its corners (0, 0), (x1, 0), (x2, y2)",
                                CPS_F64, 2, triangles, c->rest) &&
         cps_result_write_fixed(file, "/sheets/thickness", "m", "of each sheet", CPS_F64, 1, &count, c->thickness) &&
         cps_result_write_fixed(file, "/sheets/kind", "1", "3 sheet, 4 solid: solids are the last", CPS_I32, 1, &count,
                                c->kind) &&
         cps_result_write_fixed(file, "/sheets/material", "1", "number of the material", CPS_I32, 1, &count,
                                c->material);
}

bool cps_result_write_sheets(hid_t file, const CpsScene* scene) {
  hid_t group = H5Gcreate2(file, "/sheets", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (group < 0) return false;
  H5Gclose(group);
  size_t sheets = (size_t)surfaces_of(scene), corners = 0;
  for (size_t i = 0; i < sheets; ++i) corners += 3 * (size_t)cps_scene_surface(scene, (int32_t)i).triangle_count;
  Columns c = {.vertex_offset = calloc(sheets + 1, sizeof *c.vertex_offset),
               .triangle_offset = calloc(sheets + 1, sizeof *c.triangle_offset),
               .thickness = calloc(sheets + 1, sizeof *c.thickness),
               .material = calloc(sheets + 1, sizeof *c.material),
               .rest = calloc(corners + 1, sizeof *c.rest),
               .kind = calloc(sheets + 1, sizeof *c.kind),
               .triangle = calloc(corners + 1, sizeof *c.triangle)};
  bool done = c.vertex_offset && c.triangle_offset && c.thickness && c.rest && c.material && c.kind && c.triangle;
  if (done) {
    fill(scene, &c);
    done = write_names(file, scene) && write_columns(file, (int64_t)sheets, &c);
  }
  free(c.vertex_offset);
  free(c.triangle_offset);
  free(c.thickness);
  free(c.rest);
  free(c.material);
  free(c.kind);
  free(c.triangle);
  return done;
}

int64_t cps_result_sheet_vertices(const CpsScene* scene) {
  int64_t count = 0;
  for (int32_t i = 0; i < surfaces_of(scene); ++i) count += cps_scene_surface(scene, i).vertex_count;
  return count;
}

// In place, from the front: a vector of floats ends before the next one of doubles begins.
static const char* to_floats(CpsVec3* values, size_t count) {
  char* bytes = (char*)values;
  for (size_t i = 0; i < count; ++i) {
    const float vector[3] = {(float)values[i].x, (float)values[i].y, (float)values[i].z};
    memcpy(bytes + i * sizeof vector, vector, sizeof vector);
  }
  return bytes;
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

static bool write_impulses(CpsResultWriter* writer, const CpsWorld* world) {
  if (!writer->with_impulse) return true;
  const size_t count = (size_t)writer->sheet_vertices;
  CpsVec3* values = cps_result_reserve(writer, (count + 1) * sizeof *values);
  if (!values || !cps_numbering_update(&writer->numbering, world)) return false;
  memset(values, 0, count * sizeof *values);
  size_t at = 0;
  for (int32_t i = 0; i < writer->sheets + writer->solids; ++i) {
    gather_impulses(writer, world, i, values + at);
    at += (size_t)cps_world_surface(world, i).vertex_count;
  }
  return cps_result_append(writer, CPS_FRAME_SHEET_IMPULSE, to_floats(values, count), 1);
}

bool cps_result_write_vertices(CpsResultWriter* writer, const CpsWorld* world) {
  const size_t count = (size_t)writer->sheet_vertices;
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
  return cps_result_append(writer, CPS_FRAME_SHEET_VERTEX, bytes, 1) &&
         (!writer->with_velocity ||
          cps_result_append(writer, CPS_FRAME_SHEET_VELOCITY, bytes + count * 3 * sizeof(float), 1)) &&
         write_impulses(writer, world);
}
