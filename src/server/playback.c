// Playing a result back. One worker thread does all reading of the file (HDF5 is not used from two threads), in the order
// of the requests; the frame that was read last is kept, so that several pages at one place read it once. Between requests
// it looks whether a run has added frames.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/particle_space.h"
#include "core/clock.h"
#include "core/error.h"
#include "server/facts.h"
#include "server/follow.h"
#include "server/recipe.h"
#include "server/source.h"

// Series that charts can show; all are in every result.
static const char* const SERIES[] = {"contacts", "stick",       "slide",     "residual", "iterations", "nu",
                                     "kinetic",  "elastic",     "potential", "friction", "impact",     "energy_error",
                                     "step",     "penetration", "seconds",   NULL};

static const double LOOK_INTERVAL = 0.5;  // s, between looks at the file

typedef struct Playback {
  CpsViewSource source;
  CpsFollow follow;
  char* path;
  CpsRecipe recipe;
  CpsOutbox* outbox;
  int64_t frame_now;  // the frame in the show, -1: none
  double looked;      // time of the last look at the file
  pthread_t thread;
  bool started;
  // shared with the serving thread
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool ended;
  char* news;  // last message about the growing file, NULL: none yet; for clients that connect later
  CpsRequest jobs[CPS_SOURCE_MESSAGES];  // a ring
  int32_t first, count;
} Playback;

static CpsStatus hold_frame(Playback* playback, int64_t index, CpsError* error) {
  if (index < 0 || index >= cps_show_frame_count(playback->follow.show)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "frame %lld does not exist", (long long)index);
  }
  if (index == playback->frame_now) return CPS_OK;
  CpsStatus status = cps_show_read(playback->follow.show, index, error);
  playback->frame_now = status == CPS_OK ? index : -1;
  return status;
}

static CpsStatus answer_frame(Playback* playback, const CpsRequest* job, CpsBuffer* out, CpsError* error) {
  CpsStatus status = hold_frame(playback, job->message.index, error);
  if (status != CPS_OK) return status;
  cps_stream_frame(out, cps_show_things(playback->follow.show), cps_show_frame(playback->follow.show), job->wants);
  return CPS_OK;
}

static CpsStatus answer_series(Playback* playback, const CpsRequest* job, CpsBuffer* out, CpsError* error) {
  const char* name = job->message.text;
  int i = 0;
  while (SERIES[i] && strcmp(SERIES[i], name) != 0) i++;
  if (!SERIES[i]) return cps_fail(error, CPS_BAD_ARGUMENT, "unknown series '%s'", name);
  int64_t count = cps_result_info(playback->follow.result).steps;
  double* times = malloc((size_t)count * sizeof *times + 1);
  double* values = malloc((size_t)count * sizeof *values + 1);
  CpsStatus status = times && values ? CPS_OK : cps_fail(error, CPS_NO_MEMORY, "not enough memory for the series");
  if (status == CPS_OK) status = cps_result_series(playback->follow.result, "time", times, error);
  if (status == CPS_OK) status = cps_result_series(playback->follow.result, name, values, error);
  if (status == CPS_OK) cps_stream_series(out, name, times, values, count);
  free(values);
  free(times);
  return status;
}

static CpsStatus answer_pick(Playback* playback, const CpsRequest* job, CpsBuffer* out, CpsError* error) {
  // pages receive frames ahead of the one they show
  int64_t frame = job->message.frame >= 0 ? job->message.frame : job->shown < 0 ? 0 : job->shown;
  CpsStatus status = hold_frame(playback, frame, error);
  if (status != CPS_OK) return status;
  const CpsMessage* message = &job->message;
  if (!cps_facts_begin(out, cps_show_things(playback->follow.show), cps_show_frame(playback->follow.show),
                       message->kind, message->index)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the %s does not exist", cps_thing_kind_name(message->kind));
  }
  cps_recipe_tell(&playback->recipe, playback->follow.result, playback->path, frame, message->kind, message->index,
                  out);
  cps_facts_end(out);
  return CPS_OK;
}

