// Ranges and ticks of the axes of a plot.
#ifndef CAPSTAN_DRAW_PLOT_AXIS_H
#define CAPSTAN_DRAW_PLOT_AXIS_H

#include "draw/plot.h"

#define CPS_TICK_MAX 12

typedef struct CpsPlotRange {
  double low, high;  // of the axis, as exponents of ten if it is logarithmic
  double ticks[CPS_TICK_MAX];
  int tick_count;
  bool decades;  // ticks are whole powers of ten
  int exponent;  // ticks of a linear axis are written in units of this power of ten
} CpsPlotRange;

// A value as the axis has it: the exponent of ten if it is logarithmic.
double cps_plot_scaled(const CpsPlotAxis* axis, double value);
// Whether a point can be shown: finite, and positive along logarithmic axes.
bool cps_plot_drawable(const CpsPlot* plot, double x, double y);
// Range and ticks of one axis, from the data unless they are given.
void cps_plot_range(const CpsPlot* plot, bool along_x, CpsPlotRange* range);

#endif
