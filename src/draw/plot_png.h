// Plots as PNG, drawn from their SVG by rsvg-convert.
#ifndef CAPSTAN_DRAW_PLOT_PNG_H
#define CAPSTAN_DRAW_PLOT_PNG_H

#include "capstan/base.h"

// Whether the path ends in .png.
bool cps_plot_wants_png(const char* path);
// Draws an SVG text and writes it beside `path`, then renames it.
CpsStatus cps_png_write(const char* path, const char* svg, size_t size, CpsError* error);

#endif
