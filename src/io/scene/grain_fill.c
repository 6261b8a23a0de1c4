// Grains that fill a mesh, or what is below a surface: places of a lattice, as many in a cell as the grid says.
//
// Upright lines of the lattice are asked how often the triangles above each place go round it. Of a closed surface that is 1 inside and 0
// outside; below a surface that a line meets once it is 1 or -1, and 0 above.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/mesh/internal.h"
#include "io/mesh/surface.h"
#include "io/mesh/surface_grid.h"
#include "io/scene/expression.h"
#include "io/scene/internal.h"

enum { FILE_BYTES = 256 << 20, TRIANGLES_MOST = 10000000 };
static const double PLACES_MOST = 1e8;
// Lines are displaced from the lattice by this part of their distance, so that they miss edges of regular surfaces.
static const double ASIDE[2] = {1.2345e-5, 2.3456e-5};

typedef struct Lattice {
  CpsVec3 low, part;
  int32_t n[3];
  unsigned char* taken;  // for each place: 1 if it is filled
} Lattice;

static CpsVec3 place_of(const Lattice* l, int32_t i, int32_t j, int32_t k) {
  return cps_vec3(l->low.x + (i + 0.5) * l->part.x, l->low.y + (j + 0.5) * l->part.y, l->low.z + (k + 0.5) * l->part.z);
}

static int64_t number_of(const Lattice* l, int32_t i, int32_t j) {
  return ((int64_t)i * l->n[1] + j) * l->n[2];
}

// A surface in world coordinates, with permuted axes: z first, so that rows are upright.
typedef struct Surface {
  const CpsNode* node;
  CpsVec3* vertices;
  int32_t* triangles;
  int32_t triangle_count;
  CpsVec3 low, high;  // in world coordinates
} Surface;

static void free_surface(Surface* s) {
  free(s->vertices);
  free(s->triangles);
}

static CpsStatus check_closed(CpsReader* reader, const Surface* s, const CpsMeshFile* mesh) {
  int32_t edge[2] = {0, 0};
  const int32_t open = cps_mesh_open_edges(s->triangles, s->triangle_count, edge);
  if (open < 0) return cps_scene_no_memory(reader);
  if (open > 0) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, s->node,
                         "the surface is not closed: %d edges do not have one triangle in each direction", (int)open);
  }
  if (cps_mesh_enclosed(mesh, s->triangles, s->triangle_count) > 0.0) return CPS_OK;
  return cps_node_fail(reader->error, CPS_BAD_DATA, s->node,
                       "the surface is inside out: its triangles must be counter-clockwise from outside");
}

static CpsStatus place_surface(CpsReader* reader, const CpsNode* map, bool closed, const CpsMeshFile* mesh,
                               Surface* s) {
  CpsPose pose;
  CpsStatus status = cps_scene_pose(reader, map, &pose);
  if (status != CPS_OK) return status;
  s->triangles = cps_mesh_surface(mesh, &s->triangle_count);
  s->vertices = malloc(((size_t)mesh->vertex_count + 1) * sizeof *s->vertices);
  if (!s->triangles || !s->vertices) return cps_scene_no_memory(reader);
  if (s->triangle_count == 0) return cps_node_fail(reader->error, CPS_BAD_DATA, s->node, "it has no triangles");
  if (closed) status = check_closed(reader, s, mesh);
  const double scale = cps_map_number(map, "scale", 1.0);
  s->low = cps_vec3(INFINITY, INFINITY, INFINITY);
  s->high = cps_vec3(-INFINITY, -INFINITY, -INFINITY);
  for (int32_t i = 0; i < mesh->vertex_count; ++i) {
    const CpsVec3 x =
        cps_vec3_add(pose.position, cps_quat_rotate(pose.rotation, cps_vec3_scale(scale, mesh->vertices[i])));
    s->low = cps_vec3(fmin(s->low.x, x.x), fmin(s->low.y, x.y), fmin(s->low.z, x.z));
    s->high = cps_vec3(fmax(s->high.x, x.x), fmax(s->high.y, x.y), fmax(s->high.z, x.z));
    s->vertices[i] = cps_vec3(x.z, x.x, x.y);
  }
  return status;
}

