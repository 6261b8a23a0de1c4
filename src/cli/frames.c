#include "cli/frames.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/command.h"

// One end of A:B; `fallback` if it is empty.
static bool read_frame(const char** text, int64_t fallback, int64_t* frame) {
  char* end;
  *frame = fallback;
  if (**text < '0' || **text > '9') return true;
  errno = 0;
  *frame = strtoll(*text, &end, 10);
  *text = end;
  return errno == 0;
}

bool cps_frames_choose(const char* option, const char* text, const char* file, int64_t count, int64_t* first,
                       int64_t* last) {
  if (text) {
    const char* at = text;
    bool good = *at != '\0' && read_frame(&at, 0, first);
    if (good && *at == '\0') {
      *last = *first;
    } else {
      good = good && *at++ == ':' && read_frame(&at, count - 1, last) && *at == '\0';
    }
    if (!good) {
      cps_complain("%s: '%s' is not A, A:B, A: or :B", option, text);
      return false;
    }
  }
  if (*first <= *last && *last < count) return true;
  cps_complain("%s: %lld to %lld is out of range; the frames of %s are 0 to %lld", option, (long long)*first,
               (long long)*last, file, (long long)count - 1);
  return false;
}
