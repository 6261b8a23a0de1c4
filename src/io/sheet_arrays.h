// Arrays of sheets, shared by results, frames and exports.
#ifndef CAPSTAN_IO_SHEET_ARRAYS_H
#define CAPSTAN_IO_SHEET_ARRAYS_H

#include "capstan/sheet.h"

// Shapes of the unloaded triangles, three numbers each: x1, x2 and y2 of the corners (0, 0), (x1, 0), (x2, y2), m.
void cps_sheet_rest_triangles(const CpsSheetDef* def, double* rest);

// Distributes the impulse on one side of a contact over the corners of its triangle, by weight.
// @param triangles  of the sheet, three vertices each, triangle_count of them
// @param out        impulses of the vertices that `triangles` number
void cps_sheet_spread(const CpsSide* side, CpsVec3 impulse, const int32_t* triangles, int32_t triangle_count,
                      CpsVec3* out);

// The impulse on side a in world axes.
CpsVec3 cps_impulse_in_world(const double impulse[3], CpsVec3 normal, CpsVec3 tangent1, CpsVec3 tangent2);

#endif
