// The surface of a mesh, and whether it is closed.
#include "io/mesh/surface.h"

#include <stdlib.h>
#include <string.h>

#include "core/vec3.h"

typedef struct Face {
  int32_t sorted[3];
  uint32_t number;  // 4 tetrahedron + opposite corner
} Face;

static int compare_faces(const void* a, const void* b) {
  return memcmp(((const Face*)a)->sorted, ((const Face*)b)->sorted, sizeof((const Face*)a)->sorted);
}

static void order(int32_t* a, int32_t* b) {
  if (*a <= *b) return;
  int32_t keep = *a;
  *a = *b, *b = keep;
}

int32_t* cps_mesh_surface(const CpsMeshFile* mesh, int32_t* count) {
  static const int FACE[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  const size_t faces = 4 * (size_t)mesh->tetrahedron_count;
  *count = 0;
  if (mesh->tetrahedron_count == 0) {
    int32_t* copy = malloc((3 * (size_t)mesh->triangle_count + 1) * sizeof *copy);
    if (copy && mesh->triangle_count > 0) {
      memcpy(copy, mesh->triangles, 3 * (size_t)mesh->triangle_count * sizeof *copy);
    }
    *count = mesh->triangle_count;
    return copy;
  }
  Face* face = malloc(faces * sizeof *face);
  bool* outside = calloc(faces, sizeof *outside);
  int32_t* out = malloc(3 * faces * sizeof *out);
  for (size_t i = 0; face && i < faces; ++i) {
    face[i].number = (uint32_t)i;
    for (int k = 0; k < 3; ++k) face[i].sorted[k] = mesh->tetrahedra[4 * (i / 4) + (size_t)FACE[i % 4][k]];
    order(&face[i].sorted[0], &face[i].sorted[1]);
    order(&face[i].sorted[1], &face[i].sorted[2]);
    order(&face[i].sorted[0], &face[i].sorted[1]);
  }
  if (face) qsort(face, faces, sizeof *face, compare_faces);
  for (size_t i = 0, next; face && outside && i < faces; i = next) {
    for (next = i + 1; next < faces && compare_faces(&face[i], &face[next]) == 0;) ++next;
    outside[face[i].number] = next == i + 1;
  }
  bool done = face && outside && out;
  for (size_t i = 0; done && i < faces; ++i) {
    if (!outside[i]) continue;
    for (int k = 0; k < 3; ++k) out[3 * (int64_t)*count + k] = mesh->tetrahedra[4 * (i / 4) + (size_t)FACE[i % 4][k]];
    ++*count;
  }
  free(face);
  free(outside);
  if (!done) free(out);
  return done ? out : NULL;
}

typedef struct Half {
  int32_t low, high, sign;
} Half;

static int compare_halves(const void* a, const void* b) {
  const Half *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  if (x->high != y->high) return x->high < y->high ? -1 : 1;
  return (x->sign > y->sign) - (x->sign < y->sign);
}

int32_t cps_mesh_open_edges(const int32_t* triangles, int32_t count, int32_t edge[2]) {
  const size_t halves = 3 * (size_t)count;
  Half* half = malloc((halves + 1) * sizeof *half);
  if (!half) return -1;
  for (size_t i = 0; i < halves; ++i) {
    int32_t a = triangles[i], b = triangles[i % 3 == 2 ? i - 2 : i + 1];
    half[i] = (Half){a < b ? a : b, a < b ? b : a, a < b ? 1 : -1};
  }
  qsort(half, halves, sizeof *half, compare_halves);
  int32_t open = 0;
  for (size_t i = 0, next; i < halves; i = next) {
    int32_t sum = half[i].sign;
    for (next = i + 1; next < halves && half[next].low == half[i].low && half[next].high == half[i].high; ++next) {
      sum += half[next].sign;
    }
    if (next == i + 2 && sum == 0) continue;
    if (edge && open == 0) edge[0] = half[i].low, edge[1] = half[i].high;
    ++open;
  }
  free(half);
  return open;
}

double cps_mesh_enclosed(const CpsMeshFile* mesh, const int32_t* triangles, int32_t count) {
  double sum = 0.0;
  const CpsVec3 from = mesh->vertices[0];
  for (int64_t t = 0; t < count; ++t) {
    CpsVec3 p[3];
    for (int k = 0; k < 3; ++k) p[k] = cps_vec3_sub(mesh->vertices[triangles[3 * t + k]], from);
    sum += cps_vec3_dot(p[0], cps_vec3_cross(p[1], p[2])) / 6.0;
  }
  return sum;
}
