// The fields of grains in files of VTK: the cells of the grid that have particles, with the means of these. See pvd_fields.c.
#ifndef CAPSTAN_IO_EXPORT_PVD_FIELDS_H
#define CAPSTAN_IO_EXPORT_PVD_FIELDS_H

#include "io/export/internal.h"
#include "io/export/vtp.h"

// Whether a result has the data for fields: grains on a grid, with their stress.
bool cps_pvd_has_fields(const CpsExport* e);
// Those of a frame, which was read.
CpsStatus cps_pvd_fields(CpsVtp* vtp, CpsExport* e, const CpsFrame* frame);

#endif
