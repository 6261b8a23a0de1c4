// The thread of a live simulation: orders, steps at the pace of the clock, frames on request.
#include "server/live_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/clock.h"
#include "core/error.h"

static const double BEHIND = 0.1;        // s: beyond this delay, lost time is not caught up
static const double WINDOW = 0.5;        // s of real time over which the pace is measured
static const double SHOW_EVERY = 0.008;  // s between frames that replace one that was not taken
static const double SHOW_PART = 10.0;    // and at least this multiple of the cost of a frame

static void wake(const CpsLive* live) {
  if (live->wake) live->wake(live->wake_data);
}

void cps_live_post(CpsLive* live, const CpsLiveEvent* event) {
  pthread_mutex_lock(&live->lock);
  if (live->event_count == CPS_LIVE_EVENTS) {
    live->first_event = (live->first_event + 1) % CPS_LIVE_EVENTS;
    live->event_count--;
  }
  live->events[(live->first_event + live->event_count++) % CPS_LIVE_EVENTS] = *event;
  if (event->kind == CPS_LIVE_SETTINGS) live->settings = event->settings;
  pthread_mutex_unlock(&live->lock);
  wake(live);
}

static void refuse(CpsLive* live, uint64_t client, const CpsError* why) {
  CpsLiveEvent event = {.kind = CPS_LIVE_ERROR, .client = client};
  snprintf(event.text, sizeof event.text, "%s", why->text);
  cps_live_post(live, &event);
}

// Restarts the pace: clock and world time correspond from here on.
static void set_pace(CpsLive* live) {
  live->pace_clock = live->window_clock = cps_clock_wall();
  live->pace_time = live->window_time = cps_world_time(live->world);
  live->pace = 0.0;
}

static void measure_pace(CpsLive* live) {
  double now = cps_clock_wall(), time = cps_world_time(live->world);
  if (now - live->window_clock < WINDOW) return;
  live->pace = (time - live->window_time) / (now - live->window_clock);
  live->window_clock = now;
  live->window_time = time;
}

// Seconds until the next step is due.
static double time_left(CpsLive* live) {
  double now = cps_clock_wall(), due = live->pace_clock + (cps_world_time(live->world) - live->pace_time);
  if (now > due + BEHIND) {
    live->pace_clock = now;
    live->pace_time = cps_world_time(live->world);
  }
  return due - now;
}

static void make_step(CpsLive* live) {
  CpsError error = {""};
  CpsStepInfo info = {0};
  cps_hands_before_step(live);
  CpsStatus status = cps_world_step(live->world, &info, &error);
  snprintf(live->sentence, sizeof live->sentence, "%s", status == CPS_OK ? "" : error.text);
  live->changed = true;
  if (status < 0) {
    live->running = false;
    live->pace = 0.0;
    return;
  }
  live->info = info;
  live->crossings += info.crossings;
  cps_hands_after_step(live);
  CpsEnergy energy = cps_world_energy(live->world);
  pthread_mutex_lock(&live->lock);
  cps_history_add(live->history, &info, &energy);
  pthread_mutex_unlock(&live->lock);
  measure_pace(live);
}

void cps_live_restart(CpsLive* live) {
  live->info = (CpsStepInfo){0};
  live->crossings = 0;
  live->sentence[0] = '\0';
  live->changed = true;
  pthread_mutex_lock(&live->lock);
  live->history->first = live->history->count = 0;
  pthread_mutex_unlock(&live->lock);
  set_pace(live);
}

CpsStatus cps_live_reset(CpsLive* live, CpsError* error) {
  cps_hands_release_all(live);
  if (live->cut) {
    const CpsStatus built = cps_pen_build(live, error);
    if (built == CPS_OK) cps_live_restart(live);
    return built;
  }
  for (int32_t i = 0; i < cps_world_sheet_count(live->world); ++i) {
    (void)cps_world_restore_pins(live->world, cps_thing_sheet(cps_world_sheet(live->world, i)));
  }
  for (int32_t i = 0; i < cps_world_solid_count(live->world); ++i) {
    (void)cps_world_restore_pins(live->world, cps_thing_solid(cps_world_solid(live->world, i)));
  }
  CpsStatus status = cps_world_load(live->world, live->build->start, live->build->start_size, error);
  if (status == CPS_OK) cps_live_restart(live);
  return status;
}

static CpsStatus save(CpsLive* live, const CpsLiveOrder* order, CpsError* error) {
  CpsLiveEvent event = {
      .kind = CPS_LIVE_SAVED, .client = order->client, .problem = order->what == CPS_LIVE_SAVE_PROBLEM};
  CpsStatus status = event.problem ? cps_live_save_problem(live, event.text, sizeof event.text, error)
                                   : cps_live_save_scene(live, event.text, sizeof event.text, error);
  if (status == CPS_OK) cps_live_post(live, &event);
  return status;
}

