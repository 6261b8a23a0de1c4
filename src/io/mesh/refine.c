// Tetrahedra split into eight at the middles of their edges (Bey 1995): four at the corners, like the whole, and four of the
// octahedron between them, around its shortest diagonal. The shape stays the same; old vertices keep their numbers.
#include "io/mesh/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/vec3.h"

enum { EDGES = 6, PARTS = 8 };
static const int ENDS[EDGES][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
// Edge midpoints: the four corners around each diagonal of the octahedron, which joins the midpoints of opposite edges.
static const int DIAGONAL[3][2] = {{0, 5}, {1, 4}, {2, 3}};
static const int AROUND[3][4] = {{1, 2, 4, 3}, {0, 2, 5, 3}, {0, 1, 5, 4}};

static int compare(const void* a, const void* b) {
  const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
  return (x > y) - (x < y);
}

static uint64_t edge_of(const int32_t* t, int e) {
  const uint32_t a = (uint32_t)t[ENDS[e][0]], b = (uint32_t)t[ENDS[e][1]];
  return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

// All edges, without duplicates, sorted.
static uint64_t* list_edges(const CpsMeshFile* mesh, int64_t* count) {
  const int64_t all = EDGES * (int64_t)mesh->tetrahedron_count;
  uint64_t* edge = malloc((size_t)all * sizeof *edge);
  if (!edge) return NULL;
  for (int64_t i = 0; i < all; ++i) edge[i] = edge_of(mesh->tetrahedra + 4 * (i / EDGES), (int)(i % EDGES));
  qsort(edge, (size_t)all, sizeof *edge, compare);
  *count = 0;
  for (int64_t i = 0; i < all; ++i) {
    if (i == 0 || edge[i] != edge[i - 1]) edge[(*count)++] = edge[i];
  }
  return edge;
}

static double volume(const CpsVec3* x, const int32_t* t) {
  const CpsVec3 a = cps_vec3_sub(x[t[1]], x[t[0]]), b = cps_vec3_sub(x[t[2]], x[t[0]]),
                c = cps_vec3_sub(x[t[3]], x[t[0]]);
  return cps_vec3_dot(a, cps_vec3_cross(b, c));
}

// The eight parts of a tetrahedron, from its edge midpoints.
static void split(const CpsVec3* x, const int32_t* t, const int32_t middle[EDGES], int32_t* out) {
  for (int v = 0; v < 4; ++v, out += 4) {
    for (int i = 0; i < 4; ++i) out[i] = t[v];
    for (int e = 0; e < EDGES; ++e) {
      if (ENDS[e][0] == v) out[ENDS[e][1]] = middle[e];
      if (ENDS[e][1] == v) out[ENDS[e][0]] = middle[e];
    }
  }
  int best = 0;
  double shortest = INFINITY;
  for (int d = 0; d < 3; ++d) {
    const double length = cps_vec3_norm(cps_vec3_sub(x[middle[DIAGONAL[d][0]]], x[middle[DIAGONAL[d][1]]]));
    if (length < shortest) best = d, shortest = length;
  }
  for (int i = 0; i < 4; ++i, out += 4) {
    out[0] = middle[DIAGONAL[best][0]], out[1] = middle[DIAGONAL[best][1]];
    out[2] = middle[AROUND[best][i]], out[3] = middle[AROUND[best][(i + 1) % 4]];
    if (volume(x, out) * volume(x, t) >= 0.0) continue;  // inverted ones stay inverted
    const int32_t last = out[3];
    out[3] = out[2], out[2] = last;
  }
}

static CpsStatus refine_once(const CpsMeshFile* mesh, CpsMeshFile* out) {
  int64_t edges = 0;
  uint64_t* edge = list_edges(mesh, &edges);
  *out = (CpsMeshFile){.skipped_cells = mesh->skipped_cells};
  out->vertices = edge ? malloc((size_t)(mesh->vertex_count + edges) * sizeof *out->vertices) : NULL;
  out->tetrahedra = edge ? malloc(PARTS * 4 * (size_t)mesh->tetrahedron_count * sizeof *out->tetrahedra) : NULL;
  if (!out->vertices || !out->tetrahedra) {
    free(edge);
    cps_mesh_file_free(out);
    return CPS_NO_MEMORY;
  }
  out->vertex_count = mesh->vertex_count + (int32_t)edges;
  out->tetrahedron_count = PARTS * mesh->tetrahedron_count;
  memcpy(out->vertices, mesh->vertices, (size_t)mesh->vertex_count * sizeof *out->vertices);
  for (int64_t i = 0; i < edges; ++i) {
    const CpsVec3 a = mesh->vertices[edge[i] >> 32], b = mesh->vertices[edge[i] & UINT32_MAX];
    out->vertices[mesh->vertex_count + i] = cps_vec3_scale(0.5, cps_vec3_add(a, b));
  }
  for (int64_t t = 0; t < mesh->tetrahedron_count; ++t) {
    int32_t middle[EDGES];
    for (int e = 0; e < EDGES; ++e) {
      const uint64_t key = edge_of(mesh->tetrahedra + 4 * t, e);
      const uint64_t* at = bsearch(&key, edge, (size_t)edges, sizeof *edge, compare);
      middle[e] = mesh->vertex_count + (int32_t)(at - edge);
    }
    split(out->vertices, mesh->tetrahedra + 4 * t, middle, out->tetrahedra + 4 * PARTS * t);
  }
  free(edge);
  return CPS_OK;
}

CpsStatus cps_mesh_refine(CpsMeshFile* mesh, int times, int64_t most, CpsError* error) {
  for (int k = 0; k < times && mesh->tetrahedron_count > 0; ++k) {
    if (PARTS * (int64_t)mesh->tetrahedron_count > most) {
      return cps_fail(error, CPS_BAD_DATA, "refined %d times it has more than %lld tetrahedra", times, (long long)most);
    }
    CpsMeshFile finer;
    const CpsStatus status = refine_once(mesh, &finer);
    if (status != CPS_OK) return cps_fail(error, status, "not enough memory to refine a mesh");
    cps_mesh_file_free(mesh);
    *mesh = finer;
  }
  return CPS_OK;
}
