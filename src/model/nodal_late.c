// Pins that begin after their sheet or solid was made: the places where they caught their nodes are part of the state.
//
// For each such pin: 1 or 0, whether it has caught its nodes, and their places.
#include "model/nodal.h"

#include <string.h>

size_t cps_nodal_late_size(const CpsNodal* s) {
  size_t numbers = 0;
  for (int32_t j = 0; j < s->hold_count; ++j) {
    if (s->holds[j].late) numbers += 1 + 3 * (size_t)s->holds[j].count;
  }
  return numbers * sizeof(double);
}

char* cps_nodal_late_save(const CpsNodal* s, char* at) {
  for (int32_t j = 0; j < s->hold_count; ++j) {
    const CpsHeldNodes* hold = &s->holds[j];
    if (!hold->late) continue;
    const double caught = hold->caught ? 1.0 : 0.0;
    const size_t part = (size_t)hold->count * sizeof *hold->place;
    memcpy(at, &caught, sizeof caught);
    memcpy(at + sizeof caught, hold->place, part);
    at += sizeof caught + part;
  }
  return at;
}

const char* cps_nodal_late_load(CpsNodal* s, const char* at) {
  for (int32_t j = 0; j < s->hold_count; ++j) {
    CpsHeldNodes* hold = &s->holds[j];
    if (!hold->late) continue;
    double caught;
    const size_t part = (size_t)hold->count * sizeof *hold->place;
    memcpy(&caught, at, sizeof caught);
    memcpy(hold->place, at + sizeof caught, part);
    hold->caught = caught != 0.0;
    at += sizeof caught + part;
  }
  return at;
}
