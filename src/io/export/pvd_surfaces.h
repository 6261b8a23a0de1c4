// Sheets and solids in VTK files: their surfaces as polygons, and their cells.
#ifndef CAPSTAN_IO_EXPORT_PVD_SURFACES_H
#define CAPSTAN_IO_EXPORT_PVD_SURFACES_H

#include "capstan/frame.h"
#include "io/export/vtp.h"

// Triangles of sheets and of the surfaces of solids. touch: scratch memory, one number for each vertex.
void cps_pvd_surfaces(CpsVtp* vtp, const CpsThings* things, const CpsFrame* frame, int8_t* touch);
// Triangles of sheets and tetrahedra of solids; the surface of a solid if its tetrahedra are unknown.
void cps_pvd_cells(CpsVtp* vtp, const CpsThings* things, const CpsFrame* frame, int8_t* touch);

#endif
