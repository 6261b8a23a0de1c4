// The inside of a live simulation. What is not said to be shared belongs to its thread.
#ifndef CAPSTAN_SERVER_LIVE_INTERNAL_H
#define CAPSTAN_SERVER_LIVE_INTERNAL_H

#include <pthread.h>

#include "capstan/fibre.h"
#include "capstan/solid.h"
#include "server/live.h"

enum { CPS_LIVE_EVENTS = 256, CPS_LIVE_SERIES = 10 };

// A hand: a spring on a body, a fibre, a sheet or a solid, or a held end of a fibre or a held vertex that it moves.
typedef struct CpsHold {
  uint64_t client;
  CpsThingKind on;  // body, fibre, sheet or solid
  CpsBodyId body;
  CpsVec3 point;  // of a body, in the axes of its shape
  CpsFibreId fibre;
  double s;
  CpsSheetId sheet;
  CpsSolidId solid;
  int32_t vertex;
  CpsVec3 target;
  CpsPullId pull;
  int end;            // that it moves: 0 root or vertex, 1 tip; -1: it pulls with a spring
  CpsVec3 speed;      // of what it moves
  int twisted;        // end that it turns, -1: none yet
  double twist_left;  // rad
  CpsVec3 force;      // of the last step
} CpsHold;

// Numbers of the last steps (shared).
typedef struct CpsHistory {
  int32_t first, count;
  double time[CPS_LIVE_HISTORY];
  double value[CPS_LIVE_SERIES][CPS_LIVE_HISTORY];
} CpsHistory;

struct CpsLive {
  char* path;
  CpsScene* scene;
  CpsWorld* world;
  void* start;  // its state at the beginning
  size_t start_size;
  CpsLiveWake wake;
  void* wake_data;
  pthread_t thread;
  bool thread_runs;

  bool running;
  bool changed;  // since the last frame was handed out
  CpsStepInfo info;
  int64_t crossings;
  char sentence[sizeof(CpsError)];
  CpsHold holds[CPS_LIVE_HANDS];
  int32_t hold_count;
  // real time: the world should be at pace_time when the clock is at pace_clock
  double pace_clock, pace_time;
  double window_clock, window_time, pace;  // where the present measurement began; the last one
  double shown_clock, show_cost;           // when the last frame was handed out, and how long that took

  // shared, under the lock
  pthread_mutex_t lock;
  pthread_cond_t news;  // for the thread: an order, a wish for a frame, the end
  bool ended;
  CpsLiveOrder orders[CPS_LIVE_ORDERS];  // a ring
  int32_t first_order, order_count;
  CpsLiveEvent events[CPS_LIVE_EVENTS];  // a ring; the oldest is lost if nobody reads
  int32_t first_event, event_count;
  CpsLiveSettings settings;
  CpsShow* shows[3];  // one being filled, one to be taken, one that was taken
  CpsLiveStatus status[3];
  int back, ready, front;
  bool fresh;   // the one to be taken was not taken yet
  bool wanted;  // somebody asked since
  CpsHistory* history;
};

// live_hands.c
CpsStatus cps_hands_grab(CpsLive* live, const CpsLiveOrder* order, CpsError* error);
CpsStatus cps_hands_drag(CpsLive* live, const CpsLiveOrder* order, CpsError* error);
CpsStatus cps_hands_pin(CpsLive* live, const CpsLiveOrder* order, CpsError* error);
CpsStatus cps_hands_twist(CpsLive* live, const CpsLiveOrder* order, CpsError* error);
void cps_hands_release(CpsLive* live, uint64_t client);
void cps_hands_release_all(CpsLive* live);
void cps_hands_before_step(CpsLive* live);
void cps_hands_after_step(CpsLive* live);
void cps_hands_show(const CpsLive* live, CpsLiveStatus* status);

// live_settings.c: one setting, at once.
CpsStatus cps_live_set(CpsLive* live, const CpsLiveOrder* order, CpsError* error);
CpsLiveSettings cps_live_read_settings(const CpsLive* live);

// live_save.c: beside the scene, under a name that nobody has.
CpsStatus cps_live_save_scene(const CpsLive* live, char* path, size_t size, CpsError* error);
CpsStatus cps_live_save_problem(const CpsLive* live, char* path, size_t size, CpsError* error);

// live_history.c: adds the step that was made; under the lock.
void cps_history_add(CpsHistory* history, const CpsStepInfo* info, const CpsEnergy* energy);

#endif