static void answer(Playback* playback, const CpsRequest* job) {
  CpsBuffer out = {0};
  CpsError error;
  CpsStatus status = CPS_OK;
  CpsPacketKind kind = job->message.type == CPS_MESSAGE_PICK ? CPS_PACKET_TEXT : CPS_PACKET_BINARY;
  if (!playback->follow.show) {
    status = cps_fail(&error, CPS_FILE_ERROR, "%.80s cannot be read just now", cps_source_file_name(playback->path));
  } else if (job->message.type == CPS_MESSAGE_FRAME) {
    status = answer_frame(playback, job, &out, &error);
  } else if (job->message.type == CPS_MESSAGE_SERIES) {
    status = answer_series(playback, job, &out, &error);
  } else {
    status = answer_pick(playback, job, &out, &error);
  }
  if (status != CPS_OK) {
    cps_buffer_free(&out);
    cps_stream_error(&out, error.text);
    kind = CPS_PACKET_TEXT;
  }
  cps_source_answer(playback->outbox, job, &out, kind);
}

static void post_text(CpsOutbox* outbox, uint64_t client, const char* text) {
  CpsBuffer out = {0};
  cps_buffer_text(&out, text);
  cps_outbox_post(outbox, client, cps_packet_create(&out, CPS_PACKET_TEXT));
}

// Tells all pages, and keeps the message for later ones.
static void tell_all(Playback* playback, CpsBuffer* out) {
  char* text = out->failed ? NULL : strndup((const char*)out->bytes, out->size);
  cps_buffer_free(out);
  if (!text) return;
  pthread_mutex_lock(&playback->lock);
  free(playback->news);
  playback->news = text;
  post_text(playback->outbox, 0, text);
  pthread_mutex_unlock(&playback->lock);
}

// Checks from time to time whether the file has grown.
static void look(Playback* playback) {
  playback->looked = cps_clock_wall();
  int64_t before = playback->follow.opened;
  CpsFollowNews news = cps_follow_look(&playback->follow);
  if (playback->follow.opened != before) playback->frame_now = -1;
  if (news == CPS_FOLLOW_NOTHING) return;
  CpsBuffer out = {0};
  if (news == CPS_FOLLOW_GROWN) {
    cps_follow_tell(&out, &playback->follow);
  } else {
    char text[200];
    snprintf(text, sizeof text, "%.80s was replaced by another run; restart capstan view to see the new result",
             cps_source_file_name(playback->path));
    cps_stream_error(&out, text);
  }
  tell_all(playback, &out);
}

static void await_job(Playback* playback) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += (long)(1e9 * LOOK_INTERVAL);
  if (until.tv_nsec >= 1000000000L) {
    until.tv_nsec -= 1000000000L;
    until.tv_sec++;
  }
  pthread_cond_timedwait(&playback->changed, &playback->lock, &until);
}

static void* work(void* data) {
  Playback* playback = data;
  pthread_mutex_lock(&playback->lock);
  while (!playback->ended) {
    if (cps_clock_wall() - playback->looked >= LOOK_INTERVAL) {
      pthread_mutex_unlock(&playback->lock);
      look(playback);
      pthread_mutex_lock(&playback->lock);
      continue;
    }
    if (playback->count == 0) {
      await_job(playback);
      continue;
    }
    CpsRequest job = playback->jobs[playback->first];
    playback->first = (playback->first + 1) % CPS_SOURCE_MESSAGES;
    playback->count--;
    pthread_mutex_unlock(&playback->lock);
    answer(playback, &job);
    pthread_mutex_lock(&playback->lock);
  }
  pthread_mutex_unlock(&playback->lock);
  return NULL;
}

static CpsStatus start(Playback* playback, CpsError* error) {
  if (pthread_create(&playback->thread, NULL, work, playback) != 0) {
    return cps_fail(error, CPS_NO_MEMORY, "cannot start the thread that reads the result");
  }
  playback->started = true;
  return CPS_OK;
}

