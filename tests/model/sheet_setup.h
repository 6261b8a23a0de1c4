// Meshes of sheets for tests: rectangles of triangles, regular or not.
#ifndef CAPSTAN_TESTS_MODEL_SHEET_SETUP_H
#define CAPSTAN_TESTS_MODEL_SHEET_SETUP_H

#include <stdlib.h>

#include "core/random.h"
#include "model/sheet_elastic.h"
#include "rectangle.h"
#include "test_helpers.h"

typedef enum MeshKind { MESH_DIAGONAL, MESH_CROSSED, MESH_JITTERED, MESH_EQUILATERAL } MeshKind;

// A rectangle [0, width] x [0, height] with nx x ny cells of two triangles. Crossed: diagonals alternate; jittered: inner vertices
// moved by up to a quarter of a cell, border vertices along the border; equilateral: rows shifted by half a cell.
static inline Rectangle make_rectangle(MeshKind kind, double width, double height, int nx, int ny) {
  Rectangle r = take_rectangle(nx, ny);
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
      const bool other = (kind == MESH_CROSSED && (i + j) % 2 == 1) || (kind == MESH_EQUILATERAL && j % 2 == 1);
      if (i < nx && j < ny) set_cell(&r, i, j, other);
    }
  }
  return r;
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
