// The legend in the corner of a picture: a bar with numbers, or the statuses of contacts.
#include <math.h>
#include <stdio.h>

#include "render/colour.h"
#include "render/internal.h"
#include "render/lettering.h"

static const struct {
  const char *what, *unit;
} titles[CPS_COLOUR_COUNT] = {
    [CPS_COLOUR_SPEED] = {"speed", "m/s"},         [CPS_COLOUR_TENSION] = {"tension", "N"},
    [CPS_COLOUR_CURVATURE] = {"curvature", "1/m"}, [CPS_COLOUR_STRETCH] = {"stretch", ""},
    [CPS_COLOUR_PRESSURE] = {"pressure", "Pa"},    [CPS_COLOUR_STRESS] = {"stress", "Pa"},
};

int cps_legend_power(double low, double high) {
  double most = fmax(fabs(low), fabs(high));
  if (!(most > 0.0) || !isfinite(most) || (most >= 0.1 && most < 1000.0)) return 0;
  return 3 * (int)floor(log10(most) / 3.0);
}

static void bytes_of(CpsFloat3 linear, uint8_t out[3]) {
  out[0] = cps_colour_byte(linear.x);
  out[1] = cps_colour_byte(linear.y);
  out[2] = cps_colour_byte(linear.z);
}

static void draw_scale(const CpsRender* render, CpsCanvas* canvas, double unit, const uint8_t ink[3]) {
  double left = 6.0 * unit, width = 90.0 * unit, height = 5.0 * unit, top = canvas->height - 22.0 * unit;
  int power = cps_legend_power(render->low, render->high);
  char text[64], factor[16] = "";
  if (power != 0) snprintf(factor, sizeof factor, "1e%d ", power);
  CpsColour colour_of = render->options.colour;
  snprintf(text, sizeof text, "%s %s%s", titles[colour_of].what, factor, titles[colour_of].unit);
  cps_letter_write(canvas, left, top - 12.0 * unit, unit, text, ink);
  for (int32_t i = 0; i < (int32_t)width; ++i) {
    uint8_t colour[3];
    bytes_of(cps_colour_scale((float)((i + 0.5) / width)), colour);
    cps_letter_box(canvas, left + i, top, 1.0, height, colour, 1.0);
  }
  double end = 0.0;  // right end of the previous number
  for (int k = 0; k <= 2; ++k) {
    double value = render->low + 0.5 * k * (render->high - render->low);
    snprintf(text, sizeof text, "%.3g", value / pow(10.0, power));
    double wide = cps_letter_width(text, unit), x = left + 0.5 * k * (width - wide);
    bool fits = k == 0 || x > end + 3.0 * unit;
    if (fits) cps_letter_write(canvas, x, top + height + 4.0 * unit, unit, text, ink);
    end = fits ? x + wide : end;
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
  if (titles[render->options.colour].what && render->high > render->low) {
    draw_scale(render, &canvas, unit, ink);
  } else if (render->options.colour == CPS_COLOUR_STATUS || render->options.contacts) {
    draw_statuses(&canvas, unit, ink);
  }
}
