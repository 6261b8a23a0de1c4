#include "cli/bar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/progress.h"

// Checks the same variables in the same order as setlocale().
bool cps_bar_unicode(void) {
  static const char* const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (int i = 0; i < 3; ++i) {
    const char* value = getenv(variables[i]);
    if (!value || !value[0]) continue;
    return strstr(value, "UTF-8") || strstr(value, "utf-8") || strstr(value, "UTF8") || strstr(value, "utf8");
  }
  return false;
}

int cps_bar_columns(void) {
  struct winsize size;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

int cps_bar_width(const char* text) {
  int columns = 0;
  for (; *text; ++text) columns += ((unsigned char)*text & 0xc0) != 0x80;
  return columns;
}

void cps_bar_append(char* text, size_t size, const char* part) {
  size_t length = strlen(text);
  if (length + 1 < size) snprintf(text + length, size - length, "%s", part);
}

void cps_bar_write(bool unicode, double share, int width, char* text, size_t size) {
  int full = (int)floor(share * width);
  text[0] = '\0';
  for (int i = 0; i < width; ++i) {
    cps_bar_append(text, size, i < full ? (unicode ? "\u2588" : "#") : (unicode ? "\u2591" : "."));
  }
}

void cps_bar_write_left(double seconds, char* text, size_t size) {
  if (seconds < 99.5) {
    snprintf(text, size, "  %.0f s left", ceil(seconds));
  } else if (seconds < 99.5 * 60.0) {
    snprintf(text, size, "  %.0f min left", seconds / 60.0);
  } else {
    snprintf(text, size, "  %.1f h left", seconds / 3600.0);
  }
}

void cps_bar_begin(CpsBar* bar, const char* unit, bool quiet) {
  *bar = (CpsBar){.shown = !quiet && isatty(STDERR_FILENO), .unicode = cps_bar_unicode(), .unit = unit};
  bar->start = cps_wall_clock();
  bar->next_draw = bar->start + CPS_BAR_FIRST_SECONDS;
}

void cps_bar_step(CpsBar* bar, double done, long long count) {
  if (!bar->shown || count < 1) return;
  double wall = cps_wall_clock(), share = fmin(fmax(done / (double)count, 0.0), 1.0);
  if (wall < bar->next_draw) return;
  bar->next_draw = wall + CPS_BAR_NEXT_SECONDS;
  char line[256], drawn[128], left[32] = "";
  if (share > 0.0) cps_bar_write_left((wall - bar->start) * (1.0 - share) / share, left, sizeof left);
  int columns = cps_bar_columns() - 1;
  for (int width = 28; width >= 0; width -= 7) {
    long long number = (long long)fmin(floor(done) + 1.0, (double)count);
    cps_bar_write(bar->unicode, share, width, drawn, sizeof drawn);
    snprintf(line, sizeof line, "%s %lld of %lld %s %.0f %%%s", bar->unit, number, count, drawn,
             floor(100.0 * share + 1e-6), left);
    if (cps_bar_width(line) <= columns) break;
  }
  fprintf(stderr, "\r\033[K%s", line);
  fflush(stderr);
  bar->drawn = true;
}

void cps_bar_end(CpsBar* bar) {
  if (bar->drawn) fputs("\r\033[K", stderr);
  bar->drawn = false;
}
