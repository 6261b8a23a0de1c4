// labels: release
// A result and its journal are examined as they were after each single write of their writer: the result opens, holds
// every frame that was promised, and a resumed run ends with the same file as one that was not interrupted.
#include <fcntl.h>
#include <sys/stat.h>

#include "io/result/runs.h"
#include "io/result/writer.h"
#include "io/write_log.h"

enum { FRAMES = 6 };

typedef struct History {
  int result, journal;       // descriptors
  size_t frame_end[FRAMES];  // writes after which so many frames were promised
} History;

// Logs a run from its second frame on; the images are those after the first.
static History record_run(const char* path, FileImage* result, FileImage* journal) {
  Run run;
  make_run(&run);
  start_run(&run, path);
  History history = {.result = run.writer->descriptor, .journal = run.writer->journal.descriptor};
  resize_image(result, (size_t)lseek(history.result, 0, SEEK_END));
  assert_int_equal(pread(history.result, result->bytes, result->size, 0), (ssize_t)result->size);
  resize_image(journal, 0);
  write_log_on = true;
  for (int i = 1; i < FRAMES; ++i) {
    assert_ok(advance_frame(&run), run.error);
    history.frame_end[i] = write_log_count;
  }
  write_log_on = false;
  assert_ok(cps_result_finish(run.writer, &run.error), run.error);
  free_run(&run);
  return history;
}

static void put_file(const char* path, const FileImage* image) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert_true(file >= 0);
  assert_int_equal(write(file, image->bytes, image->size), (ssize_t)image->size);
  close(file);
}

static void look_at_every_state(size_t open_stride, size_t resume_stride, bool with_journal) {
  const char* whole = scratch_path("whole.h5");
  FileImage result = {0}, journal = {0};
  History history = record_run(whole, &result, &journal);
  int64_t promised = 1, most = 1;
  int resumed = 0, completed = 0;
  for (size_t k = 0; k < write_log_count; ++k) {
    apply_write(write_log[k].file == history.journal ? &journal : &result, &write_log[k]);
    while (promised < FRAMES && k + 1 >= history.frame_end[promised]) promised++;
    bool resume = k % resume_stride == 0 || k + 1 == write_log_count;
    if (k % open_stride != 0 && !resume) continue;
    const char* path = scratch_path("torn.h5");
    put_file(path, &result);
    if (with_journal) put_file(scratch_path("torn.h5.journal"), &journal);
    CpsResult* opened = NULL;
    CpsError error;
    assert_ok(cps_result_open(path, &opened, &error), error);
    int64_t frames = cps_result_info(opened).frames;
    cps_result_destroy(opened);
    assert_true(frames >= promised && frames >= most && frames <= promised + 1);
    most = frames;
    if (!resume) continue;
    Run run;
    make_run(&run);
    resume_run(&run, path);
    // a sealed record completes a frame that the counter does not count yet
    completed += cps_world_step_count(run.world) == frames * STEPS_PER_FRAME;
    advance_to(&run, FRAMES);
    assert_ok(cps_result_finish(run.writer, &run.error), run.error);
    free_run(&run);
    assert_same_content(scratch_path("whole.h5"), path);
    resumed++;
  }
  assert_true(resumed > 5);
  assert_int_equal(most, FRAMES);
  if (with_journal) assert_true(completed > 0);
  if (!with_journal) assert_int_equal(completed, 0);
  clear_write_log();
  free(result.bytes);
  free(journal.bytes);
}

static void every_state_can_be_opened_and_resumed(void** state) {
  (void)state;
  look_at_every_state(3, 53, true);
}

static void every_state_can_be_resumed_without_the_journal_too(void** state) {
  (void)state;
  look_at_every_state(53, 53, false);
}

// A record of another run, half a record, or one with a flipped bit is as good as none.
static void a_journal_that_does_not_belong_or_is_damaged_is_ignored(void** state) {
  (void)state;
  const char* path = scratch_path("journal.h5");
  FileImage result = {0}, journal = {0};
  History history = record_run(path, &result, &journal);
  for (size_t k = 0; k < history.frame_end[2]; ++k) {
    apply_write(write_log[k].file == history.journal ? &journal : &result, &write_log[k]);
  }
  clear_write_log();
  assert_true(journal.size > 200);
  const size_t places[] = {3, 9, 17, 25, 60, 150, journal.size - 1};
  for (size_t i = 0; i <= sizeof places / sizeof *places; ++i) {
    bool cut = i == sizeof places / sizeof *places;
    if (!cut) journal.bytes[places[i]] ^= 0x10;
    size_t size = journal.size;
    if (cut) journal.size -= 1;
    path = scratch_path("journal.h5");
    put_file(path, &result);
    put_file(scratch_path("journal.h5.journal"), &journal);
    Run run;
    make_run(&run);
    resume_run(&run, path);
    assert_int_equal(cps_world_step_count(run.world), 2 * STEPS_PER_FRAME);
    cps_result_close(run.writer);
    CpsResult* opened = NULL;
    assert_ok(cps_result_open(path, &opened, &run.error), run.error);
    assert_int_equal(cps_result_info(opened).frames, 3);
    cps_result_destroy(opened);
    free_run(&run);
    if (!cut) journal.bytes[places[i]] ^= 0x10;
    journal.size = size;
  }
  free(result.bytes);
  free(journal.bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_state_can_be_opened_and_resumed),
      cmocka_unit_test(every_state_can_be_resumed_without_the_journal_too),
      cmocka_unit_test(a_journal_that_does_not_belong_or_is_damaged_is_ignored),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
