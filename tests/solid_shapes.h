// Meshes of tetrahedra for tests: boxes of cells cut into five.
#ifndef CAPSTAN_TESTS_SOLID_SHAPES_H
#define CAPSTAN_TESTS_SOLID_SHAPES_H

#include "capstan/capstan.h"
#include "core/random.h"
#include "test_helpers.h"

#include <stdlib.h>

typedef struct Tets {
  int32_t vertex_count, tetrahedron_count;
  CpsVec3* vertices;
  int32_t* tetrahedra;
} Tets;

static inline int32_t box_vertex(int nx, int ny, int i, int j, int k) {
  return (k * (ny + 1) + j) * (nx + 1) + i;
}

// A box of nx x ny x nz cells with a corner at `at`; neighbours are cut the other way round. jitter: inner vertices moved by up to
// this part of a cell.
static inline Tets make_box(int nx, int ny, int nz, CpsVec3 at, CpsVec3 size, double jitter) {
  Tets b = {(nx + 1) * (ny + 1) * (nz + 1), 5 * nx * ny * nz, NULL, NULL};
  b.vertices = calloc((size_t)b.vertex_count, sizeof *b.vertices);
  b.tetrahedra = calloc(4 * (size_t)b.tetrahedron_count, sizeof *b.tetrahedra);
  CpsRandom random = cps_random_seed(5);
  CpsVec3* x = b.vertices;
  for (int k = 0; k <= nz; ++k) {
    for (int j = 0; j <= ny; ++j) {
      for (int i = 0; i <= nx; ++i, ++x) {
        bool inside = i > 0 && i < nx && j > 0 && j < ny && k > 0 && k < nz;
        double by[3];
        for (int c = 0; c < 3; ++c) by[c] = inside ? jitter * (2.0 * cps_random_uniform(&random) - 1.0) : 0.0;
        *x = (CpsVec3){at.x + size.x * (i + by[0]) / nx, at.y + size.y * (j + by[1]) / ny,
                       at.z + size.z * (k + by[2]) / nz};
      }
    }
  }
  static const int CUT[2][5][4] = {
      {{0, 1, 3, 5}, {0, 3, 2, 6}, {0, 5, 6, 4}, {3, 6, 5, 7}, {0, 3, 6, 5}},
      {{1, 0, 4, 2}, {1, 7, 2, 4}, {1, 3, 2, 7}, {1, 5, 7, 4}, {2, 6, 4, 7}},
  };
  int32_t* t = b.tetrahedra;
  for (int c = 0; c < nx * ny * nz; ++c) {
    int i = c % nx, j = c / nx % ny, k = c / (nx * ny);
    int32_t corner[8];
    for (int q = 0; q < 8; ++q) corner[q] = box_vertex(nx, ny, i + (q & 1), j + (q >> 1 & 1), k + (q >> 2));
    for (int q = 0; q < 5; ++q) {
      for (int v = 0; v < 4; ++v) *t++ = corner[CUT[(i + j + k) % 2][q][v]];
    }
  }
  // whichever way round the table has them, their volumes are positive
  for (t = b.tetrahedra; t < b.tetrahedra + 4 * (size_t)b.tetrahedron_count; t += 4) {
    CpsVec3 e[3];
    for (int q = 0; q < 3; ++q) {
      CpsVec3 p = b.vertices[t[q + 1]], o = b.vertices[t[0]];
      e[q] = (CpsVec3){p.x - o.x, p.y - o.y, p.z - o.z};
    }
    double six = e[0].x * (e[1].y * e[2].z - e[1].z * e[2].y) + e[0].y * (e[1].z * e[2].x - e[1].x * e[2].z) +
                 e[0].z * (e[1].x * e[2].y - e[1].y * e[2].x);
    if (six < 0.0) {
      int32_t keep = t[2];
      t[2] = t[3], t[3] = keep;
    }
  }
  return b;
}

static inline void free_tets(Tets* b) {
  free(b->vertices);
  free(b->tetrahedra);
}

static inline CpsSolidDef solid_of(const Tets* b) {
  CpsSolidDef def = cps_solid_def_default();
  def.vertex_count = b->vertex_count;
  def.vertices = b->vertices;
  def.tetrahedron_count = b->tetrahedron_count;
  def.tetrahedra = b->tetrahedra;
  return def;
}

#endif
