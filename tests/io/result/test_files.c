// Results: what was simulated is what can be read, and a run that was stopped goes on as if it had not been.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "io/result/runs.h"

static bool exists(const char* path) {
  struct stat facts;
  return stat(path, &facts) == 0;
}

static void assert_nothing_is_left(const char* path) {
  char beside[256];
  snprintf(beside, sizeof beside, "%s.journal", path);
  assert_false(exists(beside));
  snprintf(beside, sizeof beside, "%s.part", path);
  assert_false(exists(beside));
  assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static CpsResult* open_result(const char* path) {
  CpsResult* result = NULL;
  CpsError error;
  assert_ok(cps_result_open(path, &result, &error), error);
  return result;
}

static void assert_same_totals(const CpsRunTotals* a, const CpsRunTotals* b) {
  assert_int_equal(a->steps, b->steps);
  assert_int_equal(a->unsolved_steps, b->unsolved_steps);
  assert_int_equal(a->contacts_max, b->contacts_max);
  assert_int_equal(a->iterations, b->iterations);
  assert_true(a->residual_max == b->residual_max && a->penetration_max == b->penetration_max);
  assert_true(a->energy_error == b->energy_error && a->wall_seconds == b->wall_seconds);
  assert_int_equal(a->stopped, b->stopped);
}

static void a_result_says_what_was_simulated(void** state) {
  (void)state;
  const char* path = scratch_path("round.h5");
  Run run;
  make_run(&run);
  start_run(&run, path);
  advance_to(&run, SMALL_FRAMES);
  assert_ok(cps_result_finish(run.writer, &run.error), run.error);
  assert_nothing_is_left(path);

  CpsResult* result = open_result(path);
  CpsResultInfo info = cps_result_info(result);
  assert_string_equal(info.title, "three balls, a brick and a hair");
  assert_string_equal(info.scene_text, cps_scene_info(run.scene).text);
  assert_string_equal(info.version, cps_version());
  assert_int_equal(info.bodies, 4);
  assert_int_equal(info.obstacles, 2);
  assert_int_equal(info.frames, SMALL_FRAMES);
  assert_int_equal(info.steps, (SMALL_FRAMES - 1) * STEPS_PER_FRAME);
  assert_true(info.finished);
  assert_true(info.time == cps_world_time(run.world));
  assert_true(info.end == 0.08);
  assert_true(info.hash == cps_world_hash(run.world));
  assert_same_totals(&info.totals, &run.totals);
  assert_true(info.totals.contacts_max > 0);
  assert_true(cps_result_frame_time(result, 0) == 0.0);
  assert_true(isnan(cps_result_frame_time(result, SMALL_FRAMES)) && isnan(cps_result_frame_time(result, -1)));

  CpsPose poses[4];
  assert_ok(cps_result_frame_poses(result, SMALL_FRAMES - 1, poses, &run.error), run.error);
  for (int32_t i = 0; i < 4; ++i) {
    CpsBodyState body;
    assert_int_equal(cps_world_body_state(run.world, cps_world_body(run.world, i), &body), CPS_OK);
    assert_memory_equal(&poses[i], &body.pose, sizeof body.pose);
  }
  cps_result_destroy(result);
  free_run(&run);
}

static void series_have_one_value_per_step(void** state) {
  (void)state;
  const char* path = scratch_path("series.h5");
  Run run;
  make_run(&run);
  start_run(&run, path);
  // more steps between two frames than the writer keeps in memory
  enum { STEPS = 2500 };
  static double time[STEPS], contacts[STEPS], kinetic[STEPS], read[STEPS];
  for (int i = 0; i < STEPS; ++i) {
    CpsStepInfo info;
    assert_true(cps_world_step(run.world, &info, &run.error) >= 0);
    CpsEnergy energy = cps_world_energy(run.world);
    info.stopped = i % 7 == 0 ? 2 : 0;  // bodies are never stopped: as if they were
    cps_run_totals_add(&run.totals, &info, &energy);
    assert_ok(cps_result_add_step(run.writer, run.world, &info, &run.error), run.error);
    time[i] = info.time;
    contacts[i] = (double)info.contacts;
    kinetic[i] = energy.kinetic;
  }
  assert_ok(cps_result_write(run.writer, run.world, NULL, &run.totals, &run.error), run.error);
  assert_ok(cps_result_finish(run.writer, &run.error), run.error);

  CpsResult* result = open_result(path);
  assert_int_equal(cps_result_info(result).steps, STEPS);
  assert_ok(cps_result_series(result, "time", read, &run.error), run.error);
  assert_memory_equal(read, time, sizeof time);
  assert_ok(cps_result_series(result, "contacts", read, &run.error), run.error);
  assert_memory_equal(read, contacts, sizeof contacts);
  assert_ok(cps_result_series(result, "kinetic", read, &run.error), run.error);
  assert_memory_equal(read, kinetic, sizeof kinetic);
  assert_ok(cps_result_series(result, "stopped", read, &run.error), run.error);
  for (int i = 0; i < STEPS; ++i) assert_true(read[i] == (i % 7 == 0 ? 2.0 : 0.0));
  assert_int_equal(cps_result_info(result).totals.stopped, 2 * ((STEPS + 6) / 7));
  assert_int_equal(cps_result_series(result, "speed", read, &run.error), CPS_BAD_ARGUMENT);
  assert_non_null(strstr(run.error.text, "'speed' is none of: time step "));
  // the last of them fits even after a long name
  assert_int_equal(cps_result_series(result, "velocity of the last body", read, &run.error), CPS_BAD_ARGUMENT);
  assert_non_null(strstr(run.error.text, "'velocity' is none of: time "));
  assert_string_equal(run.error.text + strlen(run.error.text) - 14, " crossings ...");
  cps_result_destroy(result);
  free_run(&run);
}

// States used to fill up to half of a result.
static void states_are_packed(void** state) {
  (void)state;
  const char* path = scratch_path("packed.h5");
  make_result(path, SMALL_FRAMES);
  CpsResult* result = open_result(path);
  Run run;
  make_run(&run);
  double raw = 0.0, packed = 0.0;
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), bytes = H5Dopen2(file, "/state/bytes", H5P_DEFAULT);
  hid_t space = H5Dget_space(bytes);
  packed = (double)H5Sget_simple_extent_npoints(space);
  H5Sclose(space);
  H5Dclose(bytes);
  H5Fclose(file);
  for (int64_t frame = 0; frame < SMALL_FRAMES; ++frame) {
    assert_ok(cps_result_load_frame(result, frame, run.world, &run.error), run.error);
    raw += (double)cps_world_state_size(run.world);
  }
  assert_true(packed < 0.7 * raw);
  free_run(&run);
  cps_result_destroy(result);
}

