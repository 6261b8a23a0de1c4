// Reading `.data` of USC-HairSalon (Hu, Ma, Luo and Li 2015) and `.bin` of CT2Hair (Shen et al. 2023). Little endian, without a
// mark of their own:
//
//   i32 strands, then for each strand i32 n, f32 xyz[n]; CT2Hair: seven numbers for each point, of which xyz are the first
//
// A strand of one point stands for "no hair at this root". The counts must lead exactly to the end of the file, which also
// tells the two apart.
#include "io/hair/internal.h"

// The number of points of all strands for this size of a point; -1 if the counts do not lead to the end of the file.
// `ends`: the strand in which the file ends.
static int64_t count_points(const CpsHairFile* file, uint32_t strands, size_t size, uint32_t* ends) {
  int64_t points = 0;
  size_t at = 4;
  for (uint32_t i = 0; i < strands; ++i) {
    uint32_t n = file->size - at >= 4 ? cps_le_u32(file->bytes + at) : UINT32_MAX;
    *ends = i;
    if (n == UINT32_MAX || n > (file->size - at - 4) / size) return -1;
    points += n;
    at += 4 + size * n;
  }
  *ends = strands;
  return at == file->size ? points : -1;
}

CpsStatus cps_hair_from_data(const CpsHairFile* file, CpsHair* raw) {
  uint32_t strands = file->size >= 8 ? cps_le_u32(file->bytes) : 0, ends, others;
  // each strand takes at least four bytes
  if (strands == 0 || strands > (file->size - 4) / 4) {
    return cps_hair_refuse(file, "is not a strand file (.hair, .ply, USC .data or CT2Hair .bin)");
  }
  size_t size = 12;
  int64_t points = count_points(file, strands, size, &ends);
  if (points < 0) {
    size = 28;
    points = count_points(file, strands, size, &others);
  }
  if (points < 0 && ends == strands) {
    return cps_hair_refuse(file, "is not a strand file, or continues after its last strand");
  }
  if (points < 0) {
    return cps_hair_refuse(file, "is not a strand file, or ends within strand %lu of %lu", (unsigned long)ends + 1,
                           (unsigned long)strands);
  }
  CpsStatus status = cps_hair_take(file, strands, points, false, raw);
  if (status != CPS_OK) return status;
  const unsigned char* byte = file->bytes + 4;
  int64_t used = 0;
  for (uint32_t i = 0; i < strands; ++i) {
    uint32_t n = cps_le_u32(byte);
    byte += 4;
    raw->first[i] = used;
    for (uint32_t k = 0; k < n; ++k, byte += size) {
      raw->points[used++] = (CpsVec3){cps_le_f32(byte), cps_le_f32(byte + 4), cps_le_f32(byte + 8)};
    }
  }
  raw->first[strands] = used;
  return CPS_OK;
}
