// Each letter is a list of strokes on a grid, each stroke a list of points "xy" with y downwards; 6 is the base line. A pixel
// at distance d from a stroke of half width w is covered by min(1, max(0, w + 1/2 - d)).
#include "render/lettering.h"

#include <math.h>
#include <string.h>

static const struct Letter {
  char name;
  const char* strokes;
} letters[] = {
    {'0', "10 30 41 45 36 16 05 01 10"},
    {'1', "11 20 26, 16 36"},
    {'2', "01 10 30 41 42 06 46"},
    {'3', "01 10 30 41 42 33 13, 33 44 45 36 16 05"},
    {'4', "36 30 04 44"},
    {'5', "40 00 03 12 32 43 45 36 16 05"},
    {'6', "30 20 02 05 16 36 45 44 33 13 04"},
    {'7', "00 40 16"},
    {'8', "13 02 01 10 30 41 42 33 13 04 05 16 36 45 44 33"},
    {'9', "42 33 13 02 01 10 30 41 44 26 16"},
    {'.', "06 06"},
    {'-', "13 33"},
    {'+', "03 43, 21 25"},
    {'/', "07 40"},
    {'N', "06 00 46 40"},
    {'P', "06 00 30 41 42 33 03"},
    {'a', "12 32 43 46, 44 14 05 16 36 45"},
    {'b', "00 06, 03 12 32 43 45 36 16 05"},
    {'c', "43 32 12 03 05 16 36 45"},
    {'d', "40 46, 43 32 12 03 05 16 36 45"},
    {'e', "04 44 43 32 12 03 05 16 36 45"},
    {'f', "40 30 21 26, 12 32"},
    {'g', "42 47 38 18, 43 32 12 03 05 16 36 45"},
    {'h', "00 06, 03 12 32 43 46"},
    {'i', "02 06, 00 00"},
    {'k', "00 06, 42 04, 13 46"},
    {'l', "00 05 16"},
    {'m', "02 06, 03 12 23 26, 23 32 43 46"},
    {'n', "02 06, 03 12 32 43 46"},
    {'o', "12 32 43 45 36 16 05 03 12"},
    {'p', "02 08, 03 12 32 43 45 36 16 05"},
    {'r', "02 06, 03 12 32"},
    {'s', "43 32 12 03 14 34 45 36 16 05"},
    {'t', "10 15 26 36, 02 32"},
    {'u', "02 05 16 36 45, 42 46"},
    {'v', "02 26 42"},
    {'w', "02 16 23 36 42"},
    {'x', "02 46, 42 06"},
    {'y', "02 26, 42 08"},
    {'z', "02 42 06 46"},
};
enum { LETTER_COUNT = sizeof letters / sizeof letters[0] };

static void blend(uint8_t* pixel, const uint8_t colour[3], double share) {
  for (int k = 0; k < 3; ++k) pixel[k] = (uint8_t)lround(pixel[k] + share * (colour[k] - pixel[k]));
}

static double distance(double px, double py, const double a[2], const double b[2]) {
  double dx = b[0] - a[0], dy = b[1] - a[1], length2 = dx * dx + dy * dy;
  double t = length2 > 0.0 ? ((px - a[0]) * dx + (py - a[1]) * dy) / length2 : 0.0;
  t = fmin(fmax(t, 0.0), 1.0);
  return hypot(px - a[0] - t * dx, py - a[1] - t * dy);
}

// Distance from the centre of a pixel to the strokes of a letter with its corner at x, y.
static double letter_distance(const char* strokes, double x, double y, double unit, double px, double py) {
  double nearest = INFINITY, before[2] = {0.0, 0.0};
  bool open = false;  // the stroke has a previous point
  for (const char* at = strokes; *at; ++at) {
    if (*at == ',') open = false;
    if (*at == ',' || *at == ' ') continue;
    double here[2] = {x + unit * (at[0] - '0'), y + unit * (at[1] - '0')};
    if (open) nearest = fmin(nearest, distance(px, py, before, here));
    memcpy(before, here, sizeof before);
    open = true;
    ++at;
  }
  return nearest;
}

static const char* find_letter(char name) {
  for (int i = 0; i < LETTER_COUNT; ++i) {
    if (letters[i].name == name) return letters[i].strokes;
  }
  return "";
}

// Distance from a letter to the next, in units.
static double advance(char name) {
  return name == '.' || name == 'i' ? 2.0 : name == 'l' ? 3.0 : 6.0;
}

double cps_letter_width(const char* text, double unit) {
  double width = text[0] ? -2.0 * unit : 0.0;
  for (; *text; ++text) width += unit * advance(*text);
  return width;
}

static void write_letter(CpsCanvas* canvas, double x, double y, double unit, const char* strokes,
                         const uint8_t colour[3]) {
  double width = fmax(0.5, 0.42 * unit), around = width + 1.0;
  int32_t left = (int32_t)fmax(0.0, floor(x - around)), top = (int32_t)fmax(0.0, floor(y - around));
  int32_t right = (int32_t)fmin(canvas->width, ceil(x + 4.0 * unit + around));
  int32_t bottom = (int32_t)fmin(canvas->height, ceil(y + 8.0 * unit + around));
  for (int32_t j = top; j < bottom; ++j) {
    for (int32_t i = left; i < right; ++i) {
      double d = letter_distance(strokes, x, y, unit, i + 0.5, j + 0.5);
      double cover = fmin(1.0, fmax(0.0, width + 0.5 - d));
      if (cover > 0.0) blend(canvas->rgb + 3 * ((size_t)j * (size_t)canvas->width + (size_t)i), colour, cover);
    }
  }
}

void cps_letter_write(CpsCanvas* canvas, double x, double y, double unit, const char* text, const uint8_t colour[3]) {
  for (; *text; ++text) {
    write_letter(canvas, x, y, unit, find_letter(*text), colour);
    x += unit * advance(*text);
  }
}

void cps_letter_box(CpsCanvas* canvas, double x, double y, double width, double height, const uint8_t colour[3],
                    double opacity) {
  int32_t left = (int32_t)fmax(0.0, round(x)), top = (int32_t)fmax(0.0, round(y));
  int32_t right = (int32_t)fmin(canvas->width, round(x + width));
  int32_t bottom = (int32_t)fmin(canvas->height, round(y + height));
  for (int32_t j = top; j < bottom; ++j) {
    for (int32_t i = left; i < right; ++i) {
      blend(canvas->rgb + 3 * ((size_t)j * (size_t)canvas->width + (size_t)i), colour, opacity);
    }
  }
}
