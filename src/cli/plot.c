#include "cli/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plot_png.h"
#include "io/atomic_file.h"
#include "io/fail.h"

// Geometry in px: the frame inside the picture, the legend to its right.
#define WIDTH 760.0
#define HEIGHT 440.0
#define LEFT 76.0
#define RIGHT 580.0
#define TOP 54.0
#define BOTTOM 376.0
#define TICK_MAX 12
#define LEGEND_STEP 20.0

static const char* const dashes[] = {"", "7 3", "2 3"};
enum { COLOUR_COUNT = 7, DASH_COUNT = sizeof dashes / sizeof dashes[0] };

// Okabe and Ito's colours without the yellow, which does not show on white; told apart by colour-blind readers too. A
// reader with a dark screen gets lighter ones of the same hues; programs that do not know the question draw the first.
static const char style[] =
    "<style>\n"
    ".paper{fill:#fff}.grid{stroke:#e6e6e6}.axis{stroke:#888}.tick{fill:#555}.title{fill:#222}.label{fill:#333}\n"
    ".c0{color:#0072b2}.c1{color:#d55e00}.c2{color:#009e73}.c3{color:#cc79a7}.c4{color:#56b4e9}.c5{color:#e69f00}\n"
    ".c6{color:#333}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".paper{fill:#16181d}.grid{stroke:#33363d}.axis{stroke:#8b8f98}.tick{fill:#a9adb5}.title{fill:#f0f0f0}\n"
    ".label{fill:#d0d3d8}.c0{color:#4ba6e0}.c1{color:#f28a4a}.c2{color:#2fc99a}.c3{color:#e3a1c4}.c4{color:#8fd0f5}\n"
    ".c5{color:#f2bb45}.c6{color:#ddd}}\n"
    "</style>\n";

typedef struct Range {
  double low, high;  // of the axis, as exponents of ten if it is logarithmic
  double ticks[TICK_MAX];
  int tick_count;
  bool decades;  // ticks are whole powers of ten
} Range;

static void put_text(FILE* out, const char* text) {
  for (; *text; ++text) {
    switch (*text) {
      case '&':
        fputs("&amp;", out);
        break;
      case '<':
        fputs("&lt;", out);
        break;
      case '>':
        fputs("&gt;", out);
        break;
      case '"':
        fputs("&quot;", out);
        break;
      default:
        if ((unsigned char)*text >= 0x20) fputc(*text, out);
    }
  }
}

static double scaled(const CpsPlotAxis* axis, double value) {
  return axis->log ? log10(value) : value;
}

static bool drawable(const CpsPlot* plot, double x, double y) {
  return isfinite(x) && isfinite(y) && (!plot->x.log || x > 0.0) && (!plot->y.log || y > 0.0);
}

// Smallest and largest value of the data along one axis.
static void find_extent(const CpsPlot* plot, bool along_x, Range* range) {
  const CpsPlotAxis* axis = along_x ? &plot->x : &plot->y;
  range->low = INFINITY;
  range->high = -INFINITY;
  for (int s = 0; s < plot->series_count; ++s) {
    for (int k = 0; k < plot->series[s].count; ++k) {
      double x = plot->series[s].x[k], y = plot->series[s].y[k];
      if (!drawable(plot, x, y)) continue;
      double value = scaled(axis, along_x ? x : y);
      range->low = fmin(range->low, value);
      range->high = fmax(range->high, value);
    }
  }
  if (!along_x && isfinite(plot->level) && (!axis->log || plot->level > 0.0)) {
    range->low = fmin(range->low, scaled(axis, plot->level));
    range->high = fmax(range->high, scaled(axis, plot->level));
  }
  if (!(range->low <= range->high)) *range = (Range){.low = 0.0, .high = 1.0};
}

// A step of 1, 2 or 5 times a power of ten that cuts `span` into at most five or so.
static double nice_step(double span) {
  double unit = pow(10.0, floor(log10(span / 5.0)));
  double ratio = span / 5.0 / unit;
  return unit * (ratio <= 1.0 ? 1.0 : ratio <= 2.0 ? 2.0 : ratio <= 5.0 ? 5.0 : 10.0);
}

static void add_tick(Range* range, double at) {
  double slack = 1e-9 * (range->high - range->low);
  if (range->tick_count < TICK_MAX && at >= range->low - slack && at <= range->high + slack) {
    range->ticks[range->tick_count++] = at;
  }
}

static void choose_log_ticks(Range* range) {
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
  for (int k = 0; k <= TICK_MAX; ++k) add_tick(range, (start + k) * step);
}

static void choose_range(const CpsPlot* plot, bool along_x, Range* range) {
  const CpsPlotAxis* axis = along_x ? &plot->x : &plot->y;
  find_extent(plot, along_x, range);
  range->tick_count = 0;
  range->decades = false;
  if (axis->fixed) {
    range->low = scaled(axis, axis->low);
    range->high = scaled(axis, axis->high);
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
  for (int k = 0; k <= TICK_MAX; ++k) add_tick(range, (start + k) * step + 0.0);
}

static double place_x(const Range* range, double value) {
  return LEFT + (RIGHT - LEFT) * (value - range->low) / (range->high - range->low);
}
static double place_y(const Range* range, double value) {
  return BOTTOM - (BOTTOM - TOP) * (value - range->low) / (range->high - range->low);
}

// 10 with a raised exponent; 1 and 10 as they are; otherwise the number.
static void put_tick(FILE* out, const CpsPlotAxis* axis, const Range* range, double tick) {
  if (axis->percent) {
    fprintf(out, "%g %%", 100.0 * tick);
  } else if (range->decades && tick != 0.0 && tick != 1.0) {
    fprintf(out, "10<tspan dy=\"-5\" font-size=\"9\">%s%.0f</tspan>", tick < 0.0 ? "\xe2\x88\x92" : "", fabs(tick));
  } else if (axis->log) {
    fprintf(out, "%.4g", pow(10.0, tick));
  } else {
    fprintf(out, "%g", tick);
  }
}

static void draw_frame(FILE* out, const CpsPlot* plot, const Range* x, const Range* y) {
  fputs("<g class=\"grid\" stroke-width=\"1\">\n", out);
  for (int k = 0; k < x->tick_count; ++k) {
    double at = place_x(x, x->ticks[k]);
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", at, TOP, at, BOTTOM);
  }
  for (int k = 0; k < y->tick_count; ++k) {
    double at = place_y(y, y->ticks[k]);
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", LEFT, at, RIGHT, at);
  }
  fprintf(out, "</g>\n<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"axis\"/>\n", LEFT, BOTTOM, RIGHT,
          BOTTOM);
  fputs("<g class=\"tick\" font-size=\"12\" text-anchor=\"middle\">\n", out);
  for (int k = 0; k < x->tick_count; ++k) {
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">", place_x(x, x->ticks[k]), BOTTOM + 19.0);
    put_tick(out, &plot->x, x, x->ticks[k]);
    fputs("</text>\n", out);
  }
  fputs("</g>\n<g class=\"tick\" font-size=\"12\" text-anchor=\"end\">\n", out);
  for (int k = 0; k < y->tick_count; ++k) {
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">", LEFT - 9.0, place_y(y, y->ticks[k]) + 4.0);
    put_tick(out, &plot->y, y, y->ticks[k]);
    fputs("</text>\n", out);
  }
  fputs("</g>\n", out);
}

