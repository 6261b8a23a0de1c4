// One .vtp file of VTK (polygons, lines and points) or one .vtu file (cells) with arrays, kept in memory until it is written. The
// arrays are raw bytes after the text.
#ifndef CAPSTAN_IO_EXPORT_VTP_H
#define CAPSTAN_IO_EXPORT_VTP_H

#include "io/export/out.h"

typedef enum CpsVtpPart {
  CPS_VTP_FIELD,
  CPS_VTP_POINT_DATA,
  CPS_VTP_CELL_DATA,
  CPS_VTP_POINTS,
  CPS_VTP_VERTS,
  CPS_VTP_LINES,
  CPS_VTP_POLYS,
  CPS_VTP_CELLS,
  CPS_VTP_PARTS
} CpsVtpPart;

typedef enum CpsVtpType { CPS_VTP_FLOAT, CPS_VTP_DOUBLE, CPS_VTP_INT, CPS_VTP_LONG, CPS_VTP_BYTE } CpsVtpType;

// Zeroed: empty. Reusable for another file.
typedef struct CpsVtp {
  int64_t points, verts, lines, polys, cells;  // counts, set by the caller; with cells it is a .vtu file
  CpsGrow text[CPS_VTP_PARTS];
  CpsGrow data;
  size_t array;  // where the array being filled begins
} CpsVtp;

void cps_vtp_clear(CpsVtp* vtp);
void cps_vtp_free(CpsVtp* vtp);
// Begins an array; values follow until the next array begins. Only CPS_VTP_FIELD needs `tuples`.
void cps_vtp_array(CpsVtp* vtp, CpsVtpPart part, const char* name, CpsVtpType type, int components, int64_t tuples);
void cps_vtp_float(CpsVtp* vtp, double value);
void cps_vtp_double(CpsVtp* vtp, double value);
void cps_vtp_vector(CpsVtp* vtp, CpsVtpType type, const double value[3]);
void cps_vtp_byte(CpsVtp* vtp, uint8_t value);
void cps_vtp_int(CpsVtp* vtp, int32_t value);
void cps_vtp_long(CpsVtp* vtp, int64_t value);
// Texts as an array of the whole file.
void cps_vtp_names(CpsVtp* vtp, const char* name, const char* const* texts, int64_t count);
// Writes the file and clears its contents.
void cps_vtp_write(CpsVtp* vtp, CpsOut* out);

#endif
