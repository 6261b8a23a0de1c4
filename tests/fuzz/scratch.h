// A temporary folder for the files of a fuzz target, removed when the target exits, and files written from pieces of a format.
#ifndef CAPSTAN_TESTS_FUZZ_SCRATCH_H
#define CAPSTAN_TESTS_FUZZ_SCRATCH_H

#include "bytes.h"

#include <unistd.h>

enum { SCRATCH_FILES = 2 };

static char folder[] = "/tmp/capstan-fuzz-XXXXXX";
static char scratch_names[SCRATCH_FILES][64];

static inline void clean_up(void) {
  for (int i = 0; i < SCRATCH_FILES; ++i) (void)unlink(scratch_names[i]);
  (void)rmdir(folder);
}

// Makes the folder, and the names of one or two files in it; `second` may be NULL.
static inline void make_folder(const char* first, const char* second) {
  const char* const files[SCRATCH_FILES] = {first, second};
  CHECK(mkdtemp(folder));
  for (int i = 0; i < SCRATCH_FILES; ++i) {
    if (files[i]) (void)snprintf(scratch_names[i], sizeof scratch_names[i], "%s/%s", folder, files[i]);
  }
  CHECK(atexit(clean_up) == 0);
}

// Writes `begin`, then what at most `most` of the fuzzer's bytes stand for: a piece of the format, one character, or, for 255, the end of the file.
static inline void write_pieces(const char* name, const char* begin, const char* const* pieces, int count, Bytes* bytes,
                                size_t most) {
  FILE* out = fopen(name, "wb");
  CHECK(out && fputs(begin, out) >= 0);
  for (int choice; bytes->left > 0 && most > 0 && (choice = next_byte(bytes)) != 255; --most) {
    if (choice < 200) {
      CHECK(fputs(pieces[choice % count], out) >= 0);
    } else {
      CHECK(fputc(choice == 254 ? 0 : choice == 253 ? 0xff : choice - 200 + ' ', out) != EOF);
    }
  }
  CHECK(fclose(out) == 0);
}

int LLVMFuzzerInitialize(int* argc, char*** argv);

#endif
