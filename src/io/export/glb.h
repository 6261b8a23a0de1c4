// The two halves of a growing binary glTF file: the JSON text in memory, the numbers in a temporary file.
#ifndef CAPSTAN_IO_EXPORT_GLB_H
#define CAPSTAN_IO_EXPORT_GLB_H

#include "io/export/out.h"

typedef enum CpsGlbUse { CPS_GLB_VERTICES = 34962, CPS_GLB_INDICES = 34963, CPS_GLB_PLAIN = 0 } CpsGlbUse;

typedef struct CpsGlb {
  FILE* numbers;    // a temporary file that has no name
  uint64_t length;  // bytes in it
  int reason;       // errno of the first write that failed; 0: none
  int32_t accessors;
  CpsGrow accessor_text, view_text;  // JSON of the accessors and buffer views, one view for each accessor
  CpsGrow scratch;
} CpsGlb;

// False: the temporary file could not be created; errno gives the reason.
bool cps_glb_begin(CpsGlb* glb);
void cps_glb_free(CpsGlb* glb);
// Adds single-precision numbers, `width` (1, 3 or 4) for each of `count`; `bounds`: also stores their minimum and maximum.
// @return the number of the accessor
int32_t cps_glb_floats(CpsGlb* glb, const float* values, int64_t count, int width, CpsGlbUse use, bool bounds);
// Adds indices of vertices.
int32_t cps_glb_indices(CpsGlb* glb, const uint32_t* values, int64_t count);
// Writes header, JSON and numbers. Adds the accessors, the buffers and the closing bracket to `json`.
void cps_glb_write(CpsGlb* glb, CpsGrow* json, CpsOut* out);

#endif
