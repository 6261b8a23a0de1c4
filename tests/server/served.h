// A small result, and a server of it on a thread of its own.
#ifndef CAPSTAN_TESTS_SERVER_SERVED_H
#define CAPSTAN_TESTS_SERVER_SERVED_H

#include <pthread.h>
#include <string.h>

#include "assert_ok.h"
#include "capstan/frame.h"
#include "capstan/view.h"
#include "io/scratch.h"
#include "server/web_socket.h"

// Without mending, each step is as long as the scene says: the hair would be let go in shorter ones.
static const char balls_scene[] =
    "title: balls, \"a hull\" and a hair\n"
    "time: {step: 4 ms, end: 0.08 s, mend: false}\n"
    "camera: {eye: [0, -2, 1], target: [0, 0, 0.25], fov: 40 deg}\n"
    "obstacles:\n"
    "  floor: {plane: {}}\n"
    "bodies:\n"
    "  low: {sphere: {radius: 0.1}, position: [0, 0, 0.099]}\n"
    "  high: {sphere: {radius: 0.1}, position: [0.01, 0.03, 0.32]}\n"
    "  stone: {hull: {points: [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]}, position: [1, 0, 0.5]}\n"
    "fibres:\n"
    "  hair: {model: der, elements: 4, length: 0.2, radius: 2 mm, young: 1 MPa, position: [0.5, 0.5, 0.25],\n"
    "         direction: [1, 0, -1], root: clamped}\n";

enum { BALLS_FRAMES = 21 };

// A result with a frame at the start and one for each step.
static inline void make_result(const char* path, const char* text, int frames) {
  CpsError error;
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsResultWriter* writer = NULL;
  CpsRunTotals totals = {0};
  assert_ok(cps_scene_parse(text, strlen(text), "scene.yaml", NULL, 0, &scene, &error), error);
  assert_ok(cps_scene_build(scene, 1, &world, &error), error);
  assert_ok(cps_result_create(path, scene, &writer, &error), error);
  assert_ok(cps_result_write(writer, world, NULL, &totals, &error), error);
  for (int i = 1; i < frames; ++i) {
    CpsStepInfo info;
    assert_true(cps_world_step(world, &info, &error) >= 0);
    CpsEnergy energy = cps_world_energy(world);
    cps_run_totals_add(&totals, &info, &energy);
    assert_ok(cps_result_add_step(writer, world, &info, &error), error);
    assert_ok(cps_result_write(writer, world, &info, &totals, &error), error);
  }
  assert_ok(cps_result_finish(writer, &error), error);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

static inline void make_balls(const char* path) {
  make_result(path, balls_scene, BALLS_FRAMES);
}

typedef struct Served {
  CpsView* view;
  pthread_t thread;
  int port;
  CpsStatus status;  // of the run
  // what it told; read after the thread has ended
  int connected, disconnected, refused, dropped;
} Served;

static inline void count_event(const CpsViewEvent* event, void* data) {
  Served* served = data;
  int* const counts[] = {&served->connected, &served->disconnected, &served->refused, &served->dropped};
  ++*counts[event->kind];
}

static inline void* serve(void* data) {
  Served* served = data;
  served->status = cps_view_run(served->view, NULL);
  return NULL;
}

static inline void begin_serving(Served* served, const char* path, CpsViewOptions options) {
  CpsError error;
  *served = (Served){0};
  options.event = count_event;
  options.event_data = served;
  assert_ok(cps_view_create(path, &options, &served->view, &error), error);
  served->port = cps_view_port(served->view);
  assert_int_equal(pthread_create(&served->thread, NULL, serve, served), 0);
}

static inline void await_end(Served* served) {
  pthread_join(served->thread, NULL);
  assert_int_equal(served->status, CPS_OK);
  cps_view_destroy(served->view);
}

static inline void end_serving(Served* served) {
  cps_view_stop(served->view);
  await_end(served);
}

#endif
