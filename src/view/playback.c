// Playing a result back. One worker thread does all reading of the file (HDF5 is not used from two threads), in the order
// of the requests; the frame that was read last is kept, so that several pages at one place read it once.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "view/facts.h"
#include "view/recipe.h"
#include "view/source.h"

// Series that are worth a chart; all are in every result.
static const char* const SERIES[] = {"contacts", "stick",       "slide",     "residual", "iterations", "nu",
                                     "kinetic",  "elastic",     "potential", "friction", "impact",     "energy_error",
                                     "step",     "penetration", "seconds",   NULL};

typedef struct Playback {
  CpsViewSource source;
  CpsResult* result;
  CpsShow* show;
  char* path;
  CpsRecipe recipe;
  CpsOutbox* outbox;
  int64_t frame_count;
  int64_t frame_now;  // the one the show holds, -1: none
  pthread_t thread;
  bool started;
  // shared with the serving thread
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool ended;
  CpsRequest jobs[CPS_SOURCE_MESSAGES];  // a ring
  int32_t first, count;
} Playback;

static CpsStatus hold_frame(Playback* playback, int64_t index, CpsError* error) {
  if (index < 0 || index >= playback->frame_count) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "there is no frame %lld", (long long)index);
  }
  if (index == playback->frame_now) return CPS_OK;
  CpsStatus status = cps_show_read(playback->show, index, error);
  playback->frame_now = status == CPS_OK ? index : -1;
  return status;
}

static CpsStatus answer_frame(Playback* playback, const CpsRequest* job, CpsBuffer* out, CpsError* error) {
  CpsStatus status = hold_frame(playback, job->message.index, error);
  if (status != CPS_OK) return status;
  cps_stream_frame(out, cps_show_things(playback->show), cps_show_frame(playback->show), job->wants);
  return CPS_OK;
}

static CpsStatus answer_series(Playback* playback, const CpsRequest* job, CpsBuffer* out, CpsError* error) {
  const char* name = job->message.text;
  int i = 0;
  while (SERIES[i] && strcmp(SERIES[i], name) != 0) i++;
  if (!SERIES[i]) return cps_fail(error, CPS_BAD_ARGUMENT, "there is no series '%s'", name);
  int64_t count = cps_result_info(playback->result).steps;
  double* times = malloc((size_t)count * sizeof *times + 1);
  double* values = malloc((size_t)count * sizeof *values + 1);
  CpsStatus status = times && values ? CPS_OK : cps_fail(error, CPS_NO_MEMORY, "no memory for the series");
  if (status == CPS_OK) status = cps_result_series(playback->result, "time", times, error);
  if (status == CPS_OK) status = cps_result_series(playback->result, name, values, error);
  if (status == CPS_OK) cps_stream_series(out, name, times, values, count);
  free(values);
  free(times);
  return status;
}

static CpsStatus answer_pick(Playback* playback, const CpsRequest* job, CpsBuffer* out, CpsError* error) {
  int64_t frame = job->shown < 0 ? 0 : job->shown;
  CpsStatus status = hold_frame(playback, frame, error);
  if (status != CPS_OK) return status;
  const CpsMessage* message = &job->message;
  if (!cps_facts_begin(out, cps_show_things(playback->show), cps_show_frame(playback->show), message->kind,
                       message->index)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "there is no such %s", cps_thing_name(message->kind));
  }
  cps_recipe_tell(&playback->recipe, playback->result, playback->path, frame, message->kind, message->index, out);
  cps_facts_end(out);
  return CPS_OK;
}

static void answer(Playback* playback, const CpsRequest* job) {
  CpsBuffer out = {0};
  CpsError error;
  CpsStatus status = CPS_OK;
  CpsPacketKind kind = job->message.type == CPS_MESSAGE_PICK ? CPS_PACKET_TEXT : CPS_PACKET_BINARY;
  if (job->message.type == CPS_MESSAGE_FRAME) {
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

static void* work(void* data) {
  Playback* playback = data;
  pthread_mutex_lock(&playback->lock);
  while (!playback->ended) {
    if (playback->count == 0) {
      pthread_cond_wait(&playback->changed, &playback->lock);
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
  cps_show_destroy(playback->show);
  cps_result_destroy(playback->result);
  free(playback->path);
  free(playback);
}

static CpsStatus prepare(Playback* playback, const char* path, CpsError* error) {
  playback->path = strdup(path);
  if (!playback->path) return cps_fail(error, CPS_NO_MEMORY, "no memory to play a result");
  CpsStatus status = cps_result_open(path, &playback->result, error);
  if (status == CPS_OK) status = cps_show_result(playback->result, &playback->show, error);
  if (status != CPS_OK) return status;
  CpsResultInfo info = cps_result_info(playback->result);
  playback->frame_count = cps_show_frame_count(playback->show);
  if (playback->frame_count < 1) return cps_fail(error, CPS_BAD_DATA, "%s: the result holds no frames", path);
  // the last frame tells whether tensions are known
  status = hold_frame(playback, playback->frame_count - 1, error);
  if (status != CPS_OK) return status;
  const CpsFrame* last = cps_show_frame(playback->show);
  CpsSceneFacts facts = {.file = cps_source_file_name(path),
                         .frames = playback->frame_count,
                         .end = info.time,
                         .has_contacts = info.contacts,
                         .has_tension = last->tension != NULL,
                         .camera_placed = info.camera_placed,
                         .camera = info.camera,
                         .series = SERIES};
  return cps_source_greet(&playback->source, cps_show_things(playback->show), &facts, error);
}

CpsStatus cps_playback_create(const char* path, CpsOutbox* outbox, CpsViewSource** source, CpsError* error) {
  Playback* playback = calloc(1, sizeof *playback);
  if (!playback) return cps_fail(error, CPS_NO_MEMORY, "no memory to play a result");
  playback->source =
      (CpsViewSource){.ask = ask, .meet = ignore_client, .leave = ignore_client, .stop = stop, .destroy = destroy};
  playback->outbox = outbox;
  playback->frame_now = -1;
  pthread_mutex_init(&playback->lock, NULL);
  pthread_cond_init(&playback->changed, NULL);
  CpsStatus status = prepare(playback, path, error);
  if (status == CPS_OK) status = start(playback, error);
  if (status != CPS_OK) {
    destroy(&playback->source);
    return status;
  }
  *source = &playback->source;
  return cps_succeed(error);
}
