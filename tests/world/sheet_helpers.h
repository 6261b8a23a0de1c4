// Sheets for tests: rectangles of triangles.
#ifndef CAPSTAN_TESTS_WORLD_SHEET_HELPERS_H
#define CAPSTAN_TESTS_WORLD_SHEET_HELPERS_H

#include "capstan/capstan.h"
#include "rectangle.h"
#include "test_helpers.h"

// A rectangle of nx x ny cells with corner `at` and sides along u and v; every other diagonal turned.
static inline Rectangle make_rectangle(int nx, int ny, CpsVec3 at, CpsVec3 u, CpsVec3 v) {
  Rectangle r = take_rectangle(nx, ny);
  for (int j = 0; j <= ny; ++j) {
    for (int i = 0; i <= nx; ++i) {
      double a = (double)i / nx, b = (double)j / ny;
      r.vertices[j * (nx + 1) + i] =
          (CpsVec3){at.x + a * u.x + b * v.x, at.y + a * u.y + b * v.y, at.z + a * u.z + b * v.z};
      if (i < nx && j < ny) set_cell(&r, i, j, (i + j) % 2 == 1);
    }
  }
  return r;
}

#endif