static CpsStatus set(CpsLive* live, const CpsLiveOrder* order, CpsError* error) {
  CpsStatus status = cps_live_set(live, order, error);
  if (status != CPS_OK) return status;
  CpsLiveEvent event = {.kind = CPS_LIVE_SETTINGS, .settings = cps_live_read_settings(live)};
  cps_live_post(live, &event);
  if (order->what == CPS_LIVE_SET_GRAVITY) cps_pen_reshape(live);
  return CPS_OK;
}

static void carry_out(CpsLive* live, const CpsLiveOrder* order) {
  CpsError error = {""};
  CpsStatus status = CPS_OK;
  switch (order->what) {
    case CPS_LIVE_RUN:
      if (!live->running) set_pace(live);
      live->running = true;
      break;
    case CPS_LIVE_PAUSE:
    case CPS_LIVE_STEP:
      live->running = false;
      live->pace = 0.0;
      if (order->what == CPS_LIVE_STEP) make_step(live);
      break;
    case CPS_LIVE_RESET:
      status = cps_live_reset(live, &error);
      break;
    case CPS_LIVE_GRAB_BODY:
    case CPS_LIVE_GRAB_FIBRE:
    case CPS_LIVE_GRAB_SHEET:
      status = cps_hands_grab(live, order, &error);
      break;
    case CPS_LIVE_DRAG:
      status = cps_hands_drag(live, order, &error);
      break;
    case CPS_LIVE_PIN:
    case CPS_LIVE_UNPIN:
      status = cps_hands_pin(live, order, &error);
      break;
    case CPS_LIVE_TWIST:
      status = cps_hands_twist(live, order, &error);
      break;
    case CPS_LIVE_RELEASE:
      cps_hands_release(live, order->client);
      break;
    case CPS_LIVE_DRAW:
    case CPS_LIVE_ERASE:
    case CPS_LIVE_STIFFNESS:
    case CPS_LIVE_LET_GO:
    case CPS_LIVE_TAKE_PEN:
    case CPS_LIVE_CUT:
      status = cps_pen_carry_out(live, order, &error);
      break;
    case CPS_LIVE_SAVE_SCENE:
    case CPS_LIVE_SAVE_PROBLEM:
      status = save(live, order, &error);
      break;
    default:
      status = set(live, order, &error);
  }
  live->changed = true;
  if (status != CPS_OK) refuse(live, order->client, &error);
}

static void fill_status(const CpsLive* live, CpsLiveStatus* s) {
  CpsEnergy energy = cps_world_energy(live->world);
  *s = (CpsLiveStatus){.running = live->running,
                       .time = cps_world_time(live->world),
                       .step = cps_world_step_count(live->world),
                       .dt = live->info.index > 0 ? live->info.step : cps_world_settings(live->world).step,
                       .info = live->info,
                       .crossings = live->crossings,
                       .kinetic = energy.kinetic,
                       .potential = energy.potential,
                       .elastic = energy.elastic,
                       .pace = live->pace};
  cps_hands_show(live, s);
  memcpy(s->sentence, live->sentence, sizeof s->sentence);
}

// Fills the back show and exchanges it with the one offered to the reader.
static void hand_out(CpsLive* live) {
  double began = cps_clock_wall();
  CpsError error = {""};
  CpsStatus status = cps_live_renew_show(live, live->back, &error);
  if (status == CPS_OK) status = cps_show_read(live->shows[live->back], 0, &error);
  fill_status(live, &live->status[live->back]);
  live->changed = false;
  if (status != CPS_OK) {
    refuse(live, 0, &error);
    return;
  }
  live->shown_clock = cps_clock_wall();
  live->show_cost = live->shown_clock - began;
  pthread_mutex_lock(&live->lock);
  int filled = live->back;
  live->back = live->ready;
  live->ready = filled;
  live->fresh = true;
  live->wanted = false;
  pthread_mutex_unlock(&live->lock);
  wake(live);
}

static void hand_out_if_asked(CpsLive* live) {
  if (!live->changed) return;
  double every = fmax(SHOW_EVERY, SHOW_PART * live->show_cost);
  pthread_mutex_lock(&live->lock);
  // a frame that waits to be taken is updated now and then
  bool due = live->wanted || (live->fresh && cps_clock_wall() - live->shown_clock > every);
  pthread_mutex_unlock(&live->lock);
  if (due) hand_out(live);
}

// Waits for news, with the lock held, for at most the given seconds (may be infinite).
static void wait_for_news(CpsLive* live, double seconds) {
  if (isinf(seconds)) {
    pthread_cond_wait(&live->news, &live->lock);
    return;
  }
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  double whole = floor(seconds);
  until.tv_sec += (time_t)whole;
  until.tv_nsec += (long)((seconds - whole) * 1e9);
  if (until.tv_nsec >= 1000000000L) {
    until.tv_nsec -= 1000000000L;
    until.tv_sec++;
  }
  pthread_cond_timedwait(&live->news, &live->lock, &until);
}

