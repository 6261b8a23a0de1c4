// From triangles to edges and hinges, by sorting half-edges. Anything other than a surface is refused with its location: edges of
// three triangles, neighbours with opposite orientation, unused vertices.
#include "model/sheet_mesh.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/error.h"

typedef struct HalfEdge {
  int32_t low, high;         // nodes
  int32_t triangle, corner;  // opposite to this corner
  bool forwards;             // from low to high
} HalfEdge;

const char* cps_sheet_name(const CpsSheetDef* def, char text[CPS_SHEET_NAME_SIZE]) {
  if (!def->name) return "a sheet";
  snprintf(text, CPS_SHEET_NAME_SIZE, "sheet %.50s", def->name);
  return text;
}

static int compare(int32_t a, int32_t b) {
  return (a > b) - (a < b);
}

static int compare_half_edges(const void* first, const void* second) {
  const HalfEdge *a = first, *b = second;
  int order = compare(a->low, b->low);
  if (order == 0) order = compare(a->high, b->high);
  if (order == 0) order = compare(a->triangle, b->triangle);
  return order != 0 ? order : compare(a->corner, b->corner);
}

static CpsStatus number_corners(const CpsSheetDef* def, CpsSheetMesh* mesh, bool* used, CpsError* error) {
  char name[CPS_SHEET_NAME_SIZE];
  for (int32_t t = 0; t < def->triangle_count; ++t) {
    const int32_t* v = def->triangles + 3 * (int64_t)t;
    int32_t* n = mesh->triangle + 3 * (int64_t)t;
    for (int i = 0; i < 3; ++i) {
      if (v[i] < 0 || v[i] >= def->vertex_count) {
        return cps_fail(error, CPS_BAD_DATA, "%s: triangle %d names vertex %d, there are %d", cps_sheet_name(def, name),
                        (int)t, (int)v[i], (int)def->vertex_count);
      }
      n[i] = mesh->node[v[i]];
      used[v[i]] = true;
    }
    for (int i = 0; i < 3; ++i) {
      int32_t a = v[i], b = v[(i + 1) % 3];
      if (n[i] != n[(i + 1) % 3]) continue;
      if (a == b) {
        return cps_fail(error, CPS_BAD_DATA, "%s: triangle %d names vertex %d twice, at (%g, %g, %g)",
                        cps_sheet_name(def, name), (int)t, (int)a, def->vertices[a].x, def->vertices[a].y,
                        def->vertices[a].z);
      }
      return cps_fail(error, CPS_BAD_DATA, "%s: a seam joins vertices %d and %d of one triangle, %d",
                      cps_sheet_name(def, name), (int)a, (int)b, (int)t);
    }
  }
  for (int32_t v = 0; v < def->vertex_count; ++v) {
    if (!used[v]) {
      return cps_fail(error, CPS_BAD_DATA, "%s: no triangle uses vertex %d, at (%g, %g, %g)", cps_sheet_name(def, name),
                      (int)v, def->vertices[v].x, def->vertices[v].y, def->vertices[v].z);
    }
  }
  return CPS_OK;
}

// Whether two triangles have the same vertices, in any order.
static bool are_same(const CpsSheetDef* def, int32_t first, int32_t second) {
  const int32_t *a = def->triangles + 3 * (int64_t)first, *b = def->triangles + 3 * (int64_t)second;
  for (int i = 0; i < 3; ++i) {
    if (a[i] != b[0] && a[i] != b[1] && a[i] != b[2]) return false;
  }
  return true;
}

