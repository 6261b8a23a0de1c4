// A terminal that a test looks at. The including file asks for pseudo-terminals with _XOPEN_SOURCE 700.
#ifndef CAPSTAN_TESTS_CLI_TERMINAL_H
#define CAPSTAN_TESTS_CLI_TERMINAL_H

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

#endif
