// Runs that are killed with -9 at random moments, over and over, and go on from what they left.
//
// A writer in a child process tells through shared memory how many frames were promised to be safe. The same is done to
// `capstan run`. What each kill left is kept for h5py, opened here, resumed, and at last compared with a run in one go.
#ifndef CAPSTAN_TESTS_IO_RESULT_KILLS_H
#define CAPSTAN_TESTS_IO_RESULT_KILLS_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "core/random.h"
#include "io/h5py.h"
#include "io/result/runs.h"

enum { KILL_FRAMES = 150, FRAMES_ROOM = 64 };

typedef struct Kills {
  CpsRandom random;
  double whole_seconds;  // of a run that is not killed
  int kills, seen;       // made; of these, with a result to look at
  int number;            // of the copies that were kept
  char copies[FRAMES_ROOM * 64];
} Kills;

static inline double now_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline void copy_file(const char* from, const char* to) {
  char command[512];
  snprintf(command, sizeof command, "cp %s %s", from, to);
  assert_int_equal(system(command), 0);
}

static inline bool file_exists(const char* path) {
  struct stat facts;
  return stat(path, &facts) == 0;
}

// A result that is there makes for a better target than none.
static inline void wait_for(const char* path) {
  const struct timespec moment = {.tv_nsec = 1000000};
  for (int i = 0; i < 30000 && !file_exists(path); ++i) nanosleep(&moment, NULL);
}

// Waits a random part of `longest`, kills, and says whether the child was still at work.
static inline bool kill_child(Kills* kills, pid_t child, double longest) {
  double seconds = longest * cps_random_uniform(&kills->random);
  struct timespec pause = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
  nanosleep(&pause, NULL);
  kill(child, SIGKILL);
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  if (WIFEXITED(status)) assert_int_equal(WEXITSTATUS(status), 0);
  return WIFSIGNALED(status);
}

// What a kill left: no file, or one that opens. Returns its frames.
static inline int64_t look_at(Kills* kills, const char* path) {
  if (!file_exists(path)) return 0;
  CpsResult* result = NULL;
  CpsError error;
  assert_ok(cps_result_open(path, &result, &error), error);
  int64_t frames = cps_result_info(result).frames;
  cps_result_destroy(result);
  kills->seen++;
  if (kills->number < FRAMES_ROOM - 1) {
    char name[32];
    snprintf(name, sizeof name, "kill-%d.h5", kills->number++);
    copy_file(path, scratch_path(name));
    strcat(strcat(kills->copies, " "), scratch_path(name));
  }
  return frames;
}

static inline void write_to_the_end(const char* path, bool resume, _Atomic int64_t* promised) {
  Run run;
  make_run(&run);
  if (resume) {
    resume_run(&run, path);
  } else {
    start_run(&run, path);
    *promised = 1;
  }
  while (cps_world_step_count(run.world) < (KILL_FRAMES - 1) * STEPS_PER_FRAME) {
    assert_ok(advance_frame(&run), run.error);
    *promised = cps_world_step_count(run.world) / STEPS_PER_FRAME + 1;
  }
  assert_ok(cps_result_finish(run.writer, &run.error), run.error);
  free_run(&run);
}

// One result made by writers of which the first `kill_count` are killed.
static inline void kill_writers(Kills* kills, int kill_count) {
  int file = open(scratch_path("promised"), O_RDWR | O_CREAT | O_TRUNC, 0600);
  assert_true(file >= 0 && ftruncate(file, sizeof(int64_t)) == 0);
  _Atomic int64_t* promised = mmap(NULL, sizeof *promised, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  assert_true(promised != MAP_FAILED);
  close(file);
  *promised = 0;
  char path[192];
  snprintf(path, sizeof path, "%s", scratch_path("killed.h5"));
  remove(path);
  int64_t frames = 0;
  for (int i = 0; i < kill_count; ++i) {
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      write_to_the_end(path, frames > 0, promised);
      _exit(0);
    }
    if (i > 0) wait_for(path);
    bool at_work = kill_child(kills, child, kills->whole_seconds / kill_count);
    kills->kills += at_work;
    frames = look_at(kills, path);
    // every promised frame is there, and at most the one in flight more
    if (frames < *promised || frames > *promised + 1) {
      print_error("%d frames, promised %d\n", (int)frames, (int)*promised);
      fail();
    }
  }
  write_to_the_end(path, frames > 0, promised);
  assert_same_content(scratch_path("whole.h5"), path);
  munmap((void*)promised, sizeof *promised);
}

static inline pid_t start_command(const char* scene, const char* path, bool resume) {
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    execl(CAPSTAN_COMMAND, "capstan", "run", scene, "-o", path, "--quiet", "--set", "time.end=1.2 s", "--set",
          "output.frames=every step", resume ? "--resume" : (char*)NULL, (char*)NULL);
    _exit(126);
  }
  return child;
}

// The same with the command.
static inline void kill_commands(Kills* kills, int kill_count) {
  char path[192], whole[192], scene[192];
  snprintf(path, sizeof path, "%s", scratch_path("run.h5"));
  snprintf(whole, sizeof whole, "%s", scratch_path("run-whole.h5"));
  snprintf(scene, sizeof scene, "%s", scratch_path("scene.yaml"));
  FILE* file = fopen(scene, "w");
  assert_non_null(file);
  fputs(small_scene, file);
  fclose(file);
  remove(path);
  double start = now_seconds();
  int status = 0;
  pid_t child = start_command(scene, whole, false);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  double seconds = now_seconds() - start;
  int64_t frames = 0;
  for (int i = 0; i < kill_count; ++i) {
    child = start_command(scene, path, true);
    if (i > 0) wait_for(path);
    bool at_work = kill_child(kills, child, seconds / kill_count);
    kills->kills += at_work;
    int64_t left = look_at(kills, path);
    assert_true(left >= frames);
    frames = left;
  }
  child = start_command(scene, path, true);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  assert_same_content(whole, path);
}

static inline void measure_a_whole_run(Kills* kills) {
  double start = now_seconds();
  _Atomic int64_t promised = 0;
  write_to_the_end(scratch_path("whole.h5"), false, &promised);
  kills->whole_seconds = now_seconds() - start;
}

// Whatever was kept opens in h5py.
static inline void check_the_copies(const Kills* kills) {
  const char* python = python_with_h5py();
  if (!python) {
    print_message("no Python with h5py here: the files were read with the library only\n");
    return;
  }
  check_with_h5py(python, kills->copies);
}

#endif
