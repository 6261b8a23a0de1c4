// A small scene, and a loop that makes a result of it as the command does: a frame at the start and every second step.
#ifndef CAPSTAN_TESTS_IO_RESULT_RUNS_H
#define CAPSTAN_TESTS_IO_RESULT_RUNS_H

#include <hdf5.h>
#include <string.h>

#include "assert_ok.h"
#include "capstan/result.h"
#include "io/scratch.h"

static const char small_scene[] =
    "title: three balls, a brick and a hair\n"
    "time: {step: 4 ms, end: 0.08 s}\n"
    "output: {frames: 8 ms}\n"
    "obstacles:\n"
    "  floor: {plane: {}}\n"
    "  slab: {box: {size: [4, 4, 0.1]}, position: [0, 0, 0.05], surface_velocity: [0.2, 0, 0]}\n"
    "bodies:\n"
    "  low: {sphere: {radius: 0.1}, position: [0, 0, 0.199]}\n"
    "  middle: {sphere: {radius: 0.1}, position: [0.02, 0, 0.398]}\n"
    "  high: {sphere: {radius: 0.1}, position: [0.01, 0.03, 0.62]}\n"
    "  brick:\n"
    "    position: [1, 0, 0.13]\n"
    "    compound:\n"
    "      - {box: {size: [0.2, 0.1, 0.05]}}\n"
    "      - {capsule: {radius: 0.02, length: 0.1}, position: [0, 0, 0.06]}\n"
    "fibres:\n"
    "  hair: {model: der, elements: 4, length: 0.2, radius: 2 mm, young: 1 MPa, position: [0.5, 0.5, 0.25],\n"
    "         direction: [1, 0, -1], root: clamped}\n";

enum { STEPS_PER_FRAME = 2, SMALL_FRAMES = 11 };  // 20 steps, and the start

typedef struct Run {
  CpsScene* scene;
  CpsWorld* world;
  CpsResultWriter* writer;
  CpsRunTotals totals;
  CpsError error;
} Run;

static inline void make_run(Run* run) {
  *run = (Run){0};
  assert_ok(cps_scene_parse(small_scene, strlen(small_scene), "small.yaml", NULL, 0, &run->scene, &run->error),
            run->error);
  assert_ok(cps_scene_build(run->scene, 1, &run->world, &run->error), run->error);
}

static inline void free_run(Run* run) {
  cps_world_destroy(run->world);
  cps_scene_destroy(run->scene);
}

static inline void start_run(Run* run, const char* path) {
  assert_ok(cps_result_create(path, run->scene, &run->writer, &run->error), run->error);
  assert_ok(cps_result_write(run->writer, run->world, NULL, &run->totals, &run->error), run->error);
}

static inline void resume_run(Run* run, const char* path) {
  assert_ok(cps_result_resume(path, run->scene, run->world, &run->totals, &run->writer, &run->error), run->error);
}

static inline CpsStatus advance_step(Run* run) {
  CpsStepInfo info;
  CpsStatus status = cps_world_step(run->world, &info, &run->error);
  if (status < 0) return status;
  CpsEnergy energy = cps_world_energy(run->world);
  cps_run_totals_add(&run->totals, &info, &energy);
  return cps_result_add_step(run->writer, run->world, &info, &run->error);
}

// Makes the steps of a frame and writes it; the status of the first call that was refused.
static inline CpsStatus advance_frame(Run* run) {
  for (int i = 0; i < STEPS_PER_FRAME; ++i) {
    CpsStatus status = advance_step(run);
    if (status != CPS_OK) return status;
  }
  return cps_result_write(run->writer, run->world, NULL, &run->totals, &run->error);
}

// Goes on until the result has so many frames.
static inline void advance_to(Run* run, int64_t frames) {
  while (cps_world_step_count(run->world) < (frames - 1) * STEPS_PER_FRAME) {
    assert_ok(advance_frame(run), run->error);
  }
}

// A whole result in one go.
static inline void make_result(const char* path, int64_t frames) {
  Run run;
  make_run(&run);
  start_run(&run, path);
  advance_to(&run, frames);
  assert_ok(cps_result_finish(run.writer, &run.error), run.error);
  free_run(&run);
}

static inline void finish_resumed(const char* path, int64_t frames) {
  Run run;
  make_run(&run);
  resume_run(&run, path);
  advance_to(&run, frames);
  assert_ok(cps_result_finish(run.writer, &run.error), run.error);
  free_run(&run);
}

static inline herr_t compare_object(hid_t file, const char* name, const H5O_info_t* about, void* other) {
  if (about->type != H5O_TYPE_DATASET || strstr(name, "seconds")) return 0;
  hid_t files[2] = {file, *(hid_t*)other};
  void* bytes[2] = {NULL, NULL};
  size_t sizes[2] = {0, 0};
  hsize_t extents[2][3] = {{0}};
  for (int i = 0; i < 2; ++i) {
    hid_t dataset = H5Dopen2(files[i], name, H5P_DEFAULT);
    assert_true(dataset >= 0);
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    H5Sget_simple_extent_dims(space, extents[i], NULL);
    sizes[i] = (size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type);
    bytes[i] = calloc(sizes[i] + 1, 1);
    assert_non_null(bytes[i]);
    if (sizes[i] > 0) assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes[i]) >= 0);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(dataset);
  }
  if (memcmp(extents[0], extents[1], sizeof extents[0]) != 0 || memcmp(bytes[0], bytes[1], sizes[0]) != 0) {
    print_error("%s differs (%llu and %llu rows)\n", name, (unsigned long long)extents[0][0],
                (unsigned long long)extents[1][0]);
    fail();
  }
  free(bytes[0]);
  free(bytes[1]);
  ++*((int*)((hid_t*)other + 1));
  return 0;
}

// Every dataset of the two files has the same bytes, except those that hold wall-clock times.
static inline void assert_same_content(const char* path_a, const char* path_b) {
  hid_t a = H5Fopen(path_a, H5F_ACC_RDONLY, H5P_DEFAULT);
  struct {
    hid_t file;
    int compared;
  } other = {H5Fopen(path_b, H5F_ACC_RDONLY, H5P_DEFAULT), 0};
  assert_true(a >= 0 && other.file >= 0);
  assert_true(H5Ovisit(a, H5_INDEX_NAME, H5_ITER_NATIVE, compare_object, &other) >= 0);
  assert_true(other.compared > 60);
  H5Fclose(a);
  H5Fclose(other.file);
}

#endif
