#define _XOPEN_SOURCE 700  // realpath

#include "base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

char* cps_file_resolve(const char* path, CpsError* error, CpsStatus* status) {
  struct stat facts;
  *status = CPS_FILE_ERROR;
  if (stat(path, &facts) != 0) {
    if (errno != ENOENT) {
      cps_io_fail(error, *status, path, NULL, "%s", strerror(errno));
      return NULL;
    }
    if (lstat(path, &facts) == 0) {
      cps_io_fail(error, *status, path, NULL, "is a link that leads nowhere");
      return NULL;
    }
    size_t size = strlen(path) + 1;
    char* copy = malloc(size);
    if (copy) return memcpy(copy, path, size);
  } else if (!S_ISREG(facts.st_mode)) {
    // renaming onto a device would replace the device
    cps_io_fail(error, *status, path, NULL, S_ISDIR(facts.st_mode) ? "is a directory" : "is not a regular file");
    return NULL;
  } else if (access(path, W_OK) != 0) {
    cps_io_fail(error, *status, path, NULL, "%s", strerror(errno));
    return NULL;
  } else {
    char* real = realpath(path, NULL);
    if (real) return real;
  }
  *status = CPS_NO_MEMORY;
  cps_io_fail(error, *status, path, NULL, "out of memory");
  return NULL;
}

// A new file beside `target`, with the permissions that the user's mask gives; its name goes to `beside`.
static int open_beside(const char* target, char* beside, size_t size) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    snprintf(beside, size, "%s.%ld-%d.part", target, (long)getpid(), attempt);
    int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

static bool write_all(int file, const void* bytes, size_t size) {
  const char* at = bytes;
  while (size > 0) {
    ssize_t written = write(file, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    size -= (size_t)written;
  }
  return fsync(file) == 0 || errno == EINVAL;  // EINVAL: a file system that cannot sync
}

CpsStatus cps_file_check(const char* path, CpsError* error) {
  CpsStatus status = CPS_OK;
  char* target = cps_file_resolve(path, error, &status);
  if (!target) return status;
  size_t room = strlen(target) + 48;
  char* beside = malloc(room);
  int file = beside ? open_beside(target, beside, room) : -1;
  if (!beside) {
    status = cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
  } else if (file < 0) {
    status = cps_io_fail(error, CPS_FILE_ERROR, path, NULL, "cannot be written: %s", strerror(errno));
  } else {
    status = CPS_OK;
    close(file);
    unlink(beside);
  }
  free(beside);
  free(target);
  return status;
}

CpsStatus cps_file_replace(const char* path, const void* bytes, size_t size, CpsError* error) {
  CpsStatus status = CPS_OK;
  char* target = cps_file_resolve(path, error, &status);
  if (!target) return status;
  size_t room = strlen(target) + 48;
  char* beside = malloc(room);
  if (!beside) {
    free(target);
    return cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
  }
  status = CPS_OK;
  int file = open_beside(target, beside, room);
  if (file < 0) {
    status = cps_io_fail(error, CPS_FILE_ERROR, path, NULL, "cannot be written: %s", strerror(errno));
  } else {
    bool written = write_all(file, bytes, size);
    int reason = errno;
    if (close(file) != 0 && written) {
      written = false;
      reason = errno;
    }
    if (written && rename(beside, target) != 0) {
      written = false;
      reason = errno;
    }
    if (!written) {
      unlink(beside);
      status = cps_io_fail(error, CPS_FILE_ERROR, path, NULL, "cannot be written: %s", strerror(reason));
    }
  }
  free(beside);
  free(target);
  return status;
}
