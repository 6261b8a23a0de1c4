// Writing `.hair` (the layout is described in yuksel.c).
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/fail.h"
#include "io/hair/internal.h"

enum { HEAD = 128, ABOUT = 40, ABOUT_SIZE = 88, MOST_POINTS = 65536 };

static void put_u32(unsigned char* at, uint32_t value) {
  for (int i = 0; i < 4; ++i) at[i] = (unsigned char)(value >> (8 * i));
}

static void put_f32(unsigned char* at, double value) {
  float narrow = (float)value;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  put_u32(at, bits);
}

static bool fits(double value) {
  return fabs(value) <= FLT_MAX;
}

static CpsStatus check(const char* path, const CpsHair* hair, CpsError* error) {
  if (hair->strand_count < 0 || hair->point_count < 0 || hair->point_count > UINT32_MAX || !hair->first ||
      !hair->points || hair->first[0] != 0 || hair->first[hair->strand_count] != hair->point_count) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, path, NULL, "the strands do not fit their points");
  }
  for (int32_t s = 0; s < hair->strand_count; ++s) {
    int64_t count = hair->first[s + 1] - hair->first[s];
    if (count >= 2 && count <= MOST_POINTS) continue;
    return cps_io_fail(error, CPS_BAD_DATA, path, NULL, "strand %d has %lld points; 2 to %d can be written", (int)s + 1,
                       (long long)count, MOST_POINTS);
  }
  for (int64_t i = 0; i < hair->point_count; ++i) {
    CpsVec3 p = hair->points[i];
    if (fits(p.x) && fits(p.y) && fits(p.z) && (!hair->thickness || fits(hair->thickness[i]))) continue;
    return cps_io_fail(error, CPS_BAD_DATA, path, NULL, "point %lld does not fit a 32-bit float", (long long)i + 1);
  }
  return fits(hair->diameter) ? CPS_OK : cps_io_fail(error, CPS_BAD_DATA, path, NULL, "the diameter is not finite");
}

static void write_head(const CpsHair* hair, unsigned char* bytes) {
  static const unsigned char MARK[4] = {'H', 'A', 'I', 'R'};
  memcpy(bytes, MARK, sizeof MARK);
  put_u32(bytes + 4, (uint32_t)hair->strand_count);
  put_u32(bytes + 8, (uint32_t)hair->point_count);
  put_u32(bytes + 12, hair->thickness ? 7 : 3);
  put_f32(bytes + 20, hair->diameter);
  for (int i = 0; i < 3; ++i) put_f32(bytes + 28 + 4 * i, 0.5);  // grey, after a transparency of 0
  size_t length = strnlen(hair->about, sizeof hair->about);
  memcpy(bytes + ABOUT, hair->about, length < ABOUT_SIZE ? length : ABOUT_SIZE);
}

CpsStatus cps_hair_write(const char* path, const CpsHair* hair, CpsError* error) {
  if (!path || !hair) return cps_io_fail(error, CPS_BAD_ARGUMENT, path ? path : "", NULL, "an argument is NULL");
  CpsStatus status = check(path, hair, error);
  if (status != CPS_OK) return status;
  size_t strands = (size_t)hair->strand_count, points = (size_t)hair->point_count;
  size_t size = HEAD + 2 * strands + (hair->thickness ? 16 : 12) * points;
  unsigned char* bytes = calloc(size, 1);
  if (!bytes) return cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
  write_head(hair, bytes);
  unsigned char* at = bytes + HEAD;
  for (size_t s = 0; s < strands; ++s, at += 2) {
    uint32_t segments = (uint32_t)(hair->first[s + 1] - hair->first[s] - 1);
    at[0] = (unsigned char)segments;
    at[1] = (unsigned char)(segments >> 8);
  }
  for (size_t i = 0; i < points; ++i, at += 12) {
    put_f32(at, hair->points[i].x);
    put_f32(at + 4, hair->points[i].y);
    put_f32(at + 8, hair->points[i].z);
  }
  for (size_t i = 0; hair->thickness && i < points; ++i, at += 4) put_f32(at, hair->thickness[i]);
  status = cps_file_replace(path, bytes, size, error);
  free(bytes);
  if (status == CPS_OK && error) error->text[0] = '\0';
  return status;
}