static void a_run_starts_again_from_any_frame_with_the_same_bits(void** state) {
  (void)state;
  const char* path = scratch_path("frames.h5");
  make_result(path, SMALL_FRAMES);
  CpsResult* result = open_result(path);
  for (int64_t frame = 0; frame < SMALL_FRAMES; frame += 3) {
    Run run;
    make_run(&run);
    assert_ok(cps_result_load_frame(result, frame, run.world, &run.error), run.error);
    assert_true(cps_world_time(run.world) == cps_result_frame_time(result, frame));
    for (int64_t i = frame * STEPS_PER_FRAME; i < cps_result_info(result).steps; ++i) {
      assert_true(cps_world_step(run.world, NULL, &run.error) >= 0);
    }
    assert_true(cps_world_hash(run.world) == cps_result_info(result).hash);
    free_run(&run);
  }
  Run run;
  make_run(&run);
  uint64_t before = cps_world_hash(run.world);
  assert_int_equal(cps_result_load_frame(result, SMALL_FRAMES, run.world, &run.error), CPS_BAD_ARGUMENT);
  assert_non_null(strstr(run.error.text, "has no frame 11, the last is 10"));
  assert_true(cps_world_hash(run.world) == before);
  free_run(&run);
  cps_result_destroy(result);
}

static void a_resumed_run_gives_the_same_file(void** state) {
  (void)state;
  make_result(scratch_path("whole.h5"), SMALL_FRAMES);
  for (int64_t stop = 1; stop < SMALL_FRAMES; stop += 4) {
    const char* path = scratch_path("resumed.h5");
    Run run;
    make_run(&run);
    start_run(&run, path);
    advance_to(&run, stop);
    // steps after the last frame are not kept, and are made again
    CpsStepInfo info;
    assert_true(cps_world_step(run.world, &info, &run.error) >= 0);
    assert_ok(cps_result_add_step(run.writer, run.world, &info, &run.error), run.error);
    cps_result_close(run.writer);
    free_run(&run);
    assert_nothing_is_left(path);
    finish_resumed(path, SMALL_FRAMES);
    assert_same_content(scratch_path("whole.h5"), path);
  }
}

