// Shared by all progress bars: the abilities of the terminal, and the bar itself.
#ifndef CAPSTAN_CLI_BAR_H
#define CAPSTAN_CLI_BAR_H

#include <stdbool.h>
#include <stddef.h>

// Shorter work needs no bar, and a line that changes faster is unreadable.
#define CPS_BAR_FIRST_SECONDS 0.2
#define CPS_BAR_NEXT_SECONDS 0.1

// Whether the user's locale says UTF-8.
bool cps_bar_unicode(void);
// Columns of the terminal on stderr, 80 if it does not say.
int cps_bar_columns(void);
// Display columns of a text: its number of code points, which are all one column wide here.
int cps_bar_width(const char* text);
// Writes a bar of `width` columns, filled to a fraction.
void cps_bar_write(bool unicode, double share, int width, char* text, size_t size);
// "  12 s left", "  3 min left", "  1.5 h left"
void cps_bar_write_left(double seconds, char* text, size_t size);
// Appends to a text, truncated to its room.
void cps_bar_append(char* text, size_t size, const char* part);

// A bar over work items of similar size, shown on a terminal only: "frame 12 of 60 ████░░░ 20 %  9 s left".
typedef struct CpsBar {
  bool shown, drawn, unicode;
  const char* unit;  // "frame"
  double start, next_draw;
} CpsBar;

void cps_bar_begin(CpsBar* bar, const char* unit, bool quiet);
// `done` of `count` pieces are done, with a fraction of the next.
void cps_bar_step(CpsBar* bar, double done, long long count);
// Clears the line.
void cps_bar_end(CpsBar* bar);

#endif
