// Numbers read from the fuzzer's bytes; past their end everything is 0.
#ifndef CAPSTAN_TESTS_FUZZ_BYTES_H
#define CAPSTAN_TESTS_FUZZ_BYTES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Bytes {
  const uint8_t* data;
  size_t left;
} Bytes;

static inline int next_byte(Bytes* bytes) {
  if (bytes->left == 0) return 0;
  bytes->left--;
  return *bytes->data++;
}

// 0 … count-1
static inline int next_below(Bytes* bytes, int count) {
  return next_byte(bytes) % count;
}

// A small number that is often a round one: sixteenths between -8 and 8.
static inline double next_number(Bytes* bytes) {
  return (next_byte(bytes) - 128) / 16.0;
}

// A power of ten, mostly 1.
static inline double next_scale(Bytes* bytes) {
  static const double SCALES[] = {1, 1, 1, 1, 1, 1e-3, 1e3, 1e-8, 1e8, 1e-30, 1e30, 1e-150, 1e150, 1e-300, 1e300, 0};
  return SCALES[next_below(bytes, 16)];
}

// The fuzzer sees a failed check as a crash.
#define CHECK(condition)                                                             \
  do {                                                                               \
    if (!(condition)) {                                                              \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                       \
    }                                                                                \
  } while (0)

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#endif
