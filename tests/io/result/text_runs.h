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

// A run in two parts has the bits of one in one part.
static inline void check_resumed(const char* text) {
  const uint64_t whole = write_frames(text, scratch_path("whole.h5"), 0, 8);
  const char* parts = scratch_path("parts.h5");
  assert_true(write_frames(text, parts, 0, 3) != whole);
  assert_true(write_frames(text, parts, 3, 5) == whole);
}

// The same instant of a file and of the world that it is of.
typedef struct Both {
  Run run;
  CpsResult* result;
  CpsShow *file, *world;
} Both;

static inline void show_both(Both* both, const char* text, const char* path) {
  CpsError error;
  *both = (Both){0};
  make_text_run(&both->run, text);
  start_run(&both->run, path);
  for (int i = 0; i < 3; ++i) assert_ok(advance_frame(&both->run), both->run.error);
  cps_result_close(both->run.writer);
  assert_ok(cps_result_open(path, &both->result, &error), error);
  assert_ok(cps_show_result(both->result, &both->file, &error), error);
  assert_ok(cps_show_world(both->run.scene, both->run.world, &both->world, &error), error);
  assert_ok(cps_show_read(both->file, 3, &error), error);
  assert_ok(cps_show_read(both->world, 0, &error), error);
}

static inline void forget_both(Both* both) {
  cps_show_destroy(both->file);
  cps_show_destroy(both->world);
  cps_result_destroy(both->result);
  free_run(&both->run);
}

// A file holds single precision.
static inline void check_rounded(const CpsVec3* file, const CpsVec3* world, int64_t count) {
  assert_true(file && world);
  for (int64_t i = 0; i < count; ++i) {
    assert_true(file[i].x == (float)world[i].x && file[i].y == (float)world[i].y && file[i].z == (float)world[i].z);
  }
}

// Surfaces of both are alike: names, triangles, shapes at rest, places, velocities and impulses.
static inline void check_surfaces(const Both* both) {
  const CpsThings *a = cps_show_things(both->file), *b = cps_show_things(both->world);
  const CpsFrame *f = cps_show_frame(both->file), *w = cps_show_frame(both->world);
  assert_true(a->sheet_count == b->sheet_count && a->solid_count == b->solid_count);
  assert_true(a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count);
  assert_memory_equal(a->triangles, b->triangles, 3 * (size_t)a->triangle_count * sizeof *a->triangles);
  assert_memory_equal(a->rest, b->rest, 3 * (size_t)a->triangle_count * sizeof *a->rest);
  for (int32_t i = 0; i < a->sheet_count; ++i) {
    assert_string_equal(a->sheet_names[i], b->sheet_names[i]);
    assert_int_equal(a->sheet_materials[i], b->sheet_materials[i]);
    assert_true(a->sheets[i].first_vertex == b->sheets[i].first_vertex &&
                a->sheets[i].thickness == b->sheets[i].thickness);
  }
  check_rounded(f->vertices, w->vertices, a->vertex_count);
  check_rounded(f->vertex_velocities, w->vertex_velocities, a->vertex_count);
  check_rounded(f->vertex_impulses, w->vertex_impulses, a->vertex_count);
}

#endif
