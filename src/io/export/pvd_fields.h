// Fields of grains in VTK files: the grid cells that contain particles, with the means over these. See pvd_fields.c.
#ifndef CAPSTAN_IO_EXPORT_PVD_FIELDS_H
#define CAPSTAN_IO_EXPORT_PVD_FIELDS_H

#include "io/export/internal.h"
#include "io/export/vtp.h"

// Whether a result has the data for fields: grains on a grid, with their stress.
bool cps_pvd_has_fields(const CpsExport* e);
// Writes the fields of a frame that has been read.
CpsStatus cps_pvd_fields(CpsVtp* vtp, CpsExport* e, const CpsFrame* frame);

#endif
