#include "draw/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/fail.h"
#include "draw/plot_axis.h"
#include "draw/plot_png.h"

// Geometry in px: the frame inside the picture, the legend to its right.
#define WIDTH 760.0
#define HEIGHT 440.0
#define LEFT 76.0
#define RIGHT 580.0
#define TOP 54.0
#define BOTTOM 376.0
#define LEGEND_STEP 20.0
#define DENSE 600  // points from which on a curve is drawn finer, so that spikes stay apart

static const char* const dashes[] = {"", "7 3", "2 3"};
enum { COLOUR_COUNT = 7, DASH_COUNT = sizeof dashes / sizeof dashes[0] };

// Okabe and Ito's colours without the yellow, which does not show on white; distinguishable for colour-blind readers too. A
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

static void put_text(FILE* out, const char* text, size_t length) {
  for (const char* end = text + length; text < end; ++text) {
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

static double place_x(const CpsPlotRange* range, double value) {
  return LEFT + (RIGHT - LEFT) * (value - range->low) / (range->high - range->low);
}
static double place_y(const CpsPlotRange* range, double value) {
  return BOTTOM - (BOTTOM - TOP) * (value - range->low) / (range->high - range->low);
}

// 10 with a raised exponent; 1 and 10 as they are; otherwise the number.
static void put_tick(FILE* out, const CpsPlotAxis* axis, const CpsPlotRange* range, double tick) {
  if (axis->percent) {
    fprintf(out, "%g %%", 100.0 * tick);
  } else if (range->decades && tick != 0.0 && tick != 1.0) {
    fprintf(out, "10<tspan dy=\"-5\" font-size=\"9\">%s%.0f</tspan>", tick < 0.0 ? "\xe2\x88\x92" : "", fabs(tick));
  } else if (axis->log) {
    fprintf(out, "%.4g", pow(10.0, tick));
  } else {
    fprintf(out, "%g", range->exponent ? tick * pow(10.0, -range->exponent) : tick);
  }
}

// The label of an axis; the power of ten its ticks are written in goes to the unit, "gap (10^-9 m)".
static void put_label(FILE* out, const CpsPlotAxis* axis, const CpsPlotRange* range) {
  const char* unit = range->exponent ? strchr(axis->label, '(') : NULL;
  if (range->exponent == 0) {
    put_text(out, axis->label, strlen(axis->label));
    return;
  }
  size_t before = unit ? (size_t)(unit - axis->label) : strlen(axis->label);
  put_text(out, axis->label, before);
  fprintf(out, "%s10<tspan dy=\"-5\" font-size=\"10\">%s%d</tspan>", unit ? "(" : " (",
          range->exponent < 0 ? "\xe2\x88\x92" : "", abs(range->exponent));
  fputs("<tspan dy=\"5\">", out);
  if (unit) fputs("\xc2\xa0", out);  // a plain blank would be dropped there
  put_text(out, unit ? unit + 1 : ")", unit ? strlen(unit + 1) : 1);
  fputs("</tspan>", out);
}

static void draw_frame(FILE* out, const CpsPlot* plot, const CpsPlotRange* x, const CpsPlotRange* y) {
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

static void draw_labels(FILE* out, const CpsPlot* plot, const CpsPlotRange* x, const CpsPlotRange* y) {
  fprintf(out, "<text x=\"%.1f\" y=\"28\" font-size=\"15\" font-weight=\"600\" class=\"title\">", LEFT);
  put_text(out, plot->title, strlen(plot->title));
  fprintf(out, "</text>\n<text x=\"%.1f\" y=\"%.1f\" font-size=\"13\" class=\"label\" text-anchor=\"middle\">",
          (LEFT + RIGHT) / 2.0, BOTTOM + 44.0);
  put_label(out, &plot->x, x);
  fprintf(out, "</text>\n<text transform=\"translate(22 %.1f) rotate(-90)\" font-size=\"13\" class=\"label\" ",
          (TOP + BOTTOM) / 2.0);
  fputs("text-anchor=\"middle\">", out);
  put_label(out, &plot->y, y);
  fputs("</text>\n", out);
}

static void draw_series(FILE* out, const CpsPlot* plot, int s, const CpsPlotRange* x, const CpsPlotRange* y) {
  const CpsPlotSeries* series = &plot->series[s];
  int colour = s % COLOUR_COUNT;
  const char* dash = dashes[s / COLOUR_COUNT % DASH_COUNT];
  double last_x = NAN, last_y = NAN;
  fprintf(out,
          "<path class=\"c%d\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"%g\" "
          "stroke-linejoin=\"round\"%s%s%s d=\"",
          colour, series->count > DENSE ? 1.2 : 2.0, *dash ? " stroke-dasharray=\"" : "", dash, *dash ? "\"" : "");
  for (int k = 0; k < series->count; ++k) {
    if (!cps_plot_drawable(plot, series->x[k], series->y[k])) continue;
    double px = place_x(x, cps_plot_scaled(&plot->x, series->x[k])),
           py = place_y(y, cps_plot_scaled(&plot->y, series->y[k]));
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
    put_text(out, plot->series[s].label, strlen(plot->series[s].label));
    fputs("</text>\n", out);
  }
}

static void draw(FILE* out, const CpsPlot* plot) {
  CpsPlotRange x, y;
  cps_plot_range(plot, true, &x);
  cps_plot_range(plot, false, &y);
  double height = fmax(HEIGHT, TOP + LEGEND_STEP * (plot->series_count + 1));
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" "
          "font-family=\"Helvetica, Arial, sans-serif\">\n%s<rect width=\"100%%\" height=\"100%%\" class=\"paper\"/>\n",
          WIDTH, height, WIDTH, height, style);
  draw_frame(out, plot, &x, &y);
  draw_labels(out, plot, &x, &y);
  if (isfinite(plot->level)) {
    double at = place_y(&y, cps_plot_scaled(&plot->y, plot->level));
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"axis\" stroke-dasharray=\"4 4\"/>\n",
            LEFT, at, RIGHT, at);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"12\" class=\"tick\">", LEFT + 6.0, at - 5.0);
    put_text(out, plot->level_label, strlen(plot->level_label));
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
