// Remembers every write to a file, so that the file can be examined as it was after each of them. Link with --wrap for
// pwrite and ftruncate (tests/CMakeLists.txt does so for test files whose name has "torn" in it).
//
// A write is cut at the borders of 4096 bytes: between two of these pieces the kernel may end a killed process.
#ifndef CAPSTAN_TESTS_WRITE_LOG_H
#define CAPSTAN_TESTS_WRITE_LOG_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

ssize_t __real_pwrite(int file, const void* bytes, size_t size, off_t offset);
int __real_ftruncate(int file, off_t size);
ssize_t __wrap_pwrite(int file, const void* bytes, size_t size, off_t offset);
int __wrap_ftruncate(int file, off_t size);

typedef struct LoggedWrite {
  int file;
  off_t offset;  // of a change of length: the length
  size_t size;
  unsigned char* bytes;  // NULL: a change of length
} LoggedWrite;

static LoggedWrite* write_log;
static size_t write_log_count, write_log_room;
static bool write_log_on;

static inline void log_write(int file, const void* bytes, size_t size, off_t offset) {
  if (write_log_count == write_log_room) {
    write_log_room = 2 * write_log_room + 1024;
    write_log = realloc(write_log, write_log_room * sizeof *write_log);
    if (!write_log) abort();
  }
  LoggedWrite entry = {.file = file, .offset = offset, .size = size};
  if (bytes) {
    entry.bytes = malloc(size);
    if (!entry.bytes) abort();
    memcpy(entry.bytes, bytes, size);
  }
  write_log[write_log_count++] = entry;
}

ssize_t __wrap_pwrite(int file, const void* bytes, size_t size, off_t offset) {
  if (write_log_on) {
    for (size_t done = 0; done < size;) {
      size_t piece = 4096 - (size_t)(offset + (off_t)done) % 4096;
      if (piece > size - done) piece = size - done;
      log_write(file, (const char*)bytes + done, piece, offset + (off_t)done);
      done += piece;
    }
  }
  return __real_pwrite(file, bytes, size, offset);
}

int __wrap_ftruncate(int file, off_t size) {
  if (write_log_on) log_write(file, NULL, 0, size);
  return __real_ftruncate(file, size);
}

static inline void clear_write_log(void) {
  for (size_t i = 0; i < write_log_count; ++i) free(write_log[i].bytes);
  free(write_log);
  write_log = NULL;
  write_log_count = write_log_room = 0;
}

// A file in memory that follows the log.
typedef struct FileImage {
  unsigned char* bytes;
  size_t size, room;
} FileImage;

static inline void resize_image(FileImage* image, size_t size) {
  if (size > image->room) {
    image->room = 2 * size;
    image->bytes = realloc(image->bytes, image->room);
    if (!image->bytes) abort();
  }
  if (size > image->size) memset(image->bytes + image->size, 0, size - image->size);
  image->size = size;
}

static inline void apply_write(FileImage* image, const LoggedWrite* entry) {
  size_t end = (size_t)entry->offset + entry->size;
  if (!entry->bytes || end > image->size) resize_image(image, end);
  if (entry->bytes) memcpy(image->bytes + entry->offset, entry->bytes, entry->size);
}

#endif