static void draw_labels(FILE* out, const CpsPlot* plot) {
  fprintf(out, "<text x=\"%.1f\" y=\"28\" font-size=\"15\" font-weight=\"600\" class=\"title\">", LEFT);
  put_text(out, plot->title);
  fprintf(out, "</text>\n<text x=\"%.1f\" y=\"%.1f\" font-size=\"13\" class=\"label\" text-anchor=\"middle\">",
          (LEFT + RIGHT) / 2.0, BOTTOM + 44.0);
  put_text(out, plot->x.label);
  fprintf(out, "</text>\n<text transform=\"translate(22 %.1f) rotate(-90)\" font-size=\"13\" class=\"label\" ",
          (TOP + BOTTOM) / 2.0);
  fputs("text-anchor=\"middle\">", out);
  put_text(out, plot->y.label);
  fputs("</text>\n", out);
}

static void draw_series(FILE* out, const CpsPlot* plot, int s, const Range* x, const Range* y) {
  const CpsPlotSeries* series = &plot->series[s];
  int colour = s % COLOUR_COUNT;
  const char* dash = dashes[s / COLOUR_COUNT % DASH_COUNT];
  double last_x = NAN, last_y = NAN;
  fprintf(out,
          "<path class=\"c%d\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" "
          "stroke-linejoin=\"round\"%s%s%s d=\"",
          colour, *dash ? " stroke-dasharray=\"" : "", dash, *dash ? "\"" : "");
  for (int k = 0; k < series->count; ++k) {
    if (!drawable(plot, series->x[k], series->y[k])) continue;
    double px = place_x(x, scaled(&plot->x, series->x[k])), py = place_y(y, scaled(&plot->y, series->y[k]));
    if (isnan(last_x)) {
      fprintf(out, "M%.1f %.1f", px, py);
    } else if (plot->steps) {
      fprintf(out, "H%.1fV%.1f", px, py);
    } else {
      fprintf(out, "L%.1f %.1f", px, py);
    }
    last_x = px;
    last_y = py;
  }
  fputs("\"/>\n", out);
  if (plot->mark_ends && !isnan(last_x)) {
    fprintf(out, "<circle class=\"c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"currentColor\"/>\n", colour, last_x,
            last_y);
  }
}

