#define _XOPEN_SOURCE 700  // pread, pwrite

#include "io/whole_io.h"

#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

bool cps_write_whole(int descriptor, uint64_t address, const void* bytes, size_t size) {
  const char* at = bytes;
  while (size > 0) {
    ssize_t written = pwrite(descriptor, at, size, (off_t)address);
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return false;
    at += written;
    size -= (size_t)written;
    address += (uint64_t)written;
  }
  return true;
}

bool cps_read_whole(int descriptor, uint64_t address, void* bytes, size_t size) {
  char* at = bytes;
  while (size > 0) {
    ssize_t got = pread(descriptor, at, size, (off_t)address);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= (size_t)got;
    address += (uint64_t)got;
  }
  return true;
}
