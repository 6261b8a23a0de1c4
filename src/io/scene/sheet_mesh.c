// Sheets that a scene describes by a few numbers: rectangles, discs, tubes.
#include "io/scene/sheet_mesh.h"

#include <math.h>
#include <string.h>

#include "core/random.h"

static const double PI = 3.14159265358979323846;

CpsStatus cps_scene_sheet_take(CpsReader* reader, double vertices, double triangles, CpsSheetLayout* out) {
  if (!(vertices <= CPS_SHEET_VERTICES && triangles <= 2.0 * CPS_SHEET_VERTICES)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, out->node, "%.0f vertices; a sheet has at most %d", vertices,
                         CPS_SHEET_VERTICES);
  }
  CpsStatus status = cps_scene_spend(reader, out->node, (int64_t)(vertices + triangles) + 50, 40);
  if (status != CPS_OK) return status;
  out->vertex_count = (int32_t)vertices;
  out->triangle_count = (int32_t)triangles;
  out->vertices = CPS_TAKE(&reader->scene->memory, CpsVec3, out->vertex_count);
  out->triangles = CPS_TAKE(&reader->scene->memory, int32_t, 3 * (int64_t)out->triangle_count);
  return out->vertices && out->triangles ? CPS_OK : cps_scene_no_memory(reader);
}

static void put(int32_t** at, int32_t a, int32_t b, int32_t c) {
  (*at)[0] = a;
  (*at)[1] = b;
  (*at)[2] = c;
  *at += 3;
}

// How the cells of a grid are cut: "parallel", "crossed", or "mirrored", which is parallel in each half and
// mirror-symmetric.
typedef enum Cut { PARALLEL, CROSSED, MIRRORED } Cut;

static Cut cut_of(const CpsNode* diagonals) {
  if (!diagonals) return PARALLEL;
  return strcmp(diagonals->text, "crossed") == 0    ? CROSSED
         : strcmp(diagonals->text, "mirrored") == 0 ? MIRRORED
                                                    : PARALLEL;
}

// The cell with corners a, b below and c, d above, cut from b to c.
static void put_falling_cell(int32_t** at, int32_t a, int32_t b, int32_t c, int32_t d) {
  put(at, a, b, c);
  put(at, b, d, c);
}

// The same cut from a to d; with a centre, four triangles around it.
static void put_cell(int32_t** at, int32_t a, int32_t b, int32_t c, int32_t d, int32_t centre) {
  if (centre < 0) {
    put(at, a, b, d);
    put(at, a, d, c);
    return;
  }
  put(at, a, b, centre);
  put(at, b, d, centre);
  put(at, d, c, centre);
  put(at, c, a, centre);
}

// Vertices row by row from the corner -x, -y; then the centres of crossed cells in the same order.
static CpsStatus make_grid(CpsReader* reader, CpsSheetLayout* out) {
  const CpsNode *size = cps_node_find(out->node, "size"), *cells = cps_node_find(out->node, "cells"),
                *over = cps_node_find(out->node, "over");
  const double a = size->first->number, b = size->last->number;
  const double columns = cells->first->number, rows = cells->last->number;
  const Cut cut = cut_of(cps_node_find(out->node, "diagonals"));
  const bool crossed = cut == CROSSED;
  if (cut == MIRRORED && fmod(rows, 2.0) != 0.0) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, cells, "a mirrored grid has an even number of cells along y");
  }
  if (over && crossed) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, over, "a grid of crossed cells cannot hang over a cylinder");
  }
  CpsStatus status = cps_scene_sheet_take(reader, (columns + 1.0) * (rows + 1.0) + (crossed ? columns * rows : 0.0),
                                          (crossed ? 4.0 : 2.0) * columns * rows, out);
  if (status != CPS_OK) return status;
  const int32_t nx = (int32_t)columns, ny = (int32_t)rows, corners = (nx + 1) * (ny + 1);
  out->cells[0] = nx;
  out->cells[1] = ny;
  int32_t* triangle = out->triangles;
  for (int32_t j = 0; j <= ny; ++j) {
    for (int32_t i = 0; i <= nx; ++i) {
      int32_t at = j * (nx + 1) + i, centre = crossed ? corners + j * nx + i : -1;
      out->vertices[at] = cps_vec3(a * i / nx - 0.5 * a, b * j / ny - 0.5 * b, 0.0);
      if (i == nx || j == ny) continue;
      if (crossed) out->vertices[centre] = cps_vec3(a * (i + 0.5) / nx - 0.5 * a, b * (j + 0.5) / ny - 0.5 * b, 0.0);
      if (cut == MIRRORED && 2 * j >= ny) {
        put_falling_cell(&triangle, at, at + 1, at + nx + 1, at + nx + 2);
      } else {
        put_cell(&triangle, at, at + 1, at + nx + 1, at + nx + 2, centre);
      }
    }
  }
  return over ? cps_scene_sheet_over(reader, over, a, out) : CPS_OK;
}

// Vertex i of ring k of a disc; the ring closes.
static int32_t on_ring(int32_t k, int32_t i) {
  return k == 0 ? 0 : 1 + 3 * k * (k - 1) + i % (6 * k);
}

// Moves inner vertices randomly by up to a part of the ring distance, so that folds have no preferred directions.
static void jitter_disc(const CpsNode* node, double distance, int32_t inner, CpsVec3* vertices) {
  CpsRandom random = cps_random_seed((uint64_t)cps_map_count(node, "seed", 1));
  const double far = cps_map_number(node, "jitter", 0.0) * distance;
  for (int32_t i = 0; far > 0.0 && i < inner; ++i) {
    const double r = far * sqrt(cps_random_uniform(&random)), angle = 2.0 * PI * cps_random_uniform(&random);
    vertices[i] = cps_vec3_add(vertices[i], cps_vec3(r * cos(angle), r * sin(angle), 0.0));
  }
}

