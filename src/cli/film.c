#include "cli/film.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/fail.h"

extern char** environ;

static bool ends_with(const char* path, const char* ending) {
  size_t length = strlen(path), tail = strlen(ending);
  return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

bool cps_film_wanted(const char* path) {
  return ends_with(path, ".mp4") || ends_with(path, ".webm");
}

// Starts ffmpeg with standard input `from` and standard error `to`; returns 0 or an errno.
static int start(pid_t* child, int from, int to, const char* part, bool webm, int32_t width, int32_t height,
                 double fps) {
  char size[32], rate[32];
  snprintf(size, sizeof size, "%dx%d", (int)width, (int)height);
  snprintf(rate, sizeof rate, "%.6g", fps);
  // H.264 and VP9 for browsers: 2 x 2 pixels share their colour, so the size must be even. For reproducible files,
  // two features are switched off: x264 splits frames by the number of threads, and colour conversion uses
  // instructions that round differently on each processor.
  // the colour matrix of HDTV, named explicitly: otherwise players would guess it from the size
  const char* words[] = {
      "ffmpeg",
      "-v",
      "error",
      "-y",
      "-f",
      "rawvideo",
      "-pix_fmt",
      "rgb24",
      "-s",
      size,
      "-r",
      rate,
      "-i",
      "-",
      "-an",
      "-vf",
      "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:flags=bicubic+accurate_rnd+bitexact",
      "-c:v",
      webm ? "libvpx-vp9" : "libx264",
      "-crf",
      webm ? "30" : "20",
      "-b:v",
      "0",
      "-pix_fmt",
      "yuv420p",
      "-colorspace",
      "bt709",
      "-color_primaries",
      "bt709",
      "-color_trc",
      "bt709",
      "-threads",
      "1",
      "-fflags",
      "+bitexact",
      "-flags:v",
      "+bitexact",
      "-f",
      webm ? "webm" : "mp4",
      part,
      NULL,
  };
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
  int failed = posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
  if (!failed) failed = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (!failed) failed = posix_spawn_file_actions_adddup2(&actions, to, STDERR_FILENO);
  if (!failed) failed = posix_spawnp(child, words[0], &actions, NULL, (char* const*)words, environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

static void forget(CpsFilm* film) {
  if (film->pipe >= 0) close(film->pipe);
  if (film->words >= 0) close(film->words);
  if (film->part) remove(film->part);
  free(film->part);
  free(film->place);
  *film = (CpsFilm){.pipe = -1, .words = -1};
}

// A pipe that no other program inherits.
static bool make_pipe(int ends[2]) {
  if (pipe(ends) != 0) return false;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return true;
}

// The end of the first line of ffmpeg's output, which gives the reason; false if there is no output.
static bool read_words(const CpsFilm* film, char* line, size_t size) {
  char text[2048];
  ssize_t count = read(film->words, text, sizeof text - 1);
  if (count <= 0) return false;
  text[count] = '\0';
  size_t length = strcspn(text, "\r\n"), from = length >= size ? length - (size - 1) : 0;
  memcpy(line, text + from, length - from);
  line[length - from] = '\0';
  return true;
}

CpsStatus cps_film_begin(CpsFilm* film, const char* path, int32_t width, int32_t height, double fps, CpsError* error) {
  CpsStatus status = CPS_OK;
  *film = (CpsFilm){.pipe = -1, .words = -1, .picture = 3 * (size_t)width * (size_t)height};
  film->place = cps_file_resolve(path, error, &status);
  if (!film->place) return status;
  size_t room = strlen(film->place) + 48;
  film->part = malloc(room);
  if (!film->part) {
    forget(film);
    return cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
  }
  snprintf(film->part, room, "%s.%ld.part", film->place, (long)getpid());
  // created here, so that an unwritable folder is reported before anything is drawn
  int ends[2] = {-1, -1}, words[2] = {-1, -1}, made = open(film->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (made >= 0) close(made);
  bool ready = made >= 0 && make_pipe(ends);
  film->pipe = ends[1];
  if (!ready || !make_pipe(words)) {
    CpsStatus failure = cps_io_fail(error, CPS_FILE_ERROR, path, NULL, "cannot be written: %s", strerror(errno));
    if (ready) close(ends[0]);
    forget(film);
    return failure;
  }
  film->words = words[0];
  // the pipe is read only at the end: output that does not fit is dropped instead of blocking
  fcntl(words[0], F_SETFL, O_NONBLOCK);
  fcntl(words[1], F_SETFL, O_NONBLOCK);
  int failed = start(&film->child, ends[0], words[1], film->part, ends_with(path, ".webm"), width, height, fps);
  close(ends[0]);
  close(words[1]);
  if (!failed) return CPS_OK;
  film->child = 0;
  forget(film);
  if (failed == ENOENT) return cps_io_fail(error, CPS_UNSUPPORTED, path, NULL, "films need the program ffmpeg");
  return cps_io_fail(error, CPS_FILE_ERROR, path, NULL, "cannot start ffmpeg: %s", strerror(failed));
}

// The exit code of the child, 126 if it was killed.
static int wait_for(CpsFilm* film) {
  int status = 0;
  if (film->pipe >= 0) close(film->pipe);
  film->pipe = -1;
  while (waitpid(film->child, &status, 0) < 0) {
    if (errno != EINTR) return 126;
  }
  film->child = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

CpsStatus cps_film_add(CpsFilm* film, const uint8_t* rgb, CpsError* error) {
  for (size_t at = 0; at < film->picture;) {
    ssize_t count = write(film->pipe, rgb + at, film->picture - at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      char line[128] = "no more is known";
      (void)read_words(film, line, sizeof line);
      return cps_io_fail(error, CPS_FILE_ERROR, film->place, NULL, "ffmpeg stopped unexpectedly: %s", line);
    }
    at += (size_t)count;
  }
  return CPS_OK;
}

CpsStatus cps_film_end(CpsFilm* film, CpsError* error) {
  CpsStatus status = CPS_OK;
  int code = wait_for(film);
  char line[128] = "no more is known";
  // on a full disk it complains but exits with success
  bool complained = read_words(film, line, sizeof line);
  if (code != 0 || complained) {
    status = cps_io_fail(error, CPS_FILE_ERROR, film->place, NULL, "ffmpeg failed: %s", line);
  } else if (rename(film->part, film->place) != 0) {
    status = cps_io_fail(error, CPS_FILE_ERROR, film->place, NULL, "%s", strerror(errno));
  } else {
    free(film->part);
    film->part = NULL;
  }
  forget(film);
  return status;
}

void cps_film_abandon(CpsFilm* film) {
  if (film->child > 0) {
    kill(film->child, SIGTERM);
    wait_for(film);
  }
  forget(film);
}
