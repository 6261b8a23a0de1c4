#include "cli/vector.h"

#include <math.h>
#include <stdlib.h>

bool cps_read_vector(const char* text, CpsVec3* vector) {
  double values[3];
  for (int i = 0; i < 3; ++i) {
    char* end;
    values[i] = strtod(text, &end);
    if (end == text || *end != (i < 2 ? ',' : '\0') || !isfinite(values[i])) return false;
    text = end + 1;
  }
  *vector = (CpsVec3){values[0], values[1], values[2]};
  return true;
}

bool cps_read_direction(const char* text, CpsVec3* direction) {
  bool minus = text[0] == '-' && text[1] >= 'x' && text[1] <= 'z' && !text[2];
  if (minus || (text[0] >= 'x' && text[0] <= 'z' && !text[1])) {
    char axis = text[minus ? 1 : 0];
    double one = minus ? -1.0 : 1.0;
    *direction = (CpsVec3){axis == 'x' ? one : 0.0, axis == 'y' ? one : 0.0, axis == 'z' ? one : 0.0};
    return true;
  }
  if (!cps_read_vector(text, direction)) return false;
  return direction->x != 0.0 || direction->y != 0.0 || direction->z != 0.0;
}
