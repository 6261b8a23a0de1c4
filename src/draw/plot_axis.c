#include "draw/plot_axis.h"

#include <math.h>

double cps_plot_scaled(const CpsPlotAxis* axis, double value) {
  return axis->log ? log10(value) : value;
}

bool cps_plot_drawable(const CpsPlot* plot, double x, double y) {
  return isfinite(x) && isfinite(y) && (!plot->x.log || x > 0.0) && (!plot->y.log || y > 0.0);
}

// Smallest and largest value of the data along one axis.
static void find_extent(const CpsPlot* plot, bool along_x, CpsPlotRange* range) {
  const CpsPlotAxis* axis = along_x ? &plot->x : &plot->y;
  range->low = INFINITY;
  range->high = -INFINITY;
  for (int s = 0; s < plot->series_count; ++s) {
    for (int k = 0; k < plot->series[s].count; ++k) {
      double x = plot->series[s].x[k], y = plot->series[s].y[k];
      if (!cps_plot_drawable(plot, x, y)) continue;
      double value = cps_plot_scaled(axis, along_x ? x : y);
      range->low = fmin(range->low, value);
      range->high = fmax(range->high, value);
    }
  }
  if (!along_x && isfinite(plot->level) && (!axis->log || plot->level > 0.0)) {
    range->low = fmin(range->low, cps_plot_scaled(axis, plot->level));
    range->high = fmax(range->high, cps_plot_scaled(axis, plot->level));
  }
  if (!(range->low <= range->high)) *range = (CpsPlotRange){.low = 0.0, .high = 1.0};
}

// A step of 1, 2 or 5 times a power of ten that cuts `span` into at most five or so.
static double nice_step(double span) {
  double unit = pow(10.0, floor(log10(span / 5.0)));
  double ratio = span / 5.0 / unit;
  return unit * (ratio <= 1.0 ? 1.0 : ratio <= 2.0 ? 2.0 : ratio <= 5.0 ? 5.0 : 10.0);
}

static void add_tick(CpsPlotRange* range, double at) {
  double slack = 1e-9 * (range->high - range->low);
  if (range->tick_count < CPS_TICK_MAX && at >= range->low - slack && at <= range->high + slack) {
    range->ticks[range->tick_count++] = at;
  }
}

static void choose_log_ticks(CpsPlotRange* range) {
  double first = floor(range->low), last = ceil(range->high);
  if (range->high - range->low < 1.2) {
    // less than about a decade: 1, 2, 5
    static const double digits[] = {1.0, 2.0, 5.0};
    for (int decade = 0; decade <= 3; ++decade) {
      for (int d = 0; d < 3; ++d) add_tick(range, first + decade + log10(digits[d]));
    }
    return;
  }
  range->decades = true;
  double step = ceil((last - first) / 8.0);
  double start = ceil(first / step);
  for (int k = 0; k <= CPS_TICK_MAX; ++k) add_tick(range, (start + k) * step);
}

void cps_plot_range(const CpsPlot* plot, bool along_x, CpsPlotRange* range) {
  const CpsPlotAxis* axis = along_x ? &plot->x : &plot->y;
  find_extent(plot, along_x, range);
  range->tick_count = 0;
  range->decades = false;
  range->exponent = 0;
  if (axis->fixed) {
    range->low = cps_plot_scaled(axis, axis->low);
    range->high = cps_plot_scaled(axis, axis->high);
  } else if (axis->log) {
    if (range->high - range->low < 0.1) {
      range->low -= 0.3;
      range->high += 0.3;
    }
    if (!along_x) {
      range->low = floor(range->low + 1e-9);
      range->high = ceil(range->high - 1e-9);
    }
  } else {
    if (range->low > 0.0) range->low = 0.0;
    if (!(range->high > range->low)) range->high = range->low + 1.0;
  }
  if (!(range->high > range->low)) range->high = range->low + 1.0;
  if (axis->log) {
    choose_log_ticks(range);
    return;
  }
  double step = nice_step(range->high - range->low);
  if (!along_x && !axis->fixed) {  // whole steps, so that no curve lies on the edge of the frame without a number
    range->low = step * floor(range->low / step + 1e-9);
    range->high = step * ceil(range->high / step - 1e-9);
  }
  double start = ceil(range->low / step - 1e-9);
  for (int k = 0; k <= CPS_TICK_MAX; ++k) add_tick(range, (start + k) * step + 0.0);
  // 1.5e-08 is long and hard to read: write 15 and, once, that it is in units of 1e-9
  double largest = fmax(fabs(range->low), fabs(range->high));
  if (!axis->percent && largest > 0.0 && (largest < 1e-2 || largest >= 1e5)) {
    range->exponent = 3 * (int)floor(log10(largest * (1.0 + 1e-9)) / 3.0);
  }
}
