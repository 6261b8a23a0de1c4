// Meshes of sheets for tests: rectangles of triangles, regular or not.
#ifndef CAPSTAN_TESTS_MODEL_SHEET_SETUP_H
#define CAPSTAN_TESTS_MODEL_SHEET_SETUP_H

#include <stdlib.h>

#include "core/random.h"
#include "model/sheet_elastic.h"
#include "test_helpers.h"

typedef enum MeshKind { MESH_DIAGONAL, MESH_CROSSED, MESH_JITTERED, MESH_EQUILATERAL } MeshKind;

typedef struct Rectangle {
  CpsVec3* vertices;
  int32_t* triangles;
  int32_t vertex_count, triangle_count;
  int32_t across, along;  // vertices in x and in y
} Rectangle;

// A rectangle [0, width] x [0, height] with nx x ny cells of two triangles. Crossed: diagonals alternate; jittered: inner vertices
// moved by up to a quarter of a cell, border vertices along the border; equilateral: rows shifted by half a cell.
static inline Rectangle make_rectangle(MeshKind kind, double width, double height, int nx, int ny) {
  Rectangle r = {.across = nx + 1, .along = ny + 1, .vertex_count = (nx + 1) * (ny + 1), .triangle_count = 2 * nx * ny};
  r.vertices = calloc((size_t)r.vertex_count, sizeof *r.vertices);
  r.triangles = calloc(3 * (size_t)r.triangle_count, sizeof *r.triangles);
  CpsRandom random = cps_random_seed(7);
  double dx = width / nx, dy = height / ny;
  for (int j = 0; j <= ny; ++j) {
    for (int i = 0; i <= nx; ++i) {
      CpsVec3 x = {dx * i, dy * j, 0.0};
      double u = cps_random_uniform(&random) - 0.5, v = cps_random_uniform(&random) - 0.5;
      if (kind == MESH_JITTERED && i > 0 && i < nx) x.x += 0.5 * dx * u;
      if (kind == MESH_JITTERED && j > 0 && j < ny) x.y += 0.5 * dy * v;
      if (kind == MESH_EQUILATERAL && j % 2 == 1) x.x += 0.5 * dx;
      r.vertices[j * (nx + 1) + i] = x;
    }
  }
  int32_t* t = r.triangles;
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i, t += 6) {
      int32_t a = j * (nx + 1) + i, b = a + 1, c = a + nx + 1, d = c + 1;
      bool other = (kind == MESH_CROSSED && (i + j) % 2 == 1) || (kind == MESH_EQUILATERAL && j % 2 == 1);
      if (other) {
        t[0] = a, t[1] = b, t[2] = d, t[3] = a, t[4] = d, t[5] = c;
      } else {
        t[0] = a, t[1] = b, t[2] = c, t[3] = b, t[4] = d, t[5] = c;
      }
    }
  }
  return r;
}

static inline void free_rectangle(Rectangle* r) {
  free(r->vertices);
  free(r->triangles);
}

static inline CpsSheetDef rectangle_def(const Rectangle* r) {
  CpsSheetDef def = cps_sheet_def_default();
  def.vertex_count = r->vertex_count;
  def.vertices = r->vertices;
  def.triangle_count = r->triangle_count;
  def.triangles = r->triangles;
  return def;
}

static inline CpsSheetElastic* make_elastic(const CpsSheetDef* def) {
  CpsError error;
  CpsSheetElastic* elastic = NULL;
  if (cps_sheet_check(def, &error) != CPS_OK || cps_sheet_elastic_create(def, &elastic, &error) != CPS_OK) {
    print_error("%s\n", error.text);
    fail();
  }
  return elastic;
}

// A vector for each node; the caller frees it.
static inline CpsVec3* zero_vectors(const CpsSheetElastic* elastic) {
  uint32_t count = (uint32_t)elastic->mesh.node_count;
  return calloc(count, sizeof(CpsVec3));
}

// The placed shape, each vertex moved by up to `by` in every direction.
static inline CpsVec3* shaken(const CpsSheetElastic* elastic, double by, uint64_t seed) {
  CpsVec3* x = zero_vectors(elastic);
  CpsRandom random = cps_random_seed(seed);
  for (int32_t n = 0; n < elastic->mesh.node_count; ++n) {
    CpsVec3 p = elastic->mesh.place[n];
    for (int i = 0; i < 3; ++i) (&p.x)[i] += by * (2.0 * cps_random_uniform(&random) - 1.0);
    x[n] = p;
  }
  return x;
}

static inline double* zero_blocks(const CpsSheetElastic* elastic) {
  return calloc(9 * (size_t)elastic->pattern.start[elastic->pattern.rows], sizeof(double));
}

// The matrix in full, 3 n x 3 n, row-major.
static inline double* dense_of(const CpsSheetElastic* elastic, const double* value) {
  const CpsBlockPattern* p = &elastic->pattern;
  int64_t n = 3 * (int64_t)p->rows;
  double* A = calloc((size_t)(n * n), sizeof *A);
  for (int32_t i = 0; i < p->rows; ++i) {
    for (int64_t k = p->start[i]; k < p->start[i + 1]; ++k) {
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
          int64_t r = 3 * (int64_t)i + a, c = 3 * (int64_t)p->col[k] + b;
          A[n * r + c] = A[n * c + r] = value[9 * k + 3 * a + b];
        }
      }
    }
  }
  return A;
}

#endif
