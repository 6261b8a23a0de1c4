#include "io/state_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/fail.h"
#include "core/hash.h"

static const char MAGIC[8] = "cpsstate";
enum { ORDER = 1, VERSION = 1 };

typedef struct Head {
  char magic[8];
  uint32_t order, version;
  uint64_t size, hash;
} Head;

static uint64_t hash_of(const void* bytes, size_t size) {
  return cps_hash_bytes(CPS_HASH_START, bytes, size);
}

bool cps_state_open(const void* file, size_t size, const void** bytes, size_t* count, char why[CPS_STATE_WHY_SIZE]) {
  Head head = {0};
  memcpy(&head, file, size < sizeof head ? size : sizeof head);
  const char* start = (const char*)file + sizeof head;
  const char* sentence = NULL;
  if (size < sizeof head || memcmp(head.magic, MAGIC, sizeof MAGIC) != 0) {
    sentence = "is not a saved state";
  } else if (head.order != ORDER) {
    sentence = "was saved on a machine with a different byte order";
  } else if (head.version != VERSION) {
    sentence = "was saved by another version of capstan";
  } else if (head.size != size - sizeof head) {
    sentence = "is damaged: its length does not match its header";
  } else if (head.hash != hash_of(start, size - sizeof head)) {
    sentence = "is damaged: its checksum does not match";
  }
  if (sentence) {
    snprintf(why, CPS_STATE_WHY_SIZE, "%s", sentence);
    return false;
  }
  *bytes = start;
  *count = size - sizeof head;
  return true;
}

CpsStatus cps_state_write(const char* path, const CpsWorld* world, CpsError* error) {
  size_t size = cps_world_state_size(world);
  char* file = malloc(sizeof(Head) + size);
  if (!file) return cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
  CpsError why = {""};
  CpsStatus status = cps_world_save(world, file + sizeof(Head), size, &why);
  if (status != CPS_OK) {
    cps_io_fail(error, status, path, NULL, "%s", why.text);
  } else {
    Head head = {.order = ORDER, .version = VERSION, .size = size, .hash = hash_of(file + sizeof(Head), size)};
    memcpy(head.magic, MAGIC, sizeof MAGIC);
    memcpy(file, &head, sizeof head);
    status = cps_file_replace(path, file, sizeof(Head) + size, error);
  }
  free(file);
  return status;
}
