// Draws small letters with round strokes into a picture of bytes, for a legend.
#ifndef CAPSTAN_RENDER_LETTERING_H
#define CAPSTAN_RENDER_LETTERING_H

#include <stdbool.h>
#include <stdint.h>

typedef struct CpsCanvas {
  int32_t width, height;
  uint8_t* rgb;
} CpsCanvas;

// Width of a text, px. Most letters are 4 units wide and 6 high, with an advance of 6 units.
double cps_letter_width(const char* text, double unit);
// Writes a text with its upper left corner at x, y (px); `unit` is the size of the letter grid, px. Characters without strokes
// leave a gap.
void cps_letter_write(CpsCanvas* canvas, double x, double y, double unit, const char* text, const uint8_t colour[3]);
// A filled rectangle, blended with the background.
void cps_letter_box(CpsCanvas* canvas, double x, double y, double width, double height, const uint8_t colour[3],
                    double opacity);

#endif
