// Access to a live simulation from other threads: orders, events, frames. No thread waits for more than a few assignments.
#include "server/live_internal.h"

#include <string.h>

enum { KEPT_FOR_RELEASES = 64 };  // places reserved among the waiting orders

bool cps_live_order(CpsLive* live, const CpsLiveOrder* order) {
  if (!live || !order || (int)order->what < 0 || order->what >= CPS_LIVE_WHAT_COUNT) return false;
  pthread_mutex_lock(&live->lock);
  CpsLiveOrder* last = NULL;
  const bool moves = order->what == CPS_LIVE_DRAG || order->what == CPS_LIVE_DRAW || order->what == CPS_LIVE_STIFFNESS;
  // the newest order of this client, if it moves the same object and is still waiting
  for (int32_t i = live->order_count - 1; moves && i >= 0 && !last; --i) {
    CpsLiveOrder* waiting = &live->orders[(live->first_order + i) % CPS_LIVE_ORDERS];
    if (waiting->client != order->client) continue;
    if (waiting->what != order->what || waiting->index != order->index || waiting->vertex != order->vertex) break;
    last = waiting;
  }
  // a client that leaves must be able to release its hand
  int32_t most = order->what == CPS_LIVE_RELEASE ? CPS_LIVE_ORDERS : CPS_LIVE_ORDERS - KEPT_FOR_RELEASES;
  bool room = last || live->order_count < most;
  if (room && !last) last = &live->orders[(live->first_order + live->order_count++) % CPS_LIVE_ORDERS];
  if (room) {
    *last = *order;
    last->text[sizeof last->text - 1] = '\0';
    pthread_cond_signal(&live->news);
  }
  pthread_mutex_unlock(&live->lock);
  return room;
}

bool cps_live_event(CpsLive* live, CpsLiveEvent* event) {
  pthread_mutex_lock(&live->lock);
  bool any = live->event_count > 0;
  if (any) {
    *event = live->events[live->first_event];
    live->first_event = (live->first_event + 1) % CPS_LIVE_EVENTS;
    live->event_count--;
  }
  pthread_mutex_unlock(&live->lock);
  return any;
}

const CpsFrame* cps_live_take(CpsLive* live, CpsLiveStatus* status) {
  pthread_mutex_lock(&live->lock);
  bool any = live->fresh;
  if (any) {
    int taken = live->ready;
    live->ready = live->front;
    live->front = taken;
    live->fresh = false;
  }
  live->wanted = true;
  pthread_cond_signal(&live->news);
  pthread_mutex_unlock(&live->lock);
  if (!any) return NULL;
  if (status) *status = live->status[live->front];
  return cps_show_frame(live->shows[live->front]);
}

const CpsScene* cps_live_scene(const CpsLive* live) {
  return live->shown[live->front]->scene;
}

const CpsThings* cps_live_things(const CpsLive* live) {
  return cps_show_things(live->shows[live->front]);
}

uint64_t cps_live_serial(const CpsLive* live) {
  return live->shown[live->front]->serial;
}

bool cps_live_curve(CpsLive* live, int32_t index, bool again, CpsBuffer* out) {
  pthread_mutex_lock(&live->lock);
  const CpsBuffer* told = index >= 0 && index < CPS_PEN_CURVES ? &live->told[index] : NULL;
  const bool any = told && told->size > 0 && (again || live->news_of[index]);
  if (any) {
    unsigned char* copy = cps_buffer_take(out, told->size);
    if (copy) memcpy(copy, told->bytes, told->size);
    if (!again) live->news_of[index] = false;
  }
  pthread_mutex_unlock(&live->lock);
  return any;
}

int32_t cps_live_curve_count(CpsLive* live) {
  pthread_mutex_lock(&live->lock);
  const int32_t count = live->told_count;
  pthread_mutex_unlock(&live->lock);
  return count;
}

const char* cps_live_path(const CpsLive* live) {
  return live->path;
}

CpsLiveSettings cps_live_settings(CpsLive* live) {
  pthread_mutex_lock(&live->lock);
  CpsLiveSettings settings = live->settings;
  pthread_mutex_unlock(&live->lock);
  return settings;
}
