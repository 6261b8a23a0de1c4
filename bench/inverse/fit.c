// From a curve to a super-helix of 15 elements by floating tangents and by least squares (after figure 4.7 of the habilitation of
// Bertails-Descoubes 2017): error and processor time of both on six curves and on a thousand strands of each groom.
//
// Errors are distances of 16 points an element, at equal parts of the arc lengths, over the length of the curve. Writes
// bench/results/fit.md and fit.svg.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/fibre.h"
#include "capstan/hair.h"
#include "core/clock.h"
#include "draw/plot.h"

enum { ELEMENTS = 15, POINTS = 200, STRANDS = 1000, GROOMS = 2, METHODS = 2 };
static const double PI = 3.14159265358979323846;
static const char* const METHOD[METHODS] = {"floating tangents", "least squares"};

typedef struct Outcome {
  double mean, max;  // of the length
  double seconds;
} Outcome;

static Outcome fit(int method, const CpsVec3* points, int32_t count) {
  double lengths[ELEMENTS];
  CpsVec3 curvature[ELEMENTS];
  CpsFibreFit found = {0};
  Outcome out = {NAN, NAN, INFINITY};
  for (int k = 0; k < 3; ++k) {
    const double begin = cps_clock_cpu();
    const CpsStatus status = method == 0
                                 ? cps_fibre_fit_tangents(points, count, ELEMENTS, lengths, curvature, &found, NULL)
                                 : cps_fibre_fit(points, count, ELEMENTS, curvature, &found, NULL);
    out.seconds = fmin(out.seconds, cps_clock_cpu() - begin);
    if (status != CPS_OK) return out;
  }
  out.mean = found.mean / found.length;
  out.max = found.max / found.length;
  return out;
}

// u in [0, 1]
static CpsVec3 curve_at(int which, double u) {
  const double a = 2.0 * PI * u;
  switch (which) {
    case 0:
      return (CpsVec3){sin(0.8 * a), 1.0 - cos(0.8 * a), 0.0};
    case 1: {  // curvature grows with arc length
      double x = 0.0, y = 0.0;
      for (int i = 0; i < 400; ++i) {
        const double s = u * (i + 0.5) / 400.0;
        x += u / 400.0 * cos(6.0 * s * s), y += u / 400.0 * sin(6.0 * s * s);
      }
      return (CpsVec3){x, y, 0.0};
    }
    case 2:
      return (CpsVec3){0.3 * cos(2.0 * a), 0.3 * sin(2.0 * a), u * u};
    case 3:
      return (CpsVec3){sin(a) + 2.0 * sin(2.0 * a), cos(a) - 2.0 * cos(2.0 * a), -sin(3.0 * a)};
    case 4:
      return (CpsVec3){3.0 * u, 0.3 * sin(1.5 * a), 0.2 * sin(a)};
    default:
      return (CpsVec3){u * cos(1.5 * a), u * sin(1.5 * a), 0.5 * u};
  }
}

