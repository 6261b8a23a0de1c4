// A scene simulated on its own thread, while others watch it and pull at it. It is independent of sockets: live_source.c connects it
// to the server.
//
//     CpsLive* live = NULL;
//     cps_live_create("scenes/knot.yaml", NULL, 0, 0, wake, data, &live, &error);
//     cps_live_order(live, &(CpsLiveOrder){.what = CPS_LIVE_RUN});
//     …  when woken, on the one thread that looks:
//     for (CpsLiveEvent event; cps_live_event(live, &event);) tell(&event);
//     const CpsFrame* frame = cps_live_take(live, &status);  // NULL: nothing new
//     cps_live_destroy(live);
//
// Any thread may give orders. Orders never wait for a step: they are carried out between two steps, in the order of arrival.
// Failures, saved files and new settings come back as events. The simulation hands out its newest state by exchanging three shows:
// no thread waits longer than for that exchange, frames not taken cost nothing, and a slow viewer slows nothing down.
#ifndef CAPSTAN_SERVER_LIVE_H
#define CAPSTAN_SERVER_LIVE_H

#include "capstan/frame.h"
#include "server/buffer.h"

typedef struct CpsLive CpsLive;

enum {
  CPS_LIVE_ORDERS = 1024,  // most orders that wait
  CPS_LIVE_HANDS = 16,     // most hands at once
  CPS_LIVE_HISTORY = 4096  // steps that series go back
};

// Kinds of orders, with the fields that each reads besides `client`.
typedef enum CpsLiveWhat {
  CPS_LIVE_RUN,    // continue, no faster than real time
  CPS_LIVE_PAUSE,  // stand
  CPS_LIVE_STEP,   // stand, after one step
  CPS_LIVE_RESET,  // back to the start; settings stay, hands release their objects, pins are the scene's, a running simulation keeps running
  CPS_LIVE_SET_GRAVITY,    // vector, m/s^2, each at most 1e4
  CPS_LIVE_SET_MU,         // value in [0, 100]: of every contact; NaN: as the scene says
  CPS_LIVE_SET_STEP,       // value in [1e-7, 0.1] s
  CPS_LIVE_SET_TOLERANCE,  // value in [1e-14, 0.1]
  CPS_LIVE_SET_METHOD,     // text: a name
  CPS_LIVE_SET_GRAIN_MU,   // value in [0, 100]: friction inside grains; NaN: as the scene says
  CPS_LIVE_GRAB_BODY,      // index, vector: point in the axes of its shape, target
  CPS_LIVE_GRAB_FIBRE,     // index, value: arc length, target
  CPS_LIVE_GRAB_SHEET,     // index, vertex, target
  CPS_LIVE_DRAG,           // target
  CPS_LIVE_TWIST,          // value: angle, rad, at most 1000
  CPS_LIVE_RELEASE,        // nothing; without a hand it has no effect
  CPS_LIVE_PIN,    // index of a sheet, vertex: held in place; a vertex in a hand: held where the hand releases it
  CPS_LIVE_UNPIN,  // the same: released, also if the scene pinned it
  CPS_LIVE_DRAW,   // index of a curve, vertex: number of its point, target; a number that is not there yet is the next
  CPS_LIVE_ERASE,  // index of a curve: those behind it move up
  CPS_LIVE_STIFFNESS,     // index of a curve, value: Young's modulus, Pa
  CPS_LIVE_LET_GO,        // nothing: curves become fibres, the scene begins again with them and runs
  CPS_LIVE_TAKE_PEN,      // nothing: the scene restarts without them, paused, and the curves can be edited
  CPS_LIVE_CUT,           // index of a fibre, value: arc length; a reset makes it whole again
  CPS_LIVE_SAVE_SCENE,    // nothing
  CPS_LIVE_SAVE_PROBLEM,  // nothing
  CPS_LIVE_WHAT_COUNT
} CpsLiveWhat;

typedef struct CpsLiveOrder {
  CpsLiveWhat what;
  uint64_t client;  // the client: each has one hand
  int64_t index;    // number of the body, fibre or sheet, as frames have it
  int64_t vertex;   // of a sheet
  double value;
  CpsVec3 vector, target;
  char text[64];
} CpsLiveOrder;

// Values of the sliders in the viewer.
typedef struct CpsLiveSettings {
  CpsVec3 gravity;
  double mu;        // of every contact; NaN: as the scene says
  double grain_mu;  // inside grains; NaN: as the scene says
  double step, tolerance;
  const char* method;  // static
} CpsLiveSettings;

