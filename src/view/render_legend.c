// The corner of a picture that says what its colours mean: a bar with numbers, or the statuses of contacts.
#include <stdio.h>

#include "view/colour.h"
#include "view/lettering.h"
#include "view/render_internal.h"

static const char* const titles[CPS_COLOUR_COUNT] = {
    [CPS_COLOUR_SPEED] = "speed m/s",
    [CPS_COLOUR_TENSION] = "tension N",
    [CPS_COLOUR_CURVATURE] = "curvature 1/m",
};

static void bytes_of(CpsFloat3 linear, uint8_t out[3]) {
  out[0] = cps_colour_byte(linear.x);
  out[1] = cps_colour_byte(linear.y);
  out[2] = cps_colour_byte(linear.z);
}

static void draw_scale(const CpsRender* render, CpsCanvas* canvas, double unit, const uint8_t ink[3]) {
  double left = 6.0 * unit, width = 90.0 * unit, height = 5.0 * unit, top = canvas->height - 22.0 * unit;
  cps_letter_write(canvas, left, top - 12.0 * unit, unit, titles[render->options.colour], ink);
  for (int32_t i = 0; i < (int32_t)width; ++i) {
    uint8_t colour[3];
    bytes_of(cps_colour_scale((float)((i + 0.5) / width)), colour);
    cps_letter_box(canvas, left + i, top, 1.0, height, colour, 1.0);
  }
  for (int k = 0; k <= 2; ++k) {
    char text[32];
    double value = render->low + 0.5 * k * (render->high - render->low);
    snprintf(text, sizeof text, "%.3g", value);
    double x = left + 0.5 * k * width, wide = cps_letter_width(text, unit);
    cps_letter_write(canvas, x - 0.5 * k * wide, top + height + 4.0 * unit, unit, text, ink);
  }
}

static void draw_statuses(CpsCanvas* canvas, double unit, const uint8_t ink[3]) {
  static const char* const names[] = {"open", "sticks", "slides"};
  double x = 6.0 * unit, y = canvas->height - 13.0 * unit;
  for (int k = 2; k >= 0; --k) {
    uint8_t colour[3];
    bytes_of(cps_render_status_colour((CpsContactStatus)k), colour);
    cps_letter_box(canvas, x, y, 6.0 * unit, 6.0 * unit, colour, 1.0);
    cps_letter_write(canvas, x + 9.0 * unit, y, unit, names[k], ink);
    x += 18.0 * unit + cps_letter_width(names[k], unit);
  }
}

void cps_render_legend(const CpsRender* render, uint8_t* rgb) {
  CpsCanvas canvas = {render->options.width, render->options.height, rgb};
  double unit = fmax(1.0, render->options.height / 360.0);
  const uint8_t dark[3] = {0x33, 0x38, 0x40}, light[3] = {0xe6, 0xe8, 0xec};
  const uint8_t* ink = render->options.dark ? light : dark;
  if (titles[render->options.colour] && render->high > render->low) {
    draw_scale(render, &canvas, unit, ink);
  } else if (render->options.colour == CPS_COLOUR_STATUS || render->options.contacts) {
    draw_statuses(&canvas, unit, ink);
  }
}