static void a_finished_run_can_be_looked_at_and_prolonged(void** state) {
  (void)state;
  const char* path = scratch_path("prolonged.h5");
  make_result(path, SMALL_FRAMES);
  finish_resumed(path, SMALL_FRAMES);  // nothing is left to do
  make_result(scratch_path("whole.h5"), SMALL_FRAMES);
  assert_same_content(scratch_path("whole.h5"), path);

  Run run;
  make_run(&run);
  resume_run(&run, path);
  assert_int_equal(run.totals.steps, (SMALL_FRAMES - 1) * STEPS_PER_FRAME);
  assert_ok(advance_frame(&run), run.error);
  cps_result_close(run.writer);
  free_run(&run);
  CpsResult* result = open_result(path);
  assert_false(cps_result_info(result).finished);
  cps_result_destroy(result);
  finish_resumed(path, SMALL_FRAMES + 3);
  make_result(scratch_path("longer.h5"), SMALL_FRAMES + 3);
  assert_same_content(scratch_path("longer.h5"), path);
}

// A frame out of turn, where a run was stopped between two frames or came to an end there.
static void a_stopped_run_goes_on_as_if_it_had_not_been_stopped(void** state) {
  (void)state;
  make_result(scratch_path("whole.h5"), SMALL_FRAMES);
  for (int finish = 0; finish <= 1; ++finish) {
    const char* path = scratch_path("stopped.h5");
    Run run;
    make_run(&run);
    start_run(&run, path);
    advance_to(&run, 4);
    assert_ok(advance_step(&run), run.error);
    assert_ok(cps_result_write(run.writer, run.world, NULL, &run.totals, &run.error), run.error);
    if (finish) {
      assert_ok(cps_result_finish(run.writer, &run.error), run.error);
    } else {
      cps_result_close(run.writer);
    }
    uint64_t hash = cps_world_hash(run.world);
    free_run(&run);
    for (int look = 0; look < 2; ++look) {
      CpsResult* result = open_result(path);
      assert_int_equal(cps_result_info(result).frames, 5);
      assert_int_equal(cps_result_info(result).steps, 7);
      assert_true(cps_result_info(result).hash == hash);
      assert_true(cps_result_info(result).finished == finish);
      cps_result_destroy(result);
      // dropped, but closed before another frame took its place: nothing changes
      make_run(&run);
      resume_run(&run, path);
      assert_ok(cps_result_drop_frame(run.writer, &run.error), run.error);
      assert_true(cps_world_hash(run.world) == hash);
      assert_int_equal(run.totals.steps, 7);
      cps_result_close(run.writer);
      free_run(&run);
    }
    make_run(&run);
    resume_run(&run, path);
    assert_ok(cps_result_drop_frame(run.writer, &run.error), run.error);
    assert_ok(advance_step(&run), run.error);
    assert_int_equal(cps_result_drop_frame(run.writer, &run.error), CPS_BAD_ARGUMENT);
    assert_ok(cps_result_write(run.writer, run.world, NULL, &run.totals, &run.error), run.error);
    advance_to(&run, SMALL_FRAMES);
    assert_ok(cps_result_finish(run.writer, &run.error), run.error);
    free_run(&run);
    assert_same_content(scratch_path("whole.h5"), path);
  }
}