static void write_curves(FILE* out) {
  static const char* const NAME[6] = {"arc",          "clothoid", "helix of increasing pitch",
                                      "trefoil knot", "waves",    "conical spiral"};
  fprintf(out,
          "| curve | floating tangents: mean, max | us | least squares: mean, max | us |\n|---|---|---|---|---|\n");
  for (int c = 0; c < 6; ++c) {
    CpsVec3 points[POINTS];
    for (int i = 0; i < POINTS; ++i) points[i] = curve_at(c, (double)i / (POINTS - 1));
    fprintf(out, "| %s ", NAME[c]);
    for (int m = 0; m < METHODS; ++m) {
      const Outcome o = fit(m, points, POINTS);
      fprintf(out, "| %.1e, %.1e | %.0f ", o.mean, o.max, 1e6 * o.seconds);
    }
    fprintf(out, "|\n");
  }
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Errors of the strands of a groom, sorted; returns how many.
static int write_groom(FILE* out, const char* name, const char* path, double errors[METHODS][STRANDS]) {
  CpsHair hair;
  CpsError error;
  if (cps_hair_read(path, &hair, &error) != CPS_OK) {
    fprintf(out, "| %s | skipped: %s | | | |\n", name, error.text);
    return 0;
  }
  const int count = hair.strand_count < STRANDS ? (int)hair.strand_count : STRANDS;
  fprintf(out, "| %s, %d strands ", name, count);
  for (int m = 0; m < METHODS; ++m) {
    double mean = 0.0, max = 0.0, seconds = 0.0;
    int done = 0;
    for (int i = 0; i < count; ++i) {
      const int64_t s = (int64_t)i * hair.strand_count / count, first = hair.first[s];
      const Outcome o = fit(m, hair.points + first, (int32_t)(hair.first[s + 1] - first));
      if (isnan(o.mean)) continue;
      errors[m][done++] = o.mean;
      mean += o.mean;
      max = fmax(max, o.max);
      seconds += o.seconds;
    }
    qsort(errors[m], (size_t)done, sizeof(double), compare);
    fprintf(out, "| %.1e, %.1e | %.0f ", mean / done, max, 1e6 * seconds / done);
  }
  fprintf(out, "|\n");
  cps_hair_free(&hair);
  return count;
}

// Ten thousand strands of sixteen points, eight elements, as fast as it goes: processor time of one thread.
static double fast(int method) {
  CpsVec3 points[16], curvature[8];
  double lengths[8];
  CpsFibreFit found;
  const double begin = cps_clock_cpu();
  for (int k = 0; k < 10000; ++k) {
    for (int i = 0; i < 16; ++i) points[i] = curve_at(4, 0.9 * i / 15.0 + 1e-5 * k);
    const CpsStatus status = method == 0 ? cps_fibre_fit_tangents(points, 16, 8, lengths, curvature, &found, NULL)
                                         : cps_fibre_fit(points, 16, 8, curvature, &found, NULL);
    if (status != CPS_OK) return NAN;
  }
  return cps_clock_cpu() - begin;
}

int main(int argc, char** argv) {
  const char* folder = "bench/results";
  char path[1024];
  for (int i = 1; i + 1 < argc; ++i) {
    if (strcmp(argv[i], "--out") == 0) folder = argv[i + 1];
  }
  snprintf(path, sizeof path, "%s/fit.md", folder);
  FILE* out = fopen(path, "w");
  if (!out) {
    fprintf(stderr, "cannot write %s\n", path);
    return 1;
  }
  static double errors[GROOMS][METHODS][STRANDS];
  static const char* const NAME[GROOMS] = {"Yuksel, straight", "Creamystrand, man"};
  static const char* const FILES[GROOMS] = {SHARED_DATA "/hair/yuksel_straight.hair",
                                            SHARED_DATA "/hair/creamystrand_man_hair_init_700.ply"};
  CpsPlotSeries series[GROOMS * METHODS];
  char labels[GROOMS * METHODS][64];
  int drawn = 0;
  fprintf(out, "Super-helices of %d elements; errors relative to the length of the curve, CPU time per fit.\n\n",
          ELEMENTS);
  write_curves(out);
  static double part[GROOMS][STRANDS];
  for (int g = 0; g < GROOMS; ++g) {
    const int count = write_groom(out, NAME[g], FILES[g], errors[g]);
    for (int i = 0; i < count; ++i) part[g][i] = 100.0 * (i + 0.5) / count;
    for (int m = 0; m < METHODS && count > 0; ++m) {
      snprintf(labels[drawn], sizeof labels[drawn], "%s: %s", NAME[g], METHOD[m]);
      series[drawn] = (CpsPlotSeries){labels[drawn], part[g], errors[g][m], count};
      ++drawn;
    }
  }
  fprintf(
      out,
      "\nTen thousand strands of 16 points, 8 elements: %.2f s by floating tangents, %.2f s by least squares, in one "
      "thread.\n",
      fast(0), fast(1));
  const CpsPlot plot = {.title = "Strands of two grooms, 15 elements: mean error, sorted",
                        .x = {.label = "strands, %"},
                        .y = {.label = "error / length", .log = true},
                        .series = series,
                        .series_count = drawn,
                        .level = NAN};
  snprintf(path, sizeof path, "%s/fit.svg", folder);
  CpsError error;
  if (drawn > 0 && cps_plot_write(&plot, path, &error) != CPS_OK) fprintf(stderr, "%s\n", error.text);
  return fclose(out) == 0 ? 0 : 1;
}