// Ring k has 6 k vertices: all triangles have nearly the same size.
static CpsStatus make_disc(CpsReader* reader, CpsSheetLayout* out) {
  const double radius = cps_map_number(out->node, "radius", 0.0), rings = cps_map_number(out->node, "rings", 0.0);
  CpsStatus status = cps_scene_sheet_take(reader, 1.0 + 3.0 * rings * (rings + 1.0), 6.0 * rings * rings, out);
  if (status != CPS_OK) return status;
  const int32_t n = (int32_t)rings;
  out->cells[0] = out->cells[1] = n;
  int32_t* triangle = out->triangles;
  out->vertices[0] = cps_vec3(0.0, 0.0, 0.0);
  for (int32_t k = 1; k <= n; ++k) {
    for (int32_t i = 0; i < 6 * k; ++i) {
      double angle = 2.0 * PI * i / (6 * k), r = radius * k / n;
      out->vertices[on_ring(k, i)] = cps_vec3(r * cos(angle), r * sin(angle), 0.0);
    }
    for (int32_t sector = 0; sector < 6; ++sector) {
      for (int32_t i = 0; i < k; ++i) {
        int32_t outer = sector * k + i, inner = sector * (k - 1) + i;
        put(&triangle, on_ring(k, outer), on_ring(k, outer + 1), on_ring(k - 1, inner));
        if (i + 1 < k) put(&triangle, on_ring(k - 1, inner), on_ring(k, outer + 1), on_ring(k - 1, inner + 1));
      }
    }
  }
  jitter_disc(out->node, radius / n, on_ring(n, 0), out->vertices);
  return CPS_OK;
}

// A tube about z, whose top may be wider or narrower. Its rest shape consists of the flat cells from which it was
// sewn, with warp around the tube: chord lengths are kept, so that it starts without strain.
static CpsStatus make_tube(CpsReader* reader, CpsSheetLayout* out) {
  const CpsNode *cells = cps_node_find(out->node, "cells"), *radius = cps_node_find(out->node, "radius");
  const double r[2] = {radius->kind == CPS_NODE_LIST ? radius->first->number : radius->number,
                       radius->kind == CPS_NODE_LIST ? radius->last->number : radius->number};
  const double length = cps_map_number(out->node, "length", 0.0);
  const double around = cells->first->number, along = cells->last->number;
  if (around < 3.0) return cps_node_fail(reader->error, CPS_BAD_DATA, cells, "a tube has at least 3 cells around it");
  CpsStatus status = cps_scene_sheet_take(reader, around * (along + 1.0), 2.0 * around * along, out);
  if (status != CPS_OK) return status;
  const int32_t n = (int32_t)around, m = (int32_t)along;
  const double rise = hypot(length, (r[1] - r[0]) * cos(PI / n)) / m;  // height of a cell in its own plane
  out->cells[0] = n;
  out->cells[1] = m;
  out->texture = CPS_TAKE(&reader->scene->memory, double, 6 * (int64_t)out->triangle_count);
  if (!out->texture) return cps_scene_no_memory(reader);
  int32_t* triangle = out->triangles;
  double* uv = out->texture;
  for (int32_t j = 0; j <= m; ++j) {
    const double here = r[0] + (r[1] - r[0]) * j / m, next = r[0] + (r[1] - r[0]) * (j + 1) / m;
    const double low = here * sin(PI / n), high = next * sin(PI / n), v = rise * j;  // half chords
    for (int32_t i = 0; i < n; ++i) {
      const double angle = 2.0 * PI * i / n, u = 2.0 * r[0] * sin(PI / n) * i;
      out->vertices[j * n + i] = cps_vec3(here * cos(angle), here * sin(angle), length * j / m - 0.5 * length);
      if (j == m) continue;
      int32_t a = j * n + i, b = j * n + (i + 1) % n;
      put_cell(&triangle, a, b, a + n, b + n, -1);
      const double corner[12] = {u - low, v, u + low,  v,        u + high, v + rise,
                                 u - low, v, u + high, v + rise, u - high, v + rise};
      memcpy(uv, corner, sizeof corner);
      uv += 12;
    }
  }
  return CPS_OK;
}

CpsStatus cps_scene_sheet_mesh(CpsReader* reader, const CpsNode* map, CpsSheetLayout* out) {
  static const char* const FORMS[] = {"grid", "disc", "tube", "file"};
  *out = (CpsSheetLayout){0};
  for (int i = 0; i < 4; ++i) {
    const CpsNode* node = cps_node_find(map, FORMS[i]);
    if (!node) continue;
    if (out->node)
      return cps_key_fail(reader->error, CPS_BAD_FORMAT, node, "only one mesh is allowed; '%s' is already given",
                          out->node->key);
    out->node = node;
    out->form = (CpsSheetForm)i;
  }
  if (!out->node)
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, map, "a mesh is missing: grid, disc, tube or file");
  switch (out->form) {
    case CPS_SHEET_GRID:
      return make_grid(reader, out);
    case CPS_SHEET_DISC:
      return make_disc(reader, out);
    case CPS_SHEET_TUBE:
      return make_tube(reader, out);
    default:
      return cps_scene_sheet_file(reader, map, out);
  }
}
