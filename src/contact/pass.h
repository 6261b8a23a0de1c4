// Whether the axis of a piece of a line entered a shape or passed through it.
#ifndef CAPSTAN_CONTACT_PASS_H
#define CAPSTAN_CONTACT_PASS_H

#include "contact/crossing.h"
#include "geometry/geom.h"

// The ends of the axis move on straight lines in the frame of the shape; `radius` is that of the line. False if it was inside
// from the beginning. A closed mesh is entered from the front; a mesh with a border is crossed from either side.
typedef struct CpsEntry {
  CpsVec3 point;   // point on the shape, in its frame
  CpsVec3 normal;  // unit normal out of the shape at that point
  double s;        // position on the axis of the piece, in [0, 1]
} CpsEntry;
// Whether the axis was inside at the beginning; false for a mesh.
bool cps_piece_was_inside(const CpsGeom* geom, const CpsMovedPiece* piece, double radius);
// Depth of a piece in the shape, 0 if outside; both ends of its axis are in the frame of the shape.
// @param[out] entry  deepest point, if inside
double cps_piece_depth(const CpsGeom* geom, const CpsVec3 axis[2], double radius, CpsEntry* entry);
// @param[out] entry  set if the result is true
bool cps_piece_passed(const CpsGeom* geom, const CpsMovedPiece* piece, double radius, CpsEntry* entry);

#endif
