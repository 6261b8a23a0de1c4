// Particles of grains in VTK files: points with their velocity, fraction, pressure, status and stress.
#ifndef CAPSTAN_IO_EXPORT_PVD_GRAINS_H
#define CAPSTAN_IO_EXPORT_PVD_GRAINS_H

#include "io/export/internal.h"
#include "io/export/vtp.h"

// Writes the particles of a frame of the result.
CpsStatus cps_pvd_grains(CpsVtp* vtp, CpsExport* e, int64_t frame);

#endif
