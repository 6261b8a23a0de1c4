#include "io/file_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static CpsStatus say(CpsStatus status, const char* what, char why[CPS_FILE_WHY_SIZE]) {
  snprintf(why, CPS_FILE_WHY_SIZE, "%s", what);
  return status;
}

// Reads up to the end or one byte past the limit.
static CpsStatus read_all(FILE* file, size_t limit, char** text, size_t* length, char why[CPS_FILE_WHY_SIZE]) {
  size_t capacity = 0, used = 0;
  char* bytes = NULL;
  for (;;) {
    if (capacity - used < 2) {
      size_t larger = capacity ? 2 * capacity : 16384;
      char* grown = realloc(bytes, larger);
      if (!grown) {
        free(bytes);
        return say(CPS_NO_MEMORY, "out of memory", why);
      }
      bytes = grown;
      capacity = larger;
    }
    size_t got = fread(bytes + used, 1, capacity - used - 1, file);
    used += got;
    if (got == 0 || used > limit) break;
  }
  CpsStatus status = CPS_OK;
  if (ferror(file)) {
    status = say(CPS_FILE_ERROR, strerror(errno), why);
  } else if (used > limit) {
    snprintf(why, CPS_FILE_WHY_SIZE, "larger than %zu MB", limit >> 20);
    status = CPS_FILE_ERROR;
  }
  if (status != CPS_OK) {
    free(bytes);
    return status;
  }
  bytes[used] = '\0';
  *text = bytes;
  *length = used;
  return CPS_OK;
}

CpsStatus cps_file_text(const char* path, size_t limit, bool regular, char** text, size_t* length, CpsFileId* id,
                        char why[CPS_FILE_WHY_SIZE]) {
  struct stat about;
  if (stat(path, &about) != 0) return say(CPS_FILE_ERROR, strerror(errno), why);
  if (S_ISDIR(about.st_mode)) return say(CPS_FILE_ERROR, "is a folder", why);
  if (regular && !S_ISREG(about.st_mode)) return say(CPS_FILE_ERROR, "is not a regular file", why);
  if (id) *id = (CpsFileId){(uint64_t)about.st_dev, (uint64_t)about.st_ino};
  FILE* file = fopen(path, "rb");
  if (!file) return say(errno == ENOMEM ? CPS_NO_MEMORY : CPS_FILE_ERROR, strerror(errno), why);
  CpsStatus status = read_all(file, limit, text, length, why);
  (void)fclose(file);
  return status;
}
