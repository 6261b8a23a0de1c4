// A shape as the pieces that can be touched: one for a simple shape, one for each part of a compound.
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

// Makes the pieces of a checked shape; `frame` is the shape's frame in that of the owner.
CpsStatus cps_pieces_create(const CpsShape* shape, const CpsPose* frame, CpsPieces* pieces, CpsError* error);
// A zeroed CpsPieces is allowed, and is the remainder.
void cps_pieces_free(CpsPieces* pieces);

#endif