// Error in the half-edges of one edge, if any.
static CpsStatus check_edge(const CpsSheetDef* def, const HalfEdge* h, int64_t count, CpsError* error) {
  char name[CPS_SHEET_NAME_SIZE];
  // vertices in the numbering of the user
  const int32_t* v = def->triangles + 3 * (int64_t)h->triangle;
  int32_t a = v[(h->corner + 1) % 3], b = v[(h->corner + 2) % 3];
  const CpsVec3 at = cps_vec3_scale(0.5, cps_vec3_add(def->vertices[a], def->vertices[b]));
  for (int64_t i = 1; i < count; ++i) {
    if (!are_same(def, h[0].triangle, h[i].triangle)) continue;
    return cps_fail(
        error, CPS_BAD_DATA,
        "%s: triangles %d and %d have the same vertices %d, %d and %d, the first at (%g, %g, %g): remove one "
        "of them",
        cps_sheet_name(def, name), (int)h[0].triangle, (int)h[i].triangle, (int)v[0], (int)v[1], (int)v[2],
        def->vertices[v[0]].x, def->vertices[v[0]].y, def->vertices[v[0]].z);
  }
  if (count > 2) {
    return cps_fail(error, CPS_BAD_DATA,
                    "%s: triangles %d, %d and %d share the edge between vertices %d and %d, at (%g, %g, %g)",
                    cps_sheet_name(def, name), (int)h[0].triangle, (int)h[1].triangle, (int)h[2].triangle, (int)a,
                    (int)b, at.x, at.y, at.z);
  }
  if (count == 2 && h[0].forwards == h[1].forwards) {
    return cps_fail(error, CPS_BAD_DATA,
                    "%s: triangles %d and %d run along their edge between vertices %d and %d, at (%g, %g, %g), in the "
                    "same direction: swap two vertices of one of them",
                    cps_sheet_name(def, name), (int)h[0].triangle, (int)h[1].triangle, (int)a, (int)b, at.x, at.y,
                    at.z);
  }
  return CPS_OK;
}

static void make_hinge(CpsSheetMesh* mesh, const HalfEdge* h, int32_t number) {
  CpsSheetHinge* hinge = &mesh->hinge[number];
  const int32_t* n = mesh->triangle + 3 * (int64_t)h[0].triangle;
  hinge->node[0] = n[(h[0].corner + 1) % 3];
  hinge->node[1] = n[(h[0].corner + 2) % 3];
  for (int i = 0; i < 2; ++i) {
    int64_t corner = 3 * (int64_t)h[i].triangle + h[i].corner;
    hinge->node[2 + i] = mesh->triangle[corner];
    hinge->triangle[i] = h[i].triangle;
    hinge->corner[i] = h[i].corner;
    mesh->opposite[corner] = number;
  }
}

static HalfEdge* sorted_half_edges(const CpsSheetMesh* mesh) {
  int64_t count = 3 * (int64_t)mesh->triangle_count;
  HalfEdge* half = calloc((size_t)count, sizeof *half);
  if (!half) return NULL;
  for (int64_t i = 0; i < count; ++i) {
    int64_t first = i - i % 3;
    int32_t a = mesh->triangle[first + (i + 1) % 3], b = mesh->triangle[first + (i + 2) % 3];
    half[i] = (HalfEdge){a < b ? a : b, a < b ? b : a, (int32_t)(i / 3), (int32_t)(i % 3), a < b};
  }
  qsort(half, (size_t)count, sizeof *half, compare_half_edges);
  return half;
}

static int32_t find_fan(int32_t* fan, int32_t corner) {
  while (fan[corner] != corner) corner = fan[corner] = fan[fan[corner]];
  return corner;
}

// Merges the fans of two triangles that share an edge, at both of its ends.
static void join_fans(const CpsSheetMesh* mesh, const HalfEdge* h, int32_t* fan) {
  for (int end = 0; end < 2; ++end) {
    const int32_t node = end == 0 ? h[0].low : h[0].high;
    int32_t root[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
      for (int i = 0; i < 3; ++i) {
        const int32_t corner = 3 * h[k].triangle + i;
        if (mesh->triangle[corner] == node) root[k] = find_fan(fan, corner);
      }
    }
    fan[root[0] > root[1] ? root[0] : root[1]] = root[0] > root[1] ? root[1] : root[0];
  }
}

