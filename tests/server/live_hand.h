// A scripted person in front of a live simulation: orders, and looking until something is so.
#ifndef CAPSTAN_TESTS_SERVER_LIVE_HAND_H
#define CAPSTAN_TESTS_SERVER_LIVE_HAND_H

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/clock.h"
#include "server/live.h"
#include "test_helpers.h"

static inline CpsLive* open_live(const char* path, const char* const* sets, int32_t count) {
  CpsLive* live = NULL;
  CpsError error = {"untouched"};
  if (cps_live_create(path, sets, count, 0, NULL, NULL, &live, &error) != CPS_OK) fail_msg("%s", error.text);
  assert_string_equal(error.text, "");
  return live;
}

static inline void pause_for(double seconds) {
  struct timespec t = {0, (long)(1e9 * seconds)};
  nanosleep(&t, NULL);
}

static inline void give(CpsLive* live, CpsLiveOrder order) {
  while (!cps_live_order(live, &order)) pause_for(1e-3);
}

// Looks until a status fits; the frame of that instant.
typedef bool (*Fits)(const CpsLiveStatus* status, double value);
static inline const CpsFrame* look_until(CpsLive* live, Fits fits, double value, CpsLiveStatus* status) {
  double began = cps_clock_wall();
  while (cps_clock_wall() - began < 60.0) {
    const CpsFrame* frame = cps_live_take(live, status);
    if (frame && fits(status, value)) return frame;
    if (!frame) pause_for(5e-4);
  }
  fail_msg("nothing came for a minute");
  return NULL;
}

static inline bool has_made(const CpsLiveStatus* status, double steps) {
  return status->step >= (int64_t)steps;
}

static inline bool has_hands(const CpsLiveStatus* status, double count) {
  return status->hand_count == (int32_t)count;
}

// So many single steps, as fast as they go; the frame after the last.
static inline const CpsFrame* make_steps(CpsLive* live, int64_t from, int count, CpsLiveStatus* status) {
  for (int i = 0; i < count; ++i) give(live, (CpsLiveOrder){.what = CPS_LIVE_STEP});
  return look_until(live, has_made, (double)(from + count), status);
}

// The next event of a kind; others before it are passed over.
static inline CpsLiveEvent wait_for_event(CpsLive* live, CpsLiveEventKind kind) {
  double began = cps_clock_wall();
  CpsLiveEvent event;
  while (cps_clock_wall() - began < 60.0) {
    if (!cps_live_event(live, &event)) {
      pause_for(5e-4);
    } else if (event.kind == kind) {
      return event;
    }
  }
  fail_msg("no event came for a minute");
  return event;
}

// Back to the start; no frame of before comes any longer.
static inline void reset(CpsLive* live, double mu) {
  give(live, (CpsLiveOrder){.what = CPS_LIVE_PAUSE});
  give(live, (CpsLiveOrder){.what = CPS_LIVE_RESET});
  give(live, (CpsLiveOrder){.what = CPS_LIVE_SET_MU, .value = mu});
  CpsLiveSettings settings = wait_for_event(live, CPS_LIVE_SETTINGS).settings;
  assert_true(settings.mu == mu || isnan(mu));
  CpsLiveStatus before;
  (void)cps_live_take(live, &before);
}

static inline void expect_error(CpsLive* live, CpsLiveOrder order, const char* sentence) {
  give(live, order);
  CpsLiveEvent event = wait_for_event(live, CPS_LIVE_ERROR);
  assert_int_equal(event.client, order.client);
  assert_string_equal(event.text, sentence);
}

static inline double distance(CpsVec3 a, CpsVec3 b) {
  return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

#endif
