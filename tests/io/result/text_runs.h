// Runs of a scene that a test writes as text, and their frames in a file.
#ifndef CAPSTAN_TESTS_IO_RESULT_TEXT_RUNS_H
#define CAPSTAN_TESTS_IO_RESULT_TEXT_RUNS_H

#include "capstan/frame.h"
#include "io/result/runs.h"

static inline void make_text_run(Run* run, const char* text) {
  *run = (Run){0};
  assert_ok(cps_scene_parse(text, strlen(text), "text.yaml", NULL, 0, &run->scene, &run->error), run->error);
  assert_ok(cps_scene_build(run->scene, 1, &run->world, &run->error), run->error);
}

// Frames first to first + count of a run, into a new file or one that is resumed; the hash of the world at the end.
static inline uint64_t write_frames(const char* text, const char* path, int first, int count) {
  Run run;
  make_text_run(&run, text);
  if (first == 0) {
    start_run(&run, path);
  } else {
    resume_run(&run, path);
  }
  for (int i = 0; i < count; ++i) assert_ok(advance_frame(&run), run.error);
  uint64_t hash = cps_world_hash(run.world);
  cps_result_close(run.writer);
  free_run(&run);
  return hash;
}

// A run of three frames, its file, and what there is to see of both.
typedef struct Shown {
  Run run;
  CpsResult* result;
  CpsShow *file, *world;
} Shown;

static inline Shown show_run(const char* text, const char* path) {
  Shown s = {0};
  CpsError error;
  make_text_run(&s.run, text);
  start_run(&s.run, path);
  for (int i = 0; i < 3; ++i) assert_ok(advance_frame(&s.run), s.run.error);
  cps_result_close(s.run.writer);
  assert_ok(cps_result_open(path, &s.result, &error), error);
  assert_ok(cps_show_result(s.result, &s.file, &error), error);
  assert_ok(cps_show_world(s.run.scene, s.run.world, &s.world, &error), error);
  return s;
}

static inline void free_shown(Shown* s) {
  cps_show_destroy(s->file);
  cps_show_destroy(s->world);
  cps_result_destroy(s->result);
  free_run(&s->run);
}

#endif