static void an_old_result_stays_until_the_first_new_frame_is_safe(void** state) {
  (void)state;
  const char* path = scratch_path("old.h5");
  make_result(path, 3);
  Run run;
  make_run(&run);
  assert_ok(cps_result_create(path, run.scene, &run.writer, &run.error), run.error);
  CpsResult* result = open_result(path);
  assert_int_equal(cps_result_info(result).frames, 3);
  cps_result_destroy(result);
  // a run that ends before its first frame leaves no trace
  cps_result_close(run.writer);
  assert_nothing_is_left(path);
  start_run(&run, path);
  result = open_result(path);
  assert_int_equal(cps_result_info(result).frames, 1);
  assert_false(cps_result_info(result).finished);
  cps_result_destroy(result);
  // two writers at once would spoil it for both
  CpsResultWriter* second = NULL;
  assert_int_equal(cps_result_create(path, run.scene, &second, &run.error), CPS_FILE_ERROR);
  assert_non_null(strstr(run.error.text, "is being written by another process"));
  assert_int_equal(cps_result_resume(path, run.scene, run.world, &run.totals, &second, &run.error), CPS_FILE_ERROR);
  assert_null(second);
  assert_ok(cps_result_finish(run.writer, &run.error), run.error);
  assert_nothing_is_left(path);
  free_run(&run);
}

static void a_result_without_a_frame_is_not_kept(void** state) {
  (void)state;
  const char* path = scratch_path("none.h5");
  Run run;
  make_run(&run);
  assert_ok(cps_result_create(path, run.scene, &run.writer, &run.error), run.error);
  assert_int_equal(cps_result_finish(run.writer, &run.error), CPS_BAD_ARGUMENT);
  assert_false(exists(path));
  assert_nothing_is_left(path);
  assert_int_equal(cps_result_finish(NULL, &run.error), CPS_OK);
  cps_result_close(NULL);
  cps_result_destroy(NULL);
  free_run(&run);
}

// The limit on the size of files stands for a disk that fills up: the write is refused in the same way.
static void a_full_disk_leaves_what_was_written(void** state) {
  (void)state;
  const char* path = scratch_path("full.h5");
  make_result(scratch_path("whole.h5"), 40);
  struct stat facts;
  assert_int_equal(stat(scratch_path("whole.h5"), &facts), 0);
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit before, limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  // from where not even the layout fits to where all but the last frames do
  int refused_at_start = 0, refused_later = 0;
  for (off_t size = 20000; size < facts.st_size; size += facts.st_size / 9) {
    Run run;
    make_run(&run);
    limit = (struct rlimit){.rlim_cur = (rlim_t)size, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    int64_t safe = 0;
    CpsStatus status = cps_result_create(path, run.scene, &run.writer, &run.error);
    if (status == CPS_OK) status = cps_result_write(run.writer, run.world, NULL, &run.totals, &run.error);
    while (status == CPS_OK && safe < 40) {
      safe++;
      status = advance_frame(&run);
    }
    CpsError first = run.error;
    if (run.writer) {
      // from then on the writer refuses, with the same message
      assert_int_equal(cps_result_write(run.writer, run.world, NULL, &run.totals, &run.error), status);
      assert_string_equal(run.error.text, first.text);
    }
    cps_result_close(run.writer);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, CPS_FILE_ERROR);
    assert_non_null(strstr(first.text, "cannot be written: File too large"));
    if (safe == 0) {
      refused_at_start++;
    } else {
      refused_later++;
      CpsResult* result = open_result(path);
      assert_true(cps_result_info(result).frames >= safe);
      cps_result_destroy(result);
      finish_resumed(path, 40);
      assert_same_content(scratch_path("whole.h5"), path);
    }
    remove(path);
    free_run(&run);
  }
  assert_true(refused_at_start > 0 && refused_later > 0);
}

