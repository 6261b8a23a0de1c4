// Line plots as SVG (or PNG): a light frame, readable ticks, a legend beside the curves.
#ifndef CAPSTAN_DRAW_PLOT_H
#define CAPSTAN_DRAW_PLOT_H

#include "capstan/base.h"

typedef struct CpsPlotSeries {
  const char* label;
  const double* x;
  const double* y;
  int count;
} CpsPlotSeries;

typedef struct CpsPlotAxis {
  const char* label;
  bool log;      // powers of ten; values <= 0 are left out
  bool percent;  // ticks of a share are written as percentages
  bool fixed;    // low and high are given; otherwise they come from the data
  double low, high;
} CpsPlotAxis;

typedef struct CpsPlot {
  const char* title;
  CpsPlotAxis x, y;
  const CpsPlotSeries* series;
  int series_count;
  bool steps;      // the value holds until the next point
  bool mark_ends;  // a dot at the last point of each curve
  double level;    // a dashed horizontal line, NaN for none
  const char* level_label;
} CpsPlot;

// Writes the plot beside `path` and renames it; a path that ends in .png gets a PNG.
CpsStatus cps_plot_write(const CpsPlot* plot, const char* path, CpsError* error);

#endif
