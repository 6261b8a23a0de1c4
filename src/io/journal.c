#include "io/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "core/hash.h"
#include "io/whole_io.h"

#define MAGIC 0x6c6e6a2d73706163u  // "caps-jnl"
#define VERSION 1
#define HEADER_WORDS 7
#define HEADER_SIZE (HEADER_WORDS * 8)
#define CHECKSUM_WORD 6

enum { WORD_MAGIC, WORD_VERSION, WORD_RUN, WORD_FRAME, WORD_PIECES, WORD_BYTES };

static void put_word(unsigned char* at, uint64_t value) {
  for (int i = 0; i < 8; ++i) at[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get_word(const unsigned char* at) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value |= (uint64_t)at[i] << (8 * i);
  return value;
}

// FNV-1a hash of the record without its checksum.
static uint64_t checksum(const unsigned char* record, size_t size) {
  const size_t at = 8 * (size_t)CHECKSUM_WORD, after = at + 8;
  return cps_hash_bytes(cps_hash_bytes(CPS_HASH_START, record, at), record + after, size - after);
}

CpsStatus cps_journal_open(CpsJournal* journal, const char* result_path, CpsError* error) {
  *journal = (CpsJournal){.descriptor = -1};
  size_t size = strlen(result_path) + sizeof ".journal";
  journal->path = malloc(size);
  if (!journal->path) return cps_io_fail(error, CPS_NO_MEMORY, result_path, NULL, "out of memory");
  snprintf(journal->path, size, "%s.journal", result_path);
  journal->descriptor = open(journal->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  int reason = errno;
  if (journal->descriptor < 0) {
    CpsStatus status =
        cps_io_fail(error, CPS_FILE_ERROR, journal->path, NULL, "cannot be written: %s", strerror(reason));
    cps_journal_close(journal, false);
    return status;
  }
  // file systems without locks are accepted
  if (flock(journal->descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    cps_journal_close(journal, false);
    return cps_io_fail(error, CPS_FILE_ERROR, result_path, NULL, "is being written by another process");
  }
  return CPS_OK;
}

void cps_journal_close(CpsJournal* journal, bool remove) {
  if (journal->descriptor >= 0) {
    if (remove) unlink(journal->path);
    close(journal->descriptor);
  }
  free(journal->path);
  free(journal->buffer);
  *journal = (CpsJournal){.descriptor = -1};
}

static bool reserve(CpsJournal* journal, size_t size) {
  if (size <= journal->room) return true;
  size_t room = size + size / 2;
  unsigned char* grown = realloc(journal->buffer, room);
  if (!grown) {
    journal->reason = ENOMEM;
    return false;
  }
  journal->buffer = grown;
  journal->room = room;
  return true;
}

void cps_journal_begin(CpsJournal* journal) {
  journal->size = 0;
}

bool cps_journal_add(CpsJournal* journal, uint64_t address, const void* bytes, size_t size) {
  if (journal->size == 0) journal->size = HEADER_SIZE;
  if (!reserve(journal, journal->size + 16 + size)) return false;
  unsigned char* at = journal->buffer + journal->size;
  put_word(at, address);
  put_word(at + 8, size);
  memcpy(at + 16, bytes, size);
  journal->size += 16 + size;
  return true;
}

bool cps_journal_seal(CpsJournal* journal, int64_t frame) {
  if (journal->size == 0) journal->size = HEADER_SIZE;
  if (!reserve(journal, journal->size)) return false;
  uint64_t pieces = 0;
  for (size_t at = HEADER_SIZE; at < journal->size; ++pieces) at += 16 + (size_t)get_word(journal->buffer + at + 8);
  const uint64_t header[CHECKSUM_WORD] = {
      [WORD_MAGIC] = MAGIC,           [WORD_VERSION] = VERSION, [WORD_RUN] = journal->run,
      [WORD_FRAME] = (uint64_t)frame, [WORD_PIECES] = pieces,   [WORD_BYTES] = journal->size - HEADER_SIZE};
  for (int i = 0; i < CHECKSUM_WORD; ++i) put_word(journal->buffer + 8 * i, header[i]);
  put_word(journal->buffer + 8 * CHECKSUM_WORD, checksum(journal->buffer, journal->size));
  if (cps_write_whole(journal->descriptor, 0, journal->buffer, journal->size)) return true;
  journal->reason = errno;
  return false;
}

bool cps_journal_clear(CpsJournal* journal) {
  return ftruncate(journal->descriptor, 0) == 0;
}

// Loads the record in the file if it is valid and of this run; remains of an older, longer record may follow it.
static bool load(CpsJournal* journal) {
  struct stat facts;
  if (fstat(journal->descriptor, &facts) != 0 || facts.st_size < HEADER_SIZE) return false;
  size_t size = (size_t)facts.st_size;
  if (!reserve(journal, size) || !cps_read_whole(journal->descriptor, 0, journal->buffer, size)) return false;
  const unsigned char* record = journal->buffer;
  if (get_word(record + 8 * WORD_MAGIC) != MAGIC || get_word(record + 8 * WORD_VERSION) != VERSION) return false;
  if (get_word(record + 8 * WORD_RUN) != journal->run) return false;
  uint64_t bytes = get_word(record + 8 * WORD_BYTES);
  if (bytes > size - HEADER_SIZE) return false;
  journal->size = HEADER_SIZE + (size_t)bytes;
  return get_word(record + 8 * CHECKSUM_WORD) == checksum(record, journal->size);
}

bool cps_journal_replay(CpsJournal* journal, int descriptor, int64_t* frame) {
  *frame = -1;
  if (!load(journal)) return true;
  size_t at = HEADER_SIZE;
  while (journal->size - at >= 16) {
    uint64_t address = get_word(journal->buffer + at), size = get_word(journal->buffer + at + 8);
    if (size > journal->size - at - 16) return true;
    if (!cps_write_whole(descriptor, address, journal->buffer + at + 16, (size_t)size)) {
      journal->reason = errno;
      return false;
    }
    at += 16 + (size_t)size;
  }
  *frame = (int64_t)get_word(journal->buffer + 8 * WORD_FRAME);
  return true;
}