static bool ask(CpsViewSource* source, const CpsRequest* request) {
  Playback* playback = (Playback*)source;
  pthread_mutex_lock(&playback->lock);
  bool room = playback->count < CPS_SOURCE_MESSAGES;
  if (room) {
    int32_t last = (playback->first + playback->count++) % CPS_SOURCE_MESSAGES;
    playback->jobs[last] = *request;
    pthread_cond_signal(&playback->changed);
  }
  pthread_mutex_unlock(&playback->lock);
  return room;
}

static void meet(CpsViewSource* source, uint64_t client) {
  Playback* playback = (Playback*)source;
  pthread_mutex_lock(&playback->lock);
  if (playback->news) post_text(playback->outbox, client, playback->news);
  pthread_mutex_unlock(&playback->lock);
}

static void ignore_client(CpsViewSource* source, uint64_t client) {
  (void)source;
  (void)client;
}

static void stop(CpsViewSource* source) {
  Playback* playback = (Playback*)source;
  if (!playback->started) return;
  pthread_mutex_lock(&playback->lock);
  playback->ended = true;
  pthread_cond_signal(&playback->changed);
  pthread_mutex_unlock(&playback->lock);
  pthread_join(playback->thread, NULL);
  playback->started = false;
}

static void destroy(CpsViewSource* source) {
  Playback* playback = (Playback*)source;
  pthread_cond_destroy(&playback->changed);
  pthread_mutex_destroy(&playback->lock);
  cps_source_forget_greeting(source);
  cps_recipe_free(&playback->recipe);
  cps_follow_end(&playback->follow);
  free(playback->news);
  free(playback->path);
  free(playback);
}

static CpsStatus prepare(Playback* playback, const char* path, CpsError* error) {
  playback->path = strdup(path);
  if (!playback->path) return cps_fail(error, CPS_NO_MEMORY, "not enough memory to play a result");
  CpsStatus status = cps_follow_begin(&playback->follow, playback->path, error);
  if (status != CPS_OK) return status;
  CpsResultInfo info = cps_result_info(playback->follow.result);
  int64_t frames = cps_show_frame_count(playback->follow.show);
  if (frames < 1) return cps_fail(error, CPS_BAD_DATA, "%s: the result holds no frames", path);
  // the last frame shows whether tensions are known
  status = hold_frame(playback, frames - 1, error);
  if (status != CPS_OK) return status;
  const CpsFrame* last = cps_show_frame(playback->follow.show);
  CpsSceneFacts facts = {.file = cps_source_file_name(path),
                         .frames = frames,
                         .end = info.time,
                         .until = info.end,
                         .finished = info.finished,
                         .has_contacts = info.contacts,
                         .has_tension = last->tension != NULL,
                         .camera_placed = info.camera_placed,
                         .camera = info.camera,
                         .series = SERIES};
  const CpsThings* things = cps_show_things(playback->follow.show);
  if (things->particle_count > 0) {  // the first frame shows their size
    status = hold_frame(playback, 0, error);
    if (status != CPS_OK) return status;
    const CpsFrame* first = cps_show_frame(playback->follow.show);
    facts.particle_space = cps_particle_space(first->particles, things->particle_count);
    facts.grain_stress = first->particle_stresses != NULL;
  }
  return cps_source_greet(&playback->source, things, &facts, error);
}

CpsStatus cps_playback_create(const char* path, CpsOutbox* outbox, CpsViewSource** source, CpsError* error) {
  Playback* playback = calloc(1, sizeof *playback);
  if (!playback) return cps_fail(error, CPS_NO_MEMORY, "not enough memory to play a result");
  playback->source =
      (CpsViewSource){.ask = ask, .meet = meet, .leave = ignore_client, .stop = stop, .destroy = destroy};
  playback->outbox = outbox;
  playback->frame_now = -1;
  playback->looked = cps_clock_wall();
  pthread_mutex_init(&playback->lock, NULL);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&playback->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  CpsStatus status = prepare(playback, path, error);
  if (status == CPS_OK) status = start(playback, error);
  if (status != CPS_OK) {
    destroy(&playback->source);
    return status;
  }
  *source = &playback->source;
  return cps_succeed(error);
}
