// Sheets and solids in files of VTK: their surfaces as polygons, and their cells.
#ifndef CAPSTAN_IO_EXPORT_PVD_SURFACES_H
#define CAPSTAN_IO_EXPORT_PVD_SURFACES_H

#include "capstan/frame.h"
#include "io/export/vtp.h"

// Triangles of sheets and of the surfaces of solids. touch: room for a number for each vertex.
void cps_pvd_surfaces(CpsVtp* vtp, const CpsThings* things, const CpsFrame* frame, int8_t* touch);
// Triangles of sheets, tetrahedra of solids; surfaces of solids whose tetrahedra are not known.
void cps_pvd_cells(CpsVtp* vtp, const CpsThings* things, const CpsFrame* frame, int8_t* touch);

#endif
