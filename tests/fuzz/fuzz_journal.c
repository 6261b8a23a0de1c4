// Journals beside a result, sealed with any pieces and then damaged, or of any bytes: replaying one writes the pieces of a sound record,
// or nothing at all, and reads nothing outside of the file.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "io/journal.h"

static char folder[] = "/tmp/capstan-fuzz-XXXXXX";
static char result_name[64], journal_name[72];

static void clean_up(void) {
  (void)unlink(result_name);
  (void)unlink(journal_name);
  (void)rmdir(folder);
}

int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerInitialize(int* argc, char*** argv) {
  (void)argc;
  (void)argv;
  CHECK(mkdtemp(folder));
  (void)snprintf(result_name, sizeof result_name, "%s/x.h5", folder);
  (void)snprintf(journal_name, sizeof journal_name, "%s.journal", result_name);
  CHECK(atexit(clean_up) == 0);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  CpsJournal journal;
  int result = open(result_name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  CHECK(result >= 0 && cps_journal_open(&journal, result_name, NULL) == CPS_OK);
  journal.run = 7;
  CHECK(cps_journal_clear(&journal));
  bool sound = next_below(&bytes, 2) == 0;
  if (sound) {
    cps_journal_begin(&journal);
    for (int pieces = next_below(&bytes, 5); pieces > 0; --pieces) {
      uint64_t address = (uint64_t)next_byte(&bytes) << next_below(&bytes, 57);  // up to beyond what any file holds
      size_t length = (size_t)next_below(&bytes, 64);
      if (length > bytes.left) length = bytes.left;
      CHECK(cps_journal_add(&journal, address, bytes.data, length));
      bytes.data += length, bytes.left -= length;
    }
    CHECK(cps_journal_seal(&journal, 3));
    for (int changes = next_below(&bytes, 3); changes > 0; --changes) {  // a changed byte: the checksum no longer fits
      unsigned char byte = (unsigned char)next_byte(&bytes);
      CHECK(pwrite(journal.descriptor, &byte, 1, next_byte(&bytes)) == 1);
    }
  } else {
    CHECK(bytes.left == 0 || pwrite(journal.descriptor, bytes.data, bytes.left, 0) == (ssize_t)bytes.left);
  }
  int64_t frame = 0;
  bool written = cps_journal_replay(&journal, result, &frame);
  CHECK(frame == -1 || (written && frame == 3));
  if (!sound)
    CHECK(frame == -1 && lseek(result, 0, SEEK_END) == 0);  // no bytes of the fuzzer have the checksum by chance
  cps_journal_close(&journal, true);
  close(result);
  return 0;
}
