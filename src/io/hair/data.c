// Reading `.data` of USC-HairSalon (Hu, Ma, Luo and Li 2015). Little endian, without a mark of its own:
//
//   i32 strands, then for each strand i32 n, f32 xyz[n]
//
// A strand of one point stands for "no hair at this root". The counts must lead exactly to the end of the file.
#include "io/hair/internal.h"

CpsStatus cps_hair_from_data(const CpsHairFile* file, CpsHair* raw) {
  uint32_t strands = file->size >= 8 ? cps_le_u32(file->bytes) : 0;
  // each strand takes four bytes at least
  if (strands == 0 || strands > (file->size - 4) / 4) {
    return cps_hair_refuse(file, "is no file of strands (.hair, .ply or USC .data)");
  }
  int64_t points = 0;
  size_t at = 4;
  for (uint32_t i = 0; i < strands; ++i) {
    uint32_t n = file->size - at >= 4 ? cps_le_u32(file->bytes + at) : UINT32_MAX;
    if (n == UINT32_MAX || n > (file->size - at - 4) / 12) {
      return cps_hair_refuse(file, "is no file of strands, or ends within strand %lu of %lu", (unsigned long)i + 1,
                             (unsigned long)strands);
    }
    points += n;
    at += 4 + 12 * (size_t)n;
  }
  if (at != file->size) return cps_hair_refuse(file, "is no file of strands, or goes on after its last strand");
  CpsStatus status = cps_hair_take(file, strands, points, false, raw);
  if (status != CPS_OK) return status;
  const unsigned char* byte = file->bytes + 4;
  int64_t used = 0;
  for (uint32_t i = 0; i < strands; ++i) {
    uint32_t n = cps_le_u32(byte);
    byte += 4;
    raw->first[i] = used;
    for (uint32_t k = 0; k < n; ++k, byte += 12) {
      raw->points[used++] = (CpsVec3){cps_le_f32(byte), cps_le_f32(byte + 4), cps_le_f32(byte + 8)};
    }
  }
  raw->first[strands] = used;
  return CPS_OK;
}
