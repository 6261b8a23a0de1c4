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
// @param[out] entry  if true
bool cps_piece_passed(const CpsGeom* geom, const CpsMovedPiece* piece, double radius, CpsEntry* entry);

#endif
