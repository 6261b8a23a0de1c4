// Sheets for tests: rectangles of triangles.
#ifndef CAPSTAN_TESTS_WORLD_SHEET_HELPERS_H
#define CAPSTAN_TESTS_WORLD_SHEET_HELPERS_H

#include "capstan/capstan.h"
#include "test_helpers.h"

#include <stdlib.h>

// A rectangle of nx x ny cells with corner `at` and sides along u and v; every other diagonal turned.
typedef struct Rectangle {
  int32_t vertex_count, triangle_count;
  CpsVec3* vertices;
  int32_t* triangles;
} Rectangle;

static inline Rectangle make_rectangle(int nx, int ny, CpsVec3 at, CpsVec3 u, CpsVec3 v) {
  Rectangle r = {(nx + 1) * (ny + 1), 2 * nx * ny, NULL, NULL};
  r.vertices = calloc((size_t)r.vertex_count, sizeof *r.vertices);
  r.triangles = calloc(3 * (size_t)r.triangle_count, sizeof *r.triangles);
  for (int j = 0; j <= ny; ++j) {
    for (int i = 0; i <= nx; ++i) {
      double a = (double)i / nx, b = (double)j / ny;
      r.vertices[j * (nx + 1) + i] =
          (CpsVec3){at.x + a * u.x + b * v.x, at.y + a * u.y + b * v.y, at.z + a * u.z + b * v.z};
    }
  }
  int32_t* t = r.triangles;
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      int32_t a = j * (nx + 1) + i, b = a + 1, c = a + nx + 1, d = c + 1;
      const int32_t one[6] = {a, b, d, a, d, c}, two[6] = {a, b, c, b, d, c};
      for (int k = 0; k < 6; ++k) *t++ = (i + j) % 2 ? one[k] : two[k];
    }
  }
  return r;
}

static inline void free_rectangle(Rectangle* r) {
  free(r->vertices);
  free(r->triangles);
}

static inline CpsSheetDef sheet_of_rectangle(const Rectangle* r) {
  CpsSheetDef def = cps_sheet_def_default();
  def.vertex_count = r->vertex_count;
  def.vertices = r->vertices;
  def.triangle_count = r->triangle_count;
  def.triangles = r->triangles;
  return def;
}

#endif