static void results_that_do_not_fit_are_refused_with_a_sentence(void** state) {
  (void)state;
  Run run;
  make_run(&run);
  CpsResultWriter* writer = NULL;
  uint64_t before = cps_world_hash(run.world);
  assert_int_equal(
      cps_result_resume(scratch_path("nowhere.h5"), run.scene, run.world, &run.totals, &writer, &run.error),
      CPS_FILE_ERROR);
  assert_non_null(strstr(run.error.text, "nowhere.h5: not found"));
  assert_int_equal(cps_result_create(scratch_path("no/folder.h5"), run.scene, &writer, &run.error), CPS_FILE_ERROR);
  assert_int_equal(cps_result_create(scratch_folder, run.scene, &writer, &run.error), CPS_FILE_ERROR);
  assert_non_null(strstr(run.error.text, "is a directory"));

  const char* path = scratch_path("other.h5");
  make_result(path, 2);
  CpsScene* other = NULL;
  const char* const override = "time.step=1 ms";
  assert_ok(cps_scene_parse(small_scene, strlen(small_scene), "small.yaml", &override, 1, &other, &run.error),
            run.error);
  assert_int_equal(cps_result_resume(path, other, run.world, &run.totals, &writer, &run.error), CPS_BAD_DATA);
  assert_non_null(strstr(run.error.text, "was made from another scene"));
  cps_scene_destroy(other);

  FILE* text = fopen(scratch_path("text.h5"), "w");
  assert_non_null(text);
  fputs("not a result\n", text);
  fclose(text);
  assert_int_equal(cps_result_resume(scratch_path("text.h5"), run.scene, run.world, &run.totals, &writer, &run.error),
                   CPS_BAD_FORMAT);
  assert_non_null(strstr(run.error.text, "is not an HDF5 file"));
  assert_true(cps_world_hash(run.world) == before);
  assert_null(writer);

  start_run(&run, path);
  assert_int_equal(cps_world_remove_body(run.world, cps_world_body(run.world, 0), &run.error), CPS_OK);
  assert_int_equal(cps_result_write(run.writer, run.world, NULL, &run.totals, &run.error), CPS_BAD_ARGUMENT);
  assert_non_null(strstr(
      run.error.text,
      "the world has 3 bodies, 2 obstacles, 1 fibres, 0 sheets, 0 solids and 0 ties, the scene 4, 2, 1, 0, 0 and 0"));
  cps_result_close(run.writer);
  free_run(&run);
}

static void missing_arguments_are_refused(void** state) {
  (void)state;
  CpsError error;
  CpsResult* result = NULL;
  CpsResultWriter* writer = NULL;
  CpsRunTotals totals = {0};
  assert_int_equal(cps_result_create(NULL, NULL, &writer, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_result_resume(NULL, NULL, NULL, &totals, &writer, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_result_write(NULL, NULL, NULL, &totals, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_result_add_step(NULL, NULL, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_result_drop_frame(NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_result_open(NULL, &result, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_result_frame_poses(NULL, 0, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_result_series(NULL, "time", NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_result_load_frame(NULL, 0, NULL, &error), CPS_BAD_ARGUMENT);
  assert_string_equal(cps_result_info(NULL).title, "");
}

static void totals_keep_the_largest_and_do_not_hide_nan(void** state) {
  (void)state;
  CpsRunTotals totals = {0};
  CpsEnergy energy = {.error = 1e-9};
  CpsStepInfo info = {.contacts = 5, .iterations = 3, .residual = 1e-7, .penetration = 2e-4, .seconds = 0.5};
  cps_run_totals_add(&totals, &info, &energy);
  info = (CpsStepInfo){.contacts = 2, .iterations = 4, .residual = NAN, .unsolved = 2, .seconds = 0.25};
  cps_run_totals_add(&totals, &info, &energy);
  info.residual = 1e-8;
  cps_run_totals_add(&totals, &info, &energy);
  assert_int_equal(totals.steps, 3);
  assert_int_equal(totals.unsolved_steps, 2);
  assert_int_equal(totals.contacts_max, 5);
  assert_int_equal(totals.iterations, 11);
  assert_true(isnan(totals.residual_max));
  assert_true(totals.penetration_max == 2e-4 && totals.energy_error == 1e-9 && totals.wall_seconds == 1.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_result_says_what_was_simulated),
      cmocka_unit_test(series_have_one_value_per_step),
      cmocka_unit_test(a_run_starts_again_from_any_frame_with_the_same_bits),
      cmocka_unit_test(a_resumed_run_gives_the_same_file),
      cmocka_unit_test(a_finished_run_can_be_looked_at_and_prolonged),
      cmocka_unit_test(a_stopped_run_goes_on_as_if_it_had_not_been_stopped),
      cmocka_unit_test(an_old_result_stays_until_the_first_new_frame_is_safe),
      cmocka_unit_test(a_result_without_a_frame_is_not_kept),
      cmocka_unit_test(a_full_disk_leaves_what_was_written),
      cmocka_unit_test(results_that_do_not_fit_are_refused_with_a_sentence),
      cmocka_unit_test(missing_arguments_are_refused),
      cmocka_unit_test(totals_keep_the_largest_and_do_not_hide_nan),
      cmocka_unit_test(states_are_packed),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
