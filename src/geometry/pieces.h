// The touchable pieces of a shape: one for a simple shape, one per part for a compound.
#ifndef CAPSTAN_GEOMETRY_PIECES_H
#define CAPSTAN_GEOMETRY_PIECES_H

#include "geometry/geom.h"

typedef struct CpsPiece {
  CpsGeom* geom;
  CpsPose pose;  // in the frame of its shape
} CpsPiece;

typedef struct CpsPieces {
  int32_t count;
  CpsPiece* piece;
} CpsPieces;

// Creates the pieces of a checked shape; `frame` is the shape's frame in that of the owner.
CpsStatus cps_pieces_create(const CpsShape* shape, const CpsPose* frame, CpsPieces* pieces, CpsError* error);
// Accepts a zeroed CpsPieces, and leaves one.
void cps_pieces_free(CpsPieces* pieces);

#endif
