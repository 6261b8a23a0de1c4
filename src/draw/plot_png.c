// Text needs fonts, and fonts need a library that shapes and fills them; rsvg-convert has all of that, is started only
// when a PNG is asked for, and is handed the SVG through a file without a name.
#include "draw/plot_png.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/fail.h"

#define PNG_ZOOM "2"  // sharp on screens of today

extern char** environ;

bool cps_plot_wants_png(const char* path) {
  size_t length = strlen(path);
  return length > 4 && strcasecmp(path + length - 4, ".png") == 0;
}

// Runs rsvg-convert from one file to another; returns its exit code, or 127 if it is not there.
static int convert(int from, int to) {
  char* const words[] = {(char[]){"rsvg-convert"}, (char[]){"--format=png"}, (char[]){"--zoom=" PNG_ZOOM}, NULL};
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return 126;
  pid_t child = 0;
  int failed = posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
  if (!failed) failed = posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
  if (!failed) failed = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return failed == ENOENT ? 127 : 126;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 126;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

// All bytes of a file from its beginning; NULL if they cannot be read.
static char* slurp(FILE* file, size_t* size) {
  if (fseek(file, 0, SEEK_END) != 0) return NULL;
  long end = ftell(file);
  char* bytes = end > 0 ? malloc((size_t)end) : NULL;
  if (!bytes) return NULL;
  rewind(file);
  *size = fread(bytes, 1, (size_t)end, file);
  if (*size == (size_t)end) return bytes;
  free(bytes);
  return NULL;
}

CpsStatus cps_png_write(const char* path, const char* svg, size_t size, CpsError* error) {
  CpsStatus status = CPS_OK;
  FILE* from = tmpfile();
  FILE* to = tmpfile();
  char* png = NULL;
  size_t png_size = 0;
  if (!from || !to || fwrite(svg, 1, size, from) != size || fflush(from) != 0 ||
      lseek(fileno(from), 0, SEEK_SET) != 0) {
    status = cps_io_fail(error, CPS_FILE_ERROR, path, NULL, "no room for a temporary file: %s", strerror(errno));
  } else {
    int code = convert(fileno(from), fileno(to));
    if (code == 127) {
      status = cps_io_fail(error, CPS_UNSUPPORTED, path, NULL,
                           "PNG needs the program rsvg-convert (Debian: librsvg2-bin); .svg needs nothing");
    } else if (code != 0 || !(png = slurp(to, &png_size))) {
      status = cps_io_fail(error, CPS_FILE_ERROR, path, NULL, "rsvg-convert could not draw it (exit %d)", code);
    } else {
      status = cps_file_replace(path, png, png_size, error);
    }
  }
  free(png);
  if (from) fclose(from);
  if (to) fclose(to);
  return status;
}