static CpsStatus read_surface(CpsReader* reader, const CpsNode* map, bool closed, Surface* s) {
  s->node = cps_node_find(map, "file");
  const char* path = cps_scene_path(reader, s->node);
  if (!path) return cps_scene_no_memory(reader);
  CpsError why;
  CpsMeshFile mesh = {0};
  CpsStatus status = cps_mesh_file_load(path, FILE_BYTES, TRIANGLES_MOST, &mesh, &why);
  if (status == CPS_NO_MEMORY) return cps_scene_no_memory(reader);
  if (status != CPS_OK) return cps_node_fail(reader->error, status, s->node, "%s", why.text);
  status = place_surface(reader, map, closed, &mesh, s);
  cps_mesh_file_free(&mesh);
  return status;
}

// The lattice of a box, or of the bounding box of a mesh, aligned with the cells of the grid.
static CpsStatus lay(CpsReader* reader, const CpsNode* map, const Surface* mesh, CpsGrainsDef* def, Lattice* l) {
  const CpsGridDef* grid = &reader->scene->grid;
  const double s = grid->cell / grid->particles;
  if (!cps_node_find(map, "box")) {
    def->lower = cps_vec3(s * floor(mesh->low.x / s), s * floor(mesh->low.y / s), s * floor(mesh->low.z / s));
    def->upper = cps_vec3(s * ceil(mesh->high.x / s), s * ceil(mesh->high.y / s), s * ceil(mesh->high.z / s));
  }
  const CpsVec3 size = cps_vec3_sub(def->upper, def->lower);
  const double n[3] = {fmax(1.0, nearbyint(size.x / s)), grid->plane ? 1.0 : fmax(1.0, nearbyint(size.y / s)),
                       fmax(1.0, nearbyint(size.z / s))};
  if (!(n[0] * n[1] * n[2] <= PLACES_MOST)) {
    return cps_key_fail(reader->error, CPS_BAD_DATA, map,
                        "has a box of %.3g places for particles, more than %.0g; use "
                        "larger cells (grid.cell)",
                        n[0] * n[1] * n[2], PLACES_MOST);
  }
  l->low = def->lower;
  l->part = cps_vec3(size.x / n[0], grid->plane ? 1.0 : size.y / n[1], size.z / n[2]);
  if (grid->plane) l->low.y = -0.5;
  for (int a = 0; a < 3; ++a) l->n[a] = (int32_t)n[a];
  const size_t count = (size_t)(n[0] * n[1] * n[2]);
  l->taken = malloc(count);
  if (!l->taken) return cps_scene_no_memory(reader);
  memset(l->taken, 1, count);
  return CPS_OK;
}

static void wind_triangle(const Lattice* l, const CpsTriangleSoup* soup, int32_t t, int32_t* winding) {
  const double part[2] = {l->part.x, l->part.y};
  const double from[2] = {l->low.x + (0.5 + ASIDE[0]) * part[0], l->low.y + (0.5 + ASIDE[1]) * part[1]};
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int v = 0; v < 3; ++v) {
    const CpsVec3 x = soup->vertices[soup->triangles[3 * (int64_t)t + v]];
    const double at[2] = {(x.y - from[0]) / part[0], (x.z - from[1]) / part[1]};
    for (int a = 0; a < 2; ++a) low[a] = fmin(low[a], at[a]), high[a] = fmax(high[a], at[a]);
  }
  for (int32_t i = (int32_t)fmin(fmax(0.0, ceil(low[0])), l->n[0]); i < l->n[0] && i <= high[0]; ++i) {
    for (int32_t j = (int32_t)fmin(fmax(0.0, ceil(low[1])), l->n[1]); j < l->n[1] && j <= high[1]; ++j) {
      const CpsGridRow row = {
          .from = cps_vec3(l->low.z + 0.5 * l->part.z, from[0] + i * part[0], from[1] + j * part[1]),
          .step = l->part.z,
          .count = l->n[2],
          .winding = winding + number_of(l, i, j)};
      cps_surface_wind(soup, t, &row);
    }
  }
}

// Keeps only places with a nonzero winding number.
static CpsStatus keep_inside(CpsReader* reader, const Surface* s, Lattice* l) {
  const int64_t count = (int64_t)l->n[0] * l->n[1] * l->n[2];
  int32_t* winding = calloc((size_t)count + 1, sizeof *winding);
  if (!winding) return cps_scene_no_memory(reader);
  const CpsTriangleSoup soup = {s->vertices, s->triangles, s->triangle_count};
  for (int32_t t = 0; t < s->triangle_count; ++t) wind_triangle(l, &soup, t, winding);
  for (int64_t i = 0; i < count; ++i) l->taken[i] = l->taken[i] && winding[i] != 0;
  free(winding);
  return CPS_OK;
}

