#include "io/export/pvd_grains.h"

#include <stdlib.h>

#include "io/result/reader.h"

typedef struct Array {
  const char* name;
  int which;  // dataset of the result
  CpsVtpPart part;
  int components;
} Array;

static const Array ARRAYS[] = {
    {"points", CPS_FRAME_GRAIN_POSITION, CPS_VTP_POINTS, 3},
    {"velocity", CPS_FRAME_GRAIN_VELOCITY, CPS_VTP_POINT_DATA, 3},
    {"fraction", CPS_FRAME_GRAIN_FRACTION, CPS_VTP_POINT_DATA, 1},
    {"pressure", CPS_FRAME_GRAIN_PRESSURE, CPS_VTP_POINT_DATA, 1},
    {"status", CPS_FRAME_GRAIN_STATUS, CPS_VTP_POINT_DATA, 1},
    {"stress", CPS_FRAME_GRAIN_STRESS, CPS_VTP_POINT_DATA, 6},
};

CpsStatus cps_pvd_grains(CpsVtp* vtp, CpsExport* e, int64_t frame) {
  const int64_t count = e->result->info.particles;
  double* values = malloc(6 * (size_t)count * sizeof *values);
  if (!values) return cps_export_no_memory(e);
  CpsStatus status = CPS_OK;
  vtp->points = vtp->verts = count;
  e->result->h5.error = e->error;
  H5E_BEGIN_TRY {
    for (size_t a = 0; status == CPS_OK && a < sizeof ARRAYS / sizeof *ARRAYS; ++a) {
      if (!cps_result_has(e->result, ARRAYS[a].which)) continue;
      status = cps_result_rows(e->result, ARRAYS[a].which, frame, 1, H5T_NATIVE_DOUBLE, values);
      cps_vtp_array(vtp, ARRAYS[a].part, ARRAYS[a].name, CPS_VTP_FLOAT, ARRAYS[a].components, 0);
      for (int64_t i = 0; status == CPS_OK && i < count * ARRAYS[a].components; ++i) cps_vtp_float(vtp, values[i]);
    }
  }
  H5E_END_TRY
  e->result->h5.error = NULL;
  free(values);
  cps_vtp_array(vtp, CPS_VTP_VERTS, "connectivity", CPS_VTP_LONG, 1, 0);
  for (int64_t i = 0; i < count; ++i) cps_vtp_long(vtp, i);
  cps_vtp_array(vtp, CPS_VTP_VERTS, "offsets", CPS_VTP_LONG, 1, 0);
  for (int64_t i = 1; i <= count; ++i) cps_vtp_long(vtp, i);
  return status;
}
