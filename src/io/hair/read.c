// Strands from files: finds the format, and drops the strands that cannot be used.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "io/file_text.h"
#include "io/hair/internal.h"

uint32_t cps_le_u32(const unsigned char* at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

uint16_t cps_le_u16(const unsigned char* at) {
  return (uint16_t)(at[0] | at[1] << 8);
}

double cps_le_f32(const unsigned char* at) {
  uint32_t bits = cps_le_u32(at);
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

double cps_le_f64(const unsigned char* at) {
  uint64_t bits = (uint64_t)cps_le_u32(at) | (uint64_t)cps_le_u32(at + 4) << 32;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

CpsStatus cps_hair_refuse(const CpsHairFile* file, const char* format, ...) {
  char reason[sizeof file->error->text];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  return cps_io_fail(file->error, CPS_BAD_FORMAT, file->name, NULL, "%s", reason);
}

CpsStatus cps_hair_take(const CpsHairFile* file, int64_t strands, int64_t points, bool thickness, CpsHair* hair) {
  if (strands > INT32_MAX) return cps_hair_refuse(file, "%lld strands are too many", (long long)strands);
  hair->strand_count = (int32_t)strands;
  hair->point_count = points;
  hair->first = malloc(((size_t)strands + 1) * sizeof *hair->first);
  hair->points = malloc(((size_t)points + 1) * sizeof *hair->points);
  hair->thickness = thickness ? malloc(((size_t)points + 1) * sizeof *hair->thickness) : NULL;
  if (hair->first && hair->points && (!thickness || hair->thickness)) return CPS_OK;
  return cps_io_fail(file->error, CPS_NO_MEMORY, file->name, NULL, "out of memory");
}

void cps_hair_free(CpsHair* hair) {
  if (!hair) return;
  free(hair->first);
  free(hair->points);
  free(hair->thickness);
  free(hair->skipped);
  *hair = (CpsHair){0};
}

static bool is_finite(const CpsHair* hair, int64_t i) {
  CpsVec3 p = hair->points[i];
  return isfinite(p.x) && isfinite(p.y) && isfinite(p.z) && (!hair->thickness || isfinite(hair->thickness[i]));
}

static bool has_length(const CpsHair* hair, int64_t from, int64_t to) {
  CpsVec3 a = hair->points[from];
  for (int64_t i = from + 1; i < to; ++i) {
    CpsVec3 b = hair->points[i];
    if (a.x != b.x || a.y != b.y || a.z != b.z) return true;
  }
  return false;
}

typedef enum Use { USED, TOO_SHORT, NOT_FINITE } Use;

static Use use_of(const CpsHair* hair, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; ++i) {
    if (!is_finite(hair, i)) return NOT_FINITE;
  }
  return to - from < 2 || !has_length(hair, from, to) ? TOO_SHORT : USED;
}

// Counts and lists the strands that are not used; false if memory runs out.
static bool list_useless(CpsHair* hair) {
  for (int32_t s = 0; s < hair->strand_count; ++s) {
    const Use use = use_of(hair, hair->first[s], hair->first[s + 1]);
    hair->skipped_short += use == TOO_SHORT;
    hair->skipped_bad += use == NOT_FINITE;
  }
  if (hair->skipped_short + hair->skipped_bad == 0) return true;
  hair->skipped = malloc((size_t)(hair->skipped_short + hair->skipped_bad) * sizeof *hair->skipped);
  if (!hair->skipped) return false;
  int64_t short_count = 0, bad_count = 0;
  for (int32_t s = 0; s < hair->strand_count; ++s) {
    const Use use = use_of(hair, hair->first[s], hair->first[s + 1]);
    if (use == TOO_SHORT) hair->skipped[short_count++] = s;
    if (use == NOT_FINITE) hair->skipped[hair->skipped_short + bad_count++] = s;
  }
  return true;
}

// Moves the usable strands together, in place; false if memory runs out.
static bool drop_useless(CpsHair* hair) {
  if (!list_useless(hair)) return false;
  if (!hair->skipped) return true;
  int32_t kept = 0;
  int64_t points = 0, from = hair->first[0];
  for (int32_t s = 0; s < hair->strand_count; ++s) {
    const int64_t to = hair->first[s + 1], begin = from;
    from = to;
    if (use_of(hair, begin, to) != USED) continue;
    const size_t count = (size_t)(to - begin);
    memmove(hair->points + points, hair->points + begin, count * sizeof *hair->points);
    if (hair->thickness) memmove(hair->thickness + points, hair->thickness + begin, count * sizeof *hair->thickness);
    hair->first[kept++] = points;
    points += to - begin;
  }
  hair->first[kept] = points;
  hair->strand_count = kept;
  hair->point_count = points;
  return true;
}

static bool begins_with(const CpsHairFile* file, const char* mark) {
  size_t length = strlen(mark);
  return file->size >= length && memcmp(file->bytes, mark, length) == 0;
}

static CpsStatus read_any(const CpsHairFile* file, CpsHair* raw) {
  if (begins_with(file, "HAIR")) return cps_hair_from_yuksel(file, raw);
  if (begins_with(file, "ply\n") || begins_with(file, "ply\r\n")) return cps_hair_from_ply(file, raw);
  return cps_hair_from_data(file, raw);
}

// `bytes` must be zero-terminated.
static CpsStatus parse(const unsigned char* bytes, size_t size, const char* name, CpsHair* hair, CpsError* error) {
  CpsHairFile file = {bytes, size, name, error};
  CpsHair raw = {0};
  CpsStatus status = read_any(&file, &raw);
  if (status == CPS_OK) {
    if (!drop_useless(&raw)) {
      status = cps_io_fail(error, CPS_NO_MEMORY, name, NULL, "out of memory");
    } else if (raw.strand_count == 0) {
      status = cps_io_fail(error, CPS_BAD_DATA, name, NULL, "holds no strand of two finite points");
    }
  }
  if (status != CPS_OK) {
    cps_hair_free(&raw);
    return status;
  }
  if (error) error->text[0] = '\0';
  *hair = raw;
  return CPS_OK;
}

CpsStatus cps_hair_parse(const void* bytes, size_t size, const char* name, CpsHair* hair, CpsError* error) {
  if (!name) name = "";
  if (!hair || (!bytes && size > 0)) return cps_io_fail(error, CPS_BAD_ARGUMENT, name, NULL, "an argument is NULL");
  if (size > CPS_HAIR_BYTES) return cps_io_fail(error, CPS_FILE_ERROR, name, NULL, "too large");
  unsigned char* copy = malloc(size + 1);
  if (!copy) return cps_io_fail(error, CPS_NO_MEMORY, name, NULL, "out of memory");
  if (size > 0) memcpy(copy, bytes, size);
  copy[size] = 0;
  CpsStatus status = parse(copy, size, name, hair, error);
  free(copy);
  return status;
}

CpsStatus cps_hair_read(const char* path, CpsHair* hair, CpsError* error) {
  if (!path || !hair) return cps_io_fail(error, CPS_BAD_ARGUMENT, path ? path : "", NULL, "an argument is NULL");
  char* text = NULL;
  size_t length;
  char why[CPS_FILE_WHY_SIZE];
  CpsStatus status = cps_file_text(path, CPS_HAIR_BYTES, true, &text, &length, NULL, why);
  if (status != CPS_OK) return cps_io_fail(error, status, path, NULL, "%s", why);
  status = parse((const unsigned char*)text, length, path, hair, error);
  free(text);
  return status;
}

bool cps_hair_recognise(const char* path) {
  if (!path) return false;
  size_t length = strlen(path);
  if (length > 5 && strcmp(path + length - 5, ".data") == 0) return true;
  if (length > 4 && strcmp(path + length - 4, ".bin") == 0) return true;
  if (length > 5 && strcmp(path + length - 5, ".hair") == 0) return true;
  unsigned char start[5] = {0};
  FILE* file = fopen(path, "rb");
  if (!file) return false;
  CpsHairFile head = {.bytes = start, .size = fread(start, 1, sizeof start, file)};
  (void)fclose(file);
  return begins_with(&head, "HAIR") || begins_with(&head, "ply\n") || begins_with(&head, "ply\r\n");
}

CpsHairFacts cps_hair_facts(const CpsHair* hair) {
  CpsHairFacts facts = {0};
  if (!hair || hair->strand_count <= 0) return facts;
  facts.lower = facts.upper = hair->points[hair->first[0]];
  facts.length_min = INFINITY;
  facts.points_min = INT64_MAX;
  facts.thickness_min = hair->thickness ? INFINITY : hair->diameter;
  facts.thickness_max = hair->thickness ? 0.0 : hair->diameter;
  for (int32_t s = 0; s < hair->strand_count; ++s) {
    int64_t from = hair->first[s], to = hair->first[s + 1];
    double length = 0.0;
    for (int64_t i = from; i < to; ++i) {
      CpsVec3 p = hair->points[i], q = hair->points[i > from ? i - 1 : i];
      length += hypot(hypot(p.x - q.x, p.y - q.y), p.z - q.z);
      facts.lower = (CpsVec3){fmin(facts.lower.x, p.x), fmin(facts.lower.y, p.y), fmin(facts.lower.z, p.z)};
      facts.upper = (CpsVec3){fmax(facts.upper.x, p.x), fmax(facts.upper.y, p.y), fmax(facts.upper.z, p.z)};
      if (hair->thickness) {
        facts.thickness_min = fmin(facts.thickness_min, hair->thickness[i]);
        facts.thickness_max = fmax(facts.thickness_max, hair->thickness[i]);
      }
    }
    facts.length_min = fmin(facts.length_min, length);
    facts.length_max = fmax(facts.length_max, length);
    facts.length_mean += length / hair->strand_count;
    facts.points_min = to - from < facts.points_min ? to - from : facts.points_min;
    facts.points_max = to - from > facts.points_max ? to - from : facts.points_max;
  }
  return facts;
}
