// Side views of worlds as SVG: x to the right, z upwards, the viewer at -y.
#ifndef CAPSTAN_BENCH_SCENES_PICTURE_H
#define CAPSTAN_BENCH_SCENES_PICTURE_H

#include "capstan/scene.h"

#include <stdio.h>

typedef struct Window {
  double left, right, low, high;  // m
} Window;

typedef struct Picture {
  FILE* out;
  Window window;
  double scale;  // px per m
  int columns, panels;
} Picture;

// Begins a picture with `panels` views of the window, `columns` side by side, each `width` px wide.
bool picture_begin(Picture* picture, const char* path, Window window, int panels, int columns, double width);
// Begins the next panel; the caption stands below it.
void picture_panel(Picture* picture, const char* caption);
// Draws the obstacles and bodies of a world, what is further away first.
void picture_world(Picture* picture, const CpsScene* scene, const CpsWorld* world);
// Draws a line through points given as x, z pairs, in colour 0 to 6.
void picture_path(Picture* picture, const double* xz, int count, int colour);
// Ends a panel.
void picture_panel_end(Picture* picture);
// Ends the picture; false: it could not be written.
bool picture_end(Picture* picture);

#endif
