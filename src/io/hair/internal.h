// Shared by the readers of strands.
#ifndef CAPSTAN_IO_HAIR_INTERNAL_H
#define CAPSTAN_IO_HAIR_INTERNAL_H

#include "capstan/hair.h"

enum { CPS_HAIR_BYTES = 1 << 30 };  // of a file

// The bytes of a file. `text[size]` is readable and zero.
typedef struct CpsHairFile {
  const unsigned char* bytes;
  size_t size;
  const char* name;
  CpsError* error;
} CpsHairFile;

// Readers of one format: all strands of the file in `raw`, unusable ones included. Counts are compared with the size of the file
// before anything is allocated. After a failure, cps_hair_free() still frees `raw`.
CpsStatus cps_hair_from_yuksel(const CpsHairFile* file, CpsHair* raw);
CpsStatus cps_hair_from_ply(const CpsHairFile* file, CpsHair* raw);
CpsStatus cps_hair_from_data(const CpsHairFile* file, CpsHair* raw);

// Allocates that many strands and points.
CpsStatus cps_hair_take(const CpsHairFile* file, int64_t strands, int64_t points, bool thickness, CpsHair* hair);
CpsStatus cps_hair_refuse(const CpsHairFile* file, const char* format, ...) __attribute__((format(printf, 2, 3)));

// Little-endian numbers.
uint32_t cps_le_u32(const unsigned char* at);
uint16_t cps_le_u16(const unsigned char* at);
double cps_le_f32(const unsigned char* at);
double cps_le_f64(const unsigned char* at);

#endif
