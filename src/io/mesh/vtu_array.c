// Unpacking the arrays of VTK's XML files.
//
//   not compressed:  [bytes] data
//   compressed:      [blocks] [bytes of a block] [bytes of the last, 0: as the others] [packed bytes of each] blocks
//
// The numbers in brackets have 4 or 8 bytes. In base64 the brackets may end in padding of their own before the data go
// on.
#include "io/mesh/vtu_array.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const uint64_t MOST_BYTES = (uint64_t)4 << 30;  // per array

typedef struct Source {
  const unsigned char *at, *end;
  bool text;  // base64
  unsigned char carry[3];
  int carried;
} Source;

static int digit_of(unsigned char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Decodes four characters to up to three bytes.
static bool take_quad(Source* source) {
  uint32_t bits = 0;
  int digits = 0, padding = 0;
  while (digits + padding < 4 && source->at < source->end) {
    const unsigned char c = *source->at;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      source->at++;
      continue;
    }
    const int digit = digit_of(c);
    if (digit < 0 && c != '=') return false;
    if (digit >= 0 && padding > 0) return false;
    if (digit >= 0) {
      bits = bits << 6 | (uint32_t)digit;
      digits++;
    } else {
      padding++;
    }
    source->at++;
  }
  if (digits < 2 || digits + padding != 4) return false;
  bits <<= 6 * padding;
  source->carried = digits - 1;
  for (int i = 0; i < source->carried; ++i) {  // the first byte is on top
    source->carry[source->carried - 1 - i] = (unsigned char)(bits >> (16 - 8 * i));
  }
  return true;
}

// An upper bound of the remaining bytes.
static uint64_t bytes_left(const Source* source) {
  const uint64_t there = (uint64_t)(source->end - source->at);
  return source->text ? there / 4 * 3 + (uint64_t)source->carried : there;
}

static bool take_bytes(Source* source, unsigned char* out, uint64_t count) {
  if (count > bytes_left(source)) return false;
  if (!source->text) {
    memcpy(out, source->at, (size_t)count);
    source->at += count;
    return true;
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (source->carried == 0 && !take_quad(source)) return false;
    out[i] = source->carry[--source->carried];
  }
  return true;
}

// Reads the header; a value too large for a count becomes negative.
static bool take_count(Source* source, const CpsVtuCoding* coding, int64_t* count) {
  unsigned char bytes[8];
  if (!take_bytes(source, bytes, coding->header)) return false;
  CpsNumbers number = {.at = bytes,
                       .end = bytes + coding->header,
                       .type = coding->header == 8 ? CPS_NUMBER_U64 : CPS_NUMBER_U32,
                       .big = coding->big};
  return cps_numbers_integer(&number, count) && *count >= 0;
}

static CpsStatus refuse(const CpsMeshBuild* build, const CpsVtuArray* array, const char* what) {
  return cps_mesh_refuse(build, "the array in line %lld %s", (long long)array->line, what);
}

// Unpacks one block of `size` bytes from `packed` bytes.
static bool take_block(Source* source, int64_t packed, unsigned char* out, int64_t size) {
  unsigned char* copy = NULL;
  const unsigned char* from = source->at;
  if ((uint64_t)packed > bytes_left(source)) return false;
  if (source->text) {
    copy = malloc((size_t)packed + 1);
    if (!copy || !take_bytes(source, copy, (uint64_t)packed)) {
      free(copy);
      return false;
    }
    from = copy;
  } else {
    source->at += packed;
  }
  uLongf length = (uLongf)size;
  const bool done = uncompress(out, &length, from, (uLong)packed) == Z_OK && length == (uLongf)size;
  free(copy);
  return done;
}

static CpsStatus unpack(const CpsMeshBuild* build, const CpsVtuCoding* coding, const CpsVtuArray* array, Source* source,
                        unsigned char** bytes, int64_t* size) {
  int64_t blocks, each, last;
  if (!take_count(source, coding, &blocks) || !take_count(source, coding, &each) ||
      !take_count(source, coding, &last) || (uint64_t)blocks > bytes_left(source) / coding->header || last > each) {
    return refuse(build, array, "does not name its compressor");
  }
  // the largest compression factor of zlib is 1032
  const uint64_t most = bytes_left(source) < MOST_BYTES / 1100 ? 1100 * bytes_left(source) + 1100 : MOST_BYTES;
  const int64_t end = last > 0 ? last : each;
  if (blocks > 0 && ((uint64_t)end > most || (blocks > 1 && (uint64_t)each > most / (uint64_t)(blocks - 1)))) {
    return refuse(build, array, "is larger than the file can hold");
  }
  int64_t* packed = malloc(((size_t)blocks + 1) * sizeof *packed);
  *size = blocks > 0 ? (blocks - 1) * each + end : 0;
  *bytes = malloc((size_t)*size + 1);
  CpsStatus status = packed && *bytes ? CPS_OK : cps_mesh_no_memory(build);
  for (int64_t i = 0; status == CPS_OK && i < blocks; ++i) {
    if (!take_count(source, coding, &packed[i])) status = refuse(build, array, "ends inside its block sizes");
  }
  for (int64_t i = 0; status == CPS_OK && i < blocks; ++i) {
    const int64_t length = i == blocks - 1 ? end : each;
    if (!take_block(source, packed[i], *bytes + i * each, length))
      status = refuse(build, array, "cannot be decompressed");
  }
  free(packed);
  return status;
}

static CpsStatus copy_plain(const CpsMeshBuild* build, const CpsVtuCoding* coding, const CpsVtuArray* array,
                            Source* source, unsigned char** bytes, int64_t* size) {
  if (!take_count(source, coding, size) || (uint64_t)*size > bytes_left(source)) {
    return refuse(build, array, "is longer than its data");
  }
  *bytes = malloc((size_t)*size + 1);
  if (!*bytes) return cps_mesh_no_memory(build);
  return take_bytes(source, *bytes, (uint64_t)*size) ? CPS_OK : refuse(build, array, "is not base64");
}

CpsStatus cps_vtu_open(const CpsMeshBuild* build, const CpsVtuCoding* coding, const CpsVtuArray* array,
                       CpsNumbers* numbers, unsigned char** bytes) {
  const unsigned char *text = (const unsigned char*)array->text, *stop = (const unsigned char*)array->stop;
  *numbers = (CpsNumbers){.type = array->type, .big = coding->big, .line = array->line};
  *bytes = NULL;
  if (array->format == CPS_VTU_TEXT) {
    numbers->text = true;
    numbers->at = text;
    numbers->end = stop;
    return CPS_OK;
  }
  Source source = {.at = text, .end = stop, .text = true};
  if (array->format == CPS_VTU_APPENDED) {
    if (!coding->appended || array->offset > coding->appended_end - coding->appended) {
      return refuse(build, array, "lies beyond the end of the file");
    }
    source =
        (Source){.at = coding->appended + array->offset, .end = coding->appended_end, .text = coding->appended_text};
  }
  int64_t size = 0;
  CpsStatus status = coding->compressed ? unpack(build, coding, array, &source, bytes, &size)
                                        : copy_plain(build, coding, array, &source, bytes, &size);
  numbers->at = *bytes;
  numbers->end = *bytes ? *bytes + size : NULL;
  return status;
}
