// Files of strands. Half of the inputs are taken as they are; the other half choose a format and its counts, so that the
// fuzzer soon gets past the head. Reading must end in strands that are sound, or in a
// negative status with a message of one line.
#include "bytes.h"

#include <capstan/hair.h>
#include <string.h>

enum { MOST = 4096 };

typedef struct File {
  uint8_t bytes[MOST];
  size_t size;
} File;

static void put(File* file, const void* bytes, size_t size) {
  if (file->size + size > MOST) return;
  memcpy(file->bytes + file->size, bytes, size);
  file->size += size;
}

static void put_u32(File* file, uint32_t value) {
  uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
  put(file, bytes, 4);
}

static void put_rest(Bytes* bytes, File* file, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    uint8_t byte = (uint8_t)next_byte(bytes);
    put(file, &byte, 1);
  }
}

static void make_yuksel(Bytes* bytes, File* file) {
  uint32_t strands = (uint32_t)next_below(bytes, 5), segments = (uint32_t)next_below(bytes, 4);
  uint32_t points = strands * (segments + 1) + (uint32_t)(next_byte(bytes) > 250),
           arrays = (uint32_t)next_below(bytes, 33);
  put(file, "HAIR", 4);
  put_u32(file, strands);
  put_u32(file, points);
  put_u32(file, arrays);
  put_u32(file, segments);
  put_rest(bytes, file, 108);
  for (uint32_t i = 0; (arrays & 1) && i < strands; ++i) {
    uint8_t count[2] = {(uint8_t)(segments + (next_byte(bytes) > 250)), 0};
    put(file, count, 2);
  }
  uint32_t floats = (arrays & 2 ? 3 : 0) + (arrays & 4 ? 1 : 0) + (arrays & 8 ? 1 : 0) + (arrays & 16 ? 3 : 0);
  put_rest(bytes, file, (size_t)4 * floats * points);
}

static void make_data(Bytes* bytes, File* file) {
  uint32_t strands = (uint32_t)next_below(bytes, 6), size = next_below(bytes, 2) ? 12 : 28;
  put_u32(file, strands);
  for (uint32_t i = 0; i < strands; ++i) {
    uint32_t points = (uint32_t)next_below(bytes, 5);
    put_u32(file, points);
    put_rest(bytes, file, (size_t)size * points);
  }
}

static void make_ply(Bytes* bytes, File* file) {
  static const char* const LINES[] = {"format ascii 1.0\n",        "format binary_little_endian 1.0\n",
                                      "element vertex 2\n",        "element vertex 4\n",
                                      "property float x\n",        "property double y\n",
                                      "property float z\n",        "property int segment\n",
                                      "property uchar strand\n",   "property short actual\n",
                                      "property float ra\n",       "element face 0\n",
                                      "property list int int v\n", "comment x\n",
                                      "element face 2\n",          "format  ascii\n",
                                      "element strand 2\n",        "property uchar nsegs\n",
                                      "element edge 3\n",          "property uchar vertex1\n",
                                      "property uchar vertex2\n"};
  static const char USUAL[] =
      "element vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty int segment\nproperty float "
      "ra\n";
  static const char DIVIDED[] =
      "element vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement edge 2\nproperty uchar vertex1\n"
      "property uchar vertex2\nelement strand 2\nproperty uchar nsegs\n";
  put(file, "ply\n", 4);
  bool text = next_below(bytes, 2);
  if (next_below(bytes, 2)) {
    put(file, LINES[text ? 0 : 1], strlen(LINES[text ? 0 : 1]));
    put(file, USUAL, sizeof USUAL - 1);
  } else if (next_below(bytes, 2)) {
    put(file, LINES[text ? 0 : 1], strlen(LINES[text ? 0 : 1]));
    put(file, DIVIDED, sizeof DIVIDED - 1);
  } else {
    int lines = next_below(bytes, 14);
    for (int i = 0; i < lines; ++i) {
      const char* line = LINES[next_below(bytes, 21)];
      put(file, line, strlen(line));
    }
  }
  put(file, "end_header\n", 11);
  if (!text) {
    put_rest(bytes, file, next_below(bytes, 8) ? 80 : (size_t)next_byte(bytes));
    return;
  }
  for (int i = 0; i < 20; ++i) {
    char number[16];
    (void)snprintf(number, sizeof number, "%g%c", next_number(bytes), i % 5 == 4 ? '\n' : ' ');
    put(file, number, strlen(number));
  }
}

static void check_sound(const CpsHair* hair) {
  CHECK(hair->strand_count > 0 && hair->first[0] == 0 && hair->first[hair->strand_count] == hair->point_count);
  for (int32_t s = 0; s < hair->strand_count; ++s) CHECK(hair->first[s + 1] - hair->first[s] >= 2);
  for (int64_t i = 0; i < hair->point_count; ++i) {
    CHECK(isfinite(hair->points[i].x) && isfinite(hair->points[i].y) && isfinite(hair->points[i].z));
    CHECK(!hair->thickness || isfinite(hair->thickness[i]));
  }
  CHECK(memchr(hair->about, '\0', sizeof hair->about) && !strchr(hair->about, '\n'));
  CpsHairFacts facts = cps_hair_facts(hair);
  CHECK(facts.points_min >= 2 && facts.length_min >= 0.0 && facts.lower.x <= facts.upper.x);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  static File file;
  file.size = 0;
  switch (next_below(&bytes, 6)) {
    case 0:
      make_yuksel(&bytes, &file);
      break;
    case 1:
      make_data(&bytes, &file);
      break;
    case 2:
      make_ply(&bytes, &file);
      break;
    default:
      put(&file, bytes.data, bytes.left);
  }
  uint8_t* exact = malloc(file.size + 1);  // so that the sanitizer sees its end
  CHECK(exact);
  memcpy(exact, file.bytes, file.size);
  CpsHair hair = {0};
  CpsError error = {""};
  CpsStatus status = cps_hair_parse(exact, file.size, "fuzz", &hair, &error);
  free(exact);
  if (status == CPS_OK) {
    CHECK(!error.text[0]);
    check_sound(&hair);
  } else {
    CHECK(status < 0 && status != CPS_BAD_ARGUMENT && !hair.points);
    CHECK(strncmp(error.text, "fuzz: ", 6) == 0 && !strchr(error.text, '\n'));
  }
  cps_hair_free(&hair);
  return 0;
}