// A bow tie: triangles that meet in one vertex without a shared edge. It is allowed at vertices joined by seams.
static CpsStatus check_fans(const CpsSheetDef* def, int32_t* fan, CpsError* error) {
  char name[CPS_SHEET_NAME_SIZE];
  int32_t* first = malloc((size_t)def->vertex_count * sizeof *first);
  if (!first) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a sheet");
  for (int32_t v = 0; v < def->vertex_count; ++v) first[v] = -1;
  CpsStatus status = CPS_OK;
  for (int32_t c = 0; status == CPS_OK && c < 3 * def->triangle_count; ++c) {
    const int32_t v = def->triangles[c];
    if (first[v] < 0) first[v] = c;
    if (find_fan(fan, first[v]) == find_fan(fan, c)) continue;
    status = cps_fail(error, CPS_BAD_DATA,
                      "%s: triangles %d and %d meet in vertex %d, but share no edge there, at (%g, %g, %g): give each "
                      "part a vertex of "
                      "its own",
                      cps_sheet_name(def, name), (int)(first[v] / 3), (int)(c / 3), (int)v, def->vertices[v].x,
                      def->vertices[v].y, def->vertices[v].z);
  }
  free(first);
  return status;
}

static CpsStatus find_edges(const CpsSheetDef* def, CpsArena* arena, CpsSheetMesh* mesh, CpsError* error) {
  int64_t count = 3 * (int64_t)mesh->triangle_count;
  HalfEdge* half = sorted_half_edges(mesh);
  mesh->opposite = CPS_TAKE(arena, int32_t, count);
  mesh->edge = CPS_TAKE(arena, int32_t, 2 * count);
  mesh->hinge = CPS_TAKE(arena, CpsSheetHinge, count / 2);
  int32_t* fan = malloc((size_t)count * sizeof *fan);  // of each corner
  CpsStatus status = CPS_OK;
  if (!half || !fan || !mesh->opposite || !mesh->edge || !mesh->hinge) {
    status = cps_fail(error, CPS_NO_MEMORY, "not enough memory for a sheet");
    count = 0;
  }
  for (int64_t i = 0; i < count; ++i) fan[i] = (int32_t)i;
  for (int64_t i = 0, next; i < count && status == CPS_OK; i = next) {
    for (next = i + 1; next < count && half[next].low == half[i].low && half[next].high == half[i].high;) ++next;
    status = check_edge(def, half + i, next - i, error);
    if (status != CPS_OK) break;
    mesh->edge[2 * (int64_t)mesh->edge_count] = half[i].low;
    mesh->edge[2 * (int64_t)mesh->edge_count + 1] = half[i].high;
    mesh->edge_count++;
    if (next - i == 2) {
      make_hinge(mesh, half + i, mesh->hinge_count++);
      join_fans(mesh, half + i, fan);
    } else {
      mesh->opposite[3 * (int64_t)half[i].triangle + half[i].corner] = -1;
    }
  }
  free(half);
  if (status == CPS_OK) status = check_fans(def, fan, error);
  free(fan);
  return status;
}

CpsStatus cps_sheet_mesh_build(const CpsSheetDef* def, CpsArena* arena, CpsSheetMesh* mesh, CpsError* error) {
  *mesh = (CpsSheetMesh){.vertex_count = def->vertex_count, .triangle_count = def->triangle_count};
  CpsStatus status = cps_sheet_join_seams(def, arena, mesh, error);
  if (status != CPS_OK) return status;
  mesh->triangle = CPS_TAKE(arena, int32_t, 3 * (int64_t)def->triangle_count);
  bool* used = calloc((size_t)def->vertex_count, sizeof *used);
  status = mesh->triangle && used ? number_corners(def, mesh, used, error)
                                  : cps_fail(error, CPS_NO_MEMORY, "not enough memory for a sheet");
  free(used);
  if (status == CPS_OK) status = find_edges(def, arena, mesh, error);
  if (status == CPS_OK) status = cps_sheet_flatten(def, arena, mesh, error);
  if (status == CPS_OK) status = cps_sheet_set_rest_angles(def, arena, mesh, error);
  return status;
}
