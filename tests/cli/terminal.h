// A terminal that a test looks at. The including file asks for pseudo-terminals with _XOPEN_SOURCE 700.
#ifndef CAPSTAN_TESTS_CLI_TERMINAL_H
#define CAPSTAN_TESTS_CLI_TERMINAL_H

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner.h"

// A pseudo-terminal; returns the side that a person would look at, and the side of the command in *other.
static inline int open_terminal(int* other) {
  int screen = posix_openpt(O_RDWR | O_NOCTTY);
  if (screen < 0 || grantpt(screen) != 0 || unlockpt(screen) != 0) return -1;
  *other = open(ptsname(screen), O_RDWR | O_NOCTTY);
  return *other >= 0 ? screen : -1;
}

// Reads the screen until `words` have been seen; a minute is patience enough on a busy machine.
static inline bool wait_for(int screen, const char* words, char* seen, size_t room) {
  size_t length = 0;
  seen[0] = '\0';
  struct pollfd watch = {.fd = screen, .events = POLLIN};
  while (!strstr(seen, words) && length + 1 < room) {
    if (poll(&watch, 1, 60000) <= 0) return false;
    ssize_t got = read(screen, seen + length, room - length - 1);
    if (got <= 0) return false;
    length += (size_t)got;
    seen[length] = '\0';
  }
  return strstr(seen, words) != NULL;
}

// Runs the command with its errors, where progress is shown, to a terminal: nothing comes, and it ends with `code`.
static inline void stays_silent_on_a_terminal(const char* words, int code) {
  int terminal = -1, screen = open_terminal(&terminal);
  if (screen < 0) {
    print_message("skipped: no pseudo-terminals\n");
    skip();
  }
  int file = open("stdout", O_RDWR | O_CREAT | O_TRUNC, 0600);
  assert_int_equal(finish(start(words, file, terminal)), code);
  struct pollfd watch = {.fd = screen, .events = POLLIN};
  assert_int_equal(poll(&watch, 1, 0), 0);
  close(terminal);
  close(screen);
  close(file);
}

#endif
