// Pictures of a frame of a result: fibres, bodies and simple obstacles in parallel projection, as SVG (or PNG).
#ifndef CAPSTAN_DRAW_PICTURE_H
#define CAPSTAN_DRAW_PICTURE_H

#include "capstan/result.h"

typedef struct CpsPicture {
  const char* title;
  int64_t frame;
  CpsVec3 view;  // the direction it is seen from, not 0; z is up, or y if it is seen from above
} CpsPicture;

// Writes the picture beside `path` and renames it; a path that ends in .png gets a PNG.
CpsStatus cps_picture_write(const CpsPicture* picture, CpsResult* result, const char* path, CpsError* error);

#endif
