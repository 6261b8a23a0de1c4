// A simulation behind the server. Orders go to its thread at once; what comes back is examined by the serving thread
// when it was woken, and each frame is written once for each set of things that some page needs.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/particle_space.h"
#include "core/error.h"
#include "server/facts.h"
#include "server/live.h"
#include "server/recipe.h"
#include "server/source.h"

typedef struct LiveSource {
  CpsViewSource source;
  CpsLive* live;
  CpsOutbox* outbox;
  const CpsFrame* frame;  // last one examined, NULL if none
  CpsLiveStatus status;   // of the same time
  CpsRecipe recipe;
  char* path;
  uint64_t greeted;  // serial of the scene in the greeting
  CpsPacket* written[CPS_WANT_ALL + 1];
} LiveSource;

static void forget_frames(LiveSource* live) {
  for (int i = 0; i <= CPS_WANT_ALL; ++i) {
    cps_packet_release(live->written[i]);
    live->written[i] = NULL;
  }
}

static void key(CpsBuffer* out, const char* name) {
  cps_buffer_text(out, ",");
  cps_buffer_string(out, name);
  cps_buffer_text(out, ":");
}

static void put_number(CpsBuffer* out, const char* name, double value) {
  key(out, name);
  cps_buffer_number(out, value);
}

static void put_vector(CpsBuffer* out, const char* name, CpsVec3 v) {
  key(out, name);
  cps_buffer_numbers(out, (double[]){v.x, v.y, v.z}, 3);
}

// Writes the fields of `settings`, without braces; begins with a comma.
static void put_settings(CpsBuffer* out, const CpsLiveSettings* settings) {
  put_vector(out, "gravity", settings->gravity);
  put_number(out, "mu", settings->mu);
  put_number(out, "grain_mu", settings->grain_mu);
  put_number(out, "step", settings->step);
  key(out, "method");
  cps_buffer_string(out, settings->method);
  put_number(out, "tolerance", settings->tolerance);
  key(out, "methods");
  const char* separator = "[";
  for (int i = 0; cps_method_info((CpsMethod)i); ++i) {
    const CpsMethodInfo* info = cps_method_info((CpsMethod)i);
    if (!info->available) continue;
    cps_buffer_text(out, separator);
    cps_buffer_string(out, info->name);
    separator = ",";
  }
  cps_buffer_text(out, "]");
}

static void post_settings(LiveSource* live, uint64_t client, const CpsLiveSettings* settings) {
  CpsBuffer out = {0};
  cps_buffer_text(&out, "{\"type\":\"settings\"");
  put_settings(&out, settings);
  cps_buffer_text(&out, "}");
  cps_outbox_post(live->outbox, client, cps_packet_create(&out, CPS_PACKET_TEXT));
}

static void post_curve(LiveSource* live, uint64_t client, int32_t index) {
  CpsBuffer out = {0};
  if (!cps_live_curve(live->live, index, client != 0, &out)) return;
  cps_outbox_post(live->outbox, client, cps_packet_create(&out, CPS_PACKET_TEXT));
}

static void post_event(LiveSource* live, const CpsLiveEvent* event) {
  if (event->kind == CPS_LIVE_CURVE) {
    post_curve(live, 0, event->index);
    return;
  }
  if (event->kind == CPS_LIVE_SETTINGS) {
    post_settings(live, 0, &event->settings);
    return;
  }
  CpsBuffer out = {0};
  if (event->kind == CPS_LIVE_ERROR) {
    cps_stream_error(&out, event->text);
  } else {
    cps_buffer_text(
        &out, event->problem ? "{\"type\":\"saved\",\"what\":\"problem\"" : "{\"type\":\"saved\",\"what\":\"scene\"");
    key(&out, "path");
    cps_buffer_string(&out, event->text);
    cps_buffer_text(&out, "}");
  }
  cps_outbox_post(live->outbox, event->client, cps_packet_create(&out, CPS_PACKET_TEXT));
}

static CpsStatus greet(LiveSource* live, CpsError* error);

