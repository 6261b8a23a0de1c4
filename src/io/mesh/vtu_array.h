// The arrays of VTK's XML files: text, base64 or appended bytes, compressed or not.
#ifndef CAPSTAN_IO_MESH_VTU_ARRAY_H
#define CAPSTAN_IO_MESH_VTU_ARRAY_H

#include "io/mesh/internal.h"
#include "io/mesh/numbers.h"

typedef enum CpsVtuFormat { CPS_VTU_NONE, CPS_VTU_TEXT, CPS_VTU_BASE64, CPS_VTU_APPENDED } CpsVtuFormat;

typedef struct CpsVtuArray {
  CpsVtuFormat format;  // CPS_VTU_NONE: there is no such array
  CpsNumberType type;
  int64_t components;
  int64_t offset;           // appended: from the mark on
  const char *text, *stop;  // otherwise: the text between the tags
  int64_t line;             // of its tag
} CpsVtuArray;

// Properties of all arrays, from the head of the file.
typedef struct CpsVtuCoding {
  bool big;                                      // byte order
  size_t header;                                 // bytes of a count: 4 or 8
  bool compressed;                               // by zlib
  bool appended_text;                            // appended data are base64
  const unsigned char *appended, *appended_end;  // behind the mark '_'; NULL: none
} CpsVtuCoding;

// Decodes the numbers of an array. Free *bytes with free() after reading them.
CpsStatus cps_vtu_open(const CpsMeshBuild* build, const CpsVtuCoding* coding, const CpsVtuArray* array,
                       CpsNumbers* numbers, unsigned char** bytes);

#endif