// Results of orders, in the order of the orders.
typedef enum CpsLiveEventKind {
  CPS_LIVE_ERROR,     // to `client` (0: to all): text is a message; nothing was changed
  CPS_LIVE_SAVED,     // to `client`: text is the path
  CPS_LIVE_SETTINGS,  // to all: settings
  CPS_LIVE_CURVE,     // to all: there is news of the curve `index`, see cps_live_curve()
} CpsLiveEventKind;

typedef struct CpsLiveEvent {
  CpsLiveEventKind kind;
  uint64_t client;
  bool problem;   // saved: the problem, not the scene
  int32_t index;  // of a curve
  CpsLiveSettings settings;
  char text[1024];
} CpsLiveEvent;

// A hand that holds an object.
typedef struct CpsLiveHand {
  uint64_t client;
  CpsVec3 point;   // where it holds, now
  CpsVec3 target;  // where it pulls to
  CpsVec3 force;   // on the thing, N, over the last step; 0 where a held end is moved: there is no spring
} CpsLiveHand;

// The status of the simulation at the time of the frame.
typedef struct CpsLiveStatus {
  bool running;
  double time;        // s
  int64_t step;       // steps since the start
  double dt;          // length of the last step, s; before the first the setting
  CpsStepInfo info;   // of the last step; zeroed before the first
  int64_t crossings;  // contacts of fibres that passed through each other since the start: then no knot can be trusted
  double kinetic, potential, elastic;
  double pace;  // simulated over real time during about the last half second; 0 while paused
  int32_t hand_count;
  CpsLiveHand hands[CPS_LIVE_HANDS];
  char sentence[sizeof(CpsError)];  // the world's message if the last step was not solved, "" otherwise
} CpsLiveStatus;

// Called from the simulation's thread when an event or a frame is available; must neither call back nor block.
typedef void (*CpsLiveWake)(void* data);

// Reads a scene, builds its world and starts the thread, paused. The first frame is available at once.
// @param overrides  as cps_scene_load()
// @param threads    of the world; 0: as in the scene
// @param wake       may be NULL
CpsStatus cps_live_create(const char* path, const char* const* overrides, int32_t count, int32_t threads,
                          CpsLiveWake wake, void* data, CpsLive** live, CpsError* error);
// The same without a thread: all work is done in cps_live_turn(), and all calls come from one thread.
CpsStatus cps_live_open(const char* path, const char* const* overrides, int32_t count, int32_t threads,
                        CpsLiveWake wake, void* data, CpsLive** live, CpsError* error);
// Carries out waiting orders, makes a step if one is due, and hands out a frame if one is requested.
// @return seconds until the next step is due, 0: now; infinite: the simulation is paused
double cps_live_turn(CpsLive* live);
// Ends the current step and the thread, and frees everything. NULL is allowed.
void cps_live_destroy(CpsLive* live);

// Gives an order (any thread). A drag replaces a waiting drag of the same client; some places in the queue are reserved for
// releases.
// @return false: too many orders are waiting, or the order does not exist
bool cps_live_order(CpsLive* live, const CpsLiveOrder* order);

// The next event; false: none. One thread at a time.
bool cps_live_event(CpsLive* live, CpsLiveEvent* event);
// The newest frame not taken yet. NULL if there is none; then `wake` is called as soon as one is available. Valid until the next
// call. One thread at a time.
// @param status  out: the status at the time of the frame; untouched if there is none
const CpsFrame* cps_live_take(CpsLive* live, CpsLiveStatus* status);

// The scene of the last frame taken, its things, and its serial number, which grows when a pen or scissors rebuild the scene. For
// the thread that takes frames; valid until the next frame is taken.
const CpsScene* cps_live_scene(const CpsLive* live);
const CpsThings* cps_live_things(const CpsLive* live);
uint64_t cps_live_serial(const CpsLive* live);
// Constant (any thread): the path as given.
const char* cps_live_path(const CpsLive* live);
// The message to the pages about a curve, JSON (any thread). `again`: even if it was read before.
// @return false: nothing new, or the curve never existed
bool cps_live_curve(CpsLive* live, int32_t index, bool again, CpsBuffer* out);
// Number of curves (any thread).
int32_t cps_live_curve_count(CpsLive* live);
// The current settings (any thread).
CpsLiveSettings cps_live_settings(CpsLive* live);

// Names of the series, NULL-terminated: contacts, stick, slide, residual, iterations, nu, kinetic, potential, elastic, dt.
const char* const* cps_live_series_names(void);
// The values of up to CPS_LIVE_HISTORY last steps, oldest first (any thread); -1: no such series.
// @param times,values  out: room for CPS_LIVE_HISTORY
int32_t cps_live_series(CpsLive* live, const char* name, double* times, double* values);

#endif
