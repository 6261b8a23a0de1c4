// Whether the axis of a piece of a line got into a shape, or through it.
#ifndef CAPSTAN_CONTACT_PASS_H
#define CAPSTAN_CONTACT_PASS_H

#include "contact/crossing.h"
#include "geometry/geom.h"

// The ends of the axis move on straight lines in the frame of the shape; `radius` is that of the line. What was inside at
// the beginning got in before: false. A closed mesh is entered from its front; through one with a border, from either side.
typedef struct CpsEntry {
  CpsVec3 point;   // where on the shape, in its frame
  CpsVec3 normal;  // unit, out of the shape there
  double s;        // on the axis of the piece, in [0, 1]
} CpsEntry;
// Whether its axis was inside at the beginning; false for a mesh.
bool cps_piece_was_inside(const CpsGeom* geom, const CpsMovedPiece* piece, double radius);
// How deep a piece is in the shape, 0 if it is not; both ends of its axis in the frame of the shape.
// @param[out] entry  where it is deepest, if it is
double cps_piece_depth(const CpsGeom* geom, const CpsVec3 axis[2], double radius, CpsEntry* entry);
// @param[out] entry  if true
bool cps_piece_passed(const CpsGeom* geom, const CpsMovedPiece* piece, double radius, CpsEntry* entry);

#endif