static void draw_legend(FILE* out, const CpsPlot* plot) {
  for (int s = 0; s < plot->series_count; ++s) {
    double y = TOP + 8.0 + LEGEND_STEP * s;
    const char* dash = dashes[s / COLOUR_COUNT % DASH_COUNT];
    fprintf(out,
            "<line class=\"c%d\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"currentColor\" "
            "stroke-width=\"2.5\"%s%s%s/>\n",
            s % COLOUR_COUNT, RIGHT + 16.0, y, RIGHT + 38.0, y, *dash ? " stroke-dasharray=\"" : "", dash,
            *dash ? "\"" : "");
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"13\" class=\"label\">", RIGHT + 46.0, y + 4.5);
    put_text(out, plot->series[s].label);
    fputs("</text>\n", out);
  }
}

static void draw(FILE* out, const CpsPlot* plot) {
  Range x, y;
  choose_range(plot, true, &x);
  choose_range(plot, false, &y);
  double height = fmax(HEIGHT, TOP + LEGEND_STEP * (plot->series_count + 1));
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" "
          "font-family=\"Helvetica, Arial, sans-serif\">\n%s<rect width=\"100%%\" height=\"100%%\" class=\"paper\"/>\n",
          WIDTH, height, WIDTH, height, style);
  draw_frame(out, plot, &x, &y);
  draw_labels(out, plot);
  if (isfinite(plot->level)) {
    double at = place_y(&y, scaled(&plot->y, plot->level));
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"axis\" stroke-dasharray=\"4 4\"/>\n",
            LEFT, at, RIGHT, at);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"12\" class=\"tick\">", LEFT + 6.0, at - 5.0);
    put_text(out, plot->level_label);
    fputs("</text>\n", out);
  }
  fprintf(out, "<clipPath id=\"frame\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/></clipPath>\n",
          LEFT - 4.0, TOP - 4.0, RIGHT - LEFT + 8.0, BOTTOM - TOP + 8.0);
  fputs("<g clip-path=\"url(#frame)\">\n", out);
  for (int s = plot->series_count - 1; s >= 0; --s) draw_series(out, plot, s, &x, &y);
  fputs("</g>\n", out);
  draw_legend(out, plot);
  fputs("</svg>\n", out);
}

CpsStatus cps_plot_write(const CpsPlot* plot, const char* path, CpsError* error) {
  char* text = NULL;
  size_t size = 0;
  FILE* out = open_memstream(&text, &size);
  if (out) draw(out, plot);
  if (!out || ferror(out) || fclose(out) != 0) {
    if (out && ferror(out)) fclose(out);
    free(text);
    return cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
  }
  CpsStatus status =
      cps_plot_wants_png(path) ? cps_png_write(path, text, size, error) : cps_file_replace(path, text, size, error);
  free(text);
  return status;
}