// A rebuilt scene is sent to all clients before its first frame.
static void greet_again(LiveSource* live) {
  CpsError error;
  if (!live->greeted || live->greeted == cps_live_serial(live->live)) return;
  cps_recipe_free(&live->recipe);
  live->recipe = (CpsRecipe){0};
  if (greet(live, &error) == CPS_OK) return;
  CpsBuffer out = {0};
  cps_stream_error(&out, error.text);
  cps_outbox_post(live->outbox, 0, cps_packet_create(&out, CPS_PACKET_TEXT));
}

static void refresh(CpsViewSource* source, bool frame) {
  LiveSource* live = (LiveSource*)source;
  for (CpsLiveEvent event; cps_live_event(live->live, &event);) post_event(live, &event);
  const CpsFrame* taken = frame ? cps_live_take(live->live, &live->status) : NULL;
  if (!taken) return;
  live->frame = taken;
  source->serial++;
  forget_frames(live);
  greet_again(live);
}

static CpsPacket* write_frame(CpsViewSource* source, unsigned wants) {
  LiveSource* live = (LiveSource*)source;
  if (!live->frame) return NULL;
  if (!live->written[wants]) {
    CpsBuffer out = {0};
    cps_stream_frame(&out, cps_live_things(live->live), live->frame, wants);
    live->written[wants] = cps_packet_create(&out, CPS_PACKET_BINARY);
    if (!live->written[wants]) return NULL;
    live->written[wants]->role = CPS_ROLE_FRAME;
    live->written[wants]->index = live->frame->index;
  }
  return live->written[wants];
}

static void put_hand(CpsBuffer* out, const CpsLiveStatus* status, uint64_t client) {
  int32_t i = 0;
  while (i < status->hand_count && status->hands[i].client != client) i++;
  if (i == status->hand_count) {
    cps_buffer_text(out, ",\"hand\":null");
    return;
  }
  const CpsLiveHand* hand = &status->hands[i];
  cps_buffer_text(out, ",\"hand\":{\"point\":");
  cps_buffer_numbers(out, (double[]){hand->point.x, hand->point.y, hand->point.z}, 3);
  put_vector(out, "target", hand->target);
  put_vector(out, "force", hand->force);
  cps_buffer_text(out, "}");
}

static CpsPacket* write_status(CpsViewSource* source, uint64_t client) {
  const CpsLiveStatus* status = &((LiveSource*)source)->status;
  CpsBuffer out = {0};
  cps_buffer_text(&out,
                  status->running ? "{\"type\":\"status\",\"running\":true" : "{\"type\":\"status\",\"running\":false");
  put_number(&out, "time", status->time);
  put_number(&out, "step", (double)status->step);
  put_number(&out, "dt", status->dt);
  put_number(&out, "contacts", status->info.contacts);
  put_number(&out, "stick", status->info.stick);
  put_number(&out, "slide", status->info.slide);
  put_number(&out, "residual", status->info.residual);
  put_number(&out, "iterations", (double)status->info.iterations);
  put_number(&out, "nu", status->info.nu);
  put_number(&out, "kinetic", status->kinetic);
  put_number(&out, "potential", status->potential);
  put_number(&out, "elastic", status->elastic);
  put_number(&out, "pace", status->pace);
  put_hand(&out, status, client);
  key(&out, "sentence");
  cps_buffer_string(&out, status->sentence);
  cps_buffer_text(&out, "}");
  return cps_packet_create(&out, CPS_PACKET_TEXT);
}

static CpsStatus answer_series(LiveSource* live, const char* name, CpsBuffer* out, CpsError* error) {
  double times[CPS_LIVE_HISTORY], values[CPS_LIVE_HISTORY];
  int32_t count = cps_live_series(live->live, name, times, values);
  if (count < 0) return cps_fail(error, CPS_BAD_ARGUMENT, "unknown series '%s'", name);
  cps_stream_series(out, name, times, values, count);
  return CPS_OK;
}

static CpsStatus answer_pick(LiveSource* live, const CpsMessage* message, CpsBuffer* out, CpsError* error) {
  if (!live->frame) return cps_fail(error, CPS_BAD_ARGUMENT, "there is no frame yet");
  if (!cps_facts_begin(out, cps_live_things(live->live), live->frame, message->kind, message->index)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the %s does not exist", cps_thing_kind_name(message->kind));
  }
  cps_recipe_tell_fixed(&live->recipe, cps_live_scene(live->live), live->path, message->kind, message->index, out);
  cps_facts_end(out);
  return CPS_OK;
}

