// Reading `.hair` (Yuksel, Schaefer and Keyser 2009). Little endian; a head of 128 bytes, then the arrays whose bit is
// set, in this order:
//
//   "HAIR", u32 strands, u32 points, u32 arrays, u32 default segments, f32 thickness, f32 transparency, f32 colour[3],
//   char about[88]
//   1: u16 segments[strands]   2: f32 xyz[points]   4: f32 thickness[points]   8: f32 transparency[points]
//   16: f32 rgb[points]
//
// A strand of n segments has n + 1 points. The points of the strands and the size of the file must fit exactly.
#include <math.h>
#include <string.h>

#include "io/hair/internal.h"

enum { HEAD = 128, ABOUT = 40, SEGMENTS = 1, POINTS = 2, THICKNESS = 4, TRANSPARENCY = 8, COLOUR = 16, ALL = 31 };

typedef struct Head {
  uint32_t strands, points, arrays, segments;
} Head;

static CpsStatus check_head(const CpsHairFile* file, const Head* head) {
  if (head->arrays & ~(uint32_t)ALL) return cps_hair_refuse(file, "holds arrays of an unknown kind");
  if (!(head->arrays & POINTS)) return cps_hair_refuse(file, "holds no points");
  uint64_t per_point = 12;
  if (head->arrays & THICKNESS) per_point += 4;
  if (head->arrays & TRANSPARENCY) per_point += 4;
  if (head->arrays & COLOUR) per_point += 12;
  uint64_t size = HEAD + per_point * head->points;
  if (head->arrays & SEGMENTS) size += 2 * (uint64_t)head->strands;
  if (size != file->size) {
    return cps_hair_refuse(file, "%lu strands and %lu points need %llu bytes, and the file has %zu",
                           (unsigned long)head->strands, (unsigned long)head->points, (unsigned long long)size,
                           file->size);
  }
  // without segments each strand has at least one point, so that the file size also bounds the strands
  if (!(head->arrays & SEGMENTS) && ((uint64_t)head->segments + 1) * head->strands != head->points) {
    return cps_hair_refuse(file, "%lu strands of %lu segments do not make %lu points", (unsigned long)head->strands,
                           (unsigned long)head->segments, (unsigned long)head->points);
  }
  return CPS_OK;
}

// Reads the first point of each strand.
static CpsStatus read_strands(const CpsHairFile* file, const Head* head, CpsHair* hair) {
  int64_t points = 0;
  hair->first[0] = 0;
  for (uint32_t i = 0; i < head->strands; ++i) {
    uint32_t segments = head->arrays & SEGMENTS ? cps_le_u16(file->bytes + HEAD + 2 * (size_t)i) : head->segments;
    points += (int64_t)segments + 1;
    hair->first[i + 1] = points;
  }
  if (points == (int64_t)head->points) return CPS_OK;
  return cps_hair_refuse(file, "the strands have %lld points together, and the file %lu", (long long)points,
                         (unsigned long)head->points);
}

// The text of the head as one line.
static void read_about(const CpsHairFile* file, CpsHair* hair) {
  size_t used = 0;
  for (size_t i = ABOUT; i < HEAD && file->bytes[i]; ++i) {
    unsigned char c = file->bytes[i];
    hair->about[used++] = c < ' ' || c == 127 ? ' ' : (char)c;
  }
  hair->about[used] = '\0';
}

CpsStatus cps_hair_from_yuksel(const CpsHairFile* file, CpsHair* raw) {
  if (file->size < HEAD) return cps_hair_refuse(file, "ends inside the header of a .hair file");
  const Head head = {cps_le_u32(file->bytes + 4), cps_le_u32(file->bytes + 8), cps_le_u32(file->bytes + 12),
                     cps_le_u32(file->bytes + 16)};
  CpsStatus status = check_head(file, &head);
  bool thickness = head.arrays & THICKNESS;
  if (status == CPS_OK) status = cps_hair_take(file, head.strands, head.points, thickness, raw);
  if (status == CPS_OK) status = read_strands(file, &head, raw);
  if (status != CPS_OK) return status;
  const unsigned char* at = file->bytes + HEAD + (head.arrays & SEGMENTS ? 2 * (size_t)head.strands : 0);
  for (uint32_t i = 0; i < head.points; ++i, at += 12) {
    raw->points[i] = (CpsVec3){cps_le_f32(at), cps_le_f32(at + 4), cps_le_f32(at + 8)};
  }
  for (uint32_t i = 0; thickness && i < head.points; ++i, at += 4) raw->thickness[i] = cps_le_f32(at);
  double diameter = cps_le_f32(file->bytes + 20);
  raw->diameter = isfinite(diameter) && diameter > 0.0 ? diameter : 0.0;
  read_about(file, raw);
  return CPS_OK;
}