static bool next_order(CpsLive* live, CpsLiveOrder* order) {
  pthread_mutex_lock(&live->lock);
  bool any = !live->ended && live->order_count > 0;
  if (any) {
    *order = live->orders[live->first_order];
    live->first_order = (live->first_order + 1) % CPS_LIVE_ORDERS;
    live->order_count--;
  }
  pthread_mutex_unlock(&live->lock);
  return any;
}

double cps_live_turn(CpsLive* live) {
  CpsLiveOrder order;
  while (next_order(live, &order)) carry_out(live, &order);
  if (live->running && time_left(live) <= 0.0) make_step(live);
  hand_out_if_asked(live);
  return live->running ? fmax(0.0, time_left(live)) : INFINITY;
}

static void* simulate(void* data) {
  CpsLive* live = data;
  for (bool ended = false; !ended;) {
    double left = cps_live_turn(live);
    pthread_mutex_lock(&live->lock);
    bool asked = live->wanted && live->changed;
    if (!live->ended && live->order_count == 0 && left > 0.0 && !asked) wait_for_news(live, left);
    ended = live->ended;
    pthread_mutex_unlock(&live->lock);
  }
  return NULL;
}

static bool make_sync(CpsLive* live) {
  pthread_condattr_t attributes;
  if (pthread_mutex_init(&live->lock, NULL) != 0) return false;
  bool good = pthread_condattr_init(&attributes) == 0;
  good = good && pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0;
  good = good && pthread_cond_init(&live->news, &attributes) == 0;
  if (good) pthread_condattr_destroy(&attributes);
  return good;
}

// Makes the world and three shows of it.
static CpsStatus make_world(CpsLive* live, const char* const* overrides, int32_t count, int32_t threads,
                            CpsError* error) {
  live->threads = threads;
  CpsStatus status = cps_live_keep_overrides(live, overrides, count, error);
  if (status == CPS_OK) status = cps_live_build(live, NULL, 0, error);
  for (int i = 0; status == CPS_OK && i < 3; ++i) status = cps_live_renew_show(live, i, error);
  return status;
}

CpsStatus cps_live_open(const char* path, const char* const* overrides, int32_t count, int32_t threads,
                        CpsLiveWake wake_up, void* data, CpsLive** out, CpsError* error) {
  if (!path || !out) return cps_fail(error, CPS_BAD_ARGUMENT, "path or live is NULL");
  CpsLive* live = calloc(1, sizeof *live);
  bool sound = live && make_sync(live);
  if (!sound) {
    free(live);
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a live simulation");
  }
  live->wake = wake_up;
  live->wake_data = data;
  live->back = 0, live->ready = 1, live->front = 2;
  live->path = malloc(strlen(path) + 1);
  live->history = calloc(1, sizeof *live->history);
  CpsStatus status = CPS_OK;
  if (live->path) memcpy(live->path, path, strlen(path) + 1);
  if (!live->path || !live->history) status = cps_fail(error, CPS_NO_MEMORY, "not enough memory for a live simulation");
  if (status == CPS_OK) status = make_world(live, overrides, count, threads, error);
  if (status != CPS_OK) {
    cps_live_destroy(live);
    return status;
  }
  live->settings = cps_live_read_settings(live);
  hand_out(live);
  *out = live;
  return cps_succeed(error);
}

CpsStatus cps_live_create(const char* path, const char* const* overrides, int32_t count, int32_t threads,
                          CpsLiveWake wake_up, void* data, CpsLive** out, CpsError* error) {
  CpsLive* live = NULL;
  CpsStatus status = out ? cps_live_open(path, overrides, count, threads, wake_up, data, &live, error)
                         : cps_fail(error, CPS_BAD_ARGUMENT, "live is NULL");
  if (status != CPS_OK) return status;
  live->thread_runs = pthread_create(&live->thread, NULL, simulate, live) == 0;
  if (!live->thread_runs) {
    cps_live_destroy(live);
    return cps_fail(error, CPS_NO_MEMORY, "cannot start the thread of a live simulation");
  }
  *out = live;
  return CPS_OK;
}

void cps_live_destroy(CpsLive* live) {
  if (!live) return;
  pthread_mutex_lock(&live->lock);
  live->ended = true;
  pthread_cond_signal(&live->news);
  pthread_mutex_unlock(&live->lock);
  if (live->thread_runs) pthread_join(live->thread, NULL);
  cps_live_free_builds(live);
  cps_pen_free(live);
  pthread_cond_destroy(&live->news);
  pthread_mutex_destroy(&live->lock);
  free(live->history);
  free(live->path);
  free(live);
}