static void answer(LiveSource* live, const CpsRequest* request) {
  CpsBuffer out = {0};
  CpsError error;
  bool series = request->message.type == CPS_MESSAGE_SERIES;
  CpsStatus status = series ? answer_series(live, request->message.text, &out, &error)
                            : answer_pick(live, &request->message, &out, &error);
  if (status != CPS_OK) {
    cps_buffer_free(&out);
    cps_stream_error(&out, error.text);
  }
  cps_source_answer(live->outbox, request, &out, series && status == CPS_OK ? CPS_PACKET_BINARY : CPS_PACKET_TEXT);
}

static CpsLiveOrder order_of(const CpsRequest* request) {
  static const CpsLiveWhat WHAT[CPS_MESSAGE_TYPE_COUNT] = {
      [CPS_MESSAGE_RUN] = CPS_LIVE_RUN,         [CPS_MESSAGE_PAUSE] = CPS_LIVE_PAUSE,
      [CPS_MESSAGE_STEP] = CPS_LIVE_STEP,       [CPS_MESSAGE_RESET] = CPS_LIVE_RESET,
      [CPS_MESSAGE_DRAG] = CPS_LIVE_DRAG,       [CPS_MESSAGE_TWIST] = CPS_LIVE_TWIST,
      [CPS_MESSAGE_RELEASE] = CPS_LIVE_RELEASE, [CPS_MESSAGE_DRAW] = CPS_LIVE_DRAW,
      [CPS_MESSAGE_ERASE] = CPS_LIVE_ERASE,     [CPS_MESSAGE_STIFFNESS] = CPS_LIVE_STIFFNESS,
      [CPS_MESSAGE_LET_GO] = CPS_LIVE_LET_GO,   [CPS_MESSAGE_TAKE_PEN] = CPS_LIVE_TAKE_PEN,
      [CPS_MESSAGE_CUT] = CPS_LIVE_CUT};
  static const CpsLiveWhat SETTINGS[] = {
      [CPS_SETTING_GRAVITY] = CPS_LIVE_SET_GRAVITY, [CPS_SETTING_MU] = CPS_LIVE_SET_MU,
      [CPS_SETTING_STEP] = CPS_LIVE_SET_STEP,       [CPS_SETTING_TOLERANCE] = CPS_LIVE_SET_TOLERANCE,
      [CPS_SETTING_METHOD] = CPS_LIVE_SET_METHOD,   [CPS_SETTING_GRAIN_MU] = CPS_LIVE_SET_GRAIN_MU};
  const CpsMessage* message = &request->message;
  CpsLiveOrder order = {.what = WHAT[message->type],
                        .client = request->client,
                        .index = message->index,
                        .vertex = message->vertex,
                        .value = message->value,
                        .vector = message->vector,
                        .target = message->target};
  memcpy(order.text, message->text, sizeof message->text);
  if (message->type == CPS_MESSAGE_CUT) order.value = message->s;
  if (message->type == CPS_MESSAGE_SET) {
    order.what = SETTINGS[message->key];
    if (message->is_null) order.value = NAN;
  } else if (message->type == CPS_MESSAGE_PIN) {
    order.what = message->held ? CPS_LIVE_PIN : CPS_LIVE_UNPIN;
  } else if (message->type == CPS_MESSAGE_SAVE) {
    order.what = message->problem ? CPS_LIVE_SAVE_PROBLEM : CPS_LIVE_SAVE_SCENE;
  } else if (message->type == CPS_MESSAGE_GRAB) {
    order.what = message->kind == CPS_THING_BODY    ? CPS_LIVE_GRAB_BODY
                 : message->kind == CPS_THING_SHEET ? CPS_LIVE_GRAB_SHEET
                                                    : CPS_LIVE_GRAB_FIBRE;
    order.vector = message->point;
    order.value = message->s;
  }
  return order;
}

static bool ask(CpsViewSource* source, const CpsRequest* request) {
  LiveSource* live = (LiveSource*)source;
  if (request->message.type == CPS_MESSAGE_SERIES || request->message.type == CPS_MESSAGE_PICK) {
    answer(live, request);
    return true;
  }
  CpsLiveOrder order = order_of(request);
  return cps_live_order(live->live, &order);
}

