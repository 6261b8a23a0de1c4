// Journals beside a result, sealed with any pieces and then damaged, or of any bytes: replaying one writes the pieces of a sound record,
// or nothing at all, and reads nothing outside of the file.
#include <fcntl.h>

#include "io/journal.h"
#include "scratch.h"

static const char* const result_name = scratch_names[0];

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  (void)argc;
  (void)argv;
  make_folder("x.h5", "x.h5.journal");
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
