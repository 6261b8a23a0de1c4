// Internals of a live simulation. Fields belong to its thread unless marked as shared.
#ifndef CAPSTAN_SERVER_LIVE_INTERNAL_H
#define CAPSTAN_SERVER_LIVE_INTERNAL_H

#include <pthread.h>

#include "capstan/fibre.h"
#include "capstan/grains.h"
#include "capstan/solid.h"
#include "server/live.h"
#include "server/pen.h"

enum { CPS_LIVE_EVENTS = 256, CPS_LIVE_SERIES = 10 };

// A hand: a spring on a body, a fibre, a sheet or a solid, or a clamped end or pinned vertex that follows the hand.
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

// A scene, its world, and the initial state of the world.
typedef struct CpsLiveBuild {
  uint64_t serial;  // from 1
  CpsScene* scene;
  CpsWorld* world;
  void* start;
  size_t start_size;
} CpsLiveBuild;

// A curve drawn with the pen.
typedef struct CpsDrawn {
  int32_t count, room;
  CpsVec3* points;
  double young;  // as the user chose it; NaN: not chosen
  bool shaped;   // a rod at rest in this shape exists
  CpsPenShape shape;
  double milliseconds;  // that it took to find
  char sentence[sizeof(CpsError)];
} CpsDrawn;

typedef struct CpsPen {
  bool free;  // the drawn curves are fibres of the world and move
  int32_t count;
  CpsDrawn curves[CPS_PEN_CURVES];
} CpsPen;

// Numbers of the last steps (shared).
typedef struct CpsHistory {
  int32_t first, count;
  double time[CPS_LIVE_HISTORY];
  double value[CPS_LIVE_SERIES][CPS_LIVE_HISTORY];
} CpsHistory;

struct CpsLive {
  char* path;
  char** overrides;
  int32_t override_count, threads;
  CpsLiveBuild* build;
  CpsScene* scene;  // of the build
  CpsWorld* world;  // the same
  bool cut;         // fibres were: the start does not fit the world any longer
  CpsPen pen;
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
  CpsLiveEvent events[CPS_LIVE_EVENTS];  // a ring; the oldest is lost if it is not read in time
  int32_t first_event, event_count;
  CpsLiveSettings settings;
  CpsShow* shows[3];               // one being filled, one to be taken, one that was taken
  CpsLiveBuild* shown[3];          // the frame that each shows
  CpsBuffer told[CPS_PEN_CURVES];  // message to the pages about each curve
  bool news_of[CPS_PEN_CURVES];    // and are still to be
  int32_t told_count;
  CpsLiveStatus status[3];
  int back, ready, front;
  bool fresh;   // the one to be taken was not taken yet
  bool wanted;  // requested since
  CpsHistory* history;
};

// live.c
void cps_live_post(CpsLive* live, const CpsLiveEvent* event);
CpsStatus cps_live_reset(CpsLive* live, CpsError* error);
// Resets the counters and clocks of a rebuilt world.
void cps_live_restart(CpsLive* live);

// live_build.c
CpsStatus cps_live_keep_overrides(CpsLive* live, const char* const* overrides, int32_t count, CpsError* error);
// Replaces the scene by one with additional overrides; keeps the old scene if that fails.
CpsStatus cps_live_build(CpsLive* live, const char* const* more, int32_t count, CpsError* error);
// Connects an unused show to the current world.
CpsStatus cps_live_renew_show(CpsLive* live, int which, CpsError* error);
void cps_live_free_builds(CpsLive* live);

// live_pen.c
CpsStatus cps_pen_carry_out(CpsLive* live, const CpsLiveOrder* order, CpsError* error);
// The world before fibres were cut.
CpsStatus cps_pen_build(CpsLive* live, CpsError* error);
// Recomputes all shapes after gravity has changed.
void cps_pen_reshape(CpsLive* live);
void cps_pen_free(CpsLive* live);

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

// live_settings.c: applies one setting at once.
CpsStatus cps_live_set(CpsLive* live, const CpsLiveOrder* order, CpsError* error);
CpsLiveSettings cps_live_read_settings(const CpsLive* live);

// live_save.c: next to the scene, under an unused name.
CpsStatus cps_live_save_scene(const CpsLive* live, char* path, size_t size, CpsError* error);
CpsStatus cps_live_save_problem(const CpsLive* live, char* path, size_t size, CpsError* error);

// live_history.c: records the step just made; under the lock.
void cps_history_add(CpsHistory* history, const CpsStepInfo* info, const CpsEnergy* energy);

#endif
