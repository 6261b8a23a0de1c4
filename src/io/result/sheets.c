// Sheets and the surfaces of solids in a result: their triangles, once. Solids have a group of their own with the same datasets.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/result/writer.h"
#include "io/scene/internal.h"

// Surfaces of one kind in the scene: their group and their range.
typedef struct Group {
  const CpsScene* scene;
  const char *path, *one;
  int32_t first, count;
} Group;

typedef struct Path {
  char text[64];
} Path;

static Path path_of(const Group* g, const char* name) {
  Path path;
  snprintf(path.text, sizeof path.text, "%s/%s", g->path, name);
  return path;
}

static CpsSceneSurface surface_of(const Group* g, int32_t i) {
  return cps_scene_surface(g->scene, g->first + i);
}

static bool write_names(hid_t file, const Group* g) {
  size_t length = 1;
  for (int32_t i = 0; i < g->count; ++i) {
    size_t own = strlen(surface_of(g, i).name) + 1;
    if (length < own) length = own;
  }
  char* texts = calloc((size_t)g->count + 1, length);
  if (!texts) return false;
  for (int32_t i = 0; i < g->count; ++i) {
    snprintf(texts + (size_t)i * length, length, "%s", surface_of(g, i).name);
  }
  bool done = cps_result_write_texts(file, path_of(g, "name").text, "names in the scene", texts, length, g->count);
  free(texts);
  return done;
}

// Data of each surface; vertices of triangles are numbered within the group.
typedef struct Columns {
  int64_t *vertex_offset, *triangle_offset;
  double *thickness, *rest;
  int32_t *material, *triangle;
} Columns;

static void fill(const Group* g, Columns* c) {
  for (int32_t i = 0; i < g->count; ++i) {
    const CpsSceneSurface s = surface_of(g, i);
    int32_t* at = c->triangle + 3 * c->triangle_offset[i];
    for (int64_t k = 0; k < 3 * (int64_t)s.triangle_count; ++k) at[k] = (int32_t)c->vertex_offset[i] + s.triangles[k];
    cps_scene_surface_rest(g->scene, g->first + i, c->rest + 3 * c->triangle_offset[i]);
    c->vertex_offset[i + 1] = c->vertex_offset[i] + s.vertex_count;
    c->triangle_offset[i + 1] = c->triangle_offset[i] + s.triangle_count;
    c->thickness[i] = s.thickness;
    c->material[i] = s.material;
  }
}

static bool write_offsets(hid_t file, const Group* g, const char* what, const int64_t* offsets) {
  const hsize_t more = (hsize_t)g->count + 1;
  char name[32], about[96];
  snprintf(name, sizeof name, "%s_offset", what);
  snprintf(about, sizeof about, "%s i has those numbered offset[i] to offset[i + 1]", g->one);
  return cps_result_write_fixed(file, path_of(g, name).text, "1", about, CPS_I64, 1, &more, offsets);
}

static bool write_columns(hid_t file, const Group* g, const Columns* c) {
  const hsize_t count = (hsize_t)g->count;
  const hsize_t triangles[2] = {(hsize_t)c->triangle_offset[g->count], 3};
  return write_offsets(file, g, "vertex", c->vertex_offset) && write_offsets(file, g, "triangle", c->triangle_offset) &&
         cps_result_write_fixed(file, path_of(g, "triangle").text, "1", "three vertices each, numbered over the group",
                                CPS_I32, 2, triangles, c->triangle) &&
         cps_result_write_fixed(file, path_of(g, "rest").text, "m",
                                "each triangle without load: x1, x2, y2 of its corners (0, 0), (x1, 0), (x2, y2)",
                                CPS_F64, 2, triangles, c->rest) &&
         cps_result_write_fixed(file, path_of(g, "thickness").text, "m",
                                "twice the distance at which the surface touches", CPS_F64, 1, &count, c->thickness) &&
         cps_result_write_fixed(file, path_of(g, "material").text, "1", "number of the material", CPS_I32, 1, &count,
                                c->material);
}

static bool write_group(hid_t file, const Group* g) {
  hid_t group = H5Gcreate2(file, g->path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (group < 0) return false;
  H5Gclose(group);
  size_t count = (size_t)g->count, corners = 0;
  for (int32_t i = 0; i < g->count; ++i) corners += 3 * (size_t)surface_of(g, i).triangle_count;
  Columns c = {.vertex_offset = calloc(count + 1, sizeof *c.vertex_offset),
               .triangle_offset = calloc(count + 1, sizeof *c.triangle_offset),
               .thickness = calloc(count + 1, sizeof *c.thickness),
               .material = calloc(count + 1, sizeof *c.material),
               .rest = calloc(corners + 1, sizeof *c.rest),
               .triangle = calloc(corners + 1, sizeof *c.triangle)};
  bool done = c.vertex_offset && c.triangle_offset && c.thickness && c.rest && c.material && c.triangle;
  if (done) {
    fill(g, &c);
    done = write_names(file, g) && write_columns(file, g, &c);
  }
  free(c.vertex_offset);
  free(c.triangle_offset);
  free(c.thickness);
  free(c.rest);
  free(c.material);
  free(c.triangle);
  return done;
}

bool cps_result_write_sheets(hid_t file, const CpsScene* scene) {
  const Group sheets = {scene, "/sheets", "sheet", 0, scene->sheet_count};
  const Group solids = {scene, "/solids", "solid", scene->sheet_count, scene->solid_count};
  return write_group(file, &sheets) && (solids.count == 0 || write_group(file, &solids));
}
