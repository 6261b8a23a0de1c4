// From vertices to nodes: vertices joined by a seam share one node, numbered in the order of the vertices. Coincident vertices
// without a seam are refused: nothing could keep the two layers apart.
#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/sets.h"
#include "model/sheet_mesh.h"

static const double APART = 1e-6;  // of the size of the sheet: seams of a sheet whose rest lengths are the placed ones

typedef struct Corner {
  CpsVec3 x;
  int32_t vertex, node;
} Corner;

static int compare_places(const void* first, const void* second) {
  const Corner *a = first, *b = second;
  if (a->x.x != b->x.x) return a->x.x < b->x.x ? -1 : 1;
  if (a->x.y != b->x.y) return a->x.y < b->x.y ? -1 : 1;
  if (a->x.z != b->x.z) return a->x.z < b->x.z ? -1 : 1;
  return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static CpsStatus check_places(const CpsSheetDef* def, const CpsSheetMesh* mesh, CpsError* error) {
  Corner* corner = calloc((size_t)def->vertex_count, sizeof *corner);
  if (!corner) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a sheet");
  for (int32_t v = 0; v < def->vertex_count; ++v) corner[v] = (Corner){def->vertices[v], v, mesh->node[v]};
  qsort(corner, (size_t)def->vertex_count, sizeof *corner, compare_places);
  CpsStatus status = CPS_OK;
  for (int32_t v = 1; v < def->vertex_count && status == CPS_OK; ++v) {
    const Corner *a = &corner[v - 1], *b = &corner[v];
    bool together = a->x.x == b->x.x && a->x.y == b->x.y && a->x.z == b->x.z;
    if (!together || a->node == b->node) continue;
    char name[CPS_SHEET_NAME_SIZE];
    status = cps_fail(error, CPS_BAD_DATA,
                      "%s: vertices %d and %d are both at (%g, %g, %g): join them by a seam or use one of them",
                      cps_sheet_name(def, name), (int)a->vertex, (int)b->vertex, a->x.x, a->x.y, a->x.z);
  }
  free(corner);
  return status;
}

static CpsStatus unite(const CpsSheetDef* def, int32_t* parent, CpsError* error) {
  char name[CPS_SHEET_NAME_SIZE];
  CpsVec3 low = def->vertices[0], high = low;
  for (int32_t v = 0; v < def->vertex_count; ++v) {
    CpsVec3 x = def->vertices[v];
    low = cps_vec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
    high = cps_vec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
  }
  double most = APART * cps_vec3_norm(cps_vec3_sub(high, low));
  for (int32_t i = 0; i < def->seam_count; ++i) {
    const CpsSheetSeam* s = &def->seams[i];
    if (s->a < 0 || s->a >= def->vertex_count || s->b < 0 || s->b >= def->vertex_count) {
      return cps_fail(error, CPS_BAD_DATA,
                      "%s: seam %d joins vertices %d and %d, but the sheet has the vertices 0 to %d",
                      cps_sheet_name(def, name), (int)i, (int)s->a, (int)s->b, (int)def->vertex_count - 1);
    }
    if (s->a == s->b) {
      return cps_fail(error, CPS_BAD_DATA, "%s: seam %d joins vertex %d to itself, at (%g, %g, %g)",
                      cps_sheet_name(def, name), (int)i, (int)s->a, def->vertices[s->a].x, def->vertices[s->a].y,
                      def->vertices[s->a].z);
    }
    double distance = cps_vec3_norm(cps_vec3_sub(def->vertices[s->a], def->vertices[s->b]));
    if (!def->texture && !(distance <= most)) {
      return cps_fail(
          error, CPS_BAD_DATA,
          "%s: seam %d joins vertices %d and %d, which are %g m apart; only a sheet with texture coordinates "
          "can be pulled together",
          cps_sheet_name(def, name), (int)i, (int)s->a, (int)s->b, distance);
    }
    cps_sets_join(parent, s->a, s->b);
  }
  return CPS_OK;
}

// A node is at the mean position of its vertices.
static void number_nodes(const CpsSheetDef* def, int32_t* parent, CpsSheetMesh* mesh, int32_t* share) {
  for (int32_t v = 0; v < def->vertex_count; ++v) {
    int32_t first = cps_sets_root(parent, v);
    if (first == v) {
      mesh->node[v] = mesh->node_count++;
      mesh->place[mesh->node[v]] = def->vertices[v];
      share[mesh->node[v]] = 1;
    } else {
      int32_t n = mesh->node[v] = mesh->node[first];
      mesh->place[n] = cps_vec3_add(mesh->place[n], def->vertices[v]);
      share[n]++;
    }
  }
  for (int32_t n = 0; n < mesh->node_count; ++n) {
    if (share[n] > 1) mesh->place[n] = cps_vec3_scale(1.0 / share[n], mesh->place[n]);
  }
}

CpsStatus cps_sheet_join_seams(const CpsSheetDef* def, CpsArena* arena, CpsSheetMesh* mesh, CpsError* error) {
  mesh->node = CPS_TAKE(arena, int32_t, def->vertex_count);
  mesh->place = CPS_TAKE(arena, CpsVec3, def->vertex_count);
  int32_t* parent = calloc(2 * (size_t)def->vertex_count, sizeof *parent);
  if (!mesh->node || !mesh->place || !parent) {
    free(parent);
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a sheet");
  }
  for (int32_t v = 0; v < def->vertex_count; ++v) parent[v] = v;
  CpsStatus status = unite(def, parent, error);
  if (status == CPS_OK) {
    number_nodes(def, parent, mesh, parent + def->vertex_count);
    status = check_places(def, mesh, error);
  }
  free(parent);
  return status;
}
