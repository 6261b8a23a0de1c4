#include "io/result/packed.h"

#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

enum { HEAD = 8, LEVEL = 1, MOST_RATIO = 1040 };  // deflate compresses at most by a factor of 1032

size_t cps_packed_room(size_t size) {
  return HEAD + (size_t)compressBound((uLong)size);
}

size_t cps_packed_write(const void* bytes, size_t size, void* out, size_t room) {
  unsigned char* at = out;
  uLongf packed = (uLongf)(room - HEAD);
  for (int i = 0; i < HEAD; ++i) at[i] = (unsigned char)((uint64_t)size >> (8 * i));
  if (compress2(at + HEAD, &packed, bytes, (uLong)size, LEVEL) != Z_OK) return 0;
  return HEAD + (size_t)packed;
}

CpsStatus cps_packed_read(const void* packed, size_t size, void** bytes, size_t* count) {
  const unsigned char* at = packed;
  uint64_t wanted = 0;
  if (size < HEAD) return CPS_BAD_FORMAT;
  for (int i = 0; i < HEAD; ++i) wanted |= (uint64_t)at[i] << (8 * i);
  if (wanted / MOST_RATIO > size) return CPS_BAD_FORMAT;
  unsigned char* out = malloc((size_t)wanted + 1);
  if (!out) return CPS_NO_MEMORY;
  uLongf found = (uLongf)wanted;
  int result = uncompress(out, &found, at + HEAD, (uLong)(size - HEAD));
  if (result != Z_OK || found != wanted) {
    free(out);
    return result == Z_MEM_ERROR ? CPS_NO_MEMORY : CPS_BAD_FORMAT;
  }
  *bytes = out;
  *count = (size_t)wanted;
  return CPS_OK;
}