// The greeting contains the initial settings.
static void meet(CpsViewSource* source, uint64_t client) {
  LiveSource* live = (LiveSource*)source;
  CpsLiveSettings settings = cps_live_settings(live->live);
  post_settings(live, client, &settings);
  for (int32_t i = 0; i < cps_live_curve_count(live->live); ++i) post_curve(live, client, i);
}

static void leave(CpsViewSource* source, uint64_t client) {
  LiveSource* live = (LiveSource*)source;
  if (live->live) cps_live_order(live->live, &(CpsLiveOrder){.what = CPS_LIVE_RELEASE, .client = client});
}

static void stop(CpsViewSource* source) {
  LiveSource* live = (LiveSource*)source;
  live->frame = NULL;
  cps_live_destroy(live->live);
  live->live = NULL;
}

static void destroy(CpsViewSource* source) {
  stop(source);
  cps_recipe_free(&((LiveSource*)source)->recipe);
  forget_frames((LiveSource*)source);
  cps_source_forget_greeting(source);
  free(((LiveSource*)source)->path);
  free(source);
}

static CpsStatus greet(LiveSource* live, CpsError* error) {
  CpsBuffer settings = {0};
  CpsLiveSettings now = cps_live_settings(live->live);
  put_settings(&settings, &now);
  if (!settings.failed) settings.bytes[0] = '{';  // in place of the first comma
  cps_buffer_text(&settings, "}");
  CpsSceneInfo info = cps_scene_info(cps_live_scene(live->live));
  CpsSceneFacts facts = {.live = true,
                         .file = cps_source_file_name(live->path),
                         .end = info.end,
                         .until = info.end,
                         .camera_placed = info.camera_placed,
                         .camera = info.camera,
                         .has_contacts = true,
                         .has_tension = live->frame && live->frame->tension,
                         .series = cps_live_series_names(),
                         .settings = &settings};
  if (live->frame) {  // the first frame: the scene is sent at its beginning
    facts.particle_space = cps_particle_space(live->frame->particles, cps_live_things(live->live)->particle_count);
    facts.grain_stress = live->frame->particle_stresses != NULL;
  }
  CpsStatus status = cps_source_greet(&live->source, cps_live_things(live->live), &facts, error);
  cps_buffer_free(&settings);
  live->greeted = cps_live_serial(live->live);
  return status;
}

static double turn(CpsViewSource* source) {
  return cps_live_turn(((LiveSource*)source)->live);
}

// cps_live_create() or cps_live_open().
typedef CpsStatus (*BeginFn)(const char* path, const char* const* overrides, int32_t count, int32_t threads,
                             CpsLiveWake wake, void* data, CpsLive** live, CpsError* error);

static CpsStatus begin(const char* path, const CpsViewOptions* options, CpsOutbox* outbox, BeginFn begin_live,
                       CpsViewSource** source, CpsError* error) {
  LiveSource* live = calloc(1, sizeof *live);
  if (!live) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a simulation");
  live->source = (CpsViewSource){.live = true,
                                 .ask = ask,
                                 .meet = meet,
                                 .leave = leave,
                                 .refresh = refresh,
                                 .frame = write_frame,
                                 .status = write_status,
                                 .turn = turn,
                                 .stop = stop,
                                 .destroy = destroy};
  live->outbox = outbox;
  live->path = malloc(strlen(path) + 1);
  if (!live->path) {
    free(live);
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a simulation");
  }
  strcpy(live->path, path);
  CpsStatus status = begin_live(path, options->overrides, options->override_count, options->threads, outbox->wake,
                                outbox->wake_data, &live->live, error);
  if (status == CPS_OK) {
    refresh(&live->source, true);  // the first frame exists already
    status = greet(live, error);
  }
  if (status != CPS_OK) {
    destroy(&live->source);
    return status;
  }
  *source = &live->source;
  return cps_succeed(error);
}

CpsStatus cps_live_source_create(const char* path, const CpsViewOptions* options, CpsOutbox* outbox,
                                 CpsViewSource** source, CpsError* error) {
  return begin(path, options, outbox, cps_live_create, source, error);
}

CpsStatus cps_live_source_open(const char* path, const CpsViewOptions* options, CpsOutbox* outbox,
                               CpsViewSource** source, CpsError* error) {
  return begin(path, options, outbox, cps_live_open, source, error);
}
