// How stiff a sheet is against bending, by law and mesh: the energy of a square that is bent to a cylinder in every direction, relative to
// that of a plate. Writes sheet-bending.svg into a folder and a table to the standard output.
//
// usage: bench-sheet-bending FOLDER
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/random.h"
#include "draw/plot.h"
#include "model/sheet_elastic.h"

enum { CELLS = 24, SIDE = CELLS + 1, VERTICES = SIDE * SIDE, TRIANGLES = 2 * CELLS * CELLS, ANGLES = 61, CASES = 4 };
static const double PI = 3.14159265358979323846, RADIUS = 2.0;

typedef struct Square {
  CpsVec3 vertices[VERTICES];
  int32_t triangles[3 * TRIANGLES];
} Square;

// A unit square of cells with parallel diagonals; random: inner vertices moved by up to a quarter of a cell.
static void make_square(bool is_random, Square* q) {
  CpsRandom random = cps_random_seed(7);
  for (int j = 0, v = 0; j < SIDE; ++j) {
    for (int i = 0; i < SIDE; ++i, ++v) {
      double dx = cps_random_uniform(&random) - 0.5, dy = cps_random_uniform(&random) - 0.5;
      bool inner = is_random && i > 0 && j > 0 && i < CELLS && j < CELLS;
      q->vertices[v] = cps_vec3((i + (inner ? 0.5 * dx : 0.0)) / CELLS, (j + (inner ? 0.5 * dy : 0.0)) / CELLS, 0.0);
    }
  }
  int32_t* t = q->triangles;
  for (int j = 0; j < CELLS; ++j) {
    for (int i = 0; i < CELLS; ++i, t += 6) {
      int32_t a = j * SIDE + i, b = a + 1, c = a + SIDE, d = c + 1;
      t[0] = a, t[1] = b, t[2] = c, t[3] = b, t[4] = d, t[5] = c;
    }
  }
}

// Energies over those of a plate, B / 2 R^2, for directions from 0 to 180 degrees. False: no memory.
static bool measure(const Square* q, CpsBendingLaw law, double ratio[ANGLES]) {
  CpsSheetDef def = cps_sheet_def_default();
  def.vertex_count = VERTICES, def.vertices = q->vertices;
  def.triangle_count = TRIANGLES, def.triangles = q->triangles;
  def.bending_law = law;
  CpsSheetElastic* s;
  if (cps_sheet_elastic_create(&def, &s, NULL) != CPS_OK) return false;
  static CpsVec3 x[VERTICES];
  for (int k = 0; k < ANGLES; ++k) {
    double angle = PI * k / (ANGLES - 1), c = cos(angle), n = sin(angle);
    for (int v = 0; v < VERTICES; ++v) {
      CpsVec3 p = q->vertices[v];
      double along = (c * p.x + n * p.y) / RADIUS, side = c * p.y - n * p.x, u = RADIUS * sin(along);
      x[v] = cps_vec3(c * u - n * side, n * u + c * side, RADIUS * (1.0 - cos(along)));
    }
    ratio[k] = cps_sheet_energy(s, NULL, x).bending / (0.5 * def.bending[0] / (RADIUS * RADIUS));
  }
  cps_sheet_elastic_destroy(s);
  return true;
}

int main(int count, char** arguments) {
  static const char* const LABELS[CASES] = {"hinge, regular", "hinge, random", "patch, regular", "patch, random"};
  static Square square;
  static double degrees[ANGLES], ratio[CASES][ANGLES];
  CpsPlotSeries series[CASES];
  if (count != 2) {
    fprintf(stderr, "usage: bench-sheet-bending FOLDER\n");
    return EXIT_FAILURE;
  }
  for (int k = 0; k < ANGLES; ++k) degrees[k] = 180.0 * k / (ANGLES - 1);
  printf("| law, mesh | smallest | largest |\n|---|---|---|\n");
  for (int c = 0; c < CASES; ++c) {
    make_square(c % 2 == 1, &square);
    if (!measure(&square, c < 2 ? CPS_BENDING_HINGE : CPS_BENDING_PATCH, ratio[c])) return EXIT_FAILURE;
    series[c] = (CpsPlotSeries){LABELS[c], degrees, ratio[c], ANGLES};
    double low = INFINITY, high = 0.0;
    for (int k = 0; k < ANGLES; ++k) low = fmin(low, ratio[c][k]), high = fmax(high, ratio[c][k]);
    printf("| %s | %.4f | %.4f |\n", LABELS[c], low, high);
  }
  CpsPlot plot = {.title = "A square bent to a cylinder: energy relative to a plate",
                  .x = {.label = "direction, degrees", .fixed = true, .low = 0.0, .high = 180.0},
                  .y = {.label = "energy / energy of a plate", .fixed = true, .low = 0.0, .high = 4.0},
                  .series = series,
                  .series_count = CASES,
                  .level = 1.0,
                  .level_label = "plate"};
  char path[1000];
  snprintf(path, sizeof path, "%s/sheet-bending.svg", arguments[1]);
  CpsError error;
  if (cps_plot_write(&plot, path, &error) != CPS_OK) {
    fprintf(stderr, "%s\n", error.text);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