// The coordinates take precedence over the parameters.
typedef struct Height {
  CpsNode* root;
  double x, y;
} Height;

static bool height_variable(void* data, const char* name, double* value, char why[CPS_WHY_SIZE]) {
  const Height* height = data;
  const bool x = strcmp(name, "x") == 0;
  if (!x && strcmp(name, "y") != 0) return cps_scene_parameter(height->root, name, value, why);
  *value = x ? height->x : height->y;
  return true;
}

static CpsStatus keep_below(CpsReader* reader, const CpsNode* formula, bool plane, Lattice* l) {
  const char* text = formula->text[0] == '=' ? formula->text + 1 : formula->text;
  for (int32_t i = 0; i < l->n[0]; ++i) {
    for (int32_t j = 0; j < l->n[1]; ++j) {
      const CpsVec3 at = place_of(l, i, j, 0);
      Height height = {.root = reader->root, .x = at.x, .y = plane ? 0.0 : at.y};
      char why[CPS_WHY_SIZE];
      double z = 0.0;
      if (!cps_expression_evaluate(text, height_variable, &height, &z, why)) {
        return cps_node_fail(reader->error, CPS_BAD_DATA, formula, "%s (at x = %g, y = %g)", why, height.x, height.y);
      }
      for (int32_t k = 0; k < l->n[2]; ++k) {
        if (!(place_of(l, i, j, k).z < z)) l->taken[number_of(l, i, j) + k] = 0;
      }
    }
  }
  return CPS_OK;
}

static void keep_round(const CpsGrainsDef* def, bool plane, Lattice* l) {
  for (int32_t i = 0; i < l->n[0]; ++i) {
    for (int32_t j = 0; j < l->n[1]; ++j) {
      const CpsVec3 at = place_of(l, i, j, 0);
      const bool in = hypot(at.x - def->centre.x, plane ? 0.0 : at.y - def->centre.y) < def->radius;
      if (!in) memset(l->taken + number_of(l, i, j), 0, (size_t)l->n[2]);
    }
  }
}

static CpsStatus take(CpsReader* reader, const CpsNode* map, const Lattice* l, CpsGrainsDef* def) {
  const int64_t count = (int64_t)l->n[0] * l->n[1] * l->n[2];
  int32_t taken = 0;
  for (int64_t i = 0; i < count; ++i) taken += l->taken[i];
  if (taken == 0) {
    return cps_key_fail(reader->error, CPS_BAD_DATA, map,
                        "contains no particle: nothing of the lattice is inside; check positions and units, or use "
                        "smaller cells");
  }
  CpsVec3* particles = CPS_TAKE(&reader->scene->memory, CpsVec3, taken);
  if (!particles) return cps_scene_no_memory(reader);
  def->particles = particles;
  def->particle_count = taken;
  def->particle_volume = l->part.x * l->part.y * l->part.z;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t line = i / l->n[2];
    if (l->taken[i])
      *particles++ = place_of(l, (int32_t)(line / l->n[1]), (int32_t)(line % l->n[1]), (int32_t)(i % l->n[2]));
  }
  return CPS_OK;
}

CpsStatus cps_scene_fill_grains(CpsReader* reader, const CpsNode* map, CpsGrainsDef* def) {
  const CpsNode *mesh = cps_node_find(map, "mesh"), *below = cps_node_find(map, "below");
  const bool plane = reader->scene->grid.plane, formula = below && below->text;
  Surface solid = {0}, top = {0};
  Lattice l = {0};
  CpsStatus status = mesh ? read_surface(reader, mesh, true, &solid) : CPS_OK;
  if (status == CPS_OK && below && !formula) status = read_surface(reader, below, false, &top);
  if (status == CPS_OK) status = lay(reader, map, &solid, def, &l);
  if (status == CPS_OK && mesh) status = keep_inside(reader, &solid, &l);
  if (status == CPS_OK && below)
    status = formula ? keep_below(reader, below, plane, &l) : keep_inside(reader, &top, &l);
  if (status == CPS_OK && def->radius > 0.0) keep_round(def, plane, &l);
  if (status == CPS_OK) status = take(reader, map, &l, def);
  free(l.taken);
  free_surface(&solid);
  free_surface(&top);
  return status;
}
