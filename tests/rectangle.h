// Rectangles of triangles, from which tests make sheets.
#ifndef CAPSTAN_TESTS_RECTANGLE_H
#define CAPSTAN_TESTS_RECTANGLE_H

#include "capstan/sheet.h"

#include <stdlib.h>

typedef struct Rectangle {
  int32_t vertex_count, triangle_count;
  int32_t across, along;  // vertices along its two sides
  CpsVec3* vertices;      // one row across after the other
  int32_t* triangles;
} Rectangle;

// Room for nx x ny cells of two triangles.
static inline Rectangle take_rectangle(int nx, int ny) {
  Rectangle r = {(nx + 1) * (ny + 1), 2 * nx * ny, nx + 1, ny + 1, NULL, NULL};
  r.vertices = calloc((size_t)r.vertex_count, sizeof *r.vertices);
  r.triangles = calloc(3 * (size_t)r.triangle_count, sizeof *r.triangles);
  return r;
}

static inline void free_rectangle(Rectangle* r) {
  free(r->vertices);
  free(r->triangles);
}

// The two triangles of a cell, on either side of its one or other diagonal.
static inline void set_cell(Rectangle* r, int i, int j, bool other) {
  const int32_t a = j * r->across + i, b = a + 1, c = a + r->across, d = c + 1;
  const int32_t one[6] = {a, b, d, a, d, c}, two[6] = {a, b, c, b, d, c};
  int32_t* t = r->triangles + 6 * ((r->across - 1) * j + i);
  for (int k = 0; k < 6; ++k) t[k] = other ? one[k] : two[k];
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
