// The last steps of a live simulation as series, for charts.
#include <string.h>

#include "server/live_internal.h"

static const char* const NAMES[CPS_LIVE_SERIES + 1] = {
    "contacts", "stick", "slide", "residual", "iterations", "nu", "kinetic", "potential", "elastic", "dt", NULL};

const char* const* cps_live_series_names(void) {
  return NAMES;
}

void cps_history_add(CpsHistory* h, const CpsStepInfo* info, const CpsEnergy* energy) {
  const double values[CPS_LIVE_SERIES] = {info->contacts,           info->stick, info->slide,     info->residual,
                                          (double)info->iterations, info->nu,    energy->kinetic, energy->potential,
                                          energy->elastic,          info->step};
  int32_t at = (h->first + h->count) % CPS_LIVE_HISTORY;
  h->time[at] = info->time;
  for (int k = 0; k < CPS_LIVE_SERIES; ++k) h->value[k][at] = values[k];
  if (h->count < CPS_LIVE_HISTORY) {
    h->count++;
  } else {
    h->first = (h->first + 1) % CPS_LIVE_HISTORY;
  }
}

int32_t cps_live_series(CpsLive* live, const char* name, double* times, double* values) {
  int k = 0;
  while (NAMES[k] && strcmp(NAMES[k], name) != 0) ++k;
  if (!NAMES[k]) return -1;
  pthread_mutex_lock(&live->lock);
  const CpsHistory* h = live->history;
  int32_t count = h->count;
  for (int32_t i = 0; i < count; ++i) {
    int32_t at = (h->first + i) % CPS_LIVE_HISTORY;
    times[i] = h->time[at];
    values[i] = h->value[k][at];
  }
  pthread_mutex_unlock(&live->lock);
  return count;
}
